"""The one place that reaches below wasmtime's public Python API, for wasmtime 50.

Two reasons: `SharedMemory` cannot be imported into an instance as released (its `_as_extern` passes a pointer to the
pointer), and calls through `Func.__call__` look up the function's type each time, which costs more than most of the
functions of our ABI do.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Final

import wasmtime
from wasmtime import _ffi as ffi
from wasmtime import _func as host_functions

_MASK: Final = {"i32": 0xFFFF_FFFF, "ptr": 0xFFFF_FFFF, "usize": 0xFFFF_FFFF, "i64": 0xFFFF_FFFF_FFFF_FFFF}
_raw_call: Any = ffi.dll["wasmtime_func_call_unchecked"]  # an object of our own, whose arguments are not converted
_raw_call.restype = ctypes.c_void_p


class ImportableSharedMemory(wasmtime.SharedMemory):
    """A shared memory that instances can import."""

    def _as_extern(self) -> ffi.wasmtime_extern_t:
        union = ffi.wasmtime_extern_union(sharedmemory=self.ptr())
        return ffi.wasmtime_extern_t(ffi.WASMTIME_EXTERN_SHAREDMEMORY, union)


def bind(
    store: wasmtime.Store,
    function: wasmtime.Func,
    result: str,
    parameters: tuple[str, ...],
    stopped: Sequence[Exception] = (),
    failed: Callable[[Exception], Exception] = lambda error: error,
) -> Callable[..., int | None]:
    """A callable over one exported function, typed as in the ABI ("i32", "ptr", ...; result also "void").

    It is not reentrant and not safe to use from two threads at once. It raises what `failed` makes of a wasmtime.Trap or
    wasmtime.WasmtimeError, and what is in `stopped` instead of entering.
    """
    slots = max(len(parameters), 1)
    cells = (ctypes.c_uint64 * (2 * slots))()  # a wasmtime_val_raw_t is 16 bytes, its value in the lower half
    trap = (ctypes.c_void_p * 1)()
    context = ctypes.cast(store._context(), ctypes.c_void_p)
    # Made once: converting the arguments takes longer than most functions of the ABI do.
    work = (context, ctypes.byref(function._func), ctypes.byref(cells), ctypes.c_size_t(slots), ctypes.byref(trap))
    first = _MASK[parameters[0]] if parameters else 0
    others = tuple((2 * index, _MASK[kind]) for index, kind in enumerate(parameters) if index)
    signed, void = result == "i32", result == "void"

    def call(*arguments: int, _alive: wasmtime.Store = store) -> int | None:
        if stopped:
            raise stopped[0]
        if first:
            cells[0] = arguments[0] & first
        if others:
            for (cell, mask), argument in zip(others, arguments[1:], strict=True):
                cells[cell] = argument & mask
        error = _raw_call(*work)
        if error is not None or trap[0] is not None:
            failure = _failure(error, trap)
            raised = _raised_inside()
            told = failed(raised if isinstance(raised, Exception) else failure)
            if raised is not None and not isinstance(raised, Exception):
                raise raised  # an interrupt is the program's
            raise told from raised or failure
        if void:
            return None
        found: int = cells[0] & 0xFFFF_FFFF
        return found - 0x1_0000_0000 if signed and found >= 0x8000_0000 else found

    return call


def _failure(error: int | None, trap: Any) -> Exception:
    """What a call left behind, which takes ownership of it."""
    if error is not None:
        return wasmtime.WasmtimeError._from_ptr(ctypes.cast(error, ctypes.POINTER(ffi.wasmtime_error_t)))
    owned = ctypes.cast(trap[0], ctypes.POINTER(ffi.wasm_trap_t))
    trap[0] = None
    return wasmtime.Trap._from_ptr(owned)


def _raised_inside() -> BaseException | None:
    """What a function of the host has raised. wasmtime keeps it, and would raise it in whatever it is asked for next."""
    raised: BaseException | None = host_functions.LAST_EXCEPTION
    host_functions.LAST_EXCEPTION = None
    return raised


def shared_base(memory: wasmtime.SharedMemory) -> int:
    """The process address of a shared memory."""
    return ctypes.cast(memory.data_ptr(), ctypes.c_void_p).value or 0


def memory_base(store: wasmtime.Store, memory: wasmtime.Memory) -> int:
    """The process address of a memory."""
    return ctypes.cast(memory.data_ptr(store), ctypes.c_void_p).value or 0
