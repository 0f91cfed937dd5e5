"""Builds SmolLM2-135M-Instruct (a decoder with a cache, opset 21) from its GGUF file: weights of 4 bits in MatMulNBits, the
embedding of 8 bits, attention in GroupQueryAttention, as onnxruntime's own model builder lays it out."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F32, Q4_1, Q8_0 = 0, 3, 8  # GGUF's tensor types
BLOCK = 32
CONTEXT = 2048
MICROSOFT = "com.microsoft"


class Gguf:
    """`metadata` by key and `tensors` as (shape with the fastest axis last, type, bytes).

    Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
    """

    SCALARS: ClassVar = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
    BYTES_PER_BLOCK: ClassVar = {Q4_1: 20, Q8_0: 34}

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        if self._data[:4] != b"GGUF":
            raise ValueError(f"{path} is not a GGUF file")
        self._at = 8
        tensors, entries = self._scalar("Q"), self._scalar("Q")
        self.metadata = {self._string(): self._value(self._scalar("I")) for _ in range(entries)}
        table = {}
        for _ in range(tensors):
            name = self._string()
            shape = tuple(self._scalar("Q") for _ in range(self._scalar("I")))[::-1]
            table[name] = (shape, self._scalar("I"), self._scalar("Q"))
        begin = (self._at + 31) // 32 * 32
        self.tensors = {}
        for name, (shape, kind, offset) in table.items():
            count = int(np.prod(shape))
            size = count * 4 if kind == F32 else count // BLOCK * self.BYTES_PER_BLOCK[kind]
            self.tensors[name] = (shape, kind, self._data[begin + offset : begin + offset + size])

    def _scalar(self, kind: str) -> Any:
        (value,) = struct.unpack_from(f"<{kind}", self._data, self._at)
        self._at += struct.calcsize(f"<{kind}")
        return value

    def _string(self) -> str:
        size = self._scalar("Q")
        self._at += size
        return self._data[self._at - size : self._at].decode("utf-8")

    def _value(self, kind: int) -> Any:
        if kind == 8:
            return self._string()
        if kind == 9:
            item, count = self._scalar("I"), self._scalar("Q")
            return [self._value(item) for _ in range(count)]
        return self._scalar(self.SCALARS[kind])

    def floats(self, name: str) -> np.ndarray:
        shape, _, data = self.tensors[name]
        return np.frombuffer(data, np.float32).reshape(shape)

    def weights(self, name: str) -> np.ndarray:
        """float32 [n, k] of blocks of 4 or 8 bits."""
        (n, k), kind, data = self.tensors[name]
        if kind == Q8_0:
            numbers, scale = self.q8_0(name)
            return np.asarray(numbers * scale[..., None]).reshape(n, k)
        blocks = np.frombuffer(data, np.dtype([("d", "<f2"), ("m", "<f2"), ("q", "u1", 16)])).reshape(n, -1)
        quantized = np.concatenate([blocks["q"] & 15, blocks["q"] >> 4], axis=-1)
        scale, least = blocks["d"].astype(np.float32), blocks["m"].astype(np.float32)
        return np.asarray(quantized * scale[..., None] + least[..., None]).reshape(n, k)

    def q8_0(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Numbers [n, blocks, 32] of int8 and scales [n, blocks]."""
        (n, _), _, data = self.tensors[name]
        blocks = np.frombuffer(data, np.dtype([("d", "<f2"), ("q", "i1", 32)])).reshape(n, -1)
        return blocks["q"], blocks["d"].astype(np.float32)


def to_4_bits(weights: np.ndarray, symmetric: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Two numbers a byte [n, blocks, 16], scales and perhaps zero points [n, blocks]: w = (q - zero) * scale."""
    blocks = weights.reshape(len(weights), -1, BLOCK)
    zero = None
    if symmetric:  # the largest number of a block becomes 0, zero is 8
        at = np.abs(blocks).argmax(-1)[..., None]
        scale = np.take_along_axis(blocks, at, -1) / -8
    else:
        least = blocks.min(-1, keepdims=True)
        scale = (blocks.max(-1, keepdims=True) - least) / 15
        zero = (-least / np.where(scale == 0, 1, scale)).astype(np.float32)
    numbers = np.rint(blocks / np.where(scale == 0, 1, scale) + (8 if zero is None else zero))
    numbers = np.clip(numbers, 0, 15).astype(np.uint8)
    packed = numbers[..., 0::2] | numbers[..., 1::2] << 4
    return packed, scale[..., 0].astype(np.float32), zero


class Builder:
    def __init__(self, gguf: Gguf, accuracy_level: int, symmetric: bool) -> None:
        self.gguf, self.accuracy_level, self.symmetric = gguf, accuracy_level, symmetric
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: np.ndarray) -> str:
        self.initializers[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def node(self, op_type: str, inputs: Sequence[str], outputs: Sequence[str] = (), **attributes: Any) -> str:
        results = list(outputs) or [f"{op_type.lower()}_{len(self.nodes)}"]
        self.nodes.append(helper.make_node(op_type, list(inputs), results, name=f"n{len(self.nodes)}", **attributes))
        return results[0]

    def norm_weight(self, name: str) -> str:
        return self.constant(name, self.gguf.floats(f"{name}.weight"))

    def linear(self, x: str, name: str, heads: int = 0) -> str:
        """`heads`: undoes the order of rows that llama.cpp gives query and key for its rotary embedding."""
        weights = self.gguf.weights(f"{name}.weight")
        n, k = weights.shape
        if heads:
            weights = weights.reshape(heads, n // heads // 2, 2, k).swapaxes(1, 2).reshape(n, k)
        numbers, scale, zero = to_4_bits(weights, self.symmetric)
        inputs = [x, self.constant(f"{name}.q", numbers), self.constant(f"{name}.s", scale.reshape(-1))]
        if zero is not None:
            inputs.append(self.constant(f"{name}.z", zero.reshape(-1)))
        sizes = {"K": k, "N": n, "bits": 4, "block_size": BLOCK}
        return self.node("MatMulNBits", inputs, domain=MICROSOFT, accuracy_level=self.accuracy_level, **sizes)


def build(folder: Path, accuracy_level: int = 4, symmetric: bool = True) -> onnx.ModelProto:
    """The file's numbers of 4 bits have a smallest value per block. `symmetric` rounds them once more, to blocks around
    zero, for which onnxruntime has kernels; else they are kept, with float zero points.

    Inputs: input_ids and attention_mask int64 [1, n] and [1, past + n], past_key_values.<layer>.key and value float
    [1, 3, past, 64]. Outputs: logits [1, n, 49152], present.<layer>.key and value."""
    (path,) = folder.glob("*.gguf")
    gguf = Gguf(path)
    layers, heads, kv_heads, epsilon, base = (
        gguf.metadata[f"llama.{key}"]
        for key in (
            "block_count",
            "attention.head_count",
            "attention.head_count_kv",
            "attention.layer_norm_rms_epsilon",
            "rope.freq_base",
        )
    )
    size = gguf.metadata["llama.embedding_length"] // heads
    b = Builder(gguf, accuracy_level, symmetric)
    angles = np.arange(CONTEXT)[:, None] * base ** (-np.arange(0, size, 2) / size)
    cos, sin = (b.constant(f.__name__, f(angles).astype(np.float32)) for f in (np.cos, np.sin))
    one = b.constant("one", np.array([1], np.int64))
    seen = b.node("ReduceSum", ["attention_mask", one], keepdims=0)
    last = b.node("Cast", [b.node("Sub", [seen, one])], to=TensorProto.INT32)
    total = b.node("Cast", [b.node("Squeeze", [b.node("Shape", ["attention_mask"], start=1)])], to=TensorProto.INT32)

    numbers, scales = gguf.q8_0("token_embd.weight")
    unsigned = (numbers.astype(np.int16) + 128).astype(np.uint8)
    table = b.constant("embedding", unsigned.reshape(len(unsigned), -1))
    embed = [table, "input_ids", b.constant("embedding_scales", scales)]
    x = b.node("GatherBlockQuantized", embed, domain=MICROSOFT, bits=8, block_size=BLOCK)
    y = b.node("SimplifiedLayerNormalization", [x, b.norm_weight("blk.0.attn_norm")], axis=-1, epsilon=epsilon)
    for i in range(layers):
        q = b.linear(y, f"blk.{i}.attn_q", heads)
        k = b.linear(y, f"blk.{i}.attn_k", kv_heads)
        v = b.linear(y, f"blk.{i}.attn_v")
        past = [f"past_key_values.{i}.{part}" for part in ("key", "value")]
        present = [f"present.{i}.{part}" for part in ("key", "value")]
        attended = b.node(
            "GroupQueryAttention",
            [q, k, v, *past, last, total, cos, sin],
            [f"attention.{i}", *present],
            domain=MICROSOFT,
            num_heads=heads,
            kv_num_heads=kv_heads,
            do_rotary=1,
        )
        x, y = skip_norm(b, x, b.linear(attended, f"blk.{i}.attn_output"), f"blk.{i}.ffn_norm", epsilon)
        gate = b.linear(y, f"blk.{i}.ffn_gate")
        gated = b.node("Mul", [b.node("Mul", [gate, b.node("Sigmoid", [gate])]), b.linear(y, f"blk.{i}.ffn_up")])
        next_norm = f"blk.{i + 1}.attn_norm" if i + 1 < layers else "output_norm"
        x, y = skip_norm(b, x, b.linear(gated, f"blk.{i}.ffn_down"), next_norm, epsilon)
    b.node("Identity", [b.linear(y, "token_embd")], ["logits"])

    cache = [f"{i}.{part}" for i in range(layers) for part in ("key", "value")]
    inputs = [
        helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "n"]),
        helper.make_tensor_value_info("attention_mask", TensorProto.INT64, [1, "total"]),
    ]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, "n", len(unsigned)])]
    for name in cache:
        kind = TensorProto.FLOAT
        inputs.append(helper.make_tensor_value_info(f"past_key_values.{name}", kind, [1, kv_heads, "past", size]))
        outputs.append(helper.make_tensor_value_info(f"present.{name}", kind, [1, kv_heads, "total", size]))
    graph = helper.make_graph(b.nodes, "smollm2", inputs, outputs, list(b.initializers.values()))
    imports = [helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def skip_norm(b: Builder, x: str, branch: str, weight: str, epsilon: float) -> tuple[str, str]:
    """x + branch, and its norm."""
    at = len(b.nodes)
    outputs = [f"norm_{at}", "", "", f"sum_{at}"]
    inputs = [x, branch, b.norm_weight(weight)]
    b.node("SkipSimplifiedLayerNormalization", inputs, outputs, domain=MICROSOFT, epsilon=epsilon)
    return outputs[3], outputs[0]


def empty_cache(past: int = 0, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        f"past_key_values.{i}.{part}": rng.standard_normal((1, 3, past, 64)).astype(np.float32)
        for i in range(30)
        for part in ("key", "value")
    }


def token_feeds(past: int, count: int = 1) -> dict[str, np.ndarray]:
    """`count` tokens after `past` others, whose cache is noise: what one step of a chat costs."""
    ids = np.random.default_rng(1).integers(1000, 40000, (1, count))
    return {
        "input_ids": ids,
        "attention_mask": np.ones((1, past + count), np.int64),
        **empty_cache(past),
    }
