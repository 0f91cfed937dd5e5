"""Attention operators of ai.onnx against onnx.reference and those of com.microsoft against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conformance.backends import Prepare
from tests.ops.harness import check

MS: dict[str, Any] = {"domain": "com.microsoft", "oracle": "onnxruntime", "rtol": 1e-4, "atol": 1e-5}


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("q_len", [1, 3, 4, 37])
@pytest.mark.parametrize(
    ("heads", "kv_heads", "size", "v_size", "kv_len"),
    [(4, 4, 8, 8, 37), (6, 2, 5, 3, 9), (2, 1, 16, 20, 65)],
)
@pytest.mark.parametrize("causal", [0, 1])
def test_attention(
    backend: Prepare,
    q_len: int,
    heads: int,
    kv_heads: int,
    size: int,
    v_size: int,
    kv_len: int,
    causal: int,
) -> None:
    q, k, v = (
        random(2, heads, q_len, size),
        random(2, kv_heads, kv_len, size, seed=1),
        random(2, kv_heads, kv_len, v_size, seed=2),
    )
    check(backend, "Attention", [q, k, v], is_causal=causal, rtol=1e-4, atol=1e-5)
    packed = [np.ascontiguousarray(x.transpose(0, 2, 1, 3)).reshape(2, x.shape[2], -1) for x in (q, k, v)]
    heads_given: dict[str, Any] = {"q_num_heads": heads, "kv_num_heads": kv_heads}
    check(
        backend,
        "Attention",
        packed,
        is_causal=causal,
        softcap=2.0,
        **heads_given,
        rtol=1e-4,
        atol=1e-5,
    )


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
@pytest.mark.parametrize("boolean", [False, True])
@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("past_len", [0, 6])
def test_attention_with_mask_past_and_scores(
    backend: Prepare, mode: int, boolean: bool, causal: int, past_len: int
) -> None:
    q, k, v = random(2, 4, 5, 8), random(2, 2, 7, 8, seed=1), random(2, 2, 7, 6, seed=2)
    total = past_len + 7
    mask: np.ndarray = random(2, 1, 5, total, seed=3)
    if boolean:
        mask = mask > 0
        mask[0, 0, 2] = False  # a query that sees nothing
    past = [random(2, 2, past_len, 8, seed=4), random(2, 2, past_len, 6, seed=5)] if past_len else [None, None]
    check(
        backend,
        "Attention",
        [q, k, v, mask, *past],
        outputs=4,
        is_causal=causal,
        qk_matmul_output_mode=mode,
        rtol=1e-4,
        atol=1e-5,
    )


@pytest.mark.parametrize("causal", [0, 1])
def test_attention_over_an_external_cache(backend: Prepare, causal: int) -> None:
    q, k, v = (
        random(3, 2, 4, 8),
        random(3, 2, 12, 8, seed=1),
        random(3, 2, 12, 8, seed=2),
    )
    valid = np.array([12, 5, 2], np.int64)
    mask = random(4, 12, seed=3)
    check(
        backend,
        "Attention",
        [q, k, v, mask, None, None, valid],
        is_causal=causal,
        opset=24,
        rtol=1e-4,
        atol=1e-5,
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_attention_types(backend: Prepare, dtype: Any) -> None:
    x = [random(1, 2, 5, 8, seed=i).astype(dtype) for i in range(3)]
    tolerance = 5e-3 if dtype is np.float16 else 1e-5
    check(backend, "Attention", x, is_causal=1, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("dims", [0, 4])
@pytest.mark.parametrize("positions", [False, True])
def test_rotary_embedding(backend: Prepare, interleaved: int, dims: int, positions: bool) -> None:
    half = (dims or 8) // 2
    table = (50, half) if positions else (2, 5, half)
    ids = np.random.default_rng(0).integers(0, 50, (2, 5)) if positions else None
    inputs = [random(2, 3, 5, 8), random(*table, seed=1), random(*table, seed=2), ids]
    check(
        backend,
        "RotaryEmbedding",
        inputs,
        interleaved=interleaved,
        rotary_embedding_dim=dims,
    )
    flat = [random(2, 5, 24), *inputs[1:]]
    check(
        backend,
        "RotaryEmbedding",
        flat,
        interleaved=interleaved,
        rotary_embedding_dim=dims,
        num_heads=3,
    )


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("offset", [False, True])
def test_contrib_rotary_embedding(backend: Prepare, interleaved: int, offset: bool) -> None:
    ids = np.array([3], np.int64) if offset else np.random.default_rng(0).integers(0, 50, (2, 5))
    x, cos, sin = random(2, 5, 24), random(50, 4, seed=1), random(50, 4, seed=2)
    check(backend, "RotaryEmbedding", [x, ids, cos, sin], interleaved=interleaved, **MS)


@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
@pytest.mark.parametrize("past", [False, True])
@pytest.mark.parametrize("per_key", [False, True])
def test_linear_attention(backend: Prepare, rule: str, past: bool, per_key: bool) -> None:
    q, k, v = (
        random(2, 7, 4 * 5),
        random(2, 7, 2 * 5, seed=1) / 3,
        random(2, 7, 2 * 6, seed=2),
    )
    decay = -abs(random(2, 7, 10 if per_key else 2, seed=3)) if "gated" in rule else None
    beta = abs(random(2, 7, 2 if per_key else 1, seed=4)) if "delta" in rule else None
    state = random(2, 2, 5, 6, seed=5) if past else None
    check(
        backend,
        "LinearAttention",
        [q, k, v, state, decay, beta],
        outputs=2,
        opset=27,
        q_num_heads=4,
        kv_num_heads=2,
        update_rule=rule,
        rtol=1e-4,
        atol=1e-5,
    )


@pytest.mark.parametrize("activation", ["none", "silu"])
@pytest.mark.parametrize("length", [1, 2, 9])
@pytest.mark.parametrize("past", [False, True])
def test_causal_conv(backend: Prepare, activation: str, length: int, past: bool) -> None:
    x, w, b = random(2, 3, length), random(3, 1, 4, seed=1), random(3, seed=2)
    state = random(2, 3, 3, seed=3) if past else None
    check(
        backend,
        "CausalConvWithState",
        [x, w, b, state],
        outputs=2,
        opset=27,
        activation=activation,
    )


# ---- com.microsoft ----


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("mask", [None, "lengths", "keys", "pairs"])
@pytest.mark.parametrize("past_len", [0, 4])
def test_multi_head_attention(backend: Prepare, bias: bool, mask: str | None, past_len: int) -> None:
    batch, q_len, kv_len, heads, size = 2, 5, 5, 3, 8
    total = past_len + kv_len
    rng = np.random.default_rng(0)
    padding = {
        None: None,
        "lengths": np.array([total, 3], np.int32),
        "keys": (rng.random((batch, total)) < 0.7).astype(np.int32),
        "pairs": (rng.random((batch, q_len, total)) < 0.7).astype(np.int32),
    }[mask]
    inputs = [
        random(batch, q_len, heads * size),
        random(batch, kv_len, heads * size, seed=1),
        random(batch, kv_len, heads * size, seed=2),
        random(3 * heads * size, seed=3) if bias else None,
        padding,
        random(1, heads, q_len, total, seed=4) if bias else None,
    ]
    if past_len:
        inputs += [
            random(batch, heads, past_len, size, seed=5),
            random(batch, heads, past_len, size, seed=6),
        ]
    outputs = [np.float32] * (3 if past_len else 1)
    check(backend, "MultiHeadAttention", inputs, outputs=outputs, num_heads=heads, **MS)


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


def group_query(
    batch: int,
    q_len: int,
    past: list[int],
    buffer: int,
    packed: bool = False,
    size: int = 16,
) -> list[Any]:
    heads, kv_heads = 4, 2
    total = [p + q_len for p in past]
    if packed:
        qkv = [random(batch, q_len, (heads + 2 * kv_heads) * size), None, None]
    else:
        qkv = [
            random(batch, q_len, heads * size),
            random(batch, q_len, kv_heads * size, seed=1),
            random(batch, q_len, kv_heads * size, seed=2),
        ]
    cache = [
        random(batch, kv_heads, buffer, size, seed=3),
        random(batch, kv_heads, buffer, size, seed=4),
    ]
    lengths = np.array([t - 1 for t in total], np.int32)
    return [*qkv, *cache, lengths, np.array(max(total), np.int32)]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("rotary", [0, 1])
@pytest.mark.parametrize(
    ("q_len", "past", "buffer"),
    [(1, [9, 9], 9), (1, [4, 9], 9), (3, [6], 6), (7, [0, 0], 0), (1, [4, 4], 4)],
)
def test_group_query_attention(
    backend: Prepare,
    packed: bool,
    rotary: int,
    q_len: int,
    past: list[int],
    buffer: int,
) -> None:
    inputs = group_query(len(past), q_len, past, buffer, packed)
    if rotary:
        inputs += [random(64, 8, seed=7), random(64, 8, seed=8)]
    how: dict[str, Any] = {"num_heads": 4, "kv_num_heads": 2, "do_rotary": rotary, **MS}
    check(backend, "GroupQueryAttention", inputs, outputs=[np.float32] * 3, **how)


@pytest.mark.parametrize("window", [-1, 3])
@pytest.mark.parametrize("softcap", [0.0, 5.0])
@pytest.mark.parametrize("smooth", [0, 1])
@pytest.mark.parametrize("q_len", [1, 6])
def test_group_query_attention_options(backend: Prepare, window: int, softcap: float, smooth: int, q_len: int) -> None:
    inputs = group_query(2, q_len, [0, 0] if q_len > 1 else [7, 7], 0 if q_len > 1 else 7)
    check(
        backend,
        "GroupQueryAttention",
        inputs,
        outputs=[np.float32] * 3,
        num_heads=4,
        kv_num_heads=2,
        local_window_size=window,
        softcap=softcap,
        smooth_softmax=smooth or None,
        scale=0.2,
        **MS,
    )


@pytest.mark.parametrize("mask", [None, "lengths", "keys"])
@pytest.mark.parametrize("past_len", [0, 4])
@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("constant", [False, True])
def test_contrib_attention(backend: Prepare, mask: str | None, past_len: int, causal: int, constant: bool) -> None:
    batch, seq, heads, size, hidden = 2, 5, 3, 4, 12
    total = past_len + seq
    padding = {
        None: None,
        "lengths": np.array([total, total - 2], np.int32),
        "keys": (np.random.default_rng(0).random((batch, total)) < 0.7).astype(np.int32),
    }[mask]
    inputs = [
        random(batch, seq, hidden),
        random(hidden, 3 * hidden, seed=1) / 3,
        random(3 * hidden, seed=2),
        padding,
    ]
    if past_len:
        inputs.append(random(2, batch, heads, past_len, size, seed=3))
    check(
        backend,
        "Attention",
        inputs,
        outputs=[np.float32] * (2 if past_len else 1),
        constants=[1] if constant else [],
        num_heads=heads,
        unidirectional=causal,
        **MS,
    )


@pytest.mark.parametrize("per_column", [False, True])
def test_quantized_attention(backend: Prepare, per_column: bool) -> None:
    batch, seq, heads, hidden = 2, 5, 3, 12
    rng = np.random.default_rng(0)
    n = 3 * hidden if per_column else 1
    inputs = [
        rng.integers(0, 255, (batch, seq, hidden), dtype=np.uint8),
        rng.integers(-128, 127, (hidden, 3 * hidden), dtype=np.int8),
        random(3 * hidden),
        np.array(0.02, np.float32),
        (abs(rng.normal(size=n)) * 0.01 + 0.005).astype(np.float32) if per_column else np.array(0.01, np.float32),
        np.array([5, 4], np.int32),
        np.array(120, np.uint8),
        np.zeros(n, np.int8) if per_column else np.array(0, np.int8),
    ]
    check(backend, "QAttention", inputs, outputs=[np.float32], num_heads=heads, **MS)
