"""Hosts run the engine's code: wasmtime in CPython, the page in Pyodide, the native library for tests and debugging.

`open_engine` is the way in. What the rest of the package needs of a host is `hosts.engine.Engine`.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import TYPE_CHECKING, Final

from .. import errors

if TYPE_CHECKING:
    from .engine import Engine
    from .flavours import Features, Flavour
    from .pyodide_host import PyodideEngine
    from .wasmtime_host import WasmtimeEngine

NATIVE: Final = "native"
WASM: Final = "wasm"
IN_PYODIDE: Final = sys.platform == "emscripten"
_MOST_DEFAULT_THREADS: Final = 8


def default_threads() -> int:
    """Threads where none are asked for: $ONNXLET_NUM_THREADS, else the processors this process may use, up to 8."""
    chosen = os.environ.get("ONNXLET_NUM_THREADS", "")
    if chosen:
        if not chosen.isdigit() or int(chosen) < 1:
            raise errors.InvalidArgument(f"ONNXLET_NUM_THREADS must be a positive number; it is {chosen!r}")
        return int(chosen)
    if IN_PYODIDE:
        from . import pyodide_host

        return pyodide_host.default_threads()
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), _MOST_DEFAULT_THREADS)
    return min(os.cpu_count() or 1, _MOST_DEFAULT_THREADS)


def is_js_buffer(value: object) -> bool:
    """Whether it is a buffer of JavaScript, which engines in Pyodide read like bytes."""
    if not IN_PYODIDE:
        return False
    from pyodide.ffi import JsBuffer

    return isinstance(value, JsBuffer)


def open_engine(threads: int = 0, *, deterministic: bool = False, backend: str | None = None) -> Engine:
    """A new engine with `threads` threads (0: the default number).

    `backend` is "wasm" (the best flavour), the name of a flavour (see flavours.FLAVOURS) or "native"; None takes
    $ONNXLET_BACKEND, else "wasm". A number of threads that was asked for and cannot be had gives a RuntimeWarning.
    """
    backend = backend or os.environ.get("ONNXLET_BACKEND") or WASM
    wanted = threads or default_threads()
    if backend == NATIVE:
        from .native_host import NativeEngine

        return NativeEngine(wanted)
    from . import flavours

    features, start = _host()
    if backend == WASM:
        choice = flavours.preferred(features, threads=wanted > 1 or start.awaits, deterministic=deterministic)
        single = flavours.preferred(features, threads=False, deterministic=deterministic)
    elif backend in flavours.BY_NAME:
        choice = single = [flavours.BY_NAME[backend]]
    else:
        known = ", ".join([WASM, NATIVE, *flavours.BY_NAME])
        raise errors.InvalidArgument(f"there is no backend {backend!r}; use one of {known}")
    engine = _start(start, choice, single, wanted)
    if threads > engine.threads and not engine.threads_reported:
        reason = engine.obstacle or f"the flavour {engine.flavour!r} has no threads"
        text = f"{threads} threads were asked for and onnxlet runs with {engine.threads}: {reason}"
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    return engine


def chooses_flavour(backend: str | None) -> bool:
    """Whether `open_engine` takes the flavour that it finds best, and not one that is named."""
    return (backend or os.environ.get("ONNXLET_BACKEND") or WASM) == WASM


def _host() -> tuple[Features, type[PyodideEngine | WasmtimeEngine]]:
    """What runs WebAssembly here, and what it can do."""
    if IN_PYODIDE:
        from . import pyodide_host

        return pyodide_host.features(), pyodide_host.PyodideEngine
    from . import wasmtime_host

    return wasmtime_host.features(), wasmtime_host.WasmtimeEngine


def _start(
    start: type[PyodideEngine | WasmtimeEngine], choice: list[Flavour], single: list[Flavour], threads: int
) -> Engine:
    from . import flavours
    from .engine import MemoryRefused

    flavour, path = flavours.find(choice)
    try:
        return start(flavour, path, threads)
    except MemoryRefused as error:
        if choice is single:
            raise
        warnings.warn(f"onnxlet runs with one thread: no shared memory ({error})", RuntimeWarning, stacklevel=3)
        flavour, path = flavours.find(single)
        engine = start(flavour, path, 1)
        engine.threads_reported = True
        return engine
