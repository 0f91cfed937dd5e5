"""Boxes around things in a picture.

Sources: Liu et al., SSD: Single Shot MultiBox Detector, ECCV 2016; Bazarevsky et al., BlazeFace, 2019; the exports of YOLOv5
and YOLOv8.
"""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ....errors import InvalidArgument
from ..assembly import Assembly, Picture
from ..config import Boxes
from ..graph import FLOAT, STRING, Writer


def add(assembly: Assembly, name: str, step: Boxes) -> None:
    g = assembly.tail
    picture = assembly.picture(step.picture)
    # Centres and sizes [N, 4] in pixels of what the model sees, and scores [N, classes].
    boxes, scores = _of_ssd(assembly, step, picture) if step.format == "ssd" else _of_yolo(assembly, step, name)
    corners = _corners(g, boxes)
    kinds = assembly.files.lines(step.labels) if step.labels is not None else None
    best, corners, at = _selected(g, step, corners, scores)
    shape = ["found"]
    corners = _in_picture(g, corners, picture)
    labels = f"{name}_labels" if kinds is not None else None
    assembly.add(name, "boxes", corners, FLOAT, [*shape, 4], label=step.label, scores=f"{name}_scores", labels=labels)
    assembly.add(f"{name}_scores", "tensor", best, FLOAT, shape)
    if kinds is not None:
        texts = g("Gather", g.constant(kinds, object), at, axis=0)
        assembly.add(f"{name}_labels", "tensor", texts, STRING, shape)


def _of_ssd(assembly: Assembly, step: Boxes, picture: Picture) -> tuple[ir.Value, ir.Value]:
    if step.source is not None:
        raise InvalidArgument("ssd takes the outputs that boxes and scores name, and not from")
    if not step.boxes or len(step.boxes) != len(step.scores):
        raise InvalidArgument("ssd needs boxes and scores: as many outputs of each")
    height, width = picture.sizes
    if height is None or width is None:
        raise InvalidArgument("the picture has no fixed size, which the boxes of ssd need")
    g = assembly.tail
    anchors = _anchors(assembly, step)
    count = sum(_rows(assembly, name, "boxes", step.boxes) for name in step.boxes)
    if count and count != len(anchors):
        raise InvalidArgument(f"there are {len(anchors)} anchors; the model has {count} boxes")
    raw = _beside(assembly, step.boxes, "boxes")
    scores = g.activation(_beside(assembly, step.scores, "scores"), step.activation)
    size = np.array([width, height], np.float32)
    moves, sizes = g.slice(raw, 0, 2, 1), g.slice(raw, 2, 4, 1)
    moves, sizes = (g("Div", part, g.number(step.scale)) for part in (moves, sizes))
    if step.exponential:
        sizes = g("Exp", sizes)
    anchor_size = g.constant(anchors[:, 2:] * size, np.float32)
    centres = g("Add", g("Mul", moves, anchor_size), g.constant(anchors[:, :2] * size, np.float32))
    return g("Concat", centres, g("Mul", sizes, anchor_size), axis=1), scores


def _rows(assembly: Assembly, name: str, key: str, names: list[str]) -> int:
    """How many boxes an output has; 0 where the model leaves it open. Raises InvalidArgument."""
    dims = assembly.dims(assembly.source(name, key))
    if dims is None or len(dims) != 3:
        raise InvalidArgument(f"{key}: the model's output {name!r} has shape {dims}; it is [1, N, numbers]")
    return dims[1] if isinstance(dims[1], int) else 0


def _beside(assembly: Assembly, names: list[str], key: str) -> ir.Value:
    """Outputs [1, n, numbers], one after the other: [N, numbers]."""
    g = assembly.tail
    for name in names:
        _rows(assembly, name, key, names)
    values = [g.cast(assembly.output(name), FLOAT) for name in names]
    joined = g("Concat", *values, axis=1) if len(values) > 1 else values[0]
    return g("Squeeze", joined, g.integers(0))


def _anchors(assembly: Assembly, step: Boxes) -> np.ndarray:
    """float32 [N, 4]: centre x, y, width, height from 0 to 1."""
    if isinstance(step.anchors, list):
        if not step.anchors:
            raise InvalidArgument("ssd needs anchors: grids, or a file")
        return np.concatenate([_grid(item.grid, item.per_cell) for item in step.anchors])
    assembly.files.data(step.anchors)
    try:
        found: np.ndarray = np.load(assembly.files.path(step.anchors), allow_pickle=False)
    except ValueError as error:
        raise InvalidArgument(f"{step.anchors} is not a .npy file: {error}") from error
    if found.ndim != 2 or found.shape[1] != 4 or found.dtype.kind != "f":
        raise InvalidArgument(f"{step.anchors} has {found.dtype} {list(found.shape)}; anchors are float [N, 4]")
    return found.astype(np.float32)


def _grid(cells: int, per_cell: int) -> np.ndarray:
    """Row by row, with the size of the picture each, as BlazeFace has them."""
    y, x = np.divmod(np.arange(cells * cells), cells)
    middle = (np.stack([x, y], axis=1) + 0.5) / cells
    anchors = np.concatenate([middle, np.ones_like(middle)], axis=1).astype(np.float32)
    return np.repeat(anchors, per_cell, axis=0)


def _of_yolo(assembly: Assembly, step: Boxes, name: str) -> tuple[ir.Value, ir.Value]:
    if step.boxes or step.scores or step.anchors:
        raise InvalidArgument(f"{step.format} takes one output, which from names: no boxes, scores or anchors")
    g = assembly.tail
    source = assembly.source(step.source, name)
    dims = assembly.dims(source)
    shape = "[1, 4 + classes, N]" if step.format == "yolov8" else "[1, N, 5 + classes]"
    if dims is None or len(dims) != 3:
        raise InvalidArgument(f"the model's output {source!r} has shape {dims}; with {step.format} it is {shape}")
    first = 4 if step.format == "yolov8" else 5
    numbers = dims[1 if step.format == "yolov8" else 2]
    kinds = len(assembly.files.lines(step.labels)) if step.labels is not None else None
    if isinstance(numbers, int) and (numbers <= first or (kinds is not None and numbers - first != kinds)):
        listed = "" if kinds is None else f" and there are {kinds} labels"
        raise InvalidArgument(
            f"the model's output {source!r} has shape {dims}; with {step.format} it is {shape}{listed}"
        )
    x = g("Squeeze", g.cast(assembly.output(source), FLOAT), g.integers(0))
    if step.format == "yolov8":
        x = g("Transpose", x, perm=[1, 0])
    scores = g.activation(g.slice(x, first, 2**31 - 1, 1), step.activation)
    if step.format == "yolov5":
        scores = g("Mul", scores, g.activation(g.slice(x, 4, 5, 1), step.activation))
    return g.slice(x, 0, 4, 1), scores


def _corners(g: Writer, boxes: ir.Value) -> ir.Value:
    """Left, top, right, bottom."""
    centres, half = g.slice(boxes, 0, 2, 1), g("Mul", g.slice(boxes, 2, 4, 1), g.number(0.5))
    return g("Concat", g("Sub", centres, half), g("Add", centres, half), axis=1)


def _selected(g: Writer, step: Boxes, corners: ir.Value, scores: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
    """The best that do not cover each other: scores [M], corners [M, 4] and kinds [M], the best first. A box is of the
    kind that it has its highest score for."""
    best = g("Equal", scores, g.reduce("ReduceMax", scores, 1))
    alone = g("Transpose", g("Where", best, scores, g.number(-1)), perm=[1, 0])
    # Suppressed in single precision, whatever the model computes in: [batch, kind, box] of each.
    chosen = g(
        "NonMaxSuppression",
        g("Unsqueeze", corners, g.integers(0)),
        g("Unsqueeze", alone, g.integers(0)),
        g.integers(step.most),
        g.constant([step.iou], np.float32),
        g.constant([step.threshold], np.float32),
    )
    kind_and_box = g.slice(chosen, 1, 3, 1)
    found = g("GatherND", alone, kind_and_box)
    count = g("Min", g("Shape", found), g.integers(step.most))
    ordered, order = g.several("TopK", 2, found, count, axis=0)
    kind, box = (g.reshape(g("Gather", g.slice(kind_and_box, at, at + 1, 1), order, axis=0), -1) for at in (0, 1))
    return ordered, g("Gather", corners, box, axis=0), kind


def _in_picture(g: Writer, corners: ir.Value, picture: Picture) -> ir.Value:
    """From pixels of what the model sees to those of the picture, not beyond its edges."""
    offset = g("Concat", picture.left, picture.top, picture.left, picture.top, axis=0)
    scale = g("Concat", picture.horizontal, picture.vertical, picture.horizontal, picture.vertical, axis=0)
    ends = [g.cast(side, FLOAT) for side in (picture.width, picture.height)]
    end = g("Concat", *ends, *ends, axis=0)
    x = g("Div", g("Sub", corners, offset), scale)
    return g("Max", g("Min", x, end), g.number(0))
