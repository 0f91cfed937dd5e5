"""How the commands print: JSON on standard output, tables through rich, errors on standard error."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..errors import Error


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def console() -> Console:
    """Standard output; plain text when it is not a terminal."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def report(error: Error, as_json: bool) -> int:
    """Prints an error and returns the exit code for it."""
    if as_json:
        print_json({"error": {"code": error.code, "message": str(error)}})
    else:
        Console(stderr=True, highlight=False, soft_wrap=True).print(f"[bold red]{error.code}[/]: {escape(str(error))}")
    return 1


def table(title: str, *columns: str, right: tuple[str, ...] = ()) -> Table:
    """An empty table; columns named in `right` are aligned to the right."""
    made = Table(title=title, title_justify="left", title_style="bold", header_style="", box=None, pad_edge=False)
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return made


def shape_text(shape: Any) -> str:
    """[1, N, ?] for a shape, ? for an unknown rank."""
    if shape is None:
        return "?"
    return "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"


def size_text(count: float) -> str:
    """Bytes for people: 1.5 MB."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.2f} GB"
