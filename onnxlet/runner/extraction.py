"""Puts on disk what cannot be loaded out of a zip file: wasmtime, and the engine.

The folder is the user's own, is named after what is in it, and is checked whole each time. Where there is no such
folder a temporary one serves.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from .. import user_cache
from .files import Digest, scan
from .integrity import Archive
from .program import Failure

PREFIX: Final = "extracted/"
"""Of the entries that are put on disk."""
_NATIVE: Final = ("wasmtime/linux-", "wasmtime/darwin-", "wasmtime/win32-", "wasmtime/android-")
_MACHINES: Final = {"AMD64": "x86_64", "arm64": "aarch64", "ARM64": "aarch64"}


@contextlib.contextmanager
def extracted(archive: Archive) -> Iterator[Path]:
    """The folder, while the block runs. Raises Failure when there is no wasmtime for this machine, and Altered."""
    wanted = {path.removeprefix(PREFIX): digest for path, digest in _for_this_machine(archive.sums)}
    kept = _kept(archive, wanted)
    if kept is not None:
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="onnxlet-", ignore_cleanup_errors=True) as folder:
        _write(archive, wanted, Path(folder))
        yield Path(folder)


def _for_this_machine(sums: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    machine = platform.machine()
    here = f"wasmtime/{sys.platform}-{_MACHINES.get(machine, machine)}/"
    natives = {path.split("/")[2] for path in sums if path.removeprefix(PREFIX).startswith(_NATIVE)}
    if here.split("/")[1] not in natives:
        raise Failure(
            f"this bundle runs on {', '.join(sorted(natives))}, and this is {here.split('/')[1]}; "
            "make it with --platform for that"
        )
    for path, digest in sums.items():
        name = path.removeprefix(PREFIX)
        if name != path and (not name.startswith(_NATIVE) or name.startswith(here)):
            yield path, digest


def _kept(archive: Archive, wanted: Mapping[str, str]) -> Path | None:
    """In the user's cache; None where that cannot be."""
    digest = hashlib.sha256("".join(f"{value}  {name}\n" for name, value in sorted(wanted.items())).encode())
    home = user_cache.folder("bundles")
    folder = home / digest.hexdigest()[:32]
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(home):
            return None
        if not _is_whole(folder, wanted):
            _replace(archive, wanted, folder)
        return folder if _is_whole(folder, wanted) else None
    except OSError:
        return None


def _is_private(folder: Path) -> bool:
    """Nobody but this user can put code there."""
    if sys.platform == "win32":
        return True
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


def _is_whole(folder: Path, wanted: Mapping[str, str]) -> bool:
    if folder.is_symlink() or not folder.is_dir():
        return False
    found = scan(folder)
    return found.keys() == wanted.keys() and all(
        isinstance(item, Digest) and item.sha256 == wanted[path] for path, item in found.items()
    )


def _replace(archive: Archive, wanted: Mapping[str, str], folder: Path) -> None:
    """Writes the folder under another name first, so that nobody sees half of it."""
    made = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        _write(archive, wanted, made / "whole")
        if folder.is_symlink() or folder.exists():
            folder.rename(made / "damaged")
        with contextlib.suppress(OSError):  # another process was quicker
            (made / "whole").rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _write(archive: Archive, wanted: Mapping[str, str], folder: Path) -> None:
    for name in wanted:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(archive.read(PREFIX + name))
