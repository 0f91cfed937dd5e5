"""Reduce*, ArgMax and ArgMin against numpy, onnx.reference and onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conformance.backends import Prepare
from tests.ops.harness import check
from tests.ops.strategies import arrays, axes, shapes

KINDS = [
    "Sum",
    "Mean",
    "Max",
    "Min",
    "Prod",
    "L1",
    "L2",
    "LogSum",
    "LogSumExp",
    "SumSquare",
]


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_reduce(backend: Prepare, kind: str, data: st.DataObject) -> None:
    # The reference's LogSumExp does not take scalars.
    shape = data.draw(shapes(min_rank=int(kind == "LogSumExp"), max_rank=5, allow_zero=False))
    x = data.draw(arrays(np.float32, st.just(shape), special=False))
    x = abs(x) if kind == "LogSum" else np.clip(x, -1.5, 1.5)
    chosen = data.draw(st.sets(st.integers(0, len(shape) - 1))) if shape else set()
    given_axes = np.array([a - len(shape) if a % 2 else a for a in chosen], np.int64)
    how: dict[str, Any] = {
        "keepdims": data.draw(st.integers(0, 1)),
        "noop_with_empty_axes": data.draw(st.integers(0, 1)),
    }
    check(
        backend,
        f"Reduce{kind}",
        [x, given_axes if len(chosen) else None],
        opset=20,
        rtol=1e-4,
        atol=1e-5,
        **how,
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("opset", [1, 11, 13])
def test_axes_as_attribute(backend: Prepare, kind: str, opset: int) -> None:
    if kind == "Sum" and opset == 13:
        pytest.skip("an input since opset 13")
    x = abs(random(3, 5, 7)) + 0.1
    check(backend, f"Reduce{kind}", [x], axes=[0, 2], keepdims=0, opset=opset, rtol=1e-4)


@pytest.mark.parametrize("kind", ["Sum", "Mean", "Max", "Min", "Prod", "L1", "SumSquare"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers(backend: Prepare, kind: str, dtype: Any) -> None:
    x = np.random.default_rng(0).integers(-7, 8, (3, 33, 4)).astype(dtype)
    expected = {
        "Sum": x.sum(1),
        "Mean": np.trunc(x.sum(1) / 33).astype(dtype),
        "Max": x.max(1),
        "Min": x.min(1),
        "Prod": x.prod(1, dtype=dtype),
        "L1": abs(x).sum(1),
        "SumSquare": (x * x).sum(1),
    }[kind]
    axis = np.array([1], np.int64)
    check(
        backend,
        f"Reduce{kind}",
        [x, axis],
        keepdims=0,
        opset=20,
        oracle=[expected.astype(dtype)],
    )


@pytest.mark.parametrize("kind", ["Max", "Min"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint32, np.uint64, np.bool_, np.float16, np.float64])
def test_extrema_types(backend: Prepare, kind: str, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    x = (rng.random((5, 31)) * 200).astype(dtype)
    if dtype is np.uint64:
        x[0, 0] = 2**64 - 1
    want = x.max(1, keepdims=True) if kind == "Max" else x.min(1, keepdims=True)
    check(backend, f"Reduce{kind}", [x, np.array([-1], np.int64)], opset=20, oracle=[want])


@pytest.mark.parametrize("kind", KINDS)
def test_empty_set(backend: Prepare, kind: str) -> None:
    value = {
        "Max": -np.inf,
        "Min": np.inf,
        "Prod": 1,
        "LogSum": -np.inf,
        "LogSumExp": -np.inf,
        "Mean": np.nan,
    }
    want = np.full((2, 1, 3), value.get(kind, 0), np.float32)
    check(
        backend,
        f"Reduce{kind}",
        [np.zeros((2, 0, 3), np.float32), np.array([1])],
        opset=20,
        oracle=[want],
    )


@pytest.mark.parametrize("kind", ["Sum", "Mean", "Max", "SumSquare", "LogSumExp"])
@pytest.mark.parametrize("shape", [(100_003,), (3, 40_000), (40_000, 3), (7, 20_000, 2)])
def test_long_axes(backend: Prepare, kind: str, shape: tuple[int, ...]) -> None:
    x = random(*shape).astype(np.float32) + 1
    wide = x.astype(np.float64)
    axis = int(np.argmax(shape))
    want = {
        "Sum": wide.sum(axis),
        "Mean": wide.mean(axis),
        "Max": wide.max(axis),
        "SumSquare": (wide**2).sum(axis),
        "LogSumExp": np.log(np.exp(wide).sum(axis)),
    }[kind]
    expected = np.asarray(want, np.float32)
    check(
        backend,
        f"Reduce{kind}",
        [x, np.array([axis])],
        keepdims=0,
        opset=20,
        oracle=[expected],
        rtol=1e-6,
    )


def test_nan_and_infinity(backend: Prepare) -> None:
    x = np.array([[1, np.nan, 3], [np.inf, 1, 2], [-np.inf, -np.inf, -np.inf]], np.float32)
    axis = np.array([1])
    for kind, want in [
        ("Max", [np.nan, np.inf, -np.inf]),
        ("Min", [np.nan, 1, -np.inf]),
        ("LogSumExp", [np.nan, np.inf, -np.inf]),
    ]:
        check(
            backend,
            f"Reduce{kind}",
            [x, axis],
            keepdims=0,
            opset=20,
            oracle=[np.array(want, np.float32)],
        )


@pytest.mark.parametrize("kind", ["ArgMax", "ArgMin"])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_arg(backend: Prepare, kind: str, data: st.DataObject) -> None:
    shape = data.draw(shapes(min_rank=1, max_rank=4, allow_zero=False))
    dtype = data.draw(st.sampled_from([np.float32, np.float64, np.int8, np.int32, np.int64, np.uint8]))
    x = data.draw(arrays(dtype, st.just(shape), special=False))
    if data.draw(st.booleans()):
        x = (x * 0).astype(dtype)  # all equal
    how: dict[str, Any] = {
        "axis": data.draw(axes(len(shape))),
        "keepdims": data.draw(st.integers(0, 1)),
        "select_last_index": data.draw(st.integers(0, 1)),
    }
    check(backend, kind, [x], **how)
