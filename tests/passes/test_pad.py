"""Zeros around a picture that a convolution or an average adds itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.passes.graphs import Expression, check

PASS = "fuse_pad"
rng = np.random.default_rng(29)
X = rng.normal(1, 1, (2, 3, 6, 7)).astype(np.float32)
W = rng.normal(0, 1, (4, 3, 3, 2)).astype(np.float32)
AROUND = [0, 0, 1, 0, 0, 0, 2, 1]

FUSED: dict[str, Expression] = {
    "conv": lambda g, x: g.Conv(g.Pad(x, AROUND), W),
    "conv with pads and strides": lambda g, x: g.Conv(g.Pad(x, AROUND, 0.0), W, pads=[0, 1, 1, 0], strides=[2, 1]),
    "average": lambda g, x: g.AveragePool(g.Pad(x, AROUND), kernel_shape=[3, 3], strides=[2, 2]),
    "average with pads that count": lambda g, x: g.AveragePool(
        g.Pad(x, AROUND), kernel_shape=[4, 4], pads=[1, 1, 1, 1], count_include_pad=1
    ),
}


@pytest.mark.parametrize("name", FUSED)
def test_pad_goes(engine: str, name: str) -> None:
    on, off = check(engine, PASS, FUSED[name], [X], rtol=1e-4, atol=1e-4)
    assert off == ["Pad", *on]


STAYS: dict[str, Expression] = {
    "another value": lambda g, x: g.Conv(g.Pad(x, AROUND, 1.0), W),
    "another mode": lambda g, x: g.Conv(g.Pad(x, AROUND, mode="reflect"), W),
    "channels too": lambda g, x: g.Conv(g.Pad(x, [0, 1, 1, 0, 0, 0, 2, 1]), np.concatenate([W, W[:, :1]], 1)),
    "a maximum": lambda g, x: g.MaxPool(g.Pad(x, AROUND), kernel_shape=[3, 3]),
    "an average with pads that do not count": lambda g, x: g.AveragePool(
        g.Pad(x, AROUND), kernel_shape=[4, 4], pads=[1, 1, 1, 1]
    ),
    "an average with a ceiling": lambda g, x: g.AveragePool(
        g.Pad(x, AROUND), kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1
    ),
}


@pytest.mark.parametrize("name", STAYS)
def test_it_stays_as_it_is(engine: str, name: str) -> None:
    on, off = check(engine, PASS, STAYS[name], [X], rtol=1e-4, atol=1e-4)
    assert on == off


def test_pads_that_are_computed_stay(engine: str) -> None:
    def expression(g: Any, x: Any, pads: Any) -> Any:
        return g.Conv(g.Pad(x, g.Cast(pads, to=7)), W)

    on, off = check(engine, PASS, expression, [X, np.array(AROUND, np.float32)], rtol=1e-4, atol=1e-4)
    assert on == off
