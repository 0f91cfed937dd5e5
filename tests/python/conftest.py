"""Fixtures of the Python package's tests: sessions on each backend, and small models."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
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
def picture(tmp_path: Path) -> Path:
    """4 high, 8 wide: red on the left, blue on the right."""
    pil = pytest.importorskip("PIL.Image")
    pixels = np.zeros((4, 8, 3), np.uint8)
    pixels[:, :4, 0] = pixels[:, 4:, 2] = 255
    path = tmp_path / "picture.png"
    pil.fromarray(pixels).save(path)
    return path


@pytest.fixture
def hide_package(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """hide_package("PIL"): importing it and its parts fails until the test is over, as where it is not installed."""
    original = builtins.__import__
    hidden: set[str] = set()

    def without(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name.partition(".")[0] in hidden:
            raise ImportError(name)
        return original(name, *arguments, **keywords)

    def hide(package: str) -> None:
        hidden.add(package)
        monkeypatch.setattr(builtins, "__import__", without)

    return hide


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
