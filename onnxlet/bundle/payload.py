"""Puts an application into a program that is already linked: edge/runner/payload.h says what it looks for."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from typing import Final

from ..build.strip import read_leb, sections
from .errors import BundleError
from .layout import ENCRYPTED_MODEL, INTERFACE, MODEL

_TRAILER: Final = struct.Struct("<8sIIQQ32s32s")
_MAGIC: Final = b"OLBUNDLE"
_VERSION: Final = 1
_ENCRYPTED: Final = 1
_BESIDE: Final = 2

_PAGE: Final = 65536
_MOST_PAGES: Final = 65536
_POINTER: Final = "onnxlet_payload"
_MEMORY, _GLOBAL, _EXPORT, _DATA, _DATA_COUNT = 5, 6, 7, 11, 12  # sections
_EXPORTED_GLOBAL: Final = 3
_I32_CONST: Final = 0x41
_END: Final = 0x0B


def pack(application: Mapping[str, bytes], *, beside: bool = False) -> bytes:
    """The payload of an application's files (see layout.py); without the model where that lies beside the program."""
    name = ENCRYPTED_MODEL if ENCRYPTED_MODEL in application else MODEL
    interface, model = application[INTERFACE], application[name]
    flags = (_ENCRYPTED if name == ENCRYPTED_MODEL else 0) | (_BESIDE if beside else 0)
    digests = (hashlib.sha256(interface).digest(), hashlib.sha256(model).digest())
    trailer = _TRAILER.pack(_MAGIC, _VERSION, flags, len(interface), len(model), *digests)
    return b"".join((interface, b"" if beside else model, trailer))


def embed(module: bytes, payload: bytes) -> bytes:
    """A WebAssembly module whose memory holds the payload from the start, behind what it had.

    The module exports the address of two 32-bit words, which become the payload's address and size. Raises
    BundleError for a payload that does not fit.
    """
    contents = {section.id: section.content for section in sections(module) if section.id}
    pages, memory = _enlarged(contents[_MEMORY], len(payload))
    start = pages * _PAGE
    words = struct.pack("<II", start, len(payload))
    added = _segment(start, payload) + _segment(_exported_address(contents), words)
    count, at = read_leb(contents[_DATA], 0)
    changed = {_MEMORY: memory, _DATA: _leb(count + 2) + contents[_DATA][at:] + added, _DATA_COUNT: _leb(count + 2)}
    parts = [module[:8]]
    for section in sections(module):
        content = changed.get(section.id)
        parts.append(section.raw if content is None else bytes([section.id]) + _leb(len(content)) + content)
    return b"".join(parts)


def _enlarged(memory: bytes, size: int) -> tuple[int, bytes]:
    """The pages that a memory begins with, and its section when it has room for `size` bytes more."""
    flags = memory[1]
    pages, at = read_leb(memory, 2)
    needed = pages + -(-size // _PAGE)
    most = read_leb(memory, at)[0] if flags & 1 else _MOST_PAGES
    if needed > most:
        raise BundleError(f"a model of {size} bytes does not fit into a WebAssembly module's memory")
    return pages, memory[:2] + _leb(needed) + memory[at:]


def _exported_address(contents: Mapping[int, bytes]) -> int:
    """The value of the exported global that points at the two words."""
    data = contents[_EXPORT]
    count, at = read_leb(data, 0)
    for _ in range(count):
        length, at = read_leb(data, at)
        name, at = data[at : at + length].decode(), at + length
        kind = data[at]
        index, at = read_leb(data, at + 1)
        if kind == _EXPORTED_GLOBAL and name == _POINTER:
            return _global_value(contents[_GLOBAL], index)
    raise BundleError(f"the module does not export {_POINTER}: it is not the program of a bundle")


def _global_value(data: bytes, wanted: int) -> int:
    """Of a global whose value is a constant i32, as are all up to it; the module imports none."""
    _, at = read_leb(data, 0)
    for _ in range(wanted + 1):
        at += 2  # type, mutability
        assert data[at] == _I32_CONST
        value, at = read_leb(data, at + 1)
        assert data[at] == _END
        at += 1
    return value


def _segment(address: int, data: bytes) -> bytes:
    """Bytes that are put at an address of memory 0 when the module starts."""
    return b"\0" + bytes([_I32_CONST]) + _signed_leb(address) + bytes([_END]) + _leb(len(data)) + data


def _leb(value: int) -> bytes:
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


def _signed_leb(address: int) -> bytes:
    """Of an i32 with the address's bits."""
    value = address - (1 << 32) if address >= 1 << 31 else address
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        last = value in (0, -1) and bool(low & 0x40) == (value < 0)
        out.append(low | (0 if last else 0x80))
        if last:
            return bytes(out)
