"""python -m bench.first_python: how long a fresh Python process takes to import a package and make its first session.

onnxlet against onnxruntime on a model of about 1 MB, in alternate processes; onnxlet's compiled engine is in its cache,
as it is in every process but the first.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.first import MODEL
from tests.models import registry
from tests.support.paths import ROOT

PACKAGES = ("onnxlet", "onnxruntime")
PROCESSES = 15
_PROGRAM = """
import time
began = time.perf_counter()
import sys
import importlib
package = importlib.import_module(sys.argv[1])
session = package.InferenceSession(sys.argv[2], providers=["CPUExecutionProvider"])
ready = time.perf_counter()
import json
import numpy
feeds = {name: numpy.load(file) for name, file in json.loads(sys.argv[3]).items()}
loaded = time.perf_counter()
session.run(None, feeds)
print(json.dumps({"ready_ms": 1e3 * (ready - began), "first_ms": 1e3 * (time.perf_counter() - loaded)}))
"""


def measure(model: registry.Model, scratch: Path, processes: int = PROCESSES) -> dict[str, Any]:
    """Medians over processes of ready_ms, the time to a session, and first_ms, that of its first run; the packages take
    turns. `ratio` is the median of onnxruntime's ready_ms over onnxlet's in the same turn."""
    import numpy as np

    files = {}
    for index, (name, value) in enumerate(model.feeds(model.sizes[0]).items()):
        files[name] = str(scratch / f"{index}.npy")
        np.save(files[name], value)
    arguments = [str(model.path()), json.dumps(files)]
    taken: dict[str, list[dict[str, float]]] = {package: [] for package in PACKAGES}
    for turn in range(processes + 1):
        for package in PACKAGES:
            numbers = _process([package, *arguments])
            if turn:  # the first fills caches
                taken[package].append(numbers)
    medians = {
        package: {key: statistics.median(run[key] for run in runs) for key in ("ready_ms", "first_ms")}
        for package, runs in taken.items()
    }
    ours, theirs = (taken[package] for package in PACKAGES)
    ratio = statistics.median(b["ready_ms"] / a["ready_ms"] for a, b in zip(ours, theirs, strict=True))
    return {"model": model.name, "packages": medians, "ratio": ratio}


def _process(arguments: Sequence[str]) -> dict[str, float]:
    command = [sys.executable, "-c", _PROGRAM, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120, cwd=ROOT)
    numbers: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return numbers


def describe(result: dict[str, Any]) -> str:
    lines = [f"{result['model']}, medians of fresh processes that take turns"]
    for package, numbers in result["packages"].items():
        lines.append(f"{package:<14}session {numbers['ready_ms']:>7.0f} ms   first run {numbers['first_ms']:>7.0f} ms")
    lines.append(f"onnxlet is ready {result['ratio']:.2f} times as fast")
    return "\n".join(lines)


def main() -> int:
    import tempfile

    parser = argparse.ArgumentParser(prog="python -m bench.first_python", description=__doc__)
    parser.add_argument("--processes", type=int, default=PROCESSES, help="of each package (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        print(describe(measure(registry.models()[MODEL], Path(scratch), options.processes)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
