"""Sequences and optionals."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import strategies as st
from onnx import helper

from tests.ops.properties.registry import Draw, Sample, prop
from tests.ops.properties.shape import int64s, sequence_of

DTYPES = (np.float32, np.float64, np.float16, np.int64, np.int32, np.uint8, np.bool_, object, np.complex64)


def tensor_of(dtype: Any) -> onnx.TypeProto:
    dtype = np.dtype(dtype)
    return helper.make_tensor_type_proto(8 if dtype.kind == "O" else helper.np_dtype_to_tensor_dtype(dtype), None)


def items(d: Draw, dtype: Any, low: int = 1) -> list[np.ndarray]:
    return [d.array(dtype, d.shape(0, 3)) for _ in range(d.integer(low, 4))]


def position(d: Draw, low: int, high: int) -> np.ndarray:
    return np.array(d.integer(low, high)).astype(d.dtype("I"))


@prop("SequenceConstruct SequenceLength")
def sequence(d: Draw) -> Sample:
    dtype = d.choice(DTYPES)
    values = items(d, dtype)
    if d.operator == "SequenceConstruct":
        return Sample(values, answer=[values], outputs=[sequence_of(dtype)])
    return Sample([values], answer=[int64s(len(values))])


@prop("SequenceEmpty")
def sequence_empty(d: Draw) -> Sample:
    dtype = np.dtype(d.choice(DTYPES))
    if dtype == np.float32 and d.flag():
        return Sample([], answer=[[]], outputs=[sequence_of(dtype)])
    number = 8 if dtype.kind == "O" else int(helper.np_dtype_to_tensor_dtype(dtype))
    return Sample([], {"dtype": number}, [[]], outputs=[sequence_of(dtype)])


@prop("SequenceAt")
def sequence_at(d: Draw) -> Sample:
    values = items(d, d.choice(DTYPES))
    at = position(d, -len(values), len(values) - 1)
    return Sample([values, at], answer=[values[int(at)]])


@prop("SequenceErase")
def sequence_erase(d: Draw) -> Sample:
    dtype = d.choice(DTYPES)
    values = items(d, dtype)
    at = position(d, -len(values), len(values) - 1) if d.flag() else None
    want = list(values)
    del want[-1 if at is None else int(at)]
    return Sample([values, at], answer=[want], outputs=[sequence_of(dtype)])


@prop("SequenceInsert")
def sequence_insert(d: Draw) -> Sample:
    dtype = d.choice(DTYPES)
    values = items(d, dtype, 0)
    new = d.array(dtype, d.shape(0, 3))
    at = position(d, -len(values), len(values)) if d.flag() else None
    want = list(values)
    where = len(values) if at is None else int(at)
    want.insert(where if where >= 0 else where + len(values), new)
    return Sample([values, new, at], answer=[want], outputs=[sequence_of(dtype)], input_types={0: sequence_of(dtype)})


@prop("SplitToSequence")
def split_to_sequence(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(1, 3))
    attributes: dict[str, Any] = {}
    axis = d.attribute("axis", st.integers(-x.ndim, x.ndim - 1), attributes) or 0
    keep = d.attribute("keepdims", st.integers(0, 1), attributes)
    n = x.shape[axis]
    how = d.choice(["each", "chunks", "lengths"])
    split = None
    lengths = [1] * n
    if how == "chunks":
        size = d.integer(1, 4)
        split = np.array(size).astype(d.dtype("I"))
        lengths = [size] * (n // size) + [n % size] * (n % size > 0)
    elif how == "lengths":
        cuts = sorted(d.integer(0, n) for _ in range(2))
        lengths = np.diff([0, *cuts, n]).tolist()
        split = np.array(lengths).astype(d.dtype("I"))
    parts = np.split(x, np.cumsum(lengths)[:-1], axis) if lengths else []
    if split is None and not keep:
        parts = [np.squeeze(part, axis) for part in parts]
    return Sample([x, split], attributes, [parts], outputs=[sequence_of(x.dtype)])


@prop("ConcatFromSequence")
def concat_from_sequence(d: Draw) -> Sample:
    dtype = d.choice(DTYPES)
    shape = d.shape(1, 3)
    if d.flag():
        values = [d.array(dtype, shape) for _ in range(d.integer(1, 3))]
        axis = d.integer(-len(shape) - 1, len(shape))
        return Sample([values], {"axis": axis, "new_axis": 1}, [np.stack(values, axis)])
    axis = d.axis(len(shape))
    values = []
    for _ in range(d.integer(1, 3)):
        part = list(shape)
        part[axis] = d.integer(0, 4)
        values.append(d.array(dtype, tuple(part)))
    return Sample(
        [values], {"axis": axis, "new_axis": 0} if d.flag() else {"axis": axis}, [np.concatenate(values, axis)]
    )


def content(d: Draw) -> tuple[Any, onnx.TypeProto]:
    dtype = d.choice(DTYPES)
    if d.flag():
        return items(d, dtype), sequence_of(dtype)
    return d.array(dtype), tensor_of(dtype)


@prop("Optional")
def optional(d: Draw) -> Sample:
    value, kind = content(d)
    outputs = [helper.make_optional_type_proto(kind)]
    if d.flag():
        return Sample([], {"type": kind}, [None], outputs=outputs)
    return Sample([value], {}, [value], outputs=outputs, input_types={0: kind})


@prop("OptionalGetElement")
def optional_get_element(d: Draw) -> Sample:
    value, kind = content(d)
    given = kind if d.version >= 18 and d.flag() else helper.make_optional_type_proto(kind)
    return Sample([value], answer=[value], outputs=[kind], input_types={0: given})


@prop("OptionalHasElement")
def optional_has_element(d: Draw) -> Sample:
    value, kind = content(d)
    given = helper.make_optional_type_proto(kind)
    how = d.choice(["full", "empty", *(["plain", "absent"] if d.version >= 18 else [])])
    if how == "absent":
        return Sample([], answer=[np.array(False)])
    if how == "empty":
        return Sample([None], answer=[np.array(False)], input_types={0: given})
    return Sample([value], answer=[np.array(True)], input_types={0: kind if how == "plain" else given})
