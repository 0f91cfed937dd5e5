"""Gathering, scattering, selecting and sorting."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.ops.properties.registry import Draw, Sample, prop, slack
from tests.ops.properties.shape import int64s
from tests.ops.properties.unary import wide
from tests.ops.strategies import kind_of


def indices(d: Draw, n: int, shape: Any, dtype: Any = np.int64, *, negative: bool = True) -> np.ndarray:
    return d.rng().integers(-n if negative else 0, n, shape).astype(dtype)


@prop("Gather")
def gather(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(1, 4, zero=False))
    attributes: dict[str, Any] = {}
    axis = d.attribute("axis", st.integers(-x.ndim, x.ndim - 1), attributes)
    i = indices(d, x.shape[axis], d.shape(0, 3), d.dtype("Tind"), negative=d.version >= 11)
    return Sample([x, i], attributes, [np.take(x, i.astype(np.int64), axis)])


@prop("GatherElements")
def gather_elements(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(1, 4, zero=False))
    attributes: dict[str, Any] = {}
    axis = d.attribute("axis", st.integers(-x.ndim, x.ndim - 1), attributes)
    shape = [d.integer(0, n) for n in x.shape]
    shape[axis] = d.size()
    i = indices(d, x.shape[axis], shape, d.dtype("Tind"))
    part = x[tuple(slice(0, None if k == axis % x.ndim else n) for k, n in enumerate(shape))]
    return Sample([x, i], attributes, [np.take_along_axis(part, i.astype(np.int64), axis)])


@prop("GatherND")
def gather_nd(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(1, 4, zero=False))
    attributes: dict[str, Any] = {}
    batch = d.attribute("batch_dims", st.integers(0, x.ndim - 1), attributes) or 0
    depth = d.integer(1, x.ndim - batch)
    lead = d.shape(0, 2)
    limits = np.array(x.shape[batch : batch + depth])
    i = d.rng().integers(-limits, limits, size=(*x.shape[:batch], *lead, depth))
    want = np.empty((*x.shape[:batch], *lead, *x.shape[batch + depth :]), x.dtype)
    for at in np.ndindex(*x.shape[:batch], *lead):
        want[at] = x[at[:batch] + tuple(i[at])]
    return Sample([x, i], attributes, [want])


REDUCE: dict[str, Any] = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def reduction(d: Draw, dtype: np.dtype[Any], attributes: dict[str, Any]) -> str:
    kinds = ["none"]
    if kind_of(dtype) in "fiu":
        kinds += ["add", "mul", *(["max", "min"] if d.version >= 18 else [])]
    return str(d.attribute("reduction", st.sampled_from(kinds), attributes) or "none")


def put(target: np.ndarray, at: Any, value: Any, how: str) -> None:
    target[at] = value if how == "none" else REDUCE[how](target[at], value)


@prop("ScatterElements Scatter")
def scatter_elements(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = (
        d.plain(dtype, d.shape(1, 3, zero=False))
        if kind_of(dtype) in "fiuc"
        else d.array(dtype, d.shape(1, 3, zero=False))
    )
    attributes: dict[str, Any] = {}
    axis = d.attribute("axis", st.integers(-x.ndim, x.ndim - 1), attributes)
    how = reduction(d, dtype, attributes) if d.has("reduction") else "none"
    shape = [d.integer(0, min(n, 5)) for n in x.shape]
    unique = how == "none"
    order = np.argsort(d.rng().random([x.shape[axis] if k == axis % x.ndim else n for k, n in enumerate(shape)]), axis)
    i = np.take(order, range(shape[axis]), axis)
    if not unique:
        i = indices(d, x.shape[axis], shape)
    elif d.flag() and d.version >= 11:
        i = np.where(d.array(np.bool_, i.shape), i, i - x.shape[axis])
    updates = d.plain(dtype, shape) if kind_of(dtype) in "fiuc" else d.array(dtype, tuple(shape))
    want = wide(x) if kind_of(dtype) == "f" else x.copy()
    for at in np.ndindex(*shape):
        to = list(at)
        to[axis] = int(i[at])
        put(want, tuple(to), updates[at], how)
    return Sample([x, i.astype(d.dtype("Tind")), updates], attributes, [want.astype(dtype)], atol=slack(dtype, 8))


@prop("ScatterND")
def scatter_nd(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = (
        d.plain(dtype, d.shape(1, 3, zero=False))
        if kind_of(dtype) in "fiuc"
        else d.array(dtype, d.shape(1, 3, zero=False))
    )
    attributes: dict[str, Any] = {}
    how = reduction(d, dtype, attributes) if d.has("reduction") else "none"
    depth = d.integer(1, x.ndim)
    total = math.prod(x.shape[:depth])
    count = d.integer(0, min(total, 5))
    flat = d.rng().permutation(total)[:count] if how == "none" else d.rng().integers(0, total, count)
    i = np.stack(np.unravel_index(flat, x.shape[:depth]), -1).astype(np.int64)
    updates = (
        d.plain(dtype, (count, *x.shape[depth:]))
        if kind_of(dtype) in "fiuc"
        else d.array(dtype, (count, *x.shape[depth:]))
    )
    want = wide(x) if kind_of(dtype) == "f" else x.copy()
    for k in range(count):
        put(want, tuple(i[k]), updates[k], how)
    spelled = np.where(d.array(np.bool_, i.shape), i, i - np.array(x.shape[:depth])) if d.version >= 11 else i
    return Sample([x, spelled.astype(np.int64), updates], attributes, [want.astype(dtype)], atol=slack(dtype, 8))


@prop("Compress")
def compress(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(1, 4))
    attributes: dict[str, Any] = {}
    axis = d.attribute("axis", st.integers(-x.ndim if d.version >= 11 else 0, x.ndim - 1), attributes)
    n = x.size if axis is None else x.shape[axis]
    condition = d.array(np.bool_, (d.integer(0, n),))
    return Sample([x, condition], attributes, [np.compress(condition, x, axis)])


@prop("NonZero")
def non_zero(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.plain(dtype, d.shape(), -1, 1) if kind_of(dtype) in "iu" else d.array(dtype)
    if x.ndim == 0:
        return Sample([x], answer=[np.zeros((0, int(bool(x))), np.int64)])
    return Sample([x], answer=[int64s(np.nonzero(x))])


@prop("OneHot")
def one_hot(d: Draw) -> Sample:
    kind, values = d.dtype("T1"), d.dtype("T3")
    depth = d.integer(1, 9)
    low = 0 if kind_of(kind) == "u" else -depth - 2
    i = d.plain(kind, d.shape(0, 3), low, depth + 2)
    if kind_of(kind) == "f":
        i = np.floor(wide(i)).astype(kind)
    attributes: dict[str, Any] = {}
    axis = d.attribute("axis", st.integers(-i.ndim - 1, i.ndim), attributes)
    off_on = d.array(values, (2,))
    w = wide(i)
    w = np.where(w < 0, w + depth, w)
    shape = [1] * (i.ndim + 1)
    shape[axis] = depth
    hot = np.expand_dims(w, axis) == np.arange(depth).reshape(shape)
    size = np.array(depth).astype(d.dtype("T2")).reshape(d.choice([(), (1,)]))
    return Sample([i, size, off_on], attributes, [np.where(hot, off_on[1], off_on[0]).astype(values)])


@prop("ReverseSequence")
def reverse_sequence(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(2, 4))
    attributes: dict[str, Any] = {}
    batch = d.attribute("batch_axis", st.integers(0, 1), attributes)
    time = 1 - batch
    attributes.update({"time_axis": time} if time != 0 or d.flag() else {})
    lengths = d.rng().integers(1 if x.shape[time] else 0, x.shape[time] + 1, x.shape[batch])
    want = np.moveaxis(x, (batch, time), (0, 1)).copy()
    for row, n in zip(want, lengths, strict=True):
        row[:n] = row[:n][::-1].copy()
    return Sample([x, lengths], attributes, [np.moveaxis(want, (0, 1), (batch, time))])


@prop("TopK")
def top_k(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.plain(dtype, d.shape(1, 4), -5, 5)
    attributes: dict[str, Any] = {}
    low = -x.ndim if d.version != 1 or d.flag() else -1
    axis = d.attribute("axis", st.integers(low, x.ndim - 1), attributes)
    largest = d.attribute("largest", st.integers(0, 1), attributes) if d.has("largest") else 1
    k = d.integer(0, x.shape[axis])
    # Equal values: the lower index first.
    order = np.argsort(-wide(x) if largest else wide(x), axis, kind="stable")
    i = np.take(order, range(k), axis)
    answer = [np.take_along_axis(x, i, axis), i.astype(np.int64)]
    if d.version == 1:
        return Sample([x], {**attributes, "k": k}, answer)
    return Sample([x, int64s([k])], attributes, answer)


@prop("Unique")
def unique(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.plain(dtype, d.shape(1, 3), -2, 2) if kind_of(dtype) in "fiuc" else d.array(dtype, d.shape(1, 3))
    if kind_of(dtype) in "fc":
        x = np.round(x.astype(np.complex128) if kind_of(dtype) == "c" else wide(x)).astype(dtype) + np.zeros((), dtype)
    attributes: dict[str, Any] = {}
    axis = d.attribute("axis", st.integers(-x.ndim, x.ndim - 1), attributes)
    if axis is not None and x.size == 0:
        x = np.full([max(n, 1) for n in x.shape], "a" if kind_of(dtype) == "O" else 1, dtype)
    in_order = d.attribute("sorted", st.integers(0, 1), attributes)
    rows = (
        [(v,) for v in x.ravel().tolist()]
        if axis is None
        else [tuple(r.ravel().tolist()) for r in np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1)]
    )

    def key(row: Any) -> Any:
        return [(v.real, v.imag) if isinstance(v, complex) else v for v in row]

    first: dict[Any, int] = {}
    for i, row in enumerate(rows):
        first.setdefault(row, i)
    order = sorted(first, key=key) if in_order else list(first)
    rank = {row: i for i, row in enumerate(order)}
    at = int64s([first[row] for row in order])
    y = np.take(x.ravel() if axis is None else x, at, axis or 0)
    counts = np.bincount([rank[row] for row in rows], minlength=len(order)).astype(np.int64)
    return Sample([x], attributes, [y, at, int64s([rank[row] for row in rows]), counts])
