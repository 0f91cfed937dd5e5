"""./build.sh bench --kernels [NAME...]: one operator at a time, as a table."""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.kernel_rows import KernelModel, build, rows
from tests.browser.chromium import Chromium

HERE = Path(__file__).resolve().parent
Engines = Sequence[tuple[str, Path]]


def run_table(options: argparse.Namespace, engines: Engines) -> list[dict[str, Any]]:
    """Prints a line per row and gives what --json writes. The first engine is ours."""
    chosen = [
        row
        for name, row in rows().items()
        if not options.model or any(n.lower() in name.lower() for n in options.model)
    ]
    ours, theirs = (name for name, _ in engines)
    print(f"{'operator':<28}{'unit':>8}{ours:>12}{theirs:>17}{'µs':>20}{'ratio':>8}")
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        models = [build(row) for row in chosen]
        for row, model, result in zip(chosen, models, _measure(models, folder, options, engines), strict=True):
            results.append(_entry(row.name, model, result))
            print(describe(results[-1], (ours, theirs)), flush=True)
    ratios = [r["ratio"] for r in results if r["ratio"]]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"\n{ours} is {mean:.2f} times as fast as {theirs} in the geometric mean of {len(ratios)} kernels")
    return results


def _entry(name: str, model: KernelModel, result: dict[str, Any]) -> dict[str, Any]:
    engines = {}
    for engine, numbers in result["engines"].items():
        if "error" in numbers:
            engines[engine] = numbers
        else:
            ms = numbers["min_ms"] / model.nodes  # the least disturbed run
            engines[engine] = {"us": 1e3 * ms, "rate": model.work / ms / 1e6}
    times = [numbers.get("us") for numbers in engines.values()]
    ratio = times[1] / times[0] if len(times) == 2 and all(times) else None
    return {"kernel": name, "unit": model.unit, "engines": engines, "ratio": ratio}


def describe(entry: dict[str, Any], names: tuple[str, str]) -> str:
    ours, theirs = (entry["engines"][name] for name in names)
    errors = [f"{name}: {numbers['error']}" for name, numbers in entry["engines"].items() if "error" in numbers]
    if errors:
        return f"{entry['kernel']:<28}" + "; ".join(dict.fromkeys(errors))
    times = f"{ours['us']:.1f} / {theirs['us']:.1f}"
    rates = f"{ours['rate']:>12.2f}{theirs['rate']:>17.2f}"
    return f"{entry['kernel']:<28}{entry['unit']:>8}{rates}{times:>20}{entry['ratio']:>8.2f}"


def _measure(
    models: Sequence[KernelModel], folder: Path, options: argparse.Namespace, engines: Engines
) -> Iterator[dict[str, Any]]:
    jobs = []
    for i, model in enumerate(models):
        (folder / f"{i}.onnx").write_bytes(model.bytes)
        jobs.append({"inputs": [], "threads": options.threads, "seconds": options.seconds, "optimization": "disabled"})
    return (_in_chromium if options.browser else _in_node)(jobs, folder, engines)


def _in_node(jobs: list[dict[str, Any]], folder: Path, engines: Engines) -> Iterator[dict[str, Any]]:
    files = []
    for i, job in enumerate(jobs):
        job |= {"model": f"{i}.onnx", "engines": [{"name": name, "url": path.as_uri()} for name, path in engines]}
        files.append(folder / f"{i}.json")
        files[-1].write_text(json.dumps(job))
    with subprocess.Popen(["node", HERE / "node.mjs", *files], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                yield json.loads(line)


def _in_chromium(jobs: list[dict[str, Any]], folder: Path, engines: Engines) -> Iterator[dict[str, Any]]:
    with Chromium([HERE, folder, *(path.parent for _, path in engines)]) as browser:
        page = browser.page(f"/file{HERE}/page.html")
        page.wait("() => typeof bench === 'function'", 30)
        named = [{"name": name, "url": f"{browser.server.origin}/file{path}"} for name, path in engines]
        for i, job in enumerate(jobs):
            job |= {"model": f"/file{folder / f'{i}.onnx'}", "engines": named}
            yield dict(page.evaluate("(job) => window.bench(job)", job))
