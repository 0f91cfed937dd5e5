"""The files of an application in a bundle: what every runner looks for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from .encryption import encrypt
from .keys import read_key

if TYPE_CHECKING:
    from .request import Contents

MODEL: Final = "model.onnx"
ENCRYPTED_MODEL: Final = "model.onnx.enc"
INTERFACE: Final = "interface.json"


def application_files(contents: Contents) -> dict[str, bytes]:
    """The application's files by their names: the model, encrypted if that was asked for, and its interface.

    Raises BundleError for a key that cannot be used.
    """
    application = contents.application
    interface = application.interface.json().encode()
    key_file = contents.request.encryption_key
    if key_file is None:
        return {MODEL: application.model, INTERFACE: interface}
    return {ENCRYPTED_MODEL: encrypt(application.model, read_key(key_file)), INTERFACE: interface}


def write_application(contents: Contents, folder: Path) -> None:
    """Writes the application's files into a folder. Raises BundleError for a key that cannot be used."""
    for name, data in application_files(contents).items():
        (folder / name).write_bytes(data)
