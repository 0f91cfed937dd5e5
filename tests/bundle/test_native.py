"""`onnxlet bundle --target native`: a static program answers, with the network cut and nothing installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from onnxlet.bundle import ARCHITECTURES, BundleError, Request
from onnxlet.bundle import make as make_bundle
from onnxlet.bundle.keys import new_key
from onnxlet.errors import InvalidArgument
from tests.bundle import small
from tests.bundle.cases import cases, check
from tests.bundle.damage import damages
from tests.bundle.linked import CASES, echo_bundle, one_engine
from tests.bundle.toolbox import make, outputs, program, run
from tests.support.missing import missing

pytestmark = pytest.mark.usefixtures("one_engine")
__all__ = ["one_engine"]

HERE = "x86_64"
EMULATORS = {"x86_64": "qemu-x86_64", "aarch64": "qemu-aarch64", "armv7": "qemu-arm", "riscv64": "qemu-riscv64"}


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return echo_bundle(tmp_path_factory.mktemp("echo") / "bundle", "native", architectures=[HERE]) / f"echo-{HERE}"


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("digits") / "bundle"
    return program(make(cases()["digits"].model(), folder, "native", architectures=[HERE]), HERE)


def emulator(architecture: str) -> str:
    found = shutil.which(EMULATORS[architecture])
    return found or missing(f"{EMULATORS[architecture]} is not installed (Debian: apt install qemu-user)")


# ---- answers ----


@pytest.mark.parametrize("name", CASES)
def test_answers(name: str, tmp_path: Path) -> None:
    case = cases()[name]
    folder = make(case.model(), tmp_path / "bundle", "native", architectures=[HERE])
    done = run([program(folder, HERE), *case.arguments(tmp_path), "--json"])
    assert (done.returncode, done.stderr) == (0, "")
    check(case, outputs(done.stdout), tmp_path)


@pytest.mark.only_with_all  # an engine is compiled for each
@pytest.mark.parametrize("architecture", ARCHITECTURES[1:])
def test_other_machines(architecture: str, tmp_path: Path) -> None:
    qemu = emulator(architecture)
    for name in CASES:
        case = cases()[name]
        folder = make(case.model(), tmp_path / name, "native", architectures=[architecture])
        arguments = case.arguments(tmp_path)
        done = run([qemu, program(folder, architecture), *arguments, "--json", "--threads", "2"])
        assert (done.returncode, done.stderr) == (0, "")
        check(case, outputs(done.stdout), tmp_path)


def test_threads_do_not_change_the_answer(digits: Path, tmp_path: Path) -> None:
    arguments = cases()["digits"].arguments(tmp_path)
    one, two = (run([digits, *arguments, "--json", "--threads", count]).stdout for count in ("1", "2"))
    assert one == two != ""


def test_a_table_for_a_person(tmp_path: Path) -> None:
    case = cases()["screening"]
    folder = make(case.model(), tmp_path / "bundle", "native", architectures=[HERE])
    done = run([program(folder, HERE), *case.arguments(tmp_path)])
    names, *rows = [line.split(",") for line in done.stdout.splitlines()]
    reference = case.reference(tmp_path)
    assert names == ["label", "probabilities[0]", "probabilities[1]", "probabilities[2]"]
    assert [row[0] for row in rows] == reference["label"].tolist()
    np.testing.assert_allclose(np.array([row[1:] for row in rows], np.float32), reference["probabilities"], atol=1e-6)


def test_every_digit(echo: Path) -> None:
    f = [0.1, -0.0, 1e-45, 3.4028235e38, 16777217]
    d = [0.1, -0.0, 5e-324, 1.7976931348623157e308, 1 / 3]
    i = [-(2**63), 2**63 - 1, 2**53 + 1, 0, -1]
    s = ['say "no"', "Zürich 🙂", "", "a\nb", "\\"]
    done = run([echo, *map(json.dumps, (f, d, i, s)), "--json"])
    assert (done.returncode, done.stderr) == (0, "")
    found = outputs(done.stdout)
    np.testing.assert_array_equal(found["f_out"], np.array(f, np.float32))
    np.testing.assert_array_equal(np.signbit(found["f_out"]), np.signbit(f))
    np.testing.assert_array_equal(found["d_out"], np.array(d))
    assert found["i_out"].tolist() == i
    assert found["s_out"].tolist() == s


def test_numbers_that_json_has_not(echo: Path) -> None:
    done = run([echo, '["NaN", "Infinity", "-Infinity"]', '["NaN"]', "[]", "[]", "--json"])
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)["outputs"]
    assert found["f_out"] == {"dtype": "float32", "shape": [3], "data": ["NaN", "Infinity", "-Infinity"]}
    assert found["i_out"] == {"dtype": "int64", "shape": [0], "data": []}


def test_what_is_written_can_be_read(echo: Path, tmp_path: Path) -> None:
    given = {
        "f": np.array([1.5, np.nan], np.float32),
        "d": np.array([2.5]),
        "i": np.array([7, -7]),
        "s": np.array(["naïve", "", "🙂"]),
    }
    for name, array in given.items():
        np.save(tmp_path / f"{name}.npy", array)
    words = [word for name in given for word in ("--output", f"{name}_out={tmp_path / name}-out.npy")]
    done = run([echo, *(tmp_path / f"{name}.npy" for name in given), *words])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    for name, array in given.items():
        found = np.load(tmp_path / f"{name}-out.npy")
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)
    whole = run([echo, "[1, 2]", "[3]", "[4]", '["x"]', "--json"]).stdout
    again = [json.dumps(output) for output in json.loads(whole)["outputs"].values()]
    assert run([echo, *again, "--json"]).stdout == whole


def test_arrays_of_other_types_and_orders(digits: Path, tmp_path: Path) -> None:
    cases()["digits"].arguments(tmp_path)
    array = np.load(tmp_path / "digits.npy")
    np.save(tmp_path / "other.npy", np.asfortranarray(array.astype(np.float64)))
    first, second = (run([digits, tmp_path / name, "--json"]).stdout for name in ("digits.npy", "other.npy"))
    assert first == second != ""


def test_words_from_files_and_from_standard_input(echo: Path, tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text("[1, 2]")
    done = run([echo, f"@{tmp_path / 'f.json'}", "-", "[3]", "--input", 's=["x"]', "--json"], stdin="[0.5]")
    found = outputs(done.stdout)
    assert (found["f_out"].tolist(), found["d_out"].tolist(), found["s_out"].tolist()) == ([1, 2], [0.5], ["x"])


def test_help_and_info(echo: Path) -> None:
    done = run([echo, "--help"])
    assert done.returncode == 0
    assert done.stdout.startswith(
        "Echo: Gives back what it is given.\nusage: echo-x86_64 [OPTION ...] f d i s\ninputs:\n"
    )
    assert "  i  int64 [n], path of a .npy file or JSON\n" in done.stdout
    assert "engine: onnxlet 0.1.0\nmodel: " in run([echo, "--info"]).stdout
    assert run([echo, "--verify"]).stdout == "the bundle is what it was\n"
    repeated = run([echo, "[1]", "[1]", "[1]", "[]", "--repeat", "3", "--threads", "1"])
    assert repeated.stderr.startswith("3 runs on 1 threads: fastest ")


# ---- refusals ----

FULL = ("[1]", "[1]", "[1]", "[]")
REFUSED = [
    ((), 2, "input 'f' is not given (float32 [n], path of a .npy file or JSON); --help shows the inputs"),
    ((*FULL, "5"), 2, "'5' is one argument too many; --help shows the inputs"),
    (("--input", "q=1"), 2, "there is no input 'q'; --help shows the inputs"),
    (("--input", "f=1", "--input", "f=1"), 2, "input 'f' is given twice; --help shows the inputs"),
    (("--input", "f"), 2, "--input takes NAME=VALUE; 'f' given; --help shows the usage"),
    (("--table", "t.csv"), 2, "no input takes a table; --help shows the inputs"),
    (("--output", "q=o.npy"), 2, "there is no output 'q'; --help shows them"),
    (("--rows",), 2, "there is no option --rows; --help shows the usage"),
    (("--repeat",), 2, "--repeat takes a value; --help shows the usage"),
    (("--repeat", "0"), 2, "--repeat takes a number from 1; '0' given; --help shows the usage"),
    (("--verify", "--no-verify"), 2, "--verify and --no-verify exclude each other; --help shows the usage"),
    (("--key-file", "a", "--key-env", "b"), 2, "--key-file and --key-env exclude each other; --help shows the usage"),
    (
        ("[1,", *FULL[1:]),
        1,
        "input 'f' is not JSON: it ends too early at character 3; it takes float32 [n], path of a .npy file or JSON",
    ),
    (("[[1], [2, 3]]", *FULL[1:]), 1, "input 'f' has lists of different lengths; it takes float32 [n]"),
    (("[1, [2]]", *FULL[1:]), 1, "input 'f' has lists of different depths; it takes float32 [n]"),
    (('["x"]', *FULL[1:]), 1, "input 'f' has an element that is no float32, 'x'; it takes float32 [n]"),
    (("[1]", "[1]", "[1.5]", "[]"), 1, "input 'i' has an element that is no int64, '1.5'; it takes int64 [n]"),
    (("[1]", "[1]", "[1]", "[5]"), 1, "input 's' has an element that is no string; it takes string [n]"),
    (("none.npy", *FULL[1:]), 1, "none.npy cannot be read: No such file or directory"),
]


@pytest.mark.parametrize(("words", "status", "message"), REFUSED, ids=lambda value: str(value)[:40])
def test_refusals(echo: Path, words: tuple[str, ...], status: int, message: str) -> None:
    done = run([echo, *words])
    assert (done.returncode, done.stdout, done.stderr) == (status, "", f"error: {message}\n")


def test_damaged_arrays(echo: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "whole.npy", np.ones(4, np.float32))
    whole = (tmp_path / "whole.npy").read_bytes()
    damaged = {
        "short": (whole[:-1], "is damaged: it has 15 bytes of elements, not 16"),
        "long": (whole + b"x", "is damaged: it has 17 bytes of elements, not 16"),
        "text": (b"1, 2, 3", "is no .npy file: it does not start like one"),
        "head": (whole[:64], "is no .npy file: its header is cut short"),
        "type": (whole.replace(b"<f4", b"|O8"), "has elements of numpy's type |O8, which no input takes"),
    }
    for name, (data, message) in damaged.items():
        path = tmp_path / f"{name}.npy"
        path.write_bytes(data)
        done = run([echo, path, *FULL[1:]])
        assert (done.returncode, done.stderr) == (1, f"error: {path} {message}\n")


TABLES = {
    "empty": ("", "is empty; it needs a line of names"),
    "ragged": ("a,b,c\n1,2\n", "line 2 has 2 fields, and the first line 3"),
    "open": ('a,b,c\n1,"2,3\n', "line 2: a quote is not closed"),
    "quoted": ('a,b,c\n1,"2"x,3\n', "line 2: after a field comes neither a comma nor the end of the line"),
    "narrow": ("a,b\n1,2\n", "has 2 columns; input 'x' takes 3"),
    "word": ("a,b,c\n1,two,3\n", "'two' in column 'b', row 1, is no float32"),
}


def test_tables(tmp_path: Path) -> None:
    adder = _adder(tmp_path / "bundle")
    table = tmp_path / "t.csv"
    table.write_bytes(b'\xef\xbb\xbfa,"b ""x""",c\r\n1,"2",\r\n-0.5,1e3,inf')
    done = run([adder, "--table", table])
    assert (done.returncode, done.stdout) == (0, "y[0],y[1],y[2]\n2.0,4.0,nan\n0.5,1002.0,inf\n")
    for text, message in TABLES.values():
        table.write_text(text)
        done = run([adder, "--table", table])
        assert done.returncode == 1
        assert done.stderr in (f"error: {table} {message}\n", f"error: {table}: {message}\n")


def _adder(folder: Path, **options: object) -> Path:
    model = folder.with_suffix(".onnx")
    model.write_bytes(small.model())
    return program(make(model, folder, "native", architectures=[HERE], **options), HERE)


# ---- proof ----


def test_damage_is_noticed(echo: Path) -> None:
    folder = echo.parent
    for damage in damages(folder, count=200, leave=(echo.name,)):
        with damage.done(folder):
            done = run([echo, *FULL])
            assert (done.returncode, done.stdout) == (3, ""), str(damage)
            named = "SHA256SUMS" if damage.path == "SHA256SUMS" else damage.path
            assert done.stderr.startswith("error: ") and (named in done.stderr or damage.path == "SHA256SUMS"), (
                done.stderr
            )
    assert run([echo, *FULL]).returncode == 0


def test_a_changed_program_gives_no_answer(echo: Path, tmp_path: Path) -> None:
    whole = echo.read_bytes()
    for at in range(len(whole) - 1, len(whole) - 700, -37):
        changed = tmp_path / "changed"
        changed.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        changed.chmod(0o755)
        folder = tmp_path / "bundle"
        shutil.copytree(echo.parent, folder, dirs_exist_ok=True)
        shutil.move(changed, folder / echo.name)
        done = run([folder / echo.name, *FULL])
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr.startswith(f"error: {echo.name} differs: its SHA-256 is ")


def test_alone_it_checks_the_model_inside(echo: Path, tmp_path: Path) -> None:
    alone = shutil.copy(echo, tmp_path / "alone")
    done = run([alone, *FULL])
    assert (done.returncode, done.stderr) == (
        3,
        "error: SHA256SUMS is missing (--no-verify runs the program without it)\n",
    )
    assert run([alone, *FULL, "--no-verify"]).returncode == 0
    cut = tmp_path / "cut"
    cut.write_bytes(echo.read_bytes()[:-1])
    cut.chmod(0o755)
    done = run([cut, *FULL, "--no-verify"])
    assert (done.returncode, done.stderr) == (3, "error: there is no model in this program, or its end is missing\n")


def test_the_model_beside(tmp_path: Path) -> None:
    adder = _adder(tmp_path / "bundle", model_beside=True)
    assert (adder.parent / "model.onnx").read_bytes() == small.model()
    words = ("[[1, 2, 3]]", "--json", "--no-verify")
    assert outputs(run([adder, *words]).stdout)["y"].tolist() == [[2, 4, 6]]
    (adder.parent / "model.onnx").unlink()
    done = run([adder, *words])
    assert (done.returncode, done.stderr) == (3, "error: model.onnx is missing\n")


def test_encrypted(tmp_path: Path) -> None:
    key, other = tmp_path / "key", tmp_path / "other"
    new_key(key)
    new_key(other)
    adder = _adder(tmp_path / "bundle", encryption_key=key)
    assert small.model() not in adder.read_bytes()
    words = ("[[1, 2, 3]]", "--json")
    for options, environment in ((("--key-file", str(key)), None), (("--key-env", "K"), {"K": key.read_text()})):
        done = run([adder, *words, *options], environment=environment)
        assert outputs(done.stdout)["y"].tolist() == [[2, 4, 6]]
    refusals = {
        (): "the model is encrypted: give its key with --key-file FILE or --key-env VARIABLE",
        ("--key-env", "ONNXLET_NO_KEY"): "the environment variable ONNXLET_NO_KEY is not set",
        ("--key-file", str(adder.parent / "SHA256SUMS")): f"the key file {adder.parent / 'SHA256SUMS'} is not a key: "
        "it takes 32 bytes, as 64 hexadecimal digits or as base64",
        ("--key-file", str(other)): "model.onnx.enc could not be decrypted: the key is another one, or the file is not "
        "the encrypted original",
    }
    for options, message in refusals.items():
        done = run([adder, *words, *options])
        assert (done.returncode, done.stdout, done.stderr) == (1, "", f"error: {message}\n")


def test_twice_the_same(echo: Path, tmp_path: Path) -> None:
    again = echo_bundle(tmp_path / "elsewhere", "native", architectures=[HERE])
    names = sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(echo.parent) for path in echo.parent.rglob("*") if path.is_file())
    for name in names:
        assert (again / name).read_bytes() == (echo.parent / name).read_bytes(), name


# ---- the library ----


def test_the_example_in_c(digits: Path, tmp_path: Path) -> None:
    folder = digits.parent
    command = [sys.executable, "-m", "ziglang", "cc", "-target", f"{HERE}-linux-musl", "-static", folder / "example.c"]
    command += [folder / "lib" / HERE / "libonnxlet.a", "-lc++", "-o", tmp_path / "example"]
    subprocess.run(command, check=True)
    model = cases()["digits"].model()
    done = run([tmp_path / "example", model, "image", "2", "1", "8", "8"])
    (reference,) = onnxruntime.InferenceSession(model).run(None, {"image": np.ones((2, 1, 8, 8), np.float32)})
    np.testing.assert_allclose(np.array(done.stdout.split(), np.float32), reference.ravel(), rtol=1e-4, atol=1e-5)


def test_what_there_is_not(tmp_path: Path) -> None:
    model = tmp_path / "m.onnx"
    model.write_bytes(small.model())
    with pytest.raises(InvalidArgument, match="there is no architecture 'sparc'; use x86_64, aarch64, armv7, riscv64"):
        make_bundle(Request([model], tmp_path / "out", target="native", architectures=["sparc"]))
    with pytest.raises(BundleError, match="is not an empty folder"):
        make_bundle(Request([model], tmp_path, target="native"))
