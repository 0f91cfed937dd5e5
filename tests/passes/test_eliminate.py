"""Nodes that do nothing or what was done before; and those that only look so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.passes.graphs import Builder, Expression, check

rng = np.random.default_rng(19)
X = rng.normal(0, 2, (2, 3, 4)).astype(np.float32)
ALL = ("eliminate_redundant", "eliminate_common")
FLOAT, INT64, FLOAT16, DOUBLE = 1, 7, 10, 11


def twice(g: Builder, x: Any) -> Any:
    return g.Add(g.Mul(g.Sub(x, 1.0), 3.0), g.Abs(g.Sub(x, 1.0)))


LESS: dict[str, tuple[Expression, list[str]]] = {
    "casts there and back": (lambda g, x: g.Neg(g.Cast(g.Cast(x, to=DOUBLE), to=FLOAT)), ["Neg"]),
    "cast by way of double": (lambda g, x: g.Cast(g.Cast(x, to=DOUBLE), to=FLOAT16), ["Cast"]),
    "dropout": (lambda g, x: g.Neg(g.Dropout(x)), ["Neg"]),
    "dropout in test mode": (lambda g, x: g.Neg(g.Dropout(x, 0.5, np.array(False))), ["Neg"]),
    "transposes": (lambda g, x: g.Transpose(g.Transpose(x, perm=[2, 0, 1]), perm=[2, 0, 1]), ["Transpose"]),
    "transposes there and back": (
        lambda g, x: g.Neg(g.Transpose(g.Transpose(x, perm=[2, 0, 1]), perm=[1, 2, 0])),
        ["Neg"],
    ),
    "transposes that reverse": (lambda g, x: g.Neg(g.Transpose(g.Transpose(x))), ["Neg"]),
    "reshapes": (lambda g, x: g.Reshape(g.Unsqueeze(g.Flatten(x), [0]), [4, -1]), ["Reshape"]),
    "squeeze, unsqueeze": (lambda g, x: g.Neg(g.Squeeze(g.Unsqueeze(x, [-1, 1]), [1, -1])), ["Neg"]),
    "concat of one": (lambda g, x: g.Neg(g.Concat(x, axis=1)), ["Neg"]),
    "sum of two": (lambda g, x: g.Sum(x, x), ["Add"]),
    "slice of all": (lambda g, x: g.Neg(g.Slice(x, [0, 0], [2**31 - 1, 2**63 - 1], [0, -1])), ["Neg"]),
    "neutral numbers": (lambda g, x: g.Neg(g.Sub(g.Div(g.Mul(1.0, x), 1.0), 0.0)), ["Neg"]),
    "the same work twice": (twice, ["Sub", "Mul", "Abs", "Add"]),
    "a declared shape": (
        lambda g, x: g.Reshape(x, g.Concat([-1], g.Gather(g.Shape(g.Neg(x)), [2]), axis=0)),
        ["Reshape"],
    ),
}


@pytest.mark.parametrize("name", LESS)
def test_less_is_left(engine: str, name: str) -> None:
    expression, wanted = LESS[name]
    on, off = check(engine, ALL, expression, [X], rtol=1e-3 if "way of" in name else 1e-6)
    assert on == wanted
    assert on != off


STAYS: dict[str, Expression] = {
    "a cast that rounds": lambda g, x: g.Cast(g.Cast(x, to=FLOAT16), to=FLOAT),
    "a cast that cuts": lambda g, x: g.Cast(g.Cast(x, to=INT64), to=FLOAT),
    "the mask of dropout": lambda g, x: g.Dropout(x, outputs=2),
    "a transpose that is an output": lambda g, x: (lambda t: (t, g.Transpose(t, perm=[2, 0, 1])))(
        g.Transpose(x, perm=[2, 0, 1])
    ),
    "a reshape that copies a dimension": lambda g, x: g.Reshape(g.Reshape(x, [6, 4]), [0, 2, 2]),
    "squeezed elsewhere": lambda g, x: g.Unsqueeze(g.Squeeze(g.Slice(x, [0], [1], [0]), [0]), [1]),
    "part of a slice": lambda g, x: g.Slice(x, [0, 1], [2**31 - 1, 2**31 - 1], [0, 1]),
    "a one that adds an axis": lambda g, x: g.Mul(x, np.ones((1, 1, 1, 1), np.float32)),
    "one over x": lambda g, x: g.Div(1.0, x),
    "unlike attributes": lambda g, x: g.Add(g.Elu(x), g.Elu(x, alpha=0.5)),
}


@pytest.mark.parametrize("name", STAYS)
def test_it_stays_as_it_is(engine: str, name: str) -> None:
    on, off = check(engine, ALL, STAYS[name], [X])
    assert on == off


def test_a_shape_with_free_dimensions_is_computed(engine: str) -> None:
    on, _ = check(engine, ALL, lambda g, x: g.Reshape(x, g.Shape(g.Neg(x))), [X], shapes=False)
    assert "Shape" in on


def test_integers_by_way_of_floats_stay(engine: str) -> None:
    """-1 as an unsigned integer is another number than -1.0."""
    x = np.array([1, 2, 100], np.int8)
    on, off = check(engine, ALL, lambda g, x: g.Cast(g.Cast(x, to=FLOAT), to=2), [x])
    assert on == off
    on, _ = check(engine, ALL, lambda g, x: g.Cast(g.Cast(x, to=6), to=INT64), [x])
    assert on == ["Cast"]


def test_values_that_a_subgraph_reads(engine: str) -> None:
    """Both the removed node and the merged one are read by a branch."""
    from onnx import helper

    def expression(g: Builder, x: Any) -> Any:
        a, b, c = g.Neg(x), g.Neg(x), g.Mul(x, 1.0)
        branches = {
            name: helper.make_graph(
                [helper.make_node("Add", [left, right], [f"{name}_sum"])],
                name,
                [],
                [helper.make_tensor_value_info(f"{name}_sum", FLOAT, None)],
            )
            for name, left, right in (("then_branch", b, c), ("else_branch", a, a))
        }
        return g.Add(g.If(np.array(True), **branches), a)

    on, off = check(engine, ALL, expression, [X])
    assert on == ["Neg", "If", "Add"]
    assert off == ["Neg", "Neg", "Mul", "If", "Add"]
