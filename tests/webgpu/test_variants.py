"""Products and convolutions give the same in the shaders for GPUs and in those for processors that play one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from tests.support.hosts import webgpu_lacks, webgpu_settings
from tests.support.missing import missing
from tests.support.paths import ROOT

DIST = ROOT / "js" / "dist"
# Operator, attributes, shapes of the inputs, and what the pipeline is named with either choice. Sizes are no multiples of
# the shaders', but where vectors are read.
CASES: dict[str, tuple[str, dict[str, Any], list[tuple[int, ...]], str, str]] = {
    "product": ("MatMul", {}, [(70, 33), (33, 65)], "TILED=1", "TILED=0 ROWS=8 COLUMNS=8 STEP=1"),
    "batches": ("MatMul", {}, [(2, 1, 3, 36), (3, 36, 30)], "TILED=1", "TILED=0 ROWS=4 COLUMNS=4 STEP=4"),
    "one row": ("MatMul", {}, [(1, 40), (40, 100)], "TILED=1", "TILED=0 ROWS=1 COLUMNS=8 STEP=4"),
    "transposed": (
        "Gemm",
        {"transA": 1, "transB": 1, "alpha": 0.5, "beta": 2.0},
        [(12, 9), (70, 12), (9, 1)],
        "TILED=1",
        "TILED=0 ROWS=8 COLUMNS=8 STEP=1",
    ),
    "padded": (
        "Conv",
        {"pads": [1, 0, 2, 1], "strides": [2, 1]},
        [(2, 3, 9, 11), (9, 3, 3, 2), (9,)],
        "BLOCKS=1",
        "BLOCKS=1",
    ),
    "grouped": (
        "Conv",
        {"group": 2, "dilations": [2, 1]},
        [(1, 6, 9, 17), (28, 3, 2, 3)],
        "PADDED=0 BLOCKS=1",
        "PADDED=0 BLOCKS=2",
    ),
    "pointwise": ("Conv", {}, [(1, 5, 10, 13), (20, 5, 1, 1), (20,)], "PADDED=0 BLOCKS=1", "PADDED=0 BLOCKS=2"),
    "volume": ("Conv", {"pads": [1] * 6}, [(1, 2, 4, 5, 6), (8, 2, 3, 3, 3)], "PADDED=1 BLOCKS=1", "PADDED=1 BLOCKS=2"),
}


def _job(name: str, folder: Path) -> tuple[dict[str, Any], np.ndarray]:
    operator, attributes, shapes, *_ = CASES[name]
    rng = np.random.default_rng(len(name))
    feeds = {f"i{k}": rng.standard_normal(shape).astype(np.float32) for k, shape in enumerate(shapes)}
    constants = {name: feeds.pop(name) for name in list(feeds)[1:]} if operator == "Conv" else {}
    tensor = lambda name, shape: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)  # noqa: E731
    graph = helper.make_graph(
        [helper.make_node(operator, [*feeds, *constants], ["o"], **attributes)],
        "g",
        [tensor(name, value.shape) for name, value in feeds.items()],
        [tensor("o", None)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = folder / f"{name}.onnx"
    onnx.save(model, path)
    (expected,) = ReferenceEvaluator(model).run(None, feeds)
    given = {name: {"dims": value.shape, "data": value.ravel().tolist()} for name, value in feeds.items()}
    return {"model": str(path), "feeds": given}, np.asarray(expected)


@pytest.mark.parametrize("names", ["hide", "show"])
def test_every_variant_gives_the_right_answer(names: str, tmp_path: Path) -> None:
    if not (DIST / "webgpu.mjs").is_file() or shutil.which("node") is None:
        missing("js/dist is not built; run ./build.sh build")
    if lack := webgpu_lacks():
        missing(lack)
    jobs = {name: _job(name, tmp_path) for name in CASES}
    file = tmp_path / "jobs.json"
    file.write_text(json.dumps([job for job, _ in jobs.values()]))
    program = ROOT / "tests" / "webgpu" / "variants.mjs"
    settings = {**os.environ, **webgpu_settings()}
    done = subprocess.run(
        ["node", program, DIST, names, file], capture_output=True, text=True, timeout=300, env=settings
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for (name, (_, expected)), result in zip(jobs.items(), json.loads(done.stdout), strict=True):
        *_, on_gpu, on_processor = CASES[name]
        (kernel,) = result["kernels"]
        assert (on_gpu if names == "hide" else on_processor) in kernel, name
        found = np.array(result["outputs"]["o"]["data"]).reshape(result["outputs"]["o"]["dims"])
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=2e-5, err_msg=name)
