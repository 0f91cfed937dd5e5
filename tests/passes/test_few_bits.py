"""Products with weights of few bits, which stay packed."""

from __future__ import annotations

from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest

import onnxlet
from tests.passes.graphs import Builder, Expression, make, operators
from tests.passes.graphs import check as check_with

PASS = "fuse_few_bits"
# onnxruntime rounds A to 8 bits in such products.
check = partial(check_with, oracle="reference")
NAME = "MatMulNBits"
rng = np.random.default_rng(41)
LIMITS = {"int4": (-8, 8), "uint4": (0, 16), "int8": (-128, 128), "uint8": (0, 256), "int2": (-2, 2), "uint2": (0, 4)}


def numbers(*shape: int) -> np.ndarray[Any, Any]:
    return rng.normal(0, 1, shape).astype(np.float32)


def codes(kind: str, *shape: int) -> np.ndarray[Any, Any]:
    lo, hi = LIMITS[kind]
    return rng.integers(lo, hi, shape).astype(getattr(ml_dtypes, kind) if kind[-1] != "8" else kind)


def scales(*shape: int) -> np.ndarray[Any, Any]:
    return rng.uniform(0.01, 0.05, shape).astype(np.float32)


def initializer(g: Builder, array: np.ndarray[Any, Any]) -> str:
    name = f"w{len(g.initializers)}"
    g.initializers.append(onnx.numpy_helper.from_array(array, name))
    assert g.initializers[-1].HasField("raw_data")
    return name


def weights(g: Builder, kind: str, shape: tuple[int, int], *, axis: int, block: int, zero: bool) -> Any:
    """DequantizeLinear; block 0: a scale per index of `axis`, -1: one scale."""
    of = list(shape)
    if block > 0:
        of[axis] = -(-shape[axis] // block)
    parameters = tuple(of) if block > 0 else (shape[axis],) if block == 0 else ()
    inputs = [initializer(g, codes(kind, *shape)), scales(*parameters)]
    if zero:
        inputs.append(initializer(g, codes(kind, *parameters)))
    return g.DequantizeLinear(*inputs, axis=axis, **({"block_size": block} if block > 0 else {}))


def product(kind: str, k: int, n: int, block: int, zero: bool, form: str) -> Expression:
    def expression(g: Builder, x: Any) -> Any:
        if form == "MatMul":
            return g.MatMul(x, weights(g, kind, (k, n), axis=0 if block > 0 else 1, block=block, zero=zero))
        turned = weights(g, kind, (n, k), axis=1 if block > 0 else 0, block=block, zero=zero)
        if form == "Transpose":
            return g.MatMul(x, g.Transpose(turned, perm=[1, 0]))
        return g.Gemm(x, turned, numbers(n), transB=1)

    return expression


@pytest.mark.parametrize("form", ["MatMul", "Transpose", "Gemm"])
@pytest.mark.parametrize("zero", [False, True], ids=["symmetric", "zero points"])
@pytest.mark.parametrize("block", [-1, 0, 16, 32, 64])
@pytest.mark.parametrize("kind", ["int4", "uint4"])
def test_four_bits(engine: str, kind: str, block: int, zero: bool, form: str) -> None:
    on, off = check(engine, PASS, product(kind, 128, 24, block, zero, form), [numbers(3, 128)], opset=21, atol=2e-4)
    assert on == [NAME]
    assert NAME not in off


@pytest.mark.parametrize("kind", ["int8", "uint8"])
def test_eight_bits_in_blocks(engine: str, kind: str) -> None:
    feeds = [numbers(3, 128)]
    on, _ = check(engine, PASS, product(kind, 128, 24, 32, True, "MatMul"), feeds, opset=21, rtol=1e-4, atol=1e-3)
    assert on == [NAME]


@pytest.mark.parametrize("kind", ["int2", "uint2"])
@pytest.mark.parametrize("block", [0, 32])
def test_two_bits(engine: str, kind: str, block: int) -> None:
    how: dict[str, Any] = {"opset": 25, "atol": 1e-4}
    on, _ = check(engine, PASS, product(kind, 64, 12, block, True, "Gemm"), [numbers(2, 64)], **how)
    assert on == [NAME]


@pytest.mark.parametrize(
    ("k", "n", "block"), [(1, 1, 0), (7, 5, 0), (33, 9, 0), (300, 3, 0), (48, 10, 32), (31, 2, 16)]
)
@pytest.mark.parametrize("zero", [False, True])
def test_sizes_that_do_not_fill_blocks(engine: str, k: int, n: int, block: int, zero: bool) -> None:
    how: dict[str, Any] = {"opset": 21, "atol": 2e-4}
    on, _ = check(engine, PASS, product("int4", k, n, block, zero, "MatMul"), [numbers(2, k)], **how)
    assert on == [NAME]


@pytest.mark.parametrize("shape", [(128,), (1, 128), (2, 3, 128), (0, 128), (70, 128)])
def test_shapes_of_a(engine: str, shape: tuple[int, ...]) -> None:
    feeds = [numbers(*shape)]
    on, _ = check(engine, PASS, product("uint4", 128, 24, 32, True, "MatMul"), feeds, opset=21, atol=2e-4)
    assert on == [NAME]


def test_weights_take_no_memory_of_their_own(engine: str) -> None:
    model = make(product("int4", 1024, 512, 32, False, "MatMul"), [numbers(1, 1024)], 21)
    session = onnxlet.InferenceSession(model, _engine=engine)
    assert operators(session) == [NAME]
    if engine != "native":  # which copies what the file has misaligned
        assert session.memory["in_use"] < 0.45 * len(model)  # scales and zero points
    session.close()


def test_eight_bits_per_column_become_floats_where_that_adds_little(engine: str) -> None:
    on, off = check(engine, PASS, product("int8", 64, 16, 0, False, "MatMul"), [numbers(3, 64)], opset=21, atol=1e-3)
    assert on == off == ["MatMul"]


def test_eight_bits_of_a_large_model(engine: str) -> None:
    """Floats of them would add more than 64 MB."""
    size = 4800
    on, off = check(
        engine,
        PASS,
        product("int8", size, size, 0, False, "MatMul"),
        [numbers(2, size)],
        opset=21,
        rtol=1e-3,
        atol=5e-2,
    )
    assert on == [NAME]
    assert off == ["DequantizeLinear", "MatMul"]


KEPT: dict[str, tuple[Expression, list[np.ndarray[Any, Any]]]] = {
    "a scale per row of B": (
        lambda g, x: g.MatMul(x, weights(g, "int4", (64, 16), axis=0, block=0, zero=False)),
        [numbers(3, 64)],
    ),
    "blocks along N": (
        lambda g, x: g.MatMul(x, weights(g, "int4", (64, 32), axis=1, block=16, zero=False)),
        [numbers(3, 64)],
    ),
    "blocks of eight": (
        lambda g, x: g.MatMul(x, weights(g, "int4", (64, 16), axis=0, block=8, zero=False)),
        [numbers(3, 64)],
    ),
    "a factor": (
        lambda g, x: g.Gemm(x, weights(g, "int4", (64, 16), axis=0, block=16, zero=False), alpha=0.5),
        [numbers(3, 64)],
    ),
    "a summand per row": (
        lambda g, x: g.Gemm(x, weights(g, "int4", (64, 16), axis=0, block=16, zero=False), numbers(3, 1)),
        [numbers(3, 64)],
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_it_stays(engine: str, name: str) -> None:
    expression, feeds = KEPT[name]
    on, off = check(engine, PASS, expression, feeds, opset=21, atol=1e-4)
    assert on == off
    assert NAME not in on
