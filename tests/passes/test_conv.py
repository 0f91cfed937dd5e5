"""What convolutions do to their results: residuals and activations, in both layouts, and what must stay apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.passes.graphs import Builder, Expression, check

PASS = "fuse_conv"


def numbers(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(sum(shape)).normal(0, 1, shape).astype(np.float32)


def conv(g: Builder, x: Any, out: int = 4, channels: int = 4, size: int = 3, group: int = 1) -> Any:
    weights = numbers(out, channels // group, size, size) * 0.3
    return g.Conv(x, weights, numbers(out), group=group, pads=[size // 2] * 4)


# What is computed from x [2, 4, 9, 11], and what is left of it.
FUSED: dict[str, tuple[Expression, list[str]]] = {
    "relu": (lambda g, x: g.Relu(conv(g, x)), ["FusedConv"]),
    "relu6": (lambda g, x: g.Clip(conv(g, x), 0.0, 6.0), ["FusedConv"]),
    "clip from below": (lambda g, x: g.Clip(conv(g, x), -0.5), ["FusedConv"]),
    "clip from above": (lambda g, x: g.Clip(conv(g, x), None, 0.25), ["FusedConv"]),
    "residual": (lambda g, x: g.Add(conv(g, x), x), ["FusedConv"]),
    "residual first": (lambda g, x: g.Add(x, conv(g, x)), ["FusedConv"]),
    "residual, relu": (lambda g, x: g.Relu(g.Sum(conv(g, x), x)), ["FusedConv"]),
    "two branches": (
        lambda g, x: g.Relu(g.Add(conv(g, x, 6), conv(g, x, 6, size=1))),
        ["Conv", "FusedConv"],
    ),
    "a chain of blocks": (
        lambda g, x: (lambda y: g.Relu(g.Add(conv(g, g.Relu(conv(g, y))), y)))(g.Relu(g.Add(conv(g, x), x))),
        ["FusedConv"] * 3,
    ),
    "depthwise": (lambda g, x: g.Clip(g.Add(conv(g, x, group=4), x), 0.0, 1.0), ["FusedConv"]),
    "strips of pixels": (lambda g, x: g.Relu(g.Add(conv(g, x, size=1), x)), ["FusedConv"]),
    "a residual that broadcasts": (
        lambda g, x: g.Relu(g.Add(conv(g, x), g.GlobalAveragePool(x))),
        ["GlobalAveragePool", "FusedConv"],
    ),
    "a result that broadcasts": (
        lambda g, x: g.Relu(g.Add(conv(g, g.GlobalAveragePool(x)), x)),
        ["GlobalAveragePool", "FusedConv"],
    ),
}
APART: dict[str, Expression] = {
    "another reader": lambda g, x: (lambda y: (g.Relu(y), g.Neg(y)))(conv(g, x)),
    "an output": lambda g, x: (lambda y: (g.Relu(y), y))(conv(g, x)),
    "added to itself": lambda g, x: (lambda y: g.Add(y, y))(conv(g, x)),
    "bounds that are computed": lambda g, x: g.Clip(conv(g, x), g.ReduceMin(x, keepdims=0)),
}


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("name", FUSED)
def test_it_becomes_part_of_the_convolution(engine: str, name: str, layout: str) -> None:
    expression, expected = FUSED[name]
    if layout == "NCHW":
        assert check(engine, PASS, expression, [numbers(2, 4, 9, 11)], rtol=1e-4, atol=1e-4)[0] == expected
        return
    left, _ = check(engine, "channels_last", expression, [numbers(2, 4, 9, 11)], rtol=1e-4, atol=1e-4)
    assert [op for op in left if op != "Transpose"] == expected


@pytest.mark.parametrize("name", APART)
def test_it_stays_apart(engine: str, name: str) -> None:
    left, without = check(engine, PASS, APART[name], [numbers(2, 4, 9, 11)], rtol=1e-4, atol=1e-4)
    assert left == without
