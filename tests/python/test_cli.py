"""The command line: run, inspect, check, and the exit codes of all commands."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from . import models
from .command import invoke, invoke_json, json_of, onnxlet_command
from .conftest import ROOT, need


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
    first, again, other = (invoke_json("run", model, "--seed", seed, "--threads", 1)["outputs"] for seed in (1, 1, 2))
    assert first == again != other
    assert first["z"]["shape"] == [1, 3]


def test_run_shows_tables(model: Path) -> None:
    done = invoke("run", model, "-i", "x=[[1,2,3]]", "-i", "y=zeros", "--profile", "--repeat", 3)
    assert done.code == 0, done.err
    for word in ("Outputs", "float32", "[1, 3]", "median of 3", "Time by operator", "Add"):
        assert word in done.out


KINDS = r"a file (.npy .npz .png .jpg .jpeg .bmp .gif .webp .wav .json .txt), random, zeros, ones, or a JSON value"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-i", "q=zeros"], "the model has no input 'q'; it has x, y"),
        (["-i", "x"], "--input takes NAME=VALUE; 'x' given"),
        (["-i", "x=what?"], f"input 'x': 'what?' is not {KINDS}"),
        (["-s", "x=axb"], "--shape x=axb: write sizes as 1x3x224x224"),
        (["-s", "N=2x2"], "--shape: 'N' names a single size; [2, 2] given"),
        (["-o", "nothing"], "the model has no output 'nothing'; it has z"),
        (["-o", "z=file.png"], "outputs are saved as .npy, .npz, .json; 'file.png' given"),
        (["--save", "file"], "outputs are saved as .npy, .npz, .json; 'file' given"),
        (["-i", "x=some.npy,a"], "after a file's name come options such as size=224x224; 'a' given"),
        (["-i", "x=some.npy,a=1"], "input 'x': a .npy file takes no options; 'a' given"),
    ],
)
def test_a_wrong_command_line_is_named(model: Path, arguments: list[str], words: str) -> None:
    done = invoke("run", model, *arguments)
    assert (done.code, done.err) == (2, f"INVALID_ARGUMENT: {words}\n")
    assert invoke_json("run", model, *arguments, code=2) == {"error": {"code": "INVALID_ARGUMENT", "message": words}}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["-i", "x=nothing.npy"], "NO_SUCH_FILE", "input 'x': 'nothing.npy' does not exist"),
        (["-i", "nothing.npz"], "NO_SUCH_FILE", "input file 'nothing.npz' does not exist"),
        (["-i", "x=[[1,2]]"], "INVALID_ARGUMENT", "input 'x'"),
        (
            ["-s", f"N={10**12}"],
            "INVALID_ARGUMENT",
            f"input 'x' of shape [{10**12}, 3] cannot be made: Unable to allocate",
        ),
        (["-s", f"N={10**30}"], "INVALID_ARGUMENT", "cannot be made: Maximum allowed dimension exceeded"),
        (["-i", "x=zeros", "-s", "x=1x3", "-s", "y=2x4"], "INVALID_ARGUMENT", "y"),
    ],
)
def test_wrong_data_is_named(model: Path, arguments: list[str], code: str, words: str) -> None:
    done = invoke("run", model, *arguments)
    assert done.code == 1
    assert done.err.startswith(f"{code}: ") and words in done.err


def test_which_input_a_file_is_for(model: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "some.npy", [1])
    file = tmp_path / "some.npy"
    done = invoke("run", model, "-i", file)
    text = f"which input is {str(file)!r} for? The model has x, y: write --input NAME={file}"
    assert (done.code, done.err) == (2, f"INVALID_ARGUMENT: {text}\n")


def test_warnings_are_sentences(model: Path) -> None:
    done = onnxlet_command("run", model, "--backend", "simd", "--threads", 4)
    words = "4 threads were asked for and onnxlet runs with 1: the flavour 'simd' has no threads"
    assert (done.returncode, done.stderr) == (0, f"warning: {words}\n")


def test_an_interrupted_command(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(importlib.import_module("onnxlet.cli.check"), "check_command", interrupt)
    assert invoke("check", model).code == 130


def test_unknown_names_of_backends(model: Path) -> None:
    for command in ("run", "bench", "compare", "inspect", "check"):
        done = invoke(command, model, "--backend", "abacus")
        assert done.code == 2
        words = " ".join(done.err.replace("│", " ").split())
        assert (
            "Invalid value for '--backend': use wasm, native, relaxed-threads, threads, relaxed, simd, scalar or preprocessing"
            in words
        )


def test_a_missing_model(tmp_path: Path) -> None:
    need("wasm")
    for command in ("run", "bench", "compare", "inspect", "check"):
        document = invoke_json(command, tmp_path / "none.onnx", code=1)
        assert "NO_SUCH_FILE" in json.dumps(document)


def test_inspect(model: Path) -> None:
    document = invoke_json("inspect", model)
    assert [item["name"] for item in document["inputs"]] == ["x", "y"]
    assert document["operators"][0] | {"since": 0} == {
        "domain": "",
        "op_type": "Add",
        "count": 1,
        "since": 0,
        "supported": True,
    }
    assert document["unsupported"] == document["problems"] == []
    done = invoke("inspect", model)
    assert done.code == 0, done.err
    for word in ("tensor(float)", "[N, 3]", "Add", "ai.onnx 21", "[bold]tests[/bold]"):
        assert word in done.out


def test_inspect_works_on_what_cannot_run(faulty: Path) -> None:
    document = invoke_json("inspect", faulty)
    assert document["unsupported"] == ["ai.onnx::Frobnicate", "ai.onnx::Wobble"]
    assert [problem.partition(" (")[0] for problem in document["problems"]] == [
        "operator Frobnicate",
        "operator Wobble",
    ]
    assert document["memory"] == {"weights": 0, "how": "not measured: it cannot be loaded"}
    out = invoke("inspect", faulty).out
    assert "Not supported: ai.onnx::Frobnicate, ai.onnx::Wobble" in out and "It cannot be loaded:" in out


def test_inspect_measures_memory(tmp_path: Path) -> None:
    need("wasm")
    path = tmp_path / "model.onnx"
    path.write_bytes(models.matmul(64).SerializeToString())
    memory = invoke_json("inspect", path, "-s", "N=100")["memory"]
    assert memory["weights"] == 64 * 64 * 4 and memory["inputs"] == memory["outputs"] == 100 * 64 * 4
    assert memory["peak"] >= memory["outputs"] and memory["activations"] > 0
    assert memory["engine"] >= memory["weights"] + memory["inputs"] + memory["outputs"]
    assert memory["how"] == "measured by running it on x float[100, 64]"
    idle = invoke_json("inspect", path, "--no-run")["memory"]
    assert idle["how"] == "measured after loading; nothing was run" and "inputs" not in idle
    assert invoke("inspect", path, "-s", "x=1x65").code == 0
    failing = invoke_json("inspect", path, "-s", "x=1x65")["memory"]
    assert failing["how"].startswith("measured after loading; it does not run on random inputs: ")
    out = invoke("inspect", path).out
    for words in ("weights, as stored", "the engine's whole memory", "measured by running it on x float[1, 64]"):
        assert words in out
    assert invoke("inspect", path, "-s", "x=axb").code == 2


def test_inspect_lists_functions_data_files_and_the_largest_initializers(tmp_path: Path) -> None:
    need("wasm")
    made = models.matmul(64)
    function = helper.make_function(
        "local", "Same", ["p"], ["q"], [helper.make_node("Identity", ["p"], ["q"])], [helper.make_opsetid("", 21)]
    )
    made.functions.append(function)
    made.opset_import.append(helper.make_opsetid("local", 1))
    made.graph.initializer.append(numpy_helper.from_array(np.zeros(3, np.int8), "small"))
    path = tmp_path / "model.onnx"
    onnx.save_model(made, path, save_as_external_data=True, location="w.bin", size_threshold=1000)
    document = invoke_json("inspect", path)
    assert document["functions"] == ["local.Same"] and document["external"] == [{"file": "w.bin", "bytes": 16384}]
    assert document["parameters"]["int8"] == {"count": 1, "elements": 3, "bytes": 3}
    assert [item["type"] for item in document["initializers"]] == ["float", "int8"]
    out = invoke("inspect", path, "--top", 1).out
    for words in ("local.Same", "w.bin (16.4 kB)", "Largest initializers", "external", "... and 1 more"):
        assert words in out
    assert "small" not in out and "small" in invoke("inspect", path, "--top", 0).out


def test_inspect_counts_parameters(tmp_path: Path) -> None:
    need("wasm")
    path = tmp_path / "model.onnx"
    path.write_bytes(models.matmul(64).SerializeToString())
    assert invoke_json("inspect", path)["parameters"] == {"float": {"count": 1, "elements": 4096, "bytes": 16384}}


def test_check(model: Path, faulty: Path) -> None:
    assert invoke_json("check", model)["loadable"] is True
    document = invoke_json("check", faulty, code=1)
    assert document["loadable"] is False
    why = "is unknown; if it is yours, register it as a custom operator"
    assert document["problems"] == [
        f"operator Frobnicate (node 'odd' (Frobnicate-1)) {why}",
        f"operator Wobble (node 'odder' (Wobble-1)) {why}",
    ]
    assert invoke("check", model).code == 0
    done = invoke("check", faulty)
    assert done.code == 1 and "cannot be loaded" in done.out


def test_check_lists_problems_of_every_kind(tmp_path: Path) -> None:
    need("wasm")
    made = models.add()
    made.graph.node.extend(
        [
            helper.make_node("Frobnicate", ["z"], ["a"], name="unknown"),
            helper.make_node("Relu", ["z"], ["b"], name="attribute", alpha=1.0),
            helper.make_node("And", ["z", "z"], ["c"], name="types"),
            helper.make_node("Relu", ["nowhere"], ["d"], name="missing"),
            helper.make_node("Relu", ["z", "z"], ["e"], name="arity"),
        ]
    )
    path = tmp_path / "model.onnx"
    path.write_bytes(made.SerializeToString())
    problems = invoke_json("check", path, code=1)["problems"]
    for name in ("unknown", "attribute", "types", "missing", "arity"):
        assert any(f"'{name}'" in problem for problem in problems), problems


def test_string_and_integer_inputs_are_made(tmp_path: Path) -> None:
    need("wasm")
    for dtype in (TensorProto.STRING, TensorProto.INT64, TensorProto.BOOL, TensorProto.BFLOAT16):
        path = tmp_path / f"{dtype}.onnx"
        path.write_bytes(models.identity(dtype, ["N", 2]).SerializeToString())
        assert invoke_json("run", path, "-s", "N=3")["outputs"]["y"]["shape"] == [3, 2]


def test_a_module_that_is_missing_is_an_error_in_words() -> None:
    """Of those that a command cannot begin without."""
    code = "import sys; sys.modules['numpy'] = None; sys.argv = ['onnxlet', 'compare', 'm.onnx']; import onnxlet.cli as c; c.main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "NOT_IMPLEMENTED: comparing needs numpy: pip install 'onnxlet[tools]'\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(shell: str, tmp_path: Path) -> None:
    """What a shell asks for is what the commands know; no file of the user's is written to show it."""
    variable = "_ONNXLET_COMPLETE"

    def complete(words: str) -> str:
        entry = "from onnxlet.cli import app; app(prog_name='onnxlet')"
        asked = {"bash": {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}}
        other = {"_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
        environment = {**os.environ, variable: f"complete_{shell}", "HOME": str(tmp_path), **asked.get(shell, other)}
        command = [sys.executable, "-c", entry]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=60, check=False
        ).stdout

    assert "compare" in complete("onnxlet com")
    assert "relaxed-threads" in complete("onnxlet run m.onnx --backend rel")
    assert "onnxruntime" in complete("onnxlet compare m.onnx --against onnx")
    assert list(tmp_path.iterdir()) == []


def test_completion_is_installed(tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path)}
    entry = "import sys; sys.argv[0] = 'onnxlet'; from onnxlet.cli import main; main()"
    command = [sys.executable, "-c", entry, "--install-completion", "bash"]
    environment["_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"] = "1"
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    script = next(path for path in tmp_path.rglob("*") if path.is_file() and "_ONNXLET_COMPLETE" in path.read_text())
    assert "onnxlet" in script.name
