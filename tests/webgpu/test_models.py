"""Models on WebGPU, in Node: the CPU's numbers, and no more nodes left to the CPU than fallbacks.json allows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.conformance.javascript import GPU_OPTIONS
from tests.models.registry import models
from tests.support.hosts import Host, JavaScriptHost, Task, run, write_inputs

ALLOWED: dict[str, int] = json.loads(Path(__file__).with_name("fallbacks.json").read_text(encoding="utf-8"))
QUICK = ("blazeface-front", "selfie")
TOLERANCE = 1e-3


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in ALLOWED]
)
def test_the_gpu_gives_the_cpus_numbers(
    name: str, get_host: Callable[[str], Host], fetched: Callable[..., Path], tmp_path: Path
) -> None:
    model = models()[name]
    path = fetched(model.path)
    feeds = model.feeds(model.sizes[0])
    (expected,) = run(get_host("node"), Task(path, [feeds]))
    host = get_host("webgpu")
    assert isinstance(host, JavaScriptHost)
    (actual,) = run(host, Task(path, [feeds], options=GPU_OPTIONS))
    for output, want in expected.items():
        np.testing.assert_allclose(actual[output], want, rtol=TOLERANCE, atol=TOLERANCE, err_msg=output)
    inputs = [{**value, "file": str(tmp_path / value["file"])} for value in write_inputs(tmp_path, feeds)]
    job = {"id": "0", "model": str(path), "inputs": inputs, "options": GPU_OPTIONS, "profile": True, "keep": "none"}
    (result,) = host.run_jobs([job])
    assert result["ok"], result
    here = [kernel for kernel in result["kernels"] if not (kernel or "").startswith("webgpu ")]
    assert len(here) <= ALLOWED[name], f"{len(here)} of {len(result['kernels'])} nodes ran on the CPU: {here}"
