"""Compiled engine modules on disk, so that a second process starts in milliseconds.

An entry is native code. It is keyed by the engine file's hash, wasmtime's version and the machine; it carries its own
SHA-256, is read from the user's own folder only, and a damaged one is dropped and rebuilt.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from pathlib import Path
from typing import Final

import wasmtime

from .. import user_cache
from ..log import INFO, WARNING, log

_MAGIC: Final = b"onnxlet compiled module 1\n"
_DIGEST_BYTES: Final = 32
_MOST_ENTRIES: Final = 16


def cache_dir() -> Path:
    """The folder for compiled modules: $ONNXLET_CACHE, else the user's cache directory."""
    return user_cache.folder("compiled")


def entry_path(wasm: bytes) -> Path:
    """Where the compiled form of an engine file is kept on this machine."""
    key = hashlib.sha256(wasm)
    key.update(f"\n{_wasmtime_version()} {sys.platform} {platform.machine()}".encode())
    return cache_dir() / f"{key.hexdigest()[:32]}.module"


def _wasmtime_version() -> str:
    """The installed version, read from the folder's name where possible: importlib.metadata takes long to import."""
    for folder in Path(wasmtime.__file__).parents[1].glob("wasmtime-*.dist-info"):
        return folder.name.removesuffix(".dist-info")
    import importlib.metadata

    return importlib.metadata.version("wasmtime")


def load_module(engine: wasmtime.Engine, wasm: bytes) -> wasmtime.Module:
    """The compiled module, from the cache when a sound entry is there, else compiled and stored.

    A cache that cannot be read or written costs time and nothing else.
    """
    path = entry_path(wasm)
    code = _read(path)
    if code is not None:
        try:
            return wasmtime.Module.deserialize(engine, code)
        except wasmtime.WasmtimeError as error:
            log(INFO, "compiled module %s does not fit this machine and is rebuilt: %s", path, error)
    module = wasmtime.Module(engine, wasm)
    _write(path, module.serialize())
    return module


def _read(path: Path) -> bytes | None:
    try:
        if not _is_ours(path.parent):
            return None
        data = path.read_bytes()
    except OSError:
        return None
    head = len(_MAGIC) + _DIGEST_BYTES
    code = data[head:]
    if data[: len(_MAGIC)] != _MAGIC or data[len(_MAGIC) : head] != hashlib.sha256(code).digest():
        log(WARNING, "compiled module %s is damaged and is rebuilt", path)
        return None
    return code


def _write(path: Path, code: bytes | bytearray) -> None:
    import tempfile  # takes long to import, and is only needed here

    temporary = None
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(path.parent):
            return
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        with os.fdopen(descriptor, "wb") as file:
            file.write(_MAGIC + hashlib.sha256(code).digest())
            file.write(code)
        Path(temporary).replace(path)
        temporary = None
        _prune(path.parent)
    except OSError as error:
        log(INFO, "the compiled module is not kept in %s: %s", path.parent, error)
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def _is_ours(folder: Path) -> bool:
    """Code is only taken from a folder that nobody but this user can write to."""
    if sys.platform == "win32":
        return True
    status = folder.stat()
    if status.st_uid == os.getuid() and not status.st_mode & 0o022:
        return True
    log(WARNING, "%s can be written by other users, so compiled modules are neither read from nor kept in it", folder)
    return False


def _prune(folder: Path) -> None:
    entries = sorted(folder.glob("*.module"), key=lambda entry: entry.stat().st_mtime, reverse=True)
    for entry in entries[_MOST_ENTRIES:]:
        entry.unlink(missing_ok=True)
