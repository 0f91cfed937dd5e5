"""Outputs that stay numbers."""

from __future__ import annotations

from ....errors import InvalidArgument
from ...application import OutputKind
from ..assembly import Assembly
from ..config import Classes, TensorOutput
from ..graph import FLOAT, INT64, STRING


def add(assembly: Assembly, name: str, step: TensorOutput) -> None:
    g = assembly.tail
    source = assembly.source(step.source, name)
    x, dtype, dims = assembly.output(source), assembly.dtype(source), assembly.dims(source)
    if dims is None:
        raise InvalidArgument(f"the model does not say what shape its output {source!r} has")
    asked = step.activation != "none" or step.argmax or step.threshold is not None
    if asked and (dtype == STRING or not dims):
        raise InvalidArgument(f"the model's output {source!r} is {dtype.name.lower()} {dims}; the step needs numbers")
    if step.argmax and step.threshold is not None:
        raise InvalidArgument("argmax and threshold exclude each other")
    x = g.activation(x, step.activation)
    if step.argmax:
        x, dtype, dims = g("ArgMax", x, axis=-1, keepdims=0), INT64, dims[:-1]
    if step.threshold is not None:
        reached = g("GreaterOrEqual", g.cast(x, FLOAT), g.number(step.threshold))
        x, dtype = g.cast(reached, INT64), INT64
    kind: OutputKind = "column" if assembly.rows else "tensor"
    assembly.add(name, kind, x, dtype, dims, label=step.label)


def add_classes(assembly: Assembly, name: str, step: Classes) -> None:
    source = assembly.source(step.source, name)
    classes = assembly.core.classes.get(source)
    if classes is None:
        maps = ", ".join(assembly.core.classes) or "none"
        raise InvalidArgument(f"the model's output {source!r} is no map of classes to probabilities; there are {maps}")
    label = step.label or ", ".join(classes)
    assembly.add(name, "column", assembly.output(source), FLOAT, [None, len(classes)], label=label)
