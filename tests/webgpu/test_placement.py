"""What session.placement() says of nodes that the CPU has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.conformance.javascript import GPU_OPTIONS
from tests.support.hosts import Host, JavaScriptHost, Task, run, write_inputs

BY_DESIGN = "the operator runs on the CPU by design: "
SIZES = BY_DESIGN + "the size of its result depends on values"


def detector() -> bytes:
    """Boxes are scaled and scores computed before the best boxes are chosen."""
    info = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Mul", ["boxes", "two"], ["scaled"], name="scale"),
        helper.make_node("Sigmoid", ["raw"], ["scores"], name="score"),
        helper.make_node("NonMaxSuppression", ["scaled", "scores", "most", "overlap"], ["chosen"], name="choose"),
        helper.make_node("NonZero", ["scores"], ["places"], name="find"),
        helper.make_node("Compress", ["scores", "mask"], ["some"], name="take"),
        helper.make_node("Unique", ["scores"], ["distinct"], name="sort"),
    ]
    constants = [
        helper.make_tensor("two", TensorProto.FLOAT, [], [2.0]),
        helper.make_tensor("most", TensorProto.INT64, [1], [3]),
        helper.make_tensor("overlap", TensorProto.FLOAT, [1], [0.5]),
        helper.make_tensor("mask", TensorProto.BOOL, [4], [1, 0, 1, 1]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [info("boxes", TensorProto.FLOAT, [1, 4, 4]), info("raw", TensorProto.FLOAT, [1, 1, 4])],
        [
            info("chosen", TensorProto.INT64, None),
            info("places", TensorProto.INT64, None),
            info("some", TensorProto.FLOAT, None),
            info("distinct", TensorProto.FLOAT, None),
        ],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    content: bytes = model.SerializeToString()
    return content


FEEDS = {
    "boxes": np.array([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [3, 3, 4, 4], [0, 3, 1, 4]]], np.float32),
    "raw": np.array([[[0.5, 2.0, -1.0, 1.0]]], np.float32),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("placement") / "model.onnx"
    file.write_bytes(detector())
    return file


def test_what_is_the_cpus_by_design_says_so(path: Path, get_host: Callable[[str], Host], tmp_path: Path) -> None:
    host = get_host("webgpu")
    assert isinstance(host, JavaScriptHost)
    inputs = [{**value, "file": str(tmp_path / value["file"])} for value in write_inputs(tmp_path, FEEDS)]
    job = {"id": "0", "model": str(path), "inputs": inputs, "options": GPU_OPTIONS, "placement": True, "keep": "none"}
    (result,) = host.run_jobs([job])
    assert result["ok"], result
    assert {row["node"]: (row["provider"], row["reason"]) for row in result["placement"]} == {
        "scale": ("webgpu", None),
        "score": ("webgpu", None),
        "choose": (
            "wasm",
            BY_DESIGN + "each box that is kept decides on the next, and their number depends on values",
        ),
        "find": ("wasm", SIZES),
        "take": ("wasm", SIZES),
        "sort": ("wasm", SIZES),
    }


def test_they_get_what_the_gpu_has_computed(path: Path, get_host: Callable[[str], Host]) -> None:
    (found,) = run(get_host("webgpu"), Task(path, [FEEDS], options=GPU_OPTIONS))
    assert found["chosen"].tolist() == [[0, 0, 1], [0, 0, 3], [0, 0, 2]]
    assert found["places"].tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 2, 3]]
    scores = 1 / (1 + np.exp(-FEEDS["raw"].ravel()))
    np.testing.assert_allclose(found["some"], scores[[0, 2, 3]], rtol=1e-6)
    np.testing.assert_allclose(found["distinct"], np.sort(scores), rtol=1e-6)
