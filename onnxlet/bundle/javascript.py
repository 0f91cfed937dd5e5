"""What the targets "node" and "web" share: scripts that were built with this package."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import Final

from .errors import BundleError

_HOME: Final = Path(__file__).parents[1] / "_edge"
FLAVOURS: Final = ("simd", "relaxed", "threads", "relaxed-threads")
"""Of the engine; a script picks the best that its host can run."""
LICENSE: Final = "LICENSE.onnxlet.txt"


def edge_file(name: str) -> bytes:
    """A file that `js/edge.mjs` has built, "node/run.mjs". Raises BundleError."""
    path = _HOME / name
    if not path.is_file():
        raise BundleError(f"this installation of onnxlet lacks _edge/{name}; ./build.sh build makes it")
    return path.read_bytes()


def edge_text(name: str, values: dict[str, str]) -> str:
    """A text that was built in, with `$name` replaced."""
    return Template(edge_file(name).decode()).substitute(values)


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).write_bytes(data)
