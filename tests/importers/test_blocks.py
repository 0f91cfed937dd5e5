"""GGUF's blocks are carried over bit for bit: the operators' numbers are the ones that gguf itself reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from onnxlet.importers import gguf_blocks, gguf_file
from onnxlet.importers.weights import Blocks

from . import tiny
from .running import Runner, empty_cache, imported

ROWS, BLOCKS = 37, 3
SIZES = {"Q4_0": 18, "Q4_1": 20, "Q8_0": 34}


def random_rows(kind: str, seed: int = 0) -> np.ndarray:
    """uint8 [ROWS, bytes]: any codes; scales of all sizes and signs, zero, and numbers below the normal ones."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 256, (ROWS, BLOCKS, SIZES[kind])).astype(np.uint8)
    scales = (rng.standard_normal((ROWS, BLOCKS)) * 2.0 ** rng.integers(-20, 8, (ROWS, BLOCKS))).astype(np.float16)
    scales[0], scales[1, 0] = 0, np.float16(6e-8)
    rows[..., :2] = scales[..., None].view(np.uint8)
    if kind == "Q4_1":
        least = (scales * rng.uniform(-15, 3, (ROWS, BLOCKS))).astype(np.float16)
        least[0] = rng.standard_normal(BLOCKS)  # all numbers alike
        rows[..., 2:4] = least[..., None].view(np.uint8)
    return rows.reshape(ROWS, -1)


def floats(blocks: Blocks) -> np.ndarray:
    """float32 [n, k], by the definition of MatMulNBits and of the offsets."""
    codes = blocks.codes()
    if blocks.bits == 4:
        codes = np.stack([codes & 15, codes >> 4], axis=-1).reshape(*codes.shape[:2], -1)
    numbers = (codes.astype(np.float32) - 2 ** (blocks.bits - 1)) * blocks.scales()[..., None]
    if blocks.offsets is not None:
        numbers = numbers + blocks.offsets()[..., None]
    assert numbers.dtype == np.float32
    return np.asarray(numbers.reshape(len(codes), -1))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("kind", SIZES)
def test_numbers_are_ggufs(kind: str, seed: int) -> None:
    rows = random_rows(kind, seed)
    expected = gguf.dequantize(rows, gguf.GGMLQuantizationType[kind])
    blocks = gguf_blocks.CARRIED[kind](lambda: rows)
    np.testing.assert_array_equal(floats(blocks), expected)
    order = np.random.default_rng(2).permutation(ROWS)
    np.testing.assert_array_equal(floats(blocks.of_rows(order)), expected[order])


def test_sizes_of_types_are_ggufs() -> None:
    for number, kind in gguf_file.KINDS.items():
        known = gguf.GGMLQuantizationType(number)
        assert (known.name, gguf.GGML_QUANT_SIZES[known]) == (kind.name, (kind.numbers, kind.size))


@pytest.mark.parametrize(("kind", "scales"), [("Q4_K", slice(0, 4)), ("Q6_K", slice(208, 210))])
def test_types_that_become_float32(kind: str, scales: slice, tmp_path: Path) -> None:
    number = gguf.GGMLQuantizationType[kind]
    rows = np.random.default_rng(0).integers(0, 256, (5, 2, gguf.GGML_QUANT_SIZES[number][1])).astype(np.uint8)
    rows[..., scales] = np.array([0.25, -0.5], np.float16).view(np.uint8)[: scales.stop - scales.start]
    writer = gguf.GGUFWriter(tmp_path / "m.gguf", "llama")
    writer.add_tensor("w", rows.reshape(5, -1), raw_dtype=number)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    weight = gguf_file.GgufFile(tmp_path / "m.gguf").weights["w"]
    assert weight.shape == (5, 512) and weight.blocks is None
    np.testing.assert_array_equal(weight.read(), gguf.dequantize(rows.reshape(5, -1), number))


def test_known_bytes() -> None:
    half = np.array([0.5, -3], np.float16).view(np.uint8)
    codes = np.arange(16, dtype=np.uint8) | np.arange(16, dtype=np.uint8)[::-1] << 4  # 0 to 15, then 15 to 0
    ramp = np.concatenate([np.arange(16), np.arange(16)[::-1]])
    q4_0 = gguf_blocks.q4_0(lambda: np.concatenate([half[:2], codes])[None])
    assert q4_0.codes()[0, 0].tolist()[:2] == [0x10, 0x32] and q4_0.codes()[0, 0].tolist()[-1] == 0x01
    np.testing.assert_array_equal(floats(q4_0)[0], (ramp - 8) * 0.5)
    q4_1 = gguf_blocks.q4_1(lambda: np.concatenate([half, codes])[None])
    np.testing.assert_array_equal(floats(q4_1)[0], ramp * 0.5 - 3)
    numbers = np.array([-128, 127, 0, 1] * 8, np.int8)
    q8_0 = gguf_blocks.q8_0(lambda: np.concatenate([half[:2], numbers.view(np.uint8)])[None])
    assert q8_0.codes()[0, 0, :4].tolist() == [0, 255, 128, 129]
    np.testing.assert_array_equal(floats(q8_0)[0], numbers * 0.5)


@pytest.mark.parametrize("engine", ["onnxlet", "onnxruntime"])
@pytest.mark.parametrize("kind", ["Q4_0", "Q8_0"])
def test_an_embeddings_rows_are_exact(kind: str, engine: str, tmp_path: Path) -> None:
    config, weights = tiny.llama()
    stored = tiny.write_gguf(tmp_path / "m.gguf", config, weights, kind)
    model = onnx.load(imported(tmp_path / "m.gguf", tmp_path / "m.onnx"))
    model.graph.output.append(
        onnx.helper.make_tensor_value_info("token_embd", 1, ["batch_size", "sequence_length", 64])
    )
    onnx.save(model, tmp_path / "m.onnx")
    run = Runner(tmp_path / "m.onnx", engine)
    ids = np.arange(80).reshape(2, 40)
    found = run({"input_ids": ids, "attention_mask": np.ones_like(ids), **empty_cache(run, 2)})["token_embd"]
    np.testing.assert_array_equal(found.reshape(80, 64), stored["model.embed_tokens.weight"])


def test_rows_of_query_and_key_change_places_and_no_bits(tmp_path: Path) -> None:
    config, weights = tiny.llama()
    stored = tiny.write_gguf(tmp_path / "m.gguf", config, weights, "Q4_1")
    graph = onnx.load(imported(tmp_path / "m.gguf", tmp_path / "m.onnx")).graph
    parts = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    for part, name in (("q", "attn_q"), ("k", "attn_k"), ("v", "attn_v"), ("o", "attn_output")):
        weight = f"blk.1.{name}.weight"
        blocks = Blocks(
            4,
            *(_giving(parts[f"{weight}.{what}"]) for what in ("codes", "scales")),
            _giving(parts[f"{weight}.offsets"].T),
        )
        np.testing.assert_array_equal(floats(blocks), stored[f"model.layers.1.self_attn.{part}_proj.weight"])


def _giving(array: np.ndarray) -> Any:
    return lambda: array
