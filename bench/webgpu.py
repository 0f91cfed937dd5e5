"""./build.sh bench --webgpu: models on both packages' WebGPU, in one Chromium; on its SwiftShader, or with --hardware on the machine's GPU.

One JSON file has the adapter, its limits and the measurements. An interrupted run goes on there, as long as commit, package and
adapter are the same.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import models, report
from bench.runner import HERE, OURS, Engine, engines
from bench.tables import geometric_mean
from tests.browser.chromium import Chromium
from tests.models import registry
from tests.support.paths import ROOT

MODELS = (
    "mobilenetv2",
    "light-resnet50",
    "vit-tiny",
    "minilm",
    "tinyocr-det",
    "tinyocr-rec",
    "blazeface-back",
    "selfie",
)
SOFTWARE = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")
HARDWARE = ("--enable-unsafe-webgpu", "--enable-features=Vulkan", "--ignore-gpu-blocklist")


def run(options: argparse.Namespace) -> int:
    """Measures what the file lacks. 1 if something failed or outputs differ, 2 if there is nothing to measure on."""
    here = copy.copy(options)
    here.browser, here.threads, here.provider = True, 1, "webgpu"
    here.flags = HARDWARE if options.hardware else SOFTWARE
    chosen = engines(options.dist, options.peer, browser=True, webgpu=True)
    known = registry.models()
    wanted = [name for name in known if name.startswith(tuple(options.model))] if options.model else MODELS
    found = [known[name] for name in wanted]
    adapter = find_adapter(here.flags)
    if adapter is None or not found:
        print("Chromium has no adapter" if found else "no model is called so; --list shows them", file=sys.stderr)
        return 2
    store = open_store(options.dist.resolve(), options.json, adapter, options.peer)
    print(f"Chromium, {adapter['name']}; milliseconds per run (median); memory is the peak of wasm memory\n")
    print(models.heading(chosen))
    for model in found:
        if store.missing(model.name):
            store.put(model.name, models.bench_model(model, here, chosen))
        print(models.describe(model.name, store.results[model.name], chosen), flush=True)
    results = [store.results[model.name] for model in found]
    print(f"\n{_sum_up(results, chosen)}the measurements are in {store.file}")
    return 0 if all(result["agrees"] for result in results) else 1


def find_adapter(flags: Sequence[str]) -> dict[str, Any] | None:
    """What Chromium tells of its adapter: name, features, limits."""
    with Chromium([HERE], arguments=flags) as browser:
        page = browser.page(f"/file{HERE}/page.html")
        page.wait("() => typeof adapter === 'function'", 30)
        found: dict[str, Any] | None = page.evaluate("() => adapter()")
        return found


def open_store(dist: Path, file: Path | None, adapter: dict[str, Any], peer: str) -> report.Store:
    head = report.describe_setup(dist) | {"adapter": adapter}
    if peer not in head["peer"]:
        head["peer"] = peer
    file = file or ROOT / "build" / "bench" / f"webgpu-{head['commit']}-{head['package']}.json"
    before = json.loads(file.read_text()) if file.is_file() else {"head": {}, "results": {}}
    same = all(before["head"].get(key) == head[key] for key in ("commit", "package", "adapter", "peer"))
    return report.Store(file, head, before["results"] if same else {})


def _sum_up(results: Sequence[dict[str, Any]], chosen: Sequence[Engine]) -> str:
    ratios = [result["ratio"] for result in results if result["ratio"]]
    if not ratios:
        return ""
    mean = geometric_mean(ratios)
    return f"{OURS} is {mean:.2f} times as fast as {chosen[1].name} in the geometric mean of {len(ratios)} models\n"
