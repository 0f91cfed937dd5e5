"""The table of single operators: every row is a valid model, and a line tells what was measured."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from bench.kernel_rows import build, rows
from bench.kernels import describe, heading
from bench.runner import OURS, PEER, Engine
from onnxlet.cli import work


@pytest.mark.parametrize("name", rows())
def test_a_row_is_a_valid_model(name: str) -> None:
    made = build(rows()[name])
    model = onnx.load_from_string(made.bytes)
    if not any(node.domain for node in model.graph.node):
        onnx.checker.check_model(model)
    assert made.nodes == sum(node.op_type == rows()[name].op for node in model.graph.node) >= 1
    assert made.work > 0


@pytest.mark.parametrize("name", [name for name, row in rows().items() if row.chain])
def test_a_chain_keeps_its_shape_and_counts_its_operations(name: str) -> None:
    made = build(rows()[name])
    model = onnx.shape_inference.infer_shapes(onnx.load_from_string(made.bytes), strict_mode=True)
    shapes = {t.name: list(numpy_helper.to_array(t).shape) for t in model.graph.initializer}
    for value in [*model.graph.input, *model.graph.value_info]:
        shapes[value.name] = [d.dim_value for d in value.type.tensor_type.shape.dim]
    assert shapes[f"h{made.nodes}"] == shapes["h0"] == list(made.feeds["h0"].shape)

    def written(names: list[str]) -> list[str]:
        return [f"float{shapes[name]}".replace(" ", "") for name in names]

    for node in model.graph.node[: made.nodes]:
        entry = {"op_type": node.op_type, "inputs": written(node.input), "outputs": written(node.output)}
        assert work.flops(entry) == rows()[name].flops


def test_a_chain_keeps_the_size_of_its_values() -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    made = build(rows()["Conv 1x1 16 and 96 at 56"])
    (largest,) = onnxruntime.InferenceSession(made.bytes).run(None, dict(made.feeds))
    assert 0.1 < largest < 100 and not math.isnan(largest)
    assert np.abs(made.feeds["h0"]).max() < 10
    assert helper.np_dtype_to_tensor_dtype(made.feeds["h0"].dtype) == onnx.TensorProto.FLOAT


BOTH = (Engine(OURS, Path("a")), Engine(PEER, Path("b")))


def test_a_line_tells_rates_times_and_ratio_or_what_went_wrong() -> None:
    numbers = {"us": 10.0, "rate": 2.0}
    both = {OURS: numbers, PEER: {"us": 20.0, "rate": 1.0}}
    entry = {"kernel": "k", "unit": "GFLOP/s", "engines": both, "ratio": 2.0, "of_peak": 0.5}
    line = describe(entry, (OURS, PEER))
    assert line.split() == ["k", "GFLOP/s", "2.00", "1.00", "10.0", "/", "20.0", "2.00", "50", "%"]
    assert len(line) == len(heading(BOTH))
    entry |= {"of_peak": None, "ratio": None}
    assert describe(entry, (OURS,)).split() == ["k", "GFLOP/s", "2.00", "10.0"]
    entry["engines"] = {OURS: {"error": "no kernel"}, PEER: numbers}
    assert describe(entry, (OURS, PEER)).split(maxsplit=1)[1] == f"{OURS}: no kernel"
