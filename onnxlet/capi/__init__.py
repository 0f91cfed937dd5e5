"""Where programs written for onnxruntime look for its exceptions and its compiled classes."""

from __future__ import annotations

from . import onnxruntime_pybind11_state
from . import onnxruntime_pybind11_state as _pybind_state

__all__ = ["_pybind_state", "onnxruntime_pybind11_state"]
