"""Casts between every pair of types, and quantisation per tensor, per axis and in blocks."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from tests.ops.properties.registry import Draw, Sample, prop, slack
from tests.ops.properties.unary import wide
from tests.ops.strategies import kind_of

FLOAT8 = tuple(
    np.dtype(t)
    for t in (
        ml_dtypes.float8_e4m3fn,
        ml_dtypes.float8_e4m3fnuz,
        ml_dtypes.float8_e5m2,
        ml_dtypes.float8_e5m2fnuz,
    )
)
E8M0 = np.dtype(ml_dtypes.float8_e8m0fnu)
WIDTHS = {
    np.dtype(t): n
    for t, n in (
        (ml_dtypes.int4, 4),
        (ml_dtypes.uint4, 4),
        (ml_dtypes.int2, 2),
        (ml_dtypes.uint2, 2),
        (ml_dtypes.float4_e2m1fn, 4),
    )
}


def bits(dtype: np.dtype[Any]) -> int:
    return WIDTHS.get(dtype, 8 * dtype.itemsize)


def number(dtype: Any) -> int:
    dtype = np.dtype(dtype)
    return 8 if dtype.kind == "O" else int(helper.np_dtype_to_tensor_dtype(dtype))


def low_bits(x: np.ndarray, target: np.dtype[Any]) -> np.ndarray:
    """Integers keep the low bits."""
    width, signed = bits(target), kind_of(target) == "i"
    values = [int(v) % (1 << width) for v in x.ravel()]
    values = [v - (1 << width) if signed and v >= 1 << (width - 1) else v for v in values]
    return np.array(values, np.int64 if signed else np.uint64).astype(target).reshape(x.shape)


def cast(x: np.ndarray, target: np.dtype[Any], saturate: bool) -> np.ndarray:
    source, goal = kind_of(x.dtype), kind_of(target)
    if target == x.dtype:
        return x
    if goal == "b":
        return np.asarray(wide(x) != 0)
    if goal in "iu" and source in "iub":
        return low_bits(x.astype(np.int64) if source == "b" else x, target)
    if goal in "iu":
        return np.trunc(wide(x)).astype(target)
    if target in FLOAT8:
        w = x.astype(np.float32)
        return np.asarray(numpy_helper.saturate_cast(w, target) if saturate else w.astype(target))
    if x.dtype in (*FLOAT8, E8M0) or bits(x.dtype) < 8:
        return np.asarray(x.astype(np.float32).astype(target))
    return np.asarray(x.astype(target))


def castable(d: Draw, source: np.dtype[Any], target: np.dtype[Any]) -> np.ndarray:
    """Values whose cast the specification defines and that are rounded once."""
    kind, goal = kind_of(source), kind_of(target)
    if kind == "f" and goal in "iu":
        low = max(0 if goal == "u" else -100, int(ml_dtypes.iinfo(target).min))
        high = min(100, int(ml_dtypes.iinfo(target).max))
        if source in FLOAT8 or bits(source) < 8 or source == E8M0:
            high = min(high, 4)
        return d.plain(source, None, max(low, 0.5) if source == E8M0 else low, high)
    if E8M0 in (source, target) and kind_of(source) == "f":
        return np.asarray(2.0 ** d.plain(np.float64, None, -9, 9)).astype(source)
    x = d.array(source, special=bits(target) >= 8 and E8M0 not in (source, target))
    if kind == "f" and source == np.float64 and goal == "f":
        x = x.astype(np.float16).astype(source)
    if kind == "i" and target == E8M0:
        x = np.maximum(wide(x), 1).astype(source)
    if kind in "iu" and goal == "f" and source.itemsize > 2 and target != np.float64:
        x = d.plain(source, None, -200, 200)
    return x


def draw_cast(d: Draw) -> tuple[np.ndarray, np.dtype[Any], np.ndarray, dict[str, Any]]:
    source = d.dtype("T1")
    target = d.dtype("T2")
    attributes: dict[str, Any] = {}
    saturate = d.attribute("saturate", st.integers(0, 1), attributes) if d.has("saturate") else 1
    if "O" in (source.kind, target.kind):
        words = d.choice([["1", "-7", "100"], ["3.5", "-0.25", "1e3"], ["inf", "-INF", "+Inf", "NaN"]])
        other = target if source.kind == "O" else source
        if source.kind == "O" and target.kind == "O":
            x: np.ndarray = d.array(np.dtype(object))
            return x, target, x, attributes
        if kind_of(other) != "f" or bits(other) < 16:
            other = (
                np.dtype(np.int32)
                if kind_of(other) != "f" and np.dtype(np.int32) in d.dtypes("T1")
                else np.dtype(np.float32)
            )
        if source.kind == "O":
            if kind_of(other) != "f":
                words = ["1", "-7", "100"]
            x = np.array([d.choice(words) for _ in range(d.integer(0, 5))], object)
            return x, other, np.array([float(v) for v in x]).astype(other), attributes
        whole = d.plain(np.int32, None, -1000, 1000)
        if kind_of(other) != "f":
            return whole.astype(other), target, whole.astype(other).astype(np.str_).astype(object), attributes
        x = (whole + 0.5).astype(np.float32)  # an integer as a float is spelled differently by everybody
        return x, target, x.astype(np.str_).astype(object), attributes
    if E8M0 in (source, target) and (kind_of(source) in "iub" or kind_of(target) in "iub" or bits(source) < 8):
        source = np.dtype(np.float32) if target == E8M0 else source
        target = np.dtype(np.float32) if source == E8M0 else target
    x = castable(d, source, target)
    if target == E8M0 and source != E8M0:
        how = d.attribute("round_mode", st.sampled_from(["up", "down", "nearest"]), attributes)
        power = np.log2(wide(x))
        down = np.floor(power)
        exact = np.asarray(2.0**down) == wide(x)
        ratio = wide(x) / 2.0**down
        up = {"up": ~exact, "down": np.zeros_like(exact), "nearest": ratio >= 1.5}[how]
        return x, target, np.asarray(2.0 ** (down + up)).astype(target), attributes
    return x, target, cast(x, target, bool(saturate)), attributes


@prop("Cast")
def cast_to(d: Draw) -> Sample:
    x, target, want, attributes = draw_cast(d)
    to: Any = number(target)
    if d.version == 1:
        to = {1: "FLOAT", 2: "UINT8", 3: "INT8", 4: "UINT16", 5: "INT16", 6: "INT32", 7: "INT64", 9: "BOOL", 10: "FLOAT16", 11: "DOUBLE", 12: "UINT32", 13: "UINT64"}[to]  # fmt: skip
    return Sample([x], {"to": to, **attributes}, [want])


@prop("CastLike")
def cast_like(d: Draw) -> Sample:
    x, target, want, attributes = draw_cast(d)
    return Sample([x, d.array(target, d.shape(0, 2))], attributes, [want])


def raw_bits(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x).view(np.uint8)


@prop("BitCast")
def bit_cast(d: Draw) -> Sample:
    source = d.dtype("T1", without=[np.bool_])
    same = [t for t in d.dtypes("T2") if bits(t) == bits(source) and t.kind != "b"]
    target = np.dtype(d.choice(same))
    x = d.array(source)
    if bits(source) >= 8:
        want = np.ascontiguousarray(x).reshape(-1).view(target).reshape(x.shape)
        return Sample([x], {"to": number(target)}, [want])
    pattern = raw_bits(x.reshape(-1)) & ((1 << bits(source)) - 1)
    if kind_of(target) == "i":
        pattern = np.where(
            pattern >> (bits(source) - 1), pattern.astype(np.int16) - (1 << bits(source)), pattern
        ).astype(np.int8)
        want = pattern.astype(target)
    else:
        want = pattern.astype(target) if kind_of(target) == "u" else pattern.view(target)
    return Sample([x], {"to": number(target)}, [want.reshape(x.shape)])


def granularity(d: Draw, shape: tuple[int, ...], attributes: dict[str, Any]) -> tuple[tuple[int, ...], Any]:
    """The shape of the scale and how it is spread over the input."""
    kinds = ["tensor"]
    if d.has("axis") and shape:
        kinds.append("axis")
    if d.has("block_size") and shape:
        kinds.append("block")
    kind = d.choice(kinds)
    if kind == "tensor":
        return d.choice([(), (1,)]) if d.version >= 13 else (), lambda v: v.reshape(())
    axis = d.integer(0, len(shape) - 1)
    if axis != 1 or d.flag():
        attributes["axis"] = axis - len(shape) if d.flag() else axis
    if kind == "axis":
        return (shape[axis],), lambda v: v.reshape([-1 if i == axis else 1 for i in range(len(shape))])
    block = d.integer(1, 5)
    attributes["block_size"] = block
    size = (*shape[:axis], -(-shape[axis] // block), *shape[axis + 1 :])
    return size, lambda v: np.repeat(v, block, axis)[tuple(slice(0, n) for n in shape)]


@prop("QuantizeLinear")
def quantize(d: Draw) -> Sample:
    """x / scale in the scale's type (or `precision`), to nearest even, plus the zero point, saturated."""
    dtype = d.dtype("T1")
    out_variable = "T3" if d.version >= 23 else "T2"
    out = d.dtype(out_variable)
    shape = d.shape(0, 3, zero=False)
    attributes: dict[str, Any] = {}
    size, spread = granularity(d, shape, attributes)
    scale_type = np.dtype(np.float32)
    if d.version >= 23:
        scale_type = d.dtype("T2")
    elif d.version >= 19:
        scale_type = dtype
    whole_scale = kind_of(scale_type) != "f"
    scale = d.plain(scale_type, size, 1 if whole_scale else 0.05, 3 if whole_scale else 2)
    x = d.plain(dtype, shape, -100, 100) if d.flag() else d.plain(dtype, shape, -3, 3)
    zero = None
    if out in (np.int8, np.uint8, np.int16, np.uint16) or bits(out) < 8:
        zero = d.array(out, size) if kind_of(out) in "iu" else np.zeros(size, out)
    else:
        zero = np.zeros(size, out)
    if d.flag():
        if out != np.uint8 and not d.has("output_dtype"):
            pass
        else:
            zero = None
            if out != np.uint8 or (d.has("output_dtype") and d.flag()):
                attributes["output_dtype"] = number(out)
    saturate = d.attribute("saturate", st.integers(0, 1), attributes) if d.has("saturate") else 1
    precision: Any = np.float32 if scale_type == E8M0 or (whole_scale and dtype == np.float32) else scale_type
    if whole_scale:
        precision = np.float64
    if d.has("precision") and d.flag():
        precision = d.choice([np.float32, np.float16])
        attributes["precision"] = number(precision)
    quotient = x.astype(precision) / spread(scale).astype(precision)
    if kind_of(out) in "iu":
        info = ml_dtypes.iinfo(out)
        value = np.rint(wide(quotient)) + (0 if zero is None else spread(zero).astype(np.float64))
        want = np.clip(value, int(info.min), int(info.max)).astype(np.int64).astype(out)
    else:
        want = cast(np.asarray(quotient).astype(np.float32), out, bool(saturate))
    return Sample([x, scale, zero], attributes, [want])


@prop("DequantizeLinear")
def dequantize(d: Draw) -> Sample:
    dtype = d.dtype("T" if d.version in (10, 13) else "T1")
    shape = d.shape(0, 3, zero=False)
    attributes: dict[str, Any] = {}
    size, spread = granularity(d, shape, attributes)
    scale_type = d.dtype("T2") if d.version >= 19 else np.dtype(np.float32)
    scale = np.asarray(2.0 ** d.plain(np.float64, size, -4, 2)).astype(scale_type)
    out = scale_type
    if d.has("output_dtype") and (scale_type == E8M0 or d.flag()):
        out = d.dtype("T3")
        attributes["output_dtype"] = number(out)
    x = d.plain(dtype, shape, -1000, 1000) if dtype == np.int32 else d.array(dtype, shape, special=False)
    zero = None
    if d.flag():
        zero = d.array(dtype, size) if kind_of(dtype) in "iu" and dtype != np.int32 else np.zeros(size, dtype)
    value = wide(x) - (0 if zero is None else wide(spread(zero)))
    return Sample([x, scale, zero], attributes, [(value * wide(spread(scale))).astype(out)], atol=slack(out, 1))


@prop("DynamicQuantizeLinear")
def dynamic_quantize(d: Draw) -> Sample:
    x = d.plain(np.float32, None, *d.choice([(-2, 3), (0.5, 4), (-3, -1), (0, 0)]))
    if not x.size:
        x = np.ones(3, np.float32)
    low, high = np.minimum(x.min(), 0), np.maximum(x.max(), 0)
    scale = np.float32((high - low) / np.float32(255))
    zero = np.uint8(np.clip(np.rint((0 - low) / scale), 0, 255)) if scale else np.uint8(0)
    want = np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.uint8) if scale else np.zeros(x.shape, np.uint8)
    if not scale:  # the specification divides 0 by 0
        return Sample([np.ones(3, np.float32)], answer=[np.full(3, 255, np.uint8), np.float32(1 / 255), np.uint8(0)])
    return Sample([x], answer=[want, np.asarray(scale), np.asarray(zero)])
