"""The model that a pipeline goes around: its nodes, and the models before and after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import onnx
import onnx_ir as ir

from ...errors import InvalidArgument, InvalidProtobuf
from ...packing.opset import raise_opset
from ..errors import BundleError
from .config import Graph
from .words import known


@dataclass
class Core:
    """Nodes that are in no graph at the moment, and what goes in and comes out, by name."""

    model: ir.Model
    """Metadata, opset imports and functions; its graph is empty."""
    nodes: list[ir.Node]
    inputs: dict[str, ir.Value]
    outputs: dict[str, ir.Value]
    initializers: list[ir.Value]
    classes: dict[str, list[str]] = field(default_factory=dict)
    """What the columns of an output are, where ZipMap made maps of it."""

    @property
    def opset(self) -> int:
        return self.model.graph.opset_imports[""]


def load(path: Path, least: int, folder: str = "model") -> Core:
    """The model with the weights that it keeps in other files, at this opset version at least. The names of its nodes and
    values get a folder before them.

    Raises NoSuchFile, InvalidProtobuf, NotImplemented where the version cannot be raised.
    """
    proto = _proto(path)
    classes = _without_maps(proto.graph)
    try:
        model = ir.from_proto(proto)
    except ir.serde.SerdeError as error:
        raise BundleError(f"{path.name} has inputs or outputs that a pipeline cannot go around: {error}") from error
    model.graph.opset_imports.setdefault("", 1)
    model = raise_opset(model, least, "the pipeline", "")
    graph = model.graph
    initializers = list(graph.initializers.values())
    # Initializers that are inputs, too, are their default values: nobody gives them here.
    inputs = {str(value.name): value for value in graph.inputs if value.name not in graph.initializers}
    outputs = {str(value.name): value for value in graph.outputs}
    _rename(model, folder)
    graph.outputs.clear()
    graph.inputs.clear()
    nodes = list(graph)
    graph.remove(nodes)
    graph.initializers.clear()
    return Core(model, nodes, inputs, outputs, initializers, classes)


def _proto(path: Path) -> onnx.ModelProto:
    from google.protobuf.message import DecodeError

    try:
        return onnx.load(path)
    except DecodeError as error:
        raise InvalidProtobuf(f"{path.name} is not an ONNX model: {error}") from error


def _without_maps(graph: onnx.GraphProto) -> dict[str, list[str]]:
    """Makes Identity of every ZipMap that gives an output. Gives the names of the classes, by the output's name."""
    found: dict[str, list[str]] = {}
    outputs = {value.name: value for value in graph.output}
    for node in graph.node:
        if node.op_type != "ZipMap" or node.output[0] not in outputs:
            continue
        given = {attribute.name: attribute for attribute in node.attribute}
        texts = (
            [text.decode() for text in given["classlabels_strings"].strings] if "classlabels_strings" in given else []
        )
        names = texts or [str(number) for number in given["classlabels_int64s"].ints]
        name = node.output[0]
        found[name] = names
        node.CopyFrom(onnx.helper.make_node("Identity", [node.input[0]], [name]))
        outputs[name].CopyFrom(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [None, len(names)]))
    return found


def _rename(model: ir.Model, folder: str) -> None:
    for graph in model.graphs():
        values = [*graph.inputs, *graph.initializers.values(), *(value for node in graph for value in node.outputs)]
        for value in dict.fromkeys(values):
            if value.name:
                value.name = f"{folder}/{value.name}"
        for node in graph:
            if node.name:
                node.name = f"{folder}/{node.name}"


def join(first: Core, second: Core, connect: Mapping[str, str]) -> Core:
    """Both as one: outputs of the first feed inputs of the second, by `connect` or of the same name.

    Outputs of the first that feed nothing stay outputs. Raises InvalidArgument.
    """
    for output, given in connect.items():
        if output not in first.outputs:
            raise InvalidArgument(known("output", output, first.outputs))
        if given not in second.inputs:
            raise InvalidArgument(known("input", given, second.inputs))
    pairs = {given: output for output, given in connect.items()}
    pairs |= {name: name for name in second.inputs if name in first.outputs and name not in pairs}
    if not pairs:
        raise InvalidArgument(
            f"nothing connects the outputs {', '.join(first.outputs)} with the inputs {', '.join(second.inputs)}; "
            f"say how with connect"
        )
    for given, output in pairs.items():
        replace(second, second.inputs.pop(given), first.outputs[output])
    _same_name_twice(first.inputs, second.inputs, "inputs")
    kept = {name: value for name, value in first.outputs.items() if name not in pairs.values()}
    _same_name_twice(kept, second.outputs, "outputs")
    first.model.graph.opset_imports.update(
        {
            domain: max(version, first.model.graph.opset_imports.get(domain, 0))
            for domain, version in second.model.graph.opset_imports.items()
        }
    )
    first.model.functions.update(second.model.functions)
    first.model.ir_version = max(first.model.ir_version, second.model.ir_version)
    return Core(
        first.model,
        first.nodes + second.nodes,
        first.inputs | second.inputs,
        kept | second.outputs,
        first.initializers + second.initializers,
        first.classes | second.classes,
    )


def replace(core: Core, value: ir.Value, by: ir.Value) -> None:
    """Wherever the core reads the value, it reads the other."""
    ir.convenience.replace_all_uses_with(value, by)
    for name, output in core.outputs.items():
        if output is value:
            core.outputs[name] = by


def _same_name_twice(first: Mapping[str, Any], second: Mapping[str, Any], what: str) -> None:
    if twice := sorted(first.keys() & second.keys()):
        raise InvalidArgument(f"two of the models that are joined have {what} of the name {twice[0]!r}; rename one")


Around = tuple[tuple[Path, Graph] | None, ...]
"""The files before and after the model, with what the pipeline says of them."""


def surrounded(path: Path, around: Around, least: int) -> Core:
    """The model with those before and after it, all at one opset version; the metadata is the model's."""
    before, after = around
    others = [item[0] for item in around if item]
    if others:
        least = max(least, *map(_opset, (path, *others)))
    core = load(path, least)
    kept = dict(core.model.metadata_props)
    if before:
        core = join(load(before[0], least, "before"), core, before[1].connect)
    if after:
        core = join(core, load(after[0], least, "after"), after[1].connect)
    core.model.metadata_props.clear()
    core.model.metadata_props.update(kept)
    return core


def _opset(path: Path) -> int:
    proto = onnx.load(path, load_external_data=False)
    return max((item.version for item in proto.opset_import if item.domain in ("", "ai.onnx")), default=1)
