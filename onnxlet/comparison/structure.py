"""A model's graph as the comparison of layers sees it, and its copies with other outputs. Needs the onnx package."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
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
        """The main graph's nodes, in the file's order, which is topological."""
        return [
            Node(
                index,
                node.name or f"{node.op_type}_{index}",
                node.op_type,
                node.domain,
                (*node.input, *_captured(node)),
                tuple(filter(None, node.output)),
            )
            for index, node in enumerate(self._proto.graph.node)
        ]

    def unseen(self) -> list[str]:
        """Sentences about what hides inside nodes."""
        found = []
        for index, node in enumerate(self._proto.graph.node):
            inside = sum(len(graph.node) for graph in _subgraphs(node))
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


def _subgraphs(node: Any) -> Iterator[Any]:
    for attribute in node.attribute:
        graphs = [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]
        for graph in graphs:
            yield graph
            for inner in graph.node:
                yield from _subgraphs(inner)


def _captured(node: Any) -> Iterator[str]:
    """Names that subgraphs read; those that they define themselves do no harm here, being nobody's outside."""
    for graph in _subgraphs(node):
        for inner in graph.node:
            yield from inner.input
        for output in graph.output:
            yield output.name
