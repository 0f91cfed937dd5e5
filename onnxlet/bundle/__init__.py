"""Folders that run models somewhere else, with nothing fetched from anywhere: the engine, the models, and what asks them.

`make` is the way in. A target is a module of this package with a function `fill`; `TARGETS` lists them.
"""

from __future__ import annotations

import importlib
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..errors import InvalidArgument
from .application import Application, Input, Interface, Output, make_applications
from .errors import BundleError
from .proof import check, seal
from .request import ARCHITECTURES, Contents, Filled, Report, Request


@dataclass(frozen=True)
class Target:
    """Something that can run a bundle."""

    help: str
    composes: bool = True
    """Takes applications, and not the models' files themselves."""


TARGETS: Final = {
    "native": Target("a program for each kind of Linux machine"),
    "node": Target("a folder for Node 20 or later"),
    "python": Target("a file for Python 3.11 or later"),
    "pyodide": Target("a web page with Python, offline", composes=False),
    "wasi": Target("a command for WebAssembly engines outside browsers"),
    "web": Target("a web page, in a folder or in one file"),
}


def make(request: Request) -> Report:
    """Writes a bundle: all of it, or nothing. The same request gives the same bytes.

    Raises InvalidArgument, BundleError for what it takes and is not there, and what loading the models raises.
    """
    if request.target not in TARGETS:
        raise InvalidArgument(f"there is no target {request.target!r}; use one of {', '.join(TARGETS)}")
    if not request.models:
        raise InvalidArgument("a bundle needs a model")
    if request.pipeline is not None and not TARGETS[request.target].composes:
        raise InvalidArgument(f"a bundle for {request.target} takes no pipeline")
    if request.encryption_key is not None and not TARGETS[request.target].composes:
        raise InvalidArgument(f"a bundle for {request.target} has its models as they are; they cannot be encrypted")
    output = request.output.absolute()
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise BundleError(f"{request.output} exists and is not an empty folder")
    check(request)
    target = importlib.import_module(f".{request.target}", __name__)
    applications = make_applications(request) if TARGETS[request.target].composes else ()
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{output.name}-", dir=output.parent) as scratch:
        folder = Path(scratch) / output.name
        folder.mkdir()
        contents = Contents(request, applications)
        filled: Filled = target.fill(contents, folder)
        seal(contents, filled, folder)
        if output.exists():
            output.rmdir()
        shutil.move(folder, output)
    files = {
        path.relative_to(output).as_posix(): path.stat().st_size for path in sorted(output.rglob("*")) if path.is_file()
    }
    return Report(request.target, request.output, filled, files)


__all__ = [
    "ARCHITECTURES",
    "TARGETS",
    "Application",
    "BundleError",
    "Contents",
    "Filled",
    "Input",
    "Interface",
    "Output",
    "Report",
    "Request",
    "make",
]
