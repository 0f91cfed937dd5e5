"""Softmax, LogSoftmax, Hardmax against onnx.reference and, for the coercion to 2-D, onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conformance.backends import Prepare
from tests.ops.harness import check
from tests.ops.strategies import arrays, axes, shapes


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_softmax(backend: Prepare, op: str, data: st.DataObject) -> None:
    shape = data.draw(shapes(min_rank=1, max_rank=4, allow_zero=False))
    x = data.draw(arrays(np.float32, st.just(shape), special=False)) * 5
    check(
        backend,
        op,
        [x],
        axis=data.draw(axes(len(shape))),
        opset=13,
        rtol=1e-5,
        atol=1e-6,
    )


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
@pytest.mark.parametrize("opset", [1, 11])
@pytest.mark.parametrize("axis", [None, 0, 1, 2])
def test_coercion_to_2d(backend: Prepare, op: str, opset: int, axis: int | None) -> None:
    x = np.random.default_rng(0).normal(size=(3, 5, 7)).astype(np.float32)
    rows = x.reshape(int(np.prod(x.shape[: 1 if axis is None else axis])), -1).astype(np.float64)
    e = np.exp(rows - rows.max(1, keepdims=True))
    soft = e / e.sum(1, keepdims=True)
    want = {
        "Softmax": soft,
        "LogSoftmax": np.log(soft),
        "Hardmax": (rows == rows.max(1, keepdims=True)) * 1.0,
    }[op]
    check(
        backend,
        op,
        [x],
        axis=axis,
        opset=opset,
        oracle=[want.reshape(x.shape).astype(np.float32)],
    )


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize("dtype", [np.float16, np.float64])
@pytest.mark.parametrize("axis", [0, -1])
def test_types(backend: Prepare, op: str, dtype: Any, axis: int) -> None:
    x = (np.random.default_rng(0).normal(size=(33, 65)) * 3).astype(dtype)
    wide = x.astype(np.float64)
    e = np.exp(wide - wide.max(axis, keepdims=True))
    want = e / e.sum(axis, keepdims=True)
    expected = (np.log(want) if op == "LogSoftmax" else want).astype(dtype)
    tolerance = 2e-3 if dtype is np.float16 else 1e-12
    check(backend, op, [x], axis=axis, oracle=[expected], rtol=tolerance, atol=tolerance)


def test_extremes(backend: Prepare) -> None:
    x = np.array([[1e30, 0, -1e30], [-np.inf, 0, 0], [np.nan, 0, 0]], np.float32)
    want = np.array([[1, 0, 0], [0, 0.5, 0.5], [np.nan] * 3], np.float32)
    check(backend, "Softmax", [x], oracle=[want])


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0,)])
def test_empty(backend: Prepare, shape: tuple[int, ...]) -> None:
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        check(
            backend,
            op,
            [np.zeros(shape, np.float32)],
            oracle=[np.zeros(shape, np.float32)],
        )
