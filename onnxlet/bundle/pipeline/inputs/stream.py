"""A model that runs over the windows of a sound, one after the other, and keeps its states between them."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ....errors import InvalidArgument
from ..assembly import Assembly
from ..config import Stream
from ..graph import FLOAT, Writer
from ..model import replace
from ..words import known


def run(assembly: Assembly, target: str, samples: ir.Value, count: ir.Value, stream: Stream) -> None:
    """Puts the model into the body of a Scan. Its outputs get a first dimension more, of the windows."""
    core, g = assembly.core, assembly.head
    states = _states(assembly, target, stream)
    inner = Writer(core.opset, g)
    window = inner.value("window", FLOAT, [stream.window])
    x, context, last = _with_context(inner, window, stream)
    x = inner.reshape(x, *[1] * (len(assembly.dims(target) or [1, 1]) - 1), -1)
    dtype = assembly.dtype(target)
    replace(core, core.inputs.pop(target), x if dtype == FLOAT else inner.cast(x, dtype))
    entering = []
    for name, first in states.items():
        entering.append(inner.value("state", assembly.dtype(name), list(first.shape)))
        replace(core, core.inputs.pop(name), entering[-1])
    carried = [*(core.outputs.pop(output) for output in stream.states.values()), *last]
    results = dict(core.outputs)
    for value in (*carried, *results.values()):
        if value.producer() is None:
            raise InvalidArgument(f"the model gives back {value.name!r} as it is, which a stream cannot carry")
    inner.nodes += core.nodes
    body = inner.body([*entering, *context, window], [*carried, *results.values()], "window")

    outer = Writer(core.opset, g)
    more = outer("Mod", outer("Neg", count), outer.integers(stream.window))  # has the divisor's sign
    windows = outer("Reshape", outer.pad_end(samples, more), outer.integers(-1, stream.window))
    firsts = [outer.constant(first) for first in states.values()]
    silence = [outer.constant(np.zeros(stream.context, np.float32)) for _ in context]
    made = outer.several("Scan", len(carried) + len(results), *firsts, *silence, windows, body=body, num_scan_inputs=1)
    core.nodes = outer.nodes
    for (name, value), scanned in zip(results.items(), made[len(carried) :], strict=True):
        scanned.type = value.type
        scanned.shape = None if value.shape is None else ir.Shape(["windows", *value.shape])
        core.outputs[name] = scanned


def _with_context(g: Writer, window: ir.Value, stream: Stream) -> tuple[ir.Value, list[ir.Value], list[ir.Value]]:
    """The samples that the model gets, the context that comes in, and the one for the next window: none or one of each."""
    if not stream.context:
        return window, [], []
    context = g.value("context", FLOAT, [stream.context])
    x = g("Concat", context, window, axis=0)
    return x, [context], [g.slice(x, stream.window, stream.window + stream.context, 0)]


def _states(assembly: Assembly, target: str, stream: Stream) -> dict[str, np.ndarray]:
    """Zeros, by the model's inputs. What the model leaves open is 1, for one sound."""
    found = {}
    for given, output in stream.states.items():
        if given not in assembly.core.inputs or given == target:
            raise InvalidArgument(f"states: {known('input', given, assembly.core.inputs)}")
        if output not in assembly.core.outputs:
            raise InvalidArgument(f"states: {known('output', output, assembly.core.outputs)}")
        dims = assembly.dims(given)
        if dims is None:
            raise InvalidArgument(f"states: the model does not say what shape {given!r} has")
        sizes = [dim if isinstance(dim, int) else 1 for dim in dims]
        found[given] = np.zeros(sizes, assembly.dtype(given).numpy())
    return found
