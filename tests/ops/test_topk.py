"""TopK, CumSum and CumProd."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conformance.backends import Prepare
from tests.ops.harness import check
from tests.ops.strategies import arrays, axes, shapes


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_top_k(backend: Prepare, data: st.DataObject) -> None:
    shape = data.draw(shapes(min_rank=1, max_rank=4, allow_zero=False))
    dtype = data.draw(st.sampled_from([np.float32, np.float64, np.float16, np.int32, np.int64, np.int8, np.uint8]))
    x = data.draw(arrays(dtype, st.just(shape), special=False))
    axis = data.draw(axes(len(shape)))
    k = data.draw(st.integers(1, shape[axis]))
    largest = data.draw(st.integers(0, 1))
    check(
        backend,
        "TopK",
        [x, np.array([k], np.int64)],
        outputs=2,
        axis=axis,
        largest=largest,
        opset=24,
    )


@pytest.mark.parametrize("k", [0, 1, 7])
def test_top_k_of_equal_elements(backend: Prepare, k: int) -> None:
    x = np.ones((3, 7), np.float32)
    expected = [np.ones((3, k), np.float32), np.tile(np.arange(k), (3, 1))]
    for largest in (0, 1):
        check(
            backend,
            "TopK",
            [x, np.array([k])],
            outputs=2,
            largest=largest,
            oracle=expected,
        )


def test_top_k_with_nan_and_uint64(backend: Prepare) -> None:
    x = np.array([1, np.nan, np.inf, -np.inf], np.float32)
    check(
        backend,
        "TopK",
        [x, np.array([2])],
        outputs=2,
        oracle=[x[[1, 2]], np.array([1, 2])],
    )
    check(
        backend,
        "TopK",
        [x, np.array([2])],
        outputs=2,
        largest=0,
        oracle=[x[[3, 0]], np.array([3, 0])],
    )
    y = np.array([1, 2**63, 2**64 - 1, 5], np.uint64)
    check(
        backend,
        "TopK",
        [y, np.array([2])],
        outputs=2,
        oracle=[y[[2, 1]], np.array([2, 1])],
    )


@pytest.mark.parametrize("opset", [1, 10])
def test_old_top_k(backend: Prepare, opset: int) -> None:
    x = np.random.default_rng(0).normal(size=(3, 33)).astype(np.float32)
    order = np.argsort(-x, axis=1, kind="stable")[:, :5]
    expected = [np.take_along_axis(x, order, 1), order]
    if opset == 1:
        check(backend, "TopK", [x], outputs=2, k=5, opset=1, oracle=expected)
    else:
        check(backend, "TopK", [x, np.array([5])], outputs=2, opset=10, oracle=expected)


@pytest.mark.parametrize("op", ["CumSum", "CumProd"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint32, np.uint64])
@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_cumulative(backend: Prepare, op: str, dtype: Any, exclusive: int, reverse: int) -> None:
    x = (np.random.default_rng(0).random((3, 5, 7)) * 3 + 0.5).astype(dtype)
    for axis in (0, 1, -1):
        check(
            backend,
            op,
            [x, np.array(axis, np.int32)],
            exclusive=exclusive,
            reverse=reverse,
            opset=26 if op == "CumProd" else 14,
        )


@pytest.mark.parametrize("size", [1, 2, 3])
def test_ngram_repeat_block(backend: Prepare, size: int) -> None:
    ids = np.random.default_rng(0).integers(0, 4, (3, 12))
    scores = np.random.default_rng(1).normal(size=(3, 6)).astype(np.float32)
    how: dict[str, Any] = {"domain": "com.microsoft", "outputs": [np.float32], "oracle": "onnxruntime"}
    check(backend, "NGramRepeatBlock", [ids, scores], ngram_size=size, **how)
