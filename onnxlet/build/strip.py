"""Splits a linked module in two: `python strip.py [--wasi] ONNXLET.debug.wasm ONNXLET.wasm [WASM_OPT]`.

With the path of Binaryen's wasm-opt the module is optimised for size first. The second file is the module without any custom section. The first one keeps its function names, which tools that show
stack traces read, and loses the debug information of the C library that came with the toolchain. The names of imports
are checked on the way: the engine asks its host for two functions and for nothing else, a program for those of WASI.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ALLOWED_IMPORTS = {("onnxlet", "ol_host_now"), ("onnxlet", "ol_host_log"), ("env", "memory")}
WASI = "wasi_snapshot_preview1"
CUSTOM, IMPORT = 0, 2
# The stack lies lowest in memory and grows towards 0, so no valid address is below 1 kB: offsets may be folded into loads.
SMALLER = ("--low-memory-unused", "-Os", "-Oz", "--const-hoisting", "--reorder-functions", "--reorder-locals")


@dataclass(frozen=True)
class Section:
    id: int
    name: str  # of a custom section, else ""
    content: bytes  # without the header
    raw: bytes


def read_leb(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def sections(module: bytes) -> Iterator[Section]:
    if module[:4] != b"\0asm":
        raise ValueError("not a WebAssembly module: it does not start with 00 61 73 6d")
    at = 8
    while at < len(module):
        start, kind = at, module[at]
        size, body = read_leb(module, at + 1)
        at = body + size
        name = ""
        if kind == CUSTOM:
            length, text = read_leb(module, body)
            name = module[text : text + length].decode()
        yield Section(kind, name, module[body:at], module[start:at])


def imports(module: bytes) -> list[tuple[str, str]]:
    """The (module, name) pairs of the import section."""
    found = []
    for section in sections(module):
        if section.id != IMPORT:
            continue
        data = section.content
        count, at = read_leb(data, 0)
        for _ in range(count):
            pair = []
            for _ in range(2):
                length, at = read_leb(data, at)
                pair.append(data[at : at + length].decode())
                at += length
            kind = data[at]
            at += 1
            if kind == 0:  # function: type index
                _, at = read_leb(data, at)
            elif kind in (1, 2):  # table (element type, limits), memory (limits)
                at += kind == 1
                flags = data[at]
                at += 1
                for _ in range(2 if flags & 1 else 1):
                    _, at = read_leb(data, at)
            else:  # global: type, mutability
                at += 2
            found.append((pair[0], pair[1]))
    return found


def keep(module: bytes, custom: frozenset[str]) -> bytes:
    """The module with only these of its custom sections."""
    return module[:8] + b"".join(s.raw for s in sections(module) if s.id != CUSTOM or s.name in custom)


def main(arguments: Sequence[str]) -> int:
    wasi = arguments[0] == "--wasi"
    files = arguments[1:] if wasi else arguments
    linked, stripped, optimizers = Path(files[0]), Path(files[1]), files[2:]
    module = linked.read_bytes()
    unknown = [pair for pair in imports(module) if (pair[0] != WASI if wasi else pair not in ALLOWED_IMPORTS)]
    if unknown:
        names = ", ".join(".".join(pair) for pair in unknown)
        sys.stderr.write(f"{linked.name} imports {names}: no host provides that; see wasm/libc_stubs.cc\n")
        linked.unlink()
        return 1
    module = keep(module, frozenset({"name", "target_features"}))
    linked.write_bytes(module)
    for wasm_opt in optimizers:
        # Takes the features that it may use from the section target_features.
        subprocess.run([wasm_opt, *SMALLER, "-g", str(linked), "-o", str(linked)], check=True)
        module = linked.read_bytes()
    stripped.write_bytes(keep(module, frozenset()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
