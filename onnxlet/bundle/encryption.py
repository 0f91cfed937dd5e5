"""Models encrypted with AES-256-GCM, as the JavaScript package's option `decrypt` reads them.

The file is 12 bytes of initialization vector, the ciphertext, and GCM's 16-byte tag. A vector must not come twice with
one key for different texts (NIST SP 800-38D, 8), and the same request must give the same bytes. So the vector is
what a synthetic one is in RFC 5297: a pseudo-random function of the text, here HMAC-SHA-256 under the key, cut to
96 bits. Two models collide with a probability of 2^-96; two encryptions of one model with one key are equal,
which shows that the model is the same, and no more.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Final

from .errors import BundleError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

IV_BYTES: Final = 12
TAG_BYTES: Final = 16
_DOMAIN: Final = b"onnxlet model.onnx.enc 1\0"


def encrypt(model: bytes, key: bytes) -> bytes:
    """The encrypted file; the same for the same model and key of 32 bytes."""
    vector = hmac.digest(key, _DOMAIN + hashlib.sha256(model).digest(), "sha256")[:IV_BYTES]
    return vector + _cipher(key).encrypt(vector, model, None)


def decrypt(data: bytes, key: bytes, what: str) -> bytes:
    """The model in an encrypted file. Raises BundleError, which calls the file `what`."""
    from cryptography.exceptions import InvalidTag

    if len(data) < IV_BYTES + TAG_BYTES:
        raise BundleError(f"{what} has {len(data)} bytes, which is too short for an encrypted file")
    try:
        return _cipher(key).decrypt(data[:IV_BYTES], data[IV_BYTES:], None)
    except InvalidTag:
        raise BundleError(
            f"{what} could not be decrypted: the key is another one, or the file is not the encrypted original"
        ) from None


def _cipher(key: bytes) -> AESGCM:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError as error:
        raise BundleError("encrypted models need cryptography: pip install 'onnxlet[bundle]'") from error

    return AESGCM(key)
