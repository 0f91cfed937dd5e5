"""./build.sh bench --wllama: SmolLM2-135M on onnxlet and on wllama (llama.cpp in WebAssembly), in Chromium, from the same weights."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

from bench.runner import HERE, OURS, install
from tests.browser.chromium import Chromium
from tests.models import smollm2
from tests.models.fetch import fetch
from tests.models.registry import models

PACKAGE = "@wllama/wllama"
PEER = "wllama"
MODEL = "smollm2-level4"
PROMPT, TOKENS = 200, 32
SECONDS_TO_START = 60


def measure(dist: Path, threads: int, rounds: int = 3) -> dict[str, Any]:
    """Medians of the rounds: milliseconds of a prompt of 200 tokens and of a token behind it, and ratios of both."""
    (gguf,) = fetch("smollm2-135m").glob("*.gguf")
    model, package = models()[MODEL].path(), install(PACKAGE, "esm/index.js")
    with Chromium([HERE, gguf.parent, model.parent, package], dist=dist) as browser:
        page = browser.page(f"/file{HERE}/wllama.html", bypass_policy=True)
        page.wait("() => typeof bench === 'function'", SECONDS_TO_START)
        origin = browser.server.origin
        job = {
            "onnxlet": f"{origin}/js/onnxlet.mjs",
            "model": f"{origin}/file{model}",
            "layers": 30,
            "heads": 3,
            "size": 64,
            "wllama": f"{origin}/file{package}/esm/index.js",
            "wasm": f"{origin}/file{package}/esm/wasm/wllama.wasm",
            "gguf": f"{origin}/file{gguf}",
            "threads": threads,
            "ids": smollm2.token_feeds(0, PROMPT)["input_ids"][0].tolist(),
            "tokens": TOKENS,
            "rounds": rounds,
        }
        taken = dict(page.evaluate("(job) => window.bench(job)", job))
    ratios = {
        key: statistics.median(b / a for a, b in zip(taken[OURS][key], taken[PEER][key], strict=True))
        for key in ("prompt_ms", "token_ms")
    }
    medians = {name: {key: statistics.median(v) for key, v in times.items()} for name, times in taken.items()}
    return {"model": MODEL, "threads": threads, "engines": medians, "ratios": ratios}


def describe(result: dict[str, Any]) -> str:
    lines = [f"{MODEL}, Chromium, {result['threads']} thread(s): a prompt of {PROMPT} tokens, and each token behind it"]
    for name, times in result["engines"].items():
        lines.append(f"{name:<10}{times['prompt_ms']:>10.0f} ms{times['token_ms']:>10.1f} ms")
    lines.append(f"{'ratio':<10}{result['ratios']['prompt_ms']:>10.2f}{result['ratios']['token_ms']:>13.2f}")
    return "\n".join(lines)
