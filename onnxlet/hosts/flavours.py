"""Which engine file to run: a pure choice from what the host can do, and where the files are."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from ..errors import RuntimeException

# Modules of a few bytes that are only valid where the feature is: v128.const + drop, the same through
# i8x16.relaxed_swizzle, and a shared memory.
_V128 = "fd0c" + "00" * 16
_HEAD = "0061736d01000000" + "010401600000" + "03020100"
_SIMD_PROBE: Final = bytes.fromhex(_HEAD + "0a17011500" + _V128 + "1a0b")
_RELAXED_PROBE: Final = bytes.fromhex(_HEAD + "0a2c012a00" + _V128 + _V128 + "fd80021a0b")
_SHARED_PROBE: Final = bytes.fromhex("0061736d01000000" + "050401030101")


class Features(NamedTuple):
    """What a WebAssembly host supports."""

    simd: bool
    relaxed_simd: bool
    shared_memory: bool


def probe(accepts: Callable[[bytes], bool]) -> Features:
    """The features of a host, from whether it accepts a module that needs each."""
    return Features(accepts(_SIMD_PROBE), accepts(_RELAXED_PROBE), accepts(_SHARED_PROBE))


class Flavour(NamedTuple):
    """One build of the engine; see DESIGN D4 for the set."""

    name: str
    simd: bool
    relaxed: bool
    threads: bool

    @property
    def file(self) -> str:
        return "onnxlet.wasm" if self.name == "simd" else f"onnxlet-{self.name}.wasm"


FLAVOURS = (
    Flavour("relaxed-threads", simd=True, relaxed=True, threads=True),
    Flavour("threads", simd=True, relaxed=False, threads=True),
    Flavour("relaxed", simd=True, relaxed=True, threads=False),
    Flavour("simd", simd=True, relaxed=False, threads=False),
    Flavour("scalar", simd=False, relaxed=False, threads=False),
)
# Has the operators that start from a file's bytes or a sentence besides. Taken where a model needs them, see `session`.
PREPROCESSING = Flavour("preprocessing", simd=True, relaxed=False, threads=False)
BY_NAME = {flavour.name: flavour for flavour in (*FLAVOURS, PREPROCESSING)}


def preferred(features: Features, *, threads: bool, deterministic: bool) -> list[Flavour]:
    """The flavours that may run, best first. Relaxed SIMD may round differently between machines, so deterministic
    mode leaves it out; one thread does not take a flavour with shared memory."""
    usable = [
        flavour
        for flavour in FLAVOURS
        if (features.simd or not flavour.simd)
        and (not flavour.relaxed or (features.relaxed_simd and not deterministic))
        and (not flavour.threads or (features.shared_memory and threads))
    ]
    # Threads gain more than relaxed instructions do.
    return sorted(usable, key=lambda flavour: (not flavour.threads, not flavour.relaxed, not flavour.simd))


def engine_dir() -> Path:
    """Where the engine files are: $ONNXLET_ENGINE_DIR, else inside the package."""
    chosen = os.environ.get("ONNXLET_ENGINE_DIR")
    return Path(chosen) if chosen else Path(__file__).parents[1] / "_engine"


def find(flavours: list[Flavour]) -> tuple[Flavour, Path]:
    """The first of the flavours whose file exists. Raises RuntimeException when none does."""
    folder = engine_dir()
    for flavour in flavours:
        path = folder / flavour.file
        if path.is_file():
            return flavour, path
    names = ", ".join(flavour.file for flavour in flavours) or "no flavour"
    raise RuntimeException(f"no engine in {folder}: looked for {names}; run ./build.sh build or set ONNXLET_ENGINE_DIR")
