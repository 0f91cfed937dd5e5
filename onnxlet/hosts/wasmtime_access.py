"""The one place that reaches below wasmtime's public Python API, for wasmtime 50.

Two reasons: `SharedMemory` cannot be imported into an instance as released (its `_as_extern` passes a pointer to the
pointer), and calls through `Func.__call__` look up the function's type each time, which costs more than most of the
functions of our ABI do.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final

import wasmtime
from wasmtime import _ffi as ffi

_MASK: Final = {"i32": 0xFFFF_FFFF, "ptr": 0xFFFF_FFFF, "usize": 0xFFFF_FFFF, "i64": 0xFFFF_FFFF_FFFF_FFFF}
_raw_call: Any = ffi.dll.wasmtime_func_call_unchecked


class ImportableSharedMemory(wasmtime.SharedMemory):
    """A shared memory that instances can import."""

    def _as_extern(self) -> ffi.wasmtime_extern_t:
        union = ffi.wasmtime_extern_union(sharedmemory=self.ptr())
        return ffi.wasmtime_extern_t(ffi.WASMTIME_EXTERN_SHAREDMEMORY, union)


def bind(
    store: wasmtime.Store, function: wasmtime.Func, result: str, parameters: tuple[str, ...]
) -> Callable[..., int | None]:
    """A callable over one exported function, typed as in the ABI ("i32", "ptr", ...; result also "void").

    It is not reentrant and not safe to use from two threads at once. It raises wasmtime.Trap or wasmtime.WasmtimeError.
    """
    slots = max(len(parameters), 1)
    cells = (ctypes.c_uint64 * (2 * slots))()  # a wasmtime_val_raw_t is 16 bytes, its value in the lower half
    cells_ptr = ctypes.cast(cells, ctypes.POINTER(ffi.wasmtime_val_raw_t))
    trap = ctypes.POINTER(ffi.wasm_trap_t)()
    trap_ref = ctypes.byref(trap)
    raw = function._func
    raw_ref = ctypes.byref(raw)
    context = store._context()
    masks = tuple(_MASK[kind] for kind in parameters)

    def call(*arguments: int) -> int | None:
        for index, mask in enumerate(masks):
            cells[2 * index] = arguments[index] & mask
        error = _raw_call(context, raw_ref, cells_ptr, slots, trap_ref)
        if error or trap:
            _raise(error, trap, store)
        if result == "void":
            return None
        value = cells[0] & 0xFFFF_FFFF
        return value - 0x1_0000_0000 if result == "i32" and value >= 0x8000_0000 else value

    return call


def _raise(error: Any, trap: Any, store: wasmtime.Store) -> None:
    if error:
        raise wasmtime.WasmtimeError._from_ptr(error)
    owned = ctypes.POINTER(ffi.wasm_trap_t)()
    owned.contents = trap.contents
    ctypes.memset(ctypes.byref(trap), 0, ctypes.sizeof(trap))
    raise wasmtime.Trap._from_ptr(owned)


def shared_base(memory: wasmtime.SharedMemory) -> int:
    """The process address of a shared memory."""
    return ctypes.cast(memory.data_ptr(), ctypes.c_void_p).value or 0


def memory_base(store: wasmtime.Store, memory: wasmtime.Memory) -> int:
    """The process address of a memory."""
    return ctypes.cast(memory.data_ptr(store), ctypes.c_void_p).value or 0
