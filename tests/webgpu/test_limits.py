"""Models on devices that hold little: weights in parts, nodes on the CPU with the numbers, and what is refused before it is sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onnxlet
from tests.webgpu.node import run_program
from tests.webgpu.sides import Arrays, model_of
from tests.webgpu.test_contrib import nbits
from tests.webgpu.test_recurrent import recurrent

LIMIT = 2048
Made = tuple[bytes, Arrays]


def product(
    rng: np.random.Generator, op: str, a: tuple[int, ...], b: tuple[int, ...], bias: int = 0, **more: Any
) -> Made:
    """A product with constant weights; of com.microsoft is FusedMatMul."""
    feeds: Arrays = {"x": rng.standard_normal(a, np.float32)}
    constants: Arrays = {"w": rng.standard_normal(b, np.float32)}
    if bias:
        constants["c"] = rng.standard_normal(bias, np.float32)
    domain = "com.microsoft" if op == "FusedMatMul" else ""
    return model_of(op, feeds, constants, [*feeds, *constants], 1, domain, **more), feeds


@dataclass
class Case:
    make: Callable[[np.random.Generator], Made]
    parts: list[int]  # bytes of each part of the weights
    options: dict[str, Any] = field(default_factory=dict)


# Rows of 33 numbers have 132 bytes: where four are together, three such pieces fit; else 15 rows.
SPLIT = {
    "rows": Case(lambda rng: product(rng, "MatMul", (5, 28), (28, 33)), [1584, 1584, 528]),
    "rows, no vectors": Case(lambda rng: product(rng, "MatMul", (2, 3, 35), (35, 33)), [1980, 1980, 660]),
    "rows and a bias": Case(
        lambda rng: product(rng, "Gemm", (3, 28), (28, 33), bias=33, alpha=0.5, beta=2.0), [1584, 1584, 528]
    ),
    "columns": Case(lambda rng: product(rng, "Gemm", (3, 30), (40, 30), transB=1), [2040, 2040, 720]),
    "columns and a bias": Case(
        lambda rng: product(rng, "Gemm", (9, 30), (40, 30), bias=40, transB=1, alpha=2.0, beta=0.5), [2040, 2040, 720]
    ),
    "columns of a batch": Case(
        lambda rng: product(rng, "FusedMatMul", (2, 3, 30), (40, 30), transB=1, alpha=3.0), [2040, 2040, 720]
    ),
    "4 bits": Case(lambda rng: nbits(rng, 4, zeros=True, rows=1, n=70), [2016, 1344]),
    "8 bits": Case(lambda rng: nbits(rng, 8, zeros=False, rows=6, n=70), [2016, 2016, 2016, 672]),
}


def answers(jobs: list[tuple[Made, dict[str, Any]]], folder: Path) -> list[dict[str, Any]]:
    written = []
    for index, ((content, feeds), options) in enumerate(jobs):
        path = folder / f"{index}.onnx"
        path.write_bytes(content)
        given = {
            name: {"type": str(value.dtype), "dims": value.shape, "data": value.ravel().tolist()}
            for name, value in feeds.items()
        }
        written.append({"model": str(path), "feeds": given, **options})
    file = folder / "jobs.json"
    file.write_text(json.dumps(written))
    results: list[dict[str, Any]] = run_program("limits.mjs", file)  # type: ignore[assignment]
    return results


def check_values(result: dict[str, Any], content: bytes, feeds: Arrays) -> None:
    session = onnxlet.InferenceSession(content)
    for value, want in zip(session.get_outputs(), session.run(None, feeds), strict=True):
        expected = np.asarray(want)
        found = np.array(result["outputs"][value.name]["data"]).reshape(result["outputs"][value.name]["dims"])
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max(), err_msg=value.name)


@pytest.mark.parametrize("hide", [False, True])
def test_weights_that_no_buffer_holds_are_split(hide: bool, tmp_path: Path) -> None:
    made = {name: case.make(np.random.default_rng(3)) for name, case in SPLIT.items()}
    results = answers([(one, {"limit": LIMIT, "hide": hide}) for one in made.values()], tmp_path)
    for (name, (content, feeds)), result in zip(made.items(), results, strict=True):
        assert "error" not in result, f"{name}: {result['error']}"
        assert [row["provider"] for row in result["placement"]] == ["webgpu"], f"{name}: {result['placement']}"
        check_values(result, content, feeds)
        parts = SPLIT[name].parts
        at = result["writes"].index(parts[0])
        assert result["writes"][at : at + len(parts)] == parts, name
        # They stay there; only what is fed goes there again.
        assert result["again"] == [value.nbytes for value in feeds.values()], name


def test_other_nodes_with_too_much_are_the_cpus_and_say_so(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    feeds: Arrays = {"x": rng.standard_normal((4, 1), np.float32)}
    wide = model_of("Add", feeds, {"w": rng.standard_normal(600, np.float32)}, ["x", "w"], 1, "")
    rows = model_of(
        "Gather", {"i": np.array([3, 0], np.int64)}, {"w": rng.standard_normal((90, 6), np.float32)}, ["w", "i"], 1, ""
    )
    jobs: list[tuple[Made, dict[str, Any]]] = [
        ((wide, feeds), {"limit": LIMIT}),
        ((rows, {"i": np.array([3, 0], np.int64)}), {"limit": LIMIT}),
        (product(rng, "MatMul", (2, 3), (3, 600)), {"limit": LIMIT}),
        (product(rng, "MatMul", (2, 600), (600, 1)), {"limit": LIMIT}),
        (product(rng, "MatMul", (1, 400, 3), (2, 3, 300)), {"limit": LIMIT}),
        (recurrent(rng, "LSTM", length=30, hidden=4, inputs=3), {"limit": LIMIT}),
    ]
    results = answers(jobs, tmp_path)
    for ((content, given), _), result in zip(jobs, results, strict=True):
        check_values(result, content, given)
    assert [result["placement"][0]["reason"] for result in results] == [
        "an input has 2400 bytes; the device's largest buffer has 2048",
        "an input has 2160 bytes; the device's largest buffer has 2048",
        "an output of 4800 bytes; the device's largest buffer has 2048",
        "an input has 4800 bytes; the device's largest buffer has 2048",
        "an input has 4800 bytes; the device's largest buffer has 2048",
        "its steps need 5760 bytes; the device's largest buffer has 2048",
    ]


def test_more_columns_than_a_dispatch_has_groups(tmp_path: Path) -> None:
    made = nbits(np.random.default_rng(3), 4, zeros=False, rows=1, n=70_000)
    (result,) = answers([(made, {"hide": True})], tmp_path)
    assert [row["provider"] for row in result["placement"]] == ["webgpu"]
    check_values(result, *made)


def test_a_row_that_no_buffer_holds(tmp_path: Path) -> None:
    made = product(np.random.default_rng(3), "Gemm", (1, 600), (3, 600), transB=1)
    (result,) = answers([(made, {"limit": 2400 - 4})], tmp_path)
    assert result["placement"][0]["reason"] == "an input has 2400 bytes; the device's largest buffer has 2396"


def test_a_model_beyond_the_limit_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    made = product(np.random.default_rng(3), "MatMul", (5, 28), (28, 33))
    fits, refused = answers([(made, {"maxBytes": 3696}), (made, {"maxBytes": 3695})], tmp_path)
    assert [row["provider"] for row in fits["placement"]] == ["webgpu"]
    check_values(fits, *made)
    assert refused == {
        "error": "OUT_OF_MEMORY: the weights that WebGPU works with have 3696 bytes, and maxBytes allows it 3695; allow "
        "more, make the weights smaller (onnxlet pack), or leave the model to the CPU (executionProviders: ['wasm'])",
        "writes": [],
    }


def test_a_full_memory_is_told_with_the_numbers(tmp_path: Path) -> None:
    made = product(np.random.default_rng(3), "MatMul", (5, 28), (28, 33))
    (result,) = answers([(made, {"full": True})], tmp_path)
    # A [5, 28] and the result [5, 33] in a class of 768 bytes, the weights in one of 4096.
    assert result["error"].startswith(
        "RUN_FAILED: the device: its memory is full: the session has 3 buffers of 5632 bytes there (no more of it); "
        "feed less at a time, make the weights smaller (onnxlet pack), or give the provider webgpu "
    )


@pytest.mark.only_with_all
def test_a_real_limit(tmp_path: Path) -> None:
    """WebGPU's own: 128 MB to a binding."""
    rng = np.random.default_rng(3)
    made = product(rng, "Gemm", (1, 64), (540_000, 64), transB=1)
    (result,) = answers([(made, {})], tmp_path)
    assert [row["provider"] for row in result["placement"]] == ["webgpu"]
    assert sorted(result["writes"]) == [256, 540_000 * 256 - (1 << 27), 1 << 27]
    check_values(result, *made)
