"""16-bit and quantized models: PyTorch's own, and what onnxruntime's tools make of an exported one.

PyTorch has no numbers for what onnxruntime's tools write: there onnxruntime's are the expected ones.
"""

from __future__ import annotations

import functools
import io
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

torch = pytest.importorskip("torch")

from onnxruntime import quantization  # noqa: E402
from torch import nn  # noqa: E402

from tests.interop.harness import Open, Run, check, open_onnxruntime  # noqa: E402
from tests.interop.test_torch import DYNAMO, SCRIPT, export, prepared, quiet  # noqa: E402
from tests.interop.torch_cases.registry import CASES, Case, Inputs, normal  # noqa: E402

Made = tuple[bytes, list[Run]]


def parts(value: Any) -> list[np.ndarray]:
    values = value if isinstance(value, (list, tuple)) else [value]
    return [v.to(torch.float32).numpy() if v.dtype == torch.bfloat16 else v.numpy() for v in values]


# ---- 16 bits


def half(name: str, exporter: str, dtype: Any, version: int = 18) -> Callable[[], Made]:
    """The case with weights and inputs of 16 bits; PyTorch adds up in float, as onnxlet does."""

    def cast(x: Any) -> Any:
        return x.to(dtype) if x.is_floating_point() else x

    def make() -> Made:
        case = CASES[name]
        module = prepared(case).to(dtype)
        given = [tuple(map(cast, inputs)) for inputs in case.fitting(exporter)]
        feeds = [{f"x{i}": numpy_of(x) for i, x in enumerate(inputs)} for inputs in given]
        runs = [
            Run(feed, [numpy_of(y) for y in tensors(module(*inputs))], rtol=2e-2, atol=2e-2)
            for feed, inputs in zip(feeds, given, strict=True)
        ]
        return export(exporter, case, module, given[0], version), runs

    return make


def tensors(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else [value]


def numpy_of(x: Any) -> np.ndarray:
    if x.dtype == torch.bfloat16:
        import ml_dtypes

        return x.to(torch.float32).numpy().astype(ml_dtypes.bfloat16)
    return np.asarray(x.numpy())


# ---- quantization known to PyTorch: it computes the rounded values in float


class FakeQuantized(nn.Module):
    def __init__(self, per_channel: bool) -> None:
        super().__init__()
        self.per_channel, self.conv = per_channel, nn.Conv2d(3, 5, 3, padding=1)
        self.register_buffer("scales", torch.rand(5) * 0.01 + 0.002)
        self.register_buffer("zeros", torch.zeros(5, dtype=torch.int32))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.fake_quantize_per_tensor_affine(x, 0.03, 120, 0, 255)
        w = self.conv.weight
        if self.per_channel:
            w = torch.fake_quantize_per_channel_affine(w, self.scales, self.zeros, 0, -128, 127)
        else:
            w = torch.fake_quantize_per_tensor_affine(w, 0.004, 0, -128, 127)
        y = nn.functional.conv2d(x, w, self.conv.bias, padding=1)
        return torch.fake_quantize_per_tensor_affine(y, 0.02, 10, -128, 127)


def fake_quantized(per_channel: bool) -> Made:
    case = Case("fake", lambda: FakeQuantized(per_channel), lambda: [(normal(2, 3, 8, 9),)])
    module, (x,) = prepared(case), case.inputs()[0]
    # A value between two steps may go either way.
    return export(SCRIPT, case, module, (x,), 13), [Run({"x0": x.numpy()}, parts(module(x)), atol=0.0201)]


# ---- onnxruntime's tools


class Reader(quantization.CalibrationDataReader):
    def __init__(self, feeds: list[dict[str, np.ndarray]]) -> None:
        self.feeds = iter(feeds)

    def get_next(self) -> dict[str, np.ndarray] | None:  # type: ignore[override]
        return next(self.feeds, None)


class Perceptron(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 32), nn.Sigmoid(), nn.Linear(32, 10))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x)


PERCEPTRON = Case("perceptron", Perceptron, lambda: [(normal(n, 64),) for n in (4, 1, 7)], dynamic={0: (0,)})


def exported(case: Case, version: int = 17) -> tuple[bytes, list[dict[str, np.ndarray]]]:
    given: list[Inputs] = case.fitting(SCRIPT)
    return export(SCRIPT, case, prepared(case), given[0], version), [
        {f"x{i}": x.numpy() for i, x in enumerate(inputs)} for inputs in given
    ]


def against_onnxruntime(model: bytes, feeds: list[dict[str, np.ndarray]], share: float) -> Made:
    """May differ by this share of the largest value: several steps of the last quantization."""
    session = open_onnxruntime(model)
    runs = []
    for feed in feeds:
        outputs = session.run(None, feed)
        largest = max(float(np.abs(y).max(initial=0)) for y in outputs if y.dtype.kind == "f")
        runs.append(Run(feed, outputs, rtol=0, atol=share * largest))
    return model, runs


def through_files(model: bytes, change: Callable[[str, str], object]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "source.onnx"), Path(folder, "target.onnx")
        source.write_bytes(model)
        change(str(source), str(target))
        return target.read_bytes()


def static(case: Case, **how: Any) -> Made:
    model, feeds = exported(case)
    quantized = through_files(model, lambda a, b: quantization.quantize_static(a, b, Reader(feeds), **how))
    return against_onnxruntime(quantized, feeds, 0.05)


def dynamic(case: Case, **how: Any) -> Made:
    model, feeds = exported(case)
    quantized = through_files(model, lambda a, b: quantization.quantize_dynamic(a, b, **how))
    return against_onnxruntime(quantized, feeds, 0.02)


def blocks(bits: int, symmetric: bool) -> Made:
    """Weights in blocks of a few bits: MatMulNBits."""
    from onnxruntime.quantization import matmul_nbits_quantizer

    model, feeds = exported(PERCEPTRON)
    config = matmul_nbits_quantizer.DefaultWeightOnlyQuantConfig(block_size=32, is_symmetric=symmetric, bits=bits)
    quantizer = matmul_nbits_quantizer.MatMulNBitsQuantizer(matmuls(model), algo_config=config)
    quantizer.process()
    return against_onnxruntime(quantizer.model.model.SerializeToString(), feeds, 1e-4)


def matmuls(model: bytes) -> onnx.ModelProto:
    """Gemm as MatMul and Add, which is what the tool looks for."""
    proto = onnx.load_model_from_string(model)
    weights = {w.name: w for w in proto.graph.initializer}
    nodes = []
    for node in proto.graph.node:
        if node.op_type != "Gemm":
            nodes.append(node)
            continue
        x, w, b = node.input
        weights[w].CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(weights[w]).T.copy(), w))
        middle = f"{node.output[0]}_product"
        nodes.append(onnx.helper.make_node("MatMul", [x, w], [middle], name=f"{node.name}_MatMul"))
        nodes.append(onnx.helper.make_node("Add", [middle, b], list(node.output)))
    del proto.graph.node[:]
    proto.graph.node.extend(nodes)
    return proto


def converted_half(keep_io: bool) -> Made:
    from onnxruntime.transformers.float16 import convert_float_to_float16

    model, feeds = exported(CASES["mobilenet_hardswish"])
    changed = convert_float_to_float16(onnx.load_model_from_string(model), keep_io_types=keep_io)
    if not keep_io:
        feeds = [{name: x.astype(np.float16) for name, x in feed.items()} for feed in feeds]
    stream = io.BytesIO()
    onnx.save_model(changed, stream)
    return against_onnxruntime(stream.getvalue(), feeds, 0.02)


QInt8, QUInt8 = quantization.QuantType.QInt8, quantization.QuantType.QUInt8
QDQ, QOPERATOR = quantization.QuantFormat.QDQ, quantization.QuantFormat.QOperator
MODELS = {name: CASES[name] for name in ("resnet", "mobilenet_relu6", "unet_transposed", "bert")} | {
    "perceptron": PERCEPTRON
}
MAKERS: dict[str, Callable[[], Made]] = {
    **{
        f"torch-float16/{name}_{exporter.removeprefix('torch-')}": half(name, exporter, torch.float16)
        for name in ("resnet", "mobilenet_silu", "unet_transposed", "bert", "vision_transformer", "lstm", "batchnorm_first")
        for exporter in (SCRIPT, DYNAMO)
    },
    **{f"torch-bfloat16/{name}": half(name, DYNAMO, torch.bfloat16, 22) for name in ("bert", "batchnorm_first", "vision_transformer", "activations")},
    "torch-quantized/fake_per_tensor": functools.partial(fake_quantized, False),
    "torch-quantized/fake_per_channel": functools.partial(fake_quantized, True),
    **{
        f"onnxruntime-static/{name}_{form.name}_{a.name}_{w.name}{'_channels' if channels else ''}": functools.partial(
            static, case, quant_format=form, activation_type=a, weight_type=w, per_channel=channels
        )
        for name, case in MODELS.items()
        if name != "bert"
        for form in (QDQ, QOPERATOR)
        for a, w, channels in ((QUInt8, QInt8, False), (QInt8, QInt8, True), (QUInt8, QUInt8, False))
    },
    "onnxruntime-static/bert_QDQ": functools.partial(static, CASES["bert"], quant_format=QDQ),
    **{
        f"onnxruntime-dynamic/{name}_{w.name}{'_channels' if channels else ''}": functools.partial(
            dynamic, case, weight_type=w, per_channel=channels
        )
        for name, case in {**MODELS, "lstm": CASES["lstm"]}.items()
        for w, channels in ((QInt8, False), (QUInt8, False), (QInt8, True))
    },
    **{
        f"onnxruntime-blocks/{bits}_bits{'_symmetric' if symmetric else ''}": functools.partial(blocks, bits, symmetric)
        for bits in (4, 8)
        for symmetric in (False, True)
    },
    "onnxruntime-float16/mobilenet": functools.partial(converted_half, False),
    "onnxruntime-float16/mobilenet_keep_io": functools.partial(converted_half, True),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _inference() -> Iterator[None]:
    with quiet(), torch.no_grad():
        torch.manual_seed(0)
        yield


@pytest.mark.parametrize("name", MAKERS)
def test_case(onnxlet: Open, name: str) -> None:
    made = functools.cache(MAKERS[name])
    check(onnxlet, name, export=lambda: made()[0], runs=lambda: made()[1])
