"""RNN, GRU and LSTM on WebGPU, in Node, against the CPU: forms that the ONNX package has no cases of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conformance.javascript import GPU_OPTIONS
from tests.support.hosts import Host, HostError, Task
from tests.webgpu.sides import Arrays, Found, Make, model_of, run_both

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def recurrent(
    rng: np.random.Generator,
    op: str,
    length: int = 5,
    batch: int = 3,
    inputs: int = 7,
    hidden: int = 6,
    lengths: list[int] | None = None,
    states: bool = False,
    peepholes: bool = False,
    scale: float = 0.4,
    dtype: type = np.float32,
    **attributes: Any,
) -> tuple[bytes, Arrays]:
    """With biases; states are inputs of the model, weights are not."""
    directions = 2 if attributes.get("direction") == "bidirectional" else 1
    rows = GATES[op] * hidden
    by_batch = attributes.get("layout") == 1

    def normal(*shape: int) -> np.ndarray:
        return (scale * rng.standard_normal(shape)).astype(dtype)

    feeds: Arrays = {"x": normal(*((batch, length) if by_batch else (length, batch)), inputs)}
    constants: Arrays = {
        "w": normal(directions, rows, inputs),
        "r": normal(directions, rows, hidden),
        "b": normal(directions, 2 * rows),
    }
    names = ["x", "w", "r", "b", ""]
    if lengths is not None:
        feeds["lengths"], names[4] = np.array(lengths, np.int32), "lengths"
    state = (batch, directions, hidden) if by_batch else (directions, batch, hidden)
    if states:
        for name in ("h", "c")[: 2 if op == "LSTM" else 1]:
            feeds[name] = normal(*state)
            names.append(name)
    if peepholes:
        constants["p"] = normal(directions, 3 * hidden)
        names += [*([""] * (7 - len(names))), "p"]
    outputs = 3 if op == "LSTM" else 2
    result = 1 if dtype is np.float32 else 10
    return model_of(op, feeds, constants, names, outputs, "", result, hidden_size=hidden, **attributes), feeds


FUNCTIONS: dict[str, dict[str, Any]] = {
    "Relu": {},
    "Affine": {"activation_alpha": [0.7], "activation_beta": [0.1]},
    "LeakyRelu": {"activation_alpha": [0.2]},
    "ThresholdedRelu": {"activation_alpha": [0.3]},
    "ScaledTanh": {"activation_alpha": [0.9], "activation_beta": [1.1]},
    "HardSigmoid": {"activation_alpha": [0.3], "activation_beta": [0.4]},
    "Elu": {"activation_alpha": [0.5]},
    "Softsign": {},
    "Softplus": {},
    "Sigmoid": {},
}
BOTH: dict[str, Any] = {"direction": "bidirectional"}
CASES: dict[str, Make] = {
    **{
        f"{op}, {name}": partial(recurrent, op=op, **what)
        for op in GATES
        for name, what in {
            "both ways": BOTH,
            "both ways, of different lengths": {**BOTH, "lengths": [5, 0, 3], "states": True},
            "backwards, of different lengths": {"direction": "reverse", "lengths": [1, 5, 4]},
            "sequences first": {"layout": 1, "states": True},
            "sequences first, both ways, of different lengths": {
                **BOTH,
                "layout": 1,
                "lengths": [2, 5, 0],
                "states": True,
            },
            "clipped": {"clip": 0.3, "scale": 1.0},
            "large": {"hidden": 320, "batch": 2, "length": 4, "inputs": 65, "scale": 0.05, **BOTH},
            "one step of one sequence": {"length": 1, "batch": 1, "states": True, "hidden": 8},
        }.items()
    },
    "GRU, reset after the product": partial(
        recurrent, op="GRU", linear_before_reset=1, lengths=[5, 2, 0], states=True, clip=0.5, **BOTH
    ),
    "GRU, reset after the product, large": partial(
        recurrent, op="GRU", linear_before_reset=1, hidden=260, inputs=9, scale=0.05
    ),
    "LSTM, input and forget gates coupled": partial(recurrent, op="LSTM", input_forget=1, peepholes=True),
    "LSTM, peepholes": partial(
        recurrent, op="LSTM", peepholes=True, states=True, clip=0.7, lengths=[4, 5, 1], hidden=4, **BOTH
    ),
    **{
        f"RNN of {name}": partial(recurrent, op="RNN", activations=[name], scale=0.7, **parameters)
        for name, parameters in FUNCTIONS.items()
    },
    "LSTM, other functions": partial(
        recurrent,
        op="LSTM",
        activations=["HardSigmoid", "Softsign", "Elu"] * 2,
        activation_alpha=[0.3, 0.6] * 2,
        activation_beta=[0.45] * 2,
        **BOTH,
    ),
}

# What is left to the CPU, which says what is wrong where something is.
DECLINED: dict[str, Make] = {
    "another function for each direction": partial(recurrent, op="RNN", activations=["Tanh", "Relu"], **BOTH),
    "half floats": partial(recurrent, op="GRU", dtype=np.float16),
}


@pytest.fixture(scope="module")
def found(get_host: Callable[[str], Host], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Found]:
    return run_both(CASES | DECLINED, get_host, tmp_path_factory.mktemp("models"))


@pytest.mark.parametrize("case", CASES | DECLINED)
def test_the_gpu_gives_the_cpus_numbers(case: str, found: dict[str, Found]) -> None:
    both = found[case]
    assert both.cpu.keys() == both.gpu.keys()
    for output, want in both.cpu.items():
        assert both.gpu[output].dtype == want.dtype
        np.testing.assert_allclose(both.gpu[output], want, rtol=1e-4, atol=1e-5, err_msg=output)
    assert [(kernel or "").startswith("webgpu recurrent ") for kernel in both.kernels] == [case in CASES]


def test_a_wrong_length_is_told_as_on_the_cpu(get_host: Callable[[str], Host], tmp_path: Path) -> None:
    content, feeds = recurrent(np.random.default_rng(7), "LSTM", lengths=[5, 6, 1])
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    task = Task(path, [feeds])
    (on_cpu,) = get_host("node").run_all([task])
    (on_gpu,) = get_host("webgpu").run_all([replace(task, options=GPU_OPTIONS)])
    assert isinstance(on_cpu, HostError) and isinstance(on_gpu, HostError)
    assert on_gpu.message == on_cpu.message
    assert "sequence_lens has 6; X has 5 time steps" in on_gpu.message
