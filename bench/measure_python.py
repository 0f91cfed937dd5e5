"""usage: python -m bench.measure_python JOB.json     prints {"median_ms", "min_ms", "runs"} of the model in this process.

job: as for bench/measure.mjs, without its engines.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import onnxlet

_WARM_UP_RUNS = 2


def measure(file: Path) -> dict[str, float]:
    job = json.loads(file.read_text())
    feeds = {}
    for value in job["inputs"]:
        data = (file.parent / value["file"]).read_bytes()
        feeds[value["name"]] = np.frombuffer(data, dtype=value["dtype"]).reshape(value["dims"])
    options = onnxlet.SessionOptions()
    options.intra_op_num_threads = job["threads"]
    session = onnxlet.InferenceSession(job["model"], options)
    for _ in range(_WARM_UP_RUNS):
        session.run(None, feeds)
    times = []
    end = time.perf_counter() + job["seconds"]
    while time.perf_counter() < end or len(times) < 3:
        began = time.perf_counter()
        session.run(None, feeds)
        times.append(1e3 * (time.perf_counter() - began))
    return {"median_ms": statistics.median(times), "min_ms": min(times), "runs": len(times)}


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
