"""Raising the opset version of a model, with its weights kept out of the converter's hands."""

from __future__ import annotations

import onnx
import onnx_ir as ir
from onnx import version_converter

from .. import errors
from .layers import nodes_of

_IR_VERSIONS = {13: 7, 15: 8, 19: 9, 21: 10, 23: 11, 24: 12, 25: 13}
"""The least IR version for opsets from this one on, by onnx's table of releases."""

_SMALL = 1024  # bytes: the converter reads shapes and axes


def raise_opset(
    model: ir.Model,
    version: int,
    needed_by: str = "this form",
    otherwise: str = ", or take another scheme or form=nbits",
) -> ir.Model:
    """The model with operators of this version of ai.onnx; may be the same object.

    Raises NotImplemented, with the words for what needs the version and for what else can be done.
    """
    before = model.opset_imports.get("", 0)
    if before >= version:
        return model
    if not all(_same(node, before, version) for node in nodes_of(model)):
        try:
            model = _converted(model, version)
        except RuntimeError as error:
            words = str(error).rpartition("failed: ")[2]
            raise errors.NotImplemented(
                f"the opset version cannot be raised from {before} to {version}, which {needed_by} needs: "
                f"{words} Export the model with a later opset{otherwise}"
            ) from error
    model.graph.opset_imports[""] = version
    model.ir_version = max(model.ir_version, *(v for opset, v in _IR_VERSIONS.items() if opset <= version), 3)
    return model


def _same(node: ir.Node, before: int, after: int) -> bool:
    """Whether both versions have the operator in one and the same form."""
    if node.domain not in ("", "ai.onnx"):
        return True
    try:
        versions = {onnx.defs.get_schema(node.op_type, v, "").since_version for v in (before, after)}
    except onnx.defs.SchemaError:
        return False
    return len(versions) == 1


def _converted(model: ir.Model, version: int) -> ir.Model:
    """By onnx's converter, which raises RuntimeError. Large tensors are names of files that do not exist until it is done."""
    tensors: dict[str, ir.TensorProtocol] = {}
    held: list[tuple[ir.Value, ir.TensorProtocol]] = []
    for graph in model.graphs():
        for value in graph.initializers.values():
            tensor = value.const_value
            if tensor is None or tensor.nbytes <= _SMALL or tensor.dtype == ir.DataType.STRING:
                continue
            location = f"tensor-{len(tensors)}"
            tensors[location] = tensor
            held.append((value, tensor))
            value.const_value = ir.ExternalTensor(
                location,
                0,
                tensor.nbytes,
                tensor.dtype,
                shape=ir.Shape(tensor.shape.numpy()),
                name=value.name or "",
                base_dir="",
            )
    try:
        raised = ir.from_proto(version_converter.convert_version(ir.to_proto(model), version))
    finally:
        for value, tensor in held:
            value.const_value = tensor
    for graph in raised.graphs():
        for value in graph.initializers.values():
            if isinstance(value.const_value, ir.ExternalTensor):
                value.const_value = tensors[str(value.const_value.location)]
    return raised
