"""The cache of compiled engine modules: used when sound, rebuilt when not, never trusted in others' folders."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import wasmtime

from onnxlet.hosts import module_cache

# (module (func (export "answer") (result i32) i32.const 42))
WASM = bytes.fromhex("0061736d010000000105016000017f03020100070a0106616e7377657200000a06010400412a0b")


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[bytes]]:
    """What was compiled rather than read, while the cache is in a new folder."""
    monkeypatch.setenv("ONNXLET_CACHE", str(tmp_path / "cache"))
    calls: list[bytes] = []
    real = wasmtime.Module

    class Counting(real):  # type: ignore[misc, valid-type]
        def __init__(self, engine: wasmtime.Engine, wasm: bytes) -> None:
            calls.append(wasm)
            super().__init__(engine, wasm)

    monkeypatch.setattr(wasmtime, "Module", Counting)
    yield calls


def answer(module: wasmtime.Module, engine: wasmtime.Engine) -> int:
    store = wasmtime.Store(engine)
    function = wasmtime.Instance(store, module, []).exports(store)["answer"]
    assert isinstance(function, wasmtime.Func)
    return int(function(store))


def load() -> int:
    engine = wasmtime.Engine()
    return answer(module_cache.load_module(engine, WASM), engine)


def test_compiles_once(compiled: list[bytes]) -> None:
    assert [load(), load(), load()] == [42, 42, 42]
    assert len(compiled) == 1
    assert not list(module_cache.cache_dir().glob(".new-*"))


def flip(data: bytearray) -> None:
    data[len(data) // 2] ^= 1


def cut(data: bytearray) -> None:
    del data[len(data) // 2 :]


def empty(data: bytearray) -> None:
    data.clear()


def other_magic(data: bytearray) -> None:
    data[0] ^= 1


@pytest.mark.parametrize("damage", [flip, cut, empty, other_magic])
def test_a_damaged_entry_is_noticed_and_rebuilt(
    compiled: list[bytes], damage: object, caplog: pytest.LogCaptureFixture
) -> None:
    load()
    entry = module_cache.entry_path(WASM)
    data = bytearray(entry.read_bytes())
    damage(data)  # type: ignore[operator]
    entry.write_bytes(data)
    assert load() == 42
    assert "damaged" in caplog.text
    assert len(compiled) == 2
    assert load() == 42
    assert len(compiled) == 2


def test_an_entry_for_another_configuration_is_rebuilt(compiled: list[bytes]) -> None:
    config = wasmtime.Config()
    config.consume_fuel = True
    module_cache.load_module(wasmtime.Engine(config), WASM)
    assert load() == 42
    assert len(compiled) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_a_folder_that_others_can_write_to_is_not_used(compiled: list[bytes]) -> None:
    load()
    folder = module_cache.cache_dir()
    folder.chmod(0o777)
    assert load() == 42
    assert len(compiled) == 2
    folder.chmod(0o700)
    assert load() == 42
    assert len(compiled) == 2


def test_a_cache_that_cannot_be_written_only_costs_time(
    compiled: list[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("ONNXLET_CACHE", str(blocked))
    assert [load(), load()] == [42, 42]
    assert len(compiled) == 2


def test_old_entries_are_dropped(compiled: list[bytes]) -> None:
    folder = module_cache.cache_dir()
    folder.mkdir(mode=0o700, parents=True)
    for index in range(30):
        entry = folder / f"{index:02}.module"
        entry.write_bytes(b"old")
        os.utime(entry, (index, index))
    load()
    kept = sorted(entry.name for entry in folder.glob("*.module"))
    assert len(kept) == 16 and module_cache.entry_path(WASM).name in kept and "29.module" in kept
