"""Tests of one operator: make a model of one node, run it, compare with an oracle.

    def test_gather_negative_axis(backend):
        x, i = np.arange(12.0, dtype=np.float32).reshape(3, 4), np.array([0, -1])
        check(backend, "Gather", [x, i], axis=-2)

The oracle is onnx.reference unless `oracle=` says "onnxruntime" or gives the expected arrays. The tolerance is that of
the conformance tests: a class by operator and type (tests/conformance/tolerances.py) over `rtol` and `atol`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TypeProto, helper

from tests.conformance.backends import BACKENDS, Prepare
from tests.conformance.compare import assert_outputs

LATEST = {"": 24, "ai.onnx.ml": 5, "com.microsoft": 1}
IR_VERSION = 10


def make_model(
    op_type: str,
    inputs: Sequence[Any],
    *,
    outputs: int | Sequence[Any] = 1,
    opset: int | None = None,
    domain: str = "",
    constants: Sequence[int] = (),
    input_types: Mapping[int, TypeProto] | None = None,
    more: Mapping[str, Any] | None = None,
    **attributes: Any,
) -> onnx.ModelProto:
    """A model of one node.

    `inputs`: arrays, lists of arrays (sequences), dicts (maps) or None (left out). Those whose index is in `constants` become
    initializers; `input_types` declares others as more than their values tell, and None there as an empty optional.
    `outputs`: how many, or for each a numpy dtype, a TypeProto, or None to leave it out. Types that are not given are
    inferred by onnx, or not declared.
    `more`: attributes whose names are taken by parameters here.
    """
    declared = input_types or {}
    names = ["" if value is None and i not in declared else f"x{i}" for i, value in enumerate(inputs)]
    while names and not names[-1]:
        names.pop()
    wanted = [...] * outputs if isinstance(outputs, int) else list(outputs)
    results = ["" if kind is None else f"y{i}" for i, kind in enumerate(wanted)]
    attributes |= more or {}
    node = helper.make_node(
        op_type, names, results, name="node", domain=domain, **{k: v for k, v in attributes.items() if v is not None}
    )
    version = opset or LATEST.get(domain, 1)
    imports = [helper.make_opsetid(domain, version)]
    if domain:
        imports.append(helper.make_opsetid("", LATEST[""]))
    graph = helper.make_graph(
        [node],
        op_type,
        [
            helper.make_value_info(n, declared.get(i) or _type_of(v))
            for i, (n, v) in enumerate(zip(names, inputs, strict=False))
            if n and i not in constants
        ],
        [helper.make_value_info(n, _declared(kind)) for n, kind in zip(results, wanted, strict=True) if n],
        [onnx.numpy_helper.from_array(np.asarray(inputs[i]), names[i]) for i in constants if names[i]],
    )
    model = helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION, producer_name="onnxlet-tests")
    if ... in wanted:
        _infer_outputs(model, [n for n, kind in zip(results, wanted, strict=True) if kind is ...])
    return model


def run(backend: Prepare, model: onnx.ModelProto, inputs: Sequence[Any]) -> list[Any]:
    """The outputs; `inputs` as given to make_model, those that are None or initializers being left out."""
    initialized = {tensor.name for tensor in model.graph.initializer}
    given = {f"x{i}": value for i, value in enumerate(inputs)}
    return backend(model.SerializeToString()).run(
        [given[v.name] for v in model.graph.input if v.name not in initialized]
    )


def check(
    backend: Prepare,
    op_type: str,
    inputs: Sequence[Any],
    *,
    oracle: str | Sequence[Any] = "reference",
    rtol: float = 1e-5,
    atol: float = 1e-6,
    **how: Any,
) -> list[Any]:
    """Runs the operator on the engine and on the oracle, compares, and returns the engine's outputs. `how`: see make_model."""
    model = make_model(op_type, inputs, **how)
    expected = run(BACKENDS[oracle](), model, inputs) if isinstance(oracle, str) else list(oracle)
    actual = run(backend, model, inputs)
    assert_outputs(actual, expected, operator=op_type, backend="", rtol=rtol, atol=atol)
    return actual


def _type_of(value: Any) -> TypeProto:
    if isinstance(value, (list, tuple)):
        return helper.make_sequence_type_proto(_type_of(value[0]) if value else helper.make_tensor_type_proto(1, None))
    if isinstance(value, dict):
        key, item = next(iter(value.items()))
        return helper.make_map_type_proto(_element(np.asarray(key).dtype), _type_of(item))
    array = np.asarray(value)
    return helper.make_tensor_type_proto(_element(array.dtype), array.shape)


def _element(dtype: Any) -> int:
    dtype = np.dtype(dtype)
    return int(onnx.TensorProto.STRING) if dtype.kind in "OUS" else int(helper.np_dtype_to_tensor_dtype(dtype))


def _declared(kind: Any) -> TypeProto:
    if kind is ...:
        return TypeProto()
    return kind if isinstance(kind, TypeProto) else helper.make_tensor_type_proto(_element(kind), None)


def _infer_outputs(model: onnx.ModelProto, names: list[str]) -> None:
    """Declares the types of `names` as inferred, without shapes: inference may be wrong about those."""
    try:
        inferred = onnx.shape_inference.infer_shapes(model)
    except Exception:  # the oracle or the engine will say what is wrong with the model
        return
    found = {value.name: value.type for value in inferred.graph.output}
    for value in model.graph.output:
        kind = found.get(value.name)
        if value.name in names and kind is not None and kind.WhichOneof("value"):
            value.type.CopyFrom(kind)
            if value.type.HasField("tensor_type"):
                value.type.tensor_type.ClearField("shape")
