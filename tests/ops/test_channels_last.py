"""Convolutions of com.microsoft on [N, space..., C], against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import onnxlet
from tests.conformance.backends import BACKENDS, Prepare
from tests.ops.harness import check, make_model, run
from tests.ops.test_conv import numbers, split, windows
from tests.support.oracle import within_oracle

EXAMPLES = settings(max_examples=25)


def last(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.moveaxis(x, 1, -1))


def sizes(data: st.DataObject, window: dict[str, Any]) -> tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]:
    """Shapes of X [N, C, space...] and W, and the attributes."""
    size, attributes = split(window)
    group, per_group = data.draw(st.sampled_from([1, 1, 2, 3])), data.draw(st.integers(1, 3))
    out = group * data.draw(st.integers(1, 3))
    kernel = attributes["kernel_shape"]
    assume(all(n + 8 >= k for n, k in zip(size, kernel, strict=True)))
    attributes["group"] = group
    return (data.draw(st.integers(1, 2)), group * per_group, *size), (out, per_group, *kernel), attributes


# onnxruntime's CPU kernels know Conv and FusedConv: they get the same tensors with the channels in front.
@given(window=windows(max_rank=3), data=st.data(), bias=st.booleans())
@EXAMPLES
def test_nhwc_conv(backend: Prepare, window: dict[str, Any], data: st.DataObject, bias: bool) -> None:
    x_shape, w_shape, attributes = sizes(data, window)
    x, w, b = numbers(x_shape), numbers(w_shape, seed=1), numbers(w_shape[:1], seed=2) if bias else None
    (want,) = run(BACKENDS["onnxruntime"](), make_model("Conv", [x, w, b], **attributes), [x, w, b])
    how: dict[str, Any] = {"domain": "com.microsoft", "outputs": [np.float32], "rtol": 1e-4, "atol": 1e-4}
    constants = [1] if data.draw(st.booleans()) else []
    check(backend, "NhwcConv", [last(x), w, b], oracle=[last(want)], constants=constants, **how, **attributes)


@pytest.mark.parametrize("activation", ["Relu", "Sigmoid", "LeakyRelu", "Clip"])
@pytest.mark.parametrize("summed", [False, True])
def test_nhwc_fused_conv(backend: Prepare, activation: str, summed: bool) -> None:
    x, w, b = numbers((2, 4, 9, 10)), numbers((8, 2, 3, 3), seed=1), numbers((8,), seed=2)
    z = numbers((2, 8, 9, 10), seed=3) if summed else None
    params = {"LeakyRelu": [0.2], "Clip": [-0.5, 0.75]}.get(activation)
    how: dict[str, Any] = {"group": 2, "pads": [1] * 4, "activation": activation, "activation_params": params}
    model = make_model("FusedConv", [x, w, b, z], domain="com.microsoft", **how)
    (want,) = run(BACKENDS["onnxruntime"](), model, [x, w, b, z])
    inputs = [last(x), w, b, None if z is None else last(z)]
    how |= {"domain": "com.microsoft", "outputs": [np.float32], "atol": 1e-4, "rtol": 1e-4}
    check(backend, "NhwcFusedConv", inputs, oracle=[last(want)], constants=[1], **how)


@given(window=windows(max_rank=2), data=st.data(), channels_last=st.booleans())
@EXAMPLES
def test_qlinear_conv(backend: Prepare, window: dict[str, Any], data: st.DataObject, channels_last: bool) -> None:
    x_shape, w_shape, attributes = sizes(data, window)
    x_type, w_type = data.draw(st.sampled_from([(np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8)]))
    x, w = numbers(x_shape, x_type), within_oracle(numbers(w_shape, w_type, seed=1))
    inputs = [
        last(x) if channels_last else x,
        np.array(0.1, np.float32),
        np.array(7, x_type),
        w,
        np.linspace(0.01, 0.05, w_shape[0], dtype=np.float32),
        np.zeros(w_shape[0], w_type),
        np.array(2.5, np.float32),
        np.array(3, x_type),
        numbers(w_shape[:1], np.int32, seed=2) // 2**22,
    ]
    how = {"domain": "com.microsoft", "outputs": [x_type], "channels_last": int(channels_last), **attributes}
    constants = [3] if data.draw(st.booleans()) else []
    check(backend, "QLinearConv", inputs, oracle="onnxruntime", constants=constants, **how)


@pytest.mark.parametrize("summed", [False, True])
def test_fused_conv_in_double(backend: Prepare, summed: bool) -> None:
    # onnxruntime has no kernel for double: the activation follows the reference's Conv.
    x, w, z = (numbers(s, np.float64, seed=i) for i, s in enumerate([(1, 4, 6, 7), (5, 4, 3, 3), (1, 5, 4, 5)]))
    (product,) = run(BACKENDS["reference"](), make_model("Conv", [x, w]), [x, w])
    total = product + z if summed else product
    for activation, want in [("Relu", np.maximum(total, 0)), ("Tanh", np.tanh(total))]:
        inputs = [x, w, None, z if summed else None]
        how: dict[str, Any] = {"domain": "com.microsoft", "outputs": [np.float64], "activation": activation}
        check(backend, "FusedConv", inputs, oracle=[want], **how)
    with pytest.raises(onnxlet.Error, match=r"shapes \[1,5,4,5\] and \[1,4,6,7\] do not broadcast"):
        inputs = [x, w, None, x]
        run(backend, make_model("FusedConv", inputs, domain="com.microsoft", outputs=[np.float64]), inputs)


def test_refusals(backend: Prepare) -> None:
    x, w = numbers((2, 3)), numbers((4, 3, 1))
    with pytest.raises(onnxlet.Error, match=r"X and W must have the same rank, at least 3; got \[2,3\] and \[4,3,1\]"):
        run(backend, make_model("NhwcConv", [x, w], domain="com.microsoft", outputs=[np.float32]), [x, w])
