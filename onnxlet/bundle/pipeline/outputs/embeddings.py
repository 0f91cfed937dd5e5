"""Vectors of sentences.

Source: Reimers and Gurevych, Sentence-BERT, EMNLP 2019.
"""

from __future__ import annotations

import numpy as np

from ....errors import InvalidArgument
from ..assembly import Assembly
from ..config import Embedding
from ..graph import FLOAT, STRING
from ..words import known

_LEAST_COUNT = 1e-9
_LEAST_LENGTH = 1e-12


def add(assembly: Assembly, name: str, step: Embedding) -> None:
    g = assembly.tail
    source = assembly.source(step.source, name)
    dims = assembly.dims(source)
    rank = 2 if step.pool == "none" else 3
    if dims is None or len(dims) != rank or (isinstance(dims[0], int) and dims[0] != 1):
        wanted = "[1, N]" if step.pool == "none" else "[1, tokens, N]"
        raise InvalidArgument(f"the model's output {source!r} has shape {dims}; with pool {step.pool!r} it is {wanted}")
    x = g.cast(assembly.output(source), FLOAT)
    if step.pool == "mean":
        if step.mask not in assembly.core.inputs:
            raise InvalidArgument(f"mask: {known('input', step.mask, assembly.core.inputs)}")
        counted = assembly.fed.get(step.mask, assembly.core.inputs[step.mask])
        mask = g("Unsqueeze", g.cast(counted, FLOAT), g.integers(2))
        total = g.reduce("ReduceSum", g("Mul", x, mask), 1)
        x = g("Div", total, g("Max", g.reduce("ReduceSum", mask, 1), g.number(_LEAST_COUNT)))
    elif step.pool == "first":
        x = g.slice(x, 0, 1, 1)
    x = g.reshape(x, -1)
    if step.normalize:
        length = g("Sqrt", g.reduce("ReduceSum", g("Mul", x, x), 0))
        x = g("Div", x, g("Max", length, g.number(_LEAST_LENGTH)))
    if step.compare is None:
        size = dims[-1] if isinstance(dims[-1], int) else None
        assembly.add(name, "tensor", x, FLOAT, [size], label=step.label)
        return
    sentences = assembly.files.lines(step.compare)
    likeness = g("MatMul", g.constant(assembly.vectors(name, sentences), np.float32), x)
    top = min(step.top, len(sentences))
    scores, at = g.several("TopK", 2, likeness, g.integers(top), axis=0)
    nearest = g("Gather", g.constant(sentences, object), at, axis=0)
    assembly.add(name, "labels", nearest, STRING, [top], label=step.label, scores=f"{name}_scores")
    assembly.add(f"{name}_scores", "tensor", scores, FLOAT, [top])
