"""Folders that run models somewhere else, with nothing fetched from anywhere: the engine, the models, and an example.

`make` is the way in. A target is a module of this package with a function `fill`; `TARGETS` lists them.
"""

from __future__ import annotations

import importlib
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ..errors import InvalidArgument
from .errors import BundleError

TARGETS: Final = {"pyodide": "a web page with Python, offline"}


@dataclass(frozen=True)
class Request:
    """What a bundle is made of."""

    models: Sequence[Path]
    output: Path
    """A folder that does not exist yet, or is empty."""
    target: str = "pyodide"
    wheel: Path | None = None
    """onnxlet's own wheel; None makes it from the installed package."""
    pyodide: Path | None = None
    """Pyodide's npm package, unpacked; None fetches it through npm."""


@dataclass(frozen=True)
class Report:
    """What was written."""

    target: str
    folder: Path
    versions: dict[str, str] = field(default_factory=dict)
    """Of what is in it."""
    models: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, int] = field(default_factory=dict)
    """Bytes of every file, by its path in the folder."""

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "target": self.target,
            "folder": str(self.folder),
            "bytes": sum(self.files.values()),
            "versions": self.versions,
            "models": self.models,
            "files": self.files,
        }


def make(request: Request) -> Report:
    """Writes a bundle: all of it, or nothing. The same request gives the same bytes.

    Raises InvalidArgument, BundleError for what it takes and is not there, and what loading the models raises.
    """
    if request.target not in TARGETS:
        raise InvalidArgument(f"there is no target {request.target!r}; use one of {', '.join(TARGETS)}")
    if not request.models:
        raise InvalidArgument("a bundle needs a model")
    output = request.output.absolute()
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise BundleError(f"{request.output} exists and is not an empty folder")
    fill = importlib.import_module(f".{request.target}", __name__).fill
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{output.name}-", dir=output.parent) as scratch:
        folder = Path(scratch) / output.name
        folder.mkdir()
        versions, models = fill(request, folder)
        if output.exists():
            output.rmdir()
        shutil.move(folder, output)
    files = {
        path.relative_to(output).as_posix(): path.stat().st_size for path in sorted(output.rglob("*")) if path.is_file()
    }
    return Report(request.target, request.output, versions, models, files)


__all__ = ["TARGETS", "BundleError", "Report", "Request", "make"]
