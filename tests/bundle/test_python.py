"""`onnxlet bundle --target python`: the file answers in a Python with nothing installed and the network cut."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pty
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from onnxlet.bundle import BundleError, Request, wasmtime_wheels
from onnxlet.bundle import make as make_bundle
from onnxlet.bundle.decryption import decryption_module
from onnxlet.bundle.encryption import encrypt
from onnxlet.bundle.keys import new_key
from onnxlet.bundle.proof import verify
from onnxlet.runner.decryption import decrypt
from onnxlet.runner.program import Failure
from tests.bundle.cases import cases, check
from tests.bundle.damage import damages
from tests.bundle.toolbox import make, make_case, outputs, run
from tests.python import models

ADDED = '{"outputs": {"z": {"dtype": "float32", "shape": [1, 3], "data": [11, 22, 33]}}}\n'
X_AND_Y = ("[[1, 2, 3]]", "[[10, 20, 30]]")
BARE = (sys.executable, "-I", "-S")
"""Python without what is installed."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("python")


@pytest.fixture(scope="module", autouse=True)
def _cache(home: Path) -> None:
    os.environ["ONNXLET_TEST_CACHE"] = str(home / "cache")


def ask(program: Path, *words: object, **options: object) -> subprocess.CompletedProcess[str]:
    environment = {"ONNXLET_CACHE": os.environ["ONNXLET_TEST_CACHE"], **options.get("environment", {})}  # type: ignore[dict-item]
    return run([*BARE, program, *map(str, words)], environment=environment)


@pytest.fixture(scope="module")
def add(home: Path) -> Path:
    """z = x + y."""
    onnx.save(models.add(), home / "add.onnx")
    return make(home / "add.onnx", home / "bundle", "python") / "add.pyz"


@pytest.mark.parametrize(
    ("name", "ops"),
    [
        *((name, "full") for name in ("forest", "screening", "screening-maps")),
        pytest.param("digit-picture", "full", marks=pytest.mark.only_with_all),
        *(pytest.param(name, "trimmed", marks=pytest.mark.only_with_all) for name in cases()),
    ],
)
def test_answers(name: str, ops: str, tmp_path: Path, fetched: Callable[[Callable[[], Path]], Path]) -> None:
    case = cases()[name]
    folder = fetched(lambda: make_case(case, tmp_path, "python", ops=ops))
    (program,) = folder.glob("*.pyz")
    done = ask(program, *case.arguments(tmp_path), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    check(case, outputs(done.stdout), tmp_path)


def test_inputs_by_place_and_by_name(add: Path) -> None:
    x, y = X_AND_Y
    for arguments in ([x, y], ["--input", f"y={y}", x]):
        done = ask(add, *arguments, "--json")
        assert (done.returncode, done.stdout, done.stderr) == (0, ADDED, "")


def test_words_and_files(add: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[1, 2, 3]], ">f8"))
    np.save(tmp_path / "y.npy", np.asfortranarray(np.arange(6).reshape(2, 3)[:1]))
    done = ask(add, tmp_path / "x.npy", tmp_path / "y.npy", "--output", f"z={tmp_path / 'z.npy'}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "float32 [1, 3]\n1 3 5\n", "")
    z = np.load(tmp_path / "z.npy")
    assert z.dtype == np.float32
    np.testing.assert_array_equal(z, [[1, 3, 5]])


def test_repeat_help_info_and_verify(add: Path) -> None:
    done = ask(add, "--repeat", "3", *X_AND_Y, "--json")
    assert done.stdout == ADDED and done.stderr.startswith("3 runs: median ")
    done = ask(add, "--help")
    assert done.returncode == 0 and "x                a .npy file, or JSON lists (float32)" in done.stdout
    done = ask(add, "--info")
    assert (
        done.stdout
        == "add\ninput   x: tensor, float32 [N, 3]\ninput   y: tensor, float32 [N, 3]\noutput  z: tensor, float32 [N, 3]\n"
    )
    assert json.loads(ask(add, "--info", "--json").stdout)["name"] == "add"
    done = ask(add, "--verify")
    assert (done.returncode, done.stdout) == (0, "all 3 files are what they were\n")


def test_what_is_wrong_is_said(add: Path) -> None:
    for arguments, code, words in (
        (["[[1, 2, 3]]"], 2, "input 'y' is not given (a .npy file, or JSON lists (float32)); --help shows the inputs"),
        (["--bogus"], 2, "unrecognized arguments: --bogus; --help shows the usage"),
        ([*X_AND_Y, "--output", "w=a.npy"], 2, "there is no output 'w'; the outputs are z"),
        (["absent.npy", "1"], 1, "absent.npy cannot be read: No such file or directory"),
        (["[[1, 2]]", "[[1, 2]]"], 1, "input 'x'"),
    ):
        done = ask(add, *arguments)
        assert (done.returncode, done.stdout) == (code, "")
        assert done.stderr.startswith(f"error: {words}") and len(done.stderr.splitlines()) == 1, done.stderr


def test_it_takes_nothing_that_is_installed(add: Path, tmp_path: Path) -> None:
    for name in ("wasmtime", "numpy", "onnxlet"):
        (tmp_path / "site-packages" / name).mkdir(parents=True)
        (tmp_path / "site-packages" / name / "__init__.py").write_text("raise SystemExit('installed')")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site-packages"), "ONNXLET_ENGINE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, add, *X_AND_Y, "--json"], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, ADDED, "")


def test_an_encrypted_model(home: Path, add: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    new_key(key)
    program = make(home / "add.onnx", tmp_path / "bundle", "python", encryption_key=key) / "add.pyz"
    with zipfile.ZipFile(program) as archive:
        assert "application/model.onnx" not in archive.namelist()
    for options, environment in (
        (["--key-file", key], {}),
        (["--key-env", "MODEL_KEY"], {"MODEL_KEY": base64.b64encode(bytes.fromhex(key.read_text())).decode()}),
    ):
        done = ask(program, *X_AND_Y, "--json", *options, environment=environment)
        assert (done.returncode, done.stdout, done.stderr) == (0, ADDED, "")
    assert typed([*BARE, str(program), *X_AND_Y], key.read_text()).endswith("float32 [1, 3]\r\n11 22 33\r\n")
    (tmp_path / "other").write_text("00" * 32)
    (tmp_path / "short").write_text("00" * 31)
    for options, words in (
        ([], "the model is encrypted: give its key with --key-file FILE or --key-env VARIABLE"),
        (["--key-file", tmp_path / "other"], "model.onnx.enc could not be decrypted: the key is another one, or "),
        (["--key-file", tmp_path / "short"], f"the key file {tmp_path / 'short'} is not a key: it takes 32 bytes"),
        (["--key-file", tmp_path / "missing"], f"{tmp_path / 'missing'} cannot be read: No such file or directory"),
        (["--key-env", "ABSENT"], "the environment variable ABSENT is not set"),
    ):
        done = ask(program, *X_AND_Y, *options)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"error: {words}"), done.stderr


def typed(command: list[str], words: str) -> str:
    """What a program shows in a terminal whose user types these words once asked; they are not shown."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ["ONNXLET_CACHE"] = os.environ["ONNXLET_TEST_CACHE"]
        os.execv(command[0], command)
    shown = b""
    with contextlib.suppress(OSError):  # how a terminal says that nobody is there any more
        while data := os.read(terminal, 1024):
            shown += data
            if shown.endswith(b"key: "):
                os.write(terminal, words.encode())
    os.close(terminal)
    assert os.waitpid(process, 0)[1] == 0, shown
    assert words.strip().encode() not in shown
    return shown.decode()


def test_decryption_is_aes_gcm() -> None:
    module, key = decryption_module(), bytes(range(32))
    for size in (0, 1, 15, 16, 17, 65536, 70001):
        text = np.random.default_rng(size).bytes(size)
        data = encrypt(text, key)
        assert decrypt(data, key, module) == text
        for position in {0, 11, 12, len(data) // 2, len(data) - 1}:
            changed = data[:position] + bytes([data[position] ^ 4]) + data[position + 1 :]
            with pytest.raises(Failure, match=r"model\.onnx\.enc could not be decrypted"):
                decrypt(changed, key, module)
    with pytest.raises(Failure, match="has 27 bytes, which is too short for an encrypted file"):
        decrypt(bytes(27), key, module)


# ---- what was changed ----


def test_damage_is_noticed(add: Path, request: pytest.FixtureRequest) -> None:
    for damage in damages(add.parent, 200 if request.config.getoption("--all") else 10, seed=21):
        with damage.done(add.parent):
            done = ask(add, *X_AND_Y)
            assert done.returncode != 0 and done.stdout == "", damage
            if damage.path != add.name:
                assert done.returncode == 3
                # A path in the list that is another makes a file missing and one extra.
                named = damage.path == "SHA256SUMS" or done.stderr.startswith(f"error: {damage.path} ")
                assert named, (damage, done.stderr)
            assert not verify(add.parent).ok
    assert ask(add, *X_AND_Y).returncode == 0


def test_a_changed_program_names_itself(add: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(add.parent, tmp_path / "bundle"))
    with zipfile.ZipFile(folder / add.name, "a") as archive:
        archive.writestr("more.py", "")
    for option in ((), ("--no-verify",)):
        done = ask(folder / add.name, *X_AND_Y, *option)
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr == "error: add.pyz is damaged: its SHA256SUMS does not list what is in it\n"


def test_no_verify_looks_at_no_other_file(add: Path, tmp_path: Path) -> None:
    shutil.copy(add, tmp_path / "alone.pyz")
    done = ask(tmp_path / "alone.pyz", *X_AND_Y)
    assert (done.returncode, done.stderr) == (3, "error: SHA256SUMS is missing\n")
    assert ask(tmp_path / "alone.pyz", *X_AND_Y, "--no-verify", "--json").stdout == ADDED


def test_a_single_file_needs_no_other(home: Path, add: Path, tmp_path: Path) -> None:
    folder = make(home / "add.onnx", tmp_path / "bundle", "python", single_file=True)
    program = Path(shutil.copy(folder / "add.pyz", tmp_path))
    assert ask(program, *X_AND_Y, "--json").stdout == ADDED
    data = bytearray(program.read_bytes())
    with zipfile.ZipFile(program) as archive:
        offset = archive.getinfo("application/model.onnx").header_offset
    data[offset + 60] ^= 1
    program.write_bytes(data)
    done = ask(program, *X_AND_Y)
    assert done.returncode == 3 and done.stderr.startswith("error: add.pyz: application/model.onnx is damaged: "), done


def test_what_was_extracted_is_checked_and_mended(add: Path, tmp_path: Path) -> None:
    assert ask(add, *X_AND_Y, "--json").stdout == ADDED
    shutil.copytree(os.environ["ONNXLET_TEST_CACHE"], tmp_path / "cache")  # with the engine that is compiled
    environment = {"ONNXLET_CACHE": str(tmp_path / "cache")}
    (kept,) = (tmp_path / "cache" / "bundles").iterdir()
    assert (tmp_path / "cache" / "bundles").stat().st_mode & 0o777 == 0o700
    for change in (
        lambda: (kept / "wasmtime" / "__init__.py").write_text("raise SystemExit('changed')"),
        lambda: (kept / "more.py").touch(),
        lambda: ((kept / "wasmtime" / "_ffi.py").unlink(), (kept / "wasmtime" / "_ffi.py").symlink_to("/dev/null")),
        lambda: (shutil.rmtree(kept), kept.symlink_to(tmp_path)),
    ):
        change()
        assert ask(add, *X_AND_Y, "--json", environment=environment).stdout == ADDED
        assert (kept / "wasmtime" / "_ffi.py").read_text() and not kept.is_symlink()
    (tmp_path / "cache" / "bundles").chmod(0o777)  # anybody could put code there
    (kept / "wasmtime" / "__init__.py").write_text("raise SystemExit('changed')")
    assert ask(add, *X_AND_Y, "--json", environment=environment).stdout == ADDED
    assert (kept / "wasmtime" / "__init__.py").read_text() == "raise SystemExit('changed')"


def test_a_machine_without_wasmtime(home: Path, add: Path, tmp_path: Path) -> None:
    program = tmp_path / "run.py"
    program.write_text(
        "import platform, runpy, sys\n"
        "platform.machine = lambda: 'riscv64'\n"
        f"sys.argv = [{str(add)!r}, '--no-verify', '[[1, 2, 3]]', '[[1, 2, 3]]']\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    done = run([*BARE, program])
    assert done.returncode == 1
    assert done.stderr == (
        "error: this bundle runs on linux-x86_64, and this is linux-riscv64; make it with --platform for that\n"
    )


# ---- making ----


def test_what_is_in_the_file(add: Path) -> None:
    with zipfile.ZipFile(add) as archive:
        names = {*archive.namelist()}
        assert {item.date_time for item in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert archive.read("application/model.onnx") == models.add().SerializeToString()
    assert {"__main__.py", "SHA256SUMS", "settings.json", "application/interface.json"} <= names
    assert not any(name.startswith(("onnxlet/cli", "onnxlet/packing", "onnxlet/bundle")) for name in names)
    assert add.read_bytes().startswith(b"#!/usr/bin/env python3\n") and os.access(add, os.X_OK)


def test_wheels_that_cannot_be_used(home: Path, add: Path, tmp_path: Path) -> None:
    def refused(message: str, **options: object) -> None:
        request = Request([home / "add.onnx"], tmp_path / "out", target="python", ops="full", **options)  # type: ignore[arg-type]
        with pytest.raises(BundleError, match=message):
            make_bundle(request)

    refused("wasmtime has no wheel for 'linux_riscv64'; use of macosx_arm64, ", platforms=["linux_riscv64"])
    both = ["manylinux_x86_64", "musllinux_x86_64"]
    refused("one bundle is for manylinux_x86_64 or for musllinux_x86_64; make two", platforms=both)
    refused(r"has 0 wheels of wasmtime 50\.0\.1 for win_amd64; it needs one", platforms=["win_amd64"], wheels=tmp_path)
    with zipfile.ZipFile(tmp_path / "wasmtime-50.0.1-py3-none-win_amd64.whl", "w") as archive:
        archive.writestr("wasmtime/__init__.py", "")
    refused("wasmtime 50.0.1 for win_amd64 is not what it was", platforms=["win_amd64"], wheels=tmp_path)


def test_what_is_installed_is_what_the_wheel_holds() -> None:
    here = wasmtime_wheels.this_platform()
    assert any("wasmtime" in name for name in wasmtime_wheels.files(here, None))
