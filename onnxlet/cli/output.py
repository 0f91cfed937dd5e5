"""How the commands print: JSON on standard output, tables through rich, errors and progress on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..errors import Error
from .usage import BadOption

DONE: Final = 0
FAILED: Final = 1
MISUSED: Final = 2
CHANGED: Final = 3

_WIDE: Final = 200


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def console() -> Console:
    """Standard output; plain text when it is not a terminal, and wide, so that tables do not break there."""
    terminal = sys.stdout.isatty()
    return Console(highlight=False, soft_wrap=not terminal, width=None if terminal else _WIDE)


def report(error: Error, as_json: bool) -> int:
    """Prints an error and returns the exit code for it."""
    if as_json:
        print_json({"error": {"code": error.code, "message": str(error)}})
    else:
        Console(stderr=True, highlight=False, soft_wrap=True).print(f"[bold red]{error.code}[/]: {escape(str(error))}")
    return MISUSED if isinstance(error, BadOption) else FAILED


def command(make: Callable[[], Any], show: Callable[[Any], None], as_json: bool) -> tuple[int, Any]:
    """Makes a command's document and prints it as JSON or by `show`; with the exit code, and None after an error."""
    try:
        document = make()
    except Error as error:
        return report(error, as_json), None
    if as_json:
        print_json(document)
    else:
        show(document)
    return DONE, document


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error, when that is a terminal; moved by calls with how much of how much is done."""
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


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


def plain(value: Any) -> Any:
    """A value of a model as JSON: nested lists for tensors; NaN, infinities and complex numbers, which JSON lacks, as text."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, complex):
        return str(value)
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    return plain(value.tolist()) if hasattr(value, "tolist") else str(value)
