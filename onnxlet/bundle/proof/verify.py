"""Checks a bundle against its own lists, and against who signed it: with no network, and nothing in it is run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InvalidArgument
from ...runner.files import Digest, scan
from ...runner.integrity import Difference, Found, against_sums, presence, read_list, unusual
from ...runner.names import MANIFEST
from .manifest import NOT_LISTED, read_manifest
from .signature import Signature, Trust, check_signature


@dataclass(frozen=True)
class Verification:
    """What a check found."""

    folder: Path
    files: int
    bytes: int
    differences: tuple[Difference, ...]
    """By path, and the lists first where they are at fault themselves."""
    signature: Signature

    @property
    def ok(self) -> bool:
        """Nothing differs, and the signature is not wrong; it may be absent or unchecked when no key was given."""
        return not self.differences and not self.signature.is_wrong

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "folder": str(self.folder),
            "ok": self.ok,
            "files": self.files,
            "bytes": self.bytes,
            "differences": [difference.document() for difference in self.differences],
            "signature": self.signature.document(),
        }


def verify(folder: Path, trust: Trust | None = None) -> Verification:
    """Checks sizes and hashes of every file, that none is missing or extra, the lists against each other, and, for what
    `trust` says, the signature.

    Raises InvalidArgument when `folder` is no folder.
    """
    if not folder.is_dir():
        raise InvalidArgument(f"{folder} is not a folder")
    found = scan(folder)
    by_path: dict[str, Difference] = {}
    for difference in (*unusual(found), *against_sums(folder, found), *_against_manifest(folder, found)):
        by_path.setdefault(difference.path, difference)
    return Verification(
        folder=folder,
        files=len(found),
        bytes=sum(item.bytes for item in found.values() if isinstance(item, Digest)),
        differences=tuple(sorted(by_path.values(), key=lambda item: (item.kind != "damaged", item.path))),
        signature=check_signature(folder, found, trust),
    )


def _against_manifest(folder: Path, found: Found) -> Iterator[Difference]:
    listed = read_list(folder, MANIFEST, found, read_manifest)
    if isinstance(listed, Difference):
        yield listed
        return
    yield from presence(found, listed, MANIFEST, NOT_LISTED)
    for path, expected in listed.items():
        item = found.get(path)
        if isinstance(item, Digest) and item != expected:
            yield Difference(
                path,
                "changed",
                f"{path} differs: it has {item.bytes} bytes with SHA-256 {item.sha256}; "
                f"{MANIFEST} says {expected.bytes} bytes, {expected.sha256}",
            )
