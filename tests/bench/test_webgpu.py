"""The benchmark of WebGPU tells the adapter and measures what its file lacks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench import report, webgpu
from bench.runner import OURS, PEER, engines
from tests.bench.test_bench import bench
from tests.support.hosts import Host
from tests.support.missing import missing
from tests.support.paths import ROOT

HEAD = {"commit": "c", "package": "p", "peer": f"{PEER} 1"}
ADAPTER = {"name": "a", "features": [], "limits": {}}


def test_one_file_has_the_adapter_and_the_times(tmp_path: Path, get_host: Callable[[str], Host]) -> None:
    get_host("chromium")  # skips where it is missing
    if not (ROOT / "js" / "dist" / "onnxlet-webgpu.wasm").is_file():
        missing("js/dist has no engine with WebGPU; run ./build.sh build")
    file = tmp_path / "report.json"
    done = bench("--webgpu", "digits-cnn", "--peer", "none", "--seconds", 0.1, "--json", file)
    assert done.returncode == 0, done.stdout + done.stderr
    written = json.loads(file.read_text())
    assert "swiftshader" in written["head"]["adapter"]["name"]
    assert written["head"]["adapter"]["limits"]["maxStorageBufferBindingSize"] >= 1 << 27
    numbers = written["results"]["digits-cnn"]["engines"][OURS]
    assert numbers["median_ms"] > 0 and numbers["runs"] > 0


def test_measurements_of_the_same_setup_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "describe_setup", lambda _: dict(HEAD))
    file = tmp_path / "report.json"
    result: dict[str, Any] = {"engines": {OURS: {"median_ms": 1.0}}}
    webgpu.open_store(tmp_path, file, ADAPTER, PEER).put("m", result)
    assert webgpu.open_store(tmp_path, file, ADAPTER, PEER).results == {"m": result}
    assert webgpu.open_store(tmp_path, file, ADAPTER | {"name": "b"}, PEER).results == {}
    assert webgpu.open_store(tmp_path, file, ADAPTER, "none").results == {}


def test_the_peer_is_its_build_with_webgpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.runner.install_peer", lambda: Path("peer"))
    chosen = engines(Path("dist"), PEER, browser=True, webgpu=True)
    assert [engine.entry.name for engine in chosen] == ["onnxlet.mjs", "ort.webgpu.min.mjs"]
