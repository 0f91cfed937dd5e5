"""What proves a bundle: files that say what the others must be, who vouches for it, and the check of all that.

`seal` writes them into a folder that a target has filled. Each covers what was written before it: the list of materials
the target's files, the manifest these, the signature all of them, and SHA256SUMS everything.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...runner.files import Digest, scan
from ...runner.names import MANIFEST, SBOM, SUMS, is_plain, printable
from ...runner.sums import write_sums
from ..errors import BundleError
from .card import cards
from .licenses import check_licenses
from .manifest import write_manifest
from .sbom import write_sbom
from .signature import Signature, Trust
from .signing import read_signing_key, sign
from .verify import Verification, verify

if TYPE_CHECKING:
    from ..request import Contents, Filled, Request


def check(request: Request) -> None:
    """Whether what is asked for can be proved: before the work begins. Raises BundleError."""
    check_licenses(request.licenses)
    if request.signing_key is not None:
        read_signing_key(request.signing_key)


def seal(contents: Contents, filled: Filled, folder: Path) -> None:
    """Writes the proof. Raises BundleError for a file that no list can name, for licences that SPDX
    does not know, and for keys that cannot be used."""
    models = cards(contents)
    check_licenses(license for card in models for license in card.licenses)
    _write(folder / SBOM, write_sbom(contents, filled, models, _files(folder)))
    _write(folder / MANIFEST, write_manifest(contents, filled, models, _files(folder)))
    request = contents.request
    if request.signing_key is not None:
        name = "-".join(card.name for card in models)
        sign(folder, name, request.signing_key, request.certificate, request.chain)
    _write(folder / SUMS, write_sums(_files(folder)))


def _files(folder: Path) -> dict[str, Digest]:
    files = {}
    for path, found in scan(folder).items():
        if not isinstance(found, Digest):
            raise BundleError(f"{printable(path)} {found.reason}; a bundle has files alone")
        if not is_plain(path):
            raise BundleError(f"a file of a bundle cannot be called {printable(path)!r}")
        files[path] = found
    return files


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


__all__ = ["Signature", "Trust", "Verification", "check", "seal", "verify"]
