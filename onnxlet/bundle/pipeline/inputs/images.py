"""Pictures: from a file's bytes to the numbers that a network takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import onnx_ir as ir

from ....errors import InvalidArgument
from ..assembly import Assembly, Picture
from ..config import Image
from ..graph import FLOAT, INT64, UINT8, Writer

_FORMATS: Final = {"RGB": "RGB", "BGR": "BGR", "gray": "Grayscale"}
_FILTERS: Final = {"nearest": "nearest", "bilinear": "linear", "bicubic": "cubic"}
_CUBIC: Final = -0.5  # the coefficient of Pillow's bicubic filter


@dataclass(frozen=True)
class _Size:
    """A picture's height and width, int64 [1] each."""

    height: ir.Value
    width: ir.Value


def add(assembly: Assembly, name: str, step: Image) -> None:
    g = assembly.head
    target = assembly.target(step.to, name)
    layout, (height, width) = _target(assembly, target, step)
    data = assembly.add_input(name, "image", UINT8, ["bytes"], step.label)
    pixels = g("ImageDecoder", data, pixel_format=_FORMATS[step.color])
    given = _Size(g.size(pixels, 0), g.size(pixels, 1))
    inner = _scaled_size(g, step, given, height, width)
    x = g.cast(pixels, FLOAT)
    if step.resize != "none":
        x = _resized(g, step, x, inner)
    x, top, left = _framed(g, step, x, inner, height, width)
    vertical, horizontal = (_ratio(g, a, b) for a, b in ((inner.height, given.height), (inner.width, given.width)))
    assembly.pictures[name] = Picture(
        given.height, given.width, vertical, horizontal, top, left, inner.height, inner.width, (height, width)
    )
    x = _normalized(g, step, x, assembly.dtype(target))
    if layout == "NCHW":
        x = g("Transpose", x, perm=[2, 0, 1])
    x = g("Unsqueeze", x, g.integers(0))
    assembly.feed(target, x)


def _target(assembly: Assembly, target: str, step: Image) -> tuple[str, tuple[int | None, int | None]]:
    """The layout, and the height and the width where they are fixed. Checks them against the model."""
    channels = 1 if step.color == "gray" else 3
    dims = assembly.dims(target) or [None] * 4
    wrong = f"the model's input {target!r} has shape {_listed(dims)}"
    if len(dims) != 4:
        raise InvalidArgument(f"{wrong}; a picture needs four dimensions")
    if assembly.dtype(target).name not in ("FLOAT", "FLOAT16", "UINT8"):
        raise InvalidArgument(f"the model's input {target!r} is {assembly.dtype(target)}, which is nothing for pixels")
    layout = step.layout or ("NHWC" if dims[3] == channels and dims[1] != channels else "NCHW")
    axes = {"NCHW": (1, 2, 3), "NHWC": (3, 1, 2)}[layout]
    count, *own = (dims[axis] for axis in axes)
    if isinstance(count, int) and count != channels:
        raise InvalidArgument(f"{wrong}: {count} channels in {layout}; {step.color} has {channels}")
    if isinstance(dims[0], int) and dims[0] != 1:
        raise InvalidArgument(f"{wrong}: {dims[0]} pictures at a time; one is given")
    for key, numbers in (("mean", step.mean), ("std", step.std)):
        if len(numbers) not in (0, 1, channels):
            raise InvalidArgument(f"{key} has {len(numbers)} numbers; {step.color} has {channels} channels")
    asked = step.size or (None, None)
    size = tuple(want or (at if isinstance(at, int) else None) for want, at in zip(asked, own, strict=True))
    for want, at, side in zip(size, own, ("height", "width"), strict=True):
        if step.resize == "height" and side == "width":
            continue
        if want is None and step.resize != "none":
            raise InvalidArgument(f"{wrong}, which leaves the {side} open: say the size")
        if isinstance(at, int) and want != at and step.resize != "none":
            raise InvalidArgument(f"{wrong}: its {side} is {at}; size says {want}")
    if step.resize == "height":
        return layout, (size[0], None)
    return layout, (None, None) if step.resize == "none" else (size[0], size[1])


def _listed(dims: list[int | str | None]) -> str:
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in dims) + "]"


def _scaled_size(g: Writer, step: Image, given: _Size, height: int | None, width: int | None) -> _Size:
    """What the picture is resized to, before it is cut or gets a frame. Whole numbers all the way."""
    h, w = given.height, given.width
    if step.resize == "none":
        return given
    assert height is not None
    tall = g.integers(height)
    if step.resize == "height":
        wide = g("Max", _rounded_share(g, g("Mul", w, tall), h), g.integers(step.narrowest))
        return _Size(tall, wide)
    assert width is not None
    wide = g.integers(width)
    if step.resize == "stretch":
        return _Size(tall, wide)
    by_height = g("LessOrEqual", g("Mul", tall, w), g("Mul", wide, h))  # the height has less room to grow
    if step.resize == "fit":
        share = _rounded_share
        least: tuple[int, int] = (1, 1)
    else:
        shorter = step.shorter or min(height, width)
        if shorter < min(height, width):
            raise InvalidArgument(f"shorter is {shorter}, less than what is cut out: {height} x {width}")
        tall, wide = (
            g.integers(height * shorter // min(height, width)),
            g.integers(width * shorter // min(height, width)),
        )
        by_height = g("Not", by_height)
        share = lambda g, a, b: g("Div", a, b)  # noqa: E731
        least = (height, width)
    by_width_height = g("Max", share(g, g("Mul", h, wide), w), g.integers(least[0]))
    by_height_width = g("Max", share(g, g("Mul", w, tall), h), g.integers(least[1]))
    return _Size(g("Where", by_height, tall, by_width_height), g("Where", by_height, by_height_width, wide))


def _rounded_share(g: Writer, a: ir.Value, b: ir.Value) -> ir.Value:
    """a / b of positive integers, to the nearest, half up; 1 at least."""
    twice = g("Add", g("Mul", a, g.integers(2)), b)
    return g("Max", g("Div", twice, g("Mul", b, g.integers(2))), g.integers(1))


def _ratio(g: Writer, a: ir.Value, b: ir.Value) -> ir.Value:
    return g("Div", g.cast(a, FLOAT), g.cast(b, FLOAT))


def _resized(g: Writer, step: Image, x: ir.Value, size: _Size) -> ir.Value:
    """float [H, W, C] of whole numbers from 0 to 255. As Pillow and torchvision resize pictures of 8 bits: along the width,
    then along the height, rounded each time, with the weights of what lies outside given to what lies inside."""
    if step.interpolation == "nearest":
        how: dict[str, Any] = {"nearest_mode": "round_prefer_ceil"}
    else:
        how = {"antialias": int(step.antialias), "exclude_outside": 1, "cubic_coeff_a": _CUBIC}
    for axis, length in ((1, size.width), (0, size.height)):
        x = g("Resize", x, None, None, length, mode=_FILTERS[step.interpolation], axes=[axis], **how)
        if step.interpolation != "nearest":  # half up, as they round: Round of ONNX goes to the even number
            x = g("Floor", g("Add", x, g.number(0.5)))
        if step.interpolation == "bicubic":
            x = g("Clip", x, g.number(0), g.number(255))
    return x


def _framed(
    g: Writer, step: Image, x: ir.Value, inner: _Size, height: int | None, width: int | None
) -> tuple[ir.Value, ir.Value, ir.Value]:
    """The middle of it, or all of it with a frame; and where its top left corner comes to lie, float [1] each."""
    if step.resize not in ("fit", "crop"):
        return x, g.constant([0], np.float32), g.constant([0], np.float32)
    assert height is not None and width is not None
    sizes = g("Concat", inner.height, inner.width, axis=0)
    wanted = g.integers(height, width)
    if step.resize == "crop":
        half = g("Mul", g.cast(g("Sub", sizes, wanted), FLOAT), g.number(0.5))
        start = g.cast(g("Round", half), INT64)  # half to even, as torchvision rounds
        x = g("Slice", x, start, g("Add", start, wanted), g.integers(0, 1))
        offset = g("Neg", start)
    else:
        room = g("Sub", wanted, sizes)
        offset = g("Div", room, g.integers(2)) if step.align == "center" else g("Mul", room, g.integers(0))
        pads = g("Concat", offset, g("Sub", room, offset), axis=0)
        x = g("Pad", x, pads, g.number(step.pad), g.integers(0, 1))
    top, left = (g.cast(g("Gather", offset, g.integers(axis)), FLOAT) for axis in (0, 1))
    return x, top, left


def _normalized(g: Writer, step: Image, x: ir.Value, dtype: ir.DataType) -> ir.Value:
    """(x * scale - mean) / std as one product and one sum."""
    scale = step.scale if step.scale is not None else 1.0 if dtype == UINT8 else 1 / 255
    std = np.array(step.std or [1.0])
    factor, offset = scale / std, -np.array(step.mean or [0.0]) / std
    if (factor != 1).any():
        x = g("Mul", x, g.constant(factor, np.float32))
    if (offset != 0).any():
        x = g("Add", x, g.constant(offset, np.float32))
    if dtype == UINT8:
        x = g("Clip", g("Floor", g("Add", x, g.number(0.5))), g.number(0), g.number(255))
    return x if dtype == FLOAT else g.cast(x, dtype)
