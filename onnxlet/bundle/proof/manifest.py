"""manifest.json: what is in a bundle, and of what it was made."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ... import __version__
from ...errors import InvalidArgument
from ...runner.files import Digest
from ...runner.names import MANIFEST, SIGNATURE, SUMS, is_plain, printable
from .card import Card
from .components import PROGRAMS, parts_of

if TYPE_CHECKING:
    from ..request import Contents, Filled

FORMAT: Final = 1
NOT_LISTED: Final = frozenset({MANIFEST, SIGNATURE, SUMS})
"""What cannot be in it: itself, and what is made after it."""
_HEX: Final = re.compile(r"[0-9a-f]{64}")


def write_manifest(contents: Contents, filled: Filled, models: Sequence[Card], files: Mapping[str, Digest]) -> str:
    """The text: the same for the same bundle, wherever and whenever it is made."""
    document = {
        "format": FORMAT,
        "target": contents.request.target,
        "tool": {"name": "onnxlet", "version": __version__, "license": PROGRAMS["onnxlet"].license},
        "programs": {
            name: _program(name, version, contents.request.target) for name, version in sorted(filled.versions.items())
        },
        "engine": {"operators": sorted(filled.operators) or "all"},
        "models": [card.document() for card in models],
        "files": {
            path: {"bytes": digest.bytes, "sha256": digest.sha256}
            for path, digest in sorted(files.items())
            if path not in NOT_LISTED
        },
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _program(name: str, version: str, target: str) -> dict[str, Any]:
    known, parts = PROGRAMS.get(name), parts_of(name, target)
    return (
        {"version": version}
        | ({"license": known.license} if known else {})
        | ({"contains": {part: PROGRAMS[part].license for part in parts}} if parts else {})
    )


def read_manifest(data: bytes) -> dict[str, Digest]:
    """The files that it lists. Raises InvalidArgument for one that `write_manifest` would not have written."""
    try:
        document = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(f"it is not JSON: {error}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        found = document.get("format") if isinstance(document, dict) else None
        raise InvalidArgument(f"its format is {found!r}; this version of onnxlet reads {FORMAT}")
    files = document.get("files")
    if not isinstance(files, dict):
        raise InvalidArgument("it lists no files")
    return {path: _digest(path, entry) for path, entry in files.items()}


def _digest(path: str, entry: Any) -> Digest:
    if not is_plain(path) or path in NOT_LISTED:
        raise InvalidArgument(f"it names {printable(path)!r}, which cannot be a file that it lists")
    size = entry.get("bytes") if isinstance(entry, dict) else None
    sha256 = entry.get("sha256") if isinstance(entry, dict) else None
    if type(size) is not int or size < 0 or not isinstance(sha256, str) or not _HEX.fullmatch(sha256):
        raise InvalidArgument(f"it has no size and SHA-256 of {path}")
    return Digest(size, sha256)
