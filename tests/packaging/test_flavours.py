"""The modules that the build makes: what they import and export, and that each needs no more than its name says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import wasmtime

from onnxlet.build import size, strip
from tests.support.paths import ROOT

WASM = ROOT / "build" / "wasm"
FLAVOURS = (
    "onnxlet",
    "onnxlet-relaxed",
    "onnxlet-threads",
    "onnxlet-relaxed-threads",
    "onnxlet-scalar",
    "onnxlet-preprocessing",
    "onnxlet-webgpu",
)
THREAD_EXPORTS = {"__tls_base", "__tls_size", "__tls_align", "__wasm_init_tls"}
HEADER = ROOT / "core" / "abi" / "onnxlet.h"


def module_bytes(flavour: str) -> bytes:
    path = WASM / f"{flavour}.wasm"
    if not path.is_file():
        pytest.skip("build/wasm is not built; run ./build.sh build")
    return path.read_bytes()


def strict_engine(flavour: str) -> wasmtime.Engine:
    """An engine that knows no more WebAssembly features than the flavour may use."""
    config = wasmtime.Config()
    config.wasm_relaxed_simd = "relaxed" in flavour
    config.wasm_simd = "scalar" not in flavour
    config.wasm_threads = "threads" in flavour
    config.shared_memory = "threads" in flavour
    return wasmtime.Engine(config)


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_uses_only_the_features_it_names(flavour: str) -> None:
    wasmtime.Module.validate(strict_engine(flavour), module_bytes(flavour))


def test_relaxed_flavours_differ() -> None:
    assert module_bytes("onnxlet") != module_bytes("onnxlet-relaxed")


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_imports(flavour: str) -> None:
    found = set(strip.imports(module_bytes(flavour)))
    assert found <= strip.ALLOWED_IMPORTS
    assert (("env", "memory") in found) == ("threads" in flavour)


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_exports(flavour: str) -> None:
    module = wasmtime.Module(strict_engine(flavour), module_bytes(flavour))
    names = {export.name for export in module.exports}
    kinds = "OL_API|OL_DEVICE_API" if flavour == "onnxlet-webgpu" else "OL_API"
    declared = set(re.findall(rf"^(?:{kinds})\((\w+)\)", HEADER.read_text(), re.MULTILINE))
    expected = {"_initialize", "__stack_pointer"} | declared
    expected |= THREAD_EXPORTS if "threads" in flavour else {"memory"}
    assert names == expected


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_memory_may_grow_to_four_gibibytes(flavour: str) -> None:
    module = wasmtime.Module(strict_engine(flavour), module_bytes(flavour))
    types = [item.type for item in (*module.imports, *module.exports) if isinstance(item.type, wasmtime.MemoryType)]
    assert [memory.limits.max for memory in types] == [65535]
    assert types[0].limits.min <= 64


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_names_are_kept_beside(flavour: str) -> None:
    main = [section.name for section in strip.sections(module_bytes(flavour)) if section.id == strip.CUSTOM]
    debug = [section.name for section in strip.sections((WASM / f"{flavour}.debug.wasm").read_bytes())]
    assert main == []
    assert "name" in debug


def test_budget_names_what_is_too_large(tmp_path: Path) -> None:
    rows = [size.Sizes("onnxlet", raw=11, gzip=5, brotli=4)]
    assert size.over_budget(rows, {"raw": 11, "brotli": 4}) == []
    (problem,) = size.over_budget(rows, {"raw": 10, "brotli": 4})
    assert problem == "onnxlet: 11 bytes raw, 1 over the budget of 10"
    budgets = json.loads(size.BUDGET.read_text())
    assert {kind for budget in budgets.values() for kind in budget} == {"raw", "brotli"}
