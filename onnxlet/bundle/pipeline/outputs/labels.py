"""The names of what the model is most certain of."""

from __future__ import annotations

from ....errors import InvalidArgument
from ..assembly import Assembly
from ..config import LabelsOutput
from ..graph import FLOAT, STRING


def add(assembly: Assembly, name: str, step: LabelsOutput) -> None:
    g = assembly.tail
    source = assembly.source(step.source, name)
    names = assembly.files.lines(step.labels)
    dims = assembly.dims(source)
    if dims and isinstance(dims[-1], int) and dims[-1] != len(names):
        raise InvalidArgument(f"there are {len(names)} labels; the model's output {source!r} has shape {dims}")
    top = min(step.top, len(names))
    x = g.cast(assembly.output(source), FLOAT)
    # Rows of a table keep their own lists; one thing has one.
    x = g.reshape(x, -1, len(names)) if assembly.rows else g.reshape(x, len(names))
    x = g.activation(x, step.activation)
    scores, at = g.several("TopK", 2, x, g.integers(top), axis=-1)
    best = g("Gather", g.constant(names, object), at, axis=0)
    shape: list[int | str | None] = [top]
    if step.threshold is not None:
        if assembly.rows:
            raise InvalidArgument("threshold leaves labels out, which rows of a table cannot: they have as many each")
        kept = g("GreaterOrEqual", scores, g.number(step.threshold))
        best, scores, shape = g.compress(best, kept), g.compress(scores, kept), ["found"]
    if assembly.rows:
        assembly.add(name, "column", best, STRING, ["rows", *shape], label=step.label)
        assembly.add(f"{name}_scores", "column", scores, FLOAT, ["rows", *shape])
    else:
        assembly.add(name, "labels", best, STRING, shape, label=step.label, scores=f"{name}_scores")
        assembly.add(f"{name}_scores", "tensor", scores, FLOAT, shape)
