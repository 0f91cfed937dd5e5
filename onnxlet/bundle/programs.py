"""What the targets "native" and "wasi" share: programs that are linked for a model, and then take it in."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import re
from collections.abc import Sequence
from pathlib import Path
from string import Template

from .. import __version__
from . import engines, needs
from .application import Interface
from .needs import Needs
from .request import Contents


def link(contents: Contents, kinds: Sequence[str], *, every_kernel: bool = False) -> dict[str, Path]:
    """Programs and libraries of these kinds (see engines.py), with the engine that the request asks for.

    every_kernel: also kernels that the engine which found the needs did not choose. Raises BundleError where they
    cannot be made here.
    """
    if contents.request.ops == "full":
        return engines.build_all(None, kinds)
    needed = _needed(contents)
    return engines.build_all(dataclasses.replace(needed, kernels=None) if every_kernel else needed, kinds)


def operators(contents: Contents) -> list[str]:
    """What the engine has, as Filled says it."""
    if contents.request.ops == "full":
        return []
    return sorted({f"{domain}::{name}" if domain else name for domain, name, _ in _needed(contents).operators})


def _needed(contents: Contents) -> Needs:
    return needs.of(contents.application.model, contents.application.interface.name)


def file_name(interface: Interface) -> str:
    """What the program is called."""
    return re.sub(r"[^\w.-]+", "-", interface.name, flags=re.ASCII).strip("-.") or "model"


def edge_file(name: str) -> bytes:
    """A file of edge/, "native/example.c"."""
    return (engines.sources() / "edge" / name).read_bytes()


def edge_text(name: str, values: dict[str, str]) -> bytes:
    """A text of edge/, with `$name` replaced."""
    return Template(edge_file(name).decode()).substitute(values).encode()


def header() -> bytes:
    """onnxlet.h, as it is for programs outside WebAssembly."""
    return (engines.sources() / "core" / "abi" / "onnxlet.h").read_bytes()


def versions(c_library: str) -> dict[str, str]:
    """Of what is linked: libc++ and the C library come with zig."""
    zig = f"zig {importlib.metadata.version('ziglang')}"
    return {"onnxlet": __version__, "libc++": zig, c_library: zig}


def argument_words(interface: Interface) -> str:
    """What a person writes behind the program's name, for a README."""
    if any(item.kind in ("column", "matrix") for item in interface.inputs):
        return "--table FILE.csv"
    words = {"image": "PICTURE", "audio": "SOUND", "bytes": "FILE", "text": "'WORDS'"}
    return " ".join(words.get(item.kind, "TENSOR.npy") for item in interface.inputs)
