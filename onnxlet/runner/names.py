"""The files of a bundle that say what the others are, and what a file in it may be called."""

from __future__ import annotations

import re
from typing import Final

MANIFEST: Final = "manifest.json"
SBOM: Final = "sbom.cdx.json"
SIGNATURE: Final = "model.sig"
SUMS: Final = "SHA256SUMS"

# Control characters, what is not UTF-8 (lone surrogates), and what Windows takes for a separator or a drive.
_ODD: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\\:]")


def is_plain(path: str) -> bool:
    """Whether it leads from the folder to something below it, and is the same on every system and in every list."""
    return not _ODD.search(path) and all(part not in ("", ".", "..") for part in path.split("/"))


def printable(path: str) -> str:
    """A path for people and for JSON, whatever is in it."""
    return "".join(
        char if char.isprintable() and char != "\\" else char.encode("unicode_escape", "surrogatepass").decode()
        for char in path
    )
