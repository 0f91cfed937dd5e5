"""LinearAttention and CausalConvWithState of com.microsoft against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onnxlet
from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model, run
from tests.ops.test_contrib_attention import Draws

MS: dict[str, Any] = {"domain": "com.microsoft", "oracle": "onnxruntime", "rtol": 1e-4, "atol": 1e-5}


@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
@given(data=st.data())
@settings(max_examples=25)
def test_linear_attention(backend: Prepare, rule: str, data: st.DataObject) -> None:
    d = Draws(data)
    batch, seq, d_k, d_v = d.one_of(1, 2), d.one_of(1, 3, 9), d.one_of(1, 4, 7), d.one_of(1, 5, 8)
    q_heads, heads = d.one_of((1, 1), (4, 2), (3, 3), (2, 4), (1, 3))
    inputs = [
        d.normal(batch, seq, q_heads * d_k),
        d.normal(batch, seq, heads * d_k) / 3,
        d.normal(batch, seq, heads * d_v),
        d.maybe(d.normal(batch, heads, d_k, d_v)),
        -abs(d.normal(batch, seq, heads * d.one_of(1, d_k))) if "gated" in rule else None,
        abs(d.normal(batch, seq, d.one_of(1, heads))) if "delta" in rule else None,
    ]
    how = {"q_num_heads": q_heads, "kv_num_heads": heads, "update_rule": rule, "scale": d.one_of(None, 0.3)}
    check(backend, "LinearAttention", inputs, outputs=[np.float32] * 2, chunk_size=d.one_of(None, 2), **how, **MS)


@given(data=st.data())
@settings(max_examples=25)
def test_causal_conv(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    batch, length, taps, dilation = d.one_of(1, 2), d.one_of(1, 2, 9), d.one_of(1, 3, 4), d.one_of(1, 1, 2, 3)
    last = d.one_of(False, True)
    trailing = d.one_of((3,), (2, 3), (2, 1, 3)) if last else (d.one_of(1, 5),)
    channels, state = int(np.prod(trailing)), (taps - 1) * dilation

    def shape(n: int) -> tuple[int, ...]:
        return (batch, n, *trailing) if last else (batch, *trailing, n)

    inputs = [
        d.normal(*shape(length)),
        d.normal(channels, 1, taps),
        d.maybe(d.normal(channels)),
        d.maybe(d.normal(*shape(state))),
    ]
    how = {"activation": d.one_of("none", "silu", "swish"), "dilation": dilation, "channels_last": int(last)}
    check(backend, "CausalConvWithState", inputs, outputs=[np.float32] * 2, **how, **MS)


def test_refusals(backend: Prepare) -> None:
    def zeros(*shape: int) -> np.ndarray:
        return np.zeros(shape, np.float32)

    heads = {"q_num_heads": 4, "kv_num_heads": 2}
    q, k, v, decay = zeros(1, 3, 8), zeros(1, 3, 4), zeros(1, 3, 6), zeros(1, 3, 2)
    x, w = zeros(1, 3, 5), zeros(3, 1, 4)
    cases: list[tuple[str, list[Any], dict[str, Any], str]] = [
        ("LinearAttention", [q, k, v], {**heads, "update_rule": "none"}, "it is 'none'"),
        ("LinearAttention", [q, k, v], {"q_num_heads": 3, "kv_num_heads": 2}, "divide one another; they are 3 and 2"),
        ("LinearAttention", [q, k[:, :2], v], heads, "do not fit 4 query and 2 key/value heads"),
        ("LinearAttention", [q, k, v], {**heads, "update_rule": "gated"}, "needs decay and takes no beta"),
        ("LinearAttention", [q, k, v], {**heads, "update_rule": "delta"}, "takes no decay and needs beta"),
        (
            "LinearAttention",
            [q, k, v, None, decay[..., :1], decay],
            heads,
            r"decay of shape \[1,3,1\] must have 2 or 4 values per token",
        ),
        ("LinearAttention", [q, k, v, None, decay, v], heads, r"beta of shape \[1,3,6\] must have 2 or 1 values"),
        ("LinearAttention", [q, k, v, zeros(1, 2, 2, 2), decay, decay], heads, r"\[1,2,2,3\] is expected"),
        ("LinearAttention", [q, k, v], {**heads, "state_window": 2}, "with a state_window"),
        ("CausalConvWithState", [x, w], {"activation": "relu"}, "activation must be silu, swish or none; it is 'relu'"),
        ("CausalConvWithState", [x, w], {"ndim": 2}, "in 2 dimensions"),
        ("CausalConvWithState", [x, w], {"state_window": 2}, "with a state_window"),
        ("CausalConvWithState", [x, w], {"dilation": 0}, "dilation must be positive; it is 0"),
        ("CausalConvWithState", [x, w[:2]], {}, r"needs a weight of shape \[channels, 1, taps\]; it has \[2,1,4\]"),
        ("CausalConvWithState", [x, w, zeros(2)], {}, r"bias has shape \[2\]; there are 3 channels"),
        ("CausalConvWithState", [x, w, None, x], {"dilation": 2}, r"past_state has shape \[1,3,5\]; \[1,3,6\]"),
    ]
    for op, inputs, how, text in cases:
        model = make_model(op, inputs, domain="com.microsoft", outputs=[np.float32] * 2, **how)
        with pytest.raises(onnxlet.Error, match=text):
            run(backend, model, inputs)
