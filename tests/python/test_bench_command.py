"""onnxlet bench: what it measures, what it writes, and its exit codes."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from onnxlet.cli.profile import CLOCK_MODEL, clock_us

from . import models
from .command import invoke, invoke_json
from .conftest import need

QUICK = ("--seconds", 0.05)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    need("wasm")
    path = tmp_path / "matmul.onnx"
    path.write_bytes(models.matmul(64).SerializeToString())
    return path


def test_times_and_memory(model: Path) -> None:
    document = invoke_json("bench", model, "--dim", "N=8", *QUICK)
    numbers = document["engines"]["onnxlet"]
    assert 0 < numbers["p10_ms"] <= numbers["median_ms"] <= numbers["p90_ms"]
    assert numbers["runs"] >= 3 and numbers["load_ms"] > 0 and numbers["memory"]["engine"] > 0
    assert document["file_bytes"] == model.stat().st_size and document["threads"] == 1
    assert "ratio" not in document and "profile" not in document


@pytest.mark.alone
@pytest.mark.parametrize("size", [["--dim", "N=8"], ["--size", 8], ["-s", "x=8x64"]])
def test_the_profile_counts_operations_and_bytes(model: Path, size: list[Any]) -> None:
    document = invoke_json("bench", model, *size, "--profile", *QUICK)
    product = next(row for row in document["profile"] if "MatMul" in row["op_type"])
    assert product["flops"] == 2 * 8 * 64 * 64
    assert product["bytes"] == 4 * (8 * 64 + 64 * 64 + 8 * 64)
    assert product["kernel"].startswith("gemm") and product["inputs"][0] == "float[8,64]"
    assert sum(row["share"] for row in document["profile"]) == pytest.approx(1)
    assert document["peak"]["gflops"] > 0 and document["peak"]["gigabytes"] > 0


def test_a_row_per_operator(model: Path) -> None:
    rows = invoke_json("bench", model, "--profile", "--by", "operator", *QUICK)["profile"]
    assert sum(row["nodes"] for row in rows) >= len(rows) >= 1
    assert not any("node" in row for row in rows)
    times = [row["us"] for row in rows]
    assert times == sorted(times, reverse=True)


def test_a_trace_is_what_perfetto_reads(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "trace.json"
    assert "profile" not in invoke_json("bench", model, "--trace", out, *QUICK)
    events = json.loads(out.read_text())["traceEvents"]
    assert events and all(event["ph"] == "X" and event["dur"] >= 0 and event["ts"] > 0 for event in events)
    assert all(a["ts"] + a["dur"] <= b["ts"] + 0.01 for a, b in itertools.pairwise(events))
    assert events[0]["args"]["flops"] == 2 * 64 * 64


def test_a_trace_that_cannot_be_written(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "none" / "trace.json"
    done = invoke("bench", model, "--trace", out, *QUICK)
    assert (done.code, done.err) == (
        1,
        f"INVALID_ARGUMENT: {str(out)!r} cannot be written: No such file or directory\n",
    )


def test_the_peer_runs_on_the_same_inputs(model: Path) -> None:
    pytest.importorskip("onnxruntime")
    document = invoke_json("bench", model, "--size", 4, "--peer", "onnxruntime", *QUICK)
    assert document["agrees"] is True and document["difference"] < 1e-5 and document["ratio"] > 0
    assert document["engines"]["onnxruntime"]["median_ms"] > 0
    assert invoke_json("bench", model, "--peer", "onnxruntime", "--tolerance=-1", *QUICK, code=1)["agrees"] is False


def test_tables(model: Path) -> None:
    done = invoke("bench", model, "--profile", "--top", 1, *QUICK)
    assert done.code == 0, done.err
    for word in ("median ms", "x file", "Time by node", "% of peak", "GFLOP/s", "peak of this machine"):
        assert word in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--peer", "abacus"], "--peer takes onnxruntime; 'abacus' given"),
        (["--by", "colour"], "--by takes node or operator; 'colour' given"),
        (["--dim", "N"], "NAME=VALUE"),
        (["-i", "q=zeros"], "no input 'q'; it has x"),
    ],
)
def test_what_is_wrong_is_named(model: Path, arguments: list[str], words: str) -> None:
    done = invoke("bench", model, *arguments, *QUICK)
    assert done.code == 2
    assert words in done.err


def test_usage_errors_and_missing_files(tmp_path: Path) -> None:
    need("wasm")
    assert invoke("bench").code == 2
    assert invoke_json("bench", tmp_path / "none.onnx", code=1)["error"]["code"] == "NO_SUCH_FILE"


def test_the_clocks_own_time() -> None:
    onnx = pytest.importorskip("onnx")
    onnx.checker.check_model(onnx.load_from_string(CLOCK_MODEL))
    need("wasm")
    assert 0 < clock_us("wasm") < 1000
