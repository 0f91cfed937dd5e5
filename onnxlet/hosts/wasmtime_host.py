"""Runs an engine file in wasmtime, with threads over a shared memory where the flavour has them."""

from __future__ import annotations

import functools
import os
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import wasmtime

from .. import errors
from ..log import CRITICAL, DEBUG, WARNING, log
from . import flavours, module_cache, wasmtime_access
from .abi_gen import ABI_VERSION, Abi, Function
from .engine import LOG_LEVELS, Engine, MemoryRefused, octets
from .flavours import Features, Flavour
from .memory_view import view

if TYPE_CHECKING:
    from .engine import Readable, Writable

_WORKER_STACK_BYTES: Final = 1 << 20
_START_SECONDS: Final = 10.0
_STOP_SECONDS: Final = 5.0


@functools.cache
def _wasmtime_engine() -> wasmtime.Engine:
    config = wasmtime.Config()
    config.shared_memory = True
    config.wasm_threads = True
    config.wasm_relaxed_simd = True
    config.memory_may_move = False
    config.memory_reservation = 1 << 32
    return wasmtime.Engine(config)


@functools.cache
def features() -> Features:
    """What this wasmtime can run, found out by validating a module of each kind."""

    def accepts(module: bytes) -> bool:
        try:
            wasmtime.Module.validate(_wasmtime_engine(), module)
        except wasmtime.WasmtimeError:
            return False
        return True

    return flavours.probe(accepts)


_modules: dict[tuple[Path, int, int], wasmtime.Module] = {}
_modules_lock = threading.Lock()


def _module(path: Path) -> wasmtime.Module:
    """The compiled module of a file, one per process; sessions share it."""
    status = path.stat()
    key = (path, status.st_mtime_ns, status.st_size)
    with _modules_lock:
        if key not in _modules:
            try:
                _modules[key] = module_cache.load_module(_wasmtime_engine(), path.read_bytes())
            except wasmtime.WasmtimeError as error:
                raise errors.RuntimeException(f"wasmtime does not accept the engine {path}: {error}") from error
        return _modules[key]


class _Instance:
    """One instance with its store: the caller's, or a worker's over the same memory."""

    def __init__(self, module: wasmtime.Module, imports: Callable[[wasmtime.Store, str, str], Any]) -> None:
        self.store = wasmtime.Store(_wasmtime_engine())
        needed = [imports(self.store, item.module, item.name or "") for item in module.imports]
        self.exports = wasmtime.Instance(self.store, module, needed).exports(self.store)

    def bind(self, name: str, result: str, parameters: tuple[str, ...], *guard: Any) -> Callable[..., Any]:
        """See wasmtime_access.bind."""
        function = self.exports[name]
        if not isinstance(function, wasmtime.Func):
            raise errors.VersionMismatch(f"the engine's export {name} is not a function")
        return wasmtime_access.bind(self.store, function, result, parameters, *guard)

    def global_value(self, name: str, default: int) -> int:
        item = self.exports.get(name)
        return int(item.value(self.store)) if isinstance(item, wasmtime.Global) else default


class WasmtimeEngine(Engine):
    """An engine file in its own store."""

    host = "wasmtime"
    private_memory = True
    address_limit = 1 << 32

    def __init__(self, flavour: Flavour, path: Path, threads: int) -> None:
        super().__init__()
        self.flavour = flavour.name
        self.threads = 1
        self._stopped: list[errors.Error] = []
        self._module = _module(path)
        self._shared = self._make_shared_memory() if flavour.threads else None
        try:
            self._instance = _Instance(self._module, self._imports())
            if "_initialize" in self._instance.exports:
                self._instance.bind("_initialize", "void", ())()
            self._memory = None if self._shared else self._instance.exports["memory"]
            self._base = self._memory_base()
            self._whole = view(self._base, self.memory_bytes())
            self.abi = Abi(self._bind)
        except (wasmtime.WasmtimeError, wasmtime.Trap) as error:
            if "mmap failed" in str(error):
                text = "an engine reserves 4 GiB of address space, which the system refuses"
                raise errors.OutOfMemory(f"{text}; close other sessions or raise the limit (ulimit -v)") from error
            if "exceeds memory limits" in str(error):
                text = (
                    "the machine gives an engine less memory than it begins with, whose size in bytes is 65536 a page"
                )
                raise errors.OutOfMemory(f"{text} ({error}); close other sessions") from error
            raise errors.RuntimeException(f"the engine {path} does not start: {error}") from error
        except KeyError as error:
            raise errors.VersionMismatch(f"the engine {path} lacks {error}; build both from one source") from error
        self._check_version(ABI_VERSION, str(path))
        self._workers: list[threading.Thread] = []
        stop = self._instance.bind("ol_stop_workers", "void", ())
        self._finalizer = weakref.finalize(self, _stop_workers, self._workers, stop)
        _engines.add(self)
        if flavour.threads and threads > 1:
            self._start_workers(threads - 1)

    # ---- memory ----

    def _span(self, address: int, size: int) -> memoryview:
        if address + size > len(self._whole):
            self._whole = view(self._base, self.memory_bytes())  # it has grown
        if address < 0 or address + size > len(self._whole):
            length = len(self._whole)
            raise errors.RuntimeException(f"{size} bytes at {address} are outside the engine's memory of {length}")
        return self._whole[address : address + size]

    def read(self, address: int, size: int) -> bytearray:
        return bytearray(self._span(address, size))

    def read_into(self, address: int, target: Writable) -> None:
        into = octets(target)
        into[:] = self._span(address, len(into))

    def write(self, address: int, data: Readable) -> None:
        source = octets(data)
        self._span(address, len(source))[:] = source

    def c_string(self, address: int) -> bytes:
        size = 256
        while True:
            # Pieces that double: the string's length is not known, and memory may end soon after it.
            data = bytes(self._span(address, min(size, self.memory_bytes() - address)))
            end = data.find(0)
            if end >= 0:
                return data[:end]
            if len(data) < size:
                raise errors.RuntimeException(f"the string at {address} has no end")
            size *= 8

    def fill(self, address: int, size: int, readinto: Callable[[memoryview], int | None]) -> int:
        span = self._span(address, size)
        done = 0
        while done < size:
            count = readinto(span[done : done + (1 << 24)])
            if not count:
                break
            done += count
        return done

    def _memory_base(self) -> int:
        """The process address of the engine's memory, which never moves: its whole range is reserved at the start."""
        if self._shared is not None:
            return wasmtime_access.shared_base(self._shared)
        assert isinstance(self._memory, wasmtime.Memory)
        return wasmtime_access.memory_base(self._instance.store, self._memory)

    def memory_bytes(self) -> int:
        if self._shared is not None:
            return self._shared.data_len()
        assert isinstance(self._memory, wasmtime.Memory)
        return self._memory.data_len(self._instance.store)

    def _can_grow(self) -> bool:
        try:
            if self._shared is not None:
                self._shared.grow(1)
            else:
                assert isinstance(self._memory, wasmtime.Memory)
                self._memory.grow(self._instance.store, 1)
        except wasmtime.WasmtimeError:
            return False
        return True

    # ---- calls ----

    def _bind(self, function: Function) -> Callable[..., Any]:
        engine = weakref.ref(self)
        stopped = self._stopped

        def failed(error: Exception) -> errors.Error:
            text = f"the engine stopped in {function.name}: {_trap_text(error)}"
            failure: errors.Error = errors.Trap(f"{text}; create a new session")
            owner = engine()
            if owner is not None:
                # Small things are allocated by C++'s own means, which end in a trap where there is no memory.
                if not owner._can_grow():
                    end = f"its memory of {owner.memory_bytes()} bytes cannot grow"
                    failure = errors.OutOfMemory(f"{text}, and {end}; create a new session, with a smaller model")
                owner.failure = failure
            stopped.append(failure)  # code that trapped may hold the allocator's lock: entering again could hang
            return failure

        return self._instance.bind(function.name, function.result, function.parameters, stopped, failed)

    def _imports(self) -> Callable[[wasmtime.Store, str, str], Any]:
        """Makes what the module imports. Holds no reference to this engine, which would keep it alive for ever."""
        shared = self._shared
        engine = weakref.ref(self)

        def heard(level: int, address: int, size: int) -> None:
            owner = engine()
            if owner is not None:
                text = owner.read(address & 0xFFFF_FFFF, size & 0xFFFF_FFFF).decode("utf-8", "replace")
                log(LOG_LEVELS.get(level, DEBUG), "%s", text)

        i32, f64 = wasmtime.ValType.i32(), wasmtime.ValType.f64()

        def make(store: wasmtime.Store, module: str, name: str) -> Any:
            match module, name:
                case "env", "memory":
                    return shared
                case "onnxlet", "ol_host_now":
                    return wasmtime.Func(store, wasmtime.FuncType([], [f64]), lambda: time.perf_counter_ns() / 1000)
                case "onnxlet", "ol_host_log":
                    return wasmtime.Func(store, wasmtime.FuncType([i32, i32, i32], []), heard)
            raise errors.VersionMismatch(f"the engine imports {module}.{name}, which this host does not have")

        return make

    # ---- threads ----

    def _make_shared_memory(self) -> wasmtime_access.ImportableSharedMemory:
        for item in self._module.imports:
            if isinstance(item.type, wasmtime.MemoryType):
                try:
                    memory = wasmtime_access.ImportableSharedMemory(_wasmtime_engine(), item.type)
                except wasmtime.WasmtimeError as error:
                    raise MemoryRefused(str(error)) from error
                return memory
        raise errors.VersionMismatch("a flavour with threads must import its memory; this engine does not")

    def _start_workers(self, count: int) -> None:
        size = self._instance.global_value("__tls_size", 4096)
        align = self._instance.global_value("__tls_align", 64)
        refused: list[BaseException] = []
        for index in range(1, count + 1):
            stack = self.abi.ol_worker_stack(index, _WORKER_STACK_BYTES, size, align)
            if stack == 0:
                refused.append(errors.OutOfMemory("the engine has no memory for the thread's stack"))
                break
            tls = self.abi.ol_worker_tls(index)
            work = (self._module, self._imports(), index, stack, tls, refused)
            thread = threading.Thread(target=_worker, args=work, name=f"onnxlet-{index}", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:
                refused.append(error)
                break
            self._workers.append(thread)
        deadline = time.monotonic() + _START_SECONDS
        while self.abi.ol_workers_ready() < len(self._workers) - len(refused) and time.monotonic() < deadline:
            time.sleep(0.0002)
        ready = 0 if refused else self.abi.ol_workers_ready()
        if ready < count:
            reason = refused[0] if refused else f"{ready} of {count} were ready after {_START_SECONDS:.0f} s"
            text = f"onnxlet runs with {ready + 1} of {count + 1} threads: {reason}"
            warnings.warn(text, RuntimeWarning, stacklevel=2)
            self.threads_reported = True
        self.abi.ol_set_workers(ready)
        self.threads = ready + 1

    def after_fork(self) -> None:
        """In a forked child the workers are gone."""
        self._workers.clear()
        self.threads = 1
        if self.failure is None:
            self.abi.ol_set_workers(0)

    def close(self) -> None:
        self._finalizer()
        if self.failure is None:
            self.failure = errors.RuntimeException("it was closed")
        # The store, and with it the memory, goes with the last reference to it.
        for name in ("abi", "_instance", "_memory", "_shared", "_whole"):
            self.__dict__.pop(name, None)


_engines: weakref.WeakSet[WasmtimeEngine] = weakref.WeakSet()


def _after_fork() -> None:
    for engine in list(_engines):
        engine.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _worker(
    module: wasmtime.Module,
    imports: Callable[[wasmtime.Store, str, str], Any],
    index: int,
    stack: int,
    tls: int,
    refused: list[BaseException],
) -> None:
    """A worker thread's life. Python's global lock is not held while it is inside the engine."""
    try:
        instance = _Instance(module, imports)
        pointer = instance.exports["__stack_pointer"]
        assert isinstance(pointer, wasmtime.Global)
        pointer.set_value(instance.store, stack - (1 << 32) if stack >= 1 << 31 else stack)
        instance.bind("__wasm_init_tls", "void", ("ptr",))(tls)
        main = instance.bind("ol_worker_main", "void", ("i32",))
    except BaseException as error:  # reported by the thread that waits for this one
        refused.append(error)
        return
    try:
        main(index)
    except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
        log(CRITICAL, "worker %d of an engine stopped: %s", index, _trap_text(error))
        instance.bind("ol_worker_failed", "void", ())()


def _stop_workers(workers: list[threading.Thread], stop: Callable[[], None]) -> None:
    if not workers:
        return
    try:
        stop()
    except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
        log(WARNING, "the engine's threads do not stop: %s", error)
    for thread in workers:
        thread.join(_STOP_SECONDS)
    workers.clear()


def _trap_text(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if "wasm trap" in line]
    return (causes[-1] if causes else lines[-1] if lines else "trap").rpartition("wasm trap: ")[2]
