"""Runs the natively built engine (libonnxlet.so) through ctypes: for tests, sanitizers and debuggers.

The library has one set of globals, so every session of the process shares one lock and one crew of workers.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .. import errors
from .abi_gen import ABI_VERSION, Abi, Function
from .engine import Engine, octets
from .memory_view import view

if TYPE_CHECKING:
    from .engine import Readable, Writable

_TYPES: Final[dict[str, Any]] = {
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "usize": ctypes.c_size_t,
    "ptr": ctypes.c_void_p,
    "void": None,
}
_START_SECONDS: Final = 10.0


def library_path() -> Path | None:
    """The library named by $ONNXLET_NATIVE_LIB; None when that is not set."""
    chosen = os.environ.get("ONNXLET_NATIVE_LIB")
    return Path(chosen) if chosen else None


class _Library:
    """The loaded library, once per process, with its workers."""

    def __init__(self, path: Path) -> None:
        try:
            self.dll = ctypes.CDLL(str(path))
        except OSError as error:
            raise errors.RuntimeException(f"the native engine {path} does not load: {error}") from error
        self.path = path
        self.lock = threading.RLock()
        self.workers: list[threading.Thread] = []
        try:
            self.abi = Abi(self._bind)
        except AttributeError as error:
            raise errors.VersionMismatch(f"{path} lacks a function of this ABI: {error}") from error
        atexit.register(self.stop)

    def _bind(self, function: Function) -> Callable[..., Any]:
        native = self.dll[function.name]
        native.restype = _TYPES[function.result]
        native.argtypes = [_TYPES[kind] for kind in function.parameters]
        if function.result != "ptr":
            return native
        return lambda *arguments: native(*arguments) or 0

    def grow(self, count: int) -> int:
        """Starts workers until there are `count`; returns how many there are."""
        while len(self.workers) < count:
            index = len(self.workers) + 1
            work, name = self.abi.ol_worker_main, f"onnxlet-{index}"
            thread = threading.Thread(target=work, args=(index,), name=name, daemon=True)
            thread.start()
            self.workers.append(thread)
        deadline = time.monotonic() + _START_SECONDS
        while self.abi.ol_workers_ready() < len(self.workers) and time.monotonic() < deadline:
            time.sleep(0.0002)
        return min(count, self.abi.ol_workers_ready())

    def stop(self) -> None:
        if self.workers:
            self.abi.ol_stop_workers()
            for thread in self.workers:
                thread.join(5)


@functools.cache
def _library(path: Path) -> _Library:
    return _Library(path)


class NativeEngine(Engine):
    """A view of the process's native engine."""

    host = "native"
    flavour = "native"
    private_memory = False
    address_limit = 1 << 63

    def __init__(self, threads: int, path: Path | None = None) -> None:
        super().__init__()
        path = path or library_path()
        if path is None:
            raise errors.RuntimeException("the native engine needs ONNXLET_NATIVE_LIB, which is not set")
        self._library = _library(path.resolve())
        self.abi = self._library.abi
        self.lock = self._library.lock
        self._check_version(ABI_VERSION, str(path))
        with self.lock:
            self.threads = 1 + self._library.grow(threads - 1)

    def enter(self) -> None:
        super().enter()
        self.abi.ol_set_workers(self.threads - 1)

    def read(self, address: int, size: int) -> bytearray:
        return bytearray(view(address, size))

    def read_into(self, address: int, target: Writable) -> None:
        into = octets(target)
        into[:] = view(address, len(into))

    def write(self, address: int, data: Readable) -> None:
        source = octets(data)
        view(address, len(source))[:] = source

    def c_string(self, address: int) -> bytes:
        return ctypes.string_at(address)

    def fill(self, address: int, size: int, readinto: Callable[[memoryview], int | None]) -> int:
        span = view(address, size)
        done = 0
        while done < size:
            count = readinto(span[done:])
            if not count:
                break
            done += count
        return done

    def memory_bytes(self) -> int:
        return 0

    def close(self) -> None:
        if self.failure is None:
            with self.lock:
                for address, _ in [self._scratch, *self._lasting.values()]:
                    self.abi.ol_free(address)
            self._scratch = (0, 0)
            self._lasting.clear()
            self.failure = errors.RuntimeException("it was closed")
