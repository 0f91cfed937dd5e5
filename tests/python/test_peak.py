"""The module whose speed is taken for the machine's peak does what it says."""

from __future__ import annotations

import pytest
import wasmtime

from onnxlet.hosts import peak


def instance(*, relaxed: bool) -> tuple[wasmtime.Store, wasmtime.InstanceExports]:
    config = wasmtime.Config()
    config.wasm_relaxed_simd = True
    engine = wasmtime.Engine(config)
    store = wasmtime.Store(engine)
    made = wasmtime.Instance(store, wasmtime.Module(engine, peak.module(relaxed=relaxed)), [])
    return store, made.exports(store)


@pytest.mark.parametrize("relaxed", [False, True])
def test_every_chain_multiplies_and_adds(relaxed: bool) -> None:
    store, exports = instance(relaxed=relaxed)
    flops = exports["flops"]
    assert isinstance(flops, wasmtime.Func)
    expected = 0.0
    for rounds in range(1, 4):
        expected = expected * 0.996 + 2**-25
        assert flops(store, rounds) == pytest.approx(peak.CHAINS * expected, rel=1e-5)


def test_copy_moves_every_byte() -> None:
    store, exports = instance(relaxed=True)
    memory, copy = exports["memory"], exports["copy"]
    assert isinstance(memory, wasmtime.Memory) and isinstance(copy, wasmtime.Func)
    pattern = bytes(range(251))
    data = (pattern * (peak.COPY_BYTES // len(pattern) + 1))[: peak.COPY_BYTES]
    memory.write(store, data, 0)
    copy(store)
    assert memory.data_len(store) == 2 * peak.COPY_BYTES
    assert memory.read(store, peak.COPY_BYTES, 2 * peak.COPY_BYTES) == data


def test_measuring_gives_rates() -> None:
    found = peak.measure(2, repeat=1)
    assert found.gflops > 0.1 and found.gigabytes > 0.01
