"""Which engine file runs where."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

import onnxlet
from onnxlet import operators
from onnxlet.hosts import flavours, wasmtime_host
from onnxlet.hosts.flavours import Features
from tests.support.missing import missing


def names(features: Features, *, threads: bool = True, deterministic: bool = False) -> list[str]:
    return [flavour.name for flavour in flavours.preferred(features, threads=threads, deterministic=deterministic)]


ALL = Features(simd=True, relaxed_simd=True, shared_memory=True)


def test_the_best_flavour_comes_first() -> None:
    assert names(ALL) == ["relaxed-threads", "threads", "relaxed", "simd", "scalar"]
    assert names(ALL, threads=False) == ["relaxed", "simd", "scalar"]
    assert names(ALL, deterministic=True) == ["threads", "simd", "scalar"]
    assert names(Features(True, True, False)) == ["relaxed", "simd", "scalar"]
    assert names(Features(True, False, True)) == ["threads", "simd", "scalar"]
    assert names(Features(False, False, False)) == ["scalar"]


def join(domain: str) -> bytes:
    inputs = [helper.make_tensor_value_info(name, onnx.TensorProto.STRING, [1]) for name in ("x", "s")]
    inputs.append(helper.make_tensor_value_info("axis", onnx.TensorProto.INT64, [1]))
    graph = helper.make_graph(
        [helper.make_node("StringJoin", ["x", "s", "axis"], ["y"], domain=domain)],
        "join",
        inputs,
        [helper.make_tensor_value_info("y", onnx.TensorProto.STRING, None)],
    )
    imports = [helper.make_opsetid("", 20), helper.make_opsetid(domain, 1)]
    return bytes(helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString())


def test_operators_for_preprocessing_choose_their_flavour() -> None:
    if not (flavours.engine_dir() / flavours.PREPROCESSING.file).is_file():
        missing("the flavour for preprocessing is not built")
    with onnxlet.InferenceSession(join("ai.onnx.contrib"), _engine="wasm") as session:
        assert session.flavour == "preprocessing"
        feeds = {"x": np.array(["a"], object), "s": np.array(["-"], object), "axis": np.array([0])}
        assert session.run(None, feeds)[0].tolist() == ["a"]
    with pytest.raises(onnxlet.NotImplemented, match=r"StringJoin.*ai\.onnx\.contrib"):
        onnxlet.InferenceSession(join("ai.onnx.contrib"), _engine="simd")
    with pytest.raises(onnxlet.NotImplemented, match="StringJoin"):
        onnxlet.InferenceSession(join("some.other"))


def test_operators_that_the_program_has_choose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "_registered", {("ai.onnx.contrib", "StringJoin"): lambda x, s, axis: x})
    with onnxlet.InferenceSession(join("ai.onnx.contrib"), _engine="wasm") as session:
        assert session.flavour != "preprocessing"


def test_wasmtime_has_every_feature() -> None:
    assert wasmtime_host.features() == ALL


def test_the_first_file_that_exists_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ONNXLET_ENGINE_DIR", str(tmp_path))
    choice = flavours.preferred(ALL, threads=True, deterministic=False)
    with pytest.raises(onnxlet.RuntimeException, match=r"onnxlet-relaxed-threads\.wasm.*ONNXLET_ENGINE_DIR"):
        flavours.find(choice)
    (tmp_path / "onnxlet.wasm").touch()
    assert flavours.find(choice) == (flavours.BY_NAME["simd"], tmp_path / "onnxlet.wasm")
    (tmp_path / "onnxlet-threads.wasm").touch()
    assert flavours.find(choice)[0].name == "threads"
