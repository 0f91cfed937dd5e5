"""Convolutions, pools and channel normalizations against onnxruntime or onnx.reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.conformance.backends import BACKENDS, Prepare
from tests.ops.harness import check, make_model, run
from tests.support.oracle import within_oracle

EXAMPLES = settings(max_examples=60, deadline=None, print_blob=True)


def numbers(shape: tuple[int, ...], dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, endpoint=True, dtype=dtype)
    return rng.standard_normal(shape).astype(dtype)


@st.composite
def windows(
    draw: st.DrawFn, max_rank: int = 3, dilated: bool = True, min_rank: int = 1, automatic: bool = True
) -> dict[str, Any]:
    """Spatial sizes and attributes of a window that fits."""
    rank = draw(st.integers(min_rank, max_rank))
    largest = {1: 70, 2: 20, 3: 7}[rank]

    def each(strategy: st.SearchStrategy[int]) -> list[int]:
        return [draw(strategy) for _ in range(rank)]

    window: dict[str, Any] = {
        "in": each(st.integers(1, largest)),
        "kernel_shape": each(st.integers(1, 5)),
        "strides": each(st.integers(1, 3)),
    }
    if dilated and draw(st.booleans()):
        window["dilations"] = each(st.integers(1, 2))
    dilations = window.get("dilations", [1] * rank)
    # onnxruntime refuses dilations together with SAME_*.
    modes = (
        ["NOTSET", "NOTSET", "VALID"]
        if "dilations" in window
        else ["NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"]
    )
    mode = draw(st.sampled_from(modes if automatic else ["NOTSET"]))
    if mode == "NOTSET":
        window["pads"] = [draw(st.integers(0, k - 1)) for k in window["kernel_shape"] * 2]
    else:
        window["auto_pad"] = mode
        # Where the kernel is much smaller than the stride the formula's padding is negative, and runtimes disagree.
        assume(
            mode == "VALID" or all(k + 1 >= s for k, s in zip(window["kernel_shape"], window["strides"], strict=True))
        )
    pads = window.get("pads", [0] * rank * 2)
    for d in range(rank):
        reach = (window["kernel_shape"][d] - 1) * dilations[d] + 1
        assume(window["in"][d] + pads[d] + pads[rank + d] >= reach)
    return window


def split(window: dict[str, Any]) -> tuple[list[int], dict[str, Any]]:
    return window["in"], {k: v for k, v in window.items() if k != "in"}


@given(
    window=windows(),
    batch=st.integers(1, 2),
    groups=st.sampled_from([1, 1, 2, 3]),
    cg=st.integers(1, 5),
    mg=st.integers(1, 9),
    constant=st.booleans(),
)
@EXAMPLES
def test_conv(
    backend: Prepare, window: dict[str, Any], batch: int, groups: int, cg: int, mg: int, constant: bool
) -> None:
    size, attributes = split(window)
    x = numbers((batch, groups * cg, *size))
    w = numbers((groups * mg, cg, *attributes["kernel_shape"]), seed=1)
    b = numbers((groups * mg,), seed=2)
    check(
        backend,
        "Conv",
        [x, w, b],
        oracle="onnxruntime",
        constants=(1, 2) if constant else (),
        group=groups,
        opset=11,
        atol=1e-4,
        **attributes,
    )


@given(window=windows(dilated=False, max_rank=2), channels=st.integers(2, 9), multiplier=st.integers(1, 2))
@EXAMPLES
def test_conv_depthwise(backend: Prepare, window: dict[str, Any], channels: int, multiplier: int) -> None:
    size, attributes = split(window)
    x = numbers((2, channels, *size))
    w = numbers((channels * multiplier, 1, *attributes["kernel_shape"]), seed=1)
    check(
        backend, "Conv", [x, w], oracle="onnxruntime", constants=(1,), group=channels, opset=11, atol=1e-4, **attributes
    )


@pytest.mark.parametrize(
    ("channels", "out", "size", "kernel", "stride"),
    [
        (64, 64, 28, 3, 1),
        (64, 72, 29, 3, 2),
        (3, 32, 64, 7, 2),
        (256, 40, 14, 1, 1),
        (130, 300, 7, 3, 1),
        (16, 600, 5, 1, 2),
    ],
)
def test_conv_large(backend: Prepare, channels: int, out: int, size: int, kernel: int, stride: int) -> None:
    x, w = numbers((1, channels, size, size + 1)), numbers((out, channels, kernel, kernel), seed=1)
    pad = kernel // 2
    check(
        backend,
        "Conv",
        [x, w],
        oracle="onnxruntime",
        constants=(1,),
        strides=[stride] * 2,
        pads=[pad] * 4,
        opset=11,
        rtol=1e-4,
        atol=2e-3,
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float16])
@pytest.mark.parametrize("op", ["Conv", "ConvTranspose"])
@pytest.mark.parametrize("groups", [1, 2])
def test_conv_other_types(backend: Prepare, op: str, dtype: Any, groups: int) -> None:
    inputs = [
        numbers((2, 4, 7, 9)),
        numbers((6, 4 // groups, 3, 2) if op == "Conv" else (4, 6 // groups, 3, 2), seed=1),
        numbers((6,), seed=2),
    ]
    inputs = [value.astype(np.float16).astype(np.float32) for value in inputs]
    how: dict[str, Any] = {"group": groups, "pads": [1, 0, 2, 1], "strides": [2, 1], "opset": 11}
    model = make_model(op, inputs, **how)
    expected = run(BACKENDS["onnxruntime"](), model, inputs)[0]
    tolerance = 1e-2 if dtype == np.float16 else 1e-4
    cast = [value.astype(dtype) for value in inputs]
    check(backend, op, cast, oracle=[expected.astype(dtype)], outputs=[dtype], rtol=tolerance, atol=tolerance, **how)


@given(
    window=windows(),
    groups=st.sampled_from([1, 1, 2]),
    cg=st.integers(1, 4),
    mg=st.integers(1, 9),
    padding=st.booleans(),
    constant=st.booleans(),
)
@EXAMPLES
def test_conv_transpose(
    backend: Prepare, window: dict[str, Any], groups: int, cg: int, mg: int, padding: bool, constant: bool
) -> None:
    size, attributes = split(window)
    assume(attributes.get("auto_pad") not in ("SAME_UPPER", "SAME_LOWER"))
    if padding:
        attributes["output_padding"] = [s - 1 for s in attributes["strides"]]
    rank = len(size)
    pads, dilations, extra = (
        attributes.get("pads", [0] * rank * 2),
        attributes.get("dilations", [1] * rank),
        attributes.get("output_padding", [0] * rank),
    )
    for d in range(rank):
        full = (
            (size[d] - 1) * attributes["strides"][d] + extra[d] + (attributes["kernel_shape"][d] - 1) * dilations[d] + 1
        )
        assume(full - pads[d] - pads[rank + d] > 0)
    x = numbers((2, groups * cg, *size))
    w = numbers((groups * cg, mg, *attributes["kernel_shape"]), seed=1)
    b = numbers((groups * mg,), seed=2)
    check(
        backend,
        "ConvTranspose",
        [x, w, b],
        oracle="onnxruntime",
        constants=(1,) if constant else (),
        group=groups,
        opset=11,
        atol=1e-4,
        **attributes,
    )


@pytest.mark.parametrize("auto_pad", ["NOTSET", "SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize("output_shape", [None, [10, 8], [11, 9]])
def test_conv_transpose_output_shape(backend: Prepare, auto_pad: str, output_shape: list[int] | None) -> None:
    if auto_pad == "NOTSET" and output_shape is None:
        pytest.skip("nothing to derive")
    x, w = numbers((1, 2, 5, 4)), numbers((2, 3, 3, 3), seed=1)
    check(
        backend,
        "ConvTranspose",
        [x, w],
        oracle="onnxruntime",
        auto_pad=auto_pad,
        output_shape=output_shape,
        strides=[2, 2],
        opset=11,
        atol=1e-4,
    )


@given(
    window=windows(max_rank=2),
    groups=st.sampled_from([1, 1, 2, 4]),
    cg=st.integers(1, 5),
    mg=st.integers(1, 9),
    types=st.sampled_from([(np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8)]),
    per_channel=st.booleans(),
)
@EXAMPLES
def test_qlinear_conv(
    backend: Prepare, window: dict[str, Any], groups: int, cg: int, mg: int, types: Any, per_channel: bool
) -> None:
    size, attributes = split(window)
    m = groups * mg
    x = numbers((2, groups * cg, *size), types[0])
    w = within_oracle(numbers((m, cg, *attributes["kernel_shape"]), types[1], 1))
    w_scale = np.linspace(0.002, 0.01, m, dtype=np.float32) if per_channel else np.array(0.005, np.float32)
    w_zero = np.zeros(m, types[1]) if per_channel else np.array(3 if types[1] == np.uint8 else 0, types[1])
    x_zero, y_zero = np.array(100, types[0]), np.array(20, types[0])
    bias = numbers((m,), np.int16, 2).astype(np.int32)
    inputs = [x, np.array(0.05, np.float32), x_zero, w, w_scale, w_zero, np.array(0.2, np.float32), y_zero, bias]
    check(
        backend,
        "QLinearConv",
        inputs,
        oracle="onnxruntime",
        outputs=[types[0]],
        constants=(3, 4, 5, 8),
        group=groups,
        opset=10,
        atol=1,
        **attributes,
    )


@given(
    window=windows(max_rank=2),
    cg=st.integers(1, 5),
    m=st.integers(1, 9),
    w_type=st.sampled_from([np.uint8, np.int8]),
    constant=st.booleans(),
)
@EXAMPLES
def test_conv_integer(backend: Prepare, window: dict[str, Any], cg: int, m: int, w_type: Any, constant: bool) -> None:
    size, attributes = split(window)
    x, w = numbers((2, cg, *size), np.uint8), numbers((m, cg, *attributes["kernel_shape"]), w_type, 1)
    inputs = [x, w, np.array(117, np.uint8), np.array(5, w_type)]
    check(
        backend,
        "ConvInteger",
        inputs,
        oracle="onnxruntime",
        outputs=[np.int32],
        constants=(1, 3) if constant else (),
        opset=10,
        **attributes,
    )


@given(
    window=windows(),
    ceil_mode=st.booleans(),
    indices=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64, np.uint8, np.int8]),
)
@EXAMPLES
def test_max_pool(backend: Prepare, window: dict[str, Any], ceil_mode: bool, indices: bool, dtype: Any) -> None:
    size, attributes = split(window)
    assume(not (ceil_mode and "auto_pad" in attributes))
    x = numbers((2, 3, *size), dtype)
    outputs = [dtype, np.int64] if indices else [dtype]
    check(
        backend, "MaxPool", [x], oracle="onnxruntime", outputs=outputs, ceil_mode=int(ceil_mode), opset=12, **attributes
    )


@given(window=windows(dilated=False), ceil_mode=st.booleans(), include=st.booleans())
@EXAMPLES
def test_average_pool(backend: Prepare, window: dict[str, Any], ceil_mode: bool, include: bool) -> None:
    size, attributes = split(window)
    assume(not (ceil_mode and "auto_pad" in attributes))
    x = numbers((2, 3, *size))
    check(
        backend,
        "AveragePool",
        [x],
        oracle="onnxruntime",
        ceil_mode=int(ceil_mode),
        count_include_pad=int(include),
        opset=19,
        **attributes,
    )


@given(window=windows(), p=st.sampled_from([1, 2, 3]))
@EXAMPLES
def test_lp_pool(backend: Prepare, window: dict[str, Any], p: int) -> None:
    size, attributes = split(window)
    check(
        backend,
        "LpPool",
        [numbers((2, 3, *size))],
        oracle="onnxruntime",
        p=p,
        opset=18,
        atol=1e-5,
        rtol=1e-4,
        **attributes,
    )


@pytest.mark.parametrize("op", ["GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"])
@pytest.mark.parametrize("shape", [(2, 3, 5), (2, 3, 7, 9), (1, 5, 3, 4, 5), (1, 1, 100, 101), (1, 2, 1, 1)])
def test_global_pool(backend: Prepare, op: str, shape: tuple[int, ...]) -> None:
    check(backend, op, [numbers(shape)], oracle="onnxruntime", opset=7, rtol=1e-4)


@pytest.mark.parametrize("channels_last", [0, 1])
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_quantized_pools(backend: Prepare, channels_last: int, dtype: Any) -> None:
    x = numbers((2, 9, 8, 5) if channels_last else (2, 5, 9, 8), dtype)
    scales = [np.array(0.1, np.float32), np.array(3, dtype), np.array(0.08, np.float32), np.array(5, dtype)]
    how: dict[str, Any] = {"oracle": "onnxruntime", "domain": "com.microsoft", "outputs": [dtype], "atol": 1}
    check(backend, "QLinearGlobalAveragePool", [x, *scales], channels_last=channels_last, **how)
    pads = {"pads": [1, 0, 1, 1], "kernel_shape": [3, 2], "strides": [2, 1]}
    check(backend, "QLinearAveragePool", [x, *scales], channels_last=channels_last, **how, **pads)
    if channels_last:
        check(backend, "NhwcMaxPool", [x], **how, **pads)


@pytest.mark.parametrize("activation", ["Relu", "Sigmoid", "Tanh", "LeakyRelu", "Clip", "HardSigmoid", None])
@pytest.mark.parametrize("group", [1, 4])
def test_fused_conv(backend: Prepare, activation: str | None, group: int) -> None:
    x, w, b, z = (
        numbers((1, 4, 9, 10)),
        numbers((8, 4 // group, 3, 3), seed=1),
        numbers((8,), seed=2),
        numbers((1, 8, 9, 10), seed=3),
    )
    params = {"LeakyRelu": [0.2], "Clip": [-0.5, 0.75], "HardSigmoid": [0.3, 0.4]}.get(activation or "")
    how = {
        "activation": activation,
        "activation_params": params,
        "group": group,
        "pads": [1] * 4,
        "domain": "com.microsoft",
        "atol": 1e-4,
    }
    check(backend, "FusedConv", [x, w, b], oracle="onnxruntime", constants=(1,), **how)
    if activation is not None:
        check(backend, "FusedConv", [x, w, b, z], oracle="onnxruntime", constants=(1,), **how)


@pytest.mark.parametrize("opset", [7, 9, 14, 15])
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (2, 3, 7), (4, 3), (2, 3, 2, 3, 4)])
def test_batch_normalization(backend: Prepare, opset: int, shape: tuple[int, ...]) -> None:
    x, channels = numbers(shape), shape[1]
    inputs = [x, *(numbers((channels,), seed=i) for i in (1, 2, 3)), np.abs(numbers((channels,), seed=4))]
    check(backend, "BatchNormalization", inputs, oracle="onnxruntime", opset=opset, epsilon=1e-3, atol=1e-5)


def test_batch_normalization_per_activation(backend: Prepare) -> None:
    x = numbers((5, 3, 2, 4))
    inputs = [x, *(numbers((3, 2, 4), seed=i) for i in (1, 2, 3)), np.abs(numbers((3, 2, 4), seed=4))]
    expected = (x - inputs[3]) / np.sqrt(inputs[4] + 1e-5) * inputs[1] + inputs[2]
    check(backend, "BatchNormalization", inputs, oracle=[expected], opset=7, spatial=0, atol=1e-5)


@pytest.mark.parametrize("outputs", [1, 3])
def test_batch_normalization_training(backend: Prepare, outputs: int) -> None:
    inputs = [numbers((4, 3, 5)), *(numbers((3,), seed=i) for i in (1, 2, 3)), np.abs(numbers((3,), seed=4))]
    check(backend, "BatchNormalization", inputs, outputs=outputs, opset=15, training_mode=1, momentum=0.7, atol=1e-5)


@pytest.mark.parametrize("shape", [(2, 3, 5), (2, 3, 7, 9), (1, 2, 64, 65)])
def test_instance_normalization(backend: Prepare, shape: tuple[int, ...]) -> None:
    inputs = [numbers(shape) + 3, numbers((shape[1],), seed=1), numbers((shape[1],), seed=2)]
    check(backend, "InstanceNormalization", inputs, oracle="onnxruntime", opset=6, atol=1e-5)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("beta", [0.75, 0.5, 1.0, 0.6])
def test_lrn(backend: Prepare, size: int, beta: float) -> None:
    x = numbers((2, 7, 3, 4))
    squares = np.zeros_like(x)
    for c in range(7):
        squares[:, c] = np.sum(x[:, max(0, c - (size - 1) // 2) : c + size // 2 + 1] ** 2, axis=1)
    expected = x / (1.5 + 0.2 / size * squares) ** beta
    check(backend, "LRN", [x], oracle=[expected], size=size, alpha=0.2, beta=beta, bias=1.5, opset=13)


@given(
    window=windows(max_rank=2, min_rank=2, automatic=False),
    groups=st.sampled_from([1, 2]),
    offset_groups=st.sampled_from([1, 2]),
    mask=st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_deform_conv(backend: Prepare, window: dict[str, Any], groups: int, offset_groups: int, mask: bool) -> None:
    size, attributes = split(window)
    size = [min(max(n, 2), 8) for n in size]
    assume(
        all(
            n >= (kn - 1) * dn + 1
            for n, kn, dn in zip(size, attributes["kernel_shape"], attributes.get("dilations", [1, 1]), strict=True)
        )
    )
    k, s, d, p = (attributes.get(n, [1, 1]) for n in ("kernel_shape", "strides", "dilations", "pads"))
    out = [(size[i] + p[i] + p[2 + i] - (k[i] - 1) * d[i] - 1) // s[i] + 1 for i in range(2)]
    taps = k[0] * k[1]
    x, w = numbers((2, 4, *size)), numbers((4, 4 // groups, *k), seed=1)
    inputs = [x, w, numbers((2, offset_groups * taps * 2, *out), seed=2), numbers((4,), seed=3)]
    if mask:
        inputs.append(numbers((2, offset_groups * taps, *out), seed=4))
    check(
        backend,
        "DeformConv",
        inputs,
        opset=19,
        group=groups,
        offset_group=offset_groups,
        atol=1e-4,
        rtol=1e-4,
        **attributes,
    )
