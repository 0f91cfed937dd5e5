"""Damaged, unknown and incomplete files are refused with a sentence that says what is wrong."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onnxlet import errors, importers

from . import tiny


def gguf_file(tmp_path: Path, **options: Any) -> Path:
    config, weights = tiny.llama()
    tiny.write_gguf(tmp_path / "m.gguf", config, weights, **options)
    return tmp_path / "m.gguf"


def refused(path: Path, kind: type[errors.Error], words: str) -> None:
    with pytest.raises(errors.Error) as error:
        importers.load(path)
    assert type(error.value) is kind and words in str(error.value), error.value


# ---- which format


def test_formats_are_told_by_content(tmp_path: Path) -> None:
    config, weights = tiny.llama()
    folder = tiny.write_safetensors(tmp_path / "m", config, weights)
    gguf_file(tmp_path).rename(tmp_path / "m.bin")
    for name, content in (
        ("empty", b""),
        ("short", b"\x10"),
        ("onnx", b"\x08\x0a\x12\x07onnxlet\x3a\x00"),
        ("text", b"x" * 99),
    ):
        (tmp_path / name).write_bytes(content)
    found = {name: importers.detect(tmp_path / name) for name in ("m", "m.bin", "empty", "short", "onnx", "text", "no")}
    assert found == {"m": "safetensors", "m.bin": "gguf", **dict.fromkeys(("empty", "short", "onnx", "text", "no"))}
    assert importers.detect(folder / "model.safetensors") == "safetensors"
    refused(tmp_path / "text", errors.InvalidArgument, f"{tmp_path / 'text'} is neither GGUF nor safetensors")
    refused(tmp_path / "no", errors.NoSuchFile, f"the model {str(tmp_path / 'no')!r} does not exist")


def test_a_folder_without_weights(tmp_path: Path) -> None:
    refused(tmp_path, errors.NoSuchFile, "holds neither model.safetensors nor model.safetensors.index.json")
    (tmp_path / "model.safetensors.index.json").write_text('{"weight_map": {"a": "x.safetensors"}}')
    refused(tmp_path, errors.NoSuchFile, "names files that do not exist: x.safetensors")


# ---- safetensors


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ({"model_type": "mamba"}, errors.NotImplemented, "model_type 'mamba' is not known; known: bert, llama, mistral, qwen2"),
        ({"hidden_size": None}, errors.InvalidArgument, "config.json has no hidden_size"),
        ({"hidden_size": "64"}, errors.InvalidArgument, "hidden_size must be a positive whole number; it is '64'"),
        ({"rms_norm_eps": 0}, errors.InvalidArgument, "rms_norm_eps must be a positive number; it is 0"),
        ({"hidden_act": "relu"}, errors.NotImplemented, "the activation 'relu' is not understood here; silu is"),
        ({"num_key_value_heads": 3}, errors.InvalidArgument, "4 heads do not share 3 heads of keys and values"),
        ({"rope_scaling": {"rope_type": "yarn"}}, errors.NotImplemented, "rotary positions of type 'yarn' are not understood"),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 8}}, errors.InvalidArgument, "has no low_freq_factor"),
        ({"partial_rotary_factor": 0.5}, errors.NotImplemented, "rotary positions for a part of a head"),
        ({"vocab_size": 81}, errors.InvalidGraph, "model.embed_tokens.weight is [80, 64], not [81, 64]"),
        (
            {"attention_bias": True, "num_hidden_layers": 1},
            errors.InvalidGraph,
            "lacks tensors that its configuration asks for: model.layers.0.self_attn.q_proj.bias; "
            "model.layers.0.self_attn.k_proj.bias; model.layers.0.self_attn.v_proj.bias; "
            "model.layers.0.self_attn.o_proj.bias",
        ),
        (
            {"num_hidden_layers": 1},
            errors.NotImplemented,
            "has tensors that this architecture does not use, so it computes something else: model.layers.1.",
        ),
    ],
)  # fmt: skip
def test_wrong_configurations(changes: Any, kind: type[errors.Error], words: str, tmp_path: Path) -> None:
    config, weights = tiny.llama()
    changed = {key: value for key, value in (config | changes).items() if value is not None}
    refused(tiny.write_safetensors(tmp_path / "m", changed, weights), kind, words)


def test_all_misfits_are_listed_at_once(tmp_path: Path) -> None:
    config, weights = tiny.bert()
    weights["encoder.layer.0.attention.self.key.bias"] = np.zeros(3, np.float32)
    weights["encoder.layer.1.output.dense.weight"] = np.zeros((64, 95), np.float32)
    folder = tiny.write_safetensors(tmp_path / "m", config, weights)
    refused(
        folder,
        errors.InvalidGraph,
        "encoder.layer.0.attention.self.key.bias is [3], not [64]; encoder.layer.1.output.dense.weight is [64, 95], not [64, 96]",
    )


def test_weights_of_whole_numbers(tmp_path: Path) -> None:
    config, weights = tiny.llama()
    weights["model.norm.weight"] = weights["model.norm.weight"].astype(np.int8)
    refused(
        tiny.write_safetensors(tmp_path / "m", config, weights),
        errors.NotImplemented,
        "tensor 'model.norm.weight' has the type I8; weights of F64, F32, F16, BF16 are understood",
    )


def test_damaged_safetensors(tmp_path: Path) -> None:
    config, weights = tiny.llama()
    folder = tiny.write_safetensors(tmp_path / "m", config, weights)
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    refused(folder, errors.InvalidProtobuf, "model.safetensors is damaged or truncated")
    path.write_bytes(whole)
    (folder / "config.json").write_text("{")
    refused(path, errors.InvalidArgument, "config.json is not JSON")
    (folder / "config.json").unlink()
    refused(path, errors.NoSuchFile, "config.json must lie beside the weights")


def test_options(tmp_path: Path) -> None:
    config, weights = tiny.llama()
    folder = tiny.write_safetensors(tmp_path / "m", config, weights)
    with pytest.raises(errors.InvalidArgument, match="context must be 1 to 40"):
        importers.load(folder, context=41)
    with pytest.raises(errors.InvalidArgument, match="pooling is for encoders"):
        importers.load(folder, pooling="mean")


# ---- GGUF


@pytest.mark.parametrize(
    ("more", "kind", "words"),
    [
        ({"general.architecture": "mamba"}, errors.NotImplemented, "general.architecture 'mamba' is not known; known: bert, llama, qwen2"),
        ({"llama.block_count": None}, errors.InvalidArgument, "has no llama.block_count"),
        ({"llama.block_count": 3}, errors.InvalidGraph, "lacks tensors that its configuration asks for: blk.2.attn_norm.weight; blk.2.attn_q.weight"),
        ({"llama.feed_forward_length": 64}, errors.InvalidGraph, "blk.0.ffn_gate.weight is [96, 64], not [64, 64]"),
        ({"llama.expert_count": 8}, errors.NotImplemented, "is a mixture of experts"),
        ({"llama.rope.dimension_count": 8}, errors.NotImplemented, "rope.dimension_count other than the size of a head, 16"),
        ({"llama.rope.scaling.type": "yarn"}, errors.NotImplemented, "rotary positions of type 'yarn'"),
        ({"general.alignment": 33}, errors.InvalidProtobuf, "general.alignment must be a power of two; it is 33"),
    ],
)  # fmt: skip
def test_wrong_metadata(more: Any, kind: type[errors.Error], words: str, tmp_path: Path) -> None:
    path = gguf_file(tmp_path, **{key: value for key, value in more.items() if not key.startswith("general.")})
    for key, value in more.items():  # what the writer would not write
        if key == "general.architecture":
            path.write_bytes(path.read_bytes().replace(b"llama", value.encode(), 1))
        elif key == "general.alignment":
            entry = key.encode() + (4).to_bytes(4, "little") + value.to_bytes(4, "little")
            _add_entry(path, len(key).to_bytes(8, "little") + entry)
    refused(path, kind, words)


def test_unknown_types(tmp_path: Path) -> None:
    data = bytearray(gguf_file(tmp_path).read_bytes())
    at = data.index(b"token_embd.weight") + len(b"token_embd.weight") + 4 + 16
    data[at] = 99
    (tmp_path / "m.gguf").write_bytes(data)
    refused(tmp_path / "m.gguf", errors.NotImplemented, "tensor 'token_embd.weight' has the unknown type 99")
    data[at] = 14  # Q6_K, in blocks of 256
    (tmp_path / "m.gguf").write_bytes(data)
    refused(
        tmp_path / "m.gguf",
        errors.InvalidProtobuf,
        "a row of tensor 'token_embd.weight' has 64 numbers, no multiple of Q6_K's 256",
    )


def test_versions(tmp_path: Path) -> None:
    data = bytearray(gguf_file(tmp_path).read_bytes())
    data[4] = 1
    (tmp_path / "m.gguf").write_bytes(data)
    refused(
        tmp_path / "m.gguf", errors.NotImplemented, "GGUF of version 1; versions 2 and 3, little-endian, are understood"
    )


def test_truncated_files(tmp_path: Path) -> None:
    path = gguf_file(tmp_path, kinds="Q4_0")
    whole = path.read_bytes()
    for size in [*range(4, 900, 7), *range(900, len(whole), 4001), len(whole) - 31]:
        path.write_bytes(whole[:size])
        refused(path, errors.InvalidProtobuf, "truncated")


def test_damaged_files(tmp_path: Path) -> None:
    """Any error must be one of onnxlet's."""
    path = gguf_file(tmp_path, kinds="Q4_1")
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    loaded = 0
    for _ in range(300):
        data = bytearray(whole)
        for at in rng.integers(4, 2400, 3):
            data[at] = rng.integers(0, 256)
        path.write_bytes(data)
        try:
            importers.load(path)
            loaded += 1
        except errors.Error as error:
            assert str(error)
    assert loaded < 200


# ---- packages that are missing


def test_missing_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config, weights = tiny.llama()
    folder = tiny.write_safetensors(tmp_path / "m", config, weights)
    tiny.write_gguf(tmp_path / "m.gguf", config, weights, "Q5_0")
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.split(".")[0] in ("gguf", "safetensors"):
            raise ImportError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    words = r"safetensors files are read by the package safetensors; install onnxlet\[import\]"
    with pytest.raises(errors.InvalidArgument, match=words):
        importers.load(folder)
    refused(
        tmp_path / "m.gguf",
        errors.InvalidArgument,
        "weights of type Q5_0 are read by the package gguf; install onnxlet[import]",
    )


def _add_entry(path: Path, entry: bytes) -> None:
    """In front of the metadata."""
    data = path.read_bytes()
    count = int.from_bytes(data[16:24], "little") + 1
    path.write_bytes(data[:16] + count.to_bytes(8, "little") + entry + data[24:])


def test_the_index_must_be_an_object(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps([1]))
    refused(tmp_path, errors.InvalidArgument, "must hold a JSON object")
