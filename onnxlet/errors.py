"""Errors under onnxruntime's names, each with the engine's code.

`error.code` is the same word that the JavaScript package shows as `OnnxletError.code`.
"""

from __future__ import annotations


class Error(Exception):
    """Base of everything onnxlet raises about models, feeds and engines. `code` is a stable word."""

    code: str = "INTERNAL"


class InvalidArgument(Error, ValueError):
    """The caller's feed, option or argument is wrong."""

    code = "INVALID_ARGUMENT"


class InvalidProtobuf(Error):
    """The file's bytes are damaged or truncated."""

    code = "INVALID_PROTOBUF"


class InvalidGraph(Error):
    """Well-formed bytes, but not a valid ONNX model."""

    code = "INVALID_GRAPH"


class NotImplemented(Error, NotImplementedError):  # onnxruntime's name
    """A valid model that needs something this build does not do."""

    code = "NOT_IMPLEMENTED"


class NoSuchFile(Error, FileNotFoundError):
    """The model, or a data file it names, is not there."""

    code = "NO_SUCH_FILE"

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class OutOfMemory(Error, MemoryError):
    """An allocation was refused, or a configured limit was reached."""

    code = "OUT_OF_MEMORY"


class Fail(Error, RuntimeError):
    """The data met at run time breaks an operator's rule."""

    code = "RUN_FAILED"


class Aborted(Error):
    """The run was stopped at the caller's wish (`RunOptions.terminate`)."""

    code = "ABORTED"


class RuntimeException(Error, RuntimeError):
    """A defect of onnxlet itself, or a session used after it was closed."""

    code = "INTERNAL"


class Trap(RuntimeException):
    """The engine's code trapped. Its session is lost; other sessions and new ones are not affected."""

    code = "TRAP"


class Refused(Error):
    """A packed model that would do harm: larger than its original, or far less accurate."""

    code = "REFUSED"


class VersionMismatch(Error):
    """The engine file belongs to another version of this package."""

    code = "VERSION_MISMATCH"


_BY_CODE: dict[str, type[Error]] = {
    kind.code: kind
    for kind in (
        InvalidArgument,
        InvalidProtobuf,
        InvalidGraph,
        NotImplemented,
        OutOfMemory,
        Fail,
        Aborted,
        RuntimeException,
    )
}


def from_code(code: str, message: str) -> Error:
    """The exception for a code name of the engine ("INVALID_GRAPH"); unknown names give a RuntimeException."""
    return _BY_CODE.get(code, RuntimeException)(message)
