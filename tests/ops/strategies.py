"""Hypothesis strategies for shapes and arrays: empty axes, ones, primes, sizes around a vector's width, broadcasting."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

SIZES = (0, 1, 2, 3, 5, 7, 8, 13, 17, 31, 33)
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0)
MAX_ELEMENTS = 20_000


def sizes(allow_zero: bool = True) -> st.SearchStrategy[int]:
    return st.sampled_from(SIZES if allow_zero else SIZES[1:])


def shapes(min_rank: int = 0, max_rank: int = 5, allow_zero: bool = True) -> st.SearchStrategy[tuple[int, ...]]:
    drawn = st.lists(sizes(allow_zero), min_size=min_rank, max_size=max_rank).map(tuple)
    return drawn.filter(lambda shape: int(np.prod(shape)) <= MAX_ELEMENTS)


def broadcastable(
    count: int, max_rank: int = 4, allow_zero: bool = True
) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
    """`count` shapes that broadcast together as numpy does."""
    drawn = hnp.mutually_broadcastable_shapes(
        num_shapes=count, max_dims=max_rank, min_side=0 if allow_zero else 1, max_side=7
    )
    return drawn.map(lambda result: result.input_shapes)


def axes(rank: int) -> st.SearchStrategy[int]:
    """A legal axis, counted from either end."""
    return st.integers(-rank, rank - 1)


@st.composite
def arrays(draw: st.DrawFn, dtype: Any, shape: Any = None, special: bool = True) -> np.ndarray:
    """Values of the type's whole kind from a drawn seed; floats around 1 with a few special ones if `special`."""
    dtype = np.dtype(dtype)
    shape = draw(shapes()) if shape is None else draw(shape) if isinstance(shape, st.SearchStrategy) else shape
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if dtype.kind == "O":
        return rng.choice(np.array(["", "a", "Ab", "zebra", "äöü", "日本"], dtype=object), shape)
    kind = kind_of(dtype)
    if kind == "b":
        return np.asarray(rng.random(shape) < 0.5)
    if kind in "iu":
        info = ml_dtypes.iinfo(dtype)
        low, high = int(info.min), int(info.max)
        if rng.random() < 0.5:
            low, high = max(low, -9), min(high, 9)
        wide = np.uint64 if kind == "u" else np.int64
        return np.asarray(rng.integers(low, high, shape, dtype=wide, endpoint=True)).astype(dtype)
    values = np.asarray(rng.normal(0, 2, shape))
    if kind == "c":
        return (values + 1j * rng.normal(0, 2, shape)).astype(dtype)
    if special and values.size and rng.random() < 0.5:
        values[rng.random(shape) < 0.2] = rng.choice(SPECIAL)
    return values.astype(dtype)


def kind_of(dtype: Any) -> str:
    """numpy's letter for the kind of a type; small floats are "f", small integers "i" or "u"."""
    dtype = np.dtype(dtype)
    if dtype.kind != "V":
        return "f" if "float" in dtype.name else dtype.kind
    return "f" if "float" in dtype.name or "e8m0" in dtype.name else dtype.name[0]
