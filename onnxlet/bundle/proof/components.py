"""Programs that bundles carry, by the names that targets give them: what they are licensed under, where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Program:
    """Something that others have written too."""

    license: str
    """An SPDX expression."""
    registry: str | None = None
    """The type of a package URL: where the package of this name is found."""
    description: str = ""


PROGRAMS: Final = {
    "onnxlet": Program("Apache-2.0", "pypi", "ONNX runtime"),
    "wasmtime": Program("Apache-2.0 WITH LLVM-exception", "pypi", "WebAssembly runtime"),
    "pyodide": Program("MPL-2.0", "npm", "CPython for WebAssembly"),
    "musl": Program("MIT", None, "C library"),
    "wasi-libc": Program("Apache-2.0 WITH LLVM-exception AND MIT", None, "C library for WebAssembly"),
    "libc++": Program("Apache-2.0 WITH LLVM-exception", None, "C++ library"),
    "zig-std": Program("MIT", None, "SHA-256 and AES-GCM of zig's library"),
    "cpython": Program("Python-2.0", None, "Python"),
}
_ENGINE: Final = ("libc++", "wasi-libc")
_LINKED: Final = {"native": ("libc++", "musl", "zig-std"), "wasi": (*_ENGINE, "zig-std")}
"""What the compiler links into the engine, by target; into that of other targets goes _ENGINE."""


def parts_of(name: str, target: str) -> tuple[str, ...]:
    """Programs of others that one contains, and that have no version of their own there."""
    if name == "onnxlet":
        return _LINKED.get(target, _ENGINE)
    return ("cpython",) if name == "pyodide" else ()
