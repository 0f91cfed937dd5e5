"""Types are known before a model runs: those of outputs, and those that an operator has no kernel for."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, TypeProto, helper

import onnxlet
from tests.conformance.backends import Prepare
from tests.conformance.cases import Case, load_cases
from tests.conformance.expectations import expected_failure

# The types of their outputs come from other inputs than the first, from a subgraph's undeclared inputs, from the host.
OPEN = {"Adagrad", "Adam", "Momentum", "FlexAttention", "Gradient", "ImageDecoder"}
# What they have no kernel for depends on more than the type of one input: on the mode, on how two types go together.
BEYOND_ONE_TYPE = {"GridSample", "Resize", "QLinearMatMul"}


def _operator(case: Case) -> str:
    return case.model.graph.node[0].op_type if len(case.model.graph.node) == 1 else ""


def _type_text(kind: TypeProto) -> str:
    match kind.WhichOneof("value"):
        case "tensor_type":
            return f"tensor({TensorProto.DataType.Name(kind.tensor_type.elem_type).lower()})"
        case "sequence_type":
            return f"seq({_type_text(kind.sequence_type.elem_type)})"
        case "optional_type":
            return f"optional({_type_text(kind.optional_type.elem_type)})"
    raise AssertionError(kind)


def _one_case_of_each_operator() -> Iterator[Case]:
    seen = set()
    for case in load_cases():
        if case.suite == "node" and _operator(case) not in seen | {""}:
            seen.add(_operator(case))
            yield case


def _session(backend: Prepare, model: onnx.ModelProto) -> Any:
    return backend(model.SerializeToString())


@pytest.fixture(autouse=True)
def _only_this_engine(engine_name: str) -> None:
    if engine_name in {"onnxruntime", "reference"}:
        pytest.skip("an oracle")


def test_undeclared_outputs_get_the_type_that_comes_out(backend: Prepare) -> None:
    wrong = []
    for case in load_cases():
        if case.suite == "light" or _operator(case) in OPEN or expected_failure(case.id, "native"):
            continue
        model = copy.deepcopy(case.model)
        for value in model.graph.output:
            value.ClearField("type")
        wrong += [
            f"{case.id}: {found.type}"
            for found, declared in zip(
                _session(backend, model).session.get_outputs(), case.model.graph.output, strict=True
            )
            if found.type != _type_text(declared.type) and not (case.operator == "Loop" and found.type == "unknown")
        ]
    assert not wrong, "\n".join(wrong)


def _retyped(
    case: Case, feeds: dict[str, Any], names: list[str], element: int
) -> tuple[onnx.ModelProto, list[Any]] | None:
    """The case with inputs of another element type; None when one of them is no tensor."""
    model, feeds = copy.deepcopy(case.model), dict(feeds)
    for value in model.graph.input:
        if value.name not in names:
            continue
        if not value.type.HasField("tensor_type") or feeds[value.name] is None:
            return None
        value.type.tensor_type.elem_type = element
        feeds[value.name] = _converted(np.asarray(feeds[value.name]), element)
    for value in model.graph.output:
        value.ClearField("type")
    return model, list(feeds.values())


def _converted(array: Any, element: int) -> Any:
    if array.dtype == object:
        array = np.arange(array.size).reshape(array.shape) % 2
    if element == TensorProto.STRING:
        return np.array([str(v) for v in array.ravel()], dtype=object).reshape(array.shape)
    with np.errstate(all="ignore"):
        return array.real.astype(np.float32).astype(helper.tensor_dtype_to_np_dtype(element))


def test_a_type_without_kernel_is_refused_at_load(backend: Prepare) -> None:
    """Every operator with every type that its schema allows: what loads does not fail for its type when it runs."""
    wrong = []
    for case in _one_case_of_each_operator():
        if case.operator in BEYOND_ONE_TYPE:
            continue
        (node,) = case.model.graph.node
        versions = {o.domain: o.version for o in case.model.opset_import}
        schema = onnx.defs.get_schema(node.op_type, versions[node.domain], node.domain)
        inputs, _ = next(iter(case.data_sets()))
        feeds = dict(zip(case.input_names, inputs, strict=True))
        of_variable: dict[str, list[str]] = {}
        for i, name in enumerate(node.input):
            of_variable.setdefault(schema.inputs[min(i, len(schema.inputs) - 1)].type_str, []).append(name)
        for constraint in schema.type_constraints:
            for text in constraint.allowed_type_strs:
                names = [n for n in of_variable.get(constraint.type_param_str, []) if n]
                if not text.startswith("tensor(") or not names:
                    continue
                retyped = _retyped(case, feeds, names, TensorProto.DataType.Value(text[7:-1].upper()))
                if retyped is None:
                    continue
                try:
                    session = _session(backend, retyped[0])
                except onnxlet.NotImplemented as error:
                    assert "no kernel" in str(error)
                    continue
                except onnxlet.InvalidGraph:
                    assert any(a.HasField("g") for a in node.attribute), case.id  # whose nodes do not take the type
                    continue
                try:
                    session.run(retyped[1])
                except onnxlet.Error as error:
                    if error.code == "NOT_IMPLEMENTED":
                        wrong.append(str(error))
    assert not wrong, "\n".join(wrong)
