"""onnxlet runs ONNX models with one small WebAssembly engine.

The API is onnxruntime's: `import onnxlet as ort` is enough for most programs.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from . import capi
    from .batch import predict
    from .comparison import compare
    from .device import OrtDevice
    from .environment import (
        disable_telemetry_events,
        enable_telemetry_events,
        get_build_info,
        get_version_string,
        has_collective_ops,
        preload_dlls,
        set_default_logger_severity,
        set_default_logger_verbosity,
        set_seed,
    )
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
        Refused,
        RuntimeException,
        Trap,
        VersionMismatch,
    )
    from .io_binding import IOBinding, SessionIOBinding
    from .metadata import ModelMetadata, NodeArg
    from .operators import register_operator
    from .options import ExecutionMode, ExecutionOrder, GraphOptimizationLevel, RunOptions, SessionOptions
    from .ort_value import OrtValue, OrtValueVector, copy_tensors
    from .packing import PackResult, pack
    from .providers import get_all_providers, get_available_providers, get_device
    from .raw_tensor import RawTensor
    from .session import InferenceSession

# Names are loaded when first used, so that importing the package costs nothing to tools that only need a part of it.
_MODULES = {
    "batch": ("predict",),
    "comparison": ("compare",),
    "device": ("OrtDevice",),
    "environment": (
        "disable_telemetry_events",
        "enable_telemetry_events",
        "get_build_info",
        "get_version_string",
        "has_collective_ops",
        "preload_dlls",
        "set_default_logger_severity",
        "set_default_logger_verbosity",
        "set_seed",
    ),
    "errors": (
        "Aborted",
        "Error",
        "Fail",
        "InvalidArgument",
        "InvalidGraph",
        "InvalidProtobuf",
        "NoSuchFile",
        "NotImplemented",
        "OutOfMemory",
        "Refused",
        "RuntimeException",
        "Trap",
        "VersionMismatch",
    ),
    "io_binding": ("IOBinding", "SessionIOBinding"),
    "metadata": (
        "ModelMetadata",
        "NodeArg",
    ),
    "operators": ("register_operator",),
    "options": (
        "ExecutionMode",
        "ExecutionOrder",
        "GraphOptimizationLevel",
        "RunOptions",
        "SessionOptions",
    ),
    "ort_value": (
        "OrtValue",
        "OrtValueVector",
        "copy_tensors",
    ),
    "packing": ("PackResult", "pack"),
    "providers": (
        "get_all_providers",
        "get_available_providers",
        "get_device",
    ),
    "raw_tensor": ("RawTensor",),
    "session": ("InferenceSession",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "capi":
        return importlib.import_module(".capi", __name__)
    if name not in _HOME:
        from .missing import attribute_error

        raise attribute_error("onnxlet", name)
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "Aborted",
    "Error",
    "ExecutionMode",
    "ExecutionOrder",
    "Fail",
    "GraphOptimizationLevel",
    "IOBinding",
    "InferenceSession",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "ModelMetadata",
    "NoSuchFile",
    "NodeArg",
    "NotImplemented",
    "OrtDevice",
    "OrtValue",
    "OrtValueVector",
    "OutOfMemory",
    "PackResult",
    "RawTensor",
    "Refused",
    "RunOptions",
    "RuntimeException",
    "SessionIOBinding",
    "SessionOptions",
    "Trap",
    "VersionMismatch",
    "capi",
    "compare",
    "copy_tensors",
    "disable_telemetry_events",
    "enable_telemetry_events",
    "get_all_providers",
    "get_available_providers",
    "get_build_info",
    "get_device",
    "get_version_string",
    "has_collective_ops",
    "pack",
    "predict",
    "preload_dlls",
    "register_operator",
    "set_default_logger_severity",
    "set_default_logger_verbosity",
    "set_seed",
]
