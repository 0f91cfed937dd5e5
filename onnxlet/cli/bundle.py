"""`onnxlet bundle`: a folder that runs models somewhere else."""

from __future__ import annotations

from typing import Any

from rich.markup import escape

from ..bundle import TARGETS, Request, make
from .output import command, console, progress, report, size_text
from .usage import BadOption


def bundle_command(request: Request, as_json: bool) -> int:
    """Runs the command; returns its exit code."""
    if request.target not in TARGETS:
        return report(BadOption(f"--target takes {', '.join(TARGETS)}; {request.target!r} given"), as_json)
    code, _ = command(lambda: _make(request), _show, as_json)
    return code


def _make(request: Request) -> dict[str, Any]:
    with progress("writing the bundle"):
        return make(request).document()


def _show(made: dict[str, Any]) -> None:
    out = console()
    contents = ", ".join(f"{name} {version}" for name, version in made["versions"].items())
    folder = escape(made["folder"])
    out.print(f"{folder}: {len(made['files'])} files, {size_text(made['bytes'])}, with {contents}")
    for model in made["models"]:
        shown = "runs in the example" if model["example"] else "loads; the example has no inputs for it"
        out.print(f"  {escape(model['name'])}: {shown}")
    out.print(f"Put it on a web server, or try it: onnxlet serve {folder}")
