"""Arithmetic, comparison and logic with broadcasting, in every type, and the rules of old opsets."""

from __future__ import annotations

import functools
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onnxlet
from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model, run
from tests.ops.strategies import arrays, broadcastable

FLOATS = (np.float32, np.float64, np.float16)
INTS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
ARITHMETIC = ("Add", "Sub", "Mul", "Div")
COMPARISONS = {
    "Equal": np.equal,
    "Less": np.less,
    "Greater": np.greater,
    "LessOrEqual": np.less_equal,
    "GreaterOrEqual": np.greater_equal,
}


def truncated_quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """C's integer division, wrapping; x / 0 = 0."""
    wide_a, wide_b = np.broadcast_arrays(a.astype(object), b.astype(object))
    out = [
        0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        for x, y in zip(wide_a.ravel(), wide_b.ravel(), strict=True)
    ]
    bits = 8 * a.dtype.itemsize
    wrapped = [((v + (1 << (bits - 1))) % (1 << bits)) - (1 << (bits - 1)) if a.dtype.kind == "i" else v for v in out]
    return np.array(wrapped, dtype=object).astype(a.dtype).reshape(wide_a.shape)


@pytest.mark.parametrize("op", [*ARITHMETIC, "Max", "Min", *COMPARISONS])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@given(data=st.data())
def test_broadcasting(backend: Prepare, op: str, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(FLOATS + INTS))
    a, b = (data.draw(arrays(dtype, shape)) for shape in data.draw(broadcastable(2)))
    oracle: Any = "reference"
    if op == "Div" and np.dtype(dtype).kind in "iu":
        oracle = [truncated_quotient(a, b)]
    elif op in COMPARISONS:
        oracle = [COMPARISONS[op](a, b)]
    check(backend, op, [a, b], opset=16, oracle=oracle)


# Rows shorter and longer than a run of the broadcast loop, and operands repeated along every axis.
SHAPES = [
    ((300, 3), (3,)),
    ((300, 3), (300, 1)),
    ((2, 5, 700), (5, 1)),
    ((2, 5, 700), (2, 1, 700)),
    ((1, 1000), (1000, 1)),
    ((7, 1, 63), (1, 9, 1)),
    ((9, 64), ()),
    ((), (9, 64)),
    ((3, 1, 4, 1, 5), (1, 2, 1, 6, 1)),
    ((65536,), (65536,)),
    ((40000,), (1,)),
]


@pytest.mark.parametrize(("left", "right"), SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.uint8])
def test_layouts(backend: Prepare, left: tuple[int, ...], right: tuple[int, ...], dtype: Any) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(0, 100, shape).astype(dtype) for shape in (left, right))
    check(backend, "Sub", [a, b], opset=14, oracle=[a - b])
    check(backend, "Less", [a, b], opset=14, oracle=[a < b])


@pytest.mark.parametrize("dtype", [*INTS, *FLOATS])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_mod(backend: Prepare, dtype: Any) -> None:
    signed = np.dtype(dtype).kind != "u"
    a = np.array([7, -7 if signed else 9, 0, 5, 13], dtype)[:, None]
    b = np.array([3, -3 if signed else 4, 0, 100], dtype)
    check(backend, "Mod", [a, b], opset=28, oracle=[np.mod(a, b)])
    check(backend, "Mod", [a, b], opset=13, fmod=1, oracle=[np.fmod(a, b)])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_mod_special_values(backend: Prepare) -> None:
    values = np.array([0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan], np.float32)
    a, b = values[:, None], values[None, :]
    check(backend, "Mod", [a, b], opset=28, oracle=[np.mod(a, b)])
    check(backend, "Mod", [a, b], opset=28, fmod=1, oracle=[np.fmod(a, b)])


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
def test_bit_shift(backend: Prepare, dtype: Any, direction: str) -> None:
    bits = 8 * np.dtype(dtype).itemsize
    info = np.iinfo(dtype)
    x = np.array([info.min, info.max, 1, 5, -3 if info.min else 77], dtype)[:, None]
    by = np.array([0, 1, 3, bits - 1, bits, 100, *([-1] if info.min else [])], dtype)
    check(
        backend,
        "BitShift",
        [x, by],
        opset=28,
        direction=direction,
        oracle="reference" if info.min == 0 else [shifted(x, by, bits, direction)],
    )


def shifted(x: np.ndarray, by: np.ndarray, bits: int, direction: str) -> np.ndarray:
    def one(v: int, n: int) -> int:
        outside = n < 0 or n >= bits
        if direction == "RIGHT":
            return (-1 if v < 0 else 0) if outside else v >> n
        wrapped = 0 if outside else (v << n) % (1 << bits)
        return wrapped - (1 << bits) if x.dtype.kind == "i" and wrapped >= 1 << (bits - 1) else wrapped

    return np.array([[one(int(v), int(n)) for n in by] for v in x[:, 0]], x.dtype)


@pytest.mark.parametrize("dtype", INTS)
def test_bitwise(backend: Prepare, dtype: Any) -> None:
    info = np.iinfo(dtype)
    a = np.array([info.min, info.max, 1, 90], dtype)[:, None]
    b = np.array([0, 85, info.max], dtype)
    for op, want in (("BitwiseAnd", a & b), ("BitwiseOr", a | b), ("BitwiseXor", a ^ b)):
        check(backend, op, [a, b], opset=18, oracle=[want])


def test_logic(backend: Prepare) -> None:
    a, b = np.array([[True], [False]]), np.array([True, False])
    for op, want in (("And", a & b), ("Or", a | b), ("Xor", a ^ b), ("Equal", a == b)):
        check(backend, op, [a, b], opset=7, oracle=[want])


def test_equal_strings(backend: Prepare) -> None:
    a = np.array([["x"], ["日本"], [""]], object)
    b = np.array(["x", "日本"], object)
    check(backend, "Equal", [a, b], opset=19, oracle=[a == b])


@pytest.mark.parametrize("base", [np.float32, np.float64, np.float16, np.int32, np.int64])
@pytest.mark.parametrize("power", [np.float32, np.float16, np.int8, np.int64, np.uint64])
def test_pow(backend: Prepare, base: Any, power: Any) -> None:
    x = np.array([1, 2, 3, -2, 5], base)[:, None]
    for e in (np.array([2], power), np.array([3], power), np.array([0, 1, 2, 3, 4], power)):
        want = np.power(x.astype(np.float64), e.astype(np.float64)).astype(base)
        check(backend, "Pow", [x, e], opset=15, oracle=[want])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_pow_roots(backend: Prepare) -> None:
    x = np.array([0, -0.0, 4, 2, np.inf, -np.inf, -1, np.nan], np.float32)
    for e in (0.5, -0.5, -1.0, 0.0, 2.0, np.inf):
        check(
            backend,
            "Pow",
            [x, np.array(e, np.float32)],
            opset=15,
            oracle=[np.power(x, np.full(x.shape, e, np.float32))],
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.uint64])
def test_prelu(backend: Prepare, dtype: Any) -> None:
    rng = np.random.default_rng(3)
    x = (rng.integers(-9, 9, (2, 3, 4, 5)) if np.dtype(dtype).kind != "u" else rng.integers(0, 9, (2, 3, 4, 5))).astype(
        dtype
    )
    for shape in ((3, 1, 1), (1,), (), (5,), (2, 3, 4, 5)):
        slope = rng.integers(1, 4, shape).astype(dtype)
        check(backend, "PRelu", [x, slope], opset=16, oracle=[np.where(x < 0, x * slope, x)])


def test_prelu_before_broadcasting(backend: Prepare) -> None:
    x = np.random.default_rng(3).normal(size=(2, 3, 3, 3)).astype(np.float32)
    slope = np.array([0.1, 0.2, 0.3], np.float32)
    want = np.where(x < 0, x * slope[:, None, None], x)
    for opset in (1, 6):
        check(backend, "PRelu", [x, slope], opset=opset, oracle=[want])


@pytest.mark.parametrize("opset", [1, 6])
@pytest.mark.parametrize(
    ("shape", "axis"), [((3, 4), 1), ((2,), 0), ((4, 5), None), ((), None), ((1, 1), None), ((3, 4), -3)]
)
def test_attribute_broadcast(backend: Prepare, opset: int, shape: tuple[int, ...], axis: int | None) -> None:
    a = np.random.default_rng(4).normal(size=(2, 3, 4, 5)).astype(np.float32)
    b = np.random.default_rng(5).normal(size=shape).astype(np.float32)
    start = 4 - len(shape) if axis is None else axis % 4
    aligned = b.reshape(shape + (1,) * (4 - start - len(shape))) if b.size > 1 else b.reshape(())
    for op, want in (("Add", a + aligned), ("Greater", a > aligned)):
        check(backend, op, [a, b], opset=opset, broadcast=1, axis=axis, oracle=[want])


def test_refusals(backend: Prepare) -> None:
    a, b = np.zeros((2, 3), np.float32), np.zeros((2, 4), np.float32)
    with pytest.raises(onnxlet.Error, match=r"\[2,3\].*\[2,4\]"):
        run(backend, make_model("Add", [a, b], outputs=[np.float32]), [a, b])
    with pytest.raises(onnxlet.Error, match="broadcast is 0"):
        run(backend, make_model("Add", [a, a[0]], opset=6, outputs=[np.float32]), [a, a[0]])


@pytest.mark.parametrize("op", ["Sum", "Max", "Min", "Mean"])
@given(data=st.data())
def test_variadic(backend: Prepare, op: str, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 4))
    dtype = data.draw(st.sampled_from(FLOATS))
    inputs = [
        data.draw(arrays(dtype, shape, special=op in ("Max", "Min"))) for shape in data.draw(broadcastable(count))
    ]
    fold = {"Sum": np.add, "Mean": np.add, "Max": np.maximum, "Min": np.minimum}[op]
    want = functools.reduce(fold, inputs)
    if op == "Mean":
        want = (want / np.array(count, dtype)).astype(dtype)
    check(backend, op, inputs, opset=13, oracle=[want], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("op", ["Add", "Mul", "Max", "Less", "Equal", "PRelu"])
def test_bfloat16(backend: Prepare, op: str) -> None:
    a = np.linspace(-3, 3, 37).astype(ml_dtypes.bfloat16)
    b = np.linspace(2, -2, 37).astype(ml_dtypes.bfloat16)
    wide = run(
        backend,
        make_model(op, [a.astype(np.float32), b.astype(np.float32)], opset=16),
        [a.astype(np.float32), b.astype(np.float32)],
    )[0]
    want = wide if wide.dtype == bool else wide.astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(run(backend, make_model(op, [a, b], opset=16), [a, b])[0], want)


def test_same_operand_twice(backend: Prepare) -> None:
    """An operand used twice must not be overwritten by the first use."""
    x = np.arange(5, dtype=np.float32)
    from onnx import TensorProto, helper

    graph = helper.make_graph(
        [
            helper.make_node("Neg", ["x"], ["n"]),
            helper.make_node("Sum", ["n", "n", "n"], ["s"]),
            helper.make_node("Mul", ["s", "s"], ["y"]),
        ],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [5])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [5])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    np.testing.assert_array_equal(backend(model.SerializeToString()).run([x])[0], 9 * x * x)
