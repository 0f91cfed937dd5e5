"""Files, words and columns that any composed model can be run on: to see what it takes from the engine, for instance."""

from __future__ import annotations

import io
import struct
import wave
import zlib
from typing import Any, Final

import numpy as np

from .application import Input, Interface

_SIDE: Final = 32  # pixels
_RATE: Final = 48000  # samples in a second, which becomes any lower rate
_TEXT: Final = "A sentence, and 2 more."


def feeds(interface: Interface) -> dict[str, Any]:
    """Arrays by the names of inputs; none for tensors and for bytes that the interface does not say more of."""
    made = {item.name: _made(item) for item in interface.inputs}
    return {name: value for name, value in made.items() if value is not None}


def _made(item: Input) -> Any:
    if item.kind == "image":
        return np.frombuffer(_png(), np.uint8)
    if item.kind == "audio":
        return np.frombuffer(_wav(), np.uint8)
    if item.kind == "text":
        return np.array([_TEXT], object)
    if item.kind == "column":
        return np.array(["a", "b"], object)[:, None] if item.dtype == "string" else np.ones((2, 1), item.dtype)
    return None


def _png() -> bytes:
    """A square of shades from red to blue."""
    shade = np.linspace(0, 255, _SIDE, dtype=np.uint8)
    red, blue = np.meshgrid(shade, shade)
    pixels = np.stack([red, red // 2 + blue // 2, blue], axis=2).reshape(_SIDE, -1)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)  # each with its filter: none
    head = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _wav() -> bytes:
    """Half a second of a tone, in two channels."""
    tone = np.sin(np.arange(_RATE // 2) * (2 * np.pi * 440 / _RATE)) * 16000
    data = io.BytesIO()
    with wave.open(data, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(_RATE)
        file.writeframes(np.stack([tone, tone], axis=1).astype("<i2").tobytes())
    return data.getvalue()
