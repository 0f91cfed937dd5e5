"""The same models in numpy, float64, straight from their definitions: no cache, no fused operators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .tiny import Tensors


def llama(config: dict[str, Any], weights: Tensors, ids: np.ndarray) -> np.ndarray:
    """Logits [batch, length, vocabulary] of ids [batch, length]."""
    w = {name: array.astype(np.float64) for name, array in weights.items()}
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    length = ids.shape[1]
    x = w["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        y = _rms(x, w[f"{layer}.input_layernorm.weight"], config["rms_norm_eps"])
        q, k, v = (
            _heads(_linear(y, w, f"{layer}.self_attn.{n}_proj"), c)
            for n, c in zip("qkv", (heads, kv_heads, kv_heads), strict=True)
        )
        q, k = (_rotated(part, frequencies(config, part.shape[-1])) for part in (q, k))
        k, v = (np.repeat(part, heads // kv_heads, axis=1) for part in (k, v))
        ahead = np.arange(length)[:, None] - np.arange(length)
        seen = (ahead >= 0) & (ahead < (config.get("sliding_window") or length))
        x = x + _linear(_attend(q, k, v, np.where(seen, 0, -np.inf)), w, f"{layer}.self_attn.o_proj")
        y = _rms(x, w[f"{layer}.post_attention_layernorm.weight"], config["rms_norm_eps"])
        gate = _linear(y, w, f"{layer}.mlp.gate_proj")
        gated = gate / (1 + np.exp(-gate)) * _linear(y, w, f"{layer}.mlp.up_proj")
        x = x + _linear(gated, w, f"{layer}.mlp.down_proj")
    head = w["model.embed_tokens.weight" if config["tie_word_embeddings"] else "lm_head.weight"]
    return _rms(x, w["model.norm.weight"], config["rms_norm_eps"]) @ head.T


def bert(config: dict[str, Any], weights: Tensors, ids: np.ndarray, mask: np.ndarray, types: np.ndarray) -> np.ndarray:
    """last_hidden_state [batch, length, hidden]."""
    w = {name: array.astype(np.float64) for name, array in weights.items()}
    epsilon = config["layer_norm_eps"]
    x = (
        w["embeddings.word_embeddings.weight"][ids]
        + w["embeddings.token_type_embeddings.weight"][types]
        + w["embeddings.position_embeddings.weight"][: ids.shape[1]]
    )
    x = _layer_norm(x, w, "embeddings.LayerNorm", epsilon)
    bias = np.where(mask, 0, -np.inf)[:, None, None]
    for i in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{i}"
        q, k, v = (
            _heads(_linear(x, w, f"{layer}.attention.self.{n}"), config["num_attention_heads"])
            for n in ("query", "key", "value")
        )
        x = x + _linear(_attend(q, k, v, bias), w, f"{layer}.attention.output.dense")
        x = _layer_norm(x, w, f"{layer}.attention.output.LayerNorm", epsilon)
        y = _linear(x, w, f"{layer}.intermediate.dense")
        y = y * (1 + np.vectorize(math.erf)(y / math.sqrt(2))) / 2
        x = _layer_norm(x + _linear(y, w, f"{layer}.output.dense"), w, f"{layer}.output.LayerNorm", epsilon)
    return x


def frequencies(config: dict[str, Any], size: int) -> np.ndarray:
    """[size / 2]: radians per position."""
    found = []
    scaling = config.get("rope_scaling") or {}
    for i in range(0, size, 2):
        f = config["rope_theta"] ** (-i / size)
        kind = scaling.get("rope_type")
        if kind == "linear":
            f /= scaling["factor"]
        elif kind == "llama3":
            turns = scaling["original_max_position_embeddings"] * f / (2 * math.pi)
            low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
            if turns < low:
                f /= scaling["factor"]
            elif turns < high:
                share = (turns - low) / (high - low)
                f = (1 - share) * f / scaling["factor"] + share * f
        found.append(f)
    return np.array(found)


def _linear(x: np.ndarray, w: Tensors, name: str) -> np.ndarray:
    y = x @ w[f"{name}.weight"].T
    return y + w[f"{name}.bias"] if f"{name}.bias" in w else y


def _rms(x: np.ndarray, weight: np.ndarray, epsilon: float) -> np.ndarray:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * weight


def _layer_norm(x: np.ndarray, w: Tensors, name: str, epsilon: float) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon) * w[f"{name}.weight"] + w[f"{name}.bias"]


def _heads(x: np.ndarray, count: int) -> np.ndarray:
    """[batch, heads, length, size]."""
    return x.reshape(*x.shape[:2], count, -1).swapaxes(1, 2)


def _rotated(x: np.ndarray, steps: np.ndarray) -> np.ndarray:
    angles = np.arange(x.shape[2])[:, None] * steps
    first, second = np.split(x, 2, axis=-1)
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], -1)


def _attend(q: np.ndarray, k: np.ndarray, v: np.ndarray, bias: np.ndarray) -> np.ndarray:
    scores = q @ k.swapaxes(2, 3) / math.sqrt(q.shape[-1]) + bias
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    context = (shares @ v).swapaxes(1, 2)
    return context.reshape(*context.shape[:2], -1)
