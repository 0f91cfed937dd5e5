"""Bools that come from outside as another byte than 0 and 1 are true, and 1 from then on."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from onnxlet import operators

from .conftest import MakeSession

BYTES = np.array([2, 0, 255, 1], np.uint8)
ODD = BYTES.view(np.bool_)


def _model(nodes: list[onnx.NodeProto], *, dtype: int = TensorProto.BOOL) -> bytes:
    weight = helper.make_tensor("w", TensorProto.BOOL, [4], BYTES.tobytes(), raw=True)
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", dtype, [4])],
        [helper.make_tensor_value_info("y", TensorProto.INT32, [4])],
        [weight],
    )
    opsets = [helper.make_opsetid("", 26)]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=13).SerializeToString())


def _answer(make_session: MakeSession, model: bytes, x: np.ndarray) -> list[int]:
    (y,) = make_session(model).run(None, {"x": x})
    return [int(value) for value in y]


def _as_numbers(name: str) -> onnx.NodeProto:
    return helper.make_node("Cast", [name], ["y"], to=TensorProto.INT32)


def test_fed(make_session: MakeSession) -> None:
    before = ODD.tobytes()
    assert _answer(make_session, _model([_as_numbers("x")]), ODD) == [1, 0, 1, 1]
    assert ODD.tobytes() == before


def test_weights(make_session: MakeSession) -> None:
    nodes = [helper.make_node("And", ["x", "w"], ["both"]), _as_numbers("both")]
    assert _answer(make_session, _model(nodes), np.array([True, True, True, False])) == [1, 0, 1, 0]


def test_bit_cast(make_session: MakeSession) -> None:
    nodes = [helper.make_node("BitCast", ["x"], ["b"], to=TensorProto.BOOL), _as_numbers("b")]
    assert _answer(make_session, _model(nodes, dtype=TensorProto.UINT8), BYTES) == [1, 0, 1, 1]


def test_of_a_custom_operator(make_session: MakeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "_registered", {})
    operators.register_operator("test", "Odd", lambda x: ODD)
    model = onnx.load_model_from_string(
        _model([helper.make_node("Odd", ["x"], ["b"], domain="test"), _as_numbers("b")])
    )
    model.opset_import.append(helper.make_opsetid("test", 1))
    assert _answer(make_session, bytes(model.SerializeToString()), ODD) == [1, 0, 1, 1]
