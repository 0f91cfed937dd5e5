"""Texts that a network reads step by step: connectionist temporal classification.

Source: Graves et al., Connectionist Temporal Classification, ICML 2006, best path decoding.
"""

from __future__ import annotations

import numpy as np

from ....errors import InvalidArgument
from ..assembly import Assembly
from ..config import TextOutput
from ..graph import CONTRIB, FLOAT, INT64, STRING
from ..words import known


def add(assembly: Assembly, name: str, step: TextOutput) -> None:
    g = assembly.tail
    source = assembly.source(step.source, name)
    dims = assembly.dims(source)
    characters = _characters(assembly, step)
    if dims is not None and (len(dims) != 3 or (isinstance(dims[0], int) and dims[0] != 1)):
        raise InvalidArgument(
            f"the model's output {source!r} has shape {dims}; steps of one text are [1, steps, classes]"
        )
    if dims is not None and isinstance(dims[2], int) and dims[2] != len(characters):
        raise InvalidArgument(
            f"there are {len(characters)} characters with the blank; the model's output {source!r} has shape {dims}"
        )
    x = g("Squeeze", g.cast(assembly.output(source), FLOAT), g.integers(0))
    best = g("ArgMax", x, axis=1, keepdims=0)
    before = g("Concat", g.integers(step.blank), g.slice(best, 0, -1, 0), axis=0)
    blank = g.constant(step.blank, INT64.numpy())
    kept = g("And", g("Not", g("Equal", best, blank)), g("Not", g("Equal", best, before)))
    read = g("Gather", g.constant(characters, object), g.compress(best, kept), axis=0)
    # One empty text more: nothing that was read is a text, too.
    read = g("Concat", read, g.constant([""], object), axis=0)
    text = g("StringJoin", read, g.constant([""], object), g.constant(0, INT64.numpy()), domain=CONTRIB)
    sure = g.compress(g.reduce("ReduceMax", x, 1, keepdims=False), kept)
    total, count = g.reduce("ReduceSum", sure, 0), g.cast(g("Shape", sure), FLOAT)
    score = g("Div", total, g("Max", count, g.constant([1], np.float32)))
    assembly.add(name, "text", text, STRING, [1], label=step.label, scores=f"{name}_scores")
    assembly.add(f"{name}_scores", "tensor", score, FLOAT, [1])


def _characters(assembly: Assembly, step: TextOutput) -> list[str]:
    """One for each class."""
    if (step.characters is None) == (step.metadata is None):
        raise InvalidArgument("it needs characters, a list or a file, or metadata, a key of the model's: one of them")
    if step.characters is not None:
        listed = list(assembly.files.lines(step.characters))
    else:
        assert step.metadata is not None
        found = assembly.core.model.metadata_props
        if step.metadata not in found:
            raise InvalidArgument(known("metadata", step.metadata, found))
        listed = found[step.metadata].split("\n")
    if step.blank > len(listed) or (step.blank_listed and step.blank == len(listed)):
        raise InvalidArgument(f"blank is {step.blank}; there are {len(listed)} characters")
    if not step.blank_listed:
        listed.insert(step.blank, "")
    return [*listed, " "] if step.space else listed
