"""`onnxlet build`: engines that have what some models need, and no more."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.markup import escape

from .. import dtypes
from ..bundle import engines
from ..bundle.needs import Needs, of
from .output import command, console, progress, size_text, table


@dataclass(frozen=True)
class Request:
    """What the command line asks for."""

    models: Sequence[Path]
    output: Path
    kinds: str
    """Separated by commas."""


def build_command(request: Request, as_json: bool) -> int:
    """Runs the command; returns its exit code."""
    code, _ = command(lambda: _build(request), _show, as_json)
    return code


def _build(request: Request) -> dict[str, Any]:
    needs = of(request.models[0])
    for model in request.models[1:]:
        needs |= of(model)
    kinds = [kind.strip() for kind in request.kinds.split(",") if kind.strip()]
    with progress("compiling the engine") as moved:
        built = engines.build_all(needs, kinds, progress=moved)
    request.output.mkdir(parents=True, exist_ok=True)
    files = []
    for kind, file in built.items():
        shutil.copyfile(file, request.output / file.name)
        data = file.read_bytes()
        squeezed = len(gzip.compress(data, 9, mtime=0))
        files.append({"kind": kind, "file": str(request.output / file.name), "bytes": len(data), "gzip": squeezed})
    return {"engines": files, "needs": _described(needs)}


def _described(needs: Needs) -> dict[str, Any]:
    return needs.document() | {"types": [dtypes.BY_NUMBER[number].name for number in needs.types]}


def _show(made: dict[str, Any]) -> None:
    out = console()
    rows = table("", "kind", "file", "size", "gzip", right=("size", "gzip"))
    for item in made["engines"]:
        rows.add_row(item["kind"], escape(item["file"]), size_text(item["bytes"]), size_text(item["gzip"]))
    out.print(rows)
    needs = made["needs"]
    operators = sorted({f"{domain}.{name}" if domain else name for domain, name, _ in needs["operators"]})
    out.print(
        f"\n{escape(', '.join(needs['models']))} needs {len(operators)} operators: {escape(', '.join(operators))}"
    )
    out.print(f"of the types {', '.join(needs['types'])}; and the passes {', '.join(needs['passes']) or 'none'}")
