"""`onnxlet bundle --target wasi`: a command of WASI answers in several WebAssembly engines, with the network cut."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from onnxlet.build.strip import imports, sections
from onnxlet.bundle import BundleError, payload
from onnxlet.bundle.keys import new_key
from tests.bundle import small
from tests.bundle.cases import cases, check
from tests.bundle.damage import damages
from tests.bundle.linked import CASES, echo_bundle, one_engine
from tests.bundle.toolbox import make, outputs, run
from tests.support.missing import missing

pytestmark = pytest.mark.usefixtures("one_engine")
__all__ = ["one_engine"]

HERE = Path(__file__).parent
FULL = ("[1]", "[1]", "[1]", "[]")


def wasmtime(module: Path, folders: Sequence[str]) -> list[str]:
    return [sys.executable, str(HERE / "wasi_wasmtime.py"), *folders, "--", str(module)]


def node(module: Path, folders: Sequence[str]) -> list[str]:
    if shutil.which("node") is None:
        missing("Node is not installed")
    return ["node", "--no-warnings", str(HERE / "wasi_node.mjs"), *folders, "--", str(module)]


ENGINES = {"wasmtime": wasmtime, "node": node}


def command(engine: str, module: Path, *seen: Path) -> list[str]:
    """Runs the module, which sees its folder and others."""
    return ENGINES[engine](module, [f"{module.parent}=.", *(f"{path}={path}" for path in seen)])


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The module; it is alone with what proves it."""
    return echo_bundle(tmp_path_factory.mktemp("echo") / "bundle", "wasi") / "echo.wasm"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", CASES)
def test_answers(name: str, engine: str, tmp_path: Path) -> None:
    case = cases()[name]
    (module,) = make(case.model(), tmp_path / "bundle", "wasi").glob("*.wasm")
    done = run([*command(engine, module, tmp_path), *case.arguments(tmp_path), "--json"])
    assert (done.returncode, done.stderr) == (0, "")
    check(case, outputs(done.stdout), tmp_path)


@pytest.mark.parametrize("engine", ENGINES)
def test_refusals(echo: Path, engine: str) -> None:
    done = run([*command(engine, echo), "--rows"])
    assert (done.returncode, done.stderr) == (2, "error: there is no option --rows; --help shows the usage\n")
    done = run([*command(engine, echo), "--threads", "2"])
    assert (done.returncode, done.stderr) == (2, "error: there is no option --threads; --help shows the usage\n")
    done = run([*command(engine, echo), "none.npy", *FULL[1:]])
    assert (done.returncode, done.stderr) == (1, "error: none.npy cannot be read: No such file or directory\n")


@pytest.mark.parametrize("engine", ENGINES)
def test_what_it_can_verify(echo: Path, engine: str) -> None:
    assert run([*command(engine, echo), "--verify"]).stdout == "the bundle is what it was\n"
    blind = run([*ENGINES[engine](echo, []), "--verify"])
    expected = "the model in this program is what it was; the bundle's folder cannot be seen\n"
    assert (blind.returncode, blind.stdout) == (0, expected)


def test_damage_is_noticed(echo: Path) -> None:
    for damage in damages(echo.parent, count=60, leave=(echo.name,)):
        with damage.done(echo.parent):
            done = run([*command("wasmtime", echo), *FULL])
            assert (done.returncode, done.stdout) == (3, ""), str(damage)
    assert run([*command("wasmtime", echo), *FULL]).returncode == 0


def test_a_changed_model_is_noticed_where_no_folder_is_seen(echo: Path, tmp_path: Path) -> None:
    whole = echo.read_bytes()
    changed = tmp_path / "echo.wasm"
    at = whole.index(b"f_out")
    changed.write_bytes(whole[:at] + b"g" + whole[at + 1 :])
    done = run([*wasmtime(changed, []), *FULL])
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error: the interface in this program differs: its SHA-256 is ")


def test_encrypted(tmp_path: Path) -> None:
    (tmp_path / "adder.onnx").write_bytes(small.model())
    new_key(tmp_path / "key")
    folder = make(tmp_path / "adder.onnx", tmp_path / "bundle", "wasi", encryption_key=tmp_path / "key")
    module = folder / "adder.wasm"
    words = ("[[1, 2, 3]]", "--json", "--key-file")
    done = run([*command("wasmtime", module, tmp_path), *words, tmp_path / "key"])
    assert outputs(done.stdout)["y"].tolist() == [[2, 4, 6]]
    done = run([*command("node", module), "[[1, 2, 3]]", "--json", "--key-env", "K"], environment={"K": "00" * 32})
    assert (done.returncode, done.stderr) == (
        1,
        "error: model.onnx.enc could not be decrypted: the key is another one, or the file is not the encrypted original\n",
    )


def test_it_asks_for_wasi_alone(echo: Path) -> None:
    module = echo.read_bytes()
    asked = {name for _, name in imports(module)}
    assert {space for space, _ in imports(module)} == {"wasi_snapshot_preview1"}
    assert not {name for name in asked if name.startswith("sock_")}
    assert not [section.name for section in sections(module) if section.name]


def test_twice_the_same(echo: Path, tmp_path: Path) -> None:
    again = echo_bundle(tmp_path / "elsewhere", "wasi")
    assert (again / echo.name).read_bytes() == echo.read_bytes()


def test_what_takes_no_payload() -> None:
    with pytest.raises(BundleError, match="does not export onnxlet_payload: it is not the program of a bundle"):
        payload.embed(_module(), b"x")
    with pytest.raises(BundleError, match="a model of 70000 bytes does not fit into a WebAssembly module's memory"):
        payload.embed(_module(), bytes(70000))


def _module() -> bytes:
    """A memory of one page, at most two, a global that nobody exports, one byte of data."""
    memory, variable = b"\x05\x04\x01\x01\x01\x02", b"\x06\x06\x01\x7f\x00\x41\x00\x0b"
    exports, data = b"\x07\x05\x01\x01m\x02\x00", b"\x0b\x07\x01\x00\x41\x00\x0b\x01\x00"
    return b"\0asm\x01\0\0\0" + memory + variable + exports + data
