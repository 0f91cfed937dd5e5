"""BERT-type encoders from safetensors and GGUF give the numbers of their definition."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from . import oracle, tiny
from .running import ENGINES, Runner, imported

_RNG = np.random.default_rng(3)
IDS, TYPES = _RNG.integers(0, 80, (2, 9)), _RNG.integers(0, 2, (2, 9))
MASK = np.array([[1] * 9, [1] * 6 + [0] * 3])
FEEDS = {"input_ids": IDS, "attention_mask": MASK, "token_type_ids": TYPES}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["safetensors", "F32", "Q4_0", "Q4_1", "Q8_0"])
def test_outputs(kind: str, engine: str, tmp_path: Path) -> None:
    config, weights = tiny.bert()
    if kind == "safetensors":
        weights |= {"pooler.dense.weight": weights["encoder.layer.0.attention.self.key.weight"]}
        source = tiny.write_safetensors(tmp_path / "m", config, {f"bert.{n}": w for n, w in weights.items()})
    else:
        source = tmp_path / "m.gguf"
        weights = tiny.write_gguf(source, config, weights, kind)
    expected = oracle.bert(config, weights, IDS, MASK, TYPES)
    found = Runner(imported(source, tmp_path / "m.onnx"), engine)(FEEDS)["last_hidden_state"]
    for row, length in enumerate(MASK.sum(1)):  # what padding becomes is nobody's business
        np.testing.assert_allclose(found[row, :length], expected[row, :length], rtol=0, atol=3e-5)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_pooling(pooling: str, engine: str, tmp_path: Path) -> None:
    config, weights = tiny.bert()
    source = tiny.write_safetensors(tmp_path / "m", config, weights)
    found = Runner(imported(source, tmp_path / "m.onnx", pooling=pooling), engine)(FEEDS)["sentence_embedding"]
    hidden = oracle.bert(config, weights, IDS, MASK, TYPES)
    kept = [row[:length] for row, length in zip(hidden, MASK.sum(1), strict=True)]
    pooled = np.stack([row.mean(0) if pooling == "mean" else row[0] for row in kept])
    np.testing.assert_allclose(found, pooled / np.linalg.norm(pooled, axis=1, keepdims=True), rtol=0, atol=1e-5)


def test_minilm_is_what_the_tests_build(fetched: Callable[..., Path], tmp_path: Path) -> None:
    """Another builder of the same model, written for the tests alone."""
    from tests.models.fetch import fetch
    from tests.models.registry import models

    other = models()["minilm"]
    built = fetched(other.path)
    path = imported(fetch("minilm-l6"), tmp_path / "m.onnx")
    for length in other.sizes:
        feeds = other.feeds(length)
        (expected,) = Runner(built, "onnxlet")(feeds).values()
        (found,) = Runner(path, "onnxlet")(feeds).values()
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    assert path.stat().st_size < 91_000_000 and len(onnx.load(path).graph.initializer) < 130
