"""./build.sh bench --report: every model in Node and Chromium with one and two threads, every kernel, wllama, and the first inference.

What is measured is kept in build/bench/, by commit and by the bytes of the package, so that an interrupted report goes on
where it stopped. The tables go into docs/performance.md.
"""

from __future__ import annotations

import argparse
import copy
import datetime
import hashlib
import json
import os
import platform
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from bench import first, kernels, models, tables, wllama
from bench.runner import HERE, PEER, engines
from tests.browser.chromium import executable
from tests.models import registry
from tests.support.paths import ROOT

DOCUMENT = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- figures: ./build.sh bench --report -->", "<!-- end of figures -->"
PLACES = (("node", 1), ("node", 2), ("chromium", 1), ("page", 1), ("chromium", 2))
KERNEL_HOSTS = ("node", "chromium")
ALSO_SLOW = ("resnet50", "efficientnet-lite0", "efficientnet-lite0-qdq", "smollm2-level4", "kokoro")
MODEL_SECONDS, KERNEL_SECONDS = 0.7, 0.2


def model_key(host: str, threads: int, name: str) -> str:
    return f"model/{host}/{threads}/{name}"


def kernel_key(host: str, name: str) -> str:
    return f"kernel/{host}/{name}"


def wllama_key(threads: int) -> str:
    return f"wllama/{threads}"


FIRST_KEY = "first"


@dataclass
class Store:
    """Results by key, in a file that is written after each."""

    file: Path
    head: dict[str, Any]
    results: dict[str, Any]

    @classmethod
    def open(cls, dist: Path, folder: Path) -> Store:
        head = describe_setup(dist)
        file = folder / f"{head['commit']}-{head['package']}.json"
        if not file.is_file():
            return cls(file, head, {})
        before = json.loads(file.read_text())
        head["load"] = max(head["load"], before["head"].get("load", 0))
        return cls(file, head, before["results"])

    def missing(self, key: str) -> bool:
        """Errors are tried again."""
        result = self.results.get(key)
        return result is None or any("error" in numbers for numbers in result["engines"].values())

    def put(self, key: str, result: dict[str, Any]) -> None:
        self.results[key] = result
        self.file.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.file.with_suffix(".new")
        scratch.write_text(json.dumps({"head": self.head, "results": self.results}, indent=1))
        scratch.replace(self.file)


def describe_setup(dist: Path) -> dict[str, Any]:
    digest = hashlib.sha256()
    for path in sorted([*dist.glob("*.wasm"), *dist.glob("*.mjs")]):
        digest.update(path.name.encode() + path.read_bytes())
    chromium = executable()
    return {
        "date": datetime.date.today().isoformat(),
        "commit": _words("git", "-C", str(ROOT), "rev-parse", "--short=10", "HEAD") or "unknown",
        "package": digest.hexdigest()[:10],
        "machine": _processor(),
        "processors": os.cpu_count() or 1,
        "load": round(os.getloadavg()[1], 1),
        "node": _words("node", "--version"),
        "chromium": _words(chromium, "--version").partition(" built ")[0] if chromium else "",
        "peer": f"{PEER} {json.loads((HERE / 'package.json').read_text())['dependencies'][PEER]}",
    }


def _words(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def run(options: argparse.Namespace) -> int:
    """Measures what is missing and writes the document."""
    store = Store.open(options.dist.resolve(), ROOT / "build" / "bench")
    work = list(_work(store, options))
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(TextColumn("{task.description:<44}"), *columns) as progress:
        task = progress.add_task("", total=sum(count for count, _, _ in work))
        for _, title, measure in work:
            progress.update(task, description=title)
            for key, result in measure():
                store.put(key, result)
                progress.advance(task)
    write_document(DOCUMENT, tables.figures(store.head, store.results))
    print(f"wrote {DOCUMENT.relative_to(ROOT)}; the measurements are in {store.file}")
    failed = [key for key, result in store.results.items() if store.missing(key) or not result.get("agrees", True)]
    for key in failed:
        errors = {n["error"] for n in store.results[key]["engines"].values() if "error" in n} or {"outputs differ"}
        print(f"{key}: {'; '.join(sorted(errors))}")
    return 1 if failed else 0


Measure = Callable[[], Iterator[tuple[str, dict[str, Any]]]]


def _work(store: Store, options: argparse.Namespace) -> Iterator[tuple[int, str, Measure]]:
    """What is still to be measured: how many results, a title, and what gives them."""
    names = options.model
    chosen = [
        m
        for m in registry.models().values()
        if (any(m.name.startswith(n) for n in names) if names else not m.slow or m.name in ALSO_SLOW)
    ]
    if store.missing(FIRST_KEY):
        yield 1, "first inference", lambda: _first(options)
    for host, threads in PLACES:
        here = copy.copy(options)
        here.browser, here.on_page = host != "node", host == "page"
        here.threads, here.seconds = threads, MODEL_SECONDS
        for model in chosen:
            key = model_key(host, threads, model.name)
            if store.missing(key):
                title = f"{host}, {threads} threads: {model.name}"
                yield 1, title, lambda key=key, model=model, here=here: _model(key, model, here)  # type: ignore[misc]
    for host in KERNEL_HOSTS:
        here = copy.copy(options)
        here.browser, here.threads, here.seconds = host == "chromium", 1, KERNEL_SECONDS
        rows = [row for row in kernels.chosen_rows([]) if store.missing(kernel_key(host, row.name))]
        if rows and not names:
            yield len(rows), f"{host}: kernels", lambda host=host, rows=rows, here=here: _kernels(host, rows, here)  # type: ignore[misc]
    for threads in (1, 2):
        if store.missing(wllama_key(threads)) and not names:
            yield 1, f"wllama, {threads} threads", lambda threads=threads: _wllama(threads, options)  # type: ignore[misc]


def _wllama(threads: int, options: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    yield wllama_key(threads), wllama.measure(options.dist.resolve(), threads, rounds=1)


def _first(options: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    chosen = engines(options.dist, PEER, browser=False)
    yield FIRST_KEY, first.measure(registry.models()[first.MODEL], chosen)


def _model(key: str, model: registry.Model, options: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    yield key, models.bench_model(model, options, engines(options.dist, PEER, browser=options.browser))


def _kernels(host: str, rows: list[kernels.Row], options: argparse.Namespace) -> Iterator[tuple[str, dict[str, Any]]]:
    chosen = engines(options.dist, PEER, browser=options.browser)
    for row, entry in kernels.measure(rows, options, chosen):
        yield kernel_key(host, row.name), entry


def write_document(path: Path, figures: str, begin: str = BEGIN) -> None:
    """Replaces what is between the markers `begin` and END."""
    text = path.read_text()
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(END)}", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"{path} lacks the lines {begin!r} and {END!r}")
    path.write_text(pattern.sub(lambda _: f"{begin}\n\n{figures}\n\n{END}", text))
