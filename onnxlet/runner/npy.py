"""numpy's files of one array, versions 1 to 3 (numpy.lib.format describes them)."""

from __future__ import annotations

import ast
import math
import re
import struct
import sys
from typing import Final

from .. import dtypes
from .program import Failure
from .tensor import Tensor

MAGIC: Final = b"\x93NUMPY"
_ALIGNMENT: Final = 64
_LETTERS: Final = {"float": "f", "int": "i", "uint": "u", "bool": "b", "complex": "c"}
_DESCRIPTION: Final = re.compile(r"(?P<order>[<>|=])(?P<kind>[fiubcUS])(?P<size>\d+)")
_TEXT_BYTES: Final = 4  # of a character in UTF-32


def read_npy(data: bytes, what: str) -> Tensor:
    """Raises Failure; `what` begins the message."""
    try:
        description, fortran, shape, start = _header(data)
        match = _DESCRIPTION.fullmatch(description)
        if match is None:
            raise ValueError
        count, size = math.prod(shape), int(match["size"])
    except (ValueError, KeyError, TypeError, SyntaxError, struct.error, UnicodeDecodeError, RecursionError):
        raise Failure(f"{what} is not a .npy file of one array of numbers or texts") from None
    width = size * (_TEXT_BYTES if match["kind"] == "U" else 1)
    body = data[start:]
    if len(body) != count * width:
        raise Failure(f"{what} is cut short or damaged: {len(body)} bytes for {count} elements of {width}")
    big = match["order"] == ">" or (match["order"] == "=" and sys.byteorder == "big")
    pieces = [body[at : at + width] for at in range(0, len(body), width)] if width else [b""] * count
    if fortran and len(shape) > 1:
        pieces = [pieces[at] for at in _fortran_order(shape)]
    if match["kind"] in "US":
        return Tensor(dtypes.STRING, shape, [_text(piece, match["kind"], big) for piece in pieces])
    kind = next(name for name, letter in _LETTERS.items() if letter == match["kind"])
    dtype = dtypes.BY_NUMPY.get("bool" if kind == "bool" else f"{kind}{8 * size}")
    if dtype is None:
        raise Failure(f"{what} has elements of numpy's type {description}, which ONNX lacks")
    if big:
        pieces = [piece[::-1] for piece in pieces]
    return Tensor(dtype, shape, b"".join(pieces) if big or fortran else body)


def _header(data: bytes) -> tuple[str, bool, tuple[int, ...], int]:
    if not data.startswith(MAGIC):
        raise ValueError
    wide = data[len(MAGIC)] > 1
    start = len(MAGIC) + 2
    (length,) = struct.unpack_from("<I" if wide else "<H", data, start)
    start += 4 if wide else 2
    header = ast.literal_eval(
        data[start : start + length].decode("utf-8" if data[len(MAGIC)] > 2 else "latin-1").strip()
    )
    shape = tuple(header["shape"])
    if not all(type(size) is int and size >= 0 for size in shape) or not isinstance(header["descr"], str):
        raise ValueError
    return header["descr"], bool(header["fortran_order"]), shape, start + length


def _fortran_order(shape: tuple[int, ...]) -> list[int]:
    """Where the elements lie, first index fastest, in the order of the last index fastest."""
    offsets = [0]
    stride = 1
    strides = []
    for size in shape:
        strides.append(stride)
        stride *= size
    for size, step in zip(shape, strides, strict=True):
        offsets = [offset + at * step for offset in offsets for at in range(size)]
    return offsets


def _text(piece: bytes, kind: str, big: bool) -> str:
    if kind == "S":
        return piece.rstrip(b"\0").decode("utf-8", "replace")
    return piece.decode("utf-32-be" if big else "utf-32-le", "replace").rstrip("\0")


def write_npy(tensor: Tensor) -> bytes:
    """Texts as numpy's unicode, all of the longest one's length. Raises Failure for types that numpy lacks."""
    if isinstance(tensor.data, list):
        length = max(1, *(len(text) for text in tensor.data)) if tensor.data else 1
        description = f"<U{length}"
        body = b"".join(text.ljust(length, "\0").encode("utf-32-le", "surrogatepass") for text in tensor.data)
    else:
        dtype, body = tensor.dtype, bytes(tensor.data)
        letter = next(
            (letter for name, letter in _LETTERS.items() if (dtype.numpy or "").rstrip("0123456789") == name), None
        )
        if letter is None or dtype.extension:
            raise Failure(f"elements of type {dtype.name} cannot be saved as .npy")
        description = f"{'|' if dtype.bits == 8 else '<'}{letter}{dtype.bits // 8}"
    header = repr({"descr": description, "fortran_order": False, "shape": tensor.shape})
    used = len(MAGIC) + 4 + len(header) + 1
    header += " " * (-used % _ALIGNMENT) + "\n"
    return MAGIC + b"\1\0" + struct.pack("<H", len(header)) + header.encode("latin-1") + body
