"""Engines trimmed to the needs of models, compiled here from the sources that come with the package.

Made engines are kept in the user's cache, under a hash of everything that they depend on.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .. import user_cache
from ..errors import InvalidArgument
from ..hosts.flavours import FLAVOURS
from .errors import BundleError, CompilerMissing
from .needs import Needs
from .request import ARCHITECTURES

Progress = Callable[[int, int], None]
"""Called with how much of how much is done."""


@dataclass(frozen=True)
class Kind:
    """What can be built: which target of CMakeLists.txt, for which machine."""

    toolchain: str
    """CMake's toolchain file, below the sources."""
    target: str
    file: str
    """What the target writes, below the build folder."""
    definitions: tuple[str, ...] = ()
    """More for CMake: NAME=VALUE. Kinds with the same toolchain and definitions are built together."""


_WASM: Final = "wasm/toolchain-zig.cmake"
_LINUX: Final = "edge/toolchain-linux.cmake"
_RUNNER: Final = "ONNXLET_RUNNER=ON"
SIMD_LEVELS: Final = ("scalar", "simd", "relaxed")


def _wasi(level: str) -> Kind:
    return Kind(_WASM, "onnxlet_runner", "runner.wasm", (_RUNNER, f"ONNXLET_SIMD={level}"))


def _linux(target: str, file: str, architecture: str) -> Kind:
    return Kind(_LINUX, target, file, (_RUNNER, f"ONNXLET_ARCHITECTURE={architecture}"))


KINDS: Final[dict[str, Kind]] = {
    **{flavour.name: Kind(_WASM, flavour.file.removesuffix(".wasm"), flavour.file) for flavour in FLAVOURS},
    **{f"wasi-{level}": _wasi(level) for level in SIMD_LEVELS},
    **{f"native-{name}": _linux("onnxlet_runner", "runner", name) for name in ARCHITECTURES},
    **{f"library-{name}": _linux("onnxlet_static", "libonnxlet.a", name) for name in ARCHITECTURES},
}
"""By the names that `build` takes. The flavours of the WebAssembly engine are called as everywhere; wasi-* and native-*
are programs of bundles, see edge/runner.cmake."""

_PACKAGES: Final = ("ziglang", "cmake", "ninja", "onnx")
_SOURCES: Final = ("CMakeLists.txt", "core", "wasm", "edge", "onnxlet/build")
_SUFFIXES: Final = {".cc", ".h", ".inc", ".cmake", ".txt", ".py", ".zig"}
_LOG_LINES: Final = 20
_OLDEST_WASM_OPT: Final = 120
"""Version 108, which Debian 12 has, cannot read relaxed SIMD."""


def build(needs: Needs, kind: str, *, progress: Progress | None = None) -> Path:
    """The file of an engine with these needs: from the cache, or compiled. See `build_all` for what it raises."""
    return build_all(needs, [kind], progress=progress)[kind]


def build_all(needs: Needs | None, kinds: Iterable[str], *, progress: Progress | None = None) -> dict[str, Path]:
    """The files of several kinds; what they share is compiled once. Needs of None are everything.

    Raises InvalidArgument for a kind that there is not, and BundleError where a tool is missing or fails.
    """
    wanted = list(dict.fromkeys(kinds))
    unknown = [kind for kind in wanted if kind not in KINDS]
    if unknown:
        raise InvalidArgument(f"there is no engine of kind {unknown[0]!r}; use one of {', '.join(KINDS)}")
    files = {kind: _cached(needs, kind) for kind in wanted}
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for kind in wanted:
        if not files[kind].is_file():
            groups.setdefault((KINDS[kind].toolchain, KINDS[kind].definitions), []).append(kind)
    for group in groups.values():
        _compile(needs, {kind: files[kind] for kind in group}, progress or (lambda done, total: None))
    return files


def _cached(needs: Needs | None, kind: str) -> Path:
    """Where the engine lies once it is made."""
    needed = needs.digest if needs is not None else "everything"
    digest = hashlib.sha256(f"{needed}\n{KINDS[kind]}\n{_sources_digest()}\n{_tools()}".encode()).hexdigest()
    return user_cache.folder("engines") / digest[:32] / Path(KINDS[kind].file).name


# ---- what it takes ----


@functools.cache
def sources() -> Path:
    """The folder with CMakeLists.txt: in the package as it is installed, else the checkout."""
    package = Path(__file__).parents[1]
    for folder in (package / "_sources", package.parent):
        if (folder / "CMakeLists.txt").is_file() and (folder / "core").is_dir():
            return folder
    raise BundleError(f"the engine's sources are not in {package}; install onnxlet from a wheel or its repository")


@functools.cache
def _sources_digest() -> str:
    digest = hashlib.sha256()
    root = sources()
    for name in _SOURCES:
        top = root / name
        for file in [top] if top.is_file() else sorted(top.rglob("*")):
            if file.suffix in _SUFFIXES and "node_modules" not in file.parts:
                data = file.read_bytes()
                digest.update(f"{file.relative_to(root).as_posix()} {len(data)}\n".encode() + data)
    return digest.hexdigest()


@functools.cache
def _tools() -> dict[str, str]:
    """The versions of what makes engines. Raises CompilerMissing for what is not installed."""
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None and not _program(name)]
    if missing:
        raise CompilerMissing(f"building an engine takes {', '.join(missing)}: pip install 'onnxlet[build]'")
    optimizer = wasm_opt()
    versions = {name: _version(name) for name in ("ziglang", "onnx")}
    return versions | {"wasm-opt": _output([optimizer, "--version"]) if optimizer else ""}


def _version(package: str) -> str:
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(package)
    return ""


def _program(name: str) -> str | None:
    """cmake or ninja: of this Python's environment, else of the PATH."""
    if name not in ("cmake", "ninja"):
        return None
    return shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)


def wasm_opt() -> str | None:
    """Binaryen's wasm-opt, which makes engines a sixth smaller, where it is: $ONNXLET_WASM_OPT, the checkout's, the PATH's
    if it is not too old."""
    pinned = sources() / "wasm" / "node_modules" / ".bin" / "wasm-opt"
    if named := os.environ.get("ONNXLET_WASM_OPT"):
        return named
    if pinned.is_file():
        return str(pinned)
    found = shutil.which("wasm-opt")
    version = re.search(r"version (\d+)", _output([found, "--version"])) if found else None
    return found if version and int(version[1]) >= _OLDEST_WASM_OPT else None


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


# ---- the work ----


def _compile(needs: Needs | None, files: dict[str, Path], progress: Progress) -> None:
    """Builds kinds of one group and puts their files where they are kept."""
    base = user_cache.folder("engines")
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".build-", dir=base) as scratch:
        folder = Path(scratch)
        ninja = configure(needs, KINDS[next(iter(files))], folder, progress)
        _run([ninja, "-C", str(folder / "build"), *(KINDS[kind].target for kind in files)], progress)
        for kind, file in files.items():
            file.parent.mkdir(exist_ok=True)
            made = folder / file.parent.name
            shutil.copy(folder / "build" / KINDS[kind].file, made)
            made.replace(file)


def configure(needs: Needs | None, kind: Kind, folder: Path, progress: Progress) -> str:
    """Sets up a build in `folder`/build. Returns the ninja that builds it."""
    needed = folder / "needs.json"
    if needs is not None:
        needed.write_text(needs.text(), encoding="utf-8")
    cmake, ninja = _program("cmake"), _program("ninja")
    if not cmake or not ninja:
        raise CompilerMissing("building an engine takes cmake and ninja on the PATH: pip install 'onnxlet[build]'")
    definitions = (
        f"CMAKE_MAKE_PROGRAM={ninja}",
        f"CMAKE_TOOLCHAIN_FILE={sources() / kind.toolchain}",
        f"ONNXLET_PYTHON={sys.executable}",
        f"ONNXLET_TRIM={'' if needs is None else needed}",
        f"ONNXLET_WASM_OPT={wasm_opt() or ''}",
        *kind.definitions,
    )
    places = ["-S", str(sources()), "-B", str(folder / "build")]
    _run([cmake, "-G", "Ninja", *places, *(f"-D{text}" for text in definitions)], progress)
    return ninja


def _run(command: Sequence[str], progress: Progress) -> None:
    """Runs a tool; its lines that begin with [DONE/TOTAL] move the progress. Raises BundleError with its last words."""
    environment = os.environ | {"NINJA_STATUS": "[%f/%t] "}
    lines: list[str] = []
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=environment,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.rstrip())
            counts = line[1:].partition("]")[0].split("/") if line.startswith("[") else []
            if len(counts) == 2 and all(count.isdigit() for count in counts):
                progress(int(counts[0]), int(counts[1]))
    if process.returncode != 0:
        words = "\n".join(lines[-_LOG_LINES:])
        raise BundleError(f"{Path(command[0]).name} failed with exit code {process.returncode}:\n{words}")
