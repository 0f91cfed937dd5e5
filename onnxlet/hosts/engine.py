"""What every host offers: the functions of the ABI, and access to the engine's memory.

Nothing above this interface knows whether the engine runs in wasmtime, in a page's WebAssembly or as native code.
"""

from __future__ import annotations

import json
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .. import errors

if TYPE_CHECKING:
    from .abi_gen import Abi

# Whatever memoryview() takes: the buffer protocol has no type before Python 3.12.
Readable: TypeAlias = Any
Writable: TypeAlias = Any

LOG_LEVELS: Final = {1: 20, 2: 20}  # logging.INFO
"""What the engine's levels of ol_host_log are to the logger "onnxlet"; others are logging.DEBUG."""
_SCRATCH_BYTES: Final = 4096
# Shorter than a frame of a screen, and long against a turn of the event loop.
_SLICE_MICROSECONDS: Final = 10_000
_READ_CHUNK: Final = 1 << 20


def octets(data: Any) -> memoryview:
    """The bytes of a C-contiguous object."""
    whole = memoryview(data)
    if whole.nbytes == 0:
        return memoryview(b"")
    return whole if whole.format == "B" and whole.ndim == 1 else whole.cast("B")


class MemoryRefused(errors.OutOfMemory):
    """The system gives no shared memory; a flavour without threads may still run."""


class Engine(ABC):
    """One engine: one memory, one caller at a time (hold `lock`), any number of models and sessions.

    Addresses are integers in the engine's own address space; 0 is NULL.
    """

    abi: Abi
    host: str
    flavour: str
    threads: int
    """Threads that take part in one run, the caller included."""
    threads_reported: bool = False
    """The user has been warned that there are fewer threads than asked for."""
    obstacle: str = ""
    """Why the host can have no threads, where there is more to say than that the flavour has none."""
    private_memory: bool
    """Closing the engine releases all that it allocated."""
    address_limit: int
    """No allocation can be this large."""
    awaits: bool = False
    """Python has no threads here: `run_async` awaits `step_async` instead of a thread that runs."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.failure: errors.Error | None = None
        """Why the engine is dead, once it is."""
        self._scratch = (0, 0)
        self._lasting: dict[str, tuple[int, int]] = {}
        self._discarded: list[int] = []

    @abstractmethod
    def read(self, address: int, size: int) -> bytearray:
        """A copy of `size` bytes."""

    @abstractmethod
    def read_into(self, address: int, target: Writable) -> None:
        """Fills `target`, which is C-contiguous, from memory."""

    @abstractmethod
    def write(self, address: int, data: Readable) -> None:
        """Copies C-contiguous bytes into memory."""

    def size_of(self, data: Readable) -> int:
        """How many bytes `write` would copy. Raises InvalidArgument for data that is not contiguous."""
        view = memoryview(data)
        if not view.c_contiguous:
            raise errors.InvalidArgument("the model's bytes must be contiguous")
        return view.nbytes

    @abstractmethod
    def c_string(self, address: int) -> bytes:
        """The bytes up to the next NUL."""

    @abstractmethod
    def memory_bytes(self) -> int:
        """The size of the engine's memory, which only grows; 0 where the engine shares the process's."""

    @abstractmethod
    def close(self) -> None:
        """Ends the engine's threads and releases its memory. May be called twice."""

    def enter(self) -> None:
        """Called under `lock` before a group of calls."""
        if self.failure is not None:
            raise type(self.failure)(f"this session's engine has stopped and cannot be used again: {self.failure}")
        while self._discarded:
            self.abi.ol_value_free(self._discarded.pop())

    def discard(self, value: int) -> None:
        """Frees a value at the next `enter`: for finalizers, which may run in any thread and inside any call."""
        self._discarded.append(value)

    def slice(self, run: int) -> int:
        """As abi.ol_run_step, for a caller who may give the run up: answers Progress.YIELDED in between."""
        return self.abi.ol_run_slice(run, _SLICE_MICROSECONDS)

    async def step_async(self, run: int) -> int:
        """As abi.ol_run_step, while other coroutines have their turns. May answer Progress.YIELDED in between."""
        import asyncio  # takes long to import, and few hosts need it

        await asyncio.sleep(0)
        self.enter()  # it may have been closed
        return self.slice(run)

    def fill(self, address: int, size: int, readinto: Callable[[memoryview], int | None]) -> int:
        """Fills memory from a file's `readinto`, in pieces. Returns how many bytes came before its end."""
        piece = memoryview(bytearray(min(size, _READ_CHUNK)))
        done = 0
        while done < size:
            count = readinto(piece[: min(len(piece), size - done)])
            if not count:
                break
            self.write(address + done, piece[:count])
            done += count
        return done

    def alloc(self, size: int, what: str) -> int:
        """Memory for `what`. Raises OutOfMemory, naming it."""
        address = self.abi.ol_alloc(size) if size < self.address_limit else 0
        if address == 0:
            raise errors.OutOfMemory(f"{what} takes {size} bytes and the engine's memory has no room for them")
        return address

    def scratch(self, data: bytes) -> int:
        """The address of a copy of `data` that lasts until the next call of this function."""
        address, size = self._scratch
        if len(data) > size:
            size = max(_SCRATCH_BYTES, len(data))
            self._scratch = (0, 0)
            self.abi.ol_free(address)
            address = self.alloc(size, "an argument")
            self._scratch = (address, size)
        if data:
            self.write(address, data)
        return address

    def lasting(self, text: str) -> tuple[int, int]:
        """Address and length of a string that stays: for the few names that a session passes again and again."""
        if text not in self._lasting:
            data = text.encode()
            address = self.alloc(max(len(data), 1), "a name")
            self.write(address, data)
            self._lasting[text] = (address, len(data))
        return self._lasting[text]

    def scratch_integers(self, values: Sequence[int]) -> int:
        """As `scratch`, for an array of int64."""
        return self.scratch(struct.pack(f"<{len(values)}q", *values))

    def integers(self, address: int, count: int) -> tuple[int, ...]:
        """Reads `count` int64."""
        return struct.unpack(f"<{count}q", self.read(address, 8 * count)) if count else ()

    def text(self, address: int) -> str:
        """The UTF-8 string at an address, "" for NULL."""
        return self.c_string(address).decode("utf-8", "replace") if address else ""

    def document(self, address: int) -> Any:
        """The JSON document at an address; raises the engine's last error for NULL."""
        return json.loads(self.text(self.pointer(address)))

    def pointer(self, address: int) -> int:
        """Passes an address on; raises the engine's last error when it is NULL."""
        if address == 0:
            raise self.last_error()
        return address

    def number(self, value: int) -> int:
        """Passes a result on; raises the engine's last error when it is negative."""
        if value < 0:
            raise self.last_error(-value)
        return value

    def last_error(self, code: int = 0) -> errors.Error:
        """The engine's description of its last failure as an exception."""
        code = self.abi.ol_last_code() or code
        message = self.text(self.abi.ol_last_message())
        name = self.text(self.abi.ol_code_name(code))
        return errors.from_code(name, message or f"the engine failed with code {name or code} and no message")

    def _check_version(self, expected: int, where: str) -> None:
        found = self.abi.ol_abi_version()
        if found != expected:
            raise errors.VersionMismatch(
                f"the engine {where} has ABI version {found}, this package needs {expected}; build both from one source"
            )
