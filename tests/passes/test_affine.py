"""Factors and summands per channel that go into the constants before them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.passes.graphs import Builder, Expression, check

PASS = "fold_affine"
rng = np.random.default_rng(11)


def numbers(*shape: int, dtype: Any = np.float32) -> np.ndarray[Any, Any]:
    return rng.normal(0, 1, shape).astype(dtype)


def positive(*shape: int, dtype: Any = np.float32) -> np.ndarray[Any, Any]:
    return rng.uniform(0.1, 2, shape).astype(dtype)


def batch_norm(g: Builder, x: Any, channels: int, dtype: Any = np.float32, **attributes: Any) -> Any:
    scale, bias, mean = (numbers(channels, dtype=dtype) for _ in range(3))
    return g.BatchNormalization(x, scale, bias, mean, positive(channels, dtype=dtype), **attributes)


W = numbers(6, 4, 3, 3)
WT = numbers(4, 3, 2, 2)
X = numbers(2, 4, 5, 7)
M = numbers(5, 8)

FOLDED: dict[str, tuple[Expression, list[np.ndarray[Any, Any]], list[str]]] = {
    "conv": (lambda g, x: batch_norm(g, g.Conv(x, W, pads=[1, 1, 1, 1]), 6), [X], ["Conv"]),
    "conv with bias": (lambda g, x: batch_norm(g, g.Conv(x, W, numbers(6)), 6, epsilon=1e-3), [X], ["Conv"]),
    "grouped conv": (lambda g, x: batch_norm(g, g.Conv(x, numbers(8, 2, 1, 3), group=2), 8), [X], ["Conv"]),
    "depthwise conv": (lambda g, x: batch_norm(g, g.Conv(x, numbers(4, 1, 3, 3), group=4), 4), [X], ["Conv"]),
    "conv of one axis": (
        lambda g, x: batch_norm(g, g.Conv(x, numbers(3, 4, 2)), 3),
        [numbers(2, 4, 9)],
        ["Conv"],
    ),
    "conv transpose": (lambda g, x: batch_norm(g, g.ConvTranspose(x, WT, strides=[2, 2]), 3), [X], ["ConvTranspose"]),
    "grouped conv transpose": (
        lambda g, x: batch_norm(g, g.ConvTranspose(x, WT, group=2, output_padding=[1, 0], strides=[2, 2]), 6),
        [X],
        ["ConvTranspose"],
    ),
    "conv, mul, add": (
        lambda g, x: g.Add(g.Mul(g.Conv(x, W), numbers(6, 1, 1)), numbers(1, 6, 1, 1)),
        [X],
        ["Conv"],
    ),
    "conv, sub, div": (
        lambda g, x: g.Div(g.Sub(numbers(6, 1, 1), g.Conv(x, W)), positive(1, 6, 1, 1)),
        [X],
        ["Conv"],
    ),
    "conv, scalars": (lambda g, x: g.Sub(g.Mul(2.0, g.Conv(x, W)), np.ones((1, 1), np.float32)), [X], ["Conv"]),
    "batch norm, mul, add": (
        lambda g, x: g.Add(
            g.Mul(batch_norm(g, g.MaxPool(g.Conv(x, W), kernel_shape=[2, 2]), 6), numbers(6, 1, 1)), 2.0
        ),
        [X],
        ["Conv", "MaxPool", "BatchNormalization"],
    ),
    "gemm": (lambda g, x: batch_norm(g, g.Gemm(x, numbers(8, 3), numbers(3)), 3), [M], ["Gemm"]),
    "gemm with factors": (
        lambda g, x: g.Mul(g.Gemm(x, numbers(3, 8), numbers(1, 3), transB=1, alpha=0.5, beta=3.0), numbers(3)),
        [M],
        ["Gemm"],
    ),
    "gemm without C": (lambda g, x: batch_norm(g, g.Gemm(x, numbers(8, 3)), 3), [M], ["Gemm"]),
    "matmul": (lambda g, x: g.Mul(g.MatMul(x, numbers(8, 3)), numbers(3)), [numbers(2, 5, 8)], ["MatMul"]),
}


@pytest.mark.parametrize("name", FOLDED)
def test_it_goes_into_the_constants(engine: str, name: str) -> None:
    expression, feeds, wanted = FOLDED[name]
    on, off = check(engine, PASS, expression, feeds, rtol=1e-4, atol=1e-4)
    assert on == wanted
    assert len(off) > len(wanted)


def test_doubles(engine: str) -> None:
    x, w = numbers(1, 4, 5, 5, dtype=np.float64), numbers(2, 4, 3, 3, dtype=np.float64)
    on, _ = check(
        engine,
        PASS,
        lambda g, x: batch_norm(g, g.Conv(x, w), 2, np.float64),
        [x],
        oracle="reference",
        rtol=1e-6,
        atol=1e-6,
    )
    assert on == ["Conv"]


def two_readers(g: Builder, x: Any) -> Any:
    y = g.Conv(x, W)
    return batch_norm(g, y, 6), g.Relu(y)


def shared_weights(g: Builder, x: Any) -> Any:
    name = g._name(W)
    return batch_norm(g, g.Conv(x, name), 6), g.Conv(x, name)


NEAR_MISSES: dict[str, Expression] = {
    "the result is read elsewhere": two_readers,
    "the weights are read elsewhere": shared_weights,
    "another axis": lambda g, x: g.Mul(g.Conv(x, W), numbers(1, 5)),
    "other channels make the shape": lambda g, x: g.Add(g.Conv(x, W[:1]), numbers(6, 1, 1)),
    "more axes": lambda g, x: g.Add(g.Conv(x, W), numbers(1, 1, 1, 1, 1)),
    "no constant": lambda g, x: g.Mul(g.Conv(x, W), g.ReduceMax(x, keepdims=1)),
    "constant over the result": lambda g, x: g.Div(1.0, g.Conv(x, W)),
    "infinite factor": lambda g, x: g.Div(g.Conv(x, W), 0.0),
    "half precision": lambda g, x: g.Mul(g.Conv(g.Cast(x, to=10), W.astype(np.float16)), numbers(1).astype(np.float16)),
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_it_stays_as_it_is(engine: str, name: str) -> None:
    tolerance = 2e-2 if name == "half precision" else 1e-4
    on, off = check(engine, PASS, NEAR_MISSES[name], [X], rtol=tolerance, atol=tolerance)
    assert on == off


def test_training_mode_stays(engine: str) -> None:
    def expression(g: Builder, x: Any) -> Any:
        y = g.Conv(x, W)
        return g.BatchNormalization(y, numbers(6), numbers(6), numbers(6), positive(6), training_mode=1, outputs=3)

    on, off = check(engine, PASS, expression, [X], oracle="reference", rtol=1e-4, atol=1e-4)
    assert on == off == ["Conv", "BatchNormalization"]
