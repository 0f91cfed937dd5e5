"""What bundles' engines are made with."""

from __future__ import annotations

from pathlib import Path

import pytest

from onnxlet.bundle import engines


@pytest.mark.parametrize(("version", "taken"), [("108", False), ("119 (version_119)", False), ("120", True)])
def test_an_old_optimizer_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, taken: bool
) -> None:
    program = tmp_path / "wasm-opt"
    program.write_text(f"#!/bin/sh\necho wasm-opt version '{version}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    monkeypatch.delenv("ONNXLET_WASM_OPT", raising=False)
    monkeypatch.setattr(engines, "sources", lambda: tmp_path)
    assert engines.wasm_opt() == (str(program) if taken else None)
    monkeypatch.setenv("ONNXLET_WASM_OPT", "another")
    assert engines.wasm_opt() == "another"
