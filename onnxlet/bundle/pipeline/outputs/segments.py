"""Where a series of probabilities is high, in seconds.

A segment begins where the threshold is reached. It ends where the probability falls below the lower threshold and stays
below the upper one for long enough. Source: the way in which Silero VAD makes time stamps of its probabilities.
"""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ....errors import InvalidArgument
from ..assembly import Assembly
from ..config import Segments
from ..graph import BOOL, FLOAT, Writer, typed

_HYSTERESIS = 0.15
_NONE = -1.0  # of a position: there is none
_EQUAL = 1e-3  # steps: lengths that differ by less are the same


def add(assembly: Assembly, name: str, step: Segments) -> None:
    g = assembly.tail
    source = assembly.source(step.source, name)
    dims = assembly.dims(source)
    if dims is not None and (not dims or any(isinstance(dim, int) and dim != 1 for dim in dims[1:])):
        raise InvalidArgument(
            f"the model's output {source!r} has shape {dims}; probabilities in time are [N] or [N, 1]"
        )
    low = step.low if step.low is not None else max(step.threshold - _HYSTERESIS, 0.01)
    if low > step.threshold:
        raise InvalidArgument(f"low is {low}, above the threshold {step.threshold}")
    sounds = [sound for sound in assembly.sounds.values() if sound.window]
    if step.step is None and len(sounds) != 1:
        raise InvalidArgument("it needs step, the seconds between probabilities: there is no stream that says it")
    x = g.reshape(g.cast(assembly.output(source), FLOAT), -1)
    if step.step is None:
        assert sounds[0].window is not None
        seconds = sounds[0].window / sounds[0].rate
        length = g("Div", g.cast(sounds[0].samples, FLOAT), g.constant([sounds[0].window], np.float32))
    else:
        seconds = step.step
        length = g.cast(g("Shape", x), FLOAT)
    # Positions are in steps, most of them whole numbers.
    starts, ends = _spans(g, x, length, step.threshold, low, step.silence / seconds)
    long = g("Greater", g("Sub", ends, starts), g.number(step.shortest / seconds + _EQUAL))
    starts, ends = _padded(g, g.compress(starts, long), g.compress(ends, long), length, step.pad / seconds)
    found = g("Concat", g("Unsqueeze", starts, g.integers(1)), g("Unsqueeze", ends, g.integers(1)), axis=1)
    found = g("Mul", found, g.number(seconds))
    assembly.add(name, "tensor", found, FLOAT, ["found", 2], label=step.label or "start and end in seconds")


def _spans(
    g: Writer, x: ir.Value, length: ir.Value, threshold: float, low: float, silence: float
) -> tuple[ir.Value, ir.Value]:
    """Starts and ends, float [M] each."""
    inner = Writer(g.opset, g)
    at, start, quiet = (inner.value(what, FLOAT, []) for what in ("at", "start", "quiet"))
    p = inner.value("probability", FLOAT, [])
    none = g.number(_NONE)
    loud = inner("GreaterOrEqual", p, g.number(threshold))
    began = inner("Where", inner("And", loud, inner("Less", start, g.number(0))), at, start)
    speaking = inner("GreaterOrEqual", began, g.number(0))
    fell = inner("And", inner("Less", p, g.number(low)), speaking)
    since = inner("Where", loud, none, quiet)
    since = inner("Where", inner("And", fell, inner("Less", since, g.number(0))), at, since)
    long = inner("GreaterOrEqual", inner("Sub", at, since), g.number(silence - _EQUAL))
    ended = inner("And", fell, long)
    carried = [
        inner("Add", at, g.number(1)),
        inner("Where", ended, none, began),
        inner("Where", ended, none, since),
    ]
    # Typed: of no probabilities, these are empty.
    shown = [
        typed(inner("Identity", value), kind, []) for value, kind in ((ended, BOOL), (began, FLOAT), (since, FLOAT))
    ]
    graph = inner.body([at, start, quiet, p], [*carried, *shown], "probability")
    _, last, _, ended, began, since = g.several("Scan", 6, g.number(0), none, none, x, body=graph, num_scan_inputs=1)
    starts, ends = (g.compress(each, ended) for each in (began, since))
    # What still goes on when the sound ends.
    open_ = g("Unsqueeze", g("GreaterOrEqual", last, g.number(0)), g.integers(0))
    last = g("Unsqueeze", last, g.integers(0))
    return (
        g("Concat", starts, g.compress(last, open_), axis=0),
        g("Concat", ends, g.compress(length, open_), axis=0),
    )


def _padded(g: Writer, starts: ir.Value, ends: ir.Value, length: ir.Value, pad: float) -> tuple[ir.Value, ir.Value]:
    """Longer at both ends, within the sound; two neighbours share what is between them."""
    far = g.constant([2 * pad], np.float32)
    least = 2**31 - 1
    gaps = g("Sub", g.slice(starts, 1, least, 0), g.slice(ends, 0, -1, 0))
    half = g("Mul", g("Min", gaps, far), g.number(0.5))
    count = g("Shape", starts)
    edge = g.slice(g.constant([pad], np.float32), g.integers(0), g("Min", count, g.integers(1)), 0)
    starts = g("Max", g("Sub", starts, g("Concat", edge, half, axis=0)), g.number(0))
    ends = g("Min", g("Add", ends, g("Concat", half, edge, axis=0)), length)
    return starts, ends
