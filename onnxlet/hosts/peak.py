"""What this machine's WebAssembly can do at best: multiply-adds per second and bytes per second of one thread.

`module()` makes the small WebAssembly module that is timed. Benchmarks in Node and in pages time the same bytes
(bench/peak.mjs), so that a share of the peak means the same in every host.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

# More chains than latency times units of any core, and few enough for the registers.
CHAINS: Final = 12
FLOPS_PER_ROUND: Final = CHAINS * 4 * 2
COPY_BYTES: Final = 1 << 26  # beyond the caches of most machines
_PAGES: Final = 2 * COPY_BYTES >> 16
_FLOPS_ROUNDS: Final = 150_000  # some 2 ms

# ---- the module ----

_I32, _V128, _F32 = 0x7F, 0x7B, 0x7D
_LOCAL_GET, _LOCAL_SET, _LOCAL_TEE, _I32_CONST, _I32_ADD, _I32_SUB, _I32_LT_U = 0x20, 0x21, 0x22, 0x41, 0x6A, 0x6B, 0x49
_LOOP, _BR_IF, _END, _VOID = 0x03, 0x0D, 0x0B, 0x40


def module(*, relaxed: bool) -> bytes:
    """Exports `flops(rounds: i32) -> f32`, which does FLOPS_PER_ROUND in each round, and `copy()`, which copies the first
    COPY_BYTES of `memory` behind them.

    With `relaxed` the multiply-adds are f32x4.relaxed_madd, else f32x4.mul and f32x4.add.
    """
    types = [_function_type([_I32], [_F32]), _function_type([], [])]
    exports = [_name("flops") + bytes([0, 0]), _name("copy") + bytes([0, 1]), _name("memory") + bytes([2, 0])]
    return b"\0asm\1\0\0\0" + b"".join(
        (
            _section(1, types),
            _section(3, [bytes([0]), bytes([1])]),
            _section(5, [b"\0" + _unsigned(_PAGES)]),
            _section(7, exports),
            _section(10, [_flops(relaxed), _copy()]),
        )
    )


def _flops(relaxed: bool) -> bytes:
    rounds, factor, term, first = 0, 1, 2, 3
    code = _v128_const(0.996) + bytes([_LOCAL_SET, factor]) + _v128_const(2**-25) + bytes([_LOCAL_SET, term])
    code += bytes([_LOOP, _VOID])
    for chain in range(first, first + CHAINS):
        code += bytes([_LOCAL_GET, chain, _LOCAL_GET, factor])
        if relaxed:
            code += bytes([_LOCAL_GET, term]) + _simd(0x105)
        else:
            code += _simd(0xE6) + bytes([_LOCAL_GET, term]) + _simd(0xE4)
        code += bytes([_LOCAL_SET, chain])
    code += bytes([_LOCAL_GET, rounds, _I32_CONST, 1, _I32_SUB, _LOCAL_TEE, rounds, _BR_IF, 0, _END])
    code += bytes([_LOCAL_GET, first])
    for chain in range(first + 1, first + CHAINS):
        code += bytes([_LOCAL_GET, chain]) + _simd(0xE4)
    return _body([(CHAINS + 2, _V128)], code + _simd(0x1F) + b"\0")


def _copy() -> bytes:
    offset = 0
    code = bytes([_LOOP, _VOID])
    for k in range(4):
        code += bytes([_LOCAL_GET, offset, _LOCAL_GET, offset])
        code += _simd(0x00) + bytes([4]) + _unsigned(16 * k)
        code += _simd(0x0B) + bytes([4]) + _unsigned(COPY_BYTES + 16 * k)
    code += bytes([_LOCAL_GET, offset, _I32_CONST]) + _signed(64) + bytes([_I32_ADD, _LOCAL_TEE, offset])
    code += bytes([_I32_CONST]) + _signed(COPY_BYTES) + bytes([_I32_LT_U, _BR_IF, 0, _END])
    return _body([(1, _I32)], code)


def _simd(opcode: int) -> bytes:
    return b"\xfd" + _unsigned(opcode)


def _v128_const(value: float) -> bytes:
    return _simd(0x0C) + struct.pack("<4f", *[value] * 4)


def _unsigned(value: int) -> bytes:
    """LEB128"""
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _signed(value: int) -> bytes:
    """LEB128 of a number that is not negative: bit 6 of its last byte, the sign, stays clear."""
    out = bytearray()
    while value >= 64:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _vector(items: Sequence[bytes]) -> bytes:
    return _unsigned(len(items)) + b"".join(items)


def _section(number: int, items: Sequence[bytes]) -> bytes:
    content = _vector(items)
    return bytes([number]) + _unsigned(len(content)) + content


def _name(text: str) -> bytes:
    return _unsigned(len(text)) + text.encode()


def _function_type(parameters: Sequence[int], results: Sequence[int]) -> bytes:
    return b"\x60" + _vector([bytes([p]) for p in parameters]) + _vector([bytes([r]) for r in results])


def _body(variables: Sequence[tuple[int, int]], code: bytes) -> bytes:
    content = _vector([_unsigned(count) + bytes([kind]) for count, kind in variables]) + code + bytes([_END])
    return _unsigned(len(content)) + content


# ---- measuring it in this process ----


@dataclass(frozen=True)
class Peak:
    """Of all the threads that were asked for, together."""

    gflops: float
    gigabytes: float  # per second, read and written bytes added


def measure(threads: int = 1, *, relaxed: bool = True, repeat: int = 6) -> Peak:
    """The best of `repeat` attempts in wasmtime."""
    with ThreadPoolExecutor(threads) as pool:
        clocks = list(pool.map(lambda _: Clock(relaxed=relaxed), range(threads)))
        gflops = max(sum(pool.map(lambda clock: clock.gflops(), clocks)) for _ in range(repeat))
        gigabytes = max(sum(pool.map(lambda clock: clock.gigabytes(), clocks)) for _ in range(max(2, repeat // 2)))
    return Peak(gflops, gigabytes)


class Clock:
    """An instance of the module, for one thread. Its calls take some 2 and some 20 milliseconds."""

    def __init__(self, *, relaxed: bool = True) -> None:
        import wasmtime

        config = wasmtime.Config()
        config.wasm_relaxed_simd = True
        engine = wasmtime.Engine(config)
        self._store = wasmtime.Store(engine)
        instance = wasmtime.Instance(self._store, wasmtime.Module(engine, module(relaxed=relaxed)), [])
        exports = instance.exports(self._store)
        flops, copy = exports["flops"], exports["copy"]
        assert isinstance(flops, wasmtime.Func) and isinstance(copy, wasmtime.Func)
        self._flops, self._copy = flops, copy
        flops(self._store, 1)
        self._copied = False

    def gflops(self) -> float:
        """Now: what else the machine does counts, so take the best of some calls."""
        seconds = _seconds(lambda: self._flops(self._store, _FLOPS_ROUNDS))
        return _FLOPS_ROUNDS * FLOPS_PER_ROUND / seconds / 1e9

    def gigabytes(self) -> float:
        """Per second, read and written."""
        if not self._copied:
            self._copy(self._store)  # the system hands out the pages
            self._copied = True
        return 2 * COPY_BYTES / _seconds(lambda: self._copy(self._store)) / 1e9


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


__all__ = ["CHAINS", "COPY_BYTES", "FLOPS_PER_ROUND", "Clock", "Peak", "measure", "module"]
