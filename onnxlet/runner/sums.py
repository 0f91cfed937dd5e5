"""SHA256SUMS: a line "HEX  PATH" for each file, as sha256sum writes and checks it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ..errors import InvalidArgument
from .files import Digest
from .names import SUMS, is_plain, printable

_LINE: Final = re.compile(r"(?P<sha256>[0-9a-f]{64})  (?P<path>.+)")


def write_sums(files: Mapping[str, Digest]) -> str:
    """The text, sorted by path."""
    return "".join(f"{digest.sha256}  {path}\n" for path, digest in sorted(files.items()))


def read_sums(data: bytes) -> dict[str, str]:
    """SHA-256 by path. Raises InvalidArgument for a text that `write_sums` would not have written."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"it is not UTF-8 (byte {error.start})") from None
    if not text.endswith("\n"):
        raise InvalidArgument("its last line has no end")
    found: dict[str, str] = {}
    last = ""
    for number, line in enumerate(text[:-1].split("\n"), 1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise InvalidArgument(f"line {number} is not a SHA-256, two spaces and a path")
        path = match["path"]
        if not is_plain(path) or path == SUMS:
            raise InvalidArgument(f"line {number} names {printable(path)!r}, which cannot be a file of a bundle")
        if path <= last:
            raise InvalidArgument(f"line {number} is not in order: {printable(path)!r} after {printable(last)!r}")
        found[path] = match["sha256"]
        last = path
    return found
