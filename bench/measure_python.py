"""usage: python -m bench.measure_python JOB.json     prints {"cpu_ms", "median_ms", "runs"}, as bench/host.mjs does.

job: {"model", "inputs", "threads", "seconds"}; inputs as tests/support/hosts.py writes them.
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
    times, work = [], []
    end = time.perf_counter() + job["seconds"]
    while time.perf_counter() < end or len(times) < 3:
        began, used = time.perf_counter(), time.process_time()
        session.run(None, feeds)
        times.append(1e3 * (time.perf_counter() - began))
        work.append(1e3 * (time.process_time() - used))
    return {"cpu_ms": min(work), "median_ms": statistics.median(times), "runs": len(times)}


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
