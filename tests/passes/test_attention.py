"""Products, masks and softmaxes that together are attention."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.passes.graphs import Builder, Expression, check

PASS = "fuse_attention"
NAME = "FusedAttention"
rng = np.random.default_rng(31)
INF = np.float32(np.inf)


def numbers(*shape: int) -> np.ndarray[Any, Any]:
    return rng.normal(0, 1, shape).astype(np.float32)


def swapped(g: Builder, value: Any, perm: tuple[int, ...] = (0, 2, 1, 3)) -> Any:
    return g.Transpose(value, perm=list(perm))


def attend(g: Builder, q: Any, k: Any, v: Any, mask: Any = None, *, rank: int = 4, axis: int = -1) -> Any:
    """K has its tokens last but one, as Q has."""
    keys = g.Transpose(k, perm=[*range(rank - 2), rank - 1, rank - 2])
    scores = g.Mul(g.MatMul(q, keys), 0.3)
    if mask is not None:
        scores = g.Add(scores, mask)
    return g.MatMul(g.Softmax(scores, axis=axis), v)


def projected(g: Builder, q: Any, k: Any, v: Any, mask: Any) -> Any:
    """With tokens before heads outside, as encoders have it."""
    keys = g.Div(swapped(g, k, (0, 2, 3, 1)), 2.0)
    scores = g.Add(mask, g.MatMul(swapped(g, q), keys))
    y = swapped(g, g.MatMul(g.Softmax(scores, axis=3), swapped(g, v)))
    return g.Reshape(y, [0, 0, -1])


Q, K, V = numbers(2, 3, 5, 8), numbers(2, 3, 7, 8), numbers(2, 3, 7, 6)
TOKENS = [np.ascontiguousarray(x.swapaxes(1, 2)) for x in (Q, K, V)]
LONG = [numbers(1, 2, 70, 16), numbers(1, 2, 300, 16), numbers(1, 2, 300, 24)]


def hiding(*shape: int) -> np.ndarray[Any, Any]:
    """A mask that hides some keys, and at last all of the first row's."""
    mask = np.where(rng.random(shape) < 0.4, -INF, 0).astype(np.float32)
    mask[..., 0] = 0
    return mask


FUSED: dict[str, tuple[Expression, list[np.ndarray[Any, Any]], list[str]]] = {
    "no mask": (attend, [Q, K, V], [NAME]),
    "one axis for all heads": (attend, [Q, K, V, numbers(5, 7)], [NAME]),
    "mask of keys": (attend, [Q, K, V, hiding(2, 1, 1, 7)], [NAME]),
    "mask of queries": (attend, [Q, K, V, numbers(5, 1)], [NAME]),
    "mask of one number": (attend, [Q, K, V, numbers(1)], [NAME]),
    "mask of every score": (attend, [Q, K, V, hiding(2, 3, 5, 7)], [NAME]),
    "mask with more batches": (attend, [Q[:1], K[:1], V[:1], numbers(4, 1, 5, 7)], [NAME]),
    "mask with more queries": (attend, [Q[:, :, :1], K, V, numbers(6, 7)], [NAME]),
    "mask with more keys": (attend, [Q, K[:, :, :1], V, numbers(1, 7)], [NAME]),
    "queries of one head": (attend, [Q[:, :1], K, V], [NAME]),
    "keys and values of one head": (attend, [Q, K[:, :1], V[:, :1]], [NAME]),
    "values of more batches": (attend, [Q[:1], K[:1], V], [NAME]),
    "three axes": (partial(attend, rank=3), [Q[0], K[0], V[0], numbers(5, 7)], [NAME]),
    "three axes, mask of four": (partial(attend, rank=3), [Q[0], K[0], V[0], numbers(2, 1, 5, 7)], [NAME]),
    "matrices": (partial(attend, rank=2), [Q[0, 0], K[0, 0], V[0, 0]], [NAME]),
    "tokens outside": (projected, [*TOKENS, hiding(2, 1, 1, 7)], [NAME, "Reshape"]),
    "more than a block": (attend, [*LONG, hiding(70, 300)], [NAME]),
    "no keys": (attend, [Q, K[:, :, :0], V[:, :, :0]], [NAME]),
    "no queries": (attend, [Q[:, :, :0], K, V], [NAME]),
    "no batch": (attend, [Q[:0], K[:0], V[:0], numbers(5, 7)], [NAME]),
}


@pytest.mark.parametrize("name", FUSED)
def test_it_becomes_one_operator(engine: str, name: str) -> None:
    expression, feeds, wanted = FUSED[name]
    oracle = "reference" if 0 in feeds[1].shape else "onnxruntime"
    on, off = check(engine, PASS, expression, feeds, oracle=oracle)
    assert on == wanted
    assert NAME not in off


def test_numbers_of_axes_must_be_known(engine: str) -> None:
    on, off = check(engine, PASS, attend, [Q, K, V], shapes=False)
    assert NAME not in on
    assert on == off


def test_a_query_that_sees_nothing_is_not_a_number(engine: str) -> None:
    mask = np.zeros((5, 7), np.float32)
    mask[2] = -INF
    on, _ = check(engine, PASS, attend, [Q, K, V, mask])
    assert on == [NAME]


def test_infinite_and_missing_numbers(engine: str) -> None:
    q = Q.copy()
    q[0, 0, 1], q[1, 2, 3, 4] = np.nan, INF
    v = V.copy()
    v[0, 1, 2, 3], v[1, 1, 0, 0] = -INF, np.nan
    on, _ = check(engine, PASS, attend, [q, K, v])
    assert on == [NAME]


def test_half_precision(engine: str) -> None:
    feeds = [x.astype(np.float16) for x in (Q, K, V)]
    on, _ = check(engine, PASS, attend, feeds, rtol=1e-2, atol=1e-2)
    assert on == [NAME]


@pytest.mark.parametrize(("opset", "axis"), [(11, 3), (12, -1), (13, 3), (21, -1)])
def test_opsets(engine: str, opset: int, axis: int) -> None:
    on, _ = check(engine, PASS, partial(attend, axis=axis), [Q, K, V], opset=opset)
    assert on == [NAME]


def two_outputs(g: Builder, q: Any, k: Any, v: Any) -> Any:
    scores = g.MatMul(q, swapped(g, k, (0, 1, 3, 2)))
    return g.MatMul(g.Softmax(scores, axis=-1), v), scores


def weights_too(g: Builder, q: Any, k: Any, v: Any) -> Any:
    weights = g.Softmax(g.MatMul(q, swapped(g, k, (0, 1, 3, 2))), axis=-1)
    return g.MatMul(weights, v), weights


KEPT: dict[str, tuple[Expression, list[np.ndarray[Any, Any]]]] = {
    "the scores are an output": (two_outputs, [Q, K, V]),
    "the weights are an output": (weights_too, [Q, K, V]),
    "softmax of another axis": (partial(attend, axis=2), [Q, K, V]),
    "constant values": (lambda g, q, k: attend(g, q, k, V), [Q, K]),
    "constant keys": (lambda g, q, v: attend(g, q, K, v), [Q, V]),
    "mask of five axes": (attend, [Q, K, V, numbers(2, 1, 1, 5, 7)]),
    "double": (attend, [x.astype(np.float64) for x in (Q, K, V)]),
}


@pytest.mark.parametrize("name", KEPT)
def test_it_stays(engine: str, name: str) -> None:
    expression, feeds = KEPT[name]
    on, off = check(engine, PASS, expression, feeds)
    assert NAME not in on
    assert on == off


def test_a_transpose_that_others_read_too(engine: str) -> None:
    def expression(g: Builder, q: Any, k: Any, v: Any) -> Any:
        queries = swapped(g, q)
        return attend(g, queries, k, v), g.Relu(queries)

    on, _ = check(engine, PASS, expression, [TOKENS[0], K, V])
    assert sorted(on) == [NAME, "Relu", "Transpose"]


def test_an_output_that_is_read_in_both_orders(engine: str) -> None:
    def expression(g: Builder, q: Any, k: Any, v: Any) -> Any:
        y = attend(g, q, k, v)
        return swapped(g, y), g.Relu(y)

    on, _ = check(engine, PASS, expression, [Q, K, V])
    assert on == [NAME, "Transpose", "Relu"]
