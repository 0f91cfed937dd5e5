"""Channel shuffles between convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.passes.graphs import Builder, check

rng = np.random.default_rng(31)
W = rng.normal(0, 0.3, (12, 12, 3, 3)).astype(np.float32)
X = rng.normal(0, 1, (2, 12, 5, 7)).astype(np.float32)


def convolved(g: Builder, x: Any) -> Any:
    """A region that is worth its own layout."""
    for _ in range(4):
        x = g.Relu(g.Conv(x, W, pads=[1, 1, 1, 1]))
    return x


@pytest.mark.parametrize("groups", [2, 3, 12])
@pytest.mark.parametrize("batch", [2, -1, 0])
def test_it_moves_channels_where_they_are(engine: str, groups: int, batch: int) -> None:
    def expression(g: Builder, x: Any) -> Any:
        y = g.Reshape(convolved(g, x), [batch, groups, 12 // groups, 5, 7])
        return convolved(g, g.Reshape(g.Transpose(y, perm=[0, 2, 1, 3, 4]), [batch, 12, 5, 7]))

    on, off = check(engine, "fuse_shuffle", expression, [X], rtol=1e-3, atol=1e-3)
    assert on.count("Transpose") == 3  # into the region, the shuffle, out of it
    assert off.count("Transpose") == 5


def test_another_permutation_stays(engine: str) -> None:
    def expression(g: Builder, x: Any) -> Any:
        y = g.Reshape(convolved(g, x), [2, 3, 4, 5, 7])
        return convolved(g, g.Reshape(g.Transpose(y, perm=[0, 2, 1, 4, 3]), [2, 12, 5, 7]))

    on, off = check(engine, "fuse_shuffle", expression, [X], rtol=1e-3, atol=1e-3)
    assert on == off
