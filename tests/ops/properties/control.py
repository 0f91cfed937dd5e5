"""If, Loop, Scan and SequenceMap with drawn bodies, against the loops they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from tests.ops.properties.registry import Draw, Sample, prop
from tests.ops.properties.sequence import tensor_of
from tests.ops.properties.shape import int64s, sequence_of

node = helper.make_node


def value(name: str, dtype: Any = None) -> onnx.ValueInfoProto:
    if dtype is None:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
    return helper.make_value_info(name, dtype if isinstance(dtype, onnx.TypeProto) else tensor_of(dtype))


def constant(name: str, array: Any) -> onnx.NodeProto:
    return node("Constant", [], [name], value=onnx.numpy_helper.from_array(np.asarray(array)))


def graph(
    nodes: list[onnx.NodeProto], inputs: list[onnx.ValueInfoProto], outputs: list[onnx.ValueInfoProto]
) -> onnx.GraphProto:
    return helper.make_graph(nodes, "body", inputs, outputs)


def branch(values: list[np.ndarray]) -> onnx.GraphProto:
    nodes = [constant(f"v{i}", v) for i, v in enumerate(values)]
    return graph(nodes, [], [value(f"v{i}", v.dtype) for i, v in enumerate(values)])


@prop("If")
def if_(d: Draw) -> Sample:
    """Branches of constants whose shapes may differ."""
    dtypes = [np.dtype(d.choice([np.float32, np.float64])) for _ in range(d.integer(1, 3))]
    low = 1 if d.version < 12 else 0
    branches = [[d.array(t, d.shape(low, 3)) for t in dtypes] for _ in range(2)]
    condition = d.array(np.bool_, d.choice([(), (1,)]))
    chosen = branches[0 if bool(condition.reshape(())) else 1]
    attributes = {"then_branch": branch(branches[0]), "else_branch": branch(branches[1])}
    return Sample([condition], attributes, chosen)


@prop("If", since=13)
def if_of_sequences(d: Draw) -> Sample:
    bodies, answers = [], []
    for _ in range(2):
        items = [d.array(np.float32, d.shape(0, 2)) for _ in range(d.integer(1, 3))]
        nodes = [constant(f"v{i}", v) for i, v in enumerate(items)]
        nodes.append(node("SequenceConstruct", [f"v{i}" for i in range(len(items))], ["s"]))
        bodies.append(graph(nodes, [], [value("s", sequence_of(np.float32))]))
        answers.append(items)
    condition = d.array(np.bool_, ())
    attributes = {"then_branch": bodies[0], "else_branch": bodies[1]}
    return Sample([condition], attributes, [answers[0 if condition else 1]], outputs=[sequence_of(np.float32)])


@prop("Loop")
def loop(d: Draw) -> Sample:
    """state = state + step while it stays below a limit; scan outputs: the state, and the number of the iteration."""
    shape = d.shape(0, 2, zero=False)
    dtype = np.dtype(d.choice([np.float32, np.float64]))
    start = d.array(dtype, shape, special=False)
    trips = d.choice([None, 0, 1, 3, 5])
    first = d.choice([None, True, True, False])
    stop_after = d.integer(1, 4)
    if trips is None and first is None and d.flag():
        trips = 4
    body = graph(
        [
            constant("step", np.array(0.5, dtype)),
            node("Add", ["state", "step"], ["next"]),
            constant("last", int64s(stop_after - 1)),
            node("Less", ["i", "last"], ["more"]) if d.version >= 11 else constant("more", np.array(True)),
            node("Identity", ["next"], ["seen"]),
            node("Identity", ["i"], ["number"]),
        ],
        [value("i", np.int64), value("condition", np.bool_), value("state", dtype)],
        [value("more", np.bool_), value("next", dtype), value("seen", dtype), value("number", np.int64)],
    )
    if d.version < 11 and trips is None:
        trips = 3
    state, seen = start, []
    running = True if first is None else first
    i = 0
    while running and (trips is None or i < trips):
        state = state + np.array(0.5, dtype)
        seen.append(state)
        # Without an initial condition the body's word counts all the same: only an absent output would not.
        running = i < stop_after - 1 if d.version >= 11 else True
        i += 1
    if not seen:
        trips, first, stop_after = 1, True, 1
        seen, state, i = [start + np.array(0.5, dtype)], start + np.array(0.5, dtype), 1
    inputs = [None if trips is None else int64s(trips), None if first is None else np.array(first), start]
    return Sample(inputs, {"body": body}, [state, np.stack(seen), np.arange(i)])


@prop("Loop", since=11)
def loop_that_grows(d: Draw) -> Sample:
    """The state changes its shape in every iteration."""
    start = d.array(np.float32, (d.integer(0, 3),), special=False)
    trips = d.integer(0, 4)
    body = graph(
        [node("Concat", ["state", "state"], ["next"], axis=0), node("Identity", ["condition"], ["more"])],
        [value("i", np.int64), value("condition", np.bool_), value("state", np.float32)],
        [value("more", np.bool_), value("next", np.float32)],
    )
    want = start
    for _ in range(trips):
        want = np.concatenate([want, want])
    return Sample([int64s(trips), np.array(True), start], {"body": body}, [want])


@prop("Loop", since=13)
def loop_over_sequence(d: Draw) -> Sample:
    items = [d.array(np.float32, d.shape(0, 2)) for _ in range(d.integer(1, 2))]
    trips = d.integer(0, 3)
    body = graph(
        [
            node("Cast", ["i"], ["number"], to=TensorProto.FLOAT),
            node("SequenceInsert", ["state", "number"], ["next"]),
            node("Identity", ["condition"], ["more"]),
        ],
        [value("i", np.int64), value("condition", np.bool_), value("state", sequence_of(np.float32))],
        [value("more", np.bool_), value("next", sequence_of(np.float32))],
    )
    want = [*items, *(np.array(i, np.float32) for i in range(trips))]
    return Sample([int64s(trips), None, items], {"body": body}, [want], outputs=[sequence_of(np.float32)])


def accumulate(dtype: Any) -> onnx.GraphProto:
    """(sum, x) to (sum + x, sum + x, x + x)."""
    return graph(
        [
            node("Add", ["sum", "x"], ["next"]),
            node("Identity", ["next"], ["so_far"]),
            node("Add", ["x", "x"], ["double"]),
        ],
        [value("sum", dtype), value("x", dtype)],
        [value("next", dtype), value("so_far", dtype), value("double", dtype)],
    )


@prop("Scan", until=8)
def scan_of_batches(d: Draw) -> Sample:
    """The first axis is the batch, the second is scanned; what lies beyond a sequence's length is undefined."""
    batch, steps, width = d.integer(1, 3), d.integer(1, 5), d.integer(1, 3)
    x, start = d.plain(np.float32, (batch, steps, width)), d.plain(np.float32, (batch, width))
    backwards = d.flag()
    lengths = d.rng().integers(1, steps + 1, batch) if d.flag() and not backwards else None
    sums, so_far, double = start.copy(), np.zeros_like(x), np.zeros_like(x)
    for b in range(batch):
        n = steps if lengths is None else int(lengths[b])
        for i in range(n):
            row = x[b, steps - 1 - i if backwards else i]
            sums[b] = sums[b] + row
            so_far[b, i], double[b, i] = sums[b], row + row

    def accept(outputs: list[Any]) -> None:
        np.testing.assert_allclose(outputs[0], sums, rtol=1e-6, atol=1e-6)
        for got, want in zip(outputs[1:], (so_far, double), strict=True):
            assert got.shape == want.shape
            for b in range(batch):
                n = steps if lengths is None else int(lengths[b])
                np.testing.assert_allclose(got[b, :n], want[b, :n], rtol=1e-6, atol=1e-6)

    attributes: dict[str, Any] = {"body": accumulate(np.float32), "num_scan_inputs": 1}
    if backwards or d.flag():
        attributes["directions"] = [int(backwards)]
    return Sample([lengths, start, x], attributes, outputs=[np.float32] * 3, accept=accept)


@prop("Scan", since=9)
def scan(d: Draw) -> Sample:
    dtype = np.dtype(d.choice([np.float32, np.float64]))
    rest = d.shape(0, 2, zero=False)
    rank = len(rest) + 1
    steps = d.integer(1, 5)
    axes = [d.integer(-rank if d.version >= 11 else 0, rank - 1) for _ in range(3)]
    shape = list(rest)
    shape.insert(axes[0] % rank, steps)
    x, start = d.plain(dtype, tuple(shape)), d.plain(dtype, rest)
    attributes: dict[str, Any] = {"body": accumulate(dtype), "num_scan_inputs": 1}
    if axes[0] or d.flag():
        attributes["scan_input_axes"] = axes[:1]
    if d.flag():
        attributes["scan_output_axes"] = axes[1:]
    else:
        axes[1:] = [0, 0]
    backwards = d.flag()
    if backwards:
        attributes["scan_input_directions"] = [1]
    turned = [d.integer(0, 1), d.integer(0, 1)] if d.flag() else [0, 0]
    if any(turned):
        attributes["scan_output_directions"] = turned
    rows = list(np.moveaxis(x, axes[0], 0))[:: -1 if backwards else 1]
    state, outputs = start, [[], []]
    for row in rows:
        state = state + row
        outputs[0].append(state)
        outputs[1].append(row + row)
    want = [np.stack(values[:: -1 if t else 1], a) for values, t, a in zip(outputs, turned, axes[1:], strict=True)]
    return Sample([start, x], attributes, [state, *want])


@prop("SequenceMap")
def sequence_map(d: Draw) -> Sample:
    count = d.integer(1, 3)
    items = [d.array(np.float32, d.shape(0, 2), special=False) for _ in range(count)]
    others: Any = [d.array(np.float32, (), special=False) for _ in range(count)]
    if d.flag():
        others = d.array(np.float32, (), special=False)
    body = graph(
        [node("Add", ["x", "y"], ["sum"]), node("Shape", ["x"], ["shape"])],
        [value("x"), value("y")],
        [value("sum"), value("shape", np.int64)],
    )
    pairs = zip(items, others if isinstance(others, list) else [others] * count, strict=True)
    want = [[np.asarray(a + b) for a, b in pairs], [int64s(a.shape) for a in items]]
    return Sample([items, others], {"body": body}, want, outputs=[sequence_of(np.float32), sequence_of(np.int64)])
