"""Models on WebGPU, in Node: the CPU's numbers, and on the CPU the nodes that fallbacks.json names and no others."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conformance.javascript import GPU_OPTIONS
from tests.models import smollm2
from tests.models.fetch import fetch
from tests.models.registry import models
from tests.support.hosts import Host, JavaScriptHost, Task, run, write_inputs
from tests.webgpu.node import run_program

# By model and operator: why nodes stay on the CPU, and how many.
ALLOWED: dict[str, dict[str, dict[str, int]]] = json.loads(
    Path(__file__).with_name("fallbacks.json").read_text(encoding="utf-8")
)
DECODER = "smollm2-level0"
QUICK = ("blazeface-front", "selfie")
LONG = ("light-resnet50",)
TOLERANCE = 1e-3
PROMPT = ("The", "Ġcapital", "Ġof", "ĠFrance", "Ġis")


def fallbacks(placement: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for row in placement:
        if row["provider"] != "webgpu":
            found.setdefault(row["opType"], Counter())[row["reason"]] += 1
    return {operator: dict(reasons) for operator, reasons in sorted(found.items())}


def marks(name: str) -> list[pytest.MarkDecorator]:
    if name in LONG:
        return [pytest.mark.slow, pytest.mark.only_with_all]
    return [] if name in QUICK else [pytest.mark.slow]


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in ALLOWED if name != DECODER])
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
    job = {"id": "0", "model": str(path), "inputs": inputs, "options": GPU_OPTIONS, "keep": "none"}
    (result,) = host.run_jobs([{**job, "profile": True, "placement": True}])
    assert result["ok"], result
    assert fallbacks(result["placement"]) == ALLOWED[name]
    # What placement says is what has run.
    on_gpu = sum((kernel or "").startswith("webgpu ") for kernel in result["kernels"])
    assert on_gpu == sum(row["provider"] == "webgpu" for row in result["placement"])


@pytest.mark.slow
@pytest.mark.only_with_all
def test_a_decoder_whose_cache_stays_on_the_gpu(fetched: Callable[..., Path], tmp_path: Path) -> None:
    path = fetched(models()[DECODER].path)
    (source,) = fetch("smollm2-135m").glob("*.gguf")
    vocabulary = smollm2.Gguf(source).metadata["tokenizer.ggml.tokens"]
    prompt = tmp_path / "tokens.json"
    prompt.write_text(json.dumps([vocabulary.index(token) for token in PROMPT]), encoding="utf-8")
    found = run_program("greedy.mjs", path, prompt, "30")
    assert len(found["cpu"]) == 30 and found["gpu"] == found["cpu"]
    assert found["locations"] == ["gpu-buffer"]
    assert found["difference"] <= TOLERANCE * found["largest"]
    assert fallbacks(found["placement"]) == ALLOWED[DECODER]
