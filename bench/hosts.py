"""python -m bench.hosts [MODEL...]: the same engine in CPython (wasmtime) and in Node (V8), in alternate processes."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.runner import HERE
from bench.tables import geometric_mean
from tests.models import registry
from tests.models.fetch import FetchError
from tests.support.hosts import write_inputs
from tests.support.paths import ROOT

NODE, PYTHON = "Node", "CPython"


def measure(model: registry.Model, dist: Path, threads: int, seconds: float, turns: int) -> dict[str, Any]:
    """Medians in milliseconds by host, and `ratio`: the median over turns of Node's processor time of a run over CPython's.
    With more than one thread it is that of the medians, because waiting threads take processor time too."""
    taken: dict[str, list[dict[str, float]]] = {NODE: [], PYTHON: []}
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "job.json"
        inputs = write_inputs(file.parent, model.feeds(model.sizes[0]))
        job = {"model": str(model.path()), "inputs": inputs, "threads": threads, "seconds": seconds}
        file.write_text(json.dumps({**job, "url": (dist / "onnxlet.mjs").as_uri()}))
        commands = {
            NODE: ["node", str(HERE / "host.mjs"), str(file)],
            PYTHON: [sys.executable, "-m", "bench.measure_python", str(file)],
        }
        for _ in range(turns):
            for host, command in commands.items():
                done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
                if done.returncode != 0:
                    return {"model": model.name, "error": f"{host}: {done.stderr.strip().splitlines()[-1]}"}
                taken[host].append(json.loads(done.stdout.splitlines()[-1]))
    key = "cpu_ms" if threads == 1 else "median_ms"
    ratios = [node[key] / python[key] for node, python in zip(taken[NODE], taken[PYTHON], strict=True)]
    medians = {host: statistics.median(run[key] for run in runs) for host, runs in taken.items()}
    return {"model": model.name, "hosts": medians, "ratio": statistics.median(ratios)}


def describe(result: dict[str, Any]) -> str:
    if "error" in result:
        return f"{result['model']:<28}{result['error']}"
    return f"{result['model']:<28}" + "".join(f"{n:>12.2f}" for n in [*result["hosts"].values(), result["ratio"]])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.hosts", description=__doc__)
    parser.add_argument("model", nargs="*", help="names, or beginnings of names (default: all but the slow ones)")
    parser.add_argument("--dist", type=Path, default=ROOT / "js" / "dist", help="the built npm package")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1.0, help="time per model, host and turn")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    kind = "of processor time" if options.threads == 1 else "(median)"
    print(f"milliseconds {kind} per run, {options.threads} thread{'s' * (options.threads > 1)}\n")
    print(f"{'model':<28}{NODE:>12}{PYTHON:>12}{'ratio':>12}")
    results = []
    for model in registry.models().values():
        if any(model.name.startswith(name) for name in options.model) if options.model else not model.slow:
            try:
                result = measure(model, options.dist.resolve(), options.threads, options.seconds, options.turns)
            except FetchError as error:
                result = {"model": model.name, "error": str(error)}
            results.append(result)
            print(describe(result), flush=True)
    ratios = [result["ratio"] for result in results if "ratio" in result]
    if ratios:
        print(
            f"\nCPython has {geometric_mean(ratios):.2f} of Node's speed in the geometric mean of {len(ratios)} models"
        )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
