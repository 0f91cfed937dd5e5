"""Arithmetic, logic, comparison and choice with broadcasting, and the broadcasting of versions before 7."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.properties.registry import Draw, Sample, prop, slack
from tests.ops.properties.unary import consumed, wide
from tests.ops.strategies import kind_of
from tests.ops.test_binary import shifted, truncated_quotient

ARITHMETIC: dict[str, Callable[..., Any]] = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}
LOGIC: dict[str, Callable[..., Any]] = {"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor}
COMPARISONS: dict[str, Callable[..., Any]] = {
    "Equal": np.equal,
    "Less": np.less,
    "Greater": np.greater,
    "LessOrEqual": np.less_equal,
    "GreaterOrEqual": np.greater_equal,
}
BITS: dict[str, Callable[..., Any]] = {
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
}


def arithmetic(operator: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if kind_of(a.dtype) == "f":
        return np.asarray(ARITHMETIC[operator](wide(a), wide(b))).astype(a.dtype)
    if operator == "Div":
        return truncated_quotient(a, b)
    return np.asarray(ARITHMETIC[operator](a, b)).astype(a.dtype)


def result(operator: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if operator in ARITHMETIC:
        return arithmetic(operator, a, b)
    return np.asarray({**LOGIC, **COMPARISONS, **BITS}[operator](a, b))


def operands(d: Draw, operator: str) -> np.dtype[Any]:
    return d.dtype("T")


def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(wide(a) ** wide(b)).astype(a.dtype)


@prop("Add Sub Mul Div And Or Xor Equal Less Greater Pow", until=6)
def limited_broadcasting(d: Draw) -> Sample:
    """Equal shapes, or with broadcast=1 a second operand that stands at `axis`, by default at the end."""
    dtype, shape = d.dtype("T"), d.shape(0, 4)
    attributes = consumed(d) if d.operator != "Pow" else {}
    b_shape, aligned = shape, shape
    if d.flag():
        attributes["broadcast"] = 1
        start = d.integer(0, len(shape))
        stop = d.integer(start, len(shape))
        if d.flag():
            stop = len(shape)
        b_shape = shape[start:stop]
        if stop < len(shape) or d.flag():
            attributes["axis"] = start
        aligned = b_shape + (1,) * (len(shape) - stop)
        if not b_shape and stop < len(shape):
            del attributes["axis"]
            aligned = ()
    positive = d.operator == "Pow"
    a = d.plain(dtype, shape, 0.25, 3) if positive else d.array(dtype, shape)
    b = d.plain(dtype, b_shape, -2, 2) if positive else d.array(dtype, b_shape)
    right = b.reshape(aligned)
    want = power(a, right) if positive else result(d.operator, a, right)
    return Sample([a, b], attributes, [want])


@prop("Add Sub Mul Div And Or Xor Equal Less Greater", since=7)
@prop("LessOrEqual GreaterOrEqual BitwiseAnd BitwiseOr BitwiseXor")
def broadcasting(d: Draw) -> Sample:
    a, b = d.arrays_that_broadcast(d.dtype("T"), 2)
    return Sample([a, b], answer=[result(d.operator, a, b)])


@prop("Pow", since=7)
def pow_of_types(d: Draw) -> Sample:
    base = d.dtype("T")
    other = base if d.version < 12 else d.dtype("T1")
    left, right = d.broadcastable(2)
    if kind_of(base) == "f":
        a = d.plain(base, left, 0.25, 3)
        b = d.plain(other, right, 0 if kind_of(other) == "u" else -2, 2)
    else:
        a, b = d.plain(base, left, -5, 5), d.plain(other, right, 0, 5)
        if kind_of(other) == "f":
            b = np.floor(wide(b)).astype(other)
    return Sample([a, b], answer=[power(a, b)], rtol=1e-4)


@prop("Mod")
def mod(d: Draw) -> Sample:
    """fmod=1 takes the dividend's sign, fmod=0 the divisor's; floats allow the latter from version 28."""
    dtype = d.dtype("T")
    a, b = d.arrays_that_broadcast(dtype, 2, special=False)
    attributes = {}
    if kind_of(dtype) == "f" and d.version < 28:
        attributes["fmod"] = 1
    elif d.flag():
        attributes["fmod"] = d.integer(0, 1)
    b = np.where(b == 0, np.array(1, dtype), b).astype(dtype)
    c = np.fmod if attributes.get("fmod") else np.mod
    if kind_of(dtype) == "f":
        return Sample([a, b], attributes, [np.asarray(c(wide(a), wide(b))).astype(dtype)])
    return Sample([a, b], attributes, [np.asarray(c(a, b)).astype(dtype)])


@prop("BitShift")
def bit_shift(d: Draw) -> Sample:
    dtype = d.dtype("T")
    bits = dtype.itemsize * 8
    a = d.array(dtype, (d.size(), 1))
    by = d.plain(dtype, (d.size(),), 0, bits - 1)
    direction = d.choice(["LEFT", "RIGHT"])
    want = shifted(a, by, bits, direction) if a.size * by.size else np.zeros((a.size, by.size), dtype)
    return Sample([a, by], {"direction": direction}, [want])


def fold(operator: str, inputs: list[np.ndarray]) -> np.ndarray:
    dtype = inputs[0].dtype
    same = kind_of(dtype) in "iu"
    values = inputs if same else [wide(x) for x in inputs]
    total = values[0]
    for value in values[1:]:
        total = {"Max": np.maximum, "Min": np.minimum, "Sum": np.add, "Mean": np.add}[operator](total, value)
    return np.asarray(total / len(inputs) if operator == "Mean" else total).astype(dtype)


@prop("Max Min Sum Mean", until=6)
def variadic_of_one_shape(d: Draw) -> Sample:
    dtype, shape = d.dtype("T"), d.shape()
    inputs = [d.array(dtype, shape) for _ in range(d.integer(1, 4))]
    return Sample(inputs, consumed(d), [fold(d.operator, inputs)], atol=slack(dtype, 8))


@prop("Max Min Sum Mean", since=8)
def variadic(d: Draw) -> Sample:
    inputs = d.arrays_that_broadcast(d.dtype("T"), d.integer(1, 4))
    return Sample(inputs, answer=[fold(d.operator, inputs)], atol=slack(inputs[0].dtype, 8))


@prop("Where")
def where(d: Draw) -> Sample:
    dtype = d.dtype("T")
    condition, left, right = d.broadcastable(3)
    c, a, b = d.array(np.bool_, condition), d.array(dtype, left), d.array(dtype, right)
    return Sample([c, a, b], answer=[np.where(c, a, b).astype(dtype)])
