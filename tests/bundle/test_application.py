"""What a model without pre- and post-processing can be asked with."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnxlet import InferenceSession
from onnxlet.bundle import Application, Interface, Request
from onnxlet.bundle.application import Input, Output, make_applications


def saved(path: Path, inputs: dict[str, tuple[int, list[int | str | None]]]) -> Path:
    """A model that gives each of its inputs back."""
    nodes = [helper.make_node("Identity", [name], [f"{name}_out"]) for name in inputs]
    infos = [helper.make_tensor_value_info(name, *given) for name, given in inputs.items()]
    results = [helper.make_tensor_value_info(f"{name}_out", *given) for name, given in inputs.items()]
    graph = helper.make_graph(nodes, "g", infos, results)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10), path)
    return path


def application(path: Path) -> Application:
    (made,) = make_applications(Request([path], path.parent / "out", target="node"))
    return made


def test_columns_of_a_table(tmp_path: Path) -> None:
    path = saved(
        tmp_path / "rows.onnx", {"age": (TensorProto.FLOAT, [None, 1]), "city": (TensorProto.STRING, ["n", 1])}
    )
    assert application(path).interface == Interface(
        "rows",
        (Input("age", "column", "float32", (None, 1)), Input("city", "column", "string", ("n", 1))),
        (Output("age_out", "column", "float32", (None, 1)), Output("city_out", "column", "string", ("n", 1))),
    )


@pytest.mark.parametrize(
    ("given", "kind", "answer"),
    [
        ((TensorProto.FLOAT, [None, 4]), "matrix", "column"),
        ((TensorProto.FLOAT, ["n", 1]), "matrix", "column"),
        ((TensorProto.FLOAT, [8, 4]), "tensor", "tensor"),
        ((TensorProto.FLOAT, [None, None]), "tensor", "tensor"),
        ((TensorProto.FLOAT16, [None, 4]), "tensor", "tensor"),
        ((TensorProto.FLOAT, [None, 3, 8, 8]), "tensor", "tensor"),
    ],
)
def test_one_input(tmp_path: Path, given: tuple[int, list[int | str | None]], kind: str, answer: str) -> None:
    interface = application(saved(tmp_path / "m.onnx", {"x": given})).interface
    assert [item.kind for item in interface.inputs] == [kind]
    assert [item.kind for item in interface.outputs] == [answer]


def test_interface_json_has_what_is_said_and_no_more(tmp_path: Path) -> None:
    path = saved(tmp_path / "m.onnx", {"x": (TensorProto.INT64, [None, 3])})
    assert json.loads(application(path).interface.json()) == {
        "format": 1,
        "name": "m",
        "inputs": [{"name": "x", "kind": "matrix", "dtype": "int64", "shape": [None, 3]}],
        "outputs": [{"name": "x_out", "kind": "column", "dtype": "int64", "shape": [None, 3]}],
    }


def test_weights_in_other_files_are_joined(tmp_path: Path) -> None:
    weight = np.arange(2048, dtype=np.float32)
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2048])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2048])],
        [numpy_helper.from_array(weight, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="m.data")
    made = application(tmp_path / "m.onnx")
    assert made.sources == {
        name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in ("m.data", "m.onnx")
    }
    with InferenceSession(made.model) as session:
        (y,) = session.run(None, {"x": weight})
    np.testing.assert_array_equal(y, 2 * weight)
