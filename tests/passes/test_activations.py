"""Activations spelled out in arithmetic, with the pass and without, against onnxruntime; and what only looks like one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.passes.graphs import Builder, Expression, check

PASS = "fuse_activations"
SQRT2, TANH = 1.4142135, 0.7978845608


def numbers(*shape: int, dtype: Any = np.float32) -> np.ndarray[Any, Any]:
    return np.random.default_rng(7).normal(0, 3, shape).astype(dtype)


def tanh_argument(g: Builder, x: Any) -> Any:
    return g.Mul(g.Add(x, g.Mul(g.Pow(x, 3.0), 0.044715)), TANH)


FUSED: dict[str, tuple[Expression, list[str]]] = {
    "gelu of PyTorch": (lambda g, x: g.Mul(g.Mul(x, g.Add(g.Erf(g.Div(x, SQRT2)), 1.0)), 0.5), ["Gelu"]),
    "gelu of TensorFlow": (lambda g, x: g.Mul(g.Mul(0.5, x), g.Add(1.0, g.Erf(g.Mul(x, 1 / SQRT2)))), ["Gelu"]),
    "gelu of Paddle": (lambda g, x: g.Mul(g.Mul(g.Add(g.Erf(g.Div(x, SQRT2)), 1.0), x), 0.5), ["Gelu"]),
    "gelu spread out": (
        lambda g, x: g.Add(g.Mul(0.5, x), g.Mul(g.Mul(x, 0.5), g.Erf(g.Div(x, SQRT2)))),
        ["Gelu"],
    ),
    "gelu by tanh": (
        lambda g, x: g.Mul(g.Mul(x, 0.5), g.Add(g.Tanh(tanh_argument(g, x)), 1.0)),
        ["Gelu"],
    ),
    "gelu by sigmoid": (lambda g, x: g.Mul(x, g.Sigmoid(g.Mul(tanh_argument(g, x), 2.0))), ["Gelu"]),
    "silu": (lambda g, x: g.Mul(x, g.Sigmoid(x)), ["Swish"]),
    "quick gelu": (lambda g, x: g.Mul(g.Sigmoid(g.Mul(x, 1.702)), x), ["Swish"]),
    "mish": (lambda g, x: g.Mul(x, g.Tanh(g.Softplus(x))), ["Mish"]),
    "hard swish": (lambda g, x: g.Div(g.Mul(x, g.Clip(g.Add(x, 3.0), 0.0, 6.0)), 6.0), ["HardSwish"]),
    "hard swish, divided first": (
        lambda g, x: g.Mul(x, g.Div(g.Clip(g.Add(3.0, x), 0.0, 6.0), 6.0)),
        ["HardSwish"],
    ),
    "hard swish by hard sigmoid": (
        lambda g, x: g.Mul(g.HardSigmoid(x, alpha=1 / 6, beta=0.5), x),
        ["HardSwish"],
    ),
    "hard sigmoid": (lambda g, x: g.Clip(g.Add(g.Mul(x, 0.2), 0.5), 0.0, 1.0), ["HardSigmoid"]),
    "relu6": (lambda g, x: g.Min(g.Max(x, 0.0), 6.0), ["Clip"]),
    "relu6 by relu": (lambda g, x: g.Min(6.0, g.Relu(x)), ["Clip"]),
}


@pytest.mark.parametrize("name", FUSED)
def test_it_becomes_one_operator(engine: str, name: str) -> None:
    expression, wanted = FUSED[name]
    for shape in ((3, 37), (), (0, 4)):
        on, off = check(engine, PASS, expression, [numbers(*shape)])
        assert on == wanted
        assert len(off) > 1


def test_bounds_keep_nan_and_infinities(engine: str) -> None:
    x = np.array([np.nan, np.inf, -np.inf, -1, 3, 9], np.float32)
    assert check(engine, PASS, lambda g, x: g.Min(g.Max(x, 0.0), 6.0), [x])[0] == ["Clip"]


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-6), (np.float16, 4e-3)])
def test_other_float_types(engine: str, dtype: Any, rtol: float) -> None:
    root2 = dtype(np.sqrt(2.0))
    on, _ = check(
        engine,
        PASS,
        lambda g, x: g.Mul(g.Mul(x, g.Add(g.Erf(g.Div(x, root2)), 1.0)), 0.5),
        [numbers(5, 7, dtype=dtype)],
        rtol=rtol,
        atol=rtol,
        oracle="reference",  # onnxruntime has no Erf of double; this one rounds it to float
    )
    assert on == ["Gelu"]
    on, _ = check(engine, PASS, lambda g, x: g.Mul(x, g.Sigmoid(x)), [numbers(5, 7, dtype=dtype)], rtol=rtol, atol=rtol)
    assert on == ["QuickGelu" if dtype is np.float64 else "Swish"]


def gelu(g: Builder, x: Any, root: float = SQRT2, one: float = 1.0, half: float = 0.5) -> Any:
    return g.Mul(g.Mul(x, g.Add(g.Erf(g.Div(x, root)), one)), half)


NEAR_MISSES: dict[str, Expression] = {
    "another root": lambda g, x: gelu(g, x, root=1.41),
    "another summand": lambda g, x: gelu(g, x, one=1.01),
    "another factor": lambda g, x: gelu(g, x, half=0.51),
    "constants for each column": lambda g, x: gelu(g, x, half=np.full(4, 0.5, np.float32)),
    "the argument is another value": lambda g, x: g.Mul(g.Mul(x, g.Add(g.Erf(g.Div(g.Abs(x), SQRT2)), 1.0)), 0.5),
    "hard sigmoid of another slope": lambda g, x: g.Mul(x, g.HardSigmoid(x)),
    "gate of another value": lambda g, x: g.Mul(g.Neg(x), g.Sigmoid(x)),
    "bounds that cross": lambda g, x: g.Min(g.Max(x, 7.0), 6.0),
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_it_stays_as_it_is(engine: str, name: str) -> None:
    on, off = check(engine, PASS, NEAR_MISSES[name], [numbers(3, 4)])
    assert on == off


def test_inner_values_that_are_outputs_stay(engine: str) -> None:
    def expression(g: Builder, x: Any) -> Any:
        gate = g.Sigmoid(x)
        return g.Mul(x, gate), gate

    on, off = check(engine, PASS, expression, [numbers(3, 4)])
    assert on == off == ["Sigmoid", "Mul"]


def test_axes_of_length_one_in_constants_count(engine: str) -> None:
    """The result has more axes than x."""
    two = np.full((1, 1, 1), 0.5, np.float32)
    on, off = check(engine, PASS, lambda g, x: gelu(g, x, half=two), [numbers(3, 4)])
    assert on == off
