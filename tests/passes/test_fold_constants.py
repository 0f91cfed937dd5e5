"""What is computed at load: weights that operators pack, but nothing that only makes the model larger."""

from __future__ import annotations

from typing import Any

import numpy as np

import onnxlet
from tests.passes.graphs import Builder, check, make

PASS = "fold_constants"
rng = np.random.default_rng(17)
X = rng.normal(0, 1, (2, 64)).astype(np.float32)
STORED = rng.integers(-127, 128, (64, 96)).astype(np.int8)  # expanded it is larger than what may always be added
FLOAT = 1


def expanded(g: Builder, stored: np.ndarray[Any, Any] = STORED) -> Any:
    return g.Mul(g.Cast(stored, to=FLOAT), np.full((1, 96), 0.01, np.float32))


def test_weights_that_are_packed_are_expanded(engine: str) -> None:
    assert check(engine, PASS, lambda g, x: g.MatMul(x, expanded(g)), [X]) == (["MatMul"], ["Cast", "Mul", "MatMul"])


def test_half_precision_weights_too(engine: str) -> None:
    weights = rng.normal(0, 1, (96, 64)).astype(np.float16)

    def expression(g: Builder, x: Any) -> Any:
        return g.MatMul(x, g.Transpose(g.Cast(weights, to=FLOAT), perm=[1, 0]))

    assert check(engine, PASS, expression, [X])[0] == ["MatMul"]


def test_weights_of_recurrent_networks_too(engine: str) -> None:
    w, r = (rng.integers(-127, 128, (1, 4 * 32, size)).astype(np.int8) for size in (16, 32))
    scale = np.full(4 * 32, 0.002, np.float32)

    def expression(g: Builder, x: Any) -> Any:
        kept = [g.DequantizeLinear(weights, scale, axis=1) for weights in (w, r)]
        return g.LSTM(x, *kept, outputs=3, hidden_size=32)

    sequence = rng.normal(0, 1, (5, 2, 16)).astype(np.float32)
    on, off = check(engine, PASS, expression, [sequence])
    assert on == ["LSTM"]
    assert off == ["DequantizeLinear", "DequantizeLinear", "LSTM"]


def test_another_shape_of_shared_weights_costs_nothing(engine: str) -> None:
    """Weights that one node reads as they are, and another as a matrix of another shape."""
    table = rng.normal(0, 1, (96, 64)).astype(np.float32)

    def expression(g: Builder, x: Any) -> Any:
        shared = g._name(table)
        return g.MatMul(x, g.Reshape(shared, [64, 96])), g.Mul(shared, g.ReduceSum(x, keepdims=0))

    others = ["MatMul", "ReduceSum", "Mul"]
    assert check(engine, PASS, expression, [X], atol=1e-4) == (others, ["Reshape", *others])


def test_values_that_other_nodes_read_stay_small(engine: str) -> None:
    def expression(g: Builder, x: Any) -> Any:
        w = expanded(g)
        return g.MatMul(x, w), g.Relu(w)

    on, off = check(engine, PASS, expression, [X])
    assert on == off == ["Cast", "Mul", "MatMul", "Relu"]


def test_outputs_stay_small(engine: str) -> None:
    def expression(g: Builder, x: Any) -> Any:
        w = expanded(g)
        return g.MatMul(x, w), w

    on, off = check(engine, PASS, expression, [X])
    assert on == off == ["Cast", "Mul", "MatMul"]


def test_packed_weights_are_held_once(engine: str) -> None:
    """What is left in use is the packed form, not the expanded constant beside it."""
    session = onnxlet.InferenceSession(make(lambda g, x: g.MatMul(x, expanded(g)), [X]), _engine=engine)
    assert STORED.size * 4 <= session.memory["in_use"] < STORED.size * 6
    session.run(None, {"x0": X})
    session.close()
