"""BERT-type encoders: learned positions, attention in both directions, Gelu, norms behind the sums."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from .config import EncoderConfig, Pooling
from .graph import FLOAT, INT64, GraphBuilder
from .layers import Layers
from .weights import Weight

# Roles to tensors; {} is the number of the layer.
SAFETENSORS = {
    "words": "embeddings.word_embeddings",
    "positions": "embeddings.position_embeddings",
    "types": "embeddings.token_type_embeddings",
    "norm": "embeddings.LayerNorm",
    "q": "encoder.layer.{}.attention.self.query",
    "k": "encoder.layer.{}.attention.self.key",
    "v": "encoder.layer.{}.attention.self.value",
    "o": "encoder.layer.{}.attention.output.dense",
    "attention_norm": "encoder.layer.{}.attention.output.LayerNorm",
    "up": "encoder.layer.{}.intermediate.dense",
    "down": "encoder.layer.{}.output.dense",
    "inner_norm": "encoder.layer.{}.output.LayerNorm",
}
GGUF = {
    "words": "token_embd",
    "positions": "position_embd",
    "types": "token_types",
    "norm": "token_embd_norm",
    "q": "blk.{}.attn_q",
    "k": "blk.{}.attn_k",
    "v": "blk.{}.attn_v",
    "o": "blk.{}.attn_output",
    "attention_norm": "blk.{}.attn_output_norm",
    "up": "blk.{}.ffn_up",
    "down": "blk.{}.ffn_down",
    "inner_norm": "blk.{}.layer_output_norm",
}


def shapes(config: EncoderConfig, names: Mapping[str, str]) -> dict[str, tuple[int, ...]]:
    """Of all tensors, by the file's names."""
    c = config
    square = (c.hidden, c.hidden)
    of_layer = dict.fromkeys(("q", "k", "v", "o"), square) | {
        "attention_norm": (c.hidden,),
        "up": (c.inner, c.hidden),
        "down": (c.hidden, c.inner),
        "inner_norm": (c.hidden,),
    }
    found: dict[str, tuple[int, ...]] = {
        f"{names['words']}.weight": (c.vocabulary, c.hidden),
        f"{names['positions']}.weight": (c.positions, c.hidden),
        f"{names['types']}.weight": (c.token_types, c.hidden),
        f"{names['norm']}.weight": (c.hidden,),
        f"{names['norm']}.bias": (c.hidden,),
    }
    for layer in range(c.layers):
        for role, shape in of_layer.items():
            name = names[role].format(layer)
            found |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    return found


def build(
    config: EncoderConfig,
    weights: Mapping[str, Weight],
    names: Mapping[str, str],
    metadata: dict[str, str],
    accuracy_level: int,
    pooling: Pooling | None,
) -> ir.Model:
    """Inputs: input_ids, attention_mask and token_type_ids int64 [batch, length]. Outputs: last_hidden_state float32
    [batch, length, hidden], and with pooling sentence_embedding [batch, hidden], of length 1."""
    return _Encoder(config, weights, names, accuracy_level).build(metadata, pooling)


class _Encoder:
    def __init__(
        self, config: EncoderConfig, weights: Mapping[str, Weight], names: Mapping[str, str], accuracy_level: int
    ) -> None:
        self.config, self.weights, self.names = config, weights, names
        self.graph = GraphBuilder("encoder")
        self.layers = Layers(self.graph, accuracy_level)

    def build(self, metadata: dict[str, str], pooling: Pooling | None) -> ir.Model:
        graph, config = self.graph, self.config
        ids, mask, types = (
            graph.input(name, INT64, ["batch_size", "sequence_length"])
            for name in ("input_ids", "attention_mask", "token_type_ids")
        )
        x = self._embeddings(ids, types)
        bias = self._mask_bias(mask)
        for layer in range(config.layers):
            attended = self._attention(layer, x, bias)
            x = self._norm(graph.node("Add", [attended, x], f"layers.{layer}.attended"), "attention_norm", layer)
            inner = graph.node("Gelu", [self._linear(x, "up", layer)], f"layers.{layer}.gelu")
            x = self._norm(
                graph.node("Add", [self._linear(inner, "down", layer), x], f"layers.{layer}.sum"), "inner_norm", layer
            )
        graph.output(x, FLOAT, ["batch_size", "sequence_length", config.hidden], "last_hidden_state")
        if pooling is not None:
            graph.output(self._pooled(x, mask, pooling), FLOAT, ["batch_size", config.hidden], "sentence_embedding")
        return graph.model(metadata)

    def _tensor(self, role: str, part: str, layer: int = 0) -> Weight:
        return self.weights[f"{self.names[role].format(layer)}.{part}"]

    def _linear(self, x: ir.Value, role: str, layer: int) -> ir.Value:
        return self.layers.linear(x, self._tensor(role, "weight", layer), self._tensor(role, "bias", layer))

    def _norm(self, x: ir.Value, role: str, layer: int = 0) -> ir.Value:
        scale, bias = (self._tensor(role, part, layer) for part in ("weight", "bias"))
        return self.layers.norm(x, scale, bias, self.config.epsilon)

    def _embeddings(self, ids: ir.Value, types: ir.Value) -> ir.Value:
        graph = self.graph
        length = graph.node("Squeeze", [graph.node("Shape", [ids], "positions.shape", start=1)], "positions.length")
        zero, one = (graph.constant(name, np.array(n)) for name, n in (("zero", 0), ("one", 1)))
        positions = graph.node("Range", [zero, length, one], "positions")
        words, kinds, places = (
            self.layers.embedding(indices, self._tensor(role, "weight"))
            for role, indices in (("words", ids), ("types", types), ("positions", positions))
        )
        both = graph.node("Add", [words, kinds], "embeddings.words_and_types")
        return self._norm(graph.node("Add", [both, places], "embeddings.sum"), "norm")

    def _mask_bias(self, mask: ir.Value) -> ir.Value:
        """float32 [batch, 1, 1, length]: 0, or the least number where there is padding."""
        graph = self.graph
        axes = graph.constant("mask.axes", np.array([1, 2]))
        seen = graph.node("Cast", [graph.node("Unsqueeze", [mask, axes], "mask.unsqueezed")], "mask.float", to=FLOAT)
        hidden = graph.node("Sub", [graph.constant("mask.one", np.array(1, np.float32)), seen], "mask.hidden")
        least = graph.constant("mask.least", np.array(np.finfo(np.float32).min))
        return graph.node("Mul", [hidden, least], "mask.bias")

    def _attention(self, layer: int, x: ir.Value, bias: ir.Value) -> ir.Value:
        graph, config, scope = self.graph, self.config, f"layers.{layer}.attention"
        size = config.hidden // config.heads
        split = graph.constant("heads.shape", np.array([0, 0, config.heads, size]))
        merged = graph.constant("heads.merged", np.array([0, 0, config.hidden]))

        def heads(role: str, order: list[int]) -> ir.Value:
            parts = graph.node("Reshape", [self._linear(x, role, layer), split], f"{scope}.{role}_heads")
            return graph.node("Transpose", [parts], f"{scope}.{role}", perm=order)

        products = graph.node("MatMul", [heads("q", [0, 2, 1, 3]), heads("k", [0, 2, 3, 1])], f"{scope}.products")
        root = graph.constant("heads.root", np.array(math.sqrt(size), np.float32))
        scores = graph.node("Add", [graph.node("Div", [products, root], f"{scope}.scaled"), bias], f"{scope}.scores")
        shares = graph.node("Softmax", [scores], f"{scope}.shares", axis=-1)
        context = graph.node("MatMul", [shares, heads("v", [0, 2, 1, 3])], f"{scope}.context")
        context = graph.node("Transpose", [context], f"{scope}.transposed", perm=[0, 2, 1, 3])
        return self._linear(graph.node("Reshape", [context, merged], scope), "o", layer)

    def _pooled(self, x: ir.Value, mask: ir.Value, pooling: Pooling) -> ir.Value:
        graph = self.graph
        if pooling == "cls":
            pooled = graph.node("Gather", [x, graph.constant("zero", np.array(0))], "pooling.first", axis=1)
        else:
            last = graph.constant("pooling.last", np.array([-1]))
            column = graph.node("Unsqueeze", [mask, last], "pooling.column")
            seen = graph.node("Cast", [column], "pooling.seen", to=FLOAT)
            axis = graph.constant("pooling.axis", np.array([1]))
            total = graph.node(
                "ReduceSum", [graph.node("Mul", [x, seen], "pooling.kept"), axis], "pooling.sum", keepdims=0
            )
            count = graph.node("ReduceSum", [seen, axis], "pooling.count", keepdims=0)
            pooled = graph.node("Div", [total, count], "pooling.mean")
        return graph.node("LpNormalization", [pooled], "pooling.normed", axis=-1, p=2)
