"""The knapsack against trying everything."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from onnxlet.packing.knapsack import Front

Layers = list[list[tuple[int, float]]]


def problem(seed: int, layers: int = 5, options: int = 4) -> Layers:
    rng = np.random.default_rng(seed)
    return [[(-int(rng.integers(1, 60)), float(rng.uniform(0, 9))) for _ in range(options)] for _ in range(layers)]


@pytest.mark.parametrize("seed", range(8))
def test_the_front_is_exact(seed: int) -> None:
    layers = problem(seed)
    tried = []
    for chosen in itertools.product(range(4), repeat=5):
        options = [layer[k] for layer, k in zip(layers, chosen, strict=True)]
        tried.append((sum(size for size, _ in options), sum(cost for _, cost in options)))
    front = Front(layers)
    assert front.bound == 0
    for limit in range(min(size for size, _ in tried), max(size for size, _ in tried) + 1):
        choice = front[front.best_within(limit)]
        assert choice.size <= limit
        assert choice.cost == pytest.approx(min(cost for size, cost in tried if size <= limit))
        assert sum(layer[k][0] for layer, k in zip(layers, choice.options, strict=True)) == choice.size
        assert sum(layer[k][1] for layer, k in zip(layers, choice.options, strict=True)) == pytest.approx(choice.cost)


def test_few_states_keep_to_the_bound() -> None:
    layers = problem(3, layers=9)
    exact, rough = Front(layers), Front(layers, states=16)
    assert len(rough) <= 17 and 0 < rough.bound < 200
    assert rough[0].size == exact[0].size
    for limit in range(exact[0].size, 0, 7):
        best = exact[exact.best_within(limit)]
        assert rough[rough.best_within(limit + rough.bound)].cost <= best.cost + 1e-9


def test_nothing_fits() -> None:
    assert Front([[(10, 0.0), (5, 1.0)]]).best_within(4) == -1


def test_of_equals_the_first_is_taken() -> None:
    assert Front([[(5, 1.0), (5, 1.0), (5, 2.0)]])[0].options == (0,)
