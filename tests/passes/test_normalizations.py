"""Layer normalizations spelled out, with the pass and without; and what only looks like one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.passes.graphs import Builder, Expression, check

PASS = "fuse_normalizations"
rng = np.random.default_rng(13)
X = rng.normal(1, 2, (3, 5, 8)).astype(np.float32)
SCALE, BIAS = rng.normal(0, 1, (2, 8)).astype(np.float32)


def root(g: Builder, d: Any, axes: list[int], epsilon: float = 1e-5) -> Any:
    return g.Sqrt(g.Add(g.ReduceMean(g.Pow(d, 2.0), axes=axes), epsilon))


def layer_norm(g: Builder, x: Any, *axes: int) -> Any:
    d = g.Sub(x, g.ReduceMean(x, axes=list(axes)))
    return g.Div(d, root(g, d, list(axes)))


def rms_norm(g: Builder, x: Any, epsilon: float = 1e-5) -> Any:
    return g.Mul(x, g.Reciprocal(root(g, x, [-1], epsilon)))


FUSED: dict[str, tuple[Expression, list[str]]] = {
    "layer norm": (lambda g, x: g.Add(g.Mul(layer_norm(g, x, -1), SCALE), BIAS), ["LayerNormalization"]),
    "layer norm of two axes": (lambda g, x: g.Mul(layer_norm(g, x, -2, -1), SCALE), ["LayerNormalization"]),
    "layer norm without scale": (lambda g, x: layer_norm(g, x, -1), ["LayerNormalization"]),
    "layer norm with a number": (lambda g, x: g.Add(g.Mul(layer_norm(g, x, -1), 2.0), BIAS), ["LayerNormalization"]),
    "rms norm": (lambda g, x: g.Mul(SCALE, rms_norm(g, x)), ["RMSNormalization"]),
    "rms norm without scale": (lambda g, x: rms_norm(g, x), ["RMSNormalization"]),
    "large epsilon": (lambda g, x: rms_norm(g, x, 0.5), ["RMSNormalization"]),
    "scale over other axes": (
        lambda g, x: g.Mul(layer_norm(g, x, -1), np.arange(15, dtype=np.float32).reshape(3, 5, 1)),
        ["LayerNormalization", "Mul"],
    ),
}


@pytest.mark.parametrize("name", FUSED)
def test_it_becomes_one_operator(engine: str, name: str) -> None:
    expression, wanted = FUSED[name]
    on, off = check(engine, PASS, expression, [X])
    assert on == wanted
    assert len(off) > len(wanted)


def test_axes_are_inputs_from_18_on(engine: str) -> None:
    def expression(g: Builder, x: Any) -> Any:
        d = g.Sub(x, g.ReduceMean(x, [-1]))
        return g.Div(d, g.Sqrt(g.Add(g.ReduceMean(g.Mul(d, d), [-1]), 1e-5)))

    assert check(engine, PASS, expression, [X], opset=18)[0] == ["LayerNormalization"]


@pytest.mark.parametrize("dtype", [np.float64, np.float16])
def test_other_float_types(engine: str, dtype: Any) -> None:
    tolerance = 1e-5 if dtype == np.float64 else 1e-2
    scale = SCALE.astype(dtype)
    on, _ = check(
        engine,
        PASS,
        lambda g, x: g.Mul(layer_norm(g, x, -1), scale),
        [X.astype(dtype)],
        oracle="reference",
        rtol=tolerance,
        atol=tolerance,
    )
    assert on == ["LayerNormalization"]


NEAR_MISSES: dict[str, Expression] = {
    "the middle axis": lambda g, x: layer_norm(g, x, 1),
    "the first axes": lambda g, x: layer_norm(g, x, -3, -2),
    "the root is an output": lambda g, x: (lambda r: (g.Div(x, r), r))(root(g, x, [-1])),
    "an epsilon for each column": lambda g, x: g.Div(
        x, g.Sqrt(g.Add(g.ReduceMean(g.Mul(x, x), axes=[-1]), np.full((8,), 1e-5, np.float32)))
    ),
    "the cube": lambda g, x: g.Div(x, g.Sqrt(g.Add(g.ReduceMean(g.Pow(g.Abs(x), 3.0), axes=[-1]), 1e-5))),
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_it_stays_as_it_is(engine: str, name: str) -> None:
    on, off = check(engine, PASS, NEAR_MISSES[name], [X])
    assert on == off
