"""How much a node of a profile computes and moves: floating-point operations and bytes, from its operator and shapes.

A multiplication and an addition count as two operations, for integers too. Convolutions count as the plain sum: a
kernel that needs fewer (Winograd) can pass the machine's peak.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .. import dtypes

_TENSOR = re.compile(r"(\w+)\[([\d,]*)\]")


@dataclass(frozen=True)
class Tensor:
    """Type and shape, as a profile writes them: float[1,3,224,224]."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        known = dtypes.BY_NAME.get(self.dtype)
        return known.bytes_of(self.size) if known else 0


Tensors = Sequence[Tensor | None]
Rule = Callable[[Tensors, Tensors], int | None]


def parse(text: str) -> Tensor | None:
    """None for what is not a tensor: an input left out, a sequence."""
    match = _TENSOR.fullmatch(text)
    if match is None:
        return None
    return Tensor(match[1], tuple(int(size) for size in match[2].split(",") if size))


def flops(entry: Mapping[str, Any]) -> int | None:
    """Operations of an entry of `InferenceSession.profile`; None where bytes and not arithmetic bound the operator."""
    rule = _RULES.get(entry["op_type"])
    if rule is None:
        return None
    try:
        return rule([parse(text) for text in entry["inputs"]], [parse(text) for text in entry["outputs"]])
    except (AttributeError, IndexError, ZeroDivisionError):  # an operator of this name in another domain
        return None


def moved(entry: Mapping[str, Any]) -> int:
    """Bytes that the node must read and write at least, each once."""
    if entry["op_type"] in _SHAPE_ONLY:
        return 0
    inputs, outputs = ([_bytes(text) for text in entry[key]] for key in ("inputs", "outputs"))
    if entry["op_type"] in _PARTIAL_READ and inputs:
        inputs[0] = min(inputs[0], sum(outputs))
    return sum(inputs) + sum(outputs)


def _bytes(text: str) -> int:
    tensor = parse(text)
    return tensor.bytes if tensor else 0


# The engine hands the same bytes on, or looks at the shape alone.
_SHAPE_ONLY: Final = frozenset({"Flatten", "Identity", "Reshape", "Shape", "Size", "Squeeze", "Unsqueeze"})
# Of their first input they read as much as they write.
_PARTIAL_READ: Final = frozenset({"Gather", "GatherBlockQuantized", "GatherElements", "GatherND", "Slice"})


def _have(*tensors: Tensor | None) -> list[Tensor]:
    """AttributeError when one is missing, as for a field of None."""
    if any(tensor is None for tensor in tensors):
        raise AttributeError("an input is missing")
    return [tensor for tensor in tensors if tensor is not None]


def _convolution(weights: int) -> Rule:
    """`weights`: which input holds them, [channels out, channels in / group, kernel...]. Any layout of the data."""

    def count(inputs: Tensors, outputs: Tensors) -> int:
        w, y = _have(inputs[weights], outputs[0])
        return 2 * y.size * (w.size // w.shape[0])

    return count


def _transposed_convolution(inputs: Tensors, _: Tensors) -> int:
    """Each element of the input meets the weights of its channel: [channels in, channels out / group, kernel...]."""
    x, w = _have(inputs[0], inputs[1])
    return 2 * x.size * (w.size // w.shape[0])


def _product(inputs: Tensors, outputs: Tensors) -> int:
    a, y = _have(inputs[0], outputs[0])
    if len(a.shape) < 2 or len(y.shape) < 2:
        return 2 * y.size * a.shape[-1]
    rows, inner = a.shape[-2:]
    if rows != y.shape[-2] and inner == y.shape[-2]:  # A is transposed
        inner = rows
    return 2 * y.size * inner


def _product_with_packed(inputs: Tensors, outputs: Tensors) -> int:
    """B's own shape does not show K."""
    a, y = _have(inputs[0], outputs[0])
    return 2 * y.size * a.shape[-1]


def _recurrent(inputs: Tensors, _: Tensors) -> int:
    x, w, r = _have(*inputs[:3])
    return 2 * x.shape[0] * x.shape[1] * (w.size + r.size)


def _key_length(inputs: Tensors, outputs: Tensors) -> int:
    """How many positions are attended to, those of the cache included."""
    present = outputs[1] if len(outputs) > 1 else None
    if present is not None and len(present.shape) == 4:
        return present.shape[2]
    key = inputs[1] if len(inputs) > 1 else None
    if key is None:  # packed with the query
        (key,) = _have(inputs[0])
        return key.shape[1]
    return key.shape[2 if len(key.shape) == 4 else 1]


def _attention(inputs: Tensors, outputs: Tensors) -> int:
    """Scores and their product with the values, without what a mask leaves out."""
    (y,) = _have(outputs[0])
    return 4 * _key_length(inputs, outputs) * y.size


def _attention_with_projection(inputs: Tensors, outputs: Tensors) -> int:
    """com.microsoft's Attention: X [batch, length, k] times W [k, 3 n] comes first."""
    x, w, y = _have(inputs[0], inputs[1], outputs[0])
    present = outputs[1] if len(outputs) > 1 else None
    length = present.shape[-2] if present is not None else x.shape[1]
    return 2 * x.shape[0] * x.shape[1] * w.size + 4 * length * y.size


def _either_attention(inputs: Tensors, outputs: Tensors) -> int:
    """ai.onnx and com.microsoft both have an Attention; the latter's second input is a matrix."""
    second = inputs[1] if len(inputs) > 1 else None
    matrix = second is not None and len(second.shape) == 2
    return (_attention_with_projection if matrix else _attention)(inputs, outputs)


_RULES: Final[dict[str, Rule]] = {
    **dict.fromkeys(("Conv", "FusedConv", "NhwcConv", "ConvInteger", "DeformConv"), _convolution(1)),
    "QLinearConv": _convolution(3),
    "ConvTranspose": _transposed_convolution,
    **dict.fromkeys(
        ("MatMul", "FusedMatMul", "Gemm", "FusedGemm", "MatMulInteger", "QLinearMatMul", "QGemm"), _product
    ),
    **dict.fromkeys(("MatMulIntegerToFloat", "DynamicQuantizeMatMul"), _product),
    **dict.fromkeys(("MatMulNBits", "MatMulBnb4"), _product_with_packed),
    **dict.fromkeys(("LSTM", "GRU", "RNN", "DynamicQuantizeLSTM"), _recurrent),
    **dict.fromkeys(("Attention", "QAttention"), _either_attention),
    **dict.fromkeys(("MultiHeadAttention", "GroupQueryAttention"), _attention),
}
