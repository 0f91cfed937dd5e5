"""What whoever installs the packages may rely on: no code is made of text, and the same sources give the same bytes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging import toolbox
from tests.support.missing import missing
from tests.support.paths import ROOT

JS = ROOT / "js"


def dynamic_code(*files: Path) -> list[str]:
    """Places in scripts where code is made of text."""
    if not (JS / "node_modules" / "typescript").is_dir():
        missing("js/node_modules is not there; run ./build.sh build")
    program = Path(__file__).with_name("dynamic_code.mjs")
    return list(json.loads(toolbox.run(["node", program, JS / "package.json", *files], ROOT)))


def test_no_code_is_made_of_text() -> None:
    scripts = sorted((JS / "dist").glob("*.mjs"))
    if not scripts:
        missing("js/dist is not built; run ./build.sh build")
    assert {"onnxlet.mjs", "worker.mjs", "thread.mjs", "webgpu.mjs"} <= {path.name for path in scripts}
    edge = [path for path in (ROOT / "onnxlet" / "_edge").rglob("*") if path.suffix in (".js", ".mjs")]
    assert dynamic_code(*scripts, *edge) == []


def test_such_code_would_be_found(tmp_path: Path) -> None:
    lines = [
        "eval('1');",
        "(0, eval)('1');",
        "globalThis.eval(text);",
        "new Function('return 1');",
        "setTimeout('f()', 1);",
        "window.setInterval(`f(${x})`, 1);",
        "setTimeout(() => f(), 1); // which is none",
    ]
    script = tmp_path / "script.mjs"
    script.write_text("\n".join(lines))
    assert [place.split(":")[1] for place in dynamic_code(script)] == ["1", "2", "3", "4", "5", "6"]


def copied(folder: Path) -> Path:
    """What the npm package is built from, in another place."""
    js = folder / "js"
    js.mkdir(parents=True)
    for path in JS.iterdir():
        if path.is_file():
            shutil.copy(path, js)
    shutil.copytree(JS / "src", js / "src")
    shutil.copytree(ROOT / "web" / "shaders", folder / "web" / "shaders")  # links would be told by where they lead to
    shutil.copy(ROOT / "LICENSE", folder)
    (js / "node_modules").symlink_to(JS / "node_modules")
    for name in ("core", "onnxlet", "build", "edge"):
        (folder / name).symlink_to(ROOT / name)
    return js


@pytest.mark.slow
def test_the_npm_package_is_the_same_wherever_and_whenever_it_is_built(tmp_path: Path) -> None:
    if not (ROOT / "build" / "wasm" / "onnxlet.wasm").is_file():
        missing("build/wasm has no engine; run ./build.sh build")
    archives = []
    for name in ("here", "somewhere/else"):
        js = copied(tmp_path / name)
        toolbox.run(["node", "build.mjs"], js, {"ONNXLET_PYTHON": sys.executable})
        packed = toolbox.run(["npm", "pack", "--silent", "--pack-destination", js], js).split()[-1]
        archives.append((js / packed).read_bytes())
    assert archives[0] == archives[1]


@pytest.mark.only_with_all
def test_the_engine_is_the_same_wherever_it_is_built(tmp_path: Path) -> None:
    if not (ROOT / "build" / "wasm" / "onnxlet.wasm").is_file():
        missing("build/wasm has no engine; run ./build.sh build")
    tree = tmp_path / "somewhere else"
    for part in ("core", "onnxlet", "wasm"):
        shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("__pycache__", "_engine"))
    shutil.copy(ROOT / "CMakeLists.txt", tree)
    toolchain = f"-DCMAKE_TOOLCHAIN_FILE={tree / 'wasm' / 'toolchain-zig.cmake'}"
    python = f"-DONNXLET_PYTHON={sys.executable}"
    toolbox.run(["cmake", "-G", "Ninja", "-S", tree, "-B", tree / "build", python, toolchain], tree)
    subprocess.run(
        ["ninja", "-C", tree / "build", "onnxlet.wasm"], check=True, stdout=subprocess.DEVNULL
    )  # for minutes
    built = (tree / "build" / "onnxlet.wasm").read_bytes()
    assert built == (ROOT / "build" / "wasm" / "onnxlet.wasm").read_bytes()


@pytest.mark.slow
def test_the_wheel_is_the_same_wherever_it_is_built(tmp_path: Path) -> None:
    """With the time of its files given, as everybody gives it who builds again what was published."""
    if not (ROOT / "build" / "wasm" / "onnxlet.wasm").is_file():
        missing("build/wasm has no engine; run ./build.sh build")
    leave_out = shutil.ignore_patterns("node_modules", "__pycache__")
    wheels = []
    for name in ("here", "somewhere/else"):
        tree = tmp_path / name
        for part in ("core", "edge", "onnxlet", "wasm", "web"):
            shutil.copytree(ROOT / part, tree / part, ignore=leave_out)
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy(path, tree)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "--no-build-isolation"]
        engines = f"cmake.define.ONNXLET_PREBUILT={ROOT / 'build' / 'wasm'}"
        command: list[str | Path] = [
            *pip,
            "--config-settings",
            engines,
            "--wheel-dir",
            tmp_path / name / "wheels",
            tree,
        ]
        toolbox.run(command, tree, {"SOURCE_DATE_EPOCH": "1700000000"})
        (wheel,) = (tree / "wheels").glob("onnxlet-*.whl")
        wheels.append(wheel.read_bytes())
    assert wheels[0] == wheels[1]
