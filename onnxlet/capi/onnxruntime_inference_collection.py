"""onnxruntime's module of the classes that are written in Python."""

from __future__ import annotations

from ..device import OrtDevice
from ..io_binding import IOBinding
from ..metadata import Described as Session
from ..ort_value import OrtValue, copy_tensors
from ..session import InferenceSession

__all__ = ["IOBinding", "InferenceSession", "OrtDevice", "OrtValue", "Session", "copy_tensors"]
