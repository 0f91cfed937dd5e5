"""Fixtures of the Python package's tests: sessions on each backend, and small models."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import onnxlet
from onnxlet.hosts import flavours

ROOT = Path(__file__).parents[2]
NATIVE = ROOT / "build" / "native" / "libonnxlet.so"
# (backend, threads): each way that a host runs the engine.
BACKENDS = (("wasm", 1), ("wasm", 2), ("native", 1), ("native", 2))

MakeSession = Callable[..., onnxlet.InferenceSession]


def has(backend: str) -> bool:
    if backend == "native":
        if "ONNXLET_NATIVE_LIB" not in os.environ and NATIVE.is_file():
            os.environ["ONNXLET_NATIVE_LIB"] = str(NATIVE)
        return "ONNXLET_NATIVE_LIB" in os.environ
    return any(flavours.engine_dir().glob("onnxlet*.wasm"))


def need(backend: str) -> None:
    """Skips where the backend was not built."""
    if not has(backend):
        pytest.skip(f"the {backend} engine is not built")


@pytest.fixture(params=BACKENDS, ids=lambda item: f"{item[0]}-{item[1]}")
def make_session(request: pytest.FixtureRequest) -> Iterator[MakeSession]:
    """Makes sessions on one backend; they are closed at the end."""
    backend, threads = request.param
    need(backend)
    made: list[onnxlet.InferenceSession] = []

    def make(model: Any, options: onnxlet.SessionOptions | None = None, **keywords: Any) -> onnxlet.InferenceSession:
        options = options or onnxlet.SessionOptions()
        if options.intra_op_num_threads == 0:
            options.intra_op_num_threads = threads
        source = model.SerializeToString() if hasattr(model, "SerializeToString") else model
        made.append(onnxlet.InferenceSession(source, options, _engine=backend, **keywords))
        return made[-1]

    yield make
    for session in made:
        session.close()


@pytest.fixture
def make_wasm_session() -> MakeSession:
    """Makes sessions with two threads on wasm, for what only that host has."""
    need("wasm")

    def make(model: Any, threads: int = 2) -> onnxlet.InferenceSession:
        options = onnxlet.SessionOptions()
        options.intra_op_num_threads = threads
        source = model.SerializeToString() if hasattr(model, "SerializeToString") else model
        return onnxlet.InferenceSession(source, options, _engine="wasm")

    return make
