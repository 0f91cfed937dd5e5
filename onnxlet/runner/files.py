"""What is in a folder: every file with its size and SHA-256, and what is no file."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Digest:
    """What a file's content is."""

    bytes: int
    sha256: str
    """In hexadecimal, lower case."""


@dataclass(frozen=True)
class Unusual:
    """Something in a folder that is no file that can be read."""

    reason: str
    """Completes a sentence that begins with its name."""


def scan(folder: Path) -> dict[str, Digest | Unusual]:
    """Everything below a folder but folders, by its path there with "/" between, sorted.

    Links are not followed, and nothing that is not a regular file is opened. Names that are not UTF-8 have lone
    surrogates, as everywhere in Python.
    """
    return {path: digest_of(folder / path) for path in sorted(_paths(folder))}


def digest_of(path: Path) -> Digest | Unusual:
    """Of one file."""
    try:
        if path.is_symlink():
            return Unusual("is a link")
        descriptor = os.open(path, os.O_RDONLY | _NO_FOLLOW)
    except OSError as error:
        return Unusual(f"cannot be read: {error.strerror}")
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return Unusual("is not a regular file")
        try:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            return Unusual(f"cannot be read: {error.strerror}")
        return Digest(file.tell(), digest)


def _paths(folder: Path) -> Iterator[str]:
    """Of everything but folders; and of folders that cannot be looked into, which `digest_of` then says."""
    open_folders = [""]
    while open_folders:
        prefix = open_folders.pop()
        try:
            entries = list(os.scandir(folder / prefix))
        except OSError:
            yield prefix.rstrip("/")
            continue
        for entry in entries:
            path = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                open_folders.append(f"{path}/")
            else:
                yield path
