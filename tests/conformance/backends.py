"""The backends that cases run on: this project's engine in its builds, and two oracles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class Runnable(Protocol):
    """A loaded model; inputs and outputs are by position."""

    def run(self, inputs: Sequence[Any]) -> list[Any]: ...


Prepare = Callable[[bytes], Runnable]


def _native() -> Prepare:
    from tests.support.ctypes_engine import Engine, Session

    engine = Engine()
    return lambda model: Session(engine, model)


class _ByName:
    """Adapts a session of onnxruntime's shape (get_inputs, run) to positions."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.names = [value.name for value in session.get_inputs()]

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        return list(self.session.run(None, dict(zip(self.names, inputs, strict=False))))


def _onnxruntime() -> Prepare:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return lambda model: _ByName(onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"]))


class _Reference:
    def __init__(self, model: bytes) -> None:
        from onnx.reference import ReferenceEvaluator

        self.evaluator = ReferenceEvaluator(model)

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        return list(self.evaluator.run(None, dict(zip(self.evaluator.input_names, inputs, strict=False))))


BACKENDS: dict[str, Callable[[], Prepare]] = {
    "native": _native,
    "onnxruntime": _onnxruntime,
    "reference": lambda: _Reference,
}


def available() -> str:
    """The engine to test when none is asked for."""
    return "native"
