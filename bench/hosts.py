"""python -m bench.hosts [MODEL...]: the same engine in CPython (wasmtime) and in Node (V8), in alternate processes.

--native LIBRARY adds the native engine in CPython; --report writes its table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench import report, tables
from bench.runner import HERE
from onnxlet import hosts
from tests.models import registry
from tests.models.fetch import FetchError
from tests.support.hosts import write_inputs
from tests.support.paths import ROOT

NODE, PYTHON, NATIVE = "Node", "CPython", "native"
REPORTED = "<!-- figures: python -m bench.hosts --native build/native/libonnxlet.so --report -->"


def measure(
    model: registry.Model, dist: Path, threads: int, seconds: float, turns: int, native: Path | None = None
) -> dict[str, Any]:
    """Medians in milliseconds by host; `ratio`: the median over turns of Node's processor time of a run over CPython's;
    with a native library `native`: those of the two hosts over the native engine's. With more than one thread the ratios
    are those of the medians, because waiting threads take processor time too."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "job.json"
        inputs = write_inputs(file.parent, model.feeds(model.sizes[0]))
        job = {"model": str(model.path()), "inputs": inputs, "threads": threads, "seconds": seconds}
        file.write_text(json.dumps({**job, "url": (dist / "onnxlet.mjs").as_uri()}))
        python = [sys.executable, "-m", "bench.measure_python", str(file)]
        commands: dict[str, tuple[list[str], dict[str, str]]] = {
            NODE: (["node", str(HERE / "host.mjs"), str(file)], {}),
            PYTHON: (python, {}),
        }
        if native is not None:
            commands[NATIVE] = python, {"ONNXLET_BACKEND": hosts.NATIVE, "ONNXLET_NATIVE_LIB": str(native)}
        taken: dict[str, list[dict[str, float]]] = {host: [] for host in commands}
        for _ in range(turns):
            for host, (command, environment) in commands.items():
                done = subprocess.run(
                    command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **environment}
                )
                if done.returncode != 0:
                    return {"model": model.name, "error": f"{host}: {done.stderr.strip().splitlines()[-1]}"}
                taken[host].append(json.loads(done.stdout.splitlines()[-1]))
    key = "cpu_ms" if threads == 1 else "median_ms"

    def ratio(slow: str, fast: str) -> float:
        return statistics.median(a[key] / b[key] for a, b in zip(taken[slow], taken[fast], strict=True))

    medians = {host: statistics.median(run[key] for run in runs) for host, runs in taken.items()}
    result = {"model": model.name, "hosts": medians, "ratio": ratio(NODE, PYTHON)}
    return result if native is None else {**result, "native": [ratio(host, NATIVE) for host in (NODE, PYTHON)]}


def describe(result: dict[str, Any]) -> str:
    if "error" in result:
        return f"{result['model']:<28}{result['error']}"
    figures = [*result["hosts"].values(), result["ratio"], *result.get("native", ())]
    return f"{result['model']:<28}" + "".join(f"{n:>12.2f}" for n in figures)


def table(results: list[dict[str, Any]]) -> str:
    """Markdown of what has been measured with the native engine."""
    measured = [result for result in results if "native" in result]
    rows = [
        [result["model"], *(f"{n:.2f}" for n in [*result["hosts"].values(), *result["native"]])] for result in measured
    ]
    means = [tables.geometric_mean(result["native"][host] for result in measured) for host in (0, 1)]
    rows.append(["geometric mean", "", "", "", *(f"{mean:.2f}" for mean in means)])
    columns = ["model", f"{NODE}, ms", f"{PYTHON}, ms", f"{NATIVE}, ms", f"{NODE} / native", f"{PYTHON} / native"]
    return tables.markdown(columns, rows)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.hosts", description=__doc__)
    parser.add_argument("model", nargs="*", help="names, or beginnings of names (default: all but the slow ones)")
    parser.add_argument("--dist", type=Path, default=ROOT / "js" / "dist", help="the built npm package")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1.0, help="time per model, host and turn")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--native", type=Path, metavar="LIBRARY", help="also the native engine: libonnxlet.so")
    parser.add_argument(
        "--report", action="store_true", help="write the native engine's table into docs/performance.md"
    )
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.report and options.native is None:
        parser.error("--report needs --native")
    native = options.native.resolve() if options.native else None
    kind = "of processor time" if options.threads == 1 else "(median)"
    print(f"milliseconds {kind} per run, {options.threads} thread{'s' * (options.threads > 1)}\n")
    heads = [NODE, PYTHON, "ratio"] if native is None else [NODE, PYTHON, NATIVE, "ratio", "Node/nat.", "CPy./nat."]
    print(f"{'model':<28}" + "".join(f"{head:>12}" for head in heads))
    results = []
    for model in registry.models().values():
        if any(model.name.startswith(name) for name in options.model) if options.model else not model.slow:
            try:
                result = measure(model, options.dist.resolve(), options.threads, options.seconds, options.turns, native)
            except FetchError as error:
                result = {"model": model.name, "error": str(error)}
            results.append(result)
            print(describe(result), flush=True)
    ratios = [result["ratio"] for result in results if "ratio" in result]
    if ratios:
        print(
            f"\nCPython has {tables.geometric_mean(ratios):.2f} of Node's speed in the geometric mean of {len(ratios)} models"
        )
    if options.report:
        head = report.describe_setup(options.dist)
        setup = f"{head['date']}, commit {head['commit']}; {head['machine']}, {head['processors']} processors; Node {head['node']}."
        report.write_document(report.DOCUMENT, f"{setup}\n\n{table(results)}", begin=REPORTED)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
