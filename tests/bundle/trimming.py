"""Models that engines are trimmed to, in tests and in the table of docs/edge.md."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from tests.models import tables
from tests.models.registry import built, models

Feeds = Mapping[str, Any]


def _screening_feeds() -> Feeds:
    columns, _ = tables.applicants(31, seed=9)
    columns["country"][3] = "Atlantis"  # not among those that the model learned
    return columns


def _branching() -> onnx.ModelProto:
    """Adds 1 to 4 numbers again and again; the sum's sine, or its cosine, by its sign. And whether twice the count is the count:
    integers without the unsigned ones whose kernels they share."""

    def branch(op: str) -> onnx.GraphProto:
        return helper.make_graph([helper.make_node(op, ["total"], ["o"])], op, [], [value("o")])

    def value(name: str, dtype: int = TensorProto.FLOAT, shape: Sequence[int] | None = None) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, dtype, shape)

    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["goes"]), helper.make_node("Add", ["at", "one"], ["next"])],
        "body",
        [value("i", TensorProto.INT64, []), value("go", TensorProto.BOOL, []), value("at")],
        [value("goes", TensorProto.BOOL, []), value("next")],
    )
    nodes = [
        helper.make_node("Loop", ["count", "", "x"], ["total"], body=body),
        helper.make_node("ReduceSum", ["total"], ["sum"], keepdims=0),
        helper.make_node("Less", ["sum", "zero"], ["negative"]),
        helper.make_node("Add", ["count", "count"], ["twice"]),
        helper.make_node("Equal", ["twice", "count"], ["same"]),
        helper.make_node("If", ["negative"], ["y"], then_branch=branch("Sin"), else_branch=branch("Cos")),
    ]
    constants = [
        helper.make_tensor("one", TensorProto.FLOAT, [], [1.0]),
        helper.make_tensor("zero", TensorProto.FLOAT, [], [0.0]),
        helper.make_tensor("count", TensorProto.INT64, [], [5]),
    ]
    graph = helper.make_graph(
        nodes, "g", [value("x", shape=[4])], [value("y"), value("same", TensorProto.BOOL, [])], constants
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def _registered(name: str, size: int) -> tuple[Callable[[], Path], Callable[[], Feeds]]:
    return lambda: models()[name].path(), lambda: models()[name].feeds(size)


# The model's file, what it is fed, and the most bytes that its engine may take.
CASES: Mapping[str, tuple[Callable[[], Path], Callable[[], Feeds], int]] = {
    "digits-cnn": (*_registered("digits-cnn", 8), 230_000),
    "forest": (
        built("forest", tables, tables.build_forest),
        lambda: {"x": tables.measurements(33, seed=8)[0]},
        120_000,
    ),
    "screening": (built("screening", tables, tables.build_screening), _screening_feeds, 200_000),
    "branching": (
        built("branching", sys.modules[__name__], _branching),
        lambda: {"x": np.linspace(-7, 1, 4, dtype=np.float32)},
        225_000,
    ),
    "mobilenetv2": (*_registered("mobilenetv2", 0), 250_000),
    "mobilenetv2-qdq": (*_registered("mobilenetv2-qdq", 0), 400_000),
    "silero-vad": (*_registered("silero-vad", 0), 400_000),
    "minilm": (*_registered("minilm", 7), 300_000),
    "minilm-int8": (*_registered("minilm-int8", 7), 400_000),
}
