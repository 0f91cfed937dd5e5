"""A model from safetensors files with a config.json beside them, as Hugging Face's transformers writes both."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx_ir as ir

from .. import errors
from . import decoder, encoder
from .config import DecoderConfig, EncoderConfig, Entries, Rope, check_heads, linear_factors, llama3_factors, lookup
from .options import Options, facts, shortened
from .safetensors_file import read_json, read_weights
from .weights import Weight, Weights

_ATTENTION = frozenset("qkvo")
_INNER = frozenset({"gate", "up", "down"})
# What files have besides: buffers that are computed, heads for training.
_IGNORED_DECODER = (".rotary_emb.inv_freq",)
_IGNORED_ENCODER = ("embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias")
_ACTIVATIONS = {"silu": ("silu", "swish"), "gelu": ("gelu",)}


def load(files: list[Path], options: Options) -> ir.Model:
    """Of the files of one model. Raises what `onnxlet.importers.load` raises."""
    folder = files[0].parent
    values = read_json(folder / "config.json")
    source = str(folder / "config.json")
    build = lookup(_MODELS, values.get("model_type"), f"{source}: model_type", errors.NotImplemented)
    return build(Entries(values, source), read_weights(files), folder, options)


def _decoder(entries: Entries, found: dict[str, Weight], folder: Path, options: Options) -> ir.Model:
    config = shortened(_decoder_config(entries, folder), options, str(folder))
    head = f"{decoder.SAFETENSORS['head']}.weight"

    def ignored(name: str) -> bool:
        return name.endswith(_IGNORED_DECODER) or (config.tied and name == head)

    names = decoder.SAFETENSORS
    weights = Weights(found, decoder.shapes(config, names), ignored, str(folder))
    metadata = facts("safetensors", entries.get("model_type"), config, _tokens(folder, entries) | _template(folder))
    return decoder.build(config, weights, names, metadata, options.accuracy_level)


def _decoder_config(entries: Entries, folder: Path) -> DecoderConfig:
    kind = entries.get("model_type")
    _check_activation(entries, "silu")
    heads, hidden = entries.count("num_attention_heads"), entries.count("hidden_size")
    head_size = entries.count("head_dim", hidden // heads)
    if entries.get("partial_rotary_factor", 1) != 1:
        raise errors.NotImplemented(f"{folder}: rotary positions for a part of a head are not understood")
    biases = frozenset("qkv") if kind == "qwen2" else _ATTENTION if entries.get("attention_bias") else frozenset()
    config = DecoderConfig(
        hidden=hidden,
        layers=entries.count("num_hidden_layers"),
        heads=heads,
        kv_heads=entries.count("num_key_value_heads", heads),
        head_size=head_size,
        inner=entries.count("intermediate_size"),
        vocabulary=entries.count("vocab_size"),
        context=entries.count("max_position_embeddings"),
        epsilon=entries.number("rms_norm_eps"),
        rope=_rope(entries, head_size),
        window=_window(entries, kind),
        tied=bool(entries.get("tie_word_embeddings", False)),
        biases=biases | (_INNER if entries.get("mlp_bias") else frozenset()),
        adjacent_pairs=False,
    )
    check_heads(config, str(folder))
    return config


def _rope(entries: Entries, head_size: int) -> Rope:
    """transformers 5 has all in rope_parameters, earlier ones have rope_theta and rope_scaling."""
    values: dict[str, Any] = entries.get("rope_parameters") or entries.get("rope_scaling") or {}
    scaling = Entries(values, "config.json, scaling of rotary positions")
    base = scaling.number("rope_theta", entries.number("rope_theta", 10000.0))
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind == "default":
        return Rope(base)
    if kind == "linear":
        return Rope(base, linear_factors(scaling.number("factor"), head_size))
    if kind == "llama3":
        return Rope(base, llama3_factors(scaling, base, head_size))
    raise errors.NotImplemented(f"rotary positions of type {kind!r} are not understood; default, linear and llama3 are")


def _window(entries: Entries, kind: object) -> int | None:
    if entries.get("sliding_window") is None or (kind == "qwen2" and not entries.get("use_sliding_window", False)):
        return None
    if kind == "qwen2":
        raise errors.NotImplemented(
            "qwen2 with use_sliding_window mixes layers with and without a window; it is not understood"
        )
    return entries.count("sliding_window")


def _encoder(entries: Entries, found: dict[str, Weight], folder: Path, options: Options) -> ir.Model:
    _check_activation(entries, "gelu")
    if entries.get("position_embedding_type", "absolute") != "absolute":
        raise entries.wrong("position_embedding_type", "must be 'absolute'")
    config = EncoderConfig(
        hidden=entries.count("hidden_size"),
        layers=entries.count("num_hidden_layers"),
        heads=entries.count("num_attention_heads"),
        inner=entries.count("intermediate_size"),
        vocabulary=entries.count("vocab_size"),
        positions=entries.count("max_position_embeddings"),
        token_types=entries.count("type_vocab_size"),
        epsilon=entries.number("layer_norm_eps"),
    )
    check_heads(config, str(folder))
    names = encoder.SAFETENSORS
    prefix = "bert." if f"bert.{names['words']}.weight" in found else ""
    found = {name.removeprefix(prefix): weight for name, weight in found.items()}

    def ignored(name: str) -> bool:
        return name in _IGNORED_ENCODER or name.startswith("cls.")

    weights = Weights(found, encoder.shapes(config, names), ignored, str(folder))
    metadata = facts("safetensors", entries.get("model_type"), config, _tokens(folder, entries))
    return encoder.build(config, weights, names, metadata, options.accuracy_level, options.pooling)


_MODELS: dict[str, Callable[[Entries, dict[str, Weight], Path, Options], ir.Model]] = {
    "bert": _encoder,
    "llama": _decoder,
    "mistral": _decoder,
    "qwen2": _decoder,
}


def _check_activation(entries: Entries, wanted: str) -> None:
    if entries.get("hidden_act", wanted) not in _ACTIVATIONS[wanted]:
        raise errors.NotImplemented(f"the activation {entries.get('hidden_act')!r} is not understood here; {wanted} is")


def _tokens(folder: Path, entries: Entries) -> dict[str, object]:
    """Special tokens; those for generation have the last word."""
    path = folder / "generation_config.json"
    generation = read_json(path) if path.is_file() else {}
    keys = ("bos_token_id", "eos_token_id", "pad_token_id")
    return {key: generation.get(key, entries.get(key)) for key in keys}


def _template(folder: Path) -> dict[str, object]:
    own = folder / "chat_template.jinja"
    if own.is_file():
        return {"chat_template": own.read_text(encoding="utf-8")}
    path = folder / "tokenizer_config.json"
    template = read_json(path).get("chat_template") if path.is_file() else None
    return {"chat_template": template if isinstance(template, str | None) else json.dumps(template)}
