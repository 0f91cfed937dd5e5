"""A model whose inputs and outputs are exchanged, step by step, and the whole that comes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_ir as ir

from ... import dtypes
from ...errors import InvalidArgument
from ..application import Input, InputKind, Output, OutputKind
from .graph import CONTRIB, ML, Dims, Writer, typed
from .model import Core, replace
from .reading import Files
from .words import known

Vectors = Callable[[str, Sequence[str]], np.ndarray]
"""What the pipeline itself gives for sentences: float [sentences, N] of an output, by its name."""
_ML_VERSION = 3


@dataclass(frozen=True)
class Picture:
    """Where the pixels of a picture are in what the model sees: x there is x * scale + left. int64 [1] each, but for the
    scales, float32 [1]."""

    height: ir.Value
    width: ir.Value
    vertical: ir.Value
    horizontal: ir.Value
    top: ir.Value
    left: ir.Value
    inner_height: ir.Value
    """Of the picture as the model sees it, without what surrounds it."""
    inner_width: ir.Value
    sizes: tuple[int | None, int | None]
    """Height and width of what the model sees."""


@dataclass(frozen=True)
class Sound:
    """How long a sound is, and what the model makes of it."""

    samples: ir.Value
    """int64 [1]."""
    rate: int
    window: int | None
    """Samples in a step of the stream."""


class Assembly:
    """`head` writes what comes before the model, `tail` what comes after it."""

    def __init__(self, core: Core, files: Files, vectors: Vectors) -> None:
        self.core = core
        self.files = files
        self.vectors = vectors
        self.head = Writer(core.opset)
        self.tail = Writer(core.opset, self.head)
        self.inputs: list[Input] = []
        self.outputs: list[Output] = []
        self.fed: dict[str, ir.Value] = {}
        """What the model's inputs get."""
        self.pictures: dict[str, Picture] = {}
        self.sounds: dict[str, Sound] = {}
        self.rows = False
        """Whether the first dimension counts rows of a table."""
        self._given: list[ir.Value] = []
        self._results: list[ir.Value] = []

    # ---- inputs ----

    def target(self, to: str | None, name: str) -> str:
        """The model's input that a step feeds: the one that is named, has its name, or is the only one left."""
        left = [each for each in self.core.inputs if each not in self.fed]
        if to is None and name not in self.core.inputs and len(left) == 1:
            return left[0]
        found = to or name
        if found not in self.core.inputs:
            place = "" if to else "; say which with to"
            raise InvalidArgument(known("input", found, self.core.inputs) + place)
        if found in self.fed:
            raise InvalidArgument(f"the model's input {found!r} is fed twice")
        return found

    def dtype(self, name: str) -> ir.DataType:
        """Of an input of the model, or of an output."""
        value = self.core.inputs.get(name) or self.core.outputs[name]
        if value.dtype is None:
            raise InvalidArgument(f"{name!r} is no tensor")
        return value.dtype

    def dims(self, name: str) -> list[int | str | None] | None:
        """Of an input of the model, or of an output; None where the model does not say how many there are."""
        value = self.core.inputs.get(name) or self.core.outputs[name]
        return None if value.shape is None else [_plain(dim) for dim in value.shape]

    def feed(self, name: str, value: ir.Value) -> None:
        self.fed[name] = value

    def add_input(self, name: str, kind: InputKind, dtype: ir.DataType, dims: Dims, label: str = "") -> ir.Value:
        """An input of the composed model."""
        if any(item.name == name for item in self.inputs):
            raise InvalidArgument(f"two inputs are called {name!r}")
        self.inputs.append(Input(name, kind, dtype_name(dtype), tuple(dims), label))
        self.rows = self.rows or kind in ("column", "matrix")
        value = typed(ir.Value(name=name), dtype, dims)
        self._given.append(value)
        return value

    # ---- outputs ----

    def source(self, source: str | None, name: str) -> str:
        """The model's output that a step takes: the one that is named, has its name, or is the only one."""
        if source is None and name not in self.core.outputs and len(self.core.outputs) == 1:
            return next(iter(self.core.outputs))
        found = source or name
        if found not in self.core.outputs:
            place = "" if source else "; say which with from"
            raise InvalidArgument(known("output", found, self.core.outputs) + place)
        return found

    def output(self, name: str) -> ir.Value:
        return self.core.outputs[name]

    def add_output(self, output: Output, value: ir.Value, dtype: ir.DataType) -> None:
        """An output of the composed model; its name and shape are those of the interface."""
        if any(item.name == output.name for item in self.outputs):
            raise InvalidArgument(f"two outputs are called {output.name!r}")
        self.outputs.append(output)
        if value.producer() is None or value.is_initializer() or any(value is each for each in self._results):
            value = self.tail("Identity", value)
        self._results.append(typed(value, dtype, output.shape))

    def add(self, name: str, kind: OutputKind, value: ir.Value, dtype: ir.DataType, dims: Dims, **more: Any) -> None:
        """`add_output` in short."""
        self.add_output(Output(name, kind, dtype_name(dtype), tuple(dims), **more), value, dtype)

    # ---- the whole ----

    def picture(self, name: str | None) -> Picture:
        """The one that is named, or the only one."""
        if name is None and len(self.pictures) == 1:
            return next(iter(self.pictures.values()))
        if name is None:
            there = ", ".join(self.pictures) or "none"
            raise InvalidArgument(f"it needs an input that is a picture; there are {there}")
        if name not in self.pictures:
            raise InvalidArgument(known("picture", name, self.pictures))
        return self.pictures[name]

    def finish(self) -> ir.Model:
        """The composed model."""
        core, model = self.core, self.core.model
        for name, value in self.fed.items():
            replace(core, core.inputs[name], value)
        for value, output in zip(self._results, self.outputs, strict=True):
            value.name = output.name
        imports = dict(model.graph.opset_imports)
        for domain, version in ((ML, _ML_VERSION), (CONTRIB, 1)):
            if domain in self.head.domains:
                imports.setdefault(domain, version)
        initializers = [*core.initializers, *self.head.constants.values()]
        graph = ir.Graph(
            self._given,
            self._results,
            nodes=[*self.head.nodes, *core.nodes, *self.tail.nodes],
            initializers=initializers,
            opset_imports=imports,
            name=model.graph.name or "pipeline",
            doc_string=model.graph.doc_string,
        )
        made = ir.Model(
            graph,
            ir_version=max(model.ir_version, 8),
            producer_name=model.producer_name,
            producer_version=model.producer_version,
            domain=model.domain,
            model_version=model.model_version,
            doc_string=model.doc_string,
            functions=list(model.functions.values()),
        )
        made.metadata_props.update(model.metadata_props)
        return made


def dtype_name(dtype: ir.DataType) -> str:
    """As numpy and JavaScript call it."""
    return "string" if dtype == ir.DataType.STRING else str(dtype.numpy())


def type_name(dtype: ir.DataType) -> str:
    """As sessions call it, "tensor(float)"."""
    return f"tensor({dtypes.BY_NUMBER[int(dtype)].name})"


def _plain(dim: int | ir.SymbolicDim) -> int | str | None:
    return dim if isinstance(dim, int) else dim.value
