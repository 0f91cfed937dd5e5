"""Attention and what goes with it, against onnx.reference in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from hypothesis import strategies as st
from onnx import helper

from tests.ops.properties.registry import Draw, Sample, prop, slack
from tests.ops.properties.unary import wide
from tests.ops.strategies import kind_of


def rounded(d: Draw, dtype: Any, shape: tuple[int, ...], low: float = -1, high: float = 1) -> np.ndarray:
    return d.plain(dtype, shape, low, high)


@prop("Attention")
def attention(d: Draw) -> Sample:
    """Grouped heads, a mask of either kind, a past, causality, softcap; version 24 adds lengths, 25 windows."""
    qk_type, v_type = d.dtype("T1"), d.dtype("T2")
    batch, kv_heads, group = d.integer(1, 2), d.integer(1, 2), d.integer(1, 3)
    q_len, kv_len, size, v_size = d.integer(1, 5), d.integer(1, 6), d.choice([1, 2, 4, 5, 8]), d.choice([1, 3, 4])
    heads = kv_heads * group
    lengths = None
    past_len = d.integer(0, 4) if d.flag() else None
    if d.version >= 24 and past_len is None and d.flag():
        lengths = d.rng().integers(1, kv_len + 1, batch)
    q = rounded(d, qk_type, (batch, heads, q_len, size))
    k = rounded(d, qk_type, (batch, kv_heads, kv_len, size))
    v = rounded(d, v_type, (batch, kv_heads, kv_len, v_size))
    past: list[Any] = [None, None]
    if past_len is not None:
        past = [
            rounded(d, qk_type, (batch, kv_heads, past_len, size)),
            rounded(d, v_type, (batch, kv_heads, past_len, v_size)),
        ]
    total = kv_len + (past_len or 0)
    mask = None
    attributes: dict[str, Any] = {}
    if lengths is not None and d.flag():  # of the keys beyond the mask nobody is asked for
        total = d.integer(int(lengths.max()), kv_len)
    if d.flag():
        shape = d.choice(
            [(q_len, total), (batch, 1, q_len, total), (batch, heads, q_len, total), (1, heads, q_len, total)]
        )
        mask_type = np.bool_ if d.flag() else qk_type
        mask = d.array(np.bool_, shape) if mask_type == np.bool_ else rounded(d, mask_type, shape)
        if mask.dtype == bool:
            mask[..., 0] = True
    d.attribute("is_causal", st.integers(0, 1), attributes)
    d.attribute("scale", st.floats(0.125, 1, width=32), attributes)
    softcap = d.attribute("softcap", st.sampled_from([0.0, 1.0, 2.0]), attributes)
    mode = d.attribute("qk_matmul_output_mode", st.integers(0, 3), attributes)
    for side in ("left_window_size", "right_window_size"):
        d.attribute(side, st.integers(-1, 3), attributes)
    if d.flag():
        attributes |= {"q_num_heads": heads, "kv_num_heads": kv_heads}
        q, k, v = (np.ascontiguousarray(x.transpose(0, 2, 1, 3)).reshape(batch, x.shape[2], -1) for x in (q, k, v))
    inputs = [q, k, v, mask, *past, None if lengths is None else lengths.astype(np.int64)]
    if d.version == 23:
        inputs = inputs[:6]
    precise = [x.astype(np.float64) if x is not None and kind_of(x.dtype) == "f" else x for x in inputs]
    outputs: list[Any] = [qk_type]
    # The reference gives the capped scores in mode 0, for which the specification says the product itself.
    if lengths is None and not (softcap and mode == 0) and d.flag():  # the present is defined together with a past
        outputs = [qk_type, qk_type, v_type, qk_type] if past_len is not None else [qk_type, None, None, qk_type]
    answer = Sample(precise, attributes, outputs=[None if t is None else np.float64 for t in outputs], cast=outputs)
    worst = max(slack(t, 20) for t in (qk_type, v_type))
    return Sample(inputs, attributes, answer, outputs=outputs, rtol=1e-3, atol=max(1e-4, worst))


@prop("RotaryEmbedding")
def rotary(d: Draw) -> Sample:
    dtype = d.dtype("T")
    batch, length, heads, size = d.integer(1, 2), d.integer(1, 5), d.integer(1, 3), 2 * d.integer(1, 4)
    attributes: dict[str, Any] = {}
    dims = d.attribute("rotary_embedding_dim", st.sampled_from([0, 2, size]), attributes)
    d.attribute("interleaved", st.integers(0, 1), attributes)
    half = (dims or size) // 2
    positions = d.rng().integers(0, 9, (batch, length)) if d.flag() else None
    table = (9, half) if positions is not None else (batch, length, half)
    x = d.plain(dtype, (batch, heads, length, size))
    if d.flag():
        x = np.ascontiguousarray(x.transpose(0, 2, 1, 3)).reshape(batch, length, -1)
        attributes["num_heads"] = heads
    inputs = [x, d.plain(dtype, table), d.plain(dtype, table), positions]
    precise = [v.astype(np.float64) if v is not None and kind_of(v.dtype) == "f" else v for v in inputs]
    return Sample(inputs, attributes, Sample(precise, attributes, cast=dtype), outputs=[dtype], atol=slack(dtype, 8))


@prop("LinearAttention")
def linear_attention(d: Draw) -> Sample:
    dtype, state_type = d.dtype("T"), d.dtype("S")
    rule = d.choice(["linear", "gated", "delta", "gated_delta"])
    batch, length, kv_heads, group = d.integer(1, 2), d.integer(1, 6), d.integer(1, 2), d.integer(1, 2)
    size, v_size = d.integer(1, 5), d.integer(1, 5)
    attributes: dict[str, Any] = {"q_num_heads": kv_heads * group, "kv_num_heads": kv_heads}
    if rule != "gated_delta" or d.flag():
        attributes["update_rule"] = rule
    d.attribute("scale", st.sampled_from([0.0, 0.5]), attributes)
    d.attribute("chunk_size", st.sampled_from([1, 3, 64]), attributes)
    q = d.plain(dtype, (batch, length, kv_heads * group * size), -1, 1)
    k = d.plain(dtype, (batch, length, kv_heads * size), -0.4, 0.4)
    v = d.plain(dtype, (batch, length, kv_heads * v_size), -1, 1)
    state = d.plain(state_type, (batch, kv_heads, size, v_size), -1, 1) if d.flag() else None
    if state is None:  # nothing else says what type the state has
        state_type = dtype
    decay = d.plain(dtype, (batch, length, kv_heads * (size if d.flag() else 1)), -1, 0) if "gated" in rule else None
    beta = d.plain(dtype, (batch, length, kv_heads if d.flag() else 1), 0, 1) if "delta" in rule else None
    inputs = [q, k, v, state, decay, beta]
    precise = [None if x is None else x.astype(np.float64) for x in inputs]
    outputs = [dtype, state_type]
    answer = Sample(precise, attributes, outputs=[np.float64, np.float64], cast=outputs)
    worst = max(slack(t, 20) for t in outputs)
    return Sample(inputs, attributes, answer, outputs=outputs, rtol=1e-3, atol=max(1e-4, worst))


@prop("CausalConvWithState")
def causal_conv(d: Draw) -> Sample:
    dtype = d.dtype("T")
    batch, channels, length, kernel = d.integer(1, 2), d.integer(1, 5), d.integer(1, 6), d.integer(1, 4)
    x, w = d.plain(dtype, (batch, channels, length)), d.plain(dtype, (channels, 1, kernel))
    b = d.plain(dtype, (channels,)) if d.flag() else None
    state = d.plain(dtype, (batch, channels, kernel - 1)) if d.flag() else None
    attributes: dict[str, Any] = {}
    how = d.attribute("activation", st.sampled_from(["none", "silu", "swish"]), attributes)
    history = np.concatenate(
        [wide(state) if state is not None else np.zeros((batch, channels, kernel - 1)), wide(x)], -1
    )
    y = sum(history[..., i : i + length] * wide(w)[:, 0, i, None] for i in range(kernel))
    y = np.asarray(y) + (0 if b is None else wide(b)[:, None])
    if how in ("silu", "swish"):
        y = y / (1 + np.exp(-y))
    present = history[..., history.shape[-1] - (kernel - 1) :]
    return Sample([x, w, b, state], attributes, [y.astype(dtype), present.astype(dtype)], atol=slack(dtype, 16))


@prop("TensorScatter")
def tensor_scatter(d: Draw) -> Sample:
    dtype = d.dtype("T")
    rank = d.integer(2, 4)
    attributes: dict[str, Any] = {}
    axis = d.attribute("axis", st.integers(1, rank - 1).flatmap(lambda a: st.sampled_from([a, a - rank])), attributes)
    if axis == -2 and rank == 2:  # the first axis is the batch
        attributes["axis"] = axis = 1
    shape = [d.integer(1, 3) for _ in range(rank)]
    length = d.integer(1, 6)
    shape[axis] = length
    count = d.integer(1, length)
    small = list(shape)
    small[axis] = count
    mode = d.attribute("mode", st.sampled_from(["linear", "circular"]), attributes)
    last = length - 1 if mode == "circular" else length - count
    at = d.rng().integers(0, last + 1, shape[0]) if d.flag() else None
    cache, update = d.array(dtype, tuple(shape)), d.array(dtype, tuple(small))
    want = np.moveaxis(cache.copy(), axis, 1)
    new = np.moveaxis(update, axis, 1)
    for b in range(shape[0]):
        for i in range(count):
            want[b, (i + (0 if at is None else at[b])) % length] = new[b, i]
    return Sample([cache, update, at], attributes, [np.moveaxis(want, 1, axis)])


def score_graph(dtype: int, kind: str) -> onnx.GraphProto:
    """Of the scores [B, H, L, S]: their halves, or the scores plus the head's number."""
    number = helper.make_tensor("half", dtype, [], [0.5])
    nodes = [helper.make_node("Constant", [], ["half"], value=number)]
    nodes.append(helper.make_node({"scaled": "Mul", "shifted": "Add"}[kind], ["in", "half"], ["out"]))
    value = helper.make_tensor_value_info
    return helper.make_graph(nodes, "modify", [value("in", dtype, None)], [value("out", dtype, None)])


@prop("FlexAttention", domain="ai.onnx.preview")
def flex_attention(d: Draw) -> Sample:
    dtype = d.dtype("T1")
    batch, kv_heads, group = d.integer(1, 2), d.integer(1, 2), d.integer(1, 2)
    q_len, kv_len, size, v_size = d.integer(1, 4), d.integer(1, 5), d.integer(1, 5), d.integer(1, 4)
    q = d.plain(dtype, (batch, kv_heads * group, q_len, size), -1, 1)
    k, v = (
        d.plain(dtype, (batch, kv_heads, kv_len, size), -1, 1),
        d.plain(dtype, (batch, kv_heads, kv_len, v_size), -1, 1),
    )
    attributes: dict[str, Any] = {}
    scale = d.attribute("scale", st.floats(0.125, 1, width=32), attributes) or 1 / np.sqrt(size)
    precision = np.dtype(np.float32) if dtype != np.float64 else dtype
    if d.flag():
        attributes["softmax_precision"] = int(helper.np_dtype_to_tensor_dtype(precision))
    keys, values = np.repeat(wide(k), group, 1), np.repeat(wide(v), group, 1)
    scores = wide(q) @ keys.swapaxes(-1, -2) * scale
    if d.flag():
        kind = d.choice(["scaled", "shifted"])
        attributes["score_mod"] = score_graph(int(helper.np_dtype_to_tensor_dtype(precision)), kind)
        scores = scores * 0.5 if kind == "scaled" else scores + 0.5
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    if d.flag():
        attributes["prob_mod"] = score_graph(int(helper.np_dtype_to_tensor_dtype(precision)), "scaled")
        weights = weights * 0.5
    return Sample(
        [q, k, v], attributes, [(weights @ values).astype(dtype)], rtol=1e-3, atol=max(1e-4, slack(dtype, 12))
    )
