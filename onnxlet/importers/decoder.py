"""Llama-type decoders: RMS norms, grouped attention with rotary positions and a cache, gated SiLU.

Inputs, outputs and the sizes that they leave open have the names of Optimum's exports: Transformers.js goes by all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from .config import DecoderConfig, Rope
from .graph import FLOAT, INT32, INT64, MICROSOFT, GraphBuilder
from .layers import Layers
from .weights import Weight

LINEAR = ("q", "k", "v", "o", "gate", "up", "down")

# Roles to tensors; {} is the number of the layer.
SAFETENSORS = {
    "embedding": "model.embed_tokens",
    "attention_norm": "model.layers.{}.input_layernorm",
    "q": "model.layers.{}.self_attn.q_proj",
    "k": "model.layers.{}.self_attn.k_proj",
    "v": "model.layers.{}.self_attn.v_proj",
    "o": "model.layers.{}.self_attn.o_proj",
    "inner_norm": "model.layers.{}.post_attention_layernorm",
    "gate": "model.layers.{}.mlp.gate_proj",
    "up": "model.layers.{}.mlp.up_proj",
    "down": "model.layers.{}.mlp.down_proj",
    "norm": "model.norm",
    "head": "lm_head",
}
GGUF = {
    "embedding": "token_embd",
    "attention_norm": "blk.{}.attn_norm",
    "q": "blk.{}.attn_q",
    "k": "blk.{}.attn_k",
    "v": "blk.{}.attn_v",
    "o": "blk.{}.attn_output",
    "inner_norm": "blk.{}.ffn_norm",
    "gate": "blk.{}.ffn_gate",
    "up": "blk.{}.ffn_up",
    "down": "blk.{}.ffn_down",
    "norm": "output_norm",
    "head": "output",
}


def shapes(config: DecoderConfig, names: Mapping[str, str]) -> dict[str, tuple[int, ...]]:
    """Of all tensors, by the file's names."""
    c = config
    queries, keys = c.heads * c.head_size, c.kv_heads * c.head_size
    of_layer = {
        "attention_norm": (c.hidden,),
        "q": (queries, c.hidden),
        "k": (keys, c.hidden),
        "v": (keys, c.hidden),
        "o": (c.hidden, queries),
        "inner_norm": (c.hidden,),
        "gate": (c.inner, c.hidden),
        "up": (c.inner, c.hidden),
        "down": (c.hidden, c.inner),
    }
    found: dict[str, tuple[int, ...]] = {f"{names['embedding']}.weight": (c.vocabulary, c.hidden)}
    for layer in range(c.layers):
        for role, shape in of_layer.items():
            name = names[role].format(layer)
            found[f"{name}.weight"] = shape
            if role in c.biases:
                found[f"{name}.bias"] = shape[:1]
    found[f"{names['norm']}.weight"] = (c.hidden,)
    if not c.tied:
        found[f"{names['head']}.weight"] = (c.vocabulary, c.hidden)
    return found


def build(
    config: DecoderConfig,
    weights: Mapping[str, Weight],
    names: Mapping[str, str],
    metadata: dict[str, str],
    accuracy_level: int,
) -> ir.Model:
    """Inputs: input_ids int64 [batch, length]; attention_mask int64 [batch, total], ones, padding on the right;
    past_key_values.<layer>.key and .value float32 [batch, kv_heads, past, head_size]. Outputs: logits float32
    [batch, length, vocabulary]; present.<layer>.key and .value, the cache with the new tokens."""
    return _Decoder(config, weights, names, accuracy_level).build(metadata)


@dataclass
class _Positions:
    """GroupQueryAttention's inputs that all layers share."""

    last: ir.Value  # int32 [batch]: the position of the last token
    total: ir.Value  # int32 []: length of cache and input together
    cos: ir.Value
    sin: ir.Value


class _Decoder:
    def __init__(
        self, config: DecoderConfig, weights: Mapping[str, Weight], names: Mapping[str, str], accuracy_level: int
    ) -> None:
        self.config, self.weights, self.names = config, weights, names
        self.graph = GraphBuilder("decoder")
        self.layers = Layers(self.graph, accuracy_level)

    def build(self, metadata: dict[str, str]) -> ir.Model:
        graph, config = self.graph, self.config
        ids = graph.input("input_ids", INT64, ["batch_size", "sequence_length"])
        positions = self._positions(graph.input("attention_mask", INT64, ["batch_size", "total_sequence_length"]))
        x = self.layers.embedding(ids, self._weight("embedding"))
        y = self._first_norm(x)
        cache: list[ir.Value] = []
        for layer in range(config.layers):
            attended, present = self._attention(layer, y, positions)
            cache += present
            x, y = self._skip_norm(x, attended, f"layers.{layer}.inner_norm", self._weight("inner_norm", layer))
            last = layer + 1 == config.layers
            weight = self._weight("norm") if last else self._weight("attention_norm", layer + 1)
            norm = "norm" if last else f"layers.{layer + 1}.attention_norm"
            x, y = self._skip_norm(x, self._feed_forward(layer, y), norm, weight)
        graph.output(self._head(y, ids), FLOAT, ["batch_size", "sequence_length", config.vocabulary], "logits")
        for value in cache:
            graph.output(value, FLOAT, ["batch_size", config.kv_heads, "total_sequence_length", config.head_size])
        return graph.model(metadata)

    def _weight(self, role: str, layer: int = 0) -> Weight:
        return self.weights[f"{self.names[role].format(layer)}.weight"]

    def _linear(self, x: ir.Value, role: str, layer: int, order: np.ndarray | None = None) -> ir.Value:
        weight = self._weight(role, layer)
        bias = self.weights[f"{self.names[role].format(layer)}.bias"] if role in self.config.biases else None
        if order is not None:
            weight = weight.of_rows(order)
            bias = None if bias is None else bias.of_rows(order)
        return self.layers.linear(x, weight, bias)

    def _positions(self, mask: ir.Value) -> _Positions:
        graph, config = self.graph, self.config
        one = graph.constant("one", np.array([1]))
        seen = graph.node("ReduceSum", [mask, one], "positions.seen", keepdims=0)
        last = graph.node("Sub", [seen, one], "positions.last")
        total = graph.node("Squeeze", [graph.node("Shape", [mask], "positions.shape", start=1)], "positions.total")
        angles = _angles(config.rope, config.context, config.head_size)
        return _Positions(
            graph.node("Cast", [last], "positions.last_int32", to=INT32),
            graph.node("Cast", [total], "positions.total_int32", to=INT32),
            graph.constant("rope.cos", np.cos(angles).astype(np.float32)),
            graph.constant("rope.sin", np.sin(angles).astype(np.float32)),
        )

    def _attention(self, layer: int, y: ir.Value, positions: _Positions) -> tuple[ir.Value, tuple[ir.Value, ...]]:
        """The branch's output, and the cache with the new tokens."""
        graph, config = self.graph, self.config
        q = self._linear(y, "q", layer, self._halves(config.heads))
        k = self._linear(y, "k", layer, self._halves(config.kv_heads))
        v = self._linear(y, "v", layer)
        shape: list[int | str] = ["batch_size", config.kv_heads, "past_sequence_length", config.head_size]
        past = [graph.input(f"past_key_values.{layer}.{part}", FLOAT, shape) for part in ("key", "value")]
        window = {} if config.window is None else {"local_window_size": config.window}
        attended, *present = graph.nodes(
            "GroupQueryAttention",
            [q, k, v, *past, positions.last, positions.total, positions.cos, positions.sin],
            f"layers.{layer}.attention",
            [f"layers.{layer}.attention", f"present.{layer}.key", f"present.{layer}.value"],
            domain=MICROSOFT,
            num_heads=config.heads,
            kv_num_heads=config.kv_heads,
            do_rotary=1,
            **window,
        )
        return self._linear(attended, "o", layer), tuple(present)

    def _halves(self, heads: int) -> np.ndarray | None:
        """The order of rows that puts the first numbers of a head's rotation pairs before the second ones."""
        if not self.config.adjacent_pairs:
            return None
        rows = np.arange(heads * self.config.head_size)
        return rows.reshape(heads, -1, 2).swapaxes(1, 2).reshape(-1)

    def _feed_forward(self, layer: int, y: ir.Value) -> ir.Value:
        graph, scope = self.graph, f"layers.{layer}"
        gate = self._linear(y, "gate", layer)
        silu = graph.node("Mul", [gate, graph.node("Sigmoid", [gate], f"{scope}.sigmoid")], f"{scope}.silu")
        gated = graph.node("Mul", [silu, self._linear(y, "up", layer)], f"{scope}.gated")
        return self._linear(gated, "down", layer)

    def _first_norm(self, x: ir.Value) -> ir.Value:
        """In operators of ONNX: com.microsoft knows the norm only together with a sum."""
        graph, scope = self.graph, "layers.0.attention_norm"
        squares = graph.node("Mul", [x, x], f"{scope}.squares")
        axis = graph.constant("last_axis", np.array([-1]))
        mean = graph.node("ReduceMean", [squares, axis], f"{scope}.mean", keepdims=1)
        epsilon = graph.constant("epsilon", np.array(self.config.epsilon, np.float32))
        root = graph.node("Sqrt", [graph.node("Add", [mean, epsilon], f"{scope}.sum")], f"{scope}.root")
        normed = graph.node("Div", [x, root], f"{scope}.normed")
        return graph.node("Mul", [normed, self.layers.vector(self._weight("attention_norm"))], scope)

    def _skip_norm(self, x: ir.Value, branch: ir.Value, name: str, weight: Weight) -> tuple[ir.Value, ir.Value]:
        """x + branch, and its norm."""
        normed, _, _, total = self.graph.nodes(
            "SkipSimplifiedLayerNormalization",
            [x, branch, self.layers.vector(weight)],
            name,
            [name, "", "", f"{name}.sum"],
            domain=MICROSOFT,
            epsilon=self.config.epsilon,
        )
        return total, normed

    def _head(self, y: ir.Value, ids: ir.Value) -> ir.Value:
        if not self.config.tied:
            return self.layers.linear(y, self._weight("head"), None)
        return self.layers.tied_head(
            y, self._weight("embedding"), self.graph.node("Shape", [ids], "head.batch_and_length")
        )


def _angles(rope: Rope, positions: int, head_size: int) -> np.ndarray:
    """float64 [positions, head_size / 2]."""
    steps = rope.base ** (-np.arange(0, head_size, 2, dtype=np.float64) / head_size)
    if rope.factors is not None:
        steps = steps / np.asarray(rope.factors)
    return np.arange(positions)[:, None] * steps
