"""./build.sh bench --first: how long a fresh process takes until a session can run, and until its first outputs."""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.runner import HERE, Engine
from tests.models.registry import Model
from tests.support.hosts import write_inputs

MODEL = "tinyocr-rec"  # about 1 MB
PROCESSES = 7


def measure(model: Model, engines: Sequence[Engine], processes: int = PROCESSES) -> dict[str, Any]:
    """Medians over processes, the engines in turns; `ratio` is that of ready_ms, `ratios` of both."""
    taken: dict[str, list[dict[str, float]]] = {engine.name: [] for engine in engines}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        job = {"model": str(model.path()), "inputs": write_inputs(folder, model.feeds(model.sizes[0]))}
        for _ in range(processes):
            for engine in engines:
                (folder / "job.json").write_text(json.dumps({**job, "url": engine.entry.as_uri()}))
                command = ["node", str(HERE / "first.mjs"), str(folder / "job.json")]
                done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
                taken[engine.name].append(json.loads(done.stdout.splitlines()[-1]))
    medians = {
        name: {key: statistics.median(run[key] for run in runs) for key in ("ready_ms", "first_ms")}
        for name, runs in taken.items()
    }
    ratios = {}
    if len(engines) > 1:
        ours, theirs = (taken[engine.name] for engine in engines[:2])
        for key in ("ready_ms", "first_ms"):
            ratios[key] = statistics.median(b[key] / a[key] for a, b in zip(ours, theirs, strict=True))
    return {"model": model.name, "engines": medians, "ratios": ratios}


def describe(result: dict[str, Any]) -> str:
    lines = []
    for name, numbers in result["engines"].items():
        lines.append(f"{name:<20}ready {numbers['ready_ms']:>8.0f} ms   first outputs {numbers['first_ms']:>8.0f} ms")
    if result["ratios"]:
        ready, first = result["ratios"]["ready_ms"], result["ratios"]["first_ms"]
        lines.append(f"{'ratio':<20}ready {ready:>8.2f}      first outputs {first:>8.2f}")
    return "\n".join(lines)
