"""Reads the limits of an imported memory off a module's bytes.

JavaScript does not tell them, and a shared memory must be made with limits that fit before the module is instantiated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_IMPORT_SECTION: Final = 2
_FUNCTION, _TABLE, _MEMORY, _GLOBAL = range(4)


@dataclass(frozen=True)
class Limits:
    """Of a memory, in pages of 64 KiB."""

    initial: int
    maximum: int


class _Reader:
    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def leb(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def skip(self, count: int) -> None:
        self.at += count

    def limits(self) -> Limits:
        bounded = self.byte() & 1
        initial = self.leb()
        return Limits(initial, self.leb() if bounded else 65536)


def imported_memory(module: bytes) -> Limits | None:
    """The limits of the memory that a module imports; None when it imports none."""
    reader = _Reader(module, 8)
    while reader.at < len(module):
        section, size = reader.byte(), reader.leb()
        if section == _IMPORT_SECTION:
            return _among_imports(reader)
        reader.skip(size)
    return None


def _among_imports(reader: _Reader) -> Limits | None:
    for _ in range(reader.leb()):
        reader.skip(reader.leb())  # module
        reader.skip(reader.leb())  # name
        match reader.byte():
            case kind if kind == _FUNCTION:
                reader.leb()
            case kind if kind == _TABLE:
                reader.byte()
                reader.limits()
            case kind if kind == _MEMORY:
                return reader.limits()
            case _:
                reader.skip(2)  # of a global: type, mutability
    return None
