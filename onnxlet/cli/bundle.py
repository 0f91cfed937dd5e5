"""`onnxlet bundle`: a folder that runs models somewhere else."""

from __future__ import annotations

from typing import Any

from rich.markup import escape

from ..bundle import Request, make
from .output import command, console, size_text


def bundle_command(request: Request, as_json: bool) -> int:
    """Runs the command; returns its exit code."""
    code, _ = command(lambda: make(request).document(), _show, as_json)
    return code


def _show(made: dict[str, Any]) -> None:
    out = console()
    contents = ", ".join(f"{name} {version}" for name, version in made["versions"].items())
    folder = escape(made["folder"])
    out.print(f"{folder}: {len(made['files'])} files, {size_text(made['bytes'])}, with {contents}")
    for model in made["models"]:
        shown = "runs in the example" if model["example"] else "loads; the example has no inputs for it"
        out.print(f"  {escape(model['name'])}: {shown}")
    out.print(f"Put it on a web server, or try it: onnxlet serve {folder}")
