"""A second process has its session in no more time than onnxruntime takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench import first_python
from tests.models import registry
from tests.python import models
from tests.python.conftest import need
from tests.support.paths import ROOT

SLOW_IMPORTS = {
    "numpy",
    "onnx",
    "inspect",
    "dataclasses",
    "logging",
    "asyncio",
    "concurrent.futures",
    "tempfile",
    "rich",
}
PROGRAM = """
import sys, onnxlet
onnxlet.InferenceSession(sys.argv[1])
print(" ".join(sys.modules))
"""


@pytest.mark.alone
def test_import_and_session_take_no_longer_than_onnxruntimes(tmp_path: Path) -> None:
    need("wasm")
    result = first_python.measure(registry.models()[first_python.MODEL], tmp_path, processes=5)
    assert result["ratio"] >= 1, first_python.describe(result)
    lines = first_python.describe(result).splitlines()
    assert [line.split()[0] for line in lines] == ["tinyocr-rec,", "onnxlet", "onnxruntime", "onnxlet"]


def test_a_session_is_made_without_what_takes_long_to_import(tmp_path: Path) -> None:
    need("wasm")
    path = tmp_path / "add.onnx"
    path.write_bytes(models.add().SerializeToString())
    command = [sys.executable, "-c", PROGRAM, str(path)]
    for _ in range(2):  # the first may compile the engine
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert SLOW_IMPORTS & set(done.stdout.split()) == set()
