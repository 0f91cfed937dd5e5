"""The builds: engine flavours, native library, JavaScript package, Python package."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from onnxlet.build.workflow import machine
from onnxlet.build.workflow.shell import BUILD, ROOT, Failure, Stamp, files_under, find, run, say

WASM = BUILD / "wasm"
JS = ROOT / "js"
PLAYGROUND = ROOT / "web" / "playground"
FLAVOURS = ("onnxlet", "onnxlet-relaxed", "onnxlet-threads", "onnxlet-relaxed-threads", "onnxlet-scalar")
# Besides those, each package has one of its own.
PYTHON_FLAVOURS = (*FLAVOURS, "onnxlet-preprocessing")
NPM_FLAVOURS = (*FLAVOURS, "onnxlet-webgpu")
CORE_INPUTS = (ROOT / "core", ROOT / "wasm", ROOT / "CMakeLists.txt", ROOT / "onnxlet" / "build")
JOBS = os.environ.get("ONNXLET_JOBS", str(os.cpu_count() or 2))


def configure(folder: Path, *options: str, prefix: tuple[str, ...] = (), launcher: bool = False) -> None:
    # The options are part of what configuring depends on; changes of CMake files are ninja's business.
    note = folder / "onnxlet-options"
    wanted = "\n".join((sys.executable, *prefix, *options))
    if (folder / "build.ninja").exists() and note.exists() and note.read_text() == wanted:
        return
    ccache = find("ccache") if launcher else None
    launchers = [f"-DCMAKE_{language}_COMPILER_LAUNCHER={ccache}" for language in ("C", "CXX")] if ccache else []
    shutil.rmtree(folder, ignore_errors=True)
    run(
        [
            *prefix,
            "cmake",
            "-G",
            "Ninja",
            "-S",
            ROOT,
            "-B",
            folder,
            f"-DONNXLET_PYTHON={sys.executable}",
            *launchers,
            *options,
        ]
    )
    note.write_text(wanted)


def compile_in(folder: Path, *targets: str) -> None:
    run(["ninja", "-C", folder, "-j", JOBS, *targets])


def wasm() -> None:
    """build/wasm/*.wasm, and copies inside the package."""
    npm_packages(ROOT / "wasm")
    first = not (WASM / "build.ninja").exists()
    if first:
        say("compiling the engine to WebAssembly (the first time also its C library: some minutes)")
    configure(WASM, f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'wasm' / 'toolchain-zig.cmake'}")
    compile_in(WASM)
    home = ROOT / "onnxlet" / "_engine"
    home.mkdir(exist_ok=True)
    for name in PYTHON_FLAVOURS:
        source, copy = WASM / f"{name}.wasm", home / f"{name}.wasm"
        if not copy.exists() or copy.read_bytes() != source.read_bytes():
            shutil.copyfile(source, copy)


def native(folder: Path = BUILD / "native", *options: str, targets: tuple[str, ...] = ()) -> Path:
    """The engine for this machine with its unit tests, in the folder."""
    compiler = machine.host_compiler()
    if compiler is not None:
        c, cxx = compiler
        chosen = (f"-DCMAKE_C_COMPILER={c}", f"-DCMAKE_CXX_COMPILER={cxx}")
    else:
        import ziglang

        zig = Path(str(ziglang.__file__)).parent / "zig"
        chosen = (f"-DCMAKE_C_COMPILER={zig};cc", f"-DCMAKE_CXX_COMPILER={zig};c++")
    configure(folder, *chosen, *options, launcher=compiler is not None)
    compile_in(folder, *targets)
    return folder


def sanitized() -> Path | None:
    """The native build with AddressSanitizer and UndefinedBehaviorSanitizer; None where no compiler has them."""
    if machine.host_compiler() is None:
        return None
    return native(BUILD / "sanitize", "-DONNXLET_SANITIZE=ON")


def raced(*targets: str) -> Path | None:
    """The native build with ThreadSanitizer, of these targets or of all; None where no compiler has it."""
    if machine.host_compiler() is None:
        return None
    return native(BUILD / "races", "-DONNXLET_RACES=ON", targets=targets)


def bindings() -> None:
    """onnxlet/hosts/abi_gen.py and js/src/abi.gen.ts, from core/abi/onnxlet.h."""
    generator: list[str | Path] = [sys.executable, ROOT / "onnxlet/build/bindings.py", ROOT / "core/abi/onnxlet.h"]
    run([*generator, "--python", ROOT / "onnxlet/hosts/abi_gen.py", "--typescript", JS / "src/abi.gen.ts"])


def npm_packages(folder: Path) -> None:
    machine.require_node()
    stamp = Stamp(f"npm-{folder.name}", [folder / "package.json", folder / "package-lock.json"])
    if stamp.fresh(folder / "node_modules"):
        return
    say(f"installing the pinned npm packages into {folder.relative_to(ROOT)}/node_modules")
    run(["npm", "ci", "--no-audit", "--no-fund"], cwd=folder)
    stamp.set()


def javascript() -> None:
    """js/dist: the npm package with the engine beside it; onnxlet/_edge: the scripts that bundles carry."""
    npm_packages(JS)
    inputs = files_under(
        JS / "src",
        ROOT / "web" / "shaders",
        JS / "build.mjs",
        JS / "tsconfig.json",
        JS / "package.json",
        ROOT / "core/abi",
    )
    stamp = Stamp("javascript", [*inputs, *(WASM / f"{name}.wasm" for name in NPM_FLAVOURS)])
    if not stamp.fresh(JS / "dist" / "onnxlet.mjs"):
        run(["node", "build.mjs", WASM], cwd=JS, extra={"ONNXLET_PYTHON": sys.executable})
        stamp.set()
    scripts = Stamp("edge", [*inputs, *files_under(ROOT / "edge" / "js", JS / "edge.mjs")])
    if not scripts.fresh(ROOT / "onnxlet" / "_edge" / "LICENSE.onnxlet.txt"):
        run(["node", "edge.mjs"], cwd=JS)
        scripts.set()


def playground() -> None:
    """onnxlet/_playground: the page of `onnxlet serve`, which wheels have."""
    home = ROOT / "onnxlet" / "_playground"
    npm_packages(PLAYGROUND)
    inputs = files_under(PLAYGROUND, ROOT / "edge" / "js" / "shared", ROOT / "examples", ROOT / "tests" / "models")
    scripts = [path for path in (JS / "dist").iterdir() if path.suffix == ".mjs"]
    stamp = Stamp("playground", sorted([*inputs, *scripts, WASM / "onnxlet-webgpu.wasm"]))
    if not stamp.fresh(home / "index.html"):
        run(["npm", "run", "--silent", "build"], cwd=PLAYGROUND)
        run([sys.executable, PLAYGROUND / "examples.py", home / "examples"])
        stamp.set()


def editable_package() -> None:
    """The package of this tree in .venv, with the command line."""
    stamp = Stamp("editable", [ROOT / "pyproject.toml"], also=sys.executable)
    if stamp.fresh(Path(sys.executable).parent / "onnxlet"):
        return
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    run([*pip, "install", "--quiet", "--no-deps", "--no-build-isolation", *_prebuilt(), "--editable", ROOT])
    stamp.set()


def wheel() -> Path:
    """dist/onnxlet-*.whl"""
    package = [p for p in files_under(ROOT / "onnxlet") if p.suffix != ".pyc"]
    stamp = Stamp(
        "wheel",
        [*package, ROOT / "pyproject.toml", ROOT / "README.md", *(WASM / f"{name}.wasm" for name in PYTHON_FLAVOURS)],
    )
    dist = ROOT / "dist"
    if not (stamp.fresh() and list(dist.glob("onnxlet-*.whl"))):
        shutil.rmtree(dist, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        command: list[str | Path] = [
            *pip,
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            *_prebuilt(),
            "--wheel-dir",
            dist,
            ROOT,
        ]
        # The same bytes from the same files, whenever these were written: the first time that archives can state.
        run(command, extra={"SOURCE_DATE_EPOCH": "315532800"})
        stamp.set()
    wheels = list(dist.glob("onnxlet-*.whl"))
    if len(wheels) != 1:
        raise Failure(f"expected one wheel in dist/, found {len(wheels)}")
    return wheels[0]


def _prebuilt() -> list[str]:
    return ["--config-settings", f"cmake.define.ONNXLET_PREBUILT={WASM}"]
