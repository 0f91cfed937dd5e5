"""Convolutions and what surrounds them with the channels innermost: the same results, and Transposes at borders only."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from onnx import helper

from tests.conformance.backends import BACKENDS
from tests.passes.graphs import Builder, Expression, check

PASS = "channels_last"


def numbers(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(sum(shape)).normal(0, 1, shape).astype(np.float32)


def conv(g: Builder, x: Any, out: int, channels: int, size: int = 3, group: int = 1, **more: Any) -> Any:
    weights = numbers(out, channels // group, size, size) * 0.3
    more.setdefault("pads", [size // 2] * 4)
    return g.Conv(x, weights, numbers(out), group=group, **more)


def squeeze_excite(g: Builder, x: Any) -> Any:
    y = conv(g, x, 8, 4)
    s = g.Sigmoid(conv(g, g.Relu(conv(g, g.GlobalAveragePool(y), 4, 8, 1)), 8, 4, 1))
    return conv(g, g.Mul(y, s), 4, 8, 1)


def in_bytes(g: Builder, x: Any, out: int, channels: int, group: int = 1) -> Any:
    """A convolution in 8 bits of floats, as onnxruntime's dynamic quantization writes it."""
    whole, scale, zero = g.DynamicQuantizeLinear(x, outputs=3)
    weights = np.random.default_rng(out).integers(0, 256, (out, channels // group, 3, 3), np.uint8)
    y = g.ConvInteger(whole, weights, zero, np.array(128, np.uint8), pads=[1] * 4, group=group)
    bias = g.Reshape(g.Add(scale, numbers(out)), [1, -1, 1, 1])
    return g.Add(g.Mul(g.Cast(y, to=1), g.Mul(scale, 0.01)), bias)


# What is computed from x [2, 4, 9, 11], and how many Transposes may be left.
REGIONS: dict[str, tuple[Expression, int]] = {
    "one convolution": (lambda g, x: conv(g, x, 6, 4), 2),
    "a chain": (lambda g, x: conv(g, g.Relu(conv(g, x, 6, 4)), 3, 6, 1), 2),
    "strides and groups": (lambda g, x: conv(g, conv(g, x, 8, 4, group=2, strides=[2, 1]), 8, 8, group=8), 2),
    "more outputs than inputs per group": (lambda g, x: conv(g, x, 8, 4, group=4), 2),
    "residual": (lambda g, x: (lambda y: g.Add(conv(g, y, 6, 6), y))(conv(g, x, 6, 4)), 2),
    "squeeze and excite": (squeeze_excite, 2),
    "operands of every rank": (
        lambda g, x: g.Mul(
            g.Add(g.Add(g.Sub(conv(g, x, 6, 4), numbers(6, 1, 1)), numbers(1, 6, 9, 1)), numbers(11)), 0.5
        ),
        2,
    ),
    "PRelu": (lambda g, x: g.PRelu(conv(g, x, 6, 4), numbers(6, 1, 1)), 2),
    "two readers, one outside": (
        lambda g, x: (lambda y: (g.Relu(y), g.Reshape(y, [2, -1])))(conv(g, x, 6, 4)),
        3,
    ),
    "Concat": (
        lambda g, x: conv(g, g.Concat(conv(g, x, 6, 4), conv(g, x, 2, 4), axis=1), 4, 8, 1),
        2,
    ),
    "Concat along the last axis": (lambda g, x: g.Concat(conv(g, x, 4, 4), conv(g, x, 4, 4), axis=-1), 2),
    "Softmax over channels": (lambda g, x: g.Softmax(conv(g, x, 6, 4), axis=1), 2),
    "Split": (lambda g, x: g.Add(*g.Split(conv(g, x, 6, 4), [3, 3], axis=1, outputs=2)), 2),
    # One more for each bias, which is computed.
    "dynamic quantization": (lambda g, x: in_bytes(g, g.Relu(in_bytes(g, x, 6, 4)), 6, 6, 6), 4),
    "Slice": (lambda g, x: g.Slice(conv(g, x, 6, 4), [1, 0], [5, 8], [1, -1]), 2),
    "Pad": (lambda g, x: conv(g, g.Pad(conv(g, x, 6, 4), [0, 1, 2, 0, 0, 0, 1, 3]), 4, 7), 2),
    "Resize": (
        lambda g, x: conv(
            g, g.Resize(conv(g, x, 6, 4), None, np.array([1, 1, 2, 2], np.float32), mode="nearest"), 4, 6
        ),
        2,
    ),
    "Resize to the shape of another": (
        lambda g, x: (
            lambda y: g.Add(y, g.Resize(conv(g, x, 6, 4, strides=[2, 2]), None, None, g.Shape(y), mode="linear"))
        )(conv(g, x, 6, 4)),
        2,
    ),
    "mean over space, kept": (lambda g, x: g.Mul(*(lambda y: (y, g.ReduceMean(y, axes=[2, 3])))(conv(g, x, 6, 4))), 2),
    "mean over space, dropped": (lambda g, x: g.ReduceMean(conv(g, x, 6, 4), axes=[-2, -1], keepdims=0), 1),
    "maximum over channels, dropped": (lambda g, x: g.ReduceMax(conv(g, x, 6, 4), axes=[1], keepdims=0), 2),
    "transposed at the end": (lambda g, x: g.Transpose(conv(g, x, 6, 4), perm=[0, 2, 3, 1]), 1),
    "transposed otherwise": (lambda g, x: g.Transpose(conv(g, x, 6, 4), perm=[3, 1, 0, 2]), 2),
    "MaxPool": (lambda g, x: conv(g, g.MaxPool(conv(g, x, 6, 4), kernel_shape=[3, 3], strides=[2, 2]), 4, 6), 4),
    "MaxPool with indices": (
        lambda g, x: g.MaxPool(conv(g, x, 6, 4), kernel_shape=[2, 2], outputs=2),
        2,
    ),
}


@pytest.mark.parametrize("name", REGIONS)
def test_same_results(engine: str, name: str) -> None:
    expression, transposes = REGIONS[name]
    left, without = check(engine, PASS, expression, [numbers(2, 4, 9, 11)], rtol=1e-4, atol=1e-4)
    assert Counter(left)["Transpose"] <= transposes
    assert (
        Counter(left)["Conv"] + Counter(left)["FusedConv"] == Counter(without)["Conv"] + Counter(without)["FusedConv"]
    )


@pytest.mark.parametrize("pool", ["GlobalAveragePool", "GlobalMaxPool", "AveragePool", "MaxPool"])
def test_pools_of_doubles_keep_their_layout(engine: str, pool: str) -> None:
    window = {} if pool.startswith("Global") else {"kernel_shape": [2, 2]}

    def expression(g: Builder, x: Any) -> Any:
        return getattr(g, pool)(g.Cast(conv(g, x, 6, 4), to=11), **window)

    check(engine, PASS, expression, [numbers(2, 4, 9, 11)], rtol=1e-4, atol=1e-4, oracle="reference")


def test_input_that_was_transposed(engine: str) -> None:
    def expression(g: Builder, x: Any) -> Any:
        return g.Transpose(conv(g, g.Transpose(x, perm=[0, 3, 1, 2]), 6, 4), perm=[0, 2, 3, 1])

    left, without = check(engine, PASS, expression, [numbers(2, 9, 11, 4)])
    assert (Counter(left)["Transpose"], Counter(without)["Transpose"]) == (0, 2)


@pytest.mark.parametrize(("shape", "kernel"), [((2, 4, 19), (5,)), ((1, 4, 5, 6, 7), (3, 2, 3))])
def test_other_ranks(engine: str, shape: tuple[int, ...], kernel: tuple[int, ...]) -> None:
    def expression(g: Builder, x: Any) -> Any:
        y = g.Conv(x, numbers(6, 4, *kernel), numbers(6))
        return g.Conv(g.Tanh(y), numbers(6, 1, *kernel), group=6)

    left, _ = check(engine, PASS, expression, [numbers(*shape)], rtol=1e-4, atol=1e-4)
    assert Counter(left)["Transpose"] == 2


def test_operand_of_higher_rank(engine: str) -> None:
    left, without = check(
        engine, PASS, lambda g, x: g.Add(conv(g, x, 6, 4), numbers(2, 1, 6, 9, 11)), [numbers(1, 4, 9, 11)]
    )
    assert Counter(left)["Add"] == Counter(without)["Add"] == 1


def test_weights_that_are_computed_stay(engine: str) -> None:
    left, without = check(
        engine, PASS, lambda g, x, w: g.Conv(x, g.Relu(w)), [numbers(1, 4, 9, 11), numbers(6, 4, 3, 3)], rtol=1e-4
    )
    assert left == without


def test_values_that_subgraphs_capture(engine: str) -> None:
    g = Builder(np.dtype(np.float32))
    y = conv(g, "x", 6, 4)
    branch = helper.make_graph(
        [helper.make_node("Neg", [y], ["n"])], "b", [], [helper.make_tensor_value_info("n", 1, None)]
    )
    other = helper.make_graph(
        [helper.make_node("Abs", [y], ["a"])], "b", [], [helper.make_tensor_value_info("a", 1, None)]
    )
    nodes = [*g.nodes, helper.make_node("If", ["c"], ["out"], then_branch=branch, else_branch=other)]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", 1, [1, 4, 5, 6]), helper.make_tensor_value_info("c", 9, [])],
        [helper.make_tensor_value_info("out", 1, None)],
        g.initializers,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    feeds = [numbers(1, 4, 5, 6), np.array(True)]
    data = model.SerializeToString()
    got = BACKENDS[engine]()(data).run(feeds)
    want = BACKENDS["onnxruntime"]()(data).run(feeds)
    np.testing.assert_allclose(got[0], want[0], rtol=1e-4, atol=1e-5)
