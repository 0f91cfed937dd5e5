"""Builds all-MiniLM-L6-v2 (a BERT encoder, float32, opset 17) from its safetensors file with onnx.helper alone."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """Format: u64 header size, JSON of name to dtype, shape and byte range, then the data."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    types = {"F32": np.float32, "I64": np.int64}
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            tensors[name] = np.frombuffer(data[8 + size + begin : 8 + size + end], types[entry["dtype"]]).reshape(
                entry["shape"]
            )
    return tensors


class Builder:
    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: dict[str, onnx.TensorProto] = {}

    def constant(self, value: Any, name: str | None = None) -> str:
        array = np.asarray(value)
        name = name or f"const_{array.dtype}_{'_'.join(map(str, array.ravel()))}_{array.ndim}"
        self.initializers.setdefault(name, numpy_helper.from_array(array, name))
        return name

    def node(self, op_type: str, *inputs: str, **attributes: Any) -> str:
        output = f"{op_type.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, list(inputs), [output], name=output, **attributes))
        return output

    def linear(self, x: str, name: str) -> str:
        weight = self.constant(np.ascontiguousarray(self.weights[f"{name}.weight"].T), f"{name}.weight")
        return self.node(
            "Add", self.node("MatMul", x, weight), self.constant(self.weights[f"{name}.bias"], f"{name}.bias")
        )

    def norm(self, x: str, name: str, epsilon: float) -> str:
        scale, bias = (self.constant(self.weights[f"{name}.{part}"], f"{name}.{part}") for part in ("weight", "bias"))
        return self.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=epsilon)

    def gelu(self, x: str) -> str:
        erf = self.node("Erf", self.node("Div", x, self.constant(np.float32(math.sqrt(2)))))
        return self.node(
            "Mul",
            self.node("Mul", x, self.node("Add", erf, self.constant(np.float32(1)))),
            self.constant(np.float32(0.5)),
        )


def build(folder: Path) -> onnx.ModelProto:
    """Inputs input_ids, attention_mask, token_type_ids [batch, seq] int64; output last_hidden_state [batch, seq, 384]."""
    config = json.loads((folder / "config.json").read_text())
    b = Builder(read_safetensors(folder / "model.safetensors"))
    hidden, heads, epsilon = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]
    zero, one = b.constant(np.array([0])), b.constant(np.array([1]))

    def embedding(kind: str, indices: str) -> str:
        name = f"embeddings.{kind}_embeddings.weight"
        return b.node("Gather", b.constant(b.weights[name], name), indices)

    length = b.node("Slice", b.node("Shape", "input_ids"), one, b.constant(np.array([2])))
    positions = b.node("Range", b.constant(np.int64(0)), b.node("Squeeze", length, zero), b.constant(np.int64(1)))
    x = b.node(
        "Add",
        b.node("Add", embedding("word", "input_ids"), embedding("token_type", "token_type_ids")),
        embedding("position", positions),
    )
    x = b.norm(x, "embeddings.LayerNorm", epsilon)

    mask = b.node("Cast", b.node("Unsqueeze", "attention_mask", b.constant(np.array([1, 2]))), to=TensorProto.FLOAT)
    bias = b.node(
        "Mul", b.node("Sub", b.constant(np.float32(1)), mask), b.constant(np.float32(np.finfo(np.float32).min))
    )
    split, merged = b.constant(np.array([0, 0, heads, hidden // heads])), b.constant(np.array([0, 0, hidden]))
    for layer in range(config["num_hidden_layers"]):
        prefix = f"encoder.layer.{layer}"
        q, k, v = (
            b.node("Reshape", b.linear(x, f"{prefix}.attention.self.{part}"), split)
            for part in ("query", "key", "value")
        )
        scores = b.node("MatMul", b.node("Transpose", q, perm=[0, 2, 1, 3]), b.node("Transpose", k, perm=[0, 2, 3, 1]))
        scores = b.node("Add", b.node("Div", scores, b.constant(np.float32(math.sqrt(hidden // heads)))), bias)
        context = b.node("MatMul", b.node("Softmax", scores, axis=-1), b.node("Transpose", v, perm=[0, 2, 1, 3]))
        context = b.node("Reshape", b.node("Transpose", context, perm=[0, 2, 1, 3]), merged)
        attended = b.linear(context, f"{prefix}.attention.output.dense")
        x = b.norm(b.node("Add", attended, x), f"{prefix}.attention.output.LayerNorm", epsilon)
        inner = b.gelu(b.linear(x, f"{prefix}.intermediate.dense"))
        x = b.norm(b.node("Add", b.linear(inner, f"{prefix}.output.dense"), x), f"{prefix}.output.LayerNorm", epsilon)
    b.nodes[-1].output[0] = "last_hidden_state"

    names = ("input_ids", "attention_mask", "token_type_ids")
    graph = helper.make_graph(
        b.nodes,
        "minilm_l6",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "seq"]) for name in names],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "seq", hidden])],
        list(b.initializers.values()),
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="onnxlet-tests"
    )
    onnx.checker.check_model(model, full_check=True)
    return model


class WordPiece:
    """BERT's tokenizer for plain lower-case English: words and punctuation, then the longest known pieces."""

    def __init__(self, vocabulary: Path) -> None:
        self.ids = {token: index for index, token in enumerate(vocabulary.read_text(encoding="utf-8").splitlines())}

    def __call__(self, text: str) -> list[int]:
        spaced = "".join(f" {c} " if not c.isalnum() and not c.isspace() else c for c in text.lower())
        pieces = [piece for word in spaced.split() for piece in self._split(word)]
        return [self.ids[token] for token in ("[CLS]", *pieces, "[SEP]")]

    def _split(self, word: str) -> list[str]:
        pieces, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in self.ids:
                    pieces.append(piece)
                    start = end
                    break
            else:
                return ["[UNK]"]
        return pieces
