"""What of a model can be packed: constant weights, the nodes that use them, and which schemes those have forms for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx_ir as ir

from .quantizers import Floats

MICROSOFT = "com.microsoft"
RECURRENT = ("LSTM", "GRU", "RNN")


@dataclass(frozen=True)
class Rule:
    """What the packer knows of an operator with weights. A scheme that is not in `lacks` has a form for it."""

    weights: tuple[int, ...]  # which inputs
    channel_axis: Callable[[ir.Node, int], int | None]  # of a node and the weight's rank; None: it has no form at all
    lacks: dict[str, str] = field(default_factory=dict)  # scheme kind to the reason


def _always(axis: int) -> Callable[[ir.Node, int], int | None]:
    return lambda node, rank: axis


def _gemm_axis(node: ir.Node, rank: int) -> int | None:
    return 0 if int_attribute(node, "transB", 0) else 1


def _matmul_axis(node: ir.Node, rank: int) -> int | None:
    return 1 if rank == 2 else None


def _gather_axis(node: ir.Node, rank: int) -> int | None:
    return 0 if int_attribute(node, "axis", 0) in (0, -rank) and rank == 2 else None


_NO_INTEGERS = "{} has no form with integers that the engines run"
_RECURRENT = Rule(
    (1, 2),
    _always(1),
    {kind: _NO_INTEGERS.format("a recurrent network") for kind in ("int8-dynamic", "int8-static")},
)

RULES: dict[str, Rule] = {
    "Conv": Rule((1,), _always(0)),
    "ConvTranspose": Rule(
        (1,), _always(1), {k: _NO_INTEGERS.format("ConvTranspose") for k in ("int8-dynamic", "int8-static")}
    ),
    "Gemm": Rule((1,), _gemm_axis),
    "MatMul": Rule((1,), _matmul_axis),
    "Gather": Rule(
        (0,), _gather_axis, dict.fromkeys(("int8-dynamic", "int8-static"), "an embedding is looked up, not multiplied")
    ),
    **dict.fromkeys(RECURRENT, _RECURRENT),
}

# Operators that show that a model was quantized before.
QUANTIZED = frozenset(
    {
        "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "MatMulInteger", "ConvInteger", "QLinearConv",
        "QLinearMatMul", "MatMulNBits", "MatMulBnb4", "GatherBlockQuantized", "QGemm", "QAttention", "QMoE",
        "DynamicQuantizeMatMul", "DynamicQuantizeLSTM", "MatMulIntegerToFloat",
    }
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Use:
    """A place where a weight is used."""

    node: ir.Node
    index: int
    transposed: bool = False  # a Transpose of the two axes stands between


@dataclass(frozen=True, eq=False)
class Layer:
    """A constant weight and all nodes that use it: tied weights are one layer."""

    name: str
    weight: ir.Value
    uses: tuple[Use, ...]
    axis: int  # of the output channels, in the weight as it is stored
    lacks: dict[str, str]  # scheme kind to the reason why the layer has no form for it
    in_main_graph: bool  # no use stands in a subgraph

    @property
    def node_names(self) -> tuple[str, ...]:
        return tuple(use.node.name or "" for use in self.uses)

    @property
    def op_type(self) -> str:
        return self.uses[0].node.op_type

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(tensor_of(self.weight).shape.numpy())

    @property
    def columns(self) -> int:
        """K of the rows [N, K]."""
        if self.op_type in RECURRENT:
            return self.shape[-1]
        return math.prod(self.shape) // max(self.shape[self.axis], 1)

    @property
    def multiplied(self) -> ir.Node | None:
        """The first node that multiplies floats with the weight; None for an embedding or a recurrent network."""
        found = [u.node for u in self.uses if u.node.op_type in ("Conv", "ConvTranspose", "Gemm", "MatMul")]
        return found[0] if found else None

    def rows(self) -> Floats:
        """The weights as quantizers see them: float32 [N, K]."""
        return self.to_rows(np.asarray(tensor_of(self.weight).numpy(), np.float32))

    def to_rows(self, weight: np.ndarray) -> np.ndarray:
        """[N, K] from an array of the weight's shape: N is the output channels, for LSTM and its kin all axes but the last."""
        if self.op_type in RECURRENT:
            return weight.reshape(-1, weight.shape[-1])
        return np.moveaxis(weight, self.axis, 0).reshape(weight.shape[self.axis], -1)

    def from_rows(self, rows: np.ndarray) -> np.ndarray:
        """The inverse of `to_rows`."""
        if self.op_type in RECURRENT:
            return rows.reshape(self.shape)
        moved = [self.shape[self.axis], *(size for at, size in enumerate(self.shape) if at != self.axis)]
        return np.ascontiguousarray(np.moveaxis(rows.reshape(moved), 0, self.axis))


@dataclass
class Survey:
    """All layers of a model, and for each node that has none the reason."""

    layers: list[Layer]
    skipped: dict[str, str]  # node name to a sentence


def survey(model: ir.Model) -> Survey:
    """Finds the layers. Nodes must have unique names."""
    uses: dict[ir.Value, list[Use]] = {}
    skipped: dict[str, str] = {}
    for node in nodes_of(model):
        found, reason = _weights_of(node)
        for weight, use in found:
            uses.setdefault(weight, []).append(use)
        if not found:
            skipped[node.name or ""] = reason
    layers = []
    for weight, places in uses.items():
        made = _layer(weight, places, model.graph)
        if isinstance(made, Layer):
            layers.append(made)
            continue
        for use in places:
            skipped[use.node.name or ""] = made
    for layer in layers:  # a node with two weights of which one has a form counts as packed
        for name in layer.node_names:
            skipped.pop(name, None)
    return Survey(layers, skipped)


def _weights_of(node: ir.Node) -> tuple[list[tuple[ir.Value, Use]], str]:
    """The constant weights of a node with the use each is of; without any, the reason."""
    rule = RULES.get(node.op_type) if node.domain == "" else None
    if rule is None:
        return [], _without_rule(node)
    found = []
    for index in rule.weights:
        value = node.inputs[index] if index < len(node.inputs) else None
        transposed = False
        if value is not None and (source := _transposed_from(value)) is not None:
            value, transposed = source, True
        if value is not None and is_constant(value):
            found.append((value, Use(node, index, transposed)))
    if found:
        return found, ""
    value = node.inputs[rule.weights[0]]
    producer = value.producer() if value is not None else None
    if producer is not None and producer.op_type in ("Cast", "DequantizeLinear", "Mul") and _stored_small(producer):
        return [], "its weights are stored small already"
    if node.op_type == "MatMul" and node.inputs[0] is not None and is_constant(node.inputs[0]):
        return [], "its constant is the left operand, for which there is no form"
    return [], f"{node.op_type} gets its weights while the model runs; they are no constants"


def _without_rule(node: ir.Node) -> str:
    kind = node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}.{node.op_type}"
    large = [v for v in node.inputs if v is not None and is_constant(v) and tensor_of(v).size >= 1024]
    floats = [v for v in large if tensor_of(v).dtype.is_floating_point()]
    if floats:
        return f"{kind} has a constant of {tensor_of(floats[0]).size} numbers, but the packer has no rule for it"
    return f"{kind} has no weights"


def _stored_small(node: ir.Node | None, depth: int = 0) -> bool:
    """Whether the value is made of a constant of at most 16 bits."""
    if node is None or depth > 4:
        return False
    for value in node.inputs:
        if value is None:
            continue
        if is_constant(value) and tensor_of(value).dtype.bitwidth <= 16:
            return True
        if _stored_small(value.producer(), depth + 1):
            return True
    return False


def _transposed_from(value: ir.Value) -> ir.Value | None:
    """The constant matrix that a Transpose makes this value of."""
    node = value.producer()
    if node is None or node.op_type != "Transpose" or node.domain:
        return None
    source = node.inputs[0]
    if source is None or not is_constant(source) or len(tensor_of(source).shape) != 2:
        return None
    permutation = node.attributes.get("perm")
    return source if permutation is None or tuple(permutation.as_ints()) == (1, 0) else None


def _layer(weight: ir.Value, uses: list[Use], main: ir.Graph) -> Layer | str:
    """The layer, or why there is none."""
    tensor = tensor_of(weight)
    name = weight.name or ""
    if tensor.dtype != ir.DataType.FLOAT:
        return f"its weight {name!r} has type {tensor.dtype}; only float32 is packed"
    if tensor.size == 0:
        return f"its weight {name!r} has no numbers"
    if weight.is_graph_output() or weight.is_graph_input():
        return f"its weight {name!r} is an input or output of the graph"
    others = [node for node, _ in weight.uses() if not any(_leads_to(node, use) for use in uses)]
    if others:
        return (
            f"its weight {name!r} is also used by {others[0].name!r} ({others[0].op_type}), for which there is no rule"
        )
    rank = len(tensor.shape)
    axes = set()
    lacks: dict[str, str] = {}
    for use in uses:
        rule = RULES[use.node.op_type]
        axis = rule.channel_axis(use.node, rank)
        if axis is None:
            return f"{use.node.op_type} with a weight of rank {rank} or on this axis has no form"
        axes.add(1 - axis if use.transposed else axis)
        lacks |= rule.lacks
        if (reason := _without_integers(use.node)) is not None:
            lacks |= dict.fromkeys(("int8-dynamic", "int8-static"), reason)
    if len(axes) > 1:
        return f"its weight {name!r} is shared by nodes that need scales along different axes"
    if not np.isfinite(tensor.numpy()).all():
        return f"its weight {name!r} has numbers that are not finite"
    node = uses[0].node
    label = f"{node.name}.{name}" if len(RULES[node.op_type].weights) > 1 else node.name or name
    in_main_graph = all(use.node.graph is main for use in uses)
    return Layer(label, weight, tuple(uses), axes.pop(), lacks, in_main_graph)


def _leads_to(node: ir.Node, use: Use) -> bool:
    return node is use.node or (use.transposed and use.node.inputs[use.index].producer() is node)  # type: ignore[union-attr]


def _without_integers(node: ir.Node) -> str | None:
    """Why a node that has a rule cannot multiply integers."""
    if node.op_type != "Gemm":
        return None
    if int_attribute(node, "transA", 0):
        return "Gemm with transA has no form with integers"
    if float_attribute(node, "alpha", 1.0) != 1 or float_attribute(node, "beta", 1.0) != 1:
        return "Gemm with alpha or beta has no form with integers"
    return None


# ---- helpers for everything that reads a model


def nodes_of(model: ir.Model) -> Iterator[ir.Node]:
    """All nodes, those of subgraphs included."""
    return iter(ir.traversal.RecursiveGraphIterator(model.graph))


def is_constant(value: ir.Value) -> bool:
    """An initializer that no caller can replace."""
    return value.is_initializer() and value.const_value is not None and not value.is_graph_input()


def tensor_of(value: ir.Value) -> ir.TensorProtocol:
    """The tensor of a constant."""
    assert value.const_value is not None
    return value.const_value


def new_initializer(graph: ir.Graph | ir.Function, name: str, array: np.ndarray | ir.TensorProtocol) -> ir.Value:
    """An initializer of the graph under this name, or one like it that is free."""
    assert isinstance(graph, ir.Graph)
    free, count = name, 0
    while free in graph.initializers:
        count += 1
        free = f"{name}.{count}"
    tensor = ir.tensor(array, name=free) if isinstance(array, np.ndarray) else array
    tensor.name = free
    value = ir.Value(name=free, shape=tensor.shape, type=ir.TensorType(tensor.dtype), const_value=tensor)  # type: ignore[arg-type]
    graph.register_initializer(value)
    return value


def int_attribute(node: ir.Node, name: str, default: int) -> int:
    found = node.attributes.get(name)
    return default if found is None else found.as_int()


def ints_attribute(node: ir.Node, name: str, default: Sequence[int]) -> list[int]:
    found = node.attributes.get(name)
    return list(default if found is None else found.as_ints())


def float_attribute(node: ir.Node, name: str, default: float) -> float:
    found = node.attributes.get(name)
    return default if found is None else found.as_float()


def quantized_operators(nodes: Iterable[ir.Node]) -> dict[str, int]:
    """Counts of operators that show that a model was quantized before."""
    counts: dict[str, int] = {}
    for node in nodes:
        if node.op_type in QUANTIZED or node.op_type.startswith("QLinear"):
            counts[node.op_type] = counts.get(node.op_type, 0) + 1
    return counts
