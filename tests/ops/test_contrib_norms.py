"""Normalizations and activations of com.microsoft against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onnxlet
from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model, run
from tests.ops.strategies import shapes
from tests.ops.test_contrib_attention import Draws

MS: dict[str, Any] = {"domain": "com.microsoft", "oracle": "onnxruntime", "rtol": 1e-4, "atol": 1e-5}
EXAMPLES = settings(max_examples=20)


@pytest.mark.parametrize("simplified", [False, True])
@given(data=st.data())
@EXAMPLES
def test_skip_layer_normalization(backend: Prepare, simplified: bool, data: st.DataObject) -> None:
    d = Draws(data)
    batch, length, n = d.one_of(1, 2), d.one_of(1, 5), d.one_of(1, 7, 33)
    dtype = d.one_of(np.float32, np.float32, np.float16)
    inputs = [
        d.normal(batch, length, n),
        d.normal(*d.one_of((batch, length, n), (1, length, n), (length, n))),
        d.normal(n),
    ]
    if not simplified:
        inputs.append(d.maybe(d.normal(n)))
    inputs.append(d.maybe(d.normal(n)))
    inputs = [None if x is None else x.astype(dtype) for x in inputs]
    op = "SkipSimplifiedLayerNormalization" if simplified else "SkipLayerNormalization"
    outputs = [dtype, None, None, d.one_of(None, dtype)]
    close = MS if dtype is np.float32 else {**MS, "rtol": 1e-2, "atol": 1e-2}
    check(backend, op, inputs, outputs=outputs, epsilon=d.one_of(None, 1e-3), **close)


@given(data=st.data())
@EXAMPLES
def test_simplified_layer_normalization(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    shape = data.draw(shapes(min_rank=1, max_rank=4, allow_zero=False))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    inputs = [d.normal(*shape), d.normal(*shape[axis:])]
    how: dict[str, Any] = {"axis": axis, "epsilon": d.one_of(None, 1e-3), "opset": 17}
    check(backend, "SimplifiedLayerNormalization", inputs, outputs=[np.float32] * 2, **how, **{**MS, "domain": ""})


@given(data=st.data())
@EXAMPLES
def test_embed_layer_normalization(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    batch, length, n = d.one_of(1, 2), d.one_of(1, 5), d.one_of(1, 7, 33)
    segments = d.one_of(False, True)

    def ids(limit: int, rows: int = batch) -> np.ndarray:
        return d.rng.integers(0, limit, (rows, length), np.int32)

    inputs = [
        ids(50),
        ids(2) if segments else None,
        d.normal(50, n),
        d.normal(20, n),
        d.normal(2, n) if segments else None,
        d.normal(n),
        d.normal(n),
        d.maybe(np.sort(ids(2), axis=1)[:, ::-1].copy()),
        d.maybe(ids(20, d.one_of(1, batch))),
    ]
    outputs = [np.float32, d.one_of(None, np.int32), np.float32]
    check(backend, "EmbedLayerNormalization", inputs, outputs=outputs, epsilon=d.one_of(None, 1e-3), **MS)


@given(data=st.data())
@EXAMPLES
def test_quantized_embed_layer_normalization(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    batch, length, n = d.one_of(1, 2), d.one_of(1, 5), d.one_of(1, 7, 33)
    segments, dtype = d.one_of(False, True), d.one_of(np.int8, np.uint8)
    info = np.iinfo(dtype)

    def numbers(*shape: int) -> np.ndarray:
        return np.asarray(d.rng.integers(info.min, info.max, shape, dtype, endpoint=True))

    present = [True, True, segments, True, True]
    ids, kinds = d.rng.integers(0, 20, (batch, length), np.int32), d.rng.integers(0, 2, (batch, length), np.int32)
    tables = [numbers(20, n), numbers(10, n), numbers(2, n), numbers(n), numbers(n)]
    scales = [np.array(d.rng.uniform(0.01, 0.05), np.float32) for _ in range(5)]
    zeros = [numbers() for _ in range(5)]
    mask = d.maybe(np.sort(kinds, axis=1)[:, ::-1].copy())
    used = [[v if given_ else None for v, given_ in zip(x, present, strict=True)] for x in (tables, scales, zeros)]
    inputs = [ids, kinds if segments else None, *used[0], mask, *used[1], *used[2]]
    outputs = [np.float32, np.int32]
    # A row of one element has no variance: what is left of it is rounding.
    how = {**MS, "atol": 1e-4, "epsilon": d.one_of(None, 1e-3) if n > 1 else 1e-3}
    check(backend, "QEmbedLayerNormalization", inputs, outputs=outputs, **how)


def test_embed_refusals(backend: Prepare) -> None:
    ids, table, c = np.zeros((2, 3), np.int32), np.zeros((4, 5), np.float32), np.zeros(5, np.float32)
    good = [ids, None, table, table, None, c, c]
    cases: list[tuple[list[Any], str]] = [
        ([ids[0], *good[1:]], r"must be matrices; their shapes are \[3\] and \[4,5\]"),
        ([*good[:3], table[:, :4], *good[4:]], r"a table of shape \[4,4\] do not fit a result of shape \[2,3,5\]"),
        ([*good[:3], table[:2], *good[4:]], r"embedding index 2 is outside \[0, 1\]"),
        ([ids + 4, *good[1:]], r"embedding index 4 is outside \[0, 3\]"),
        ([ids, ids, *good[2:]], "segment_ids and segment_embedding must be given together"),
        ([*good[:6], c[:4]], r"gamma and beta must have 5 elements; one has shape \[4\]"),
        ([*good, ids[:1]], r"mask has shape \[1,3\]; \[2,3\] is expected"),
        ([*good, None, ids[:, :2]], r"and its ids of shape \[2,2\] do not fit a result of shape \[2,3,5\]"),
    ]
    for inputs, message in cases:
        model = make_model("EmbedLayerNormalization", inputs, domain="com.microsoft", outputs=[np.float32])
        with pytest.raises(onnxlet.Error, match=message):
            run(backend, model, inputs)


@pytest.mark.parametrize("op", ["Gelu", "FastGelu", "BiasGelu", "QuickGelu"])
@given(data=st.data())
@EXAMPLES
def test_gelu(backend: Prepare, op: str, data: st.DataObject) -> None:
    d = Draws(data)
    shape = data.draw(shapes(min_rank=1, max_rank=4))
    inputs = [3 * d.normal(*shape)]
    if op == "BiasGelu" or (op == "FastGelu" and d.one_of(False, True)):
        inputs.append(d.normal(shape[-1]))
    how = {"alpha": d.one_of(None, 0.5)} if op == "QuickGelu" else {}
    check(backend, op, inputs, outputs=[np.float32], **how, **MS)


def grouped(x: np.ndarray, groups: int, epsilon: float) -> np.ndarray:
    """x [batch, ..., channels] standardized per group of channels."""
    wide = x.astype(np.float64).reshape(x.shape[0], -1, groups, x.shape[-1] // groups)
    mean, var = wide.mean((1, 3), keepdims=True), wide.var((1, 3), keepdims=True)
    return np.asarray((wide - mean) / np.sqrt(var + epsilon)).reshape(x.shape)


# onnxruntime has these two for GPUs only: the formula of its document.
@pytest.mark.parametrize("skip", [False, True])
@given(data=st.data())
@EXAMPLES
def test_group_norm(backend: Prepare, skip: bool, data: st.DataObject) -> None:
    d = Draws(data)
    batch, height, width, groups = d.one_of(1, 2), d.one_of(1, 3), d.one_of(2, 5), d.one_of(1, 2, 4)
    channels, last, silu = groups * d.one_of(1, 3), d.one_of(1, 0), d.one_of(0, 1)
    epsilon = d.one_of(1e-5, 1e-2)
    x = d.normal(batch, height, width, channels)
    gamma, beta = d.normal(channels), d.normal(channels)
    added: list[Any] = []
    total = x
    if skip:
        own = d.normal(*d.one_of((batch, channels), (batch, 1, 1, channels), x.shape))
        bias = d.maybe(d.normal(channels))
        total = x + own.reshape(batch, *((1, 1) if own.ndim == 2 else own.shape[1:3]), channels)
        total = total + (0 if bias is None else bias)
        added = [own if last or own.ndim == 2 else np.moveaxis(own, -1, 1), bias]
    want = grouped(total, groups, epsilon) * gamma + beta
    if silu:
        want = want / (1 + np.exp(-want))

    def placed(v: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(v if last else np.moveaxis(v, -1, 1)).astype(np.float32)

    inputs = [placed(x), gamma, beta, *(None if v is None else np.ascontiguousarray(v) for v in added)]
    how: dict[str, Any] = {"groups": groups, "activation": silu, "channels_last": last, "epsilon": epsilon}
    how |= {"domain": "com.microsoft", "rtol": 1e-3, "atol": 1e-4}
    if skip:
        oracle = [placed(want), placed(total)]
        check(backend, "SkipGroupNorm", inputs, outputs=[np.float32] * 2, oracle=oracle, **how)
    else:
        check(backend, "GroupNorm", inputs, outputs=[np.float32], oracle=[placed(want)], **how)


def test_group_norm_refusals(backend: Prepare) -> None:
    x, c = np.zeros((2, 3, 3, 4), np.float32), np.zeros(4, np.float32)
    how = {"groups": 2, "activation": 0}
    cases: list[tuple[str, list[Any], dict[str, Any], str]] = [
        ("GroupNorm", [x, c, c], {**how, "groups": 3}, r"a channel dimension divisible by groups = 3"),
        ("GroupNorm", [x, c, c], {**how, "groups": 0}, "groups must be positive; it is 0"),
        ("GroupNorm", [x, c, c], {**how, "activation": 2}, "activation must be 0 or 1; it is 2"),
        ("GroupNorm", [x, c, c[:3]], how, r"gamma and beta have shapes \[4\] and \[3\]; 4 elements each"),
        (
            "SkipGroupNorm",
            [x, c, c, x[:1]],
            how,
            r"skip of shape \[1,3,3,4\] does not fit the input's shape \[2,3,3,4\]",
        ),
        ("SkipGroupNorm", [x, c, c, x, c[:3]], how, r"bias has shape \[3\]; there are 4 channels"),
    ]
    for op, inputs, attributes, text in cases:
        model = make_model(op, inputs, domain="com.microsoft", outputs=[np.float32], **attributes)
        with pytest.raises(onnxlet.Error, match=text):
            run(backend, model, inputs)
