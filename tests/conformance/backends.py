"""The backends that cases run on: this project's engine in its builds, and two oracles."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from tests.support.paths import ROOT


class Runnable(Protocol):
    """A loaded model; inputs and outputs are by position."""

    def run(self, inputs: Sequence[Any]) -> list[Any]: ...


Prepare = Callable[[bytes], Runnable]


class _ByName:
    """Adapts a session of onnxruntime's shape (get_inputs, run) to positions."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.names = [value.name for value in session.get_inputs()]

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        return list(self.session.run(None, dict(zip(self.names, inputs, strict=False))))


def _onnxlet(engine: str, threads: int) -> Prepare:
    import onnxlet

    generate_bindings()
    options = onnxlet.SessionOptions()
    options.intra_op_num_threads = threads
    return lambda model: _ByName(onnxlet.InferenceSession(model, options, _engine=engine))


def _native(threads: int) -> Prepare:
    library = native_library()
    if library is None:
        raise FileNotFoundError("no libonnxlet.so under build/; build the native engine or set ONNXLET_NATIVE_LIB")
    os.environ["ONNXLET_NATIVE_LIB"] = str(library)
    return _onnxlet("native", threads)


def generate_bindings() -> None:
    """Writes onnxlet/hosts/abi_gen.py where only the engine was built and not the package."""
    from onnxlet.build import bindings

    header, target = ROOT / "core" / "abi" / "onnxlet.h", ROOT / "onnxlet" / "hosts" / "abi_gen.py"
    if not target.exists() or target.stat().st_mtime < header.stat().st_mtime:
        target.write_text(bindings.python_module(bindings.parse(header.read_text(encoding="utf-8"))), encoding="utf-8")


def native_library() -> Path | None:
    """$ONNXLET_NATIVE_LIB, else the newest library under build/."""
    chosen = os.environ.get("ONNXLET_NATIVE_LIB")
    if chosen:
        return Path(chosen)
    found = sorted(ROOT.glob("build/**/libonnxlet.so"), key=lambda path: path.stat().st_mtime)
    return found[-1] if found else None


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
    "wasm": functools.partial(_onnxlet, "wasm", 1),
    "wasm-2-threads": functools.partial(_onnxlet, "wasm", 2),
    **{flavour: functools.partial(_onnxlet, flavour, 1) for flavour in ("simd", "relaxed", "scalar", "preprocessing")},
    **{flavour: functools.partial(_onnxlet, flavour, 2) for flavour in ("threads", "relaxed-threads")},
    "native": functools.partial(_native, 1),
    "native-2-threads": functools.partial(_native, 2),
    "onnxruntime": _onnxruntime,
    "reference": lambda: _Reference,
}


def available() -> str:
    """The engine to test when none is asked for: WebAssembly, or where it is not built the native library."""
    from onnxlet.hosts import flavours

    return "wasm" if any(flavours.engine_dir().glob("*.wasm")) or native_library() is None else "native"
