"""A real model of 135 million weights, from GGUF: 210 matrices of Q4_1, an embedding of Q8_0 that is the head too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from onnxlet.importers.gguf_file import GgufFile
from onnxlet.importers.weights import Blocks
from tests.models.fetch import fetch

from . import oracle, tiny
from .running import Runner, empty_cache, imported, logits
from .test_blocks import floats

pytestmark = pytest.mark.slow
HEADS = {"attn_q": 9, "attn_k": 3}


@pytest.fixture(scope="module")
def source(fetched: Callable[..., Path]) -> Path:
    (path,) = fetched(lambda: fetch("smollm2-135m")).glob("*.gguf")
    return path


@pytest.fixture(scope="module")
def model(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(source, tmp_path_factory.mktemp("smollm2") / "m.onnx", context=2048)


def test_every_weight_is_ggufs(model: Path, stored: tiny.Tensors) -> None:
    parts = {t.name: t for t in onnx.load(model).graph.initializer}
    assert len(stored) == 272 and sum(f"{name}.codes" in parts for name in stored) == 211
    for name, expected in stored.items():
        if f"{name}.codes" not in parts:
            np.testing.assert_array_equal(numpy_helper.to_array(parts[name]), expected)
            continue
        codes, scales = (numpy_helper.to_array(parts[f"{name}.{part}"]) for part in ("codes", "scales"))
        offsets = numpy_helper.to_array(parts[f"{name}.offsets"]).T if f"{name}.offsets" in parts else None
        bits = codes.shape[-1] // 4
        blocks = Blocks(bits, lambda: codes, lambda: scales, None if offsets is None else lambda: offsets)  # noqa: B023
        np.testing.assert_array_equal(floats(blocks), expected)


def test_logits_are_the_definitions(model: Path, stored: tiny.Tensors) -> None:
    config = tiny.LLAMA | {
        "num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3, "rope_theta": 100000.0,
    }  # fmt: skip
    _, names = tiny.llama(num_hidden_layers=30)
    weights = {name: stored[tiny.gguf_name(name, "llama")] for name in names}
    ids = np.random.default_rng(5).integers(1000, 40000, (1, 6))
    expected = oracle.llama(config, weights, ids)
    for steps in ((6,), (3, 1, 2)):
        found = logits(Runner(model, "onnxlet"), ids, steps)
        np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5 * np.abs(expected).max())


def test_it_knows_the_capital_of_france(source: Path, model: Path) -> None:
    vocabulary = GgufFile(source).metadata["tokenizer.ggml.tokens"]
    run = Runner(model, "onnxlet")
    ids = np.array([[vocabulary.index(token) for token in ("The", "Ġcapital", "Ġof", "ĠFrance", "Ġis")]])
    cache, seen, said = empty_cache(run), 0, []
    for _ in range(2):
        seen += ids.shape[1]
        outputs = run({"input_ids": ids, "attention_mask": np.ones((1, seen), np.int64), **cache})
        ids = outputs.pop("logits")[:, -1:].argmax(-1)
        cache = {name.replace("present", "past_key_values"): value for name, value in outputs.items()}
        said.append(vocabulary[ids[0, 0]])
    assert said == ["ĠParis", "."]


@pytest.fixture(scope="module")
def stored(source: Path) -> tiny.Tensors:
    """What the package gguf reads, float32 by GGUF's names, query and key in transformers' order of rows."""
    found = {}
    for tensor in gguf.GGUFReader(source).tensors:
        numbers = gguf.dequantize(tensor.data, tensor.tensor_type)
        found[tensor.name] = tiny.apart(numbers, HEADS.get(tensor.name.split(".")[-2], 0))
    return found
