"""Tensors in GPU buffers: what runs leave there and are fed, buffers and devices of the caller's, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.webgpu.node import run_program

X = np.array([0, 1, 2, 3, -1, -2, -3, -4], np.float32)


def model() -> bytes:
    """total = past + exp(x), same = x, and the sizes of x."""
    info = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Exp", ["x"], ["grown"], name="grow"),
        helper.make_node("Add", ["past", "grown"], ["total"], name="add"),
        helper.make_node("Identity", ["x"], ["same"]),
        helper.make_node("Shape", ["x"], ["sizes"], name="measure"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [info("x", TensorProto.FLOAT, ["N", 4]), info("past", TensorProto.FLOAT, ["N", 4])],
        [
            info("total", TensorProto.FLOAT, ["N", 4]),
            info("same", TensorProto.FLOAT, ["N", 4]),
            info("sizes", TensorProto.INT64, [2]),
        ],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    data: bytes = proto.SerializeToString()
    return data


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path: Path = tmp_path_factory.mktemp("binding") / "model.onnx"
    path.write_bytes(model())
    return run_program("binding.mjs", path, "200" if request.config.getoption("--all") else "5")


def test_outputs_are_where_they_are_wanted(found: dict[str, Any]) -> None:
    assert found["shares"] and found["size"]
    assert found["locations"] == ["gpu-buffer", "cpu", "gpu-buffer"]
    assert found["sizes"] == [2, 4]  # of the CPU, and brought there
    assert found["data"] == "INVALID_ARGUMENT: Tensor: the elements are on the GPU; await getData()"


def test_a_run_goes_on_with_what_the_one_before_has_left(found: dict[str, Any]) -> None:
    np.testing.assert_allclose(found["total"], 3 * np.exp(X), rtol=1e-5)
    assert (found["disposed"], found["stays"]) == ("none", "gpu-buffer")


def test_released_data_are_in_memory(found: dict[str, Any]) -> None:
    assert found["released"] == found["total"] and found["comes"] == ["cpu", 8]
    assert found["buffer"] == "INVALID_ARGUMENT: Tensor: the elements are in memory, not in a GPU buffer"


def test_buffers_of_the_caller(found: dict[str, Any]) -> None:
    assert found["own"] == ["gpu-buffer", True, [7], 8]
    np.testing.assert_allclose(found["fed"], X + np.exp(X), rtol=1e-5)
    assert found["same"] == X.tolist()
    assert found["calls"] == [1, "none"]


def test_an_output_is_in_a_buffer_of_its_own(found: dict[str, Any]) -> None:
    assert found["apart"]


def test_another_session_takes_it(found: dict[str, Any]) -> None:
    assert found["from_another"] == X.tolist()


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("small", 'input "x": the GPU buffer has 16 bytes; the tensor needs 32'),
        (
            "usage",
            'input "x": the GPU buffer has the usage 0x8; it needs GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC',
        ),
        ("type", "input 'x' is a tensor(int64); the model declares tensor(float)"),
        ("stranger", 'input "x": the GPU buffer cannot be used on the session\'s device: '),
        ("cpu", 'input "x" is in a GPU buffer, and the session works on the CPU only'),
        ("no_gpu", "preferredOutputLocation: 'gpu-buffer' needs the execution provider webgpu, before wasm"),
        ("target", 'output "total" cannot be written into a tensor whose elements are not in memory; '),
        ("mute", "Tensor: the tensor was made of a GPU buffer without the option download"),
        ("strings", "Tensor: a GPU buffer holds no strings"),
        ("no_buffer", "Tensor: fromGpuBuffer needs a GPUBuffer; got Object"),
        (
            "proxy",
            "env.wasm.proxy asks for an engine in a worker, where GPU buffers and devices of this thread cannot be",
        ),
        ("lost_device", "the device that was given is lost ("),
    ],
)
def test_what_cannot_be_is_said(found: dict[str, Any], case: str, words: str) -> None:
    assert found[case].startswith(f"INVALID_ARGUMENT: {words}"), found[case]


def test_a_device_of_the_caller(found: dict[str, Any]) -> None:
    np.testing.assert_allclose(found["guest"], np.ones(8), rtol=1e-5)
    assert re.match(r"RUN_FAILED: the device: it was lost \(.+\); later runs are on the CPU", found["lost_read"])


def test_placement(found: dict[str, Any]) -> None:
    rows = {row["node"]: row for row in found["placement"]}
    assert rows["grow"] == {"node": "grow", "opType": "Exp", "domain": "", "provider": "webgpu", "reason": None}
    assert (rows["measure"]["provider"], rows["measure"]["reason"]) == ("wasm", "only the shape changes")
    assert {row["reason"] for row in found["cpu_placement"]} == {"the session works on the CPU only"}


def test_what_the_device_cannot_hold_stays_on_the_cpu(found: dict[str, Any]) -> None:
    assert found["wide"] == ["cpu-pinned", "gpu-buffer", 1]
    reasons = {row["node"]: row["reason"] for row in found["narrow"]}
    assert reasons["grow"] == "an input has 8192 bytes; the device's largest buffer has 1024"


def test_nothing_is_left(found: dict[str, Any]) -> None:
    assert found["left"] == 0
