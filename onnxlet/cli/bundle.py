"""`onnxlet bundle`: a folder that runs models somewhere else; and `onnxlet key`, for models in it that are encrypted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.markup import escape

from ..bundle import TARGETS, Request, make
from ..bundle.keys import new_key
from ..bundle.request import OPS
from .output import command, console, progress, report, size_text
from .usage import BadOption


def bundle_command(request: Request, as_json: bool) -> int:
    """Runs the command; returns its exit code."""
    try:
        _check(request)
    except BadOption as error:
        return report(error, as_json)
    code, _ = command(lambda: _make(request), _show, as_json)
    return code


def _check(request: Request) -> None:
    if request.target not in TARGETS:
        raise BadOption(f"--target takes {', '.join(TARGETS)}; {request.target!r} given")
    if request.ops not in OPS:
        raise BadOption(f"--ops takes {' or '.join(OPS)}; {request.ops!r} given")
    if request.certificate is not None and request.signing_key is None:
        raise BadOption("--certificate goes with --sign, the key that it is for")
    if request.chain and request.certificate is None:
        raise BadOption("--chain goes with --certificate, which it leads to")


def key_command(path: Path) -> int:
    """Runs `onnxlet key`; returns its exit code."""
    code, _ = command(lambda: new_key(path), lambda _: None, as_json=False)
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
        if "example" in model:
            shown = "runs in the example" if model["example"] else "loads; the example has no inputs for it"
            out.print(f"  {escape(model['name'])}: {shown}")
    out.print(escape(made["usage"]))
