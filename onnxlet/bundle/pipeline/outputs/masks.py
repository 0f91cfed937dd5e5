"""A number for each pixel of a picture."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from ....errors import InvalidArgument
from ..assembly import Assembly, Picture
from ..config import Mask
from ..graph import FLOAT, INT64, Writer


def add(assembly: Assembly, name: str, step: Mask) -> None:
    g = assembly.tail
    source = assembly.source(step.source, name)
    dims = assembly.dims(source)
    if dims is None or len(dims) != 4 or (isinstance(dims[0], int) and dims[0] != 1):
        raise InvalidArgument(
            f"the model's output {source!r} has shape {dims}; a mask has four dimensions, the first 1"
        )
    channels = dims[1 if step.layout == "NCHW" else 3]
    if isinstance(channels, int) and step.channel >= channels:
        raise InvalidArgument(
            f"channel is {step.channel}; the model's output {source!r} has shape {dims} in {step.layout}"
        )
    if step.argmax and step.threshold is not None:
        raise InvalidArgument("argmax and threshold exclude each other")
    picture = assembly.picture(step.picture)
    x = g.cast(assembly.output(source), FLOAT)
    if step.layout == "NHWC":
        x = g("Transpose", x, perm=[0, 3, 1, 2])
    x = g.activation(x, step.activation, axis=1)
    if step.argmax:
        x = g("ArgMax", x, axis=1, keepdims=1)
        x = _of_picture(g, g.cast(x, FLOAT), picture, mode="nearest", nearest_mode="round_prefer_ceil")
        assembly.add(name, "tensor", g.cast(x, INT64), INT64, ["height", "width"], label=step.label)
        return
    x = _of_picture(g, g.slice(x, step.channel, step.channel + 1, 1), picture, mode="linear")
    if step.threshold is not None:
        x = g.cast(g("GreaterOrEqual", x, g.number(step.threshold)), FLOAT)
    assembly.add(name, "mask", x, FLOAT, ["height", "width"], label=step.label)


def _of_picture(g: Writer, x: ir.Value, picture: Picture, **how: Any) -> ir.Value:
    """[1, 1, h, w] of what the model sees, as [height, width] of the picture. What was cut off is 0."""
    height, width = picture.sizes
    shown = g("Concat", picture.inner_height, picture.inner_width, axis=0)
    offset = g.cast(g("Concat", picture.top, picture.left, axis=0), INT64)
    if height is not None and width is not None:  # the mask in pixels of what the model sees
        x = g("Resize", x, None, None, g.integers(height, width), axes=[2, 3], **how)
        x = _moved(g, x, offset, shown, g.integers(height, width))
    sizes = g("Concat", picture.height, picture.width, axis=0)
    x = g("Resize", x, None, None, sizes, axes=[2, 3], **how)
    return g("Squeeze", x, g.integers(0, 1))


def _moved(g: Writer, x: ir.Value, offset: ir.Value, shown: ir.Value, size: ir.Value) -> ir.Value:
    """Without the frame, or with zeros for what was cut off. `offset` is where the picture begins."""
    none = g.integers(0, 0)
    begin = g("Neg", offset)
    pads = g("Concat", g("Max", begin, none), g("Max", g("Sub", g("Add", offset, shown), size), none), axis=0)
    start = g("Max", offset, none)
    x = g("Slice", x, start, g("Min", g("Add", offset, shown), size), g.integers(2, 3))
    return g("Pad", x, pads, g.number(0), g.integers(2, 3))
