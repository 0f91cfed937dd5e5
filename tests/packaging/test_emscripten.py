"""Emscripten builds the baseline flavour from the same CMake files, and that module runs a model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from onnxlet.build import strip
from onnxlet.build.workflow.shell import find
from tests.support.paths import ROOT

FOLDER = ROOT / "build" / "emscripten"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def module() -> Path:
    """build/emscripten/onnxlet.wasm"""
    emcmake = find("emcmake")
    if emcmake is None:
        pytest.skip("no Emscripten (Debian: apt install emscripten)")
    jobs = str(os.cpu_count() or 2)
    configure = [
        emcmake,
        "cmake",
        "-G",
        "Ninja",
        "-S",
        str(ROOT),
        "-B",
        str(FOLDER),
        f"-DONNXLET_PYTHON={sys.executable}",
    ]
    for command in (configure, ["ninja", "-C", str(FOLDER), "-j", jobs]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return FOLDER / "onnxlet.wasm"


def test_imports_nothing_else(module: Path) -> None:
    assert set(strip.imports(module.read_bytes())) <= strip.ALLOWED_IMPORTS


PROGRAM = """
import sys
import numpy as np
import onnxlet
session = onnxlet.InferenceSession(sys.argv[1])
x = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)
(y,) = session.run(None, {"x": x})
np.save(sys.argv[2], y)
"""


def test_runs_a_model(module: Path, tmp_path: Path) -> None:
    weights = np.linspace(-1, 1, 20, dtype=np.float32).reshape(4, 5)
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "w"], ["h"]),
            helper.make_node("Gelu", ["h"], ["g"]),
            helper.make_node("Softmax", ["g"], ["y"]),
        ],
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 5])],
        [numpy_helper.from_array(weights, "w")],
    )
    model = tmp_path / "small.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]), model)
    # The host falls back to the single-threaded flavour: the only file in the folder.
    engines = tmp_path / "engines"
    engines.mkdir()
    (engines / "onnxlet.wasm").write_bytes(module.read_bytes())
    result = tmp_path / "y.npy"
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, str(model), str(result)],
        env={**os.environ, "ONNXLET_ENGINE_DIR": str(engines)},
        check=True,
    )
    x = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)
    reference = ReferenceEvaluator(str(model)).run(None, {"x": x})[0]
    np.testing.assert_allclose(np.load(result), reference, rtol=1e-5, atol=1e-6)
