"""Models with weights of 8 bits, and activations that are quantized while the model runs."""

from __future__ import annotations

import tempfile
from pathlib import Path

import onnx


def build(path: Path) -> onnx.ModelProto:
    """The model with onnxruntime's dynamic quantization: its products become MatMulInteger."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "quantized.onnx"
        quantize_dynamic(path, target, weight_type=QuantType.QInt8)
        return onnx.load(target)
