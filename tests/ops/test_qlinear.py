"""Operators of com.microsoft on 8-bit quantized tensors, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onnxlet
from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model, run
from tests.ops.strategies import arrays, axes, broadcastable, shapes
from tests.ops.test_conv import split, windows

MS: dict[str, Any] = {"domain": "com.microsoft", "oracle": "onnxruntime"}
EXAMPLES = settings(max_examples=30)
INT8S = st.sampled_from([np.uint8, np.int8])


def everything(dtype: Any, shape: tuple[int, ...]) -> st.SearchStrategy[np.ndarray]:
    """Values of the type's whole range."""
    info = np.iinfo(dtype)

    def make(seed: int) -> np.ndarray:
        return np.random.default_rng(seed).integers(info.min, info.max, shape, dtype, endpoint=True)

    return st.integers(0, 2**32 - 1).map(make)


@st.composite
def parameters(draw: st.DrawFn, dtype: Any) -> list[Any]:
    """A scale and a zero point, often 0."""
    scale = np.array(draw(st.sampled_from([0.003, 0.02, 0.05, 0.31])), np.float32)
    info = np.iinfo(dtype)
    return [scale, np.array(draw(st.just(0) | st.integers(int(info.min), int(info.max))), dtype)]


def check_both(backend: Prepare, op: str, inputs: list[Any], zeros: tuple[int, ...], **how: Any) -> None:
    """Against onnxruntime; then once more without the zero points (at `zeros`) that are 0."""
    expected = check(backend, op, inputs, **how, **MS)
    less = [None if i in zeros and v == 0 else v for i, v in enumerate(inputs)]
    if any(v is None for v in less):
        check(backend, op, less, domain="com.microsoft", oracle=expected, rtol=0, atol=0, **how)


@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
@given(data=st.data(), dtype=INT8S)
@EXAMPLES
def test_arithmetic(backend: Prepare, op: str, data: st.DataObject, dtype: Any) -> None:
    left, right = data.draw(broadcastable(2, max_rank=3, allow_zero=False))
    inputs = [
        data.draw(everything(dtype, left)),
        *data.draw(parameters(dtype)),
        data.draw(everything(dtype, right)),
        *data.draw(parameters(dtype)),
        *data.draw(parameters(dtype)),
    ]
    check_both(backend, op, inputs, (2, 5, 7), outputs=[dtype])


@pytest.mark.parametrize("op", ["QLinearLeakyRelu", "QLinearSigmoid"])
@given(data=st.data(), dtype=INT8S, alpha=st.sampled_from([0.0, 0.1, 1.5]))
@EXAMPLES
def test_activations(backend: Prepare, op: str, data: st.DataObject, dtype: Any, alpha: float) -> None:
    x = data.draw(everything(dtype, data.draw(shapes(max_rank=3, allow_zero=False))))
    inputs = [x, *data.draw(parameters(dtype)), *data.draw(parameters(dtype))]
    how = {"alpha": alpha} if op == "QLinearLeakyRelu" else {}
    check_both(backend, op, inputs, (2, 4), outputs=[dtype], **how)


@given(data=st.data(), dtype=INT8S, count=st.integers(1, 4))
@EXAMPLES
def test_concat(backend: Prepare, data: st.DataObject, dtype: Any, count: int) -> None:
    shape = data.draw(shapes(min_rank=1, max_rank=4, allow_zero=False))
    axis = data.draw(axes(len(shape)))
    into = data.draw(parameters(dtype))
    inputs = list(into)
    for _ in range(count):
        part = list(shape)
        part[axis] = data.draw(st.integers(1, 5))
        same = data.draw(st.booleans())
        inputs.append(data.draw(everything(dtype, tuple(part))))
        inputs += into if same else data.draw(parameters(dtype))
    check(backend, "QLinearConcat", inputs, outputs=[dtype], axis=axis, **MS)


@given(data=st.data(), dtype=INT8S)
@EXAMPLES
def test_where(backend: Prepare, data: st.DataObject, dtype: Any) -> None:
    condition, left, right = data.draw(broadcastable(3, max_rank=3, allow_zero=False))
    inputs = [
        data.draw(arrays(np.bool_, st.just(condition))),
        data.draw(everything(dtype, left)),
        *data.draw(parameters(dtype)),
        data.draw(everything(dtype, right)),
        *data.draw(parameters(dtype)),
        *data.draw(parameters(dtype)),
    ]
    check(backend, "QLinearWhere", inputs, outputs=[dtype], **MS)


@given(data=st.data(), dtype=INT8S, opset=st.sampled_from([11, 13]))
@EXAMPLES
def test_softmax(backend: Prepare, data: st.DataObject, dtype: Any, opset: int) -> None:
    shape = data.draw(shapes(min_rank=1, max_rank=4, allow_zero=False))
    inputs = [
        data.draw(everything(dtype, shape)),
        *data.draw(parameters(dtype)),
        np.array(1 / 256, np.float32),
        np.array(np.iinfo(dtype).min, dtype),
    ]
    axis = data.draw(axes(len(shape)))
    check_both(backend, "QLinearSoftmax", inputs, (2,), outputs=[dtype], axis=axis, more={"opset": opset})


@given(data=st.data(), dtype=INT8S, keepdims=st.booleans())
@EXAMPLES
def test_reduce_mean(backend: Prepare, data: st.DataObject, dtype: Any, keepdims: bool) -> None:
    # onnxruntime has no kernel for its operator; its document says: dequantize, take the mean, quantize.
    shape = data.draw(shapes(min_rank=1, max_rank=4, allow_zero=False))
    given_axes = data.draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True))
    x = data.draw(everything(dtype, shape))
    (scale, zero), (to_scale, to_zero) = data.draw(parameters(dtype)), data.draw(parameters(dtype))
    real = (x.astype(np.float64) - int(zero)) * scale
    mean = real.mean(axis=tuple(given_axes), keepdims=keepdims)
    info = np.iinfo(dtype)
    want = np.clip(np.round(mean / to_scale) + int(to_zero), info.min, info.max).astype(dtype)
    check(
        backend,
        "QLinearReduceMean",
        [x, scale, zero, to_scale, to_zero],
        outputs=[dtype],
        axes=given_axes,
        keepdims=int(keepdims),
        domain="com.microsoft",
        oracle=[want],
    )


@given(window=windows(max_rank=2, dilated=False, automatic=False), data=st.data(), dtype=INT8S, last=st.booleans())
@EXAMPLES
def test_average_pool(backend: Prepare, window: dict[str, Any], data: st.DataObject, dtype: Any, last: bool) -> None:
    size, attributes = split(window)
    batch, channels = data.draw(st.integers(1, 2)), data.draw(st.integers(1, 5))
    shape = (batch, *size, channels) if last else (batch, channels, *size)
    inputs = [data.draw(everything(dtype, shape)), *data.draw(parameters(dtype)), *data.draw(parameters(dtype))]
    attributes["count_include_pad"] = data.draw(st.integers(0, 1))
    check_both(backend, "QLinearAveragePool", inputs, (2, 4), outputs=[dtype], channels_last=int(last), **attributes)


@given(data=st.data(), dtype=INT8S, last=st.booleans())
@EXAMPLES
def test_global_average_pool(backend: Prepare, data: st.DataObject, dtype: Any, last: bool) -> None:
    shape = data.draw(shapes(min_rank=3, max_rank=4, allow_zero=False))
    inputs = [data.draw(everything(dtype, shape)), *data.draw(parameters(dtype)), *data.draw(parameters(dtype))]
    check(backend, "QLinearGlobalAveragePool", inputs, outputs=[dtype], channels_last=int(last), **MS)


@given(window=windows(max_rank=3), data=st.data(), dtype=INT8S)
@EXAMPLES
def test_nhwc_max_pool(backend: Prepare, window: dict[str, Any], data: st.DataObject, dtype: Any) -> None:
    size, attributes = split(window)
    x = data.draw(everything(dtype, (data.draw(st.integers(1, 2)), *size, data.draw(st.integers(1, 5)))))
    check(backend, "NhwcMaxPool", [x], outputs=[dtype], **attributes, **MS)


def test_refusals(backend: Prepare) -> None:
    x, s, z = np.zeros((2, 3), np.uint8), np.array(1, np.float32), np.array(0, np.uint8)
    cases: list[tuple[str, list[Any], dict[str, Any], str]] = [
        ("QLinearConcat", [s, z, x, s, z, x], {"axis": 0}, "every tensor needs a scale and a zero point behind it"),
        ("QLinearConcat", [s, z, x, s, z, x[:, :2], s, z], {"axis": 0}, "may differ only along axis 0"),
        ("QLinearWhere", [np.ones((2, 2), bool), x, s, z, x, s, z, s, z], {}, "broadcast"),
        ("QLinearAdd", [x, s, z, x[:, :2], s, z, s, z], {}, "broadcast"),
        ("QLinearLeakyRelu", [x, np.ones(2, np.float32), z, s, z], {}, "scale"),
    ]
    for op, inputs, how, text in cases:
        with pytest.raises(onnxlet.Error, match=text):
            run(backend, make_model(op, inputs, domain="com.microsoft", outputs=[np.uint8], **how), inputs)
    with pytest.raises(onnxlet.Error, match="the table needs 256 elements"):
        run(backend, make_model("ByteTable", [x, x], domain="onnxlet", outputs=[np.uint8]), [x, x])
