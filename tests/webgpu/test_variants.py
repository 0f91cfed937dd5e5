"""Products, convolutions and recurrent operators give the same in the shaders for GPUs and in those for processors that play one, with packed
numbers of 8 bits and without."""

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

import onnxlet
from tests.support.hosts import webgpu_lacks, webgpu_settings
from tests.support.missing import missing
from tests.support.paths import ROOT
from tests.webgpu.test_contrib import nbits

DIST = ROOT / "js" / "dist"
# Operator, attributes, shapes of the inputs, and what the pipeline is named with either choice. Sizes are no multiples of
# the shaders', but where vectors are read. A shape may begin with its type.
CASES: dict[str, tuple[str, dict[str, Any], list[tuple[int | str, ...]], str, str]] = {
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
    "levels": (
        "MatMulInteger",
        {},
        [("uint8", 2, 1, 19, 7), ("int8", 3, 7, 37), ("uint8",), ("int8", 37)],
        "DOT=0 ROWS=4 A_UNSIGNED=1 A_SHIFTS=1 A_ZERO=u8 B_UNSIGNED=0 B_SHIFTS=1 B_ZERO=i8",
        "DOT=1 ROWS=4 A_UNSIGNED=1 A_SHIFTS=1 A_ZERO=u8 B_UNSIGNED=0 B_SHIFTS=1 B_ZERO=i8",
    ),
    "levels of a row": (
        "MatMulInteger",
        {},
        [("int8", 1, 12), ("int8", 12, 100)],
        "DOT=0 ROWS=1 A_UNSIGNED=0 A_SHIFTS=0 B_UNSIGNED=0 B_SHIFTS=0",
        "DOT=1 ROWS=1 A_UNSIGNED=0 A_SHIFTS=0 B_UNSIGNED=0 B_SHIFTS=0",
    ),
    "level images": (
        "ConvInteger",
        {"pads": [1, 0, 1, 2]},
        [("uint8", 2, 3, 6, 5), ("uint8", 9, 3, 3, 2), ("uint8",)],
        "DOT=0 ROWS=4 A_UNSIGNED=1 A_SHIFTS=1 B_UNSIGNED=1 B_SHIFTS=1 B_ZERO=u8",
        "DOT=1 ROWS=4 A_UNSIGNED=1 A_SHIFTS=1 B_UNSIGNED=1 B_SHIFTS=1 B_ZERO=u8",
    ),
    "cells": ("LSTM", {"hidden_size": 12}, [(4, 2, 5), (1, 48, 5), (1, 48, 12)], "STEP=4 LANES=16 ", "STEP=4 LANES=1 "),
    "gates": (
        "GRU",
        {"hidden_size": 70},
        [(3, 2, 5), (1, 210, 5), (1, 210, 70)],
        "STEP=1 LANES=16 ",
        "STEP=1 LANES=1 ",
    ),
    "states": ("RNN", {"hidden_size": 4}, [(3, 2, 5), (1, 4, 5), (1, 4, 4)], "STEP=4 LANES=16 ", "STEP=4 LANES=1 "),
    "volume": ("Conv", {"pads": [1] * 6}, [(1, 2, 4, 5, 6), (8, 2, 3, 3, 3)], "PADDED=1 BLOCKS=1", "PADDED=1 BLOCKS=2"),
}


def _values(rng: np.random.Generator, given: tuple[int | str, ...]) -> np.ndarray:
    dtypes = [part for part in given if isinstance(part, str)]
    shape = [part for part in given if isinstance(part, int)]
    if not dtypes:
        return rng.standard_normal(shape).astype(np.float32)
    info = np.iinfo(dtypes[0])
    return rng.integers(info.min, info.max, shape, dtypes[0], endpoint=True)


def _job(name: str, folder: Path) -> tuple[dict[str, Any], np.ndarray]:
    operator, attributes, shapes, *_ = CASES[name]
    rng = np.random.default_rng(len(name))
    feeds = {f"i{k}": _values(rng, shape) for k, shape in enumerate(shapes)}
    constants = {name: feeds.pop(name) for name in list(feeds)[1:]} if operator.startswith("Conv") else {}
    result = onnx.TensorProto.INT32 if operator.endswith("Integer") else onnx.TensorProto.FLOAT
    tensor = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node(operator, [*feeds, *constants], ["o"], **attributes)],
        "g",
        [tensor(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape) for name, value in feeds.items()],
        [tensor("o", result, None)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = folder / f"{name}.onnx"
    onnx.save(model, path)
    (expected,) = ReferenceEvaluator(model).run(None, feeds)
    given = {
        name: {"type": str(value.dtype), "dims": value.shape, "data": value.ravel().tolist()}
        for name, value in feeds.items()
    }
    return {"model": str(path), "feeds": given}, np.asarray(expected)


def _run(names: str, jobs: list[dict[str, Any]], folder: Path) -> list[dict[str, Any]]:
    if not (DIST / "webgpu.mjs").is_file() or shutil.which("node") is None:
        missing("js/dist is not built; run ./build.sh build")
    if lack := webgpu_lacks():
        missing(lack)
    file = folder / "jobs.json"
    file.write_text(json.dumps(jobs))
    program = ROOT / "tests" / "webgpu" / "variants.mjs"
    settings = {**os.environ, **webgpu_settings()}
    done = subprocess.run(
        ["node", program, DIST, names, file], capture_output=True, text=True, timeout=300, env=settings
    )
    assert done.returncode == 0, done.stderr[-2000:]
    results: list[dict[str, Any]] = json.loads(done.stdout)
    return results


@pytest.mark.parametrize("names", ["hide", "show"])
def test_every_variant_gives_the_right_answer(names: str, tmp_path: Path) -> None:
    jobs = {name: _job(name, tmp_path) for name in CASES}
    results = _run(names, [job for job, _ in jobs.values()], tmp_path)
    for (name, (_, expected)), result in zip(jobs.items(), results, strict=True):
        *_, on_gpu, on_processor = CASES[name]
        (kernel,) = result["kernels"]
        assert (on_gpu if names == "hide" else on_processor) in kernel, name
        found = np.array(result["outputs"]["o"]["data"]).reshape(result["outputs"]["o"]["dims"])
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=2e-5, err_msg=name)


@pytest.mark.parametrize(("names", "lanes"), [("hide", 64), ("show", 1)])
def test_packed_weights(names: str, lanes: int, tmp_path: Path) -> None:
    jobs, expected = [], []
    # Rows of A that are read in vectors, and that are not.
    forms = [(bits, rows, k) for bits in (2, 4, 8) for rows in (1, 6) for k in (72, 75)]
    for index, (bits, rows, k) in enumerate(forms):
        content, feeds = nbits(np.random.default_rng(index), bits, zeros=True, rows=rows, k=k, n=70)
        path = tmp_path / f"{index}.onnx"
        path.write_bytes(content)
        a = feeds["a"]
        jobs.append(
            {"model": str(path), "feeds": {"a": {"type": "float32", "dims": a.shape, "data": a.ravel().tolist()}}}
        )
        (y,) = onnxlet.InferenceSession(path).run(None, feeds)
        expected.append(np.asarray(y))
    for (bits, rows, k), result, want in zip(forms, _run(names, jobs, tmp_path), expected, strict=True):
        shader = f"webgpu nbits BITS={bits} LANES={lanes} ROWS={4 if rows > 1 else 1} STEP={4 if k % 4 == 0 else 1} "
        assert result["kernels"][0].startswith(shader)
        found = np.array(result["outputs"]["y0"]["data"]).reshape(result["outputs"]["y0"]["dims"])
        np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-4 * np.abs(want).max())
