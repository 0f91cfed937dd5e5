"""Writes model.sig: OpenSSF Model Signing, with a key or with a certificate.

model-signing's statement has its keys in any order, and ECDSA takes a random number. Here the same statement is written
in one order, and the number follows from key and message (RFC 6979), so the same bundle has the same signature.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...runner.names import SIGNATURE, SUMS
from ..errors import BundleError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

NOT_SIGNED: Final = (SUMS, SIGNATURE)
"""What is written after it, and itself."""


def sign(folder: Path, name: str, key: Path, certificate: Path | None, chain: Sequence[Path]) -> None:
    """Signs every file that is in the folder. Raises BundleError for a key or certificates that cannot be used."""
    try:
        from model_signing import hashing, signing
    except ImportError as error:
        raise BundleError("signing takes model-signing: pip install 'onnxlet[bundle]'") from error

    private = read_signing_key(key)
    config = signing.Config()
    config.set_hashing_config(hashing.Config().set_ignored_paths(paths=NOT_SIGNED, ignore_git_paths=False))
    if certificate is None:
        config.use_elliptic_key_signer(private_key=key)
    else:
        _check_readable([certificate, *chain])
        try:
            config.use_certificate_signer(private_key=key, signing_certificate=certificate, certificate_chain=chain)
        except ValueError as error:
            raise BundleError(f"{certificate} cannot be used: {error}") from error
    path = folder / SIGNATURE
    config.sign(folder, path)
    path.write_bytes(_settled(json.loads(path.read_bytes()), name, private).encode())


def read_signing_key(path: Path) -> EllipticCurvePrivateKey:
    """Raises BundleError for one that cannot sign."""
    try:
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError as error:
        raise BundleError("signing takes cryptography: pip install 'onnxlet[bundle]'") from error

    try:
        key = load_pem_private_key(path.read_bytes(), None)
    except OSError as error:
        raise BundleError(f"the key {path} cannot be read: {error.strerror}") from error
    except TypeError as error:
        raise BundleError(f"the key {path} has a password, which cannot be given here") from error
    except ValueError as error:
        raise BundleError(f"{path} is not a private key in PEM") from error
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.curve.key_size not in (256, 384, 521):
        raise BundleError(f"the key {path} cannot sign: it takes one on the curve P-256, P-384 or P-521")
    return key


def _check_readable(paths: Sequence[Path]) -> None:
    for path in paths:
        if not path.is_file():
            raise BundleError(f"the certificate {path} does not exist")


def _settled(bundle: dict[str, Any], name: str, key: EllipticCurvePrivateKey) -> str:
    """A bundle of Sigstore's format whose bytes follow from the files, the name and the key."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    envelope = bundle["dsseEnvelope"]
    statement = json.loads(base64.b64decode(envelope["payload"]))
    statement["subject"][0]["name"] = name
    statement["predicate"]["serialization"]["ignore_paths"].sort()
    payload = json.dumps(statement, sort_keys=True, separators=(",", ":")).encode()
    by_size: dict[int, hashes.HashAlgorithm] = {256: hashes.SHA256(), 384: hashes.SHA384(), 521: hashes.SHA512()}
    algorithm = ec.ECDSA(by_size[key.curve.key_size], deterministic_signing=True)
    signature = key.sign(_authenticated(envelope["payloadType"].encode(), payload), algorithm)
    envelope["payload"] = base64.b64encode(payload).decode()
    envelope["signatures"][0]["sig"] = base64.b64encode(signature).decode()
    return json.dumps(bundle, sort_keys=True, indent=2) + "\n"


def _authenticated(kind: bytes, payload: bytes) -> bytes:
    """DSSE's pre-authentication encoding: what is signed."""
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
