"""onnxruntime's module of compiled classes: its exceptions, and the classes under the names they have there."""

from __future__ import annotations

from ..device import OrtDevice
from ..environment import get_build_info, get_version_string, set_default_logger_severity, set_seed
from ..errors import (
    Error,
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    NoSuchFile,
    NotImplemented,
    RuntimeException,
)
from ..io_binding import SessionIOBinding
from ..metadata import ModelMetadata, NodeArg
from ..options import ExecutionMode, ExecutionOrder, GraphOptimizationLevel, RunOptions, SessionOptions
from ..ort_value import OrtValue, OrtValueVector
from ..providers import get_all_providers, get_available_providers, get_device
from ..session import InferenceSession

# Failures that only onnxruntime has. They are never raised; programs name them in their handlers.


class DeviceReset(Error): ...


class EngineError(Error): ...


class EPFail(Error): ...


class ModelLoadCanceled(Error): ...


class ModelLoaded(Error): ...


class ModelRequiresCompilation(Error): ...


class NoModel(Error): ...


class NotFound(Error): ...


__all__ = [
    "DeviceReset",
    "EPFail",
    "EngineError",
    "ExecutionMode",
    "ExecutionOrder",
    "Fail",
    "GraphOptimizationLevel",
    "InferenceSession",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "ModelLoadCanceled",
    "ModelLoaded",
    "ModelMetadata",
    "ModelRequiresCompilation",
    "NoModel",
    "NoSuchFile",
    "NodeArg",
    "NotFound",
    "NotImplemented",
    "OrtDevice",
    "OrtValue",
    "OrtValueVector",
    "RunOptions",
    "RuntimeException",
    "SessionIOBinding",
    "SessionOptions",
    "get_all_providers",
    "get_available_providers",
    "get_build_info",
    "get_device",
    "get_version_string",
    "set_default_logger_severity",
    "set_seed",
]
