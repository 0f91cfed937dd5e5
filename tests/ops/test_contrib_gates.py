"""Gates, biases and scaled activations of com.microsoft: against onnxruntime, or its formula where it has no CPU kernel."""

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

DOMAIN: dict[str, Any] = {"domain": "com.microsoft", "rtol": 1e-5, "atol": 1e-5}
MS: dict[str, Any] = {**DOMAIN, "oracle": "onnxruntime"}
HALF: dict[str, Any] = {**MS, "rtol": 2e-3, "atol": 2e-3}
EXAMPLES = settings(max_examples=20)


def draw_type(d: Draws) -> tuple[Any, dict[str, Any]]:
    """An element type, and how close it must be."""
    return d.one_of((np.float32, MS), (np.float32, MS), (np.float16, HALF))


def draw_shape(data: st.DataObject) -> tuple[int, ...]:
    return data.draw(shapes(min_rank=1, max_rank=4, allow_zero=False))


@given(data=st.data())
@EXAMPLES
def test_gated_rms_norm(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    dtype, how = draw_type(d)
    n, heads, shape = d.one_of(1, 8, 33), d.one_of(1, 3), draw_shape(data)
    x, gate = (d.normal(*shape[:-1], heads * n, dtype=dtype) for _ in range(2))
    attributes = {"activation": d.one_of("silu", "swish", "sigmoid"), "epsilon": d.one_of(None, 1e-2)}
    check(backend, "GatedRMSNorm", [x, d.normal(n, dtype=dtype), gate], outputs=[dtype], **attributes, **how)


@given(data=st.data())
@EXAMPLES
def test_linear_attention_gate(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    dtype, how = draw_type(d)
    batch, seq, heads = d.one_of(1, 2), d.one_of(1, 5), d.one_of(1, 7)
    a, b = d.normal(batch, seq, heads, dtype=dtype), d.maybe(d.normal(batch, seq, heads, dtype=dtype))
    inputs = [a, d.normal(heads), -abs(d.normal(heads)), b]
    check(backend, "LinearAttentionGate", inputs, outputs=[dtype] * (1 if b is None else 2), **how)


@given(data=st.data())
@EXAMPLES
def test_gated_add(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    dtype, how = draw_type(d)
    shape = draw_shape(data)
    inputs = [d.normal(*shape, dtype=dtype), d.normal(*shape, dtype=dtype), d.normal(*shape[:-1], 1, dtype=dtype)]
    check(backend, "GatedAdd", inputs, outputs=[dtype], **how)


@given(data=st.data())
@EXAMPLES
def test_scaled_silu(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    dtype, how = draw_type(d)
    inputs = [3 * d.normal(*draw_shape(data), dtype=dtype), d.maybe(np.array(0.7, dtype))]
    check(backend, "ScaledSiLU", inputs, outputs=[dtype], alpha=d.one_of(None, 1.5), **how)


@given(data=st.data())
@EXAMPLES
def test_swiglu(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    shape = draw_shape(data)
    gate, up = 2 * d.normal(*shape), 2 * d.normal(*shape)
    alpha, beta, limit = d.one_of(1.0, 1.7), d.one_of(0.0, 1.0), d.one_of(0.0, 1.5)
    most = limit or np.inf
    g = np.minimum(gate, most)
    want = g / (1 + np.exp(-alpha * g)) * (np.clip(up, -most, most) + beta)
    inputs = [np.concatenate([gate, up], axis=-1)] if d.one_of(False, True) else [gate, up]
    how = {"activation_alpha": alpha, "activation_beta": beta, "limit": limit}
    check(backend, "SwiGLU", inputs, outputs=[np.float32], oracle=[want], **how, **DOMAIN)


def test_rounding_of_swiglu(backend: Prepare) -> None:
    gate, up = np.random.default_rng(0).normal(size=(2, 5, 33)).astype(np.float16)
    wide = gate.astype(np.float32)
    acted = wide / (1 + np.exp(-wide))
    for rounded, first in [(0, acted), (1, acted.astype(np.float16).astype(np.float32))]:
        want = (first * up.astype(np.float32)).astype(np.float16)
        model = make_model("SwiGLU", [gate, up], domain="com.microsoft", outputs=[np.float16], round_activation=rounded)
        (got,) = run(backend, model, [gate, up])
        assert np.mean(got == want) > 0.97  # a value next to the middle of two may fall either way


@given(data=st.data())
@EXAMPLES
def test_bias_add(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    shape = draw_shape(data)
    x, bias, skip = d.normal(*shape), d.normal(shape[-1]), d.normal(*shape)
    check(backend, "BiasAdd", [x, bias, skip], outputs=[np.float32], oracle=[x + bias + skip], **DOMAIN)


def test_refusals(backend: Prepare) -> None:
    x, c = np.zeros((2, 3, 4), np.float32), np.zeros(3, np.float32)
    cases: list[tuple[str, list[Any], dict[str, Any], str]] = [
        ("GatedRMSNorm", [x, c, x], {}, r"a scale that divides its rows; their shapes are \[2,3,4\] and \[3\]"),
        ("GatedRMSNorm", [x, x[0, 0], x], {"activation": "relu"}, "it is 'relu'"),
        ("LinearAttentionGate", [x, c, c], {}, r"vectors of its last axis' length and b of its shape; got \[3\]"),
        ("GatedAdd", [x, x, x], {}, r"a gate of shape \[2,3,1\]; got \[2,3,4\] and \[2,3,4\]"),
        ("GatedAdd", [x, x, x[..., :1], x[0, 0][:, None]], {}, "with a gate_weight"),
        ("SwiGLU", [x[..., :3]], {}, r"gate of shape \[2,3,3\] alone needs an even last axis"),
        ("SwiGLU", [x, x[0]], {}, r"gate of shape \[2,3,4\] needs up of that shape"),
        ("ScaledSiLU", [x, c], {}, "scale must have exactly one element"),
        ("BiasAdd", [x, c, x], {}, r"a bias of its last axis and a skip of its shape; got \[3\] and \[2,3,4\]"),
    ]
    for op, inputs, how, text in cases:
        model = make_model(op, inputs, domain="com.microsoft", outputs=[np.float32], **how)
        with pytest.raises(onnxlet.Error, match=text):
            run(backend, model, inputs)
    model = make_model("LinearAttentionGate", [c, c, c], domain="com.microsoft", outputs=[np.float32] * 2)
    with pytest.raises(onnxlet.Error, match="the output beta needs the input b"):
        run(backend, model, [c, c, c])
