"""Compares what a model gives on different engines, or what two models give; `onnxlet.compare` is the way in.

Named for the noun, so that the function and its package do not hide each other.
"""

from __future__ import annotations

from .. import errors

try:
    import numpy  # noqa: F401
except ImportError:
    raise errors.NotImplemented("comparing needs numpy: pip install 'onnxlet[tools]'") from None

from .comparing import compare
from .metrics import Difference, Worst, compare_values
from .result import Comparison, Layer, Layers
from .tolerance import Tolerance

__all__ = [
    "Comparison",
    "Difference",
    "Layer",
    "Layers",
    "Tolerance",
    "Worst",
    "compare",
    "compare_values",
]
