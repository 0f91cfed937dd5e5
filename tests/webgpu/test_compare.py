"""`onnxlet compare --against webgpu`: where a model on the GPU parts from the CPU."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import onnxlet
from onnxlet.comparison import webgpu
from tests.support.hosts import webgpu_lacks, webgpu_settings
from tests.support.missing import missing
from tests.support.paths import ROOT

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    if not (ROOT / "js" / "dist" / "webgpu.mjs").is_file() or shutil.which("node") is None:
        missing("js/dist is not built; run ./build.sh build")
    if lack := webgpu_lacks():
        missing(lack)
    for name, value in webgpu_settings().items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def _own_process() -> Iterator[None]:
    webgpu._node.cache_clear()
    yield
    webgpu._node.cache_clear()


def chain(factor: float = 2.0) -> bytes:
    """y = erf(exp(x) * factor) normalized, then its type; strings pass by."""
    info = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Exp", ["x"], ["a"], name="first"),
        helper.make_node("Mul", ["a", "factor"], ["b"], name="times"),
        helper.make_node("Erf", ["b"], ["y"], name="last"),
        helper.make_node("Shape", ["y"], ["sizes"]),
        helper.make_node("Identity", ["word"], ["same"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [info("x", TensorProto.FLOAT, ["N", 4]), info("word", TensorProto.STRING, [1])],
        [
            info("y", TensorProto.FLOAT, ["N", 4]),
            info("sizes", TensorProto.INT64, [2]),
            info("same", TensorProto.STRING, [1]),
        ],
        [numpy_helper.from_array(np.array(factor, np.float32), "factor")],
    )
    opsets = [helper.make_opsetid("", 17)]
    proto = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    data: bytes = proto.SerializeToString()
    return data


FEEDS = {"x": X, "word": np.array(["so"], object)}


def test_layers_that_agree() -> None:
    found = onnxlet.compare(chain(), against="webgpu", inputs=FEEDS, layers=True)
    assert found.agrees and found.against == "webgpu" and found.layers is not None
    assert [layer.value for layer in found.layers.layers] == ["a", "b", "y", "sizes", "same"]
    assert found.layers.unseen == () and found.outputs[1].expected == "int64[2]"


def test_the_first_node_that_parts() -> None:
    found = onnxlet.compare(chain(), chain(0.25), against="webgpu", inputs=FEEDS, layers=True)
    assert not found.agrees and found.layers is not None and found.layers.first is not None
    assert (found.layers.first.node, found.layers.first.op_type) == ("times", "Mul")


def test_a_model_that_it_does_not_load(tmp_path: Path) -> None:
    (tmp_path / "damaged.onnx").write_bytes(chain()[:50])
    with pytest.raises(onnxlet.Fail, match="webgpu does not load the model: "):
        onnxlet.compare(chain(), tmp_path / "damaged.onnx", against="webgpu", inputs=FEEDS)


@pytest.mark.usefixtures("_own_process")
def test_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VK_ICD_FILENAMES", "/nowhere.json")
    with pytest.raises(onnxlet.Fail, match=r"does not load the model: .*WebGPU was asked for and wasm is used: "):
        onnxlet.compare(chain(), against="webgpu", inputs=FEEDS)


@pytest.mark.usefixtures("_own_process")
def test_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webgpu, "_entry", lambda: None)
    with pytest.raises(onnxlet.NotImplemented, match="its packages: npm install onnxlet webgpu"):
        onnxlet.compare(chain(), against="webgpu", inputs=FEEDS)


@pytest.mark.usefixtures("_own_process")
def test_a_process_that_ends() -> None:
    process = webgpu._node()
    process._process.kill()
    with pytest.raises(onnxlet.Fail, match="webgpu does not load the model: Node ended with -9"):
        onnxlet.compare(chain(), against="webgpu", inputs=FEEDS)
    assert onnxlet.compare(chain(), against="webgpu", inputs=FEEDS).agrees
