"""How many times as fast as onnxruntime-web onnxlet is meant to be, in one run on one machine."""

from __future__ import annotations

# By the beginning of a kernel row's name; the first that fits counts.
KERNELS = (
    ("Conv depthwise", 3.0),
    ("ConvTranspose", None),
    ("Conv ", 1.5),
    ("MatMul ", 1.5),
    ("Gemm ", 1.5),
    ("Gelu", 3.0),
    ("Softmax", 3.0),
    ("LayerNormalization", 3.0),
    ("Transpose", 3.0),
    ("MatMulInteger 128x", 1.8),
    ("MatMulNBits 4 bits m=1 ", 20.0),
)
# By the end or the beginning of a model's name.
MODELS = (("-qdq", 5.0), ("smollm2", 10.0))
EVERY_MODEL = 1.1
MODELS_MEAN = 2.0
TWO_THREADS = 1.7  # times one thread
MEMORY = 1.3  # wasm memory at its peak, over the model's file
FIRST = 4.0  # ready for the first inference in a fresh process


def of_kernel(name: str) -> float | None:
    return next((target for beginning, target in KERNELS if name.startswith(beginning)), None)


def of_model(name: str) -> float:
    return next((t for part, t in MODELS if name.endswith(part) or name.startswith(part)), EVERY_MODEL)
