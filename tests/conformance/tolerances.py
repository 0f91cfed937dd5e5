"""How close is close enough: one table from operator, element type and backend to a tolerance class.

The classes (`x` is the expected value, `eps` the spacing of its type at 1):

    exact       equal, NaN to NaN
    ulp(n)      |error| <= n * eps * |x|
    close       |error| <= atol + rtol * |x| of the test case
    reduced(k)  close, plus eps * k * max|x|: a sum of k terms in another order
    half        close, plus 2 * eps * max(|x|, mean|x|): results rounded to 16 bits or fewer on the way
    quant(lsb)  |error| <= lsb in the integer's own steps
    random      zeros and ones: which stands where is drawn anew by every engine
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Tolerance:
    """A tolerance class with its number."""

    kind: str
    amount: float = 0

    def __str__(self) -> str:
        return f"{self.kind}({self.amount:g})" if self.amount else self.kind


EXACT = Tolerance("exact")
CLOSE = Tolerance("close")
HALF = Tolerance("half", 2)
RANDOM = Tolerance("random")


def ulp(n: float) -> Tolerance:
    return Tolerance("ulp", n)


def reduced(k: float) -> Tolerance:
    return Tolerance("reduced", k)


def quant(lsb: float) -> Tolerance:
    return Tolerance("quant", lsb)


_MOVEMENT = (
    "BitCast CenterCropPad Compress Concat ConcatFromSequence Constant ConstantOfShape DepthToSpace Expand EyeLike "
    "Flatten Gather GatherElements GatherND Identity NonZero OneHot Pad Reshape ReverseSequence ScatterElements ScatterND "
    "SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert Shape Size Slice SpaceToDepth Split "
    "SplitToSequence Squeeze TensorScatter Tile Transpose Trilu Unique Unsqueeze Where"
)
# Correctly rounded by IEEE 754, or choosing among the inputs. Sum, Mean and Pow are not here: their order is free.
_ROUNDED = "Abs Add Ceil Clip Div Floor Max MaxPool Min Mul Neg ReduceMax ReduceMin Relu Round Sign Sqrt Sub TopK"
_SMALL_FLOATS = ("float16", "bfloat16", "float8_*", "float6_*", "float4_*")

# (operators, types, backends, class): the first row that matches counts. "*" is any; words are separated by spaces.
_TABLE: tuple[tuple[str, str, str, Tolerance], ...] = (
    ("QLinearConcat QLinearWhere", "*", "*", EXACT),
    ("QLinear* QGemm", "int8 uint8", "*", quant(1)),
    ("Resize Upsample", "int* uint*", "*", quant(1)),
    ("Bernoulli", "*", "*", RANDOM),
    ("*", "int* uint* bool object", "*", EXACT),
    (_MOVEMENT, "*", "*", EXACT),
    (_ROUNDED, "*", "*", EXACT),
    ("Cast CastLike QuantizeLinear", "*", "*", EXACT),
    ("*", " ".join(_SMALL_FLOATS), "*", HALF),
    ("MatMul Gemm Conv ConvTranspose DeformConv Einsum", "float32", "*", reduced(16)),
    ("RNN GRU LSTM DFT STFT MelWeightMatrix", "float32", "*", reduced(64)),
    ("(model)", "*", "*", reduced(64)),
    ("*", "*", "*", CLOSE),
)


def choose(operator: str, dtype: str, backend: str) -> Tolerance:
    """The class for an output of `operator` with elements of `dtype` (numpy's name) on `backend`."""
    for operators, dtypes, backends, tolerance in _TABLE:
        if all(
            any(fnmatch(v, p) for p in ps.split())
            for v, ps in ((operator, operators), (dtype, dtypes), (backend, backends))
        ):
            return tolerance
    raise AssertionError("the last row matches everything")


def epsilon(dtype: np.dtype[Any]) -> float:
    """Spacing of the type's values just above 1."""
    import ml_dtypes

    return float(ml_dtypes.finfo(dtype).eps)


def bound(tolerance: Tolerance, expected: np.ndarray, dtype: np.dtype[Any], rtol: float, atol: float) -> np.ndarray:
    """The largest allowed |error| per element. `expected` is float64 or wider; `dtype` is its original type."""
    size = np.abs(np.where(np.isfinite(expected), expected, 0))
    if tolerance.kind == "exact":
        return np.zeros_like(size)
    if tolerance.kind == "quant":
        return np.full_like(size, tolerance.amount)
    eps = epsilon(dtype)
    if tolerance.kind == "ulp":
        return tolerance.amount * eps * size
    base = atol + rtol * size
    if tolerance.kind == "reduced":
        return base + eps * tolerance.amount * size.max(initial=0)
    if tolerance.kind == "half":
        return base + tolerance.amount * eps * np.maximum(size, size.mean() if size.size else 0)
    return base
