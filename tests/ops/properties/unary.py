"""Functions of one element, against double precision and the formulas of the specification."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.ops.properties.registry import Draw, Sample, prop
from tests.ops.strategies import kind_of

erf = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softplus(x: Any) -> Any:
    return np.logaddexp(0, x)


def elu(x: Any, alpha: float) -> Any:
    return np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{n: getattr(np, n.lower()) for n in ["Ceil", "Floor", "Sqrt", "Exp", "Log", "Tanh", "Sin", "Cos", "Tan", "Sinh", "Cosh"]},
    **{n: getattr(np, "arc" + n[1:].lower()) for n in ["Asin", "Acos", "Atan", "Asinh", "Acosh", "Atanh"]},
    "Reciprocal": lambda x: 1 / x,
    "Erf": erf,
    "Sigmoid": sigmoid,
    "Round": np.rint,
    "Softplus": softplus,
    "Softsign": lambda x: np.where(np.isinf(x), np.sign(x), x / (1 + np.abs(x))) if np.isfinite(x).all() else x / (1 + np.abs(x)),
    "Mish": lambda x: x * np.tanh(softplus(x)),
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
}  # fmt: skip
WITH_ATTRIBUTES: dict[str, Callable[..., Any]] = {
    "LeakyRelu": lambda x, alpha: np.where(x < 0, alpha * x, x),
    "Elu": elu,
    "Selu": lambda x, alpha, gamma: gamma * elu(x, alpha),
    "Celu": lambda x, alpha: np.maximum(x, 0) + np.minimum(0, alpha * np.expm1(x / alpha)),
    "ThresholdedRelu": lambda x, alpha: np.where(x > alpha, x, 0),
    "HardSigmoid": lambda x, alpha, beta: np.clip(alpha * x + beta, 0, 1),
    "Swish": lambda x, alpha: x * sigmoid(alpha * x),
    "Shrink": lambda x, bias, lambd: np.where(x < -lambd, x + bias, np.where(x > lambd, x - bias, 0)),
}
EXACT_IN_EVERY_TYPE: dict[str, Callable[..., Any]] = {
    "Abs": np.abs,
    "Neg": np.negative,
    "Sign": np.sign,
    "Relu": lambda x: np.maximum(x, np.zeros((), x.dtype)),
}


def wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64)


def consumed(d: Draw) -> dict[str, Any]:
    """Version 1 of many operators had a hint about memory that means nothing."""
    return {"consumed_inputs": [0]} if d.has("consumed_inputs") and d.flag() else {}


@prop(" ".join(FUNCTIONS))
def function(d: Draw) -> Sample:
    kinds = d.dtype("T")
    x = d.array(kinds)
    if kind_of(kinds) in "iu":  # Erf of integers is the nearest integer below
        return Sample([x], consumed(d), [FUNCTIONS[d.operator](wide(x)).astype(kinds)])
    return Sample([x], consumed(d), [np.asarray(FUNCTIONS[d.operator](wide(x))).astype(kinds)])


@prop(" ".join(WITH_ATTRIBUTES))
def function_with_attributes(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.array(dtype)
    attributes = consumed(d)
    low = 0.125 if d.operator == "Celu" else -2
    values = {
        name: d.attribute(name, st.floats(low, 2, width=32), attributes)
        for name in ("alpha", "beta", "gamma", "bias", "lambd")
        if d.has(name)
    }
    if d.operator == "Shrink" and kind_of(dtype) in "iu":
        values = {name: float(abs(int(value))) for name, value in values.items()}
        attributes = dict(values)
        info = np.iinfo(dtype)
        x = d.plain(dtype, low=max(-50, info.min + 2), high=min(50, info.max - 2))
    values = {name: float(np.float32(value)) for name, value in values.items()}
    return Sample([x], attributes, [np.asarray(WITH_ATTRIBUTES[d.operator](wide(x), **values)).astype(dtype)])


@prop(" ".join(EXACT_IN_EVERY_TYPE))
def exact_function(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.array(dtype)
    return Sample([x], consumed(d), [np.asarray(EXACT_IN_EVERY_TYPE[d.operator](x)).astype(dtype)])


@prop("Gelu")
def gelu(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.array(dtype, special=False)
    attributes: dict[str, Any] = {}
    how = d.attribute("approximate", st.sampled_from(["none", "tanh"]), attributes)
    w = wide(x)
    inner = np.tanh(np.sqrt(2 / np.pi) * (w + 0.044715 * w**3)) if how == "tanh" else erf(w / np.sqrt(2))
    return Sample([x], attributes, [np.asarray(0.5 * w * (1 + inner)).astype(dtype)])


@prop("SwiGLU")
def swiglu(d: Draw) -> Sample:
    dtype, shape = d.dtype("T"), d.shape()
    a, b = d.array(dtype, shape, special=False), d.array(dtype, shape, special=False)
    attributes: dict[str, Any] = {}
    alpha = d.attribute("alpha", st.floats(-2, 2, width=32), attributes)
    return Sample([a, b], attributes, [np.asarray(wide(a) * sigmoid(alpha * wide(a)) * wide(b)).astype(dtype)])


@prop("Not")
def negation(d: Draw) -> Sample:
    x = d.array(np.bool_)
    return Sample([x], answer=[~x])


@prop("BitwiseNot")
def bitwise_not(d: Draw) -> Sample:
    x = d.array(d.dtype("T"))
    return Sample([x], answer=[~x])


@prop("IsNaN")
def is_nan(d: Draw) -> Sample:
    x = d.array(d.dtype("T1"))
    return Sample([x], answer=[np.isnan(x.astype(np.float64))])


@prop("IsInf")
def is_inf(d: Draw) -> Sample:
    x = d.array(d.dtype("T1"))
    attributes: dict[str, Any] = {}
    negative = d.attribute("detect_negative", st.integers(0, 1), attributes)
    positive = d.attribute("detect_positive", st.integers(0, 1), attributes)
    w = wide(x)
    return Sample([x], attributes, [((w == np.inf) & bool(positive)) | ((w == -np.inf) & bool(negative))])


@prop("Clip", until=6)
def clip_with_attributes(d: Draw) -> Sample:
    x = d.array(d.dtype("T"))
    attributes = consumed(d)
    low = d.attribute("min", st.floats(-4, 2, width=32), attributes)
    high = d.attribute("max", st.floats(-2, 4, width=32), attributes)
    want = wide(x)
    if low is not None:
        want = np.maximum(want, low)
    if high is not None:
        want = np.minimum(want, high)
    return Sample([x], attributes, [np.asarray(want).astype(x.dtype)])


@prop("Clip", since=11)
def clip(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.array(dtype)
    low = d.plain(dtype, (), -4, 3) if d.flag() else None
    high = d.plain(dtype, (), -3, 4) if d.flag() else None
    want = x
    if low is not None:
        want = np.where(want < low, low, want)
    if high is not None:  # the upper bound wins where they cross
        want = np.where(want > high, high, want)
    return Sample([x, low, high], answer=[np.asarray(want).astype(dtype)])


@prop("PRelu", until=6)
def prelu_by_channel(d: Draw) -> Sample:
    """The slope has one value, or one per channel: the second axis."""
    x = d.array(d.dtype("T"), d.shape(2, 4))
    slope = d.array(x.dtype, d.choice([(1,), (x.shape[1],)]), special=False)
    factor = slope if slope.size == 1 and x.shape[1] != 1 else slope.reshape(-1, *[1] * (x.ndim - 2))
    return Sample([x, slope], consumed(d), [np.asarray(np.where(x < 0, wide(x) * wide(factor), x)).astype(x.dtype)])


@prop("PRelu", since=7)
def prelu(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.array(dtype)
    slope_shape = tuple(d.choice([1, n]) for n in x.shape)[d.integer(0, x.ndim) :]
    slope = d.array(dtype, slope_shape, special=False)
    if kind_of(dtype) in "iu":
        return Sample([x, slope], answer=[np.asarray(np.where(x < 0, x * slope, x)).astype(dtype)])
    return Sample([x, slope], answer=[np.asarray(np.where(wide(x) < 0, wide(x) * wide(slope), wide(x))).astype(dtype)])
