"""Keys and certificates for tests, made anew in each run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_YEAR = timedelta(days=365)


@dataclass(frozen=True)
class KeyPair:
    """A key, with its two files."""

    key: ec.EllipticCurvePrivateKey
    private: Path
    public: Path


def key_pair(folder: Path, name: str, curve: ec.EllipticCurve | None = None) -> KeyPair:
    """A new key on P-256, or another curve."""
    key = ec.generate_private_key(curve or ec.SECP256R1())
    private, public = folder / f"{name}.pem", folder / f"{name}.pub.pem"
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    public.write_bytes(
        key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    return KeyPair(key, private, public)


@dataclass(frozen=True)
class Authority:
    """A root, an intermediate, and how to certify a key."""

    folder: Path
    root: Path
    chain: Path
    intermediate: ec.EllipticCurvePrivateKey

    def certify(self, pair: KeyPair, name: str, *, years: tuple[float, float] = (-1, 1), signs: bool = True) -> Path:
        """A certificate that is valid between two times, in years from now."""
        certificate = _certificate(
            name, pair.key, f"{self.folder.name} intermediate", self.intermediate, years, signs=signs
        )
        return _saved(self.folder / f"{name}.crt.pem", certificate)


def authority(folder: Path) -> Authority:
    """A new one, valid from two years ago to in two years, named after the folder."""
    folder.mkdir(exist_ok=True)
    root, intermediate = key_pair(folder, "root").key, key_pair(folder, "intermediate").key
    names = f"{folder.name} root", f"{folder.name} intermediate"
    years = (-2.0, 2.0)
    return Authority(
        folder,
        _saved(folder / "root.crt.pem", _certificate(names[0], root, names[0], root, years, signs=False, issues=True)),
        _saved(
            folder / "intermediate.crt.pem",
            _certificate(names[1], intermediate, names[0], root, years, signs=False, issues=True),
        ),
        intermediate,
    )


def _saved(path: Path, certificate: x509.Certificate) -> Path:
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return path


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    issuer_key: ec.EllipticCurvePrivateKey,
    years: tuple[float, float],
    *,
    signs: bool,
    issues: bool = False,
) -> x509.Certificate:
    now = datetime.now(UTC)
    usage = x509.KeyUsage(
        digital_signature=signs,
        key_cert_sign=issues,
        crl_sign=issues,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=not signs and not issues,
        encipher_only=False,
        decipher_only=False,
    )
    return (
        x509.CertificateBuilder()
        .subject_name(_named(name))
        .issuer_name(_named(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + years[0] * _YEAR)
        .not_valid_after(now + years[1] * _YEAR)
        .add_extension(x509.BasicConstraints(ca=issues, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .sign(issuer_key, hashes.SHA256())
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
