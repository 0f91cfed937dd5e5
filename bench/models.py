"""Whole models: one line each."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.runner import OURS, Engine, failed, run_jobs
from tests.models.fetch import FetchError
from tests.models.registry import Model
from tests.support.hosts import write_inputs

ALONE = "onnxlet, 1 thread"  # measured in turns with more threads, to see what these bring
LARGEST_DIFFERENCE = 1e-3


def bench_model(model: Model, options: argparse.Namespace, engines: Sequence[Engine]) -> dict[str, Any]:
    """What measure.mjs says of the model, and: ratio, agrees, file_bytes, scaling (time with one thread over time)."""
    chosen = list(engines)
    if options.threads > 1:
        chosen.append(Engine(ALONE, engines[0].entry, 1))
    try:
        path, feeds = model.path(), model.feeds(options.size or model.sizes[0])
    except FetchError as error:
        return _judged(failed(chosen, str(error)), model, engines)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        inputs = write_inputs(folder, feeds)
        job = {"model": str(path), "inputs": inputs, "threads": options.threads, "seconds": options.seconds}
        job["provider"] = options.provider
        if options.on_page:
            job["proxy"] = False
        (result,) = run_jobs([job], folder, chosen, browser=options.browser, flags=options.flags)
    return {**_judged(result, model, engines), "file_bytes": path.stat().st_size}


def _judged(result: dict[str, Any], model: Model, engines: Sequence[Engine]) -> dict[str, Any]:
    result["difference"] = difference = None if result["difference"] is None else float(result["difference"])
    if len(engines) > 1:
        allowed = float("inf") if model.rounds else max(LARGEST_DIFFERENCE, model.largest_error)
        agrees = difference is not None and difference <= allowed
        ratio = result["ratios"].get(engines[1].name)
    else:
        agrees, ratio = "error" not in result["engines"][OURS], None
    return {**result, "agrees": agrees, "ratio": ratio, "scaling": result["ratios"].get(ALONE)}


def heading(engines: Sequence[Engine]) -> str:
    names = [engine.name for engine in engines]
    times = f"{names[0]:>10}" + "".join(f"{name:>17}{'ratio':>8}" for name in names[1:])
    return f"{'model':<28}{times}{'load':>15}{'memory, MiB':>16}{'of file':>14}{'difference':>13}"


def describe(name: str, result: dict[str, Any], engines: Sequence[Engine]) -> str:
    found = result["engines"]
    errors = [f"{engine}: {numbers['error']}" for engine, numbers in found.items() if "error" in numbers]
    if errors:
        return f"{name:<28}" + "; ".join(dict.fromkeys(errors))
    numbers = [found[engine.name] for engine in engines]
    times = f"{numbers[0]['median_ms']:>10.2f}"
    if len(numbers) > 1:
        times += f"{numbers[1]['median_ms']:>17.2f}{result['ratio']:>8.2f}"
    load = " / ".join(f"{n['load_ms']:.0f}" for n in numbers)
    memory = " / ".join(f"{n['memory_bytes'] / 2**20:.0f}" for n in numbers)
    shares = " / ".join(f"{n['memory_bytes'] / result['file_bytes']:.1f}" for n in numbers)
    difference = "" if result["difference"] is None else f"{result['difference']:>13.1e}"
    remarks = "" if result["agrees"] else "  outputs differ"
    if result["scaling"]:
        remarks += f"  {result['scaling']:.2f} times one thread"
    return f"{name:<28}{times}{load:>15}{memory:>16}{shares:>14}{difference}{remarks}"
