"""RNN, GRU and LSTM against onnxruntime, which implements every option (onnx.reference does not)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conformance.backends import Prepare
from tests.ops.harness import check
from tests.support.oracle import within_oracle

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
ORT: dict[str, Any] = {"oracle": "onnxruntime", "rtol": 1e-4, "atol": 1e-5}


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng([seed, *shape]).normal(size=shape) * 0.5).astype(np.float32)


def operands(
    op: str,
    length: int,
    batch: int,
    size: int,
    hidden: int,
    directions: int,
    full: bool,
) -> list[Any]:
    n = GATES[op] * hidden
    inputs: list[Any] = [
        random(length, batch, size),
        random(directions, n, size, seed=1),
        random(directions, n, hidden, seed=2),
    ]
    if full:
        state = (directions, batch, hidden)
        lengths = np.random.default_rng(0).integers(1, length + 1, batch).astype(np.int32)
        lengths[0] = length
        inputs += [random(directions, 2 * n, seed=3), lengths, random(*state, seed=4)]
        if op == "LSTM":
            inputs += [random(*state, seed=5), random(directions, 3 * hidden, seed=6)]
    return inputs


@pytest.mark.parametrize("op", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(("length", "batch", "size", "hidden"), [(1, 1, 1, 1), (5, 3, 4, 6), (7, 5, 13, 17)])
def test_recurrent(
    backend: Prepare,
    op: str,
    direction: str,
    full: bool,
    length: int,
    batch: int,
    size: int,
    hidden: int,
) -> None:
    directions = 2 if direction == "bidirectional" else 1
    inputs = operands(op, length, batch, size, hidden, directions, full)
    outputs = [np.float32] * (3 if op == "LSTM" else 2)
    for constants in ([], [1, 2]):
        check(
            backend,
            op,
            inputs,
            outputs=outputs,
            constants=constants,
            direction=direction,
            hidden_size=hidden,
            opset=14,
            **ORT,
        )


@pytest.mark.parametrize("op", ["GRU", "LSTM"])
def test_clip(backend: Prepare, op: str) -> None:
    inputs = operands(op, 6, 2, 3, 5, 1, True)
    check(
        backend,
        op,
        inputs,
        outputs=[np.float32] * 2,
        clip=0.3,
        hidden_size=5,
        opset=14,
        **ORT,
    )


@pytest.mark.parametrize("before_reset", [0, 1])
@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
def test_gru_linear_before_reset(backend: Prepare, before_reset: int, direction: str) -> None:
    directions = 2 if direction == "bidirectional" else 1
    inputs = operands("GRU", 6, 3, 3, 5, directions, True)
    check(
        backend,
        "GRU",
        inputs,
        outputs=[np.float32] * 2,
        linear_before_reset=before_reset,
        direction=direction,
        hidden_size=5,
        opset=14,
        **ORT,
    )


def test_lstm_input_forget(backend: Prepare) -> None:
    inputs = operands("LSTM", 6, 3, 3, 5, 1, True)
    check(
        backend,
        "LSTM",
        inputs,
        outputs=[np.float32] * 3,
        input_forget=1,
        hidden_size=5,
        opset=14,
        **ORT,
    )


@pytest.mark.parametrize(
    ("names", "alpha", "beta"),
    [
        (["HardSigmoid", "Relu", "Softsign"], [0.3], [0.4]),
        (["Sigmoid", "LeakyRelu", "Softplus"], [0.2], []),
        (["Affine", "ScaledTanh", "Elu"], [0.5, 0.8, 0.9], [0.1, 0.7]),
        (["Sigmoid", "ThresholdedRelu", "Tanh"], [0.1], []),
    ],
)
def test_lstm_activations(backend: Prepare, names: list[str], alpha: list[float], beta: list[float]) -> None:
    inputs = operands("LSTM", 4, 2, 3, 5, 1, True)
    check(
        backend,
        "LSTM",
        inputs,
        outputs=[np.float32] * 3,
        activations=names,
        activation_alpha=alpha,
        activation_beta=beta or None,
        hidden_size=5,
        opset=14,
        **ORT,
    )


@pytest.mark.parametrize("op", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
def test_batch_first(backend: Prepare, op: str, direction: str) -> None:
    """onnxruntime has no layout 1: the same model with layout 0 is the oracle."""
    directions = 2 if direction == "bidirectional" else 1
    inputs = operands(op, 5, 3, 4, 6, directions, True)
    outputs = 3 if op == "LSTM" else 2
    how: dict[str, Any] = {
        "direction": direction,
        "hidden_size": 6,
        "opset": 14,
        "outputs": [np.float32] * outputs,
    }
    first = check(backend, op, inputs, **how, **ORT)
    swapped = [i if i is None else np.swapaxes(i, 0, 1).copy() if k in (0, 5, 6) else i for k, i in enumerate(inputs)]
    expected = [np.moveaxis(first[0], 2, 0), *(np.swapaxes(s, 0, 1) for s in first[1:])]
    check(backend, op, swapped, layout=1, oracle=expected, **how)


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_types(backend: Prepare, dtype: Any) -> None:
    inputs = [x.astype(dtype) if x.dtype == np.float32 else x for x in operands("LSTM", 4, 2, 3, 5, 1, False)]
    tolerance = 5e-3 if dtype is np.float16 else 1e-5
    check(
        backend,
        "LSTM",
        inputs,
        outputs=[dtype] * 3,
        hidden_size=5,
        opset=14,
        rtol=tolerance,
        atol=tolerance,
    )


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("per_column", [False, True])
def test_dynamic_quantize_lstm(backend: Prepare, direction: str, per_column: bool) -> None:
    rng = np.random.default_rng(0)
    d, size, hidden = (2 if direction == "bidirectional" else 1), 8, 16
    scales = (d, 4 * hidden) if per_column else (d,)
    inputs = [
        random(5, 1, size),
        within_oracle(rng.integers(-127, 127, (d, size, 4 * hidden), dtype=np.int8)),
        within_oracle(rng.integers(-127, 127, (d, hidden, 4 * hidden), dtype=np.int8)),
        random(d, 8 * hidden, seed=1),
        None,
        random(d, 1, hidden, seed=2),
        random(d, 1, hidden, seed=3),
        None,
        (rng.random(scales) * 0.004 + 0.002).astype(np.float32),
        np.zeros(scales, np.int8),
        (rng.random(scales) * 0.004 + 0.002).astype(np.float32),
        np.zeros(scales, np.int8),
    ]
    check(
        backend,
        "DynamicQuantizeLSTM",
        inputs,
        domain="com.microsoft",
        outputs=[np.float32] * 3,
        constants=[1, 2, 8, 9, 10, 11],
        direction=direction,
        hidden_size=hidden,
        oracle="onnxruntime",
        rtol=1e-3,
        atol=1e-4,
    )
