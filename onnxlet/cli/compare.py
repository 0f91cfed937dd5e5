"""`onnxlet compare`: a model on two engines, or two models, output by output and layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.markup import escape

from ..comparison import Comparison, Difference, Layer, Tolerance, compare
from ..errors import Error
from .inputs import Inputs
from .output import DONE, FAILED, console, print_json, progress, report, table

_NUMBERS: Final = ("max abs", "max rel", "cosine", "ULP", "differ")


@dataclass(frozen=True)
class Request:
    """The command line of `onnxlet compare`."""

    model: Path
    other: Path | None
    against: str | None
    inputs: list[str]
    shapes: list[str]
    seed: int
    layers: bool
    relative: float | None
    absolute: float | None
    steps: int
    disabled_passes: list[str]
    threads: int
    deterministic: bool
    backend: str | None
    as_json: bool


def compare_command(request: Request) -> int:
    """Runs the command; returns its exit code: 1 also when the outputs differ."""
    try:
        found = _compare(request)
    except Error as error:
        return report(error, request.as_json)
    if request.as_json:
        print_json(found.to_json())
    else:
        _show(found)
    return DONE if found.agrees else FAILED


def _compare(request: Request) -> Comparison:
    inputs = Inputs.parse(request.inputs, request.shapes, request.seed)
    with progress("comparing") as moved:
        return compare(
            request.model,
            request.other,
            against=request.against,
            inputs=inputs.feeds,
            layers=request.layers,
            tolerance=Tolerance(request.relative, request.absolute, request.steps),
            engine=request.backend,
            threads=request.threads,
            deterministic=request.deterministic,
            disabled_passes=request.disabled_passes,
            progress=moved,
        )


def _show(found: Comparison) -> None:
    out = console()
    made = table("Outputs", "output", "type", *_NUMBERS, "", right=_NUMBERS)
    for output in found.outputs:
        made.add_row(escape(output.name), escape(output.expected), *_cells(output))
    out.print(made)
    for output in found.outputs:
        _show_details(out, output)
    for problem in found.problems:
        out.print(f"[bold red]{escape(problem)}[/]")
    if found.layers is not None:
        _show_layers(out, found)
    other = f"{found.other} on {found.against}" if found.other else found.against
    verdict = "[green]agree[/]" if found.agrees else "[bold red]differ[/]"
    out.print(f"\n{escape(found.model)} on {found.engine} and {escape(other)} {verdict}. Tolerance: {found.tolerance}")


def _show_details(out: Console, found: Difference) -> None:
    """Why a value does not agree."""
    for problem in found.problems:
        out.print(f"  {escape(found.name)}: {escape(problem)}")
    if not found.agrees and found.worst is not None:
        worst = found.worst
        words = f"{found.name}: the worst is at {worst.where}: {worst.actual}, expected {worst.expected}"
        if found.nan_mismatches or found.inf_mismatches:
            words += f"; on one side only: {found.nan_mismatches} NaN, {found.inf_mismatches} infinities"
        out.print(f"  {escape(words)}")


def _show_layers(out: Console, found: Comparison) -> None:
    assert found.layers is not None
    first = found.layers.first
    if first is None:
        out.print(f"\nAll {len(found.layers.layers)} values inside agree.")
    else:
        out.print(f"\nThe first node that diverges: [bold]{escape(first.node)}[/] ({escape(first.op_type)})")
        _show_rows(out, "", [first])
        _show_details(out, first.difference)
    if found.hidden:
        out.print("The outputs differ and nothing inside does: a pass that joins operators makes the difference.")
        names = ", ".join(found.passes) or "none of them alone; leave more out with --disable-pass"
        out.print(f"The passes without which the outputs agree: {names}.")
    grown = found.layers.largest_growth()
    if grown:
        _show_rows(out, "\nLargest growth", grown)
    for sentence in found.layers.unseen:
        out.print(escape(sentence))


def _show_rows(out: Console, title: str, layers: Sequence[Layer]) -> None:
    made = table(title, "node", "operator", "value", "type", "growth", *_NUMBERS, "", right=("growth", *_NUMBERS))
    for layer in layers:
        texts = (layer.node, layer.op_type, layer.value, layer.difference.expected)
        made.add_row(*map(escape, texts), _number(layer.growth), *_cells(layer.difference))
    out.print(made)


def _cells(found: Difference) -> list[str]:
    cosine = "" if found.cosine is None else f"{found.cosine:.6f}"
    ulp = "" if found.max_ulp is None else f"{found.max_ulp:.2e}" if found.max_ulp > 1e6 else str(found.max_ulp)
    bad = f"{found.beyond} beyond" if found.beyond else "differs"
    verdict = "[green]agrees[/]" if found.agrees else f"[bold red]{bad}[/]"
    differ = f"{found.differing} of {found.elements}"
    return [_number(found.max_abs), _number(found.max_rel), cosine, ulp, differ, verdict]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2e}" if value else "0"
