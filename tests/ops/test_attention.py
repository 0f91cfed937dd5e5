"""Attention operators of ai.onnx against onnx.reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conformance.backends import Prepare
from tests.ops.harness import check


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
