"""Times onnxlet and onnxruntime-web on the same inputs, in turns: ./build.sh bench [MODEL...] [--threads N] [--browser]

With --kernels the names are those of single operators, see bench/kernel_rows.py. docs/performance.md explains the figures."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench import first, kernels, models, report, webgpu, wllama
from bench.kernel_rows import rows
from bench.plot import write_plot
from bench.runner import OURS, PEER, Engine, engines
from bench.tables import geometric_mean
from tests.models import registry
from tests.support.paths import ROOT


def main() -> int:
    parser = argparse.ArgumentParser(prog="./build.sh bench", description=__doc__)
    parser.add_argument("model", nargs="*", help="names, or beginnings of names (default: all but the slow ones)")
    parser.add_argument("--kernels", action="store_true", help="time operators instead of models")
    parser.add_argument("--first", action="store_true", help="time a fresh process until its first inference")
    parser.add_argument("--wllama", action="store_true", help="time a language model against wllama, in Chromium")
    parser.add_argument("--webgpu", action="store_true", help="time models on WebGPU, in Chromium")
    parser.add_argument(
        "--hardware", action="store_true", help="with --webgpu: on the machine's GPU, not on SwiftShader"
    )
    parser.add_argument("--report", action="store_true", help="measure everything and write docs/performance.md")
    parser.add_argument("--list", action="store_true", help="list the models, or the operators")
    parser.add_argument("--dist", type=Path, default=ROOT / "js" / "dist", help="the built npm package to time")
    parser.add_argument(
        "--peer", default=PEER, help=f"{PEER}, none, or the folder of another build of onnxlet (default: %(default)s)"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--browser", action="store_true", help="in Chromium instead of Node")
    parser.add_argument(
        "--on-page", action="store_true", help="with --browser: onnxlet on the page's thread, as onnxruntime-web"
    )
    parser.add_argument("--seconds", type=float, default=1.5, help="time per model and engine")
    parser.add_argument("--size", type=int, help="the size of inputs whose size is free")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg")
    parser.set_defaults(provider="wasm", flags=())
    options = parser.parse_args()
    if options.list:
        print("\n".join(rows() if options.kernels else registry.models()))
        return 0
    if options.report:
        return report.run(options)
    if options.webgpu:
        return webgpu.run(options)
    if options.wllama:
        print(wllama.describe(wllama.measure(options.dist, options.threads)))
        return 0
    chosen = engines(options.dist, options.peer, browser=options.browser)
    if options.first:
        result = first.measure(registry.models()[first.MODEL], engines(options.dist, options.peer, browser=False))
        print(first.describe(result))
        return 0
    return (bench_kernels if options.kernels else bench_models)(options, chosen)


def bench_models(options: argparse.Namespace, chosen: list[Engine]) -> int:
    found = [
        m
        for m in registry.models().values()
        if (any(m.name.startswith(n) for n in options.model) if options.model else not m.slow)
    ]
    if not found:
        print(f"no model is called so; --list shows them: {', '.join(options.model)}", file=sys.stderr)
        return 2
    print(f"{where(options)}, milliseconds per run (median); memory is the peak of wasm memory\n")
    print(models.heading(chosen))
    results = []
    for model in found:
        results.append({"model": model.name, **models.bench_model(model, options, chosen)})
        print(models.describe(model.name, results[-1], chosen), flush=True)
    tell_mean((r["ratio"] for r in results), chosen, "models")
    report = report_of(options, results)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1))
    if options.plot:
        write_plot(options.plot, report)
    return 0 if all(r["agrees"] for r in results) else 1


def bench_kernels(options: argparse.Namespace, chosen: list[Engine]) -> int:
    print(f"{where(options)}; `of peak` compares with the machine's peak in this run\n")
    print(kernels.heading(chosen))
    results = []
    for _, entry in kernels.measure(kernels.chosen_rows(options.model), options, chosen):
        results.append(entry)
        print(kernels.describe(entry, [engine.name for engine in chosen]), flush=True)
    tell_mean((r["ratio"] for r in results), chosen, "kernels")
    if options.json:
        options.json.write_text(json.dumps(report_of(options, results), indent=1))
    return 0 if all("error" not in r["engines"][OURS] for r in results) else 1


def where(options: argparse.Namespace) -> str:
    return f"{'Chromium' if options.browser else 'Node'}, {options.threads} thread{'s' * (options.threads > 1)}"


def tell_mean(ratios: Iterable[float | None], chosen: list[Engine], what: str) -> None:
    known = [ratio for ratio in ratios if ratio]
    if known:
        mean = geometric_mean(known)
        print(f"\n{OURS} is {mean:.2f} times as fast as {chosen[1].name} in the geometric mean of {len(known)} {what}")


def report_of(options: argparse.Namespace, results: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "where": "Chromium" if options.browser else "Node",
        "threads": options.threads,
        "machine": platform.processor() or platform.machine(),
        "results": results,
    }


if __name__ == "__main__":
    sys.exit(main())
