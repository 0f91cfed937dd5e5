"""How long a page takes from its navigation to its first result, onnxlet and onnxruntime-web in turns in Chromium:

python -m bench.first_page [--dist FOLDER] [--pages N] [--model NAME]

Every page starts from nothing: its browser context has no cache, and the server forbids one. Settings are those that each engine
has by itself on a page without cross-origin isolation.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import urllib.parse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.first import MODEL
from bench.runner import HERE, PEER, Engine, engines
from tests.browser.chromium import Chromium
from tests.models import registry
from tests.models.registry import Model
from tests.support.hosts import write_inputs
from tests.support.paths import ROOT

PAGES = 7
# onnxruntime-web is to take at least this many times as long.
TARGET = 2.0


def measure(model: Model, chosen: Sequence[Engine], pages: int = PAGES) -> dict[str, Any]:
    """Medians of milliseconds over pages, and the ratio of the second engine's to the first's, of neighbouring pages."""
    path = model.path()
    taken: dict[str, list[float]] = {engine.name: [] for engine in chosen}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        inputs = write_inputs(folder, model.feeds(model.sizes[0]))
        inputs = [{**each, "file": f"/file{folder / each['file']}"} for each in inputs]
        roots = [HERE, folder, path.parent, *(engine.entry.parent for engine in chosen)]
        with Chromium(roots) as browser:
            for turn in range(pages + 1):
                for engine in chosen:
                    job = {"url": f"/file{engine.entry}", "model": f"/file{path}", "inputs": inputs}
                    (folder / "job.json").write_text(json.dumps(job))
                    ms = _one(browser, folder / "job.json")
                    # The first round warms up the browser and the file system.
                    if turn > 0:
                        taken[engine.name].append(ms)
    result: dict[str, Any] = {"model": model.name, "ms": {name: statistics.median(ms) for name, ms in taken.items()}}
    if len(chosen) > 1:
        ours, theirs = (taken[engine.name] for engine in chosen[:2])
        result["ratio"] = statistics.median(b / a for a, b in zip(ours, theirs, strict=True))
    return result


def _one(browser: Chromium, job: Path) -> float:
    page = browser.page(f"/file{HERE}/first_page.html?job={urllib.parse.quote(f'/file{job}')}", isolated=False)
    try:
        page.wait("() => globalThis.result !== undefined", 120)
        answer = page.evaluate("() => globalThis.result")
    finally:
        page.close()
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return float(answer["ms"])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.first_page", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--dist", type=Path, default=ROOT / "js" / "dist", help="the built npm package to time")
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--model", choices=sorted(registry.models()), default=MODEL)
    options = parser.parse_args()
    chosen = engines(options.dist, PEER, browser=True)
    result = measure(registry.models()[options.model], chosen, options.pages)
    for name, ms in result["ms"].items():
        print(f"{name:<20}{ms:>8.0f} ms from navigation to the first result")
    print(f"{'ratio':<20}{result['ratio']:>8.2f}    target {TARGET}")
    return 0 if result["ratio"] >= TARGET else 1


if __name__ == "__main__":
    raise SystemExit(main())
