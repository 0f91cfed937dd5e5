"""Which engine file runs where."""

from __future__ import annotations

from pathlib import Path

import pytest

import onnxlet
from onnxlet.hosts import flavours, wasmtime_host
from onnxlet.hosts.flavours import Features


def names(features: Features, *, threads: bool = True, deterministic: bool = False) -> list[str]:
    return [flavour.name for flavour in flavours.preferred(features, threads=threads, deterministic=deterministic)]


ALL = Features(simd=True, relaxed_simd=True, shared_memory=True)


def test_the_best_flavour_comes_first() -> None:
    assert names(ALL) == ["relaxed-threads", "threads", "relaxed", "simd", "scalar"]
    assert names(ALL, threads=False) == ["relaxed", "simd", "scalar"]
    assert names(ALL, deterministic=True) == ["threads", "simd", "scalar"]
    assert names(Features(True, True, False)) == ["relaxed", "simd", "scalar"]
    assert names(Features(True, False, True)) == ["threads", "simd", "scalar"]
    assert names(Features(False, False, False)) == ["scalar"]


def test_wasmtime_has_every_feature() -> None:
    assert wasmtime_host.features() == ALL


def test_the_first_file_that_exists_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ONNXLET_ENGINE_DIR", str(tmp_path))
    choice = flavours.preferred(ALL, threads=True, deterministic=False)
    with pytest.raises(onnxlet.RuntimeException, match=r"onnxlet-relaxed-threads\.wasm.*ONNXLET_ENGINE_DIR"):
        flavours.find(choice)
    (tmp_path / "onnxlet.wasm").touch()
    assert flavours.find(choice) == (flavours.BY_NAME["simd"], tmp_path / "onnxlet.wasm")
    (tmp_path / "onnxlet-threads.wasm").touch()
    assert flavours.find(choice)[0].name == "threads"
