"""Llama-type decoders from safetensors and GGUF give the numbers of their definition, with and without a cache."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest

from onnxlet import importers

from . import oracle, tiny
from .running import ENGINES, Runner, imported, logits

IDS = np.random.default_rng(7).integers(0, 80, (2, 11))
WHOLE, IN_STEPS = (11,), (5, 1, 4, 1)
# onnxruntime takes several new tokens behind a cache for a batch of one alone.
FEEDINGS = ((IDS, WHOLE), (IDS, (8, 1, 1, 1)), (IDS[1:], IN_STEPS))
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
CASES: dict[str, dict[str, Any]] = {
    "tied": {},
    "own-head": {"tie_word_embeddings": False},
    "wide-heads": {"head_dim": 32},
    "biases": {"attention_bias": True},
    "qwen2": {"model_type": "qwen2"},
    "mistral": {"model_type": "mistral", "sliding_window": 4},
    "linear-rope": {"rope_scaling": {"rope_type": "linear", "factor": 4.0}},
    "llama3-rope": {"rope_scaling": LLAMA3},
}


def _assert_right(run: Runner, expected: np.ndarray) -> None:
    for ids, steps in FEEDINGS:
        found = logits(run, ids, steps)
        np.testing.assert_allclose(found, expected[-len(ids) :], rtol=0, atol=2e-5 * np.abs(expected).max())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES)
def test_safetensors(case: str, engine: str, tmp_path: Path) -> None:
    config, weights = tiny.llama(**CASES[case])
    run = Runner(imported(tiny.write_safetensors(tmp_path / "m", config, weights), tmp_path / "m.onnx"), engine)
    _assert_right(run, oracle.llama(config, weights, IDS))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q8_0", "Q5_1"])
@pytest.mark.parametrize("architecture", ["llama", "qwen2"])
def test_gguf(architecture: str, kind: str, engine: str, tmp_path: Path) -> None:
    config, weights = tiny.llama(model_type=architecture)
    stored = tiny.write_gguf(tmp_path / "m.gguf", config, weights, kind)
    run = Runner(imported(tmp_path / "m.gguf", tmp_path / "m.onnx"), engine)
    _assert_right(run, oracle.llama(config, stored, IDS))


def test_kinds_mix(tmp_path: Path) -> None:
    """As in real files: an embedding of 8 bits, a head of its own, one matrix of a type that becomes float32."""
    config, weights = tiny.llama(tie_word_embeddings=False)
    kinds = {"token_embd": "Q8_0", "attn_v": "Q5_0", "blk": "Q4_0", "output": "F16"}
    stored = tiny.write_gguf(tmp_path / "m.gguf", config, weights, kinds)
    path = imported(tmp_path / "m.gguf", tmp_path / "m.onnx")
    operators = [node.op_type for node in onnx.load(path).graph.node]
    assert [operators.count(o) for o in ("GatherBlockQuantized", "MatMulNBits", "MatMul", "Gemm")] == [1, 12, 3, 0]
    expected = oracle.llama(config, stored, IDS)
    found = logits(Runner(path, "onnxlet"), IDS, IN_STEPS)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5 * np.abs(expected).max())


def test_rope_factors_of_gguf(tmp_path: Path) -> None:
    """Llama 3.1's scaling is a tensor there."""
    config, weights = tiny.llama()
    factors = np.linspace(1, 4, 8, dtype=np.float32)
    stored = tiny.write_gguf(tmp_path / "m.gguf", config, weights | {"rope_freqs.weight": factors})
    del stored["rope_freqs.weight"]
    found = logits(Runner(imported(tmp_path / "m.gguf", tmp_path / "m.onnx"), "onnxlet"), IDS, WHOLE)
    scaled = {i: 10000.0 ** (-2 * i / 16) / factor for i, factor in enumerate(factors)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(oracle, "frequencies", lambda config, size: np.array(list(scaled.values())))
        expected = oracle.llama(config, stored, IDS)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5 * np.abs(expected).max())


@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16, np.float64])
def test_other_floats_become_float32_exactly(kind: Any, tmp_path: Path) -> None:
    config, weights = tiny.llama()
    folder = tiny.write_safetensors(tmp_path / "m", config, {n: w.astype(kind) for n, w in weights.items()})
    initializers = {t.name: t for t in onnx.load(imported(folder, tmp_path / "m.onnx")).graph.initializer}
    for name in ("model.norm.weight", "model.layers.1.mlp.up_proj.weight"):
        found = onnx.numpy_helper.to_array(initializers[name])
        expected = weights[name].astype(kind).astype(np.float32)
        np.testing.assert_array_equal(found, expected.T)


def test_names_shapes_and_facts(tmp_path: Path) -> None:
    config, weights = tiny.llama()
    folder = tiny.write_safetensors(tmp_path / "m", config, weights)
    (folder / "generation_config.json").write_text('{"pad_token_id": 4}')
    (folder / "tokenizer_config.json").write_text('{"chat_template": "{{ messages }}"}')
    model = onnx.load(imported(folder, tmp_path / "m.onnx", context=32))
    cache = [f"{i}.{part}" for i in (0, 1) for part in ("key", "value")]
    shapes = {v.name: [d.dim_value or d.dim_param for d in v.type.tensor_type.shape.dim] for v in model.graph.input}
    assert shapes == {
        "input_ids": ["batch_size", "sequence_length"],
        "attention_mask": ["batch_size", "total_sequence_length"],
        **{f"past_key_values.{name}": ["batch_size", 2, "past_sequence_length", 16] for name in cache},
    }
    assert [v.name for v in model.graph.output] == ["logits", *(f"present.{name}" for name in cache)]
    assert {p.key.removeprefix("onnxlet.source."): p.value for p in model.metadata_props} == {
        "format": "safetensors", "architecture": "llama", "vocab_size": "80", "context_length": "32",
        "rope_theta": "10000.0", "bos_token_id": "1", "eos_token_id": "[2, 3]", "pad_token_id": "4",
        "chat_template": "{{ messages }}",
    }  # fmt: skip
    assert [t.dims[0] for t in model.graph.initializer if t.name == "rope.cos"] == [32]


def test_facts_of_gguf(tmp_path: Path) -> None:
    config, weights = tiny.llama()
    tokens = {"tokenizer.ggml.eos_token_id": 2, "tokenizer.chat_template": "{{ x }}", "general.name": "Tiny"}
    tiny.write_gguf(tmp_path / "m.gguf", config, weights, **tokens, **{"tokenizer.ggml.tokens": ["a", "é"]})
    model = importers.load(tmp_path / "m.gguf")
    assert {key.removeprefix("onnxlet.source."): value for key, value in model.metadata_props.items()} == {
        "format": "gguf", "architecture": "llama", "vocab_size": "80", "context_length": "40", "rope_theta": "10000.0",
        "eos_token_id": "2", "chat_template": "{{ x }}", "name": "Tiny",
    }  # fmt: skip


def test_a_tied_embedding_is_stored_once(tmp_path: Path) -> None:
    config, weights = tiny.llama()
    for kinds, names in (
        ("Q8_0", ["token_embd.weight.scales", "token_embd.weight.codes"]),
        ("F16", ["token_embd.weight"]),
    ):
        tiny.write_gguf(tmp_path / "m.gguf", config, weights, kinds)
        graph = onnx.load(imported(tmp_path / "m.gguf", tmp_path / "m.onnx")).graph
        assert [t.name for t in graph.initializer if t.name.startswith("token_embd.weight")] == names


def test_shards(tmp_path: Path) -> None:
    config, weights = tiny.llama()
    whole = tiny.write_safetensors(tmp_path / "whole", config, weights)
    shards = tiny.write_safetensors(tmp_path / "shards", config, {})
    (shards / "model.safetensors").unlink()
    names = list(weights)
    for number, part in enumerate((names[:9], names[9:])):
        tiny.save_file({name: weights[name] for name in part}, shards / f"part{number}.safetensors")
    where = {name: f"part{int(i >= 9)}.safetensors" for i, name in enumerate(names)}
    (shards / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))
    found = [imported(f, tmp_path / f"{f.name}.onnx").read_bytes() for f in (whole, shards)]
    assert found[0] == found[1]
