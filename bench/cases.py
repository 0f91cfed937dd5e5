"""The onnx package's node tests on both packages' WebGPU, in one Chromium over SwiftShader: how many give the right answer with
work on the GPU. `python -m bench.cases [-k PATTERN] [--dist FOLDER] [--json FILE]`

A case counts where it passes within its tolerance and the package has dispatched at least one compute shader for it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bench.runner import HERE, OURS, PEER, Engine, engines
from bench.webgpu import SOFTWARE
from tests.browser.chromium import Chromium
from tests.conformance.cases import Case, load_cases
from tests.conformance.javascript import GPU_OPTIONS, check, job_of
from tests.conformance.report import select
from tests.conformance.runner import attempt
from tests.support.paths import ROOT

BATCH = 100  # cases for one page

# What each package is told: everything that can be there is to be on the GPU, and the engine on the page's own thread, where
# the page sees what it dispatches.
SETTINGS: dict[str, dict[str, Any]] = {
    OURS: {"options": GPU_OPTIONS, "wasm": {"proxy": "never"}},
    PEER: {"options": {"executionProviders": ["webgpu", "wasm"], "logSeverityLevel": 4}},
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a line per package."""
    parser = argparse.ArgumentParser(prog="python -m bench.cases", description=__doc__)
    parser.add_argument("-k", dest="pattern", help="only cases whose name or operator matches this regular expression")
    parser.add_argument("--dist", type=Path, default=ROOT / "js" / "dist", help="the npm package's folder")
    parser.add_argument("--json", type=Path, help="also writes which cases pass, with their dispatches")
    options = parser.parse_args(arguments)
    cases = select(load_cases(), options.pattern, ["node"])
    found: dict[str, dict[str, Any]] = {}
    for engine in engines(options.dist, PEER, browser=True, webgpu=True):
        outcomes = dict(run(cases, engine))
        passed = {name: count for name, (right, count) in outcomes.items() if right}
        there = {name for name, count in passed.items() if count > 0}
        operators = {case.operator.removesuffix(" (expanded)") for case in cases if case.name in there}
        print(
            f"{engine.name}: {len(passed)} of {len(cases)} cases pass, {len(there)} of them with work on the GPU, "
            f"of {len(operators)} operators",
            flush=True,
        )
        found[engine.name] = passed
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))
    return 0


def run(cases: Sequence[Case], engine: Engine) -> Iterator[tuple[str, tuple[bool, int]]]:
    """Of each case: its name, whether it passes, and how many shaders were dispatched."""
    jobs = [job_of(case, index) | SETTINGS[engine.name] for index, case in enumerate(cases)]
    url = f"/file{engine.entry}"
    done = 0
    while done < len(jobs):
        with Chromium([HERE, engine.entry.parent], arguments=SOFTWARE) as browser:
            page = browser.page(f"/file{HERE}/cases.html")
            page.wait("() => typeof cases === 'function'", 30)
            results = page.evaluate("([url, jobs]) => cases(url, jobs)", [url, jobs[done : done + BATCH]])
        for index, result in enumerate(results, done):
            outcome = attempt(index, partial(check, cases[index], result, "webgpu"))
            yield cases[index].name, (outcome.passed, result["dispatched"])
        done += len(results)


if __name__ == "__main__":
    sys.exit(main())
