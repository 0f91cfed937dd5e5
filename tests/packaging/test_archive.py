"""What is in the packed archive, what it weighs, and that bundlers and type checkers find their way in it."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.packaging import toolbox
from tests.support.paths import ROOT

FLAVOURS = ("onnxlet", "onnxlet-relaxed", "onnxlet-threads", "onnxlet-relaxed-threads", "onnxlet-scalar")
ENGINES = (*FLAVOURS, "onnxlet-webgpu")
SCRIPTS = ("worker.mjs", "thread.mjs", "webgpu.mjs")
ENTRIES = ("onnxlet", "onnxlet/wasm", "onnxlet/webgpu", "onnxlet/all", "onnxlet/inline")


@pytest.fixture(scope="module")
def members(archive: Path) -> dict[str, int]:
    """The files of the archive with their sizes."""
    with tarfile.open(archive) as tar:
        return {member.name.removeprefix("package/"): member.size for member in tar.getmembers()}


def description() -> dict[str, Any]:
    return dict(json.loads((ROOT / "js" / "package.json").read_text()))


def targets(exports: Any) -> set[str]:
    if isinstance(exports, str):
        return {exports}
    return set().union(*(targets(value) for value in exports.values()))


def test_the_archive_holds_what_is_exported_and_nothing_else(members: dict[str, int]) -> None:
    for target in targets(description()["exports"]):
        assert "*" in target or target.removeprefix("./") in members, target
    strays = [name for name in members if not name.startswith("dist/") and name not in ("package.json", "README.md")]
    assert strays == []
    assert "dist/LICENSE" in members
    assert {f"dist/{name}.wasm" for name in ENGINES} < set(members)


def test_every_asset_has_a_subpath() -> None:
    exports = description()["exports"]
    for file in [*(f"{name}.wasm" for name in ENGINES), *SCRIPTS]:
        assert exports[f"./{file}"] == f"./dist/{file}"


def test_nothing_is_needed_at_run_time_and_no_file_is_too_large_for_hosts(members: dict[str, int]) -> None:
    package = description()
    assert not {"dependencies", "optionalDependencies"} & set(package)
    # Nobody gets it without asking for it.
    assert {*package["peerDependencies"]} == {"webgpu"}
    assert package["peerDependenciesMeta"] == {"webgpu": {"optional": True}}
    assert not {"install", "preinstall", "postinstall", "prepare"} & set(package["scripts"])
    assert package["sideEffects"] is False
    assert max(members.values()) < 25 << 20


@pytest.mark.slow
def test_a_page_transfers_at_most_600_kilobytes() -> None:
    toolbox.run(["node", "size.mjs", "--page"], ROOT / "js")


@pytest.mark.parametrize("bundler", ["esbuild", "rollup"])
def test_what_is_not_imported_is_left_out(home: Path, tmp_path: Path, bundler: str) -> None:
    folder = home / f"shaken-{bundler}"
    folder.mkdir()
    sizes = {}
    programs = {
        "all": "export * from 'onnxlet';",
        "tensor": "import { Tensor } from 'onnxlet'; console.log(new Tensor('float32', [1]).size);",
        "nothing": "import 'onnxlet'; console.log(1);",
    }
    for name, program in programs.items():
        (folder / f"{name}.mjs").write_text(program)
        out = folder / "out" / f"{name}.js"
        command: list[str | Path]
        if bundler == "esbuild":
            command = [f"{name}.mjs", "--bundle", "--format=esm", f"--outfile={out}"]
        else:
            command = [f"{name}.mjs", "--format", "es", "--file", out, "-p", "@rollup/plugin-node-resolve"]
        toolbox.run([toolbox.tool(bundler), *command], folder)
        sizes[name] = out.stat().st_size
        if name != "all":
            assert ".wasm" not in out.read_text(), name
    assert sizes["nothing"] < 100
    assert sizes["tensor"] < sizes["all"] / 3


@pytest.mark.parametrize(("module", "resolution"), [("NodeNext", "NodeNext"), ("ESNext", "Bundler")])
def test_every_entry_has_types(home: Path, module: str, resolution: str) -> None:
    folder = home / f"types-{resolution}"
    folder.mkdir()
    lines = [f"import ort{i}, {{ InferenceSession as Session{i} }} from '{entry}';" for i, entry in enumerate(ENTRIES)]
    lines += [f"export const same{i}: typeof Session0 = ort{i}.InferenceSession;" for i in range(len(ENTRIES))]
    lines += [f"export const session{i}: Promise<Session{i}> = Session{i}.create('m');" for i in range(len(ENTRIES))]
    (folder / "program.mts").write_text("\n".join(lines))
    options = {"strict": True, "noEmit": True, "target": "ES2022", "types": [], "lib": ["ES2022", "DOM"]}
    options |= {"module": module, "moduleResolution": resolution}
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "include": ["*.mts"]}))
    toolbox.run(["node", ROOT / "js" / "node_modules" / "typescript" / "bin" / "tsc", "-p", "."], folder)


def test_subpaths_resolve_in_node(home: Path) -> None:
    names = [*ENTRIES, *(f"onnxlet/{name}.wasm" for name in ENGINES), "onnxlet/worker.mjs", "onnxlet/package.json"]
    program = f"for (const name of {json.dumps(names)}) console.log(import.meta.resolve(name));"
    (home / "resolve.mjs").write_text(program)
    found = toolbox.run(["node", "resolve.mjs"], home).split()
    assert len(found) == len(names)
    assert all(Path(address.removeprefix("file://")).is_file() for address in found)
