"""python -m bench.programs [MODEL...]: the static program of a native bundle against the WebAssembly engine in Node, in turns, one
thread each."""

from __future__ import annotations

import argparse
import json
import platform
import re
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from bench.runner import HERE
from tests.bundle.toolbox import array_arguments, make, program
from tests.models import registry
from tests.support.hosts import write_inputs
from tests.support.paths import ROOT

MODELS = ("mobilenetv2", "minilm")


def measure(model: registry.Model, executable: Path, dist: Path, turns: int, runs: int) -> dict[str, Any]:
    """Fastest runs in milliseconds, Node's in processor time; `ratio`: the median over turns of Node's over the program's."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        feeds = model.feeds(model.sizes[0])
        words = ["--threads", "1", "--repeat", str(runs), *array_arguments(feeds, folder)]
        job = {"model": str(model.path()), "inputs": write_inputs(folder, feeds), "threads": 1, "seconds": 1.0}
        (folder / "job.json").write_text(json.dumps({**job, "url": (dist / "onnxlet.mjs").as_uri()}))
        ours, theirs = [], []
        for _ in range(turns):
            done = subprocess.run([executable, *words], capture_output=True, text=True, check=True)
            found = re.search(r"fastest ([\d.]+) ms", done.stderr)
            assert found, done.stderr
            ours.append(float(found[1]))
            node = subprocess.run(
                ["node", HERE / "host.mjs", folder / "job.json"], capture_output=True, text=True, check=True
            )
            theirs.append(json.loads(node.stdout.splitlines()[-1])["cpu_ms"])
    ratio = statistics.median(b / a for a, b in zip(ours, theirs, strict=True))
    return {"model": model.name, "program_ms": min(ours), "node_ms": min(theirs), "ratio": ratio}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.programs", description=__doc__)
    parser.add_argument("model", nargs="*", default=MODELS)
    parser.add_argument("--dist", type=Path, default=ROOT / "js" / "dist", help="the built npm package")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--runs", type=int, default=50, help="of the program in each turn")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    machine, results = platform.machine(), []
    print(f"{'model':<20}{'program, ms':>14}{'Node, ms':>12}{'ratio':>8}")
    for name in options.model:
        model = registry.models()[name]
        with tempfile.TemporaryDirectory() as scratch:
            folder = make(model.path(), Path(scratch) / "bundle", "native", architectures=[machine])
            result = measure(model, program(folder, machine), options.dist.resolve(), options.turns, options.runs)
        results.append(result)
        print(f"{name:<20}{result['program_ms']:>14.2f}{result['node_ms']:>12.2f}{result['ratio']:>8.2f}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
