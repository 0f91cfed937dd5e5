"""Reductions, arg-reductions, cumulative sums and the softmax family, against double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.ops.properties.registry import Draw, Sample, prop, slack
from tests.ops.properties.unary import wide
from tests.ops.strategies import kind_of

# Empty sums are 0, empty products 1, empty extremes the type's own limit.
REDUCTIONS: dict[str, Any] = {
    "ReduceSum": np.sum,
    "ReduceMean": np.mean,
    "ReduceProd": np.prod,
    "ReduceL1": lambda x, **how: np.sum(np.abs(x), **how),
    "ReduceL2": lambda x, **how: np.sqrt(np.sum(np.square(x), **how)),
    "ReduceSumSquare": lambda x, **how: np.sum(np.square(x), **how),
    "ReduceLogSum": lambda x, **how: np.log(np.sum(x, **how)),
    "ReduceLogSumExp": lambda x, **how: np.log(np.sum(np.exp(x), **how)),
    "ReduceMax": np.max,
    "ReduceMin": np.min,
}
NEEDS_ELEMENTS = ("ReduceMean",)
# What the operator does to one element, where nothing is reduced.
ALONE: dict[str, Any] = {
    "ReduceL1": np.abs,
    "ReduceL2": np.abs,
    "ReduceSumSquare": np.square,
    "ReduceLogSum": np.log,
}


def limits(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    if kind_of(dtype) == "b":
        return False, True
    if kind_of(dtype) == "f":
        return -np.inf, np.inf
    return np.iinfo(dtype).min, np.iinfo(dtype).max


@prop(" ".join(REDUCTIONS))
def reduce(d: Draw) -> Sample:
    dtype = d.dtype("T")
    shape = d.shape(0, 4, zero=d.operator not in NEEDS_ELEMENTS)
    small = d.operator in ("ReduceProd", "ReduceSumSquare", "ReduceL2")
    low = 0.1 if d.operator == "ReduceLogSum" else 0.5 if d.operator == "ReduceProd" else -3
    x = d.plain(
        dtype,
        shape,
        int(low) if kind_of(dtype) in "iu" else low,
        1.3 if d.operator == "ReduceProd" and kind_of(dtype) == "f" else 3,
    )
    if d.operator in ("ReduceMax", "ReduceMin"):
        x = d.array(dtype, shape)
    if d.operator.startswith("ReduceLogSum") and kind_of(dtype) in "iu" and not x.size:  # minus infinity has no integer
        x = np.ones([max(n, 1) for n in shape], dtype)
    if kind_of(dtype) in "iu" and (small or d.operator == "ReduceLogSum"):
        x = np.maximum(x, 1).astype(dtype) if d.operator != "ReduceSumSquare" else x
    attributes: dict[str, Any] = {}
    keep = bool(d.attribute("keepdims", st.integers(0, 1), attributes))
    axes: list[int] | None = None
    if x.ndim and d.flag():
        axes = d.draw(st.lists(st.integers(0, x.ndim - 1), unique=True, max_size=x.ndim))
        if d.version >= 11 and axes and d.flag():
            axes = [axis - x.ndim for axis in axes]
    as_input = not d.has("axes")
    noop = as_input and d.attribute("noop_with_empty_axes", st.integers(0, 1), attributes)
    if axes == [] and not as_input:
        axes = None
    over = tuple(axes) if axes else () if noop else None
    how: dict[str, Any] = {"axis": over, "keepdims": keep}
    if over == ():
        how["keepdims"] = True
    w: np.ndarray = x if kind_of(dtype) in "iub" else wide(x)
    if d.operator in ("ReduceMax", "ReduceMin"):
        how["initial"] = limits(dtype)[d.operator == "ReduceMin"]
        if kind_of(dtype) == "b":
            how["initial"] = d.operator == "ReduceMin"
    if d.operator in ("ReduceSum", "ReduceProd") and kind_of(dtype) in "iu":
        how["dtype"] = dtype
    if d.operator == "ReduceMean" and kind_of(dtype) in "iu":  # rounds towards zero
        want = np.trunc(np.mean(wide(x), **how))
    elif over == ():
        want = ALONE.get(d.operator, lambda v: v)(w)
    else:
        want = REDUCTIONS[d.operator](w, **how)
    if axes is not None and not as_input:
        attributes["axes"] = axes
    inputs: list[Any] = [x]
    if as_input and (axes is not None):
        inputs.append(np.array(axes, np.int64))
    count = x.size / max(1, np.size(want))
    return Sample(inputs, attributes, [np.asarray(want).astype(dtype)], rtol=5e-5, atol=slack(dtype, 4 + 4 * count))


@prop("ReduceSum ReduceMean ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSumExp ReduceProd")
def reduce_special_values(d: Draw) -> Sample:
    """Infinities and NaN, over all axes."""
    dtype = d.dtype("T", only="f")
    x = d.array(dtype, d.shape(1, 2, zero=False))
    x.flat[0] = d.choice([np.inf, -np.inf, np.nan, 0.0])
    if d.operator == "ReduceProd":
        x = np.sign(wide(x)) * np.where(np.isinf(wide(x)), np.inf, 1)
        x = x.astype(dtype)
    want = REDUCTIONS[d.operator](wide(x), axis=None, keepdims=True)
    return Sample([x], answer=[np.asarray(want).astype(dtype)], rtol=1e-3, atol=slack(dtype, 4 * x.size))


@prop("ArgMax ArgMin")
def arg_reduce(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.plain(dtype, d.shape(1, 4, zero=False), -4, 4)
    attributes: dict[str, Any] = {}
    axis = d.attribute("axis", st.integers(-x.ndim if d.version >= 11 else 0, x.ndim - 1), attributes)
    keep = bool(d.attribute("keepdims", st.integers(0, 1), attributes))
    last = d.attribute("select_last_index", st.integers(0, 1), attributes)
    c = np.argmax if d.operator == "ArgMax" else np.argmin
    if last:
        want = x.shape[axis] - 1 - c(np.flip(wide(x), axis), axis, keepdims=keep)
    else:
        want = c(wide(x), axis, keepdims=keep)
    return Sample([x], attributes, [np.asarray(want, np.int64)])


@prop("CumSum CumProd")
def cumulative(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.plain(dtype, d.shape(1, 4), -1, 1)
    axis = d.axis(x.ndim)
    attributes: dict[str, Any] = {}
    exclusive = d.attribute("exclusive", st.integers(0, 1), attributes)
    backwards = d.attribute("reverse", st.integers(0, 1), attributes)
    w = x if kind_of(dtype) in "iu" else wide(x)
    w = np.flip(w, axis) if backwards else w
    want = np.cumsum(w, axis) if d.operator == "CumSum" else np.cumprod(w, axis)
    if exclusive and x.shape[axis]:
        first = np.full_like(np.take(want, [0], axis), 0 if d.operator == "CumSum" else 1)
        want = np.concatenate([first, np.take(want, range(x.shape[axis] - 1), axis)], axis)
    want = np.flip(want, axis) if backwards else want
    at = np.array(axis, d.dtype("T2")).reshape(d.choice([(), (1,)]) if d.operator == "CumSum" else ())
    return Sample([x, at], attributes, [want.astype(dtype)], atol=slack(dtype, 40))


def normalized(operator: str, x: np.ndarray, axis: int) -> np.ndarray:
    if not x.size:
        return x
    if operator == "Hardmax":
        first = np.argmax(x, axis)
        return np.asarray(
            np.expand_dims(first, axis)
            == np.arange(x.shape[axis]).reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])
        ).astype(float)
    shifted = x - np.max(x, axis, keepdims=True)
    total = np.sum(np.exp(shifted), axis, keepdims=True)
    return np.asarray(np.exp(shifted) / total if operator == "Softmax" else shifted - np.log(total))


@prop("Softmax LogSoftmax Hardmax", until=11)
def flattened_softmax(d: Draw) -> Sample:
    """Up to version 11 all axes from `axis` on are one."""
    dtype = d.dtype("T")
    x = d.array(dtype, d.shape(1, 4), special=False)
    attributes: dict[str, Any] = {}
    axis = d.attribute("axis", st.integers(-x.ndim if d.version >= 11 else 0, x.ndim - 1), attributes)
    if axis >= x.ndim:
        attributes["axis"] = axis = x.ndim - 1
    rows = int(np.prod(x.shape[: axis % x.ndim]))
    flat = wide(x).reshape(rows, int(np.prod(x.shape[axis % x.ndim :])))
    want = normalized(d.operator, flat, 1).reshape(x.shape)
    return Sample([x], attributes, [want.astype(dtype)])


@prop("Softmax LogSoftmax Hardmax", since=13)
def softmax(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.array(dtype, d.shape(1, 4), special=d.operator != "Hardmax")
    attributes: dict[str, Any] = {}
    axis = d.attribute("axis", st.integers(-x.ndim, x.ndim - 1), attributes)
    return Sample([x], attributes, [normalized(d.operator, wide(x), axis).astype(dtype)])
