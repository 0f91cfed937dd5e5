"""Small models with random weights, written as safetensors and as GGUF in the way that transformers and llama.cpp do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from safetensors.numpy import save_file

Tensors = dict[str, np.ndarray]

LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 96,
    "vocab_size": 80,
    "max_position_embeddings": 40,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "hidden_act": "silu",
    "tie_word_embeddings": True,
    "bos_token_id": 1,
    "eos_token_id": [2, 3],
}
BERT = {
    "model_type": "bert",
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 96,
    "vocab_size": 80,
    "max_position_embeddings": 40,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
}

# In llama.cpp's order of roles: the part of a name in transformers, in GGUF.
_LLAMA_NAMES = (
    ("model.embed_tokens", "token_embd"),
    ("model.norm", "output_norm"),
    ("lm_head", "output"),
    ("model.layers.", "blk."),
    ("input_layernorm", "attn_norm"),
    ("post_attention_layernorm", "ffn_norm"),
    ("self_attn.q_proj", "attn_q"),
    ("self_attn.k_proj", "attn_k"),
    ("self_attn.v_proj", "attn_v"),
    ("self_attn.o_proj", "attn_output"),
    ("mlp.gate_proj", "ffn_gate"),
    ("mlp.up_proj", "ffn_up"),
    ("mlp.down_proj", "ffn_down"),
)
_BERT_NAMES = (
    ("embeddings.word_embeddings", "token_embd"),
    ("embeddings.position_embeddings", "position_embd"),
    ("embeddings.token_type_embeddings", "token_types"),
    ("embeddings.LayerNorm", "token_embd_norm"),
    ("encoder.layer.", "blk."),
    ("attention.self.query", "attn_q"),
    ("attention.self.key", "attn_k"),
    ("attention.self.value", "attn_v"),
    ("attention.output.dense", "attn_output"),
    ("attention.output.LayerNorm", "attn_output_norm"),
    ("intermediate.dense", "ffn_up"),
    ("output.LayerNorm", "layer_output_norm"),
    ("output.dense", "ffn_down"),
)


def llama(seed: int = 0, **changes: Any) -> tuple[dict[str, Any], Tensors]:
    """A configuration and its weights, float32 by transformers' names."""
    config = LLAMA | changes
    h, inner, size = config["hidden_size"], config["intermediate_size"], config.get("head_dim", 16)
    q, kv = config["num_attention_heads"] * size, config["num_key_value_heads"] * size
    rng = np.random.default_rng(seed)
    kind = config["model_type"]
    biased = "qkv" if kind == "qwen2" else "qkvo" if config.get("attention_bias") else ""
    found: Tensors = {"model.embed_tokens.weight": _normal(rng, config["vocab_size"], h)}
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        for name, shape in (("q", (q, h)), ("k", (kv, h)), ("v", (kv, h)), ("o", (h, q))):
            found[f"{layer}.self_attn.{name}_proj.weight"] = _normal(rng, *shape)
            if name in biased:
                found[f"{layer}.self_attn.{name}_proj.bias"] = _normal(rng, shape[0])
        for name, shape in (("gate", (inner, h)), ("up", (inner, h)), ("down", (h, inner))):
            found[f"{layer}.mlp.{name}_proj.weight"] = _normal(rng, *shape)
        for name in ("input_layernorm", "post_attention_layernorm"):
            found[f"{layer}.{name}.weight"] = 1 + _normal(rng, h)
    found["model.norm.weight"] = 1 + _normal(rng, h)
    if not config["tie_word_embeddings"]:
        found["lm_head.weight"] = _normal(rng, config["vocab_size"], h)
    return config, found


def bert(seed: int = 0, **changes: Any) -> tuple[dict[str, Any], Tensors]:
    config = BERT | changes
    h, inner = config["hidden_size"], config["intermediate_size"]
    rng = np.random.default_rng(seed)
    found: Tensors = {}
    rows = (("word", "vocab_size"), ("position", "max_position_embeddings"), ("token_type", "type_vocab_size"))
    for name, size in rows:
        found[f"embeddings.{name}_embeddings.weight"] = _normal(rng, config[size], h)
    norms, linear = ["embeddings.LayerNorm"], {}
    for i in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{i}"
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
        linear |= {f"{layer}.attention.self.{name}": (h, h) for name in ("query", "key", "value")}
        linear |= {f"{layer}.attention.output.dense": (h, h), f"{layer}.intermediate.dense": (inner, h)}
        linear[f"{layer}.output.dense"] = (h, inner)
    for name in norms:
        found |= {f"{name}.weight": 1 + _normal(rng, h), f"{name}.bias": _normal(rng, h)}
    for name, shape in linear.items():
        found |= {f"{name}.weight": _normal(rng, *shape), f"{name}.bias": _normal(rng, shape[0])}
    return config, found


def write_safetensors(folder: Path, config: dict[str, Any], weights: Tensors, **options: Any) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    save_file({name: np.ascontiguousarray(w) for name, w in weights.items()}, folder / "model.safetensors", **options)
    return folder


def write_gguf(
    path: Path, config: dict[str, Any], weights: Tensors, kinds: dict[str, str] | str = "F32", **more: Any
) -> Tensors:
    """Returns what the file's numbers are as float32, by transformers' names. `kinds`: the type of all matrices, or of those
    with a part of GGUF's name; vectors stay float32. `more`: further metadata by key, or None to leave one out."""
    architecture = config["model_type"]
    writer = gguf.GGUFWriter(path, architecture)
    for key, value in (_metadata(config) | more).items():
        _add(writer, key, value)
    stored: Tensors = {}
    for name, weight in weights.items():
        own = gguf_name(name, architecture)
        heads = {"attn_q": config["num_attention_heads"], "attn_k": config.get("num_key_value_heads", 0)}
        count = heads.get(own.split(".")[-2], 0) if architecture == "llama" else 0
        kind = gguf.GGMLQuantizationType[_kind(own, weight, kinds)]
        data = gguf.quantize(_adjacent(weight, count) if count else weight, kind)
        stored[name] = apart(gguf.dequantize(data, kind).reshape(weight.shape), count)
        writer.add_tensor(own, data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return stored


def _normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return (0.3 * rng.standard_normal(shape)).astype(np.float32)


def _metadata(config: dict[str, Any]) -> dict[str, Any]:
    arch = config["model_type"]
    named = {
        "context_length": "max_position_embeddings",
        "embedding_length": "hidden_size",
        "block_count": "num_hidden_layers",
        "feed_forward_length": "intermediate_size",
        "attention.head_count": "num_attention_heads",
        "attention.head_count_kv": "num_key_value_heads",
        "attention.layer_norm_rms_epsilon": "rms_norm_eps",
        "attention.layer_norm_epsilon": "layer_norm_eps",
        "rope.freq_base": "rope_theta",
    }
    return {f"{arch}.{key}": config[name] for key, name in named.items() if name in config}


def _add(writer: gguf.GGUFWriter, key: str, value: Any) -> None:
    if isinstance(value, list):
        writer.add_array(key, value)
    elif isinstance(value, str):
        writer.add_string(key, value)
    elif isinstance(value, float):
        writer.add_float32(key, value)
    elif value is not None:
        writer.add_uint32(key, value)


def gguf_name(name: str, architecture: str) -> str:
    for theirs, own in _BERT_NAMES if architecture == "bert" else _LLAMA_NAMES:
        name = name.replace(theirs, own)
    return name


def _kind(name: str, weight: np.ndarray, kinds: dict[str, str] | str) -> str:
    if weight.ndim < 2:
        return "F32"
    if isinstance(kinds, str):
        return kinds
    return next((kind for part, kind in kinds.items() if part in name), "F32")


def _adjacent(w: np.ndarray, heads: int) -> np.ndarray:
    """llama.cpp's order of the rows of query and key: pairs that are rotated together are neighbours."""
    return np.ascontiguousarray(w.reshape(heads, 2, -1, *w.shape[1:]).swapaxes(1, 2)).reshape(w.shape)


def apart(w: np.ndarray, heads: int) -> np.ndarray:
    if not heads:
        return w
    return np.ascontiguousarray(w.reshape(heads, -1, 2, *w.shape[1:]).swapaxes(1, 2)).reshape(w.shape)
