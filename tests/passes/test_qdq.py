"""Float operators between DequantizeLinear and QuantizeLinear become operators on 8 bits: the same bytes, but for one step
where a product was rounded on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onnxlet
from tests.passes.graphs import Builder, Expression, make, operators

PASS = "fuse_qdq"
U8, I8 = np.uint8, np.int8


def bytes_of(seed: int, dtype: Any, *shape: int) -> np.ndarray[Any, Any]:
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min, info.max, shape, dtype, endpoint=True)


def number(value: float, dtype: Any = np.float32) -> np.ndarray[Any, Any]:
    return np.array(value, dtype)


class Regions:
    """Quantize and dequantize with parameters drawn from a seed."""

    def __init__(self, g: Builder, seed: int = 0) -> None:
        self.g, self.rng = g, np.random.default_rng(seed)

    def scale(self, *shape: int) -> np.ndarray[Any, Any]:
        return np.asarray(self.rng.uniform(0.01, 0.06, shape), np.float32)

    def zero(self, dtype: Any, *shape: int) -> np.ndarray[Any, Any]:
        return np.asarray(self.rng.integers(90, 166, shape) - (128 if dtype == I8 else 0)).astype(dtype)

    def parameters(self, dtype: Any) -> tuple[Any, Any]:
        return self.scale(), self.zero(dtype)

    def off(self, x: Any, parameters: tuple[Any, Any]) -> Any:
        return self.g.DequantizeLinear(x, *parameters)

    def on(self, x: Any, parameters: tuple[Any, Any]) -> Any:
        return self.g.QuantizeLinear(x, *parameters)

    def weights(self, dtype: Any, shape: tuple[int, ...], axis: int | None, zero: bool = False) -> tuple[Any, Any]:
        """Dequantized weights and their scale, per index of `axis` or one."""
        count = () if axis is None else (shape[axis],)
        scale = self.scale(*count)
        zeros = self.zero(dtype, *count) if zero else np.zeros(count, dtype)
        values = bytes_of(len(shape), dtype, *shape)
        how = {} if axis is None else {"axis": axis}
        return self.g.DequantizeLinear(values, scale, zeros, **how), scale

    def bias(self, scale: Any, x_scale: Any, count: int) -> Any:
        whole = self.rng.integers(-2000, 2000, count).astype(np.int32)
        units = np.broadcast_to(np.float32(scale * x_scale), (count,)).copy()
        return self.g.DequantizeLinear(whole, units, np.zeros(count, np.int32), axis=0)


def check(
    engine: str, expression: Expression, feeds: list[Any], step: int = 0, opset: int = 17, layout: bool = False
) -> list[str]:
    """The operators that are left; the results are those without the pass, `step` apart at most."""
    model = make(expression, feeds, opset)
    always = () if layout else ("channels_last",)
    results, left = [], []
    for off in ((), (PASS,)):
        session = onnxlet.InferenceSession(model, disabled_optimizers=[*always, *off], _engine=engine)
        left.append(operators(session))
        results.append(session.run(None, {f"x{i}": feed for i, feed in enumerate(feeds)}))
        session.close()
    for got, want in zip(*results, strict=True):
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        apart = np.abs(got.astype(np.float64) - want)
        assert apart.max(initial=0) <= step, f"{np.count_nonzero(apart)} of {apart.size}, up to {apart.max()}"
        assert np.mean(apart != 0) <= 0.02
    return left[0]


def one(
    x_type: Any, y_type: Any, middle: Callable[[Regions, Any, Any], Any], same: bool = False, seed: int = 0
) -> Expression:
    """x of 8 bits, dequantized, `middle(regions, x, parameters of x)`, quantized."""

    def expression(g: Builder, x: Any) -> Any:
        r = Regions(g, seed)
        into = r.parameters(x_type)
        y = middle(r, r.off(x, into), into)
        return r.on(y, into if same else r.parameters(y_type))

    return expression


@pytest.mark.parametrize("y_type", [U8, I8])
@pytest.mark.parametrize("w_type", [U8, I8])
@pytest.mark.parametrize("x_type", [U8, I8])
@pytest.mark.parametrize("layout", [False, True])
@pytest.mark.parametrize("kind", ["plain", "strided", "depthwise", "grouped", "pointwise", "dilated"])
def test_convolutions(engine: str, kind: str, layout: bool, x_type: Any, w_type: Any, y_type: Any) -> None:
    group = {"depthwise": 16, "grouped": 2}.get(kind, 1)
    size = 1 if kind == "pointwise" else 3
    more: dict[str, Any] = {"pads": [size // 2] * 4, "group": group}
    if kind == "strided":
        more |= {"strides": [2, 2], "pads": [0, 0, 1, 1]}
    if kind == "dilated":
        more |= {"dilations": [2, 2]}

    def middle(r: Regions, x: Any, into: Any) -> Any:
        per_channel = y_type == I8
        w, w_scale = r.weights(w_type, (16, 16 // group, size, size), 0 if per_channel else None, zero=w_type == U8)
        bias = r.bias(w_scale, into[0], 16) if layout else None
        return r.g.Conv(x, w, bias, **more)

    x = bytes_of(1, x_type, 2, 16, 9, 11)
    left = check(engine, one(x_type, y_type, middle), [x], step=1, layout=layout)
    assert [op for op in left if op != "Transpose"] == ["QLinearConv"]


def conv(r: Regions, x: Any, into: Any, bias: Any = None) -> Any:
    return r.g.Conv(x, r.weights(I8, (6, 5, 3, 3), 0)[0], bias)


RANGES: dict[str, tuple[Callable[[Builder, Any], Any], list[str]]] = {
    "relu": (lambda g, y: g.Relu(y), ["QLinearConv", "Clip"]),
    "relu6": (lambda g, y: g.Clip(y, 0.0, 6.0), ["QLinearConv", "Clip"]),
    "wide clip": (lambda g, y: g.Clip(y, -100.0, 100.0), ["QLinearConv"]),
    "clip from above": (lambda g, y: g.Clip(y, None, 0.3), ["QLinearConv", "Clip"]),
}


@pytest.mark.parametrize("name", RANGES)
@pytest.mark.parametrize("y_type", [U8, I8])
def test_bounds_of_a_convolution(engine: str, name: str, y_type: Any) -> None:
    bound, expected = RANGES[name]
    expression = one(U8, y_type, lambda r, x, into: bound(r.g, conv(r, x, into)))
    assert check(engine, floats(expression), [bytes_of(2, U8, 1, 5, 8, 8)], step=1) == expected


def floats(expression: Expression) -> Expression:
    """Numbers in the expression are floats, whatever the feed's type is."""

    def with_floats(g: Builder, *inputs: Any) -> Any:
        g.dtype = np.dtype(np.float32)
        return expression(g, *inputs)

    return with_floats


def test_the_bound_that_is_the_smallest_byte_is_nothing(engine: str) -> None:
    def expression(g: Builder, x: Any) -> Any:
        r = Regions(g)
        into = r.parameters(I8)
        return r.on(g.Relu(conv(r, r.off(x, into), into)), (number(0.2), number(-128, I8)))

    assert check(engine, floats(expression), [bytes_of(2, I8, 1, 5, 8, 8)], step=1) == ["QLinearConv"]


@pytest.mark.parametrize("bias", ["float", "other units", "none"])
def test_biases(engine: str, bias: str) -> None:
    def middle(r: Regions, x: Any, into: Any) -> Any:
        values = np.linspace(-3, 3, 6, dtype=np.float32)
        whole = np.arange(-3, 3, dtype=np.int32)
        b = {"float": values, "other units": r.g.DequantizeLinear(whole, number(0.7)), "none": None}[bias]
        return conv(r, x, into, b)

    left = check(engine, one(U8, U8, middle), [bytes_of(3, U8, 1, 5, 8, 8)], step=1)
    assert left == ["QLinearConv"]


def test_quantized_at_run_time_by_the_model(engine: str) -> None:
    """Weights as some trainers write them: floats that a QuantizeLinear rounds."""

    def middle(r: Regions, x: Any, into: Any) -> Any:
        w = np.random.default_rng(0).normal(0, 1, (6, 5, 3, 3)).astype(np.float32)
        scale, zero = np.full(6, 0.02, np.float32), np.zeros(6, I8)
        return r.g.Conv(x, r.g.DequantizeLinear(r.g.QuantizeLinear(w, scale, zero, axis=0), scale, zero, axis=0))

    assert check(engine, one(U8, U8, middle), [bytes_of(3, U8, 1, 5, 8, 8)], step=1) == ["QLinearConv"]


PRODUCTS: dict[str, tuple[Callable[[Regions, Any, Any], Any], list[str]]] = {
    "MatMul": (lambda r, x, into: r.g.MatMul(x, r.weights(I8, (7, 9), None)[0]), ["QLinearMatMul"]),
    "MatMul per column": (lambda r, x, into: r.g.MatMul(x, r.weights(I8, (7, 9), 1)[0]), ["QLinearMatMul"]),
    "Gemm": (lambda r, x, into: r.g.Gemm(x, r.weights(I8, (7, 9), 1)[0]), ["QGemm"]),
    "Gemm, transposed": (lambda r, x, into: r.g.Gemm(x, r.weights(U8, (9, 7), 0, True)[0], transB=1), ["QGemm"]),
    "Gemm with a bias": (lambda r, x, into: _gemm(r, x, into), ["QGemm"]),
}


def _gemm(r: Regions, x: Any, into: Any) -> Any:
    w, scale = r.weights(I8, (9, 7), 0)
    return r.g.Gemm(x, w, r.bias(scale, into[0], 9), transB=1)


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("types", [(U8, U8), (I8, I8), (U8, I8)])
def test_products(engine: str, name: str, types: tuple[Any, Any]) -> None:
    middle, expected = PRODUCTS[name]
    assert check(engine, one(*types, middle), [bytes_of(4, types[0], 5, 7)], step=1) == expected


# Each of x [1, 4, 6, 8] or smaller, bit for bit; "same" parameters or others before and behind.
Middle = Callable[[Builder, Any], Any]
MOVES: dict[str, Middle] = {
    "Reshape": lambda g, x: g.Reshape(x, [4, -1]),
    "Transpose": lambda g, x: g.Transpose(x, perm=[0, 2, 3, 1]),
    "Flatten": lambda g, x: g.Flatten(x),
    "Slice": lambda g, x: g.Slice(x, [1], [3], [1]),
    "Gather": lambda g, x: g.Gather(x, [2, 0, 1], axis=1),
    "MaxPool": lambda g, x: g.MaxPool(x, kernel_shape=[3, 3], pads=[1] * 4),
    "Pad": lambda g, x: g.Pad(x, [0, 0, 1, 1, 0, 0, 0, 2]),
    "Pad, reflected": lambda g, x: g.Pad(x, [0, 0, 1, 1, 0, 0, 0, 2], mode="reflect"),
    "Resize": lambda g, x: g.Resize(x, None, np.array([1, 1, 2, 2], np.float32), mode="nearest"),
    "DepthToSpace": lambda g, x: g.DepthToSpace(x, blocksize=2),
}
FUNCTIONS: dict[str, Middle] = {
    "nothing": lambda g, x: x,
    "Sigmoid": lambda g, x: g.Sigmoid(x),
    "HardSwish, written out": lambda g, x: g.Mul(x, g.HardSigmoid(x, alpha=1 / 6, beta=0.5)),
    "LeakyRelu": lambda g, x: g.LeakyRelu(x, alpha=0.1),
    "Clip": lambda g, x: g.Clip(x, -0.5, 0.25),
    "scalars": lambda g, x: g.Div(g.Add(g.Mul(x, 0.7), np.full((1, 1), 0.1, np.float32)), 1.3),
    "twice": lambda g, x: g.Add(x, x),
}


@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("dtype", [U8, I8])
@pytest.mark.parametrize("name", MOVES)
def test_moves(engine: str, name: str, dtype: Any, same: bool) -> None:
    expression = floats(one(dtype, dtype, lambda r, x, into: MOVES[name](r.g, x), same))
    left = check(engine, expression, [bytes_of(5, dtype, 1, 4, 6, 8)])
    assert left == [name.split(",")[0]] + ([] if same else ["ByteTable"])


@pytest.mark.parametrize("types", [(U8, U8), (I8, I8), (U8, I8)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_one_value_are_tables(engine: str, name: str, types: tuple[Any, Any]) -> None:
    expression = floats(one(*types, lambda r, x, into: FUNCTIONS[name](r.g, x)))
    assert check(engine, expression, [bytes_of(5, types[0], 1, 4, 6, 8)]) == ["ByteTable"]


COMPUTED: dict[str, tuple[Middle, str]] = {
    "AveragePool": (lambda g, x: g.AveragePool(x, kernel_shape=[3, 3], pads=[1] * 4), "QLinearAveragePool"),
    "GlobalAveragePool": (lambda g, x: g.GlobalAveragePool(x), "QLinearGlobalAveragePool"),
    "ReduceMean": (lambda g, x: g.ReduceMean(x, axes=[2, 3], keepdims=0), "QLinearReduceMean"),
    "Softmax": (lambda g, x: g.Softmax(x, axis=1), "QLinearSoftmax"),
}


@pytest.mark.parametrize("dtype", [U8, I8])
@pytest.mark.parametrize("name", COMPUTED)
def test_what_computes(engine: str, name: str, dtype: Any) -> None:
    middle, expected = COMPUTED[name]
    expression = floats(one(dtype, dtype, lambda r, x, into: middle(r.g, x)))
    step = 1 if name == "ReduceMean" else 0
    assert check(engine, expression, [bytes_of(6, dtype, 1, 4, 6, 8)], step=step) == [expected]


@pytest.mark.parametrize("dtype", [U8, I8])
@pytest.mark.parametrize("op", ["Add", "Mul"])
def test_two_operands(engine: str, op: str, dtype: Any) -> None:
    def expression(g: Builder, x: Any, y: Any) -> Any:
        r = Regions(g)
        return r.on(getattr(g, op)(r.off(x, r.parameters(dtype)), r.off(y, r.parameters(dtype))), r.parameters(dtype))

    feeds = [bytes_of(7, dtype, 2, 3, 33), bytes_of(8, dtype, 3, 1)]
    assert check(engine, expression, feeds) == [f"QLinear{op}"]


@pytest.mark.parametrize("same", [False, True])
def test_concat_and_split(engine: str, same: bool) -> None:
    def concat(g: Builder, x: Any, y: Any) -> Any:
        r = Regions(g)
        first = r.parameters(U8)
        second = first if same else r.parameters(U8)
        return r.on(g.Concat(r.off(x, first), r.off(y, second), axis=1), first)

    feeds = [bytes_of(7, U8, 2, 3, 5), bytes_of(8, U8, 2, 4, 5)]
    assert check(engine, concat, feeds) == ["Concat" if same else "QLinearConcat"]

    def both_kinds(g: Builder, x: Any, y: Any) -> Any:
        r = Regions(g)
        return r.on(g.Concat(r.off(x, r.parameters(U8)), r.off(y, r.parameters(I8)), axis=1), r.parameters(I8))

    assert check(engine, both_kinds, [feeds[0], bytes_of(8, I8, 2, 4, 5)]) == ["QLinearConcat"]

    def split(g: Builder, x: Any) -> Any:
        r = Regions(g)
        first = r.parameters(U8)
        a, b = g.Split(r.off(x, first), axis=1, outputs=2)
        return r.on(a, first), r.on(b, first if same else r.parameters(U8))

    assert check(engine, split, [bytes_of(7, U8, 2, 4, 5)], opset=13) == ["Split"] + ["ByteTable"] * (not same)


APART: dict[str, Expression] = {
    "a convolution whose floats are needed": lambda g, x: (
        lambda r, into: (lambda y: (r.on(y, r.parameters(U8)), y))(conv(r, r.off(x, into), into))
    )(Regions(g), (number(0.1), number(3, U8))),
    "float weights": lambda g, x: (
        lambda r, into: r.on(g.Conv(r.off(x, into), np.ones((2, 5, 1, 1), np.float32)), into)
    )(Regions(g), (number(0.1), number(3, U8))),
    "16 bits": lambda g, x: g.QuantizeLinear(
        g.Reshape(g.DequantizeLinear(x, number(0.1), number(3, U8)), [-1]), number(0.1), number(3, np.int16)
    ),
    "a scale per channel": lambda g, x: g.QuantizeLinear(
        g.Relu(g.DequantizeLinear(x, number(0.1), number(3, U8))), np.full(5, 0.1, np.float32), np.full(5, 3, U8)
    ),
    "a scale that is computed": lambda g, x: g.QuantizeLinear(
        g.Relu(g.DequantizeLinear(x, number(0.1), number(3, U8))),
        g.ReduceMax(g.Cast(x, to=1), keepdims=0),
        number(3, U8),
    ),
}


@pytest.mark.parametrize("name", APART)
def test_it_stays_apart(engine: str, name: str) -> None:
    feeds = [bytes_of(9, U8, 1, 5, 8, 8)]
    left = check(engine, floats(APART[name]), feeds, opset=21)
    assert not [op for op in left if op.startswith("QLinear") or op == "ByteTable"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dtype", [U8, I8])
def test_a_network_in_both_layouts(engine: str, seed: int, dtype: Any) -> None:
    def expression(g: Builder, x: Any) -> Any:
        r = Regions(g, seed)
        p = [(number(0.05 + 0.01 * i), r.zero(dtype)) for i in range(8)]
        a = r.off(r.on(x, p[0]), p[0])

        def block(value: Any, into: Any, out: Any, channels: int, count: int, **more: Any) -> Any:
            w, scale = r.weights(I8, (count, channels // more.get("group", 1), 3, 3), 0)
            y = g.Conv(value, w, r.bias(scale, into[0], count), pads=[1] * 4, **more)
            return r.off(r.on(y, out), out)

        b = block(a, p[0], p[1], 3, 16, strides=[2, 2])
        c = block(b, p[1], p[2], 16, 16, group=16)
        d = r.off(r.on(g.Add(b, c), p[3]), p[3])
        e = r.off(r.on(g.MaxPool(d, kernel_shape=[2, 2]), p[3]), p[3])
        f = block(e, p[3], p[4], 16, 7)
        h = r.off(r.on(g.Concat(e, f, axis=1), p[5]), p[5])
        i = r.off(r.on(g.Sigmoid(h), p[6]), p[6])
        return r.on(g.GlobalAveragePool(g.AveragePool(i, kernel_shape=[2, 2])), p[7]), r.on(i, p[6])

    x = np.random.default_rng(seed).normal(0, 3, (1, 3, 21, 18)).astype(np.float32)
    left = check(engine, expression, [x], step=3, layout=True)
    assert "Conv" not in left and left.count("Transpose") <= 3
