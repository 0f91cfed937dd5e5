"""Benchmarks against onnxruntime-web."""
