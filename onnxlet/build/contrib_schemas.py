"""Operators outside the ONNX specification that exported models use, as onnxruntime defines them."""

from __future__ import annotations

OPERATORS: list[dict[str, object]] = []
