"""Runs an engine file in the page's own WebAssembly, for Python in Pyodide.

The engine has a memory of its own, beside that of Python. Where the page is cross-origin isolated that memory is shared
with Web Workers (`pyodide_workers`).
"""

from __future__ import annotations

import functools
import logging
import time
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import js
from pyodide.ffi import JsBuffer, JsException, can_run_sync, create_proxy, run_sync, to_js

from .. import errors
from . import flavours
from .abi_gen import ABI_VERSION, Abi, Function
from .engine import LOG_LEVELS, Engine, MemoryRefused, octets
from .flavours import Features, Flavour
from .pyodide_workers import Crew, Parts, js_object, obstacle
from .wasm_head import Limits, imported_memory

if TYPE_CHECKING:
    from .engine import Readable, Writable

_MOST_DEFAULT_THREADS: Final = 4
# Browsers refuse large reservations on small devices, so smaller maxima are tried in turn.
_SMALLER_MAXIMA: Final = (32768, 16384, 8192, 4096)
_log = logging.getLogger("onnxlet")


@functools.cache
def features() -> Features:
    """What the page's WebAssembly can run. Memory is shared only in cross-origin isolated pages."""
    found = flavours.probe(lambda module: bool(js.WebAssembly.validate(to_js(module))))
    return found if not obstacle() else Features(found.simd, found.relaxed_simd, shared_memory=False)


def default_threads() -> int:
    """Half of the processors' threads, up to 4: a page is not alone on its machine."""
    cores = getattr(js.navigator, "hardwareConcurrency", 1) if hasattr(js, "navigator") else 1
    return max(1, min(_MOST_DEFAULT_THREADS, (int(cores) + 1) // 2))


@functools.cache
def _module(path: Path) -> tuple[Any, Any]:
    """The compiled module of a file, shared by the sessions of the page, and the limits of the memory it imports."""
    data = path.read_bytes()
    try:
        return js.WebAssembly.Module.new(to_js(data)), imported_memory(data)
    except JsException as error:
        raise errors.RuntimeException(f"the page does not accept the engine {path}: {error}") from error


class PyodideEngine(Engine):
    """An engine file in an instance of its own."""

    host = "pyodide"
    private_memory = True
    address_limit = 1 << 32
    awaits = True

    def __init__(self, flavour: Flavour, path: Path, threads: int) -> None:
        super().__init__()
        self.flavour = flavour.name
        self.threads = 1
        self.obstacle = obstacle()
        self._stopped: list[errors.Error] = []
        self._crew: Crew | None = None
        resources = ExitStack()
        self._finalizer = weakref.finalize(self, resources.close)
        module, limits = _module(path)
        shared = None if limits is None else _shared_memory(limits)
        now, log = create_proxy(_now), create_proxy(self._logger())
        resources.callback(now.destroy)
        resources.callback(log.destroy)
        imports = {
            "onnxlet": {"ol_host_now": now, "ol_host_log": log},
            "env": {} if shared is None else {"memory": shared},
        }
        try:
            self._exports = js.WebAssembly.Instance.new(module, js_object(**imports)).exports
            if hasattr(self._exports, "_initialize"):
                self._exports._initialize()
            self._memory = self._exports.memory if shared is None else shared
            self.abi = Abi(self._bind)
        except JsException as error:
            raise errors.RuntimeException(f"the engine {path} does not start: {error}") from error
        except AttributeError as error:
            raise errors.VersionMismatch(f"the engine {path} lacks {error.name}; build both from one source") from error
        self._check_version(ABI_VERSION, str(path))
        if shared is not None:
            self._crew = Crew(Parts(module, shared, self._exports), threads - 1, self._joiner())
            resources.callback(self._crew.stop)
            self.threads_reported = True
            if can_run_sync():
                run_sync(self._crew.ready)

    # ---- memory ----

    def _span(self, address: int, size: int) -> Any:
        """A Uint8Array over a part of memory, for this moment: memory may grow with any call."""
        try:
            return js.Uint8Array.new(self._memory.buffer, address, size)
        except JsException as error:
            length = self.memory_bytes()
            text = f"{size} bytes at {address} are outside the engine's memory of {length}"
            raise errors.RuntimeException(text) from error

    def read(self, address: int, size: int) -> bytearray:
        data = bytearray(size)
        self.read_into(address, data)
        return data

    def read_into(self, address: int, target: Writable) -> None:
        into = octets(target)
        if into:
            self._span(address, len(into)).assign_to(into)

    def size_of(self, data: Readable) -> int:
        return int(data.byteLength) if isinstance(data, JsBuffer) else super().size_of(data)

    def write(self, address: int, data: Readable) -> None:
        if isinstance(data, JsBuffer):
            whole = js.Uint8Array.new(data) if data.constructor == js.ArrayBuffer else data
            data = js.Uint8Array.new(whole.buffer, whole.byteOffset, whole.byteLength)
            self._span(address, data.byteLength).set(data)
            return
        source = octets(data)
        if source:
            self._span(address, len(source)).assign(source)

    def c_string(self, address: int) -> bytes:
        end = js.Uint8Array.new(self._memory.buffer).indexOf(0, address)
        if end < 0:
            raise errors.RuntimeException(f"the string at {address} has no end")
        return bytes(self.read(address, end - address))

    def memory_bytes(self) -> int:
        return int(self._memory.buffer.byteLength)

    # ---- calls ----

    def _bind(self, function: Function) -> Callable[..., Any]:
        call = getattr(self._exports, function.name)
        unsigned = function.result in ("ptr", "usize")
        engine = weakref.ref(self)
        stopped = self._stopped

        def guarded(*arguments: int) -> Any:
            if stopped:
                raise stopped[0]
            try:
                result = call(*arguments)
            except JsException as error:
                failure = errors.Trap(f"the engine stopped in {function.name}: {error.message}; create a new session")
                stopped.append(failure)
                owner = engine()
                if owner is not None:
                    owner.failure = failure
                raise failure from error
            # WebAssembly hands addresses over as signed numbers.
            return result & 0xFFFF_FFFF if unsigned else result

        return guarded

    async def step_async(self, run: int) -> int:
        try:
            if self._crew is not None and await self._crew.has_runner():
                return await self._crew.step(run)
        except errors.RuntimeException as failure:
            self.enter()  # raises when it was closed meanwhile
            self._stopped.append(failure)
            self.failure = failure
            raise
        return await super().step_async(run)

    # Neither of what follows may hold a reference to this engine, which would keep it alive for ever.

    def _logger(self) -> Callable[[int, int, int], None]:
        engine = weakref.ref(self)

        def log(level: int, address: int, size: int) -> None:
            owner = engine()
            if owner is not None:
                text = owner.read(address & 0xFFFF_FFFF, size & 0xFFFF_FFFF).decode("utf-8", "replace")
                _log.log(LOG_LEVELS.get(level, logging.DEBUG), "%s", text)

        return log

    def _joiner(self) -> Callable[[int], None]:
        engine = weakref.ref(self)

        def joined(helpers: int) -> None:
            owner = engine()
            if owner is not None:
                owner.threads = 1 + helpers

        return joined

    def close(self) -> None:
        self._finalizer()
        if self.failure is None:
            self.failure = errors.RuntimeException("it was closed")
        # The instance, and with it the memory, goes with the last reference to it.
        for name in ("abi", "_exports", "_memory", "_crew"):
            self.__dict__.pop(name, None)


def _now() -> float:
    return time.perf_counter_ns() / 1000


def _shared_memory(limits: Limits) -> Any:
    refusal: JsException | None = None
    for maximum in (limits.maximum, *_SMALLER_MAXIMA):
        if limits.initial <= maximum <= limits.maximum:
            try:
                return js.WebAssembly.Memory.new(js_object(initial=limits.initial, maximum=maximum, shared=True))
            except JsException as error:
                refusal = error
    raise MemoryRefused(f"the page refuses shared memory: {refusal}") from refusal
