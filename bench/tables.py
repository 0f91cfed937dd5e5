"""The tables of docs/performance.md, from a report's results."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bench import kernel_rows, targets
from bench.runner import OURS, PEER
from tests.models import registry

Results = Mapping[str, Any]


def figures(head: Mapping[str, Any], results: Results) -> str:
    """Markdown."""
    host = f"{head['machine']}, {head['processors']} processors"
    setup = f"{head['date']}, commit {head['commit']}; {host}; Node {head['node']}, {head['chromium']}; {head['peer']}."
    if head["load"] > head["processors"]:
        setup += f"\nOther work ran on the machine (load average up to {head['load']}): single figures are rough."
    sections = {
        "Models": model_table(results),
        "Kernels": kernel_table(results),
        "A language model": wllama_table(results),
        "First inference": first_table(results),
    }
    return "\n\n".join([setup, *(f"### {title}\n\n{table}" for title, table in sections.items() if table)])


def geometric_mean(ratios: Iterable[float]) -> float:
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms))


def _in_order(names: Iterable[str], order: Iterable[str]) -> list[str]:
    places = {name: place for place, name in enumerate(order)}
    return sorted(names, key=lambda name: places.get(name, len(places)))


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns of which nothing was measured are left out."""
    rows = list(rows)
    kept = [k for k in range(len(columns)) if k == 0 or any(row[k] for row in rows)]
    lines = [[line[k] for k in kept] for line in (columns, ["---", *["---:"] * (len(columns) - 1)], *rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _mark(value: float, target: float | None) -> str:
    """The ratio; in bold where it misses the target."""
    return _emphasis(f"{value:.2f}", target is not None and value < target)


def _emphasis(text: str, wanted: bool) -> str:
    return f"**{text}**" if wanted else text


PLACES = (("node", "Node"), ("chromium", "Chromium"), ("page", "Chromium on the page's thread"))
KERNEL_PLACES = PLACES[:2]


def model_table(results: Results) -> str:
    found: dict[str, dict[tuple[str, int], Any]] = {}
    for key, result in results.items():
        if key.startswith("model/"):
            _, host, threads, name = key.split("/", 3)
            found.setdefault(name, {})[host, int(threads)] = result
    if not found:
        return ""
    columns = ["model", "target"]
    for _, host in PLACES:
        columns += [f"{host}, ms", "1 thread", "2 threads", "2 over 1"]
    rows = [_model_row(name, found[name]) for name in _in_order(found, registry.models())]
    rows.append(_mean_row(list(found.values())))
    return markdown([*columns, "memory / file", "load, ms"], rows)


def _model_row(name: str, cells: Mapping[tuple[str, int], Any]) -> list[str]:
    target = targets.of_model(name)
    row = [name, f"{target:g}"]
    for host, _ in PLACES:
        one, two = (_sound(cells.get((host, threads))) for threads in (1, 2))
        row.append(_times(one, "median_ms", ".1f") if one else "")
        row += [_mark(cell["ratio"], target) if cell else "" for cell in (one, two)]
        row.append(_mark(two["scaling"], targets.TWO_THREADS) if two and two["scaling"] else "")
    one = _sound(cells.get(("node", 1)))
    if one is None:
        return [*row, "", ""]
    shares = [one["engines"][name]["memory_bytes"] / one["file_bytes"] for name in (OURS, PEER)]
    memory = f"{_emphasis(f'{shares[0]:.1f}', shares[0] > targets.MEMORY)} / {shares[1]:.1f}"
    return [*row, memory, _times(one, "load_ms", ".0f")]


def _times(cell: Mapping[str, Any], key: str, form: str) -> str:
    return " / ".join(format(cell["engines"][name][key], form) for name in (OURS, PEER))


def _mean_row(models: Sequence[Mapping[tuple[str, int], Any]]) -> list[str]:
    row = ["geometric mean", f"{targets.MODELS_MEAN:g}"]
    for host, _ in PLACES:
        row.append("")
        for threads in (1, 2):
            ratios = [cell["ratio"] for cells in models if (cell := _sound(cells.get((host, threads))))]
            row.append(_mark(geometric_mean(ratios), targets.MODELS_MEAN) if ratios else "")
        both = [cell for cells in models if (cell := _sound(cells.get((host, 2)))) and cell["scaling"]]
        row.append(_mark(geometric_mean(cell["scaling"] for cell in both), targets.TWO_THREADS) if both else "")
    return [*row, "", ""]


def _sound(cell: Any) -> Any:
    """The result, unless an engine failed."""
    return cell if cell and cell.get("ratio") else None


def kernel_table(results: Results) -> str:
    found: dict[str, dict[str, Any]] = {}
    for key, result in results.items():
        if key.startswith("kernel/"):
            _, host, name = key.split("/", 2)
            found.setdefault(name, {})[host] = result
    if not found:
        return ""
    columns = ["kernel", "target"]
    for _, host in KERNEL_PLACES:
        columns += [host, "ratio", "of peak"]
    shown = [name for name in found if targets.of_kernel(name) or any(cell["of_peak"] for cell in found[name].values())]
    rows = [_kernel_row(name, found[name]) for name in _in_order(shown, kernel_rows.rows())]
    mean = [f"geometric mean of {len(found)}", ""]
    for host, _ in KERNEL_PLACES:
        ratios = [cell["ratio"] for cells in found.values() if (cell := _sound(cells.get(host)))]
        mean += ["", f"{geometric_mean(ratios):.2f}" if ratios else "", ""]
    return markdown(columns, [*rows, mean])


def _kernel_row(name: str, cells: Mapping[str, Any]) -> list[str]:
    target = targets.of_kernel(name)
    row = [name, f"{target:g}" if target else ""]
    for host, _ in KERNEL_PLACES:
        cell = _sound(cells.get(host))
        if cell is None:
            row += ["", "", ""]
            continue
        rates = " / ".join(f"{cell['engines'][engine]['rate']:.3g}" for engine in (OURS, PEER))
        share = f"{100 * cell['of_peak']:.0f} %" if cell["of_peak"] else ""
        row += [f"{rates} {cell['unit']}", _mark(cell["ratio"], target), share]
    return row


def wllama_table(results: Results) -> str:
    found = [result for key, result in results.items() if key.startswith("wllama/")]
    if not found:
        return ""
    columns = ["Chromium, ms", "prompt: onnxlet / wllama", "ratio", "token: onnxlet / wllama", "ratio"]
    rows = []
    for result in sorted(found, key=lambda result: result["threads"]):
        row = [f"{result['model']}, {result['threads']} thread{'s' * (result['threads'] > 1)}"]
        for key in ("prompt_ms", "token_ms"):
            times = " / ".join(f"{engine[key]:.1f}" for engine in result["engines"].values())
            row += [times, f"{result['ratios'][key]:.2f}"]
        rows.append(row)
    return markdown(columns, rows)


def first_table(results: Results) -> str:
    result = results.get("first")
    if not result:
        return ""
    engines = result["engines"]
    rows = []
    for key, text in (("ready_ms", "ready for the first inference"), ("first_ms", "first outputs")):
        target = targets.FIRST if key == "ready_ms" else None
        times = [f"{engines[name][key]:.0f}" for name in (OURS, PEER)]
        rows.append([text, *times, _mark(result["ratios"][key], target), f"{target:g}" if target else ""])
    return markdown([f"Node, {result['model']}, ms", OURS, PEER, "ratio", "target"], rows)
