"""Whether a bundle's files are those that SHA256SUMS lists."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeVar

from ..errors import InvalidArgument
from .files import Digest, Unusual, scan
from .names import SUMS, printable
from .program import Altered
from .sums import read_sums

Found = Mapping[str, Digest | Unusual]
T = TypeVar("T")


@dataclass(frozen=True)
class Difference:
    """A file that is not what it was."""

    path: str
    kind: Literal["changed", "missing", "extra", "damaged", "unusual"]
    """damaged: a list that cannot be read. unusual: a link, or anything else that is not a file."""
    message: str
    """A sentence that begins with the path."""

    def document(self) -> dict[str, str]:
        """For JSON."""
        return {"path": printable(self.path), "kind": self.kind, "message": self.message}


def check_folder(folder: Path) -> int:
    """Gives the number of files that are listed. Raises Altered, naming the first by path."""
    found = scan(folder)
    differences = {item.path: item for item in (*against_sums(folder, found), *unusual(found))}
    if differences:
        raise Altered(differences[min(differences)].message)
    return len(found) - 1  # not the list itself


def unusual(found: Found) -> Iterator[Difference]:
    """What is no file."""
    for path, item in found.items():
        if isinstance(item, Unusual):
            yield Difference(path, "unusual", f"{printable(path)} {item.reason}")


def against_sums(folder: Path, found: Found) -> Iterator[Difference]:
    """What is not as SHA256SUMS says."""
    listed = read_list(folder, SUMS, found, read_sums)
    if isinstance(listed, Difference):
        yield listed
        return
    yield from presence(found, listed, SUMS, frozenset({SUMS}))
    for path, expected in listed.items():
        item = found.get(path)
        if isinstance(item, Digest) and item.sha256 != expected:
            yield Difference(path, "changed", f"{path} differs: its SHA-256 is {item.sha256}; {SUMS} says {expected}")


def presence(found: Found, listed: Mapping[str, Any], name: str, unlisted: frozenset[str]) -> Iterator[Difference]:
    """What the list called `name` has and the folder has not, and the other way round."""
    for path in listed:
        if path not in found:
            yield Difference(path, "missing", f"{path} is missing")
    for path in found:
        if path not in listed and path not in unlisted:
            yield Difference(path, "extra", f"{printable(path)} is extra: {name} does not list it")


def read_list(folder: Path, name: str, found: Found, read: Callable[[bytes], T]) -> T | Difference:
    """A list of the bundle."""
    if name not in found:
        return Difference(name, "missing", f"{name} is missing")
    item = found[name]
    if isinstance(item, Unusual):
        return Difference(name, "unusual", f"{name} {item.reason}")
    try:
        return read((folder / name).read_bytes())
    except InvalidArgument as error:
        return Difference(name, "damaged", f"{name} is damaged: {error}")


class Archive:
    """A zip file with a SHA256SUMS of its own entries; nothing is read from it that does not fit."""

    def __init__(self, path: Path) -> None:
        """Raises Altered when the list does not name the entries that there are."""
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
            names = sorted(self._zip.namelist())
            self.sums = read_sums(self._zip.read(SUMS)) if SUMS in names else {}
        except (OSError, zipfile.BadZipFile, zlib.error, InvalidArgument) as error:
            raise Altered(f"{path.name} is damaged: {error}") from None
        if names != sorted([*self.sums, SUMS]):
            raise Altered(f"{path.name} is damaged: its {SUMS} does not list what is in it")

    def read(self, name: str) -> bytes:
        """An entry. Raises Altered when it is not as listed."""
        try:
            data = self._zip.read(name)
        except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
            raise Altered(f"{self.path.name}: {name} is damaged: {error}") from None
        if sha256(data).hexdigest() != self.sums[name]:
            raise Altered(f"{self.path.name}: {name} differs from what {SUMS} in it says")
        return data

    def check(self) -> None:
        """All entries. Raises Altered."""
        for name in self.sums:
            self.read(name)
