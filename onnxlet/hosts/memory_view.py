"""Python views of raw memory in this process."""

from __future__ import annotations

import ctypes
from typing import Any, Final

_WRITABLE: Final = 0x200  # PyBUF_WRITE
_from_memory: Any = ctypes.pythonapi.PyMemoryView_FromMemory
_from_memory.restype = ctypes.py_object
_from_memory.argtypes = (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int)


def view(address: int, size: int) -> memoryview:
    """A writable view of `size` bytes at a process address. The caller keeps the memory alive and mapped."""
    if size == 0:
        return memoryview(bytearray())
    made: memoryview = _from_memory(address, size, _WRITABLE)
    return made


def address_of(data: memoryview) -> int:
    """The process address of writable, contiguous bytes; 0 when there are none."""
    return ctypes.addressof(ctypes.c_char.from_buffer(data)) if data.nbytes else 0
