"""`onnxlet pack`: a smaller model, proved right, with a table of what was done."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from ..errors import Error
from .output import console, print_json, report, shape_text, size_text, table

if TYPE_CHECKING:
    from ..packing.calibrate import Progress as Callback


@dataclass(frozen=True)
class Request:
    """The command line of `onnxlet pack`."""

    model: Path
    output: Path
    scheme: str | None
    data: Path | None
    metric: str | None
    max_size: str | None
    min_accuracy: float | None
    max_drop: float | None
    cache: bool
    config: Path | None
    report: Path | None
    seed: int | None
    as_json: bool


def pack_command(request: Request) -> int:
    """Runs the command; returns its exit code."""
    try:
        document = _pack(request)
    except Error as error:
        return report(error, request.as_json)
    if request.report:
        request.report.write_text(_written(document, request.report), encoding="utf-8")
    if request.as_json:
        print_json(document)
    else:
        _show(document, request)
    return 0


def _written(document: dict[str, Any], file: Path) -> str:
    """The report as a page or as JSON, by the file's name."""
    from ..packing.page import page

    if file.suffix.lower() in (".html", ".htm"):
        return page(document)
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _pack(request: Request) -> dict[str, Any]:
    from ..packing import pack

    # The report has the warnings too.
    with warnings.catch_warnings(), _progress(not request.as_json) as progress:
        warnings.simplefilter("ignore", UserWarning)
        result = pack(
            request.model,
            request.data,
            output=request.output,
            scheme=request.scheme,
            config=request.config,
            metric=request.metric,
            max_size=request.max_size,
            min_accuracy=request.min_accuracy,
            max_drop=request.max_drop,
            cache=None if request.cache else False,
            seed=request.seed,
            progress=progress,
        )
    return {"model": str(request.model), "output": str(request.output), **result.report}


@contextmanager
def _progress(shown: bool) -> Iterator[Callback | None]:
    """Bars on standard error, one per stage; nothing where that is no terminal."""
    errors = Console(stderr=True)
    if not shown or not errors.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=errors, transient=True) as bars:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield show


def _show(document: dict[str, Any], request: Request) -> None:
    out = console()
    numbers = ("before", "after", "SNR dB")
    rows = table(f"{request.model} → {request.output}", "layer", "operator", "shape", "scheme", *numbers, right=numbers)
    for layer in document["layers"]:
        ratio = "" if layer["snr_db"] is None else f"{layer['snr_db']:.1f}"
        sizes = [size_text(layer[key]) for key in ("bytes_before", "bytes_after")]
        words = layer["scheme"] + (f": {layer['reason']}" if layer["reason"] else "")
        rows.add_row(
            escape(layer["layer"]), layer["op_type"], escape(shape_text(layer["shape"])), escape(words), *sizes, ratio
        )
    out.print(rows)
    counts = Counter(node["status"] for node in document["nodes"])
    before, after = document["bytes_before"], document["bytes_after"]
    out.print(f"\n{size_text(before)} → {size_text(after)} ({after / before:.0%}); nodes: {_counted(counts)}")
    if "accuracy" in document:
        out.print(_accuracy(document["accuracy"], document["samples"]))
    if "search" in document:
        searched = document["search"]
        out.print(
            f"The best of {len(searched['trials'])} mixes for {searched['budget']}; models run: {searched['runs']}"
        )
    if "speed" in document:
        speed = document["speed"]
        out.print(f"{speed['before_ms']:.3g} ms → {speed['after_ms']:.3g} ms, {speed['ratio']:.2f} times as fast")
    for note in document["notes"]:
        out.print(f"[bold yellow]Note:[/] {escape(note)}")


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))


def _accuracy(accuracy: dict[str, Any], samples: int) -> str:
    ratio = "" if accuracy["snr_db"] is None else f", {accuracy['snr_db']:.1f} dB"
    return (
        f"{accuracy['metric']} {accuracy['before']:.4g} → {accuracy['after']:.4g} on {samples} samples; outputs: cosine "
        f"{accuracy['cosine']:.5f}{ratio}, largest difference {accuracy['max_abs']:.3g}"
    )
