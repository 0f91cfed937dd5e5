"""Checks model.sig: who vouches for a bundle, in the format of OpenSSF Model Signing.

model-signing does the checking. What is told apart here is why it fails, and what it lets pass: files that the signature
says to ignore, and certificates that have expired since, as it asks for the day they became valid.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from ...errors import InvalidArgument
from ...runner.files import Digest, Unusual
from ...runner.names import SIGNATURE, printable
from ..errors import BundleError
from .signing import NOT_SIGNED

if TYPE_CHECKING:
    from cryptography import x509
    from model_signing.verifying import Config

State = Literal[
    "absent", "unchecked", "valid", "missing", "damaged", "wrong key", "expired", "untrusted", "other files"
]
_NOT_WRONG: Final = ("absent", "unchecked", "valid")
_KEY: Final = "publicKey"
_CHAIN: Final = "x509CertificateChain"


@dataclass(frozen=True)
class Trust:
    """Whose signature is wanted: that of a key, or anybody's for whom a certificate vouches."""

    key: Path | None = None
    """A public key, as PEM."""
    roots: tuple[Path, ...] = ()
    """Certificates that are trusted, as PEM."""


@dataclass(frozen=True)
class Signature:
    """What a check of model.sig found."""

    state: State
    message: str
    """A sentence."""

    @property
    def is_wrong(self) -> bool:
        """What was asked for is not so."""
        return self.state not in _NOT_WRONG

    def document(self) -> dict[str, str]:
        """For JSON."""
        return {"state": self.state, "message": self.message}


class _Wrong(Exception):
    def __init__(self, state: State, message: str) -> None:
        super().__init__(message)
        self.signature = Signature(state, message)


def check_signature(folder: Path, found: Mapping[str, Digest | Unusual], trust: Trust | None) -> Signature:
    """Whether the signature is that of `trust` and covers all that was found in the folder.

    Raises InvalidArgument for a key or certificates that cannot be read, BundleError without model-signing.
    """
    if trust is None:
        if SIGNATURE in found:
            return Signature(
                "unchecked", f"{SIGNATURE} was not checked: that takes a public key, or a root certificate"
            )
        return Signature("absent", "the bundle is not signed")
    verifier = _verifier(trust)
    try:
        if SIGNATURE not in found:
            raise _Wrong("missing", f"the bundle is not signed: {SIGNATURE} is missing")
        for path, item in found.items():
            if isinstance(item, Unusual):
                raise _Wrong("other files", f"the signature was not checked: {printable(path)} {item.reason}")
        bundle = _read_bundle(folder / SIGNATURE)
        with _explained():
            signer = _signer(bundle, trust)
            _check_content(verifier, folder, bundle, found)
            for certificate in _certificates(bundle):
                _check_dates(certificate)
    except _Wrong as wrong:
        return wrong.signature
    return Signature("valid", f"signed by {signer}")


def _verifier(trust: Trust) -> Config:
    try:
        from model_signing import verifying
    except ImportError as error:
        raise BundleError("checking signatures takes model-signing: pip install 'onnxlet[bundle]'") from error

    config = verifying.Config()
    for path in filter(None, [trust.key, *trust.roots]):
        if not path.is_file():
            raise InvalidArgument(f"{path} does not exist")
    try:
        if trust.key is not None:
            return config.use_elliptic_key_verifier(public_key=trust.key)
        return config.use_certificate_verifier(certificate_chain=trust.roots)
    except (ValueError, AttributeError) as error:  # AttributeError: a key that is not on a curve
        kind = "a public key on the curve P-256, P-384 or P-521" if trust.key else "certificates"
        names = ", ".join(str(path) for path in filter(None, [trust.key, *trust.roots]))
        raise InvalidArgument(f"{names}: not {kind} in PEM") from error


def _read_bundle(path: Path) -> dict[str, Any]:
    try:
        bundle = json.loads(path.read_bytes())
        if not isinstance(bundle["verificationMaterial"], dict) or not bundle["dsseEnvelope"]["signatures"]:
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _Wrong(
            "damaged", f"{SIGNATURE} is damaged or cut short: it is not a signature in Sigstore's format"
        ) from None
    return dict(bundle)


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """What model-signing raises, as what is wrong."""
    from cryptography.exceptions import InvalidSignature
    from OpenSSL.crypto import X509StoreContextError

    try:
        yield
    except X509StoreContextError as error:
        raise _Wrong("untrusted", f"the certificate in {SIGNATURE} is not trusted: {error}") from None
    except InvalidSignature:
        raise _Wrong("damaged", f"{SIGNATURE} is damaged: the signature is not one of what it says") from None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        text = str(error)
        if text.startswith("Signing certificate"):
            raise _Wrong("untrusted", f"the certificate in {SIGNATURE} is not one for signing") from None
        raise _Wrong("damaged", f"{SIGNATURE} is damaged or cut short: {printable(text.splitlines()[0])}") from None


def _signer(bundle: Mapping[str, Any], trust: Trust) -> str:
    """Who it says has signed it, when that is who is wanted."""
    material = bundle["verificationMaterial"]
    if "certificate" in material:
        raise _Wrong("untrusted", f"{SIGNATURE} was made without a key of one's own, which nobody can check offline")
    if trust.key is None:
        if _CHAIN not in material:
            raise _Wrong("untrusted", f"{SIGNATURE} was made with a key, and without a certificate")
        return _name(_certificates(bundle)[0])
    if _CHAIN in material:
        raise _Wrong("wrong key", f"{SIGNATURE} was made with a certificate: that takes a root certificate to check")
    expected = _hint(trust.key)
    hint = material[_KEY].get("hint") or expected
    if hint != expected:
        raise _Wrong("wrong key", f"{SIGNATURE} was made with another key: one whose SHA-256 is {hint}, not {expected}")
    return f"the key with SHA-256 {expected}"


def _hint(path: Path) -> str:
    """How the format names a key."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

    key = load_pem_public_key(path.read_bytes())
    return hashlib.sha256(key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def _certificates(bundle: Mapping[str, Any]) -> Sequence[x509.Certificate]:
    from cryptography import x509

    chain = bundle["verificationMaterial"].get(_CHAIN, {"certificates": []})["certificates"]
    return [x509.load_der_x509_certificate(base64.b64decode(item["rawBytes"])) for item in chain]


def _check_content(verifier: Config, folder: Path, bundle: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Raises what is wrong with the signature itself, and _Wrong when it is one of other files."""
    same = True
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # it warns of old formats there
            verifier.verify(folder, folder / SIGNATURE)
    except ValueError as error:
        if not str(error).startswith("Signature mismatch"):
            raise
        same = False
    statement = json.loads(base64.b64decode(bundle["dsseEnvelope"]["payload"]))
    signed = {item["name"]: item["digest"] for item in statement["predicate"]["resources"]}
    for path in sorted({*signed, *found} - {*NOT_SIGNED}):
        if path not in signed:
            raise _Wrong("other files", f"the signature is good, and does not cover {printable(path)}")
        if path not in found:
            raise _Wrong("other files", f"the signature is good, and covers {printable(path)}, which is missing")
        if found[path].sha256 != signed[path]:
            raise _Wrong("other files", f"the signature is good, and {printable(path)} is not what was signed")
    if not same:
        raise _Wrong("other files", "the signature is good, and of other files")


def _check_dates(certificate: x509.Certificate) -> None:
    now = datetime.now(UTC)
    if now > certificate.not_valid_after_utc:
        ended = certificate.not_valid_after_utc.date()
        raise _Wrong("expired", f"the certificate of {_name(certificate)} expired on {ended}")
    if now < certificate.not_valid_before_utc:
        begins = certificate.not_valid_before_utc.date()
        raise _Wrong("expired", f"the certificate of {_name(certificate)} is not valid before {begins}")


def _name(certificate: x509.Certificate) -> str:
    return printable(certificate.subject.rfc4514_string())
