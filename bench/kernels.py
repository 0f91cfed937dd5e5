"""./build.sh bench --kernels [NAME...]: one operator at a time, as a table."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.kernel_rows import KernelModel, Row, build, rows
from bench.runner import Engine, peak_job, run_jobs
from tests.support.hosts import write_inputs


def chosen_rows(names: Sequence[str]) -> list[Row]:
    return [row for name, row in rows().items() if not names or any(n.lower() in name.lower() for n in names)]


def measure(
    chosen: Sequence[Row], options: argparse.Namespace, engines: Sequence[Engine]
) -> Iterator[tuple[Row, dict[str, Any]]]:
    """Each row with what --json writes for it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        peak = peak_job(folder)
        models = [build(row) for row in chosen]
        jobs = []
        for i, model in enumerate(models):
            (folder / f"{i}.onnx").write_bytes(model.bytes)
            job = {"model": f"{i}.onnx", "inputs": write_inputs(folder, model.feeds, f"{i}")}
            sessions = {"threads": options.threads, "optimization": "all" if model.feeds else "disabled"}
            if options.threads == 1:
                sessions["proxy"] = False  # messages to a worker take longer than small kernels
            jobs.append({**job, **sessions, "seconds": options.seconds, "peak": peak})
        results = run_jobs(jobs, folder, engines, browser=options.browser)
        for row, model, result in zip(chosen, models, results, strict=False):
            yield row, _entry(row, model, result, options.threads)


def _entry(row: Row, model: KernelModel, result: dict[str, Any], threads: int) -> dict[str, Any]:
    engines = {}
    for engine, numbers in result["engines"].items():
        if "error" in numbers:
            engines[engine] = numbers
        else:
            ms = numbers["min_ms"] / model.nodes  # the least disturbed run
            engines[engine] = {"us": 1e3 * ms, "rate": model.work / ms / 1e6}
    times = [numbers.get("us") for numbers in engines.values()]
    ratio = times[1] / times[0] if len(times) == 2 and all(times) else None
    entry = {"kernel": row.name, "unit": model.unit, "engines": engines, "ratio": ratio, "of_peak": None}
    first = next(iter(engines.values()))
    if row.of_peak and "rate" in first and result.get("peak"):
        entry["peak"] = result["peak"]["gflops"] * threads
        entry["of_peak"] = first["rate"] / entry["peak"]
    return entry


def heading(engines: Sequence[Engine]) -> str:
    names = [engine.name for engine in engines]
    rates = f"{names[0]:>12}" + "".join(f"{name:>17}" for name in names[1:])
    ratio = f"{'ratio':>8}" if len(names) > 1 else ""
    return f"{'operator':<32}{'unit':>8}{rates}{'µs':>20}{ratio}{'of peak':>9}"


def describe(entry: dict[str, Any], names: Sequence[str]) -> str:
    numbers = [entry["engines"][name] for name in names]
    errors = [f"{name}: {n['error']}" for name, n in zip(names, numbers, strict=True) if "error" in n]
    if errors:
        return f"{entry['kernel']:<32}" + "; ".join(dict.fromkeys(errors))
    times = " / ".join(f"{n['us']:.1f}" for n in numbers)
    rates = f"{numbers[0]['rate']:>12.2f}" + "".join(f"{n['rate']:>17.2f}" for n in numbers[1:])
    ratio = f"{entry['ratio']:>8.2f}" if entry["ratio"] else ""
    of_peak = f"{100 * entry['of_peak']:>7.0f} %" if entry["of_peak"] else ""
    return f"{entry['kernel']:<32}{entry['unit']:>8}{rates}{times:>20}{ratio}{of_peak}"
