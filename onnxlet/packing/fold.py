"""Constant folding, where it makes the model smaller: what some nodes make of constants alone becomes a constant."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import numpy as np
import onnx_ir as ir

from ..errors import Error
from ..session import InferenceSession
from .layers import QUANTIZED, is_constant, new_initializer, nodes_of, tensor_of

_NODE = 64  # bytes that a node takes in a file, roughly
_SHARED = 1024  # bytes from which on two nodes that read a constant are judged together
_LARGEST = 256 << 20  # bytes of constants looked at in all: the rest is left alone
_RANDOM = ("RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial", "Bernoulli")


def fold_constants(model: ir.Model) -> dict[str, str]:
    """Returns the nodes that are gone, with the reason. Nodes must have unique names, local functions be inlined.

    Nodes that depend on each other or on one constant are judged together: they go if their results, equal ones counted
    once, are no larger than the nodes and the constants that nothing else reads. Results are computed on onnxlet's engine;
    what it cannot run stays.
    """
    groups = _affordable(_groups(_constant_nodes(model)))
    results = [value for group in groups for value in _results(group)]
    try:
        arrays = _evaluate(model, [node for group in groups for node in group], results)
    except Error:
        return {}
    gone: dict[str, str] = {}
    for group in groups:
        found = {value: arrays[value] for value in _results(group) if value in arrays}
        if found and len(found) == len(_results(group)) and _distinct_bytes(found.values()) <= _freed(group):
            _replace(group, found)
            gone |= {node.name or "": "its result is a constant" for node in group}
    return gone


def _constant_nodes(model: ir.Model) -> list[ir.Node]:
    """Nodes whose results never change, in order. Constant nodes belong to those that read them."""
    constant: dict[ir.Node, None] = {}
    for node in nodes_of(model):
        if node.op_type in QUANTIZED or node.op_type in _RANDOM or any(o.is_graph_output() for o in node.outputs):
            continue
        if any(a.type in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS) for a in node.attributes.values()):
            continue
        inputs = [value for value in node.inputs if value is not None]
        if all(is_constant(value) or value.producer() in constant for value in inputs):
            constant[node] = None
    return list(constant)


def _groups(nodes: list[ir.Node]) -> list[list[ir.Node]]:
    """The nodes parted into those that depend on each other or on one large constant, each in order."""
    leader: dict[ir.Node, ir.Node] = {node: node for node in nodes}

    def find(node: ir.Node) -> ir.Node:
        while leader[node] is not node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    first: dict[ir.Value, ir.Node] = {}
    for node in nodes:
        for value in node.inputs:
            other = value.producer() if value is not None else None
            if value is not None and value.is_initializer() and tensor_of(value).nbytes >= _SHARED:
                other = first.setdefault(value, node)
            if other is not None:
                leader[find(node)] = find(other)
    groups: dict[ir.Node, list[ir.Node]] = {}
    for node in nodes:
        groups.setdefault(find(node), []).append(node)
    return [group for group in groups.values() if any(node.op_type != "Constant" for node in group)]


def _results(group: list[ir.Node]) -> list[ir.Value]:
    """What other nodes read of the group; results of Constant nodes are no news."""
    inside = set(group)
    return [
        value
        for node in group
        if node.op_type != "Constant"
        for value in node.outputs
        if any(user not in inside for user, _ in value.uses())
    ]


def _sources(group: list[ir.Node]) -> list[ir.Value]:
    return list(dict.fromkeys(v for node in group for v in node.inputs if v is not None and v.is_initializer()))


def _affordable(groups: list[list[ir.Node]]) -> list[list[ir.Node]]:
    """As many groups, the smallest first, as memory is meant for."""
    taken, total = [], 0
    for size, group in sorted(((_source_bytes(g), g) for g in groups), key=lambda pair: pair[0]):
        total += size
        if total <= _LARGEST:
            taken.append(group)
    return taken


def _source_bytes(group: list[ir.Node]) -> int:
    return sum(tensor_of(value).nbytes for value in _sources(group))


def _freed(group: list[ir.Node]) -> int:
    """Bytes of the nodes, and of the constants that nothing else reads."""
    inside = set(group)
    read_here = [v for v in _sources(group) if all(u in inside for u, _ in v.uses()) and not v.is_graph_output()]
    return _NODE * len(group) + sum(tensor_of(value).nbytes for value in read_here)


def _distinct_bytes(arrays: Iterable[np.ndarray]) -> int:
    found = {hashlib.sha256(f"{a.dtype} {a.shape}".encode() + a.tobytes()).digest(): a.nbytes for a in arrays}
    return sum(found.values())


def _evaluate(model: ir.Model, nodes: list[ir.Node], results: list[ir.Value]) -> dict[ir.Value, np.ndarray]:
    """The results that are tensors of numbers. Raises what the engine raises."""
    if not results:
        return {}
    copies: dict[ir.Value, ir.Value] = {}
    initializers = []
    for value in _sources(nodes):
        copies[value] = ir.Value(name=value.name, shape=value.shape, type=value.type, const_value=value.const_value)
        initializers.append(copies[value])
    made = []
    for node in nodes:
        inputs = [None if value is None else copies[value] for value in node.inputs]
        copy = ir.Node(node.domain, node.op_type, inputs, node.attributes.values(), num_outputs=len(node.outputs))
        for old, new in zip(node.outputs, copy.outputs, strict=True):
            new.name, new.type, new.shape = old.name, old.type, old.shape
            copies[old] = new
        made.append(copy)
    outputs = [copies[value] for value in results]
    graph = ir.Graph([], outputs, nodes=made, initializers=initializers, opset_imports=model.opset_imports, name="fold")
    alone = ir.Model(graph, ir_version=max(model.ir_version, 4))
    with InferenceSession(ir.to_proto(alone).SerializeToString()) as session:
        arrays = session.run([value.name or "" for value in results], {})
    return {v: a for v, a in zip(results, arrays, strict=True) if isinstance(a, np.ndarray) and a.dtype.kind in "fiub"}


def _replace(group: list[ir.Node], arrays: Mapping[ir.Value, np.ndarray]) -> None:
    """Results become initializers where their sources are, so that equal ones of two branches can be merged."""
    homes = {value.graph for value in _sources(group)}
    for value, array in arrays.items():
        producer = value.producer()
        assert producer is not None
        home = next(iter(homes)) if len(homes) == 1 else producer.graph
        assert home is not None
        value.replace_all_uses_with(new_initializer(home, f"{value.name}.folded", array))
    for node in reversed(group):
        if node.graph is not None and not any(o.uses() for o in node.outputs):
            node.graph.remove(node, safe=True)
