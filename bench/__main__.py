"""Times onnxlet and onnxruntime-web on the same inputs, in turns: ./build.sh bench [MODEL...] [--threads N] [--browser]

With --kernels the names are those of single operators, see bench/kernel_rows.py."""

from __future__ import annotations

import argparse
import json
import math
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.kernel_rows import rows
from bench.kernels import run_table
from bench.plot import write_plot
from tests.browser.chromium import Chromium
from tests.models.fetch import FetchError
from tests.models.registry import Model, models
from tests.support.hosts import write_inputs
from tests.support.paths import ROOT, cache_dir

HERE = Path(__file__).resolve().parent
OURS, PEER = "onnxlet", "onnxruntime-web"
LARGEST_DIFFERENCE = 1e-3
SECONDS_PER_RUN = 300


def main() -> int:
    parser = argparse.ArgumentParser(prog="./build.sh bench", description=__doc__)
    parser.add_argument("model", nargs="*", help="names, or beginnings of names (default: all but the slow ones)")
    parser.add_argument("--kernels", action="store_true", help="time operators instead of models")
    parser.add_argument("--list", action="store_true", help="list the models, or the operators")
    parser.add_argument("--dist", type=Path, default=ROOT / "js" / "dist", help="the built npm package to time")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--browser", action="store_true", help="in Chromium instead of Node")
    parser.add_argument("--seconds", type=float, default=1.5, help="time per model and engine")
    parser.add_argument("--size", type=int, help="the size of inputs whose size is free")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg")
    options = parser.parse_args()
    if options.list:
        print("\n".join(rows() if options.kernels else models()))
        return 0
    if options.kernels:
        return bench_kernels(options)
    chosen = [
        m
        for m in models().values()
        if (any(m.name.startswith(n) for n in options.model) if options.model else not m.slow)
    ]
    if not chosen:
        parser.error(f"no model is called so; --list shows them: {', '.join(options.model)}")
    peer = install_peer()
    where = "Chromium" if options.browser else "Node"
    print(
        f"{where}, {options.threads} thread{'s' * (options.threads > 1)}, milliseconds per run (median); memory is the peak of wasm memory\n"
    )
    print(f"{'model':<28}{OURS:>10}{PEER:>17}{'ratio':>8}{'load':>15}{'memory, MiB':>16}{'difference':>13}")
    results = []
    for model in chosen:
        try:
            result = bench_model(model, options, peer)
        except FetchError as error:
            result = {"engines": {name: {"error": str(error)} for name in (OURS, PEER)}, "difference": None}
        results.append({"model": model.name, **result})
        print(describe(model.name, result), flush=True)
    ratios = [r["ratio"] for r in results if r.get("ratio")]
    if ratios:
        print(
            f"\n{OURS} is {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f} times as fast as {PEER} in the geometric mean of {len(ratios)} models"
        )
    report = report_of(options, results)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1))
    if options.plot:
        write_plot(options.plot, report)
    return 0 if all(r.get("agrees") for r in results) else 1


def bench_kernels(options: argparse.Namespace) -> int:
    peer = install_peer() / "dist" / ("ort.wasm.min.mjs" if options.browser else "ort.node.min.mjs")
    results = run_table(options, [(OURS, options.dist.resolve() / "onnxlet.mjs"), (PEER, peer)])
    if options.json:
        options.json.write_text(json.dumps(report_of(options, results), indent=1))
    return 0 if all(r["ratio"] for r in results) else 1


def report_of(options: argparse.Namespace, results: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "where": "Chromium" if options.browser else "Node",
        "threads": options.threads,
        "machine": platform.processor() or platform.machine(),
        "results": results,
    }


def bench_model(model: Model, options: argparse.Namespace, peer: Path) -> dict[str, Any]:
    feeds = model.feeds(options.size or model.sizes[0])
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        inputs = write_inputs(folder, feeds)
        job: dict[str, Any] = {"threads": options.threads, "seconds": options.seconds, "inputs": inputs}
        result = (
            run_in_chromium(job, folder, model, peer)
            if options.browser
            else run_in_node(job, folder, model, peer, options.dist.resolve())
        )
    result["agrees"] = result["difference"] is not None and (model.rounds or result["difference"] <= LARGEST_DIFFERENCE)
    return result


def run_in_node(job: dict[str, Any], folder: Path, model: Model, peer: Path, dist: Path) -> dict[str, Any]:
    engines = [(OURS, dist / "onnxlet.mjs"), (PEER, peer / "dist" / "ort.node.min.mjs")]
    job |= {"model": str(model.path()), "engines": [{"name": name, "url": path.as_uri()} for name, path in engines]}
    (folder / "job.json").write_text(json.dumps(job))
    command = ["node", str(HERE / "node.mjs"), str(folder / "job.json")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_RUN)
    except subprocess.TimeoutExpired:
        return failed(f"no answer in {SECONDS_PER_RUN} s")
    if done.returncode != 0:
        return failed((done.stderr.strip().splitlines() or ["?"])[-1])
    return dict(json.loads(done.stdout.splitlines()[-1]))


def run_in_chromium(job: dict[str, Any], folder: Path, model: Model, peer: Path) -> dict[str, Any]:
    path = model.path()
    with Chromium([HERE, peer, path.parent, folder]) as browser:
        page = browser.page(f"/file{HERE}/page.html")
        page.wait("() => typeof bench === 'function'", 30)
        for value in job["inputs"]:
            value["file"] = f"/file{folder / value['file']}"
        engines = [(OURS, "/js/onnxlet.mjs"), (PEER, f"/file{peer}/dist/ort.wasm.min.mjs")]
        named = [{"name": name, "url": browser.server.origin + address} for name, address in engines]
        job |= {"model": f"/file{path}", "engines": named}
        return dict(page.evaluate("(job) => window.bench(job)", job))


def failed(message: str) -> dict[str, Any]:
    return {"engines": {name: {"error": message} for name in (OURS, PEER)}, "difference": None}


def describe(name: str, result: dict[str, Any]) -> str:
    ours, theirs = result["engines"][OURS], result["engines"][PEER]
    errors = [f"{engine}: {numbers['error']}" for engine, numbers in result["engines"].items() if "error" in numbers]
    if errors:
        return f"{name:<28}" + "; ".join(dict.fromkeys(errors))
    load = f"{ours['load_ms']:.0f} / {theirs['load_ms']:.0f}"
    memory = f"{ours['memory_bytes'] / 2**20:.0f} / {theirs['memory_bytes'] / 2**20:.0f}"
    remark = "" if result["agrees"] else "  outputs differ"
    numbers = f"{ours['median_ms']:>10.2f}{theirs['median_ms']:>17.2f}{result['ratio']:>8.2f}{load:>15}{memory:>16}"
    return f"{name:<28}{numbers}{result['difference']:>13.1e}{remark}"


def install_peer() -> Path:
    """The pinned onnxruntime-web, installed with npm into the cache at the first call."""
    wanted = json.loads((HERE / "package.json").read_text())["dependencies"][PEER]
    folder = cache_dir() / "bench" / f"{PEER}-{wanted}"
    package = folder / "node_modules" / PEER
    if not (package / "dist" / "ort.node.min.mjs").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text((HERE / "package.json").read_text())
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"npm could not install {PEER} {wanted}: {(done.stderr or done.stdout).strip()}")
    return package


if __name__ == "__main__":
    sys.exit(main())
