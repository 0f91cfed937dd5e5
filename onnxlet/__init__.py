"""onnxlet runs ONNX models with one small WebAssembly engine.

The API is onnxruntime's: `import onnxlet as ort` is enough for most programs.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .errors import (
        Aborted,
        Error,
        Fail,
        InvalidArgument,
        InvalidGraph,
        InvalidProtobuf,
        NoSuchFile,
        NotImplemented,
        OutOfMemory,
        RuntimeException,
        Trap,
        VersionMismatch,
    )
    from .operators import register_operator
    from .options import ExecutionMode, ExecutionOrder, GraphOptimizationLevel, RunOptions, SessionOptions
    from .raw_tensor import RawTensor
    from .session import InferenceSession, ModelMetadata, NodeArg, get_available_providers

# Names are loaded when first used, so that importing the package costs nothing to tools that only need a part of it.
_HOME = {
    **dict.fromkeys(
        (
            "Aborted",
            "Error",
            "Fail",
            "InvalidArgument",
            "InvalidGraph",
            "InvalidProtobuf",
            "NoSuchFile",
            "NotImplemented",
            "OutOfMemory",
            "RuntimeException",
            "Trap",
            "VersionMismatch",
        ),
        "errors",
    ),
    **dict.fromkeys(
        ("ExecutionMode", "ExecutionOrder", "GraphOptimizationLevel", "RunOptions", "SessionOptions"), "options"
    ),
    "RawTensor": "raw_tensor",
    "register_operator": "operators",
    **dict.fromkeys(("InferenceSession", "ModelMetadata", "NodeArg", "get_available_providers"), "session"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'onnxlet' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})


def get_device() -> str:
    """Where models run, as onnxruntime reports it."""
    return "CPU"


__all__ = [
    "Aborted",
    "Error",
    "ExecutionMode",
    "ExecutionOrder",
    "Fail",
    "GraphOptimizationLevel",
    "InferenceSession",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "ModelMetadata",
    "NoSuchFile",
    "NodeArg",
    "NotImplemented",
    "OutOfMemory",
    "RawTensor",
    "RunOptions",
    "RuntimeException",
    "SessionOptions",
    "Trap",
    "VersionMismatch",
    "get_available_providers",
    "get_device",
    "register_operator",
]
