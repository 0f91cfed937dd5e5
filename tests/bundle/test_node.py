"""`onnxlet bundle --target node`: the folder answers on Node with the network cut, and notices what was changed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from onnxlet.bundle import Input, Interface, Output
from onnxlet.bundle.keys import new_key
from tests.bundle import toolbox
from tests.bundle.cases import cases, check
from tests.bundle.damage import damages
from tests.bundle.toolbox import make, make_case, make_of, outputs, run
from tests.python import models
from tests.support.missing import missing

ADDED = '{"outputs": {"z": {"dtype": "float32", "shape": [1, 3], "data": [11, 22, 33]}}}\n'
X_AND_Y = ("[[1, 2, 3]]", "[[10, 20, 30]]")


@pytest.fixture(scope="module", autouse=True)
def _needed() -> None:
    toolbox.built_scripts("node")
    if shutil.which("node") is None:
        missing("Node is not installed")


def saved(model: onnx.ModelProto, path: Path) -> Path:
    onnx.save(model, path)
    return path


@pytest.fixture(scope="module")
def add(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """z = x + y."""
    folder = tmp_path_factory.mktemp("add")
    return make(saved(models.add(), folder / "add.onnx"), folder / "bundle", "node")


@pytest.mark.parametrize(
    ("name", "ops"),
    [
        *((name, "full") for name in ("forest", "screening-maps", "digits")),
        pytest.param("digit-picture", "full", marks=pytest.mark.only_with_all),
        *(pytest.param(name, "trimmed", marks=pytest.mark.only_with_all) for name in cases()),
    ],
)
def test_answers(name: str, ops: str, tmp_path: Path, fetched: Callable[[Callable[[], Path]], Path]) -> None:
    case = cases()[name]
    folder = fetched(lambda: make_case(case, tmp_path, "node", ops=ops))
    done = run(["node", folder / "run.mjs", *case.arguments(tmp_path), "--json"])
    assert (done.returncode, done.stderr) == (0, "")
    check(case, outputs(done.stdout), tmp_path)


def test_inputs_by_place_and_by_name(add: Path) -> None:
    x, y = X_AND_Y
    for arguments in ([x, y], ["--input", f"y={y}", x], ["--input", f"y={y}", "--input", f"x={x}"]):
        done = run(["node", add / "run.mjs", *arguments, "--json"])
        assert (done.returncode, done.stdout, done.stderr) == (0, ADDED, "")


def test_words_for_a_person(add: Path) -> None:
    done = run(["node", add / "run.mjs", *X_AND_Y])
    assert (done.returncode, done.stdout) == (0, "float32 [1, 3]\n11 22 33\n")


def test_outputs_are_saved(add: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[1, 2, 3]], ">f8"))
    np.save(tmp_path / "y.npy", np.asfortranarray(np.arange(6).reshape(2, 3)[:1]))
    done = run(["node", add / "run.mjs", tmp_path / "x.npy", tmp_path / "y.npy", "--output", f"z={tmp_path / 'z.npy'}"])
    assert (done.returncode, done.stderr) == (0, "")
    z = np.load(tmp_path / "z.npy")
    assert z.dtype == np.float32
    np.testing.assert_array_equal(z, [[1, 3, 5]])


def test_numbers_come_with_all_their_digits(tmp_path: Path) -> None:
    values = np.array([0.1, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3.4028235e38], np.float32)
    folder = make(saved(models.identity(TensorProto.FLOAT, ["n"]), tmp_path / "m.onnx"), tmp_path / "bundle", "node")
    np.save(tmp_path / "x.npy", values)
    done = run(["node", folder / "run.mjs", tmp_path / "x.npy", "--json"])
    found = outputs(done.stdout)["y"]
    np.testing.assert_array_equal(found.view(np.uint32) & 0xFF800000, values.view(np.uint32) & 0xFF800000)
    np.testing.assert_array_equal(found, values)
    again = run(["node", folder / "run.mjs", json.dumps(json.loads(done.stdout)["outputs"]["y"]), "--json"])
    assert again.stdout == done.stdout


def test_text_from_words_a_file_and_the_standard_input(tmp_path: Path) -> None:
    shape = ("n",)
    interface = Interface("w", (Input("x", "text", "string", shape),), (Output("y", "text", "string", shape),))
    folder = make_of(models.identity(TensorProto.STRING, shape), interface, tmp_path / "bundle", "node")
    words = "Grüße, “you”"
    (tmp_path / "words.txt").write_text(words)
    for argument, stdin in ((words, ""), (f"@{tmp_path / 'words.txt'}", ""), ("-", words)):
        done = run(["node", folder / "run.mjs", argument], stdin=stdin)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{words}\n", "")


def test_a_table_in_and_out(tmp_path: Path) -> None:
    folder = make(saved(rows(), tmp_path / "rows.onnx"), tmp_path / "bundle", "node")
    (tmp_path / "t.csv").write_text('city,age\r\n"Bonn, am Rhein",31\r\n"the ""old"" one",\r\n')
    done = run(["node", folder / "run.mjs", "--table", tmp_path / "t.csv"])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == 'older,same\n32,"Bonn, am Rhein"\nNaN,"the ""old"" one"\n'
    done = run(["node", folder / "run.mjs", "[1.5, 2]", '["a", "b"]'])
    assert done.stdout == "older,same\n2.5,a\n3,b\n"
    done = run(["node", folder / "run.mjs", "40", "Bonn"])
    assert done.stdout == "older,same\n41,Bonn\n"


def rows() -> onnx.ModelProto:
    """older = age + 1, same = city."""
    column = ("n", 1)
    return models.model(
        [helper.make_node("Add", ["age", "one"], ["older"]), helper.make_node("Identity", ["city"], ["same"])],
        [models.tensor("age", shape=column), models.tensor("city", TensorProto.STRING, column)],
        [models.tensor("older", shape=column), models.tensor("same", TensorProto.STRING, column)],
        [helper.make_tensor("one", TensorProto.FLOAT, [1], [1.0])],
    )


def test_the_module(add: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.mjs"
    program.write_text(
        f"""import {{ ask, open }} from {json.dumps((add / "index.mjs").as_uri())};
        const {{ z }} = await ask({{ x: [[1, 2, 3]], y: {{ type: 'float32', dims: [1, 3], data: Float32Array.of(1, 1, 1) }} }});
        const bundle = await open({{ verify: false, threads: 1 }});
        const again = await bundle.ask({{ x: [[1, 2, 3]], y: z }});
        const wrong = await bundle.ask({{ x: [[1]], w: 1 }}).catch((error) => error.message);
        console.log(JSON.stringify([[...z.data], [...again.z.data], wrong, bundle.interface.name, bundle.threads]));
        await bundle.close();
        """
    )
    done = run(["node", program])
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == [
        [2, 3, 4],
        [3, 5, 7],
        'there is no input "w"; the inputs are x, y',
        "add",
        1,
    ]


def test_repeat_help_info_and_verify(add: Path) -> None:
    done = run(["node", add / "run.mjs", "--repeat", "3", *X_AND_Y, "--json"])
    assert done.stdout == ADDED
    assert done.stderr.startswith("3 runs: median ")
    done = run(["node", add / "run.mjs", "--help"])
    assert done.returncode == 0 and "x                a .npy file, or JSON lists (float32)" in done.stdout
    done = run(["node", add / "run.mjs", "--info"])
    assert done.stdout.splitlines()[1] == "input   x: tensor, float32 [N, 3]"
    done = run(["node", add / "run.mjs", "--info", "--json"])
    assert json.loads(done.stdout) == json.loads((add / "interface.json").read_text())
    count = len(list(add.iterdir())) - 1
    done = run(["node", add / "run.mjs", "--verify"])
    assert (done.returncode, done.stdout) == (0, f"all {count} files are what they were\n")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["[[1, 2, 3]]"], 2, "the input y is missing"),
        (["1", "2", "3"], 2, "3 arguments are given for 2 inputs (x, y)"),
        (["--input", "w=1"], 2, "there is no input w; the inputs are x, y"),
        (["--input", "x"], 2, '--input takes NAME=VALUE; "x" given'),
        (["--input", "x=1", "--input", "x=2"], 2, "--input names x twice"),
        ([*X_AND_Y, "--output", "w=a.npy"], 2, "there is no output w; the outputs are z"),
        ([*X_AND_Y, "--repeat", "0"], 2, "--repeat takes a number from 1 up; 0 given"),
        (["--verify", "--no-verify"], 2, "--verify and --no-verify exclude each other"),
        (["--bogus"], 2, "Unknown option '--bogus'"),
        (["[[1, 2], [3]]", "1"], 1, 'input "x" has lists of different lengths or depths; a tensor needs equal ones'),
        (["[[1, null, 3]]", "1"], 1, 'input "x" takes numbers, true, false and texts in lists; null given'),
        (['[["one"]]', "1"], 1, 'input "x" takes numbers (float32); "one" given'),
        (["[[1", "1"], 1, 'input "x" is no JSON: '),
        (["absent.npy", "1"], 1, "absent.npy does not exist"),
        (["[[1, 2]]", "[[1, 2]]"], 1, "input 'x'"),
    ],
)
def test_what_is_wrong_is_said(add: Path, arguments: list[str], code: int, words: str) -> None:
    done = run(["node", add / "run.mjs", *arguments])
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"error: {words}"), done.stderr
    assert len(done.stderr.splitlines()) == (2 if code == 2 else 1)


def test_damage_is_noticed(add: Path, request: pytest.FixtureRequest) -> None:
    count = 200 if request.config.getoption("--all") else 10
    for damage in damages(add, count, leave=("run.mjs",)):
        with damage.done(add):
            done = run(["node", add / "run.mjs", *X_AND_Y])
        assert (done.returncode, done.stdout) == (3, ""), damage
        assert done.stderr.startswith(f"error: {'SHA256SUMS' if damage.path == 'SHA256SUMS' else damage.path} "), damage


def test_an_encrypted_model(tmp_path: Path) -> None:
    key = tmp_path / "key"
    new_key(key)
    folder = make(saved(models.add(), tmp_path / "add.onnx"), tmp_path / "bundle", "node", encryption_key=key)
    assert not (folder / "model.onnx").exists()
    start = ["node", folder / "run.mjs", "--json", *X_AND_Y]
    for done in (
        run([*start, "--key-file", key]),
        run([*start, "--key-env", "MODEL_KEY"], environment={"MODEL_KEY": key.read_text()}),
    ):
        assert (done.returncode, done.stdout, done.stderr) == (0, ADDED, "")
    (tmp_path / "other").write_text("00" * 32)
    (tmp_path / "short").write_text("00" * 31)
    for options, words in (
        ([], "the model is encrypted; give its key with --key-file or --key-env"),
        (["--key-file", tmp_path / "other"], "the model could not be decrypted: the key is another one"),
        (["--key-file", tmp_path / "short"], "the key in "),
        (["--key-env", "ABSENT"], "the environment has no variable ABSENT"),
    ):
        done = run([*start, *options])
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"error: {words}"), done.stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: (folder / "SHA256SUMS").unlink(), "SHA256SUMS is missing"),
        (lambda folder: (folder / "SHA256SUMS").write_text("x"), "SHA256SUMS is damaged: its last line has no end"),
        (
            lambda folder: (folder / "SHA256SUMS").write_text((folder / "SHA256SUMS").read_text() + "\n"),
            "SHA256SUMS is damaged: line ",
        ),
        (
            lambda folder: (folder / "added.txt").write_text(""),
            "added.txt is extra: SHA256SUMS does not list it",
        ),
        (lambda folder: (folder / "link").symlink_to("run.mjs"), "link is not a regular file"),
        (
            lambda folder: ((folder / "model.onnx").unlink(), (folder / "model.onnx").symlink_to("/dev/null")),
            "model.onnx is not a regular file",
        ),
    ],
)
def test_additions_and_the_list_itself(add: Path, tmp_path: Path, change: object, words: str) -> None:
    folder = tmp_path / "bundle"
    shutil.copytree(add, folder)
    assert callable(change)
    change(folder)
    done = run(["node", folder / "run.mjs", *X_AND_Y])
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"error: {words}"), done.stderr


def test_the_same_request_gives_the_same_bytes(add: Path, tmp_path: Path) -> None:
    again = make(saved(models.add(), tmp_path / "add.onnx"), tmp_path / "bundle", "node")
    assert {path.name: path.read_bytes() for path in add.iterdir()} == {
        path.name: path.read_bytes() for path in again.iterdir()
    }
