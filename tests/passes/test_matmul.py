"""Factors, transposes and summands that go into a matrix product."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.passes.graphs import Builder, Expression, check
from tests.support.oracle import within_oracle

PASS = "fuse_matmul"
rng = np.random.default_rng(23)


def numbers(*shape: int) -> np.ndarray[Any, Any]:
    return rng.normal(0, 1, shape).astype(np.float32)


A, B = numbers(2, 3, 5, 8), numbers(2, 3, 8, 7)
W, C = numbers(8, 7), numbers(7)


def heads(g: Builder, q: Any, k: Any) -> Any:
    """Scores of an attention, as exporters write them."""
    keys = g.Transpose(g.Reshape(k, [2, 7, 3, 8]), perm=[0, 2, 3, 1])
    return g.MatMul(g.Mul(q, 8**-0.25), g.Mul(keys, 8**-0.25))


FUSED: dict[str, tuple[Expression, list[np.ndarray[Any, Any]], list[str]]] = {
    "bias": (lambda g, a: g.Add(g.MatMul(a, W), C), [A], ["FusedMatMul"]),
    "bias of a row": (lambda g, a: g.Add(C, g.MatMul(a, W)), [A[0, 0, 0]], ["FusedMatMul"]),
    "bias with axes of length one": (lambda g, a: g.Add(g.MatMul(a, W), C[None, None]), [A], ["FusedMatMul"]),
    "factor and bias": (lambda g, a: g.Add(g.Mul(g.MatMul(a, W), 0.3), C), [A], ["FusedMatMul"]),
    "factor after": (lambda g, a, b: g.Div(g.MatMul(a, b), 3.0), [A, B], ["FusedMatMul"]),
    "factors before": (lambda g, a, b: g.MatMul(g.Mul(a, 0.5), g.Div(b, 3.0)), [A, B], ["FusedMatMul"]),
    "transposes": (
        lambda g, a, b: g.MatMul(g.Transpose(a, perm=[0, 1, 3, 2]), g.Transpose(b, perm=[0, 1, 3, 2])),
        [A.swapaxes(2, 3).copy(), B.swapaxes(2, 3).copy()],
        ["FusedMatMul"],
    ),
    "attention": (heads, [A, numbers(2, 7, 24)], ["Reshape", "Transpose", "FusedMatMul"]),
}


@pytest.mark.parametrize("name", FUSED)
def test_it_goes_into_the_product(engine: str, name: str) -> None:
    expression, feeds, wanted = FUSED[name]
    on, off = check(engine, PASS, expression, feeds)
    assert on == wanted
    assert on != off


def test_half_precision(engine: str) -> None:
    w, c = W.astype(np.float16), C.astype(np.float16)
    on, _ = check(engine, PASS, lambda g, a: g.Add(g.MatMul(a, w), c), [A.astype(np.float16)], rtol=1e-2, atol=1e-2)
    assert on == ["FusedMatMul"]


def dynamic(g: Builder, a: Any, *, scale: Any, bias: Any = None, zero: bool = True) -> Any:
    """A product in 8 bits of floats, as onnxruntime's dynamic quantization writes it."""
    whole, a_scale, a_zero = g.DynamicQuantizeLinear(a, outputs=3)
    w = within_oracle(np.random.default_rng(1).integers(-128, 128, (8, 7), np.int8))
    zeros = [a_zero, np.array(3, np.int8)] if zero else [a_zero]
    y = g.Mul(g.Cast(g.MatMulInteger(whole, w, *zeros), to=1), g.Mul(a_scale, scale))
    return y if bias is None else g.Add(y, bias)


SCALE = np.array(0.02, np.float32)
DYNAMIC: dict[str, Expression] = {
    "one scale": lambda g, a: dynamic(g, a, scale=SCALE),
    "a scale per column": lambda g, a: dynamic(g, a, scale=np.linspace(0.01, 0.02, 7, dtype=np.float32)),
    "bias": lambda g, a: dynamic(g, a, scale=SCALE[None], bias=C, zero=False),
}


@pytest.mark.parametrize("name", DYNAMIC)
def test_products_of_integers_that_become_floats(engine: str, name: str) -> None:
    on, _ = check(engine, PASS, DYNAMIC[name], [A], rtol=0, atol=1e-6)
    assert on == ["DynamicQuantizeLinear", "MatMulIntegerToFloat"]


def test_a_scale_per_row_stays_apart(engine: str) -> None:
    scale = np.full((5, 1), 0.1, np.float32)
    on, off = check(engine, PASS, lambda g, a: dynamic(g, a, scale=scale), [A])
    assert on == off


STAYS: dict[str, Expression] = {
    "a summand per row": lambda g, a: g.Add(g.MatMul(a, W), numbers(5, 1)),
    "a summand that widens": lambda g, a: g.Add(g.MatMul(a, W[:, :1]), C),
    "a product of two batches": lambda g, a: g.Add(g.MatMul(a, numbers(3, 8, 7)), C),
    "a factor that adds an axis": lambda g, a: g.Mul(g.MatMul(a, W), np.full((1, 1, 1, 1, 1), 2, np.float32)),
    "the product is an output": lambda g, a: (lambda y: (y, g.Add(y, C)))(g.MatMul(a, W)),
    "a transpose of other axes": lambda g, a: g.MatMul(g.Transpose(a, perm=[3, 1, 2, 0]), numbers(2, 4)),
    "integers": lambda g, a: g.Mul(
        g.MatMul(g.Cast(a, to=6), g.Cast(g.Transpose(a, perm=[0, 1, 3, 2]), to=6)), np.array(2, np.int32)
    ),
}


@pytest.mark.parametrize("name", STAYS)
def test_it_stays_as_it_is(engine: str, name: str) -> None:
    on, off = check(engine, PASS, STAYS[name], [A])
    assert on == off


def test_doubles_stay(engine: str) -> None:
    w, c = W.astype(np.float64), C.astype(np.float64)
    on, off = check(engine, PASS, lambda g, a: g.Div(g.Add(g.MatMul(a, w), c), 2.0), [A.astype(np.float64)])
    assert on == off


def test_an_activation_between_products_keeps_its_factor(engine: str) -> None:
    def expression(g: Builder, a: Any) -> Any:
        y = g.Add(g.MatMul(a, W), C)
        gelu = g.Mul(g.Mul(y, g.Add(g.Erf(g.Div(y, 1.4142135)), 1.0)), 0.5)
        return g.MatMul(gelu, W.T.copy())

    on, _ = check(engine, PASS, expression, [A], rtol=1e-4, atol=1e-4)
    assert on == ["FusedMatMul", "Gelu", "MatMul"]
