"""Keys that models are encrypted with: 32 bytes, as text in a file."""

from __future__ import annotations

import os
import secrets
import stat
import warnings
from pathlib import Path
from typing import Final

from ..runner.key import KEY_BYTES, TAKES, parse_key
from .errors import BundleError

_LARGEST_FILE: Final = 4096
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def new_key(path: Path) -> None:
    """Writes a new key, in hexadecimal, to a file that only its owner can read. Raises BundleError when there is one."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise BundleError(f"{path} exists; a key that is lost is lost for good, so it is left alone") from error
    except OSError as error:
        raise BundleError(f"{path} cannot be written: {error.strerror}") from error
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(KEY_BYTES) + "\n")


def read_key(path: Path) -> bytes:
    """The key in a file: 64 hexadecimal digits, or base64. Raises BundleError; warns when others can read the file."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(_LARGEST_FILE).decode("ascii")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise BundleError(f"the key {path} cannot be read: {reason}") from error
    if os.name == "posix" and mode & _OTHERS:
        warnings.warn(f"others than its owner can use the key {path}: chmod 600 {path}", RuntimeWarning, stacklevel=2)
    try:
        return parse_key(text)
    except ValueError:
        raise BundleError(f"{path} is not a key: {TAKES} (onnxlet key FILE makes one)") from None
