"""The packer: makes ONNX models smaller and proves that they are still right; `onnxlet.pack` is the way in.

Named for the noun, so that the function and its package do not hide each other.
"""

from __future__ import annotations

from .. import errors

try:
    import onnx_ir  # noqa: F401
    import pydantic  # noqa: F401
except ImportError as error:
    raise errors.NotImplemented(f"packing needs {error.name}: pip install 'onnxlet[pack]'") from None

from .config import Config, Fp16, Int8Dynamic, Int8Static, Keep, Scheme, WeightOnly, parse_scheme
from .packer import PackResult, pack

__all__ = [
    "Config",
    "Fp16",
    "Int8Dynamic",
    "Int8Static",
    "Keep",
    "PackResult",
    "Scheme",
    "WeightOnly",
    "pack",
    "parse_scheme",
]
