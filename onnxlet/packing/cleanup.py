"""What makes a model smaller and keeps its results: before weights are packed, and after."""

from __future__ import annotations

import hashlib
from collections.abc import MutableMapping

import numpy as np
import onnx_ir as ir
from onnx_ir.passes import common

from .fold import fold_constants
from .layers import float_attribute, is_constant, new_initializer, nodes_of, tensor_of

_LIFTED_FROM = 16  # elements: smaller Constant nodes stay nodes


def name_nodes(model: ir.Model) -> dict[str, str]:
    """Inlines local functions and gives all nodes unique names; returns the operators by name."""
    common.InlinePass()(model)
    common.NameFixPass()(model)
    return {node.name or "": node.op_type for node in nodes_of(model)}


def prepare(model: ir.Model) -> dict[str, str]:
    """Brings a model into the form that the packer reads. Returns what became of nodes that are gone, by name.

    Constant nodes become initializers, a BatchNormalization goes into the convolution before it, a Transpose of a constant
    is carried out, and so is what else is made of constants where that takes no more bytes. Equal weights become one.
    Nodes must have unique names.
    """
    before = {node.name or "": node.op_type for node in nodes_of(model)}
    common.LiftConstantsToInitializersPass(lift_all_constants=False, size_limit=_LIFTED_FROM)(model)
    if model.ir_version < 4:  # there, initializers are listed as inputs and are constants all the same
        common.RemoveInitializersFromInputsPass()(model)
    gone = _fold_transposes(model)
    if model.opset_imports.get("", 0) >= 9:  # earlier ones have modes of their own
        gone |= _fold_batch_normalizations(model)
    gone |= fold_constants(model)
    common.RemoveUnusedNodesPass()(model)
    _remove_unused_initializers(model)
    if gone:
        merge_equal_initializers(model)
    left = {node.name or "" for node in nodes_of(model)}
    for name, op_type in before.items():
        if name not in left and name not in gone:
            gone[name] = "became an initializer" if op_type == "Constant" else "nothing uses its results"
    return gone


def finish(model: ir.Model) -> None:
    """Drops what nobody reads: doc strings, exporters' notes, dead nodes and initializers, unused opset imports; merges
    equal initializers."""
    common.RemoveUnusedNodesPass()(model)
    _remove_unused_initializers(model)
    merge_equal_initializers(model)
    common.RemoveUnusedOpsetsPass()(model)
    model.doc_string = None
    for graph in model.graphs():
        graph.doc_string = None
        for value in (*graph.inputs, *graph.outputs):
            value.doc_string = None
        for tensor in (v.const_value for v in graph.initializers.values()):
            if isinstance(tensor, ir.Tensor):
                tensor.doc_string = None
    for node in nodes_of(model):
        node.doc_string = None
        for notes in (node.metadata_props, *(value.metadata_props for value in node.outputs)):
            _drop_traces(notes)


def _drop_traces(notes: MutableMapping[str, str]) -> None:
    """What PyTorch's exporter writes of the source of a node, stack traces included; other metadata is the user's."""
    for key in [key for key in notes if key.startswith("pkg.torch.")]:
        del notes[key]


def _remove_unused_initializers(model: ir.Model) -> None:
    """Those of subgraphs too, which the pass before leaves."""
    for graph in model.graphs():
        for name, value in list(graph.initializers.items()):
            if not value.uses() and not value.is_graph_output() and not value.is_graph_input():
                del graph.initializers[name]


def merge_equal_initializers(model: ir.Model) -> int:
    """Initializers of one type, shape and content become one; returns how many went. Tensors are read one at a time."""
    merged = 0
    for graph in model.graphs():
        seen: dict[tuple[ir.DataType, tuple[int, ...], bytes], ir.Value] = {}
        for value in list(graph.initializers.values()):
            if not is_constant(value) or value.is_graph_output() or tensor_of(value).dtype == ir.DataType.STRING:
                continue
            tensor = tensor_of(value)
            key = (tensor.dtype, tuple(tensor.shape.numpy()), hashlib.sha256(tensor.tobytes()).digest())
            if isinstance(tensor, ir.ExternalTensor):
                tensor.release()
            first = seen.setdefault(key, value)
            if first is not value:
                value.replace_all_uses_with(first)
                del graph.initializers[value.name or ""]
                merged += 1
    return merged


def _fold_transposes(model: ir.Model) -> dict[str, str]:
    """Transposes of constants that nothing else uses: the constant is stored transposed."""
    gone = {}
    for node in list(nodes_of(model)):
        source = node.inputs[0] if node.op_type == "Transpose" and not node.domain else None
        if source is None or not is_constant(source) or len(source.uses()) > 1 or source.is_graph_output():
            continue
        if node.outputs[0].is_graph_output() or tensor_of(source).dtype.bitwidth < 8:
            continue
        permutation = node.attributes.get("perm")
        array = np.transpose(tensor_of(source).numpy(), permutation.as_ints() if permutation else None)
        _replace_node(node, np.ascontiguousarray(array), f"{source.name}.transposed")
        gone[node.name or ""] = "its constant is stored transposed"
    return gone


def _replace_node(node: ir.Node, array: np.ndarray, name: str) -> None:
    graph = node.graph
    assert graph is not None
    value = new_initializer(graph, name, array)
    node.outputs[0].replace_all_uses_with(value)
    graph.remove(node, safe=True)


def _fold_batch_normalizations(model: ir.Model) -> dict[str, str]:
    """Conv or ConvTranspose (of one group) and the BatchNormalization behind it become one."""
    gone = {}
    for node in list(nodes_of(model)):
        if node.op_type != "BatchNormalization" or node.domain or len([o for o in node.outputs if o.uses()]) > 1:
            continue
        conv = node.inputs[0].producer() if node.inputs[0] is not None else None
        if conv is not None and _folds(node, conv):
            _fold(node, conv)
            gone[node.name or ""] = f"it is part of {conv.name!r} now"
    return gone


def _folds(norm: ir.Node, conv: ir.Node) -> bool:
    if conv.op_type not in ("Conv", "ConvTranspose") or conv.domain or conv.graph is not norm.graph:
        return False
    if conv.op_type == "ConvTranspose" and (group := conv.attributes.get("group")) and group.as_int() != 1:
        return False
    out = conv.outputs[0]
    if len(out.uses()) != 1 or out.is_graph_output() or norm.outputs[0].is_graph_output():
        return False
    constants = [*conv.inputs[1:3], *norm.inputs[1:5]]
    if not all(v is None or (is_constant(v) and tensor_of(v).dtype == ir.DataType.FLOAT) for v in constants):
        return False
    training = norm.attributes.get("training_mode")
    weight = conv.inputs[1]
    return (training is None or training.as_int() == 0) and weight is not None and len(weight.uses()) == 1


def _fold(norm: ir.Node, conv: ir.Node) -> None:
    gamma, beta, mean, variance = (np.asarray(_array(v), np.float64) for v in norm.inputs[1:5])
    factor = gamma / np.sqrt(variance + float_attribute(norm, "epsilon", 1e-5))
    weight = _array(conv.inputs[1])
    axis = 0 if conv.op_type == "Conv" else 1
    along = [-1 if at == axis else 1 for at in range(weight.ndim)]
    bias = _array(conv.inputs[2]) if len(conv.inputs) > 2 and conv.inputs[2] is not None else 0.0
    graph = conv.graph
    assert graph is not None and conv.inputs[1] is not None
    name = conv.inputs[1].name
    scaled = new_initializer(graph, f"{name}.normalized", (weight * factor.reshape(along)).astype(np.float32))
    shifted = new_initializer(graph, f"{name}.bias", ((bias - mean) * factor + beta).astype(np.float32))
    conv.replace_input_with(1, scaled)
    if len(conv.inputs) < 3:
        conv.resize_inputs(3)
    conv.replace_input_with(2, shifted)
    norm.outputs[0].replace_all_uses_with(conv.outputs[0])
    graph.remove(norm, safe=True)


def _array(value: ir.Value | None) -> np.ndarray:
    assert value is not None
    return tensor_of(value).numpy()
