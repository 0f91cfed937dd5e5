"""Operators that move, cut, repeat or describe a tensor; every element type; all exact."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from tests.ops.properties.registry import Draw, Sample, prop
from tests.ops.properties.unary import consumed
from tests.ops.strategies import kind_of


def int64s(values: Any) -> np.ndarray:
    return np.array(values, np.int64)


def regrouped(d: Draw, shape: tuple[int, ...]) -> tuple[list[int], tuple[int, ...]]:
    """A legal `shape` operand for a reshape, with 0 and -1, and what it means."""
    total = math.prod(shape)
    how = d.choice(["flat", "copy", "merge", "ones"])
    if how == "flat" and total:
        return [-1], (total,)
    if how == "merge" and len(shape) > 1 and total:
        at = d.integer(0, len(shape) - 2)
        merged = (*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :])
        spelled = [0 if i < at and d.flag() else n for i, n in enumerate(merged)]
        if d.flag():
            spelled[d.integer(0, len(merged) - 1)] = -1
        return spelled, merged
    if how == "ones":
        at = d.integer(0, len(shape))
        want = (*shape[:at], 1, *shape[at:])
        if 0 not in shape:
            return list(want), want
    return [0] * len(shape), shape


@prop("Reshape")
def reshape(d: Draw) -> Sample:
    x = d.array(d.dtype("T"))
    spelled, want = regrouped(d, x.shape)
    if d.version == 1:
        if not spelled:
            spelled, want = [1], (1,)
        return Sample([x], {"shape": spelled, **consumed(d)}, [x.reshape(want)])
    attributes: dict[str, Any] = {}
    if d.has("allowzero") and d.flag():
        attributes["allowzero"] = 1
        spelled, want = list(x.shape), x.shape
    return Sample([x, int64s(spelled)], attributes, [x.reshape(want)], constants=d.choice([(), (1,)]))


@prop("Flatten")
def flatten(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(1, 4))
    attributes: dict[str, Any] = {}
    axis = d.attribute("axis", st.integers(-x.ndim if d.version >= 11 else 0, x.ndim), attributes)
    want = (math.prod(x.shape[:axis]), math.prod(x.shape[axis:] if axis != x.ndim else ()))
    return Sample([x], attributes, [x.reshape(want)])


@prop("Identity")
def identity(d: Draw) -> Sample:
    x = d.array(d.dtype("V" if d.version >= 14 else "T"))
    return Sample([x], consumed(d), [x])


@prop("Identity", since=14)
def identity_of_sequence(d: Draw) -> Sample:
    dtype = d.choice([np.float32, np.int64, np.bool_, object])
    items = [d.array(dtype, d.shape(0, 3)) for _ in range(d.integer(1, 3))]
    return Sample([items], answer=[items], outputs=[sequence_of(dtype)])


def sequence_of(dtype: Any) -> Any:
    number = 8 if np.dtype(dtype).kind == "O" else helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return helper.make_sequence_type_proto(helper.make_tensor_type_proto(number, None))


@prop("Shape Size")
def describe(d: Draw) -> Sample:
    x = d.array(d.dtype("T"))
    if d.operator == "Size":
        return Sample([x], answer=[int64s(x.size)])
    attributes: dict[str, Any] = {}
    start = d.attribute("start", st.integers(-6, 6), attributes) or 0
    end = d.attribute("end", st.integers(-6, 6), attributes)
    return Sample([x], attributes, [int64s(x.shape[start:end])])


@prop("Transpose")
def transpose(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(0, 5))
    perm = list(d.draw(st.permutations(range(x.ndim)))) if x.ndim and d.flag() else None
    return Sample([x], {"perm": perm}, [np.transpose(x, perm)])


@prop("Squeeze")
def squeeze(d: Draw) -> Sample:
    x = d.array(d.dtype("T"))
    at = sorted(d.draw(st.sets(st.integers(0, x.ndim + 1), min_size=2, max_size=2)))
    inflated = np.expand_dims(x, tuple(at))
    if d.flag():
        return Sample([inflated], answer=[np.squeeze(inflated)])
    axes = [a - inflated.ndim if d.version >= 11 and d.flag() else a for a in at]
    if d.version >= 13:
        return Sample([inflated, int64s(axes)], answer=[x])
    return Sample([inflated], {"axes": axes}, [x])


@prop("Unsqueeze")
def unsqueeze(d: Draw) -> Sample:
    x = d.array(d.dtype("T"))
    at = d.draw(st.lists(st.integers(0, x.ndim + 1), min_size=2, max_size=2, unique=True))
    axes = [a - x.ndim - 2 if d.version >= 11 and d.flag() else a for a in at]
    want = np.expand_dims(x, tuple(at))
    if d.version >= 13:
        return Sample([x, int64s(axes)], answer=[want])
    return Sample([x], {"axes": axes}, [want])


@prop("Expand")
def expand(d: Draw) -> Sample:
    left, right = d.broadcastable(2)
    x = d.array(d.dtype("T"), left)
    return Sample([x, int64s(right)], answer=[np.broadcast_to(x, np.broadcast_shapes(left, right))])


@prop("Tile", until=1)
def tile_one_axis(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(1, 4))
    axis, count = d.integer(0, x.ndim - 1), d.integer(1, 3)
    repeats = [count if i == axis else 1 for i in range(x.ndim)]
    return Sample([x, np.array(count, x.dtype), np.array(axis, x.dtype)], answer=[np.tile(x, repeats)])


@prop("Tile", since=6)
def tile(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(0, 4))
    repeats = [d.integer(0, 3) for _ in x.shape]
    return Sample(
        [x, int64s(repeats)],
        answer=[np.tile(x, repeats).reshape([n * r for n, r in zip(x.shape, repeats, strict=True)])],
    )


@prop("Concat")
def concat(d: Draw) -> Sample:
    dtype, shape = d.dtype("T"), d.shape(1, 4)
    axis = d.integer(-len(shape) if d.version >= 11 else 0, len(shape) - 1)
    attributes = {"axis": axis}
    if d.version == 1 and len(shape) > 1 and d.flag():
        axis, attributes = 1, {}
    parts = []
    for _ in range(d.integer(1, 4)):
        part = list(shape)
        part[axis] = d.integer(0, 5)
        parts.append(d.array(dtype, tuple(part)))
    return Sample(parts, attributes, [np.concatenate(parts, axis)])


@prop("Split")
def split(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(1, 4))
    attributes: dict[str, Any] = {}
    low = -x.ndim if d.version >= 11 else 0
    axis = d.attribute("axis", st.integers(low, x.ndim - 1), attributes) or 0
    inputs: list[Any] = [x]
    length = x.shape[axis]
    if d.flag():
        cuts = sorted(d.integer(0, length) for _ in range(d.integer(0, 3)))
        lengths = np.diff([0, *cuts, length]).tolist()
        if d.version >= 13:
            inputs.append(int64s(lengths))
        elif d.version == 1 and d.flag():
            inputs.append(np.array(lengths, x.dtype))
        else:
            attributes["split"] = lengths
    else:
        count = d.choice([n for n in (1, 2, 3, 5) if length % n == 0 or (d.version >= 18 and length > n)] or [1])
        chunk = -(-length // count)
        lengths = [max(0, min(chunk, length - chunk * i)) for i in range(count)]
        if d.version >= 18:
            attributes["num_outputs"] = count
    parts = np.split(x, np.cumsum(lengths)[:-1], axis)
    return Sample(inputs, attributes, parts)


def sliced(x: np.ndarray, starts: Any, ends: Any, axes: Any, steps: Any) -> np.ndarray:
    """By the rule of the specification: negative ones count from the end, then both are clamped."""
    index: list[Any] = [slice(None)] * x.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        n = x.shape[axis]
        start, end = (v + n if v < 0 else v for v in (start, end))
        if step > 0:
            chosen = range(min(max(start, 0), n), min(max(end, 0), n), step)
        else:
            chosen = range(min(max(start, 0), n - 1), min(max(end, -1), n - 1), step)
        index[axis] = list(chosen)
    for axis, chosen in enumerate(index):
        if isinstance(chosen, list):
            x = np.take(x, np.array(chosen, np.int64), axis)
    return x


@prop("Slice")
def slice_(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(1, 4))
    edge = st.one_of(st.integers(-9, 9), st.sampled_from([-(2**31), 2**31 - 1]))
    axes = d.draw(st.lists(st.integers(0, x.ndim - 1), unique=True, min_size=1, max_size=x.ndim))
    without = d.flag()
    if without:
        axes = list(range(len(axes)))
    starts, ends = [d.draw(edge) for _ in axes], [d.draw(edge) for _ in axes]
    if d.version == 1:
        want = sliced(x, starts, ends, axes, [1] * len(axes))
        return Sample([x], {"starts": starts, "ends": ends, "axes": None if without else axes}, [want])
    steps = [d.choice([1, 2, 3, -1, -2, 100, -(2**30)]) for _ in axes] if d.flag() else None
    want = sliced(x, starts, ends, axes, steps or [1] * len(axes))
    spelled = [a - x.ndim if d.version >= 11 and d.flag() else a for a in axes]
    kind = d.dtype("Tind")
    inputs = [
        x,
        *(None if v is None else np.array(v, kind) for v in (starts, ends, None if without else spelled, steps)),
    ]
    return Sample(inputs, answer=[want], constants=d.choice([(), (1, 2)]))


@prop("Pad")
def pad(d: Draw) -> Sample:
    dtype = d.dtype("T")
    mode = d.choice(["constant", "reflect", "edge", *(["wrap"] if d.version >= 19 else [])])
    x = d.array(dtype, d.shape(1, 4, zero=mode == "constant"))
    width = [(d.integer(0, 4), d.integer(0, 4)) for _ in x.shape]
    if mode == "reflect":  # the specification says nothing of reflections of reflections
        width = [(min(a, n - 1), min(b, n - 1)) for (a, b), n in zip(width, x.shape, strict=True)]
    attributes: dict[str, Any] = {"mode": mode} if mode != "constant" or d.flag() else {}
    value: Any = np.zeros((), dtype) if kind_of(dtype) != "O" else np.array("", object)
    given = mode == "constant" and d.flag()
    if given:
        value = d.array(dtype, (), special=False)
        if d.version < 11:
            value = np.array(np.float32(1.5)).astype(dtype)
    inputs: list[Any] = [x]
    chosen = list(range(x.ndim))
    if d.version >= 18 and d.flag():
        chosen = d.draw(st.lists(st.integers(0, x.ndim - 1), unique=True, min_size=1, max_size=x.ndim))
    width = [w if i in chosen else (0, 0) for i, w in enumerate(width)]
    flat = [width[i][0] for i in chosen] + [width[i][1] for i in chosen]
    if d.version < 11:
        attributes["pads" if d.version == 2 else "paddings"] = flat
        if given:
            attributes["value"] = 1.5
    else:
        inputs += [int64s(flat), value if given else None]
        if len(chosen) < x.ndim or chosen != sorted(chosen):
            inputs.append(np.array([a - x.ndim if d.flag() else a for a in chosen], d.dtype("Tind")))
    how = {"constant_values": value} if mode == "constant" else {}
    want = padded(x, width, value) if mode == "constant" else np.pad(x, width, mode, **how)
    return Sample(inputs, attributes, [want])


def padded(x: np.ndarray, width: Any, value: np.ndarray) -> np.ndarray:
    out = np.full([n + a + b for n, (a, b) in zip(x.shape, width, strict=True)], value, x.dtype)
    out[tuple(slice(a, a + n) for n, (a, _) in zip(x.shape, width, strict=True))] = x
    return out


@prop("Pad", since=11)
def pad_by_negative_numbers(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(1, 3, zero=False))
    width = [(d.integer(-(n // 2), 2), d.integer(-((n - 1) // 2), 2)) for n in x.shape]
    kept = x[tuple(slice(max(0, -a), n - max(0, -b)) for (a, b), n in zip(width, x.shape, strict=True))]
    value = np.zeros((), x.dtype) if kind_of(x.dtype) != "O" else np.array("", object)
    want = padded(kept, [(max(a, 0), max(b, 0)) for a, b in width], value)
    return Sample([x, int64s([*(a for a, _ in width), *(b for _, b in width)])], answer=[want])


@prop("DepthToSpace")
def depth_to_space(d: Draw) -> Sample:
    b, n, c, h, w = d.integer(1, 3), *(d.size() % 6 for _ in range(4))
    x = d.array(d.dtype("T"), (n, c * b * b, h, w))
    attributes: dict[str, Any] = {"blocksize": b}
    mode = d.attribute("mode", st.sampled_from(["DCR", "CRD"]), attributes)
    if mode == "CRD":
        y = x.reshape(n, c, b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    else:
        y = x.reshape(n, b, b, c, h, w).transpose(0, 3, 4, 1, 5, 2)
    return Sample([x], attributes, [y.reshape(n, c, h * b, w * b)])


@prop("SpaceToDepth")
def space_to_depth(d: Draw) -> Sample:
    b, n, c, h, w = d.integer(1, 3), *(d.size() % 6 for _ in range(4))
    x = d.array(d.dtype("T"), (n, c, h * b, w * b))
    attributes: dict[str, Any] = {"blocksize": b}
    mode = d.attribute("mode", st.sampled_from(["DCR", "CRD"]), attributes)
    y = x.reshape(n, c, h, b, w, b)
    y = y.transpose(0, 1, 3, 5, 2, 4) if mode == "CRD" else y.transpose(0, 3, 5, 1, 2, 4)
    return Sample([x], attributes, [y.reshape(n, c * b * b, h, w)])


@prop("CenterCropPad")
def center_crop_pad(d: Draw) -> Sample:
    """The middle stays the middle; of an odd difference the larger half is at the end."""
    x = d.array(d.dtype("T"), d.shape(1, 4))
    axes = d.draw(st.lists(st.integers(0, x.ndim - 1), unique=True, min_size=1, max_size=x.ndim)) if d.flag() else None
    target = [d.integer(0, 9) for _ in axes or x.shape]
    want = x
    for axis, n in zip(axes or range(x.ndim), target, strict=True):
        have = want.shape[axis]
        if n < have:
            start = (have - n) // 2
            want = np.take(want, range(start, start + n), axis)
        else:
            before = (n - have) // 2
            width = [(before, n - have - before) if i == axis else (0, 0) for i in range(x.ndim)]
            want = padded(want, width, np.array("", object) if kind_of(x.dtype) == "O" else np.zeros((), x.dtype))
    spelled = None if axes is None else [a - x.ndim if d.flag() else a for a in axes]
    return Sample([x, np.array(target, d.dtype("Tind"))], {"axes": spelled}, [want])


@prop("EyeLike")
def eye_like(d: Draw) -> Sample:
    x = d.array(d.dtype("T1"), (d.size(), d.size()))
    attributes: dict[str, Any] = {}
    k = d.attribute("k", st.integers(-9, 9), attributes)
    dtype = x.dtype
    if d.flag():
        dtype = d.dtype("T2")
        attributes["dtype"] = int(helper.np_dtype_to_tensor_dtype(dtype))
    return Sample([x], attributes, [np.eye(*x.shape, k).astype(dtype)])


@prop("Trilu")
def trilu(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(2, 4))
    attributes: dict[str, Any] = {}
    upper = d.attribute("upper", st.integers(0, 1), attributes)
    k = d.choice([None, -40, -3, -1, 0, 1, 2, 40])
    rows, columns = np.indices(x.shape[-2:])
    kept = columns - rows >= (k or 0) if upper else columns - rows <= (k or 0)
    empty = np.array("", object) if kind_of(x.dtype) == "O" else np.zeros((), x.dtype)
    return Sample([x, None if k is None else int64s(k)], attributes, [np.where(kept, x, empty).astype(x.dtype)])


@prop("Constant", until=9)
@prop("Constant", since=11)
def constant(d: Draw) -> Sample:
    x = d.array(d.dtype("T"))
    return Sample([], {"value": numpy_helper.from_array(x)}, [x])


@prop("Constant", since=12)
def constant_of_values(d: Draw) -> Sample:
    name, kind = d.choice([("value_float", np.float32), ("value_int", np.int64), ("value_string", object)])
    many = d.flag()
    x = d.array(kind, (d.integer(1, 5),) if many else (), special=False)
    return Sample([], {name + "s" * many: x.tolist()}, [x])


@prop("ConstantOfShape")
def constant_of_shape(d: Draw) -> Sample:
    shape = d.shape()
    if d.flag():
        return Sample([int64s(shape)], answer=[np.zeros(shape, np.float32)])
    value = d.array(d.dtype("T2"), (1,))
    return Sample([int64s(shape)], {"value": numpy_helper.from_array(value)}, [np.full(shape, value[0], value.dtype)])


@prop("Range")
def range_(d: Draw) -> Sample:
    dtype = d.dtype("T")
    start, limit = d.integer(-20, 20), d.integer(-20, 20)
    delta = d.choice([-3, -1, 1, 2, 7])
    want = np.array(list(range(start, limit, delta)), np.int64).astype(dtype)
    return Sample([np.array(v).astype(dtype) for v in (start, limit, delta)], answer=[want])


@prop("Dropout")
def dropout_outside_training(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.array(dtype)
    mask_dtype = np.bool_ if d.version >= 10 else dtype
    answer: list[Any] = [x, np.ones(x.shape, mask_dtype)][: d.integer(1, 2)]
    if d.version >= 12:
        ratio = d.choice([None, np.array(0.3).astype(d.dtype("T1"))])
        training = d.choice([None, np.array(False)])
        return Sample([x, ratio, training], {"seed": d.choice([None, 3])}, answer)
    attributes: dict[str, Any] = consumed(d)
    d.attribute("ratio", st.floats(0, 0.875, width=32), attributes)
    if d.has("is_test"):
        attributes["is_test"] = 1
        answer = answer[:1]
    return Sample([x], attributes, answer)
