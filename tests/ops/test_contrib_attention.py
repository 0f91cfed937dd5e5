"""Attention, QAttention, MultiHeadAttention and DecoderMaskedMultiHeadAttention of com.microsoft against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onnxlet
from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model, run
from tests.support.oracle import within_oracle

Array = np.ndarray
MS: dict[str, Any] = {"domain": "com.microsoft", "oracle": "onnxruntime", "rtol": 1e-4, "atol": 1e-4}
EXAMPLES = settings(max_examples=20)


class Draws:
    """Random arrays and choices of one example."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data
        self.rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))

    def one_of(self, *values: Any) -> Any:
        return self.data.draw(st.sampled_from(values))

    def maybe(self, value: Any) -> Any:
        return value if self.data.draw(st.booleans()) else None

    def normal(self, *shape: int, dtype: Any = np.float32) -> Array:
        return self.rng.normal(size=shape).astype(dtype)

    def bias(self, batch: int, heads: int, q_len: int, total: int) -> Array:
        return self.normal(self.one_of(1, batch), self.one_of(1, heads), q_len, total)

    def flags(self, *shape: int) -> Array:
        """Zeros and ones, the first of every row one."""
        out = (self.rng.random(shape) < 0.7).astype(np.int32)
        out[..., 0] = 1
        return out


@given(data=st.data())
@EXAMPLES
def test_multi_head_attention(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    batch, heads, size, v_size = d.one_of(1, 2), d.one_of(1, 3), d.one_of(4, 8), d.one_of(8, 4, 12)
    q_len, kv_len, past = d.one_of(1, 2, 5), d.one_of(1, 3, 6), d.one_of(0, 0, 4)
    causal = d.one_of(0, 1)
    if past or causal:
        kv_len = q_len
    if past:
        v_size = size
    total = past + kv_len
    hidden, v_hidden = heads * size, heads * v_size
    masks = [None, d.flags(batch, total), d.flags(batch, q_len, total)]
    if not past:
        masks.append(d.rng.integers(1, total, batch, np.int32, endpoint=True))
    inputs = [
        d.normal(batch, q_len, hidden),
        d.normal(batch, kv_len, hidden),
        d.normal(batch, kv_len, v_hidden),
        d.maybe(d.normal(2 * hidden + v_hidden)),
        d.one_of(*masks),
        d.maybe(d.bias(batch, heads, q_len, total)),
    ]
    outputs: list[Any] = [np.float32]
    if past:
        inputs += [d.normal(batch, heads, past, size), d.normal(batch, heads, past, v_size)]
        outputs *= 3
    elif d.one_of(False, True):
        outputs *= 3
    if len(outputs) == 3 and d.one_of(False, True):
        outputs.append(np.float32)
    how = {"num_heads": heads, "unidirectional": causal, "scale": d.one_of(None, 0.4)}
    check(backend, "MultiHeadAttention", inputs, outputs=outputs, **how, **MS)


def random(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(np.float32)


def test_multi_head_attention_layouts(backend: Prepare) -> None:
    # onnxruntime's CPU kernel takes no packed operands: it is asked for the same with separate ones.
    how: dict[str, Any] = {"num_heads": 3, "outputs": [np.float32]}
    qkv, kv, q = (
        random(2, 5, 3, 3, 8),
        random(2, 7, 3, 2, 8, seed=1),
        random(2, 5, 24, seed=2),
    )
    flat = [np.ascontiguousarray(qkv[:, :, :, i]).reshape(2, 5, 24) for i in range(3)]
    expected = check(backend, "MultiHeadAttention", flat, unidirectional=1, **how, **MS)
    check(
        backend,
        "MultiHeadAttention",
        [qkv],
        oracle=expected,
        domain="com.microsoft",
        unidirectional=1,
        **how,
    )
    flat = [
        q,
        *(np.ascontiguousarray(kv[:, :, :, i]).reshape(2, 7, 24) for i in range(2)),
    ]
    expected = check(backend, "MultiHeadAttention", flat, **how, **MS)
    check(
        backend,
        "MultiHeadAttention",
        [q, kv],
        oracle=expected,
        domain="com.microsoft",
        **how,
    )
    cached = [q, random(2, 3, 7, 8), random(2, 3, 7, 8, seed=1), random(72)]
    check(backend, "MultiHeadAttention", cached, scale=0.3, **how, **MS)


@given(data=st.data(), beams=st.sampled_from([1, 2, 3]))
@EXAMPLES
def test_cache_buffer_with_beams(backend: Prepare, data: st.DataObject, beams: int) -> None:
    d = Draws(data)
    batch, heads, size, past = beams * d.one_of(1, 2), d.one_of(1, 2), d.one_of(4, 8), d.one_of(0, 1, 5)
    room, hidden = past + d.one_of(1, 4), heads * size
    query, key, value = (d.normal(batch, 1, hidden) for _ in range(3))
    mask = d.maybe(d.flags(batch, past + 1))
    bias = d.maybe(d.normal(3 * hidden))
    # With beams onnxruntime takes the wrong rows of a bias for every batch row.
    added = d.maybe(d.bias(1 if beams > 1 else batch, heads, 1, past + 1))
    cache = [d.normal(batch, heads, room, size) for _ in range(2)]
    length = np.array([past], np.int32)
    beam_of = d.rng.integers(0, beams, (batch // beams, beams, room), np.int32) if beams > 1 else None
    outputs = [np.float32] * 4
    inputs = [query, key, value, bias, mask, added, *cache, length, beam_of]
    check(backend, "MultiHeadAttention", inputs, outputs=outputs, num_heads=heads, **MS)
    width = np.array([beams], np.int32) if beams > 1 else None
    inputs = [query, key, value, mask, added, *cache, length, width, beam_of, bias]
    how = {"num_heads": heads, "past_present_share_buffer": 1, "output_qk": 1}
    expected = check(backend, "DecoderMaskedMultiHeadAttention", inputs, outputs=outputs, **how, **MS)
    inputs[:3] = [np.concatenate([query, key, value], axis=2), None, None]  # onnxruntime fails here
    same: dict[str, Any] = {"domain": "com.microsoft", "rtol": 1e-5, "atol": 1e-5}
    check(backend, "DecoderMaskedMultiHeadAttention", inputs, outputs=outputs, oracle=expected, **how, **same)


@given(data=st.data())
@EXAMPLES
def test_decoder_over_given_keys(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    batch, heads, size, kv_len = d.one_of(1, 2), d.one_of(1, 2), d.one_of(4, 8), d.one_of(1, 7)
    inputs = [
        d.normal(batch, 1, heads * size),
        d.normal(batch, heads, kv_len, size),
        d.normal(batch, heads, kv_len, size),
        d.maybe(d.flags(batch, kv_len)),
        *[None] * 6,
        d.maybe(d.normal(3 * heads * size)),
    ]
    outputs = [np.float32, None, None, np.float32]
    how = {"num_heads": heads, "output_qk": 1, "mask_filter_value": d.one_of(None, -50.0)}
    check(backend, "DecoderMaskedMultiHeadAttention", inputs, outputs=outputs, **how, **MS)


def draw_projection(d: Draws, quantized: bool = False) -> tuple[list[Any], dict[str, Any], tuple[int, ...]]:
    """Input, weights, bias and mask of Attention; its attributes; batch, heads, sequence length, past and head size."""
    batch, heads, seq, past = d.one_of(1, 2), d.one_of(1, 3), d.one_of(1, 2, 5), d.one_of(0, 0, 4)
    size, width = d.one_of(4, 8), d.one_of(5, 12)
    v_size = size if past or quantized else d.one_of(size, 2 * size)
    total, columns = past + seq, heads * (2 * size + v_size)
    causal = d.one_of(0, 1)
    masks = [None, d.flags(batch, total), d.flags(batch, seq, total)]
    masks.append(d.rng.integers(1, total, batch, np.int32, endpoint=True))
    if not causal:  # else some queries see nothing, and what is left of scores next to the mask value counts
        starts = d.rng.integers(0, total, batch, np.int32)
        ends = np.array([d.rng.integers(s + 1, total + 1) for s in starts], np.int32)
        masks.append(np.concatenate([ends, starts]).astype(np.int32))
    mask = d.one_of(*masks)
    inputs = [d.normal(batch, seq, width), d.normal(width, columns) / 3, d.normal(columns), mask]
    how = {"num_heads": heads, "unidirectional": causal, "scale": d.one_of(None, 0.4)}
    if v_size != size:
        how["qkv_hidden_sizes"] = [heads * size, heads * size, heads * v_size]
    return inputs, how, (batch, heads, seq, past, size)


@given(data=st.data())
@EXAMPLES
def test_attention(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    inputs, how, (batch, heads, seq, past, size) = draw_projection(d)
    outputs = [np.float32] * (2 if past else 1)
    inputs.append(d.normal(2, batch, heads, past, size) if past else None)
    inputs.append(None if past else d.maybe(d.bias(batch, heads, seq, seq)))
    constants = [1] if data.draw(st.booleans()) else []
    check(backend, "Attention", inputs, outputs=outputs, constants=constants, **how, **MS)


@given(data=st.data())
@EXAMPLES
def test_attention_with_a_cache_buffer(backend: Prepare, data: st.DataObject) -> None:
    # onnxruntime's CPU kernel refuses the buffer: it gets a cache of just the tokens.
    d = Draws(data)
    inputs, how, (batch, heads, _, past, size) = draw_projection(d)
    if not past:
        return
    inputs += [d.normal(2, batch, heads, past, size), None]
    y, present = check(backend, "Attention", inputs, outputs=[np.float32] * 2, **how, **MS)
    room = present.shape[3] + d.one_of(0, 3)
    buffer = d.normal(2, batch, heads, room, size)
    buffer[:, :, :, :past] = inputs[4]
    want = buffer.copy()
    want[:, :, :, : present.shape[3]] = present
    inputs[4] = buffer
    inputs.append(np.array([past], np.int32))
    same: dict[str, Any] = {"domain": "com.microsoft", "oracle": [y, want], "rtol": 1e-5, "atol": 1e-5}
    how["past_present_share_buffer"] = 1
    check(backend, "Attention", inputs, outputs=[np.float32] * 2, **how, **same)


@given(data=st.data())
@EXAMPLES
def test_attention_with_a_mask_for_all_positions(backend: Prepare, data: st.DataObject) -> None:
    # onnxruntime's CPU kernel refuses masks of rank 4: it gets the rows of the queries.
    d = Draws(data)
    inputs, how, (batch, heads, seq, past, size) = draw_projection(d)
    total = past + seq
    how["unidirectional"] = 0
    whole = d.flags(batch, 1, total + 3, total + 3)
    inputs += [d.normal(2, batch, heads, past, size)] if past else []
    inputs[3] = np.ascontiguousarray(whole[:, 0, past:total, :total])
    outputs = [np.float32] * (2 if past else 1)
    expected = check(backend, "Attention", inputs, outputs=outputs, **how, **MS)
    inputs[3] = whole
    same: dict[str, Any] = {"domain": "com.microsoft", "oracle": expected, "rtol": 1e-5, "atol": 1e-5}
    check(backend, "Attention", inputs, outputs=outputs, **how, **same)


@pytest.mark.parametrize("per_column", [False, True])
@given(data=st.data())
@EXAMPLES
def test_quantized_attention(backend: Prepare, per_column: bool, data: st.DataObject) -> None:
    d = Draws(data)
    (x, weights, bias, mask), how, (batch, heads, _, past, size) = draw_projection(d, quantized=True)
    x_type, w_type = np.uint8, d.one_of(np.uint8, np.int8)
    n = weights.shape[1] if per_column else 1
    info = np.iinfo(w_type)
    w_zero = d.rng.integers(info.min, info.max, n, endpoint=True).astype(w_type)
    scale = (abs(d.rng.normal(size=n)) * 0.01 + 0.005).astype(np.float32)
    inputs = [
        d.rng.integers(0, 255, x.shape, x_type, endpoint=True),
        within_oracle(d.rng.integers(info.min, info.max, weights.shape, w_type, endpoint=True)),
        bias,
        np.array(0.02, np.float32),
        scale if per_column else scale.reshape(()),
        mask,
        np.array(d.one_of(0, 120), x_type),
        w_zero if per_column else w_zero.reshape(()),
        d.normal(2, batch, heads, past, size) if past else None,
    ]
    outputs = [np.float32] * (2 if past else 1)
    constants = [1] if data.draw(st.booleans()) else []
    check(backend, "QAttention", inputs, outputs=outputs, constants=constants, **how, **MS)


@given(data=st.data())
@EXAMPLES
def test_rotary_embedding(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    batch, heads, seq, size = d.one_of(1, 2), d.one_of(1, 3), d.one_of(1, 2, 5), d.one_of(4, 8, 16)
    dims = d.one_of(0, 0, size // 2)
    half = (dims or size) // 2
    four = d.one_of(False, True)
    x = d.normal(batch, heads, seq, size) if four else d.normal(batch, seq, heads * size)
    ids = np.array([d.one_of(0, 3)]) if d.one_of(False, True) else d.rng.integers(0, 50, (batch, seq))
    how: dict[str, Any] = {"interleaved": d.one_of(0, 1), "scale": d.one_of(None, 2.0)}
    if dims:
        how |= {"rotary_embedding_dim": dims, "num_heads": heads}
    elif d.one_of(False, True):
        how["num_heads"] = heads
    check(backend, "RotaryEmbedding", [x, ids, d.normal(50, half), d.normal(50, half)], **how, **MS)


@given(data=st.data())
@EXAMPLES
def test_rotary_embedding_of_three_positions(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    batch, heads, seq, size = d.one_of(1, 2), d.one_of(1, 3), d.one_of(1, 2, 5), d.one_of(16, 32)
    dims = d.one_of(0, 0, size // 2)
    half = (dims or size) // 2
    # In the interleaved layout the sections of height and width reach columns 1 and 2 of each three.
    third = half // 3
    height, width = d.rng.integers(0, third + 1, 2)
    four = d.one_of(False, True)
    x = d.normal(batch, heads, seq, size) if four else d.normal(batch, seq, heads * size)
    ids = d.rng.integers(0, 50, (3, batch, seq))
    how: dict[str, Any] = {
        "interleaved": d.one_of(0, 1),
        "mrope_layout": d.one_of(0, 1),
        "mrope_section": [int(half - height - width), int(height), int(width)],
        "num_heads": heads,
    }
    if dims:
        how["rotary_embedding_dim"] = dims
    check(backend, "MRotaryEmbedding", [x, ids, d.normal(50, half), d.normal(50, half)], **how, **MS)


def test_refusals(backend: Prepare) -> None:
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> Array:
        return rng.normal(size=shape).astype(np.float32)

    q, cache, three = normal(2, 1, 8), normal(2, 2, 5, 4), np.array([3], np.int32)
    heads = {"num_heads": 2}
    mha = [q, q, q, None, None, None]
    beams = np.full((1, 2, 5), 2, np.int32)
    projected = [normal(2, 3, 4), normal(4, 24), normal(24)]
    past = normal(2, 2, 2, 5, 4)
    share = {"num_heads": 2, "past_present_share_buffer": 1}
    rotary = [normal(2, 1, 4), np.full((3, 2, 1), 6), normal(6, 2), normal(6, 2)]
    decoder = "DecoderMaskedMultiHeadAttention"
    cases: list[tuple[str, list[Any], dict[str, Any], str]] = [
        ("MultiHeadAttention", mha, {"num_heads": 0}, "num_heads must be positive; it is 0"),
        ("MultiHeadAttention", [q, q], heads, "do not fit 2 heads"),
        ("MultiHeadAttention", [q, q, q[:1]], heads, "do not fit 2 heads"),
        ("MultiHeadAttention", [q, normal(1, 1, 2, 2, 4)], heads, "do not fit 2 heads"),
        ("MultiHeadAttention", [q, q, q, normal(8)], heads, r"bias has shape \[8\]; 24 elements are expected"),
        ("MultiHeadAttention", [*mha, cache], heads, "past_key and past_value must be given together"),
        ("MultiHeadAttention", [*mha, cache[0], cache[0]], heads, r"past_key must have rank 4; its shape is \[2,5,4\]"),
        ("MultiHeadAttention", [*mha, cache, cache[:1]], heads, r"the cache has shape \[1,2,5,4\]; \[2,2,-1,4\]"),
        (
            "MultiHeadAttention",
            [*mha, cache, cache, three + 2],
            heads,
            "past_sequence_length is 5; with 1 new tokens the cache has room for 5",
        ),
        (
            "MultiHeadAttention",
            [*mha, cache, cache, three, beams[0]],
            heads,
            r"cache_indirection of shape \[2,5\] does not fit a batch of 2 with its beams, and 3 cached tokens",
        ),
        ("MultiHeadAttention", [*mha, cache, cache, three, beams], heads, "cache_indirection has 2; there are 2 beams"),
        (decoder, [*mha[:5], cache, cache, three, three], share, "beam_width is 3; cache_indirection must be given"),
        (
            "MultiHeadAttention",
            [*mha[:4], np.ones(3, np.int32)],
            heads,
            r"a padding mask of shape \[3\] for a batch of",
        ),
        ("MRotaryEmbedding", rotary, {"mrope_section": [1, 1]}, r"three numbers, none negative; it is \[1,1\]"),
        ("MRotaryEmbedding", rotary, {"mrope_section": [1, 1, 0], "mrope_layout": 2}, "must be 0 or 1; it is 2"),
        ("MRotaryEmbedding", rotary, {"mrope_section": [1, 1, 1]}, r"add up to the tables' 2 columns; it is \[1,1,1\]"),
        ("MRotaryEmbedding", rotary, {"mrope_section": [1, 1, 0]}, "position 6 is outside the tables' 6 rows"),
        ("RotaryEmbedding", rotary, {}, r"position_ids of shape \[3,2,1\] must have 2 elements"),
        ("Attention", projected, {"num_heads": 5}, "weights with 24 columns do not split into q, k and v of 5 heads"),
        ("Attention", [*projected, None, past], share, "past_present_share_buffer needs past_sequence_length"),
        (
            "Attention",
            [*projected, None, past, None, three],
            share,
            "past_sequence_length is 3; with 3 new tokens the cache has room for 5",
        ),
        ("Attention", [*projected, None, past[:, :1]], heads, r"past has shape \[2,1,2,5,4\]; \[2,2,2,-1,4\]"),
        ("Attention", projected, {"num_heads": 2, "do_rotary": 1}, "use RotaryEmbedding nodes"),
        ("Attention", projected, {"num_heads": 2, "qkv_hidden_sizes": [8, 4, 12]}, "the first two equal"),
    ]
    for op, inputs, how, text in cases:
        with pytest.raises(onnxlet.Error, match=text):
            run(backend, make_model(op, inputs, domain="com.microsoft", outputs=[np.float32], **how), inputs)
