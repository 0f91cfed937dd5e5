"""A model's graph as the comparison of layers sees it, and its copies with other outputs. Needs the onnx package."""

from __future__ import annotations

import heapq
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import errors
from ..model import Source
from . import sides


@dataclass(frozen=True)
class Node:
    """One node of the main graph. Values that a node's subgraphs read from outside count as its inputs."""

    index: int
    name: str
    op_type: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class Structure:
    """An editable model, without its external data."""

    def __init__(self, source: Source) -> None:
        """Raises NotImplemented without the onnx package, InvalidProtobuf for what it cannot read."""
        try:
            import onnx
        except ImportError:
            text = "comparing layers needs the package onnx: pip install 'onnxlet[tools]'"
            raise errors.NotImplemented(text) from None
        self._value_info = onnx.ValueInfoProto
        self._folder: Path | None = None
        try:
            if isinstance(source, bytes | bytearray | memoryview):
                self._proto = onnx.load_from_string(bytes(source))
            else:
                self._proto = onnx.load(os.fspath(source), load_external_data=False)
                self._folder = Path(source).resolve().parent
        except Exception as error:  # protobuf's own kinds
            raise errors.InvalidProtobuf(f"the onnx package cannot read the model: {error}") from error
        self._declared = {item.name: item for item in self._proto.graph.output}

    def nodes(self) -> list[Node]:
        """The main graph's nodes in topological order: the file's, where that is one, as it should be."""
        return _sorted([_node(index, node) for index, node in enumerate(self._proto.graph.node)])

    def unseen(self) -> list[str]:
        """Sentences about what hides inside nodes."""
        found = []
        for index, node in enumerate(self._proto.graph.node):
            inside = sum(map(_size, _subgraphs(node)))
            if inside:
                found.append(f"{inside} nodes inside {node.op_type} {node.name or index} are not looked into")
        for function in self._proto.functions:
            calls = sum(n.op_type == function.name and n.domain == function.domain for n in self._proto.graph.node)
            if calls:
                name = f"{function.domain}.{function.name}" if function.domain else function.name
                found.append(
                    f"{len(function.node)} nodes of the function {name} are not looked into; {calls} calls of it"
                )
        return found

    def with_outputs(self, values: Sequence[str]) -> sides.Model:
        """The model with these values as its outputs, instead of its own."""
        outputs = self._proto.graph.output
        del outputs[:]
        outputs.extend(self._declared.get(name) or self._value_info(name=name) for name in values)
        return sides.Model(self._proto.SerializeToString(), self._folder)


def _node(index: int, node: Any) -> Node:
    captured = set().union(*map(_captured, _subgraphs(node)))
    return Node(
        index,
        node.name or f"{node.op_type}_{index}",
        node.op_type,
        node.domain,
        (*node.input, *sorted(captured)),
        tuple(filter(None, node.output)),
    )


def _sorted(nodes: Sequence[Node]) -> list[Node]:
    """Each node after those whose outputs it reads, and otherwise in the order given."""
    producer = {name: node.index for node in nodes for name in node.outputs}
    waits_for = {node.index: {producer[name] for name in node.inputs if name in producer} for node in nodes}
    readers: dict[int, list[int]] = {node.index: [] for node in nodes}
    for index, producers in waits_for.items():
        for found in producers:
            readers[found].append(index)
    ready = [index for index, producers in waits_for.items() if not producers]
    heapq.heapify(ready)
    made = []
    while ready:
        index = heapq.heappop(ready)
        made.append(nodes[index])
        for reader in readers[index]:
            waits_for[reader].discard(index)
            if not waits_for[reader]:
                heapq.heappush(ready, reader)
    return made


def _subgraphs(node: Any) -> list[Any]:
    return [
        graph
        for attribute in node.attribute
        for graph in [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]
    ]


def _size(graph: Any) -> int:
    """Nodes at any depth."""
    return sum(1 + sum(map(_size, _subgraphs(node))) for node in graph.node)


def _captured(graph: Any) -> set[str]:
    """Names that a subgraph reads and does not define."""
    defined = {item.name for item in [*graph.input, *graph.initializer]}
    read = {item.name for item in graph.output}
    for node in graph.node:
        defined.update(node.output)
        read.update(node.input, *map(_captured, _subgraphs(node)))
    return read - defined
