"""The command line: run, inspect, check, and their exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from . import models
from .conftest import ROOT, need


def onnxlet_command(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "onnxlet", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)


def json_of(*arguments: object, code: int = 0) -> Any:
    done = onnxlet_command(*arguments, "--json")
    assert done.returncode == code, done.stderr + done.stdout
    return json.loads(done.stdout)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    need("wasm")
    path = tmp_path / "add.onnx"
    made = models.add()
    helper.set_model_props(made, {"author": "[bold]tests[/bold]"})
    path.write_bytes(made.SerializeToString())
    return path


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    need("wasm")
    made = models.add()
    made.graph.node.append(helper.make_node("Frobnicate", ["z"], ["q"], name="odd"))
    made.graph.node.append(helper.make_node("Wobble", ["q"], ["r"], name="odder"))
    made.graph.output[0].name = "r"
    path = tmp_path / "faulty.onnx"
    path.write_bytes(made.SerializeToString())
    return path


def test_version_and_help() -> None:
    done = onnxlet_command("--version")
    assert (done.returncode, done.stdout.strip()) == (0, "0.1.0")
    assert "inspect" in onnxlet_command("--help").stdout
    assert onnxlet_command("nonsense").returncode == 2


def test_run_with_files_and_made_inputs(model: Path, tmp_path: Path) -> None:
    x = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    np.save(tmp_path / "x.npy", x)
    out = tmp_path / "z.npy"
    document = json_of("run", model, "-i", f"x={tmp_path / 'x.npy'}", "-i", "y=ones", "-s", "N=2", "-o", f"z={out}")
    np.testing.assert_array_equal(np.load(out), x + 1)
    assert document["outputs"]["z"]["data"] == (x + 1).tolist()
    assert document["outputs"]["z"]["shape"] == [2, 3]
    assert document["run_ms"][0] > 0 and document["memory"]["engine"] > 0


def test_run_makes_random_inputs_that_a_seed_repeats(model: Path) -> None:
    first, again, other = (json_of("run", model, "--seed", seed, "--threads", 1)["outputs"] for seed in (1, 1, 2))
    assert first == again != other
    assert first["z"]["shape"] == [1, 3]


def test_run_shows_tables(model: Path) -> None:
    done = onnxlet_command("run", model, "-i", "x=[[1,2,3]]", "-i", "y=zeros", "--profile", "--repeat", 3)
    assert done.returncode == 0, done.stderr
    for word in ("Outputs", "float32", "[1, 3]", "median of 3", "Time by operator", "Add"):
        assert word in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-i", "q=zeros"], "no input 'q'; it has x, y"),
        (["-i", "x"], "NAME=VALUE"),
        (["-i", "x=nothing.npy"], "does not exist"),
        (["-i", "x=what?"], "not a .npy file"),
        (["-s", "x=axb"], "1x3x224x224"),
        (["-o", "nothing"], "nothing"),
    ],
)
def test_run_names_what_is_wrong(model: Path, arguments: list[str], words: str) -> None:
    done = onnxlet_command("run", model, *arguments)
    assert done.returncode == 1
    assert words in done.stderr


def test_a_missing_model(tmp_path: Path) -> None:
    need("wasm")
    for command in ("run", "inspect", "check"):
        document = json_of(command, tmp_path / "none.onnx", code=1)
        assert "NO_SUCH_FILE" in json.dumps(document)


def test_inspect(model: Path) -> None:
    document = json_of("inspect", model)
    assert [item["name"] for item in document["inputs"]] == ["x", "y"]
    assert document["operators"][0] | {"since": 0} == {
        "domain": "",
        "op_type": "Add",
        "count": 1,
        "since": 0,
        "supported": True,
    }
    assert document["unsupported"] == []
    done = onnxlet_command("inspect", model)
    assert done.returncode == 0, done.stderr
    for word in ("tensor(float)", "[N, 3]", "Add", "ai.onnx 21", "[bold]tests[/bold]"):
        assert word in done.stdout


def test_inspect_works_on_what_cannot_run(faulty: Path) -> None:
    assert json_of("inspect", faulty)["unsupported"] == ["ai.onnx::Frobnicate", "ai.onnx::Wobble"]
    assert "Not supported" in onnxlet_command("inspect", faulty).stdout


def test_inspect_counts_parameters(tmp_path: Path) -> None:
    need("wasm")
    path = tmp_path / "model.onnx"
    path.write_bytes(models.matmul(64).SerializeToString())
    assert json_of("inspect", path)["parameters"] == {"float": {"count": 1, "elements": 4096, "bytes": 16384}}


def test_check(model: Path, faulty: Path) -> None:
    assert json_of("check", model)["loadable"] is True
    document = json_of("check", faulty, code=1)
    assert document["loadable"] is False
    text = "\n".join(document["problems"])
    assert "Frobnicate" in text and "Wobble" in text  # all problems, not only the first
    assert onnxlet_command("check", model).returncode == 0
    done = onnxlet_command("check", faulty)
    assert done.returncode == 1 and "cannot be loaded" in done.stdout


def test_string_and_integer_inputs_are_made(tmp_path: Path) -> None:
    need("wasm")
    for dtype in (TensorProto.STRING, TensorProto.INT64, TensorProto.BOOL, TensorProto.BFLOAT16):
        path = tmp_path / f"{dtype}.onnx"
        path.write_bytes(models.identity(dtype, ["N", 2]).SerializeToString())
        assert json_of("run", path, "-s", "N=3")["outputs"]["y"]["shape"] == [3, 2]
