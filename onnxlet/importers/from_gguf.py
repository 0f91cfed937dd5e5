"""A model from a GGUF file, as llama.cpp's converters write them.

Keys and tensors: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx_ir as ir

from .. import errors
from ..errors import InvalidGraph
from . import decoder, encoder
from .config import DecoderConfig, EncoderConfig, Entries, Rope, check_heads, linear_factors, lookup
from .gguf_file import GgufFile
from .options import Options, facts, shortened
from .weights import Weights

_ROPE_FACTORS = "rope_freqs.weight"
_TOKENS = {
    "bos_token_id": "tokenizer.ggml.bos_token_id",
    "eos_token_id": "tokenizer.ggml.eos_token_id",
    "pad_token_id": "tokenizer.ggml.padding_token_id",
    "chat_template": "tokenizer.chat_template",
}
_POOLING = {1: "mean", 2: "cls"}


def load(path: Path, options: Options) -> ir.Model:
    """Raises what `onnxlet.importers.load` raises."""
    file = GgufFile(path)
    architecture = file.metadata.get("general.architecture")
    build = lookup(_MODELS, architecture, f"{path}: general.architecture", errors.NotImplemented)
    return build(file, Entries(file.metadata, str(path), f"{architecture}."), options)


def _decoder(file: GgufFile, entries: Entries, options: Options) -> ir.Model:
    names = decoder.GGUF
    config = shortened(_decoder_config(file, entries), options, str(file.path))
    weights = Weights(file.weights, decoder.shapes(config, names), lambda name: name == _ROPE_FACTORS, str(file.path))
    metadata = facts("gguf", file.metadata["general.architecture"], config, _known(file))
    return decoder.build(config, weights, names, metadata, options.accuracy_level)


def _decoder_config(file: GgufFile, entries: Entries) -> DecoderConfig:
    names, weights = decoder.GGUF, file.weights
    heads, hidden = entries.count("attention.head_count"), entries.count("embedding_length")
    head_size = entries.count("attention.key_length", hidden // heads)
    for key in ("rope.dimension_count", "attention.value_length"):
        if entries.count(key, head_size) != head_size:
            raise errors.NotImplemented(
                f"{file.path}: {key} other than the size of a head, {head_size}, is not understood"
            )
    if entries.get("expert_count"):
        raise errors.NotImplemented(f"{file.path} is a mixture of experts, which is not understood")
    config = DecoderConfig(
        hidden=hidden,
        layers=entries.count("block_count"),
        heads=heads,
        kv_heads=entries.count("attention.head_count_kv", heads),
        head_size=head_size,
        inner=entries.count("feed_forward_length"),
        vocabulary=_rows(file, names["embedding"]),
        context=entries.count("context_length"),
        epsilon=entries.number("attention.layer_norm_rms_epsilon"),
        rope=_rope(file, entries, head_size),
        window=entries.get("attention.sliding_window") and entries.count("attention.sliding_window"),
        tied=f"{names['head']}.weight" not in weights,
        biases=frozenset(role for role in decoder.LINEAR if f"{names[role].format(0)}.bias" in weights),
        adjacent_pairs=file.metadata["general.architecture"] == "llama",
    )
    check_heads(config, str(file.path))
    return config


def _rope(file: GgufFile, entries: Entries, head_size: int) -> Rope:
    base = entries.number("rope.freq_base", 10000.0)
    kind = entries.get("rope.scaling.type", "none")
    if kind == "linear":
        return Rope(base, linear_factors(entries.number("rope.scaling.factor"), head_size))
    if kind != "none":
        raise errors.NotImplemented(
            f"{file.path}: rotary positions of type {kind!r} are not understood; none and linear are"
        )
    if _ROPE_FACTORS not in file.weights:
        return Rope(base)
    factors = np.ravel(file.weights[_ROPE_FACTORS].read())
    if len(factors) != head_size // 2:
        raise InvalidGraph(f"{file.path}: {_ROPE_FACTORS} has {len(factors)} factors, not {head_size // 2}")
    return Rope(base, tuple(float(f) for f in factors))


def _encoder(file: GgufFile, entries: Entries, options: Options) -> ir.Model:
    names = encoder.GGUF
    config = EncoderConfig(
        hidden=entries.count("embedding_length"),
        layers=entries.count("block_count"),
        heads=entries.count("attention.head_count"),
        inner=entries.count("feed_forward_length"),
        vocabulary=_rows(file, names["words"]),
        positions=entries.count("context_length"),
        token_types=_rows(file, names["types"]),
        epsilon=entries.number("attention.layer_norm_epsilon"),
    )
    check_heads(config, str(file.path))
    weights = Weights(file.weights, encoder.shapes(config, names), lambda _: False, str(file.path))
    known = _known(file) | {"pooling": _POOLING.get(entries.get("pooling_type", 0))}
    metadata = facts("gguf", file.metadata["general.architecture"], config, known)
    return encoder.build(config, weights, names, metadata, options.accuracy_level, options.pooling)


_MODELS: dict[str, Callable[[GgufFile, Entries, Options], ir.Model]] = {
    "bert": _encoder,
    "llama": _decoder,
    "qwen2": _decoder,
}


def _rows(file: GgufFile, name: str) -> int:
    """Of an embedding. GGUF does not say how many tokens there are elsewhere, or not always."""
    weight = file.weights.get(f"{name}.weight")
    if weight is None or len(weight.shape) != 2:
        raise InvalidGraph(f"{file.path} has no tensor {name}.weight with two axes")
    return weight.shape[0]


def _known(file: GgufFile) -> dict[str, object]:
    return {key: file.metadata.get(name) for key, name in _TOKENS.items()} | {"name": file.metadata.get("general.name")}
