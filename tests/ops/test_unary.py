"""Functions of one element and activations against onnx.reference and onnxruntime."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model, run
from tests.ops.strategies import arrays

FLOATS = (np.float32, np.float64, np.float16)
INTS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softplus(x: Any) -> Any:
    return np.logaddexp(0, x)


def elu(x: Any, alpha: float) -> Any:
    return np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x)


erf = np.vectorize(math.erf, otypes=[np.float64])

# operator: the opset of its last version, the function in double precision
MATH: dict[str, tuple[int, Callable[[Any], Any]]] = {
    **{
        name: (13, getattr(np, name.lower()))
        for name in ["Abs", "Ceil", "Floor", "Sqrt", "Exp", "Log", "Tanh", "Reciprocal", "Sign"]
    },
    **{name: (22, getattr(np, name.lower())) for name in ["Sin", "Cos", "Tan", "Sinh", "Cosh"]},
    **{
        name: (22, getattr(np, "arc" + name[1:].lower()))
        for name in ["Asin", "Acos", "Atan", "Asinh", "Acosh", "Atanh"]
    },
    "Neg": (13, np.negative),
    "Erf": (13, erf),
    "Relu": (13, lambda x: np.maximum(x, 0)),
    "Sigmoid": (13, sigmoid),
    "Round": (22, np.rint),
    "Softplus": (22, softplus),
    "Softsign": (22, lambda x: x / (1 + np.abs(x))),
    "Mish": (22, lambda x: x * np.tanh(softplus(x))),
    "HardSwish": (22, lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
}
WITH_ATTRIBUTES: list[tuple[str, int, dict[str, Any], Callable[[Any], Any]]] = [
    ("LeakyRelu", 16, {"alpha": 0.3}, lambda x: np.where(x < 0, 0.3 * x, x)),
    ("LeakyRelu", 6, {}, lambda x: np.where(x < 0, 0.01 * x, x)),
    ("Elu", 22, {"alpha": 1.5}, lambda x: elu(x, 1.5)),
    ("Selu", 22, {}, lambda x: 1.0507010221481323 * elu(x, 1.6732631921768188)),
    ("Selu", 1, {}, lambda x: 1.0507 * elu(x, 1.6732)),
    ("Selu", 22, {"alpha": 1.1, "gamma": 2.0}, lambda x: 2 * elu(x, 1.1)),
    ("Celu", 28, {"alpha": 0.7}, lambda x: 0.7 * elu(x / 0.7, 1)),
    ("ThresholdedRelu", 22, {"alpha": 0.5}, lambda x: np.where(x > 0.5, x, 0)),
    ("HardSigmoid", 22, {"alpha": 0.3, "beta": 0.4}, lambda x: np.clip(0.3 * x + 0.4, 0, 1)),
    ("HardSigmoid", 1, {}, lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
    ("Gelu", 20, {}, lambda x: 0.5 * x * (1 + erf(x / np.sqrt(2)))),
    (
        "Gelu",
        20,
        {"approximate": "tanh"},
        lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    ),
    ("Swish", 24, {"alpha": 0.5}, lambda x: x * sigmoid(0.5 * x)),
    ("Shrink", 9, {"bias": 0.3, "lambd": 0.8}, lambda x: np.where(x < -0.8, x + 0.3, np.where(x > 0.8, x - 0.3, 0))),
]
CASES: list[tuple[str, int, dict[str, Any], Callable[[Any], Any]]] = [
    (name, since, {}, function) for name, (since, function) in MATH.items()
] + WITH_ATTRIBUTES


@pytest.mark.parametrize(("op", "since", "attributes", "function"), CASES, ids=lambda v: "" if callable(v) else str(v))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@given(data=st.data())
def test_function_on_any_shape(
    backend: Prepare,
    op: str,
    since: int,
    attributes: dict[str, Any],
    function: Callable[[Any], Any],
    data: st.DataObject,
) -> None:
    dtype = data.draw(st.sampled_from(FLOATS))
    x = data.draw(arrays(dtype, special=False))  # infinities and NaN are checked below
    want = np.asarray(function(x.astype(np.float64)) if x.size else x).astype(dtype)
    check(backend, op, [x], opset=since, oracle=[want], rtol=2e-5, atol=2e-6, **attributes)


@pytest.mark.parametrize("op", MATH)
def test_bfloat16(backend: Prepare, op: str) -> None:
    since = MATH[op][0]
    x = np.linspace(0.1, 0.9, 35).astype(ml_dtypes.bfloat16)
    wide = run(backend, make_model(op, [x.astype(np.float32)], opset=since), [x.astype(np.float32)])[0]
    got = run(backend, make_model(op, [x], opset=since), [x])[0]
    np.testing.assert_array_equal(got.astype(np.float32), wide.astype(ml_dtypes.bfloat16).astype(np.float32))


LIMITS = {
    "Exp": ([-np.inf, np.inf, -104, 89, -90], [0, np.inf, 0, np.inf, np.exp(-90.0)]),
    "Log": ([0, -1, np.inf, 1e-40], [-np.inf, np.nan, np.inf, np.log(np.float64(np.float32(1e-40)))]),
    "Tanh": ([-np.inf, np.inf, 1e-20, -0.0], [-1, 1, 1e-20, -0.0]),
    "Sigmoid": ([-np.inf, np.inf, -88, -86, 0], [0, 1, 0, np.exp(-86.0), 0.5]),
    "Erf": ([-np.inf, np.inf, 1e-20], [-1, 1, 1.1283792e-20]),
    "Softplus": ([-np.inf, np.inf, 200, -86, -90], [0, np.inf, 200, np.exp(-86.0), 0]),
    "Mish": ([40, -1e4], [40, -0.0]),
    "Elu": ([-np.inf, np.inf, 1e-12, -1e-12], [-1, np.inf, 1e-12, -1e-12]),
    "Sin": ([0, -0.0, 0, -0.0, 1e5, 3e8], [0, -0.0, 0, -0.0, np.sin(1e5), np.sin(3e8)]),
    "Cos": ([0, 1e5, 3e8], [1, np.cos(1e5), np.cos(3e8)]),
    "Acosh": ([-np.inf, -1e20, -4e4, -10001, -1, 0.5, 1, np.inf], [np.nan] * 6 + [0, np.inf]),
    "Relu": ([-np.inf, np.inf], [0, np.inf]),
    "Round": ([0.5, 1.5, 2.5, -0.5, 8388609], [0, 2, 2, -0.0, 8388609]),
}


@pytest.mark.parametrize("op", LIMITS)
def test_limits(backend: Prepare, op: str) -> None:
    x, want = (np.array([*side, np.nan], np.float32) for side in LIMITS[op])
    (got,) = run(backend, make_model(op, [x], opset=22), [x])
    np.testing.assert_allclose(got, want, rtol=1e-6)
    np.testing.assert_array_equal(np.signbit(got[:-1]), np.signbit(want[:-1]))


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("op", ["Abs", "Neg", "Sign", "Relu", "BitwiseNot", "Clip"])
def test_integers(backend: Prepare, op: str, dtype: Any) -> None:
    info = np.iinfo(dtype)
    if op in ("Neg", "Relu") and info.min == 0:
        pytest.skip("not allowed by the specification")
    if op == "Relu" and dtype not in (np.int8, np.int16, np.int32, np.int64):
        pytest.skip("not allowed by the specification")
    x = np.array([info.min, info.max, 0, 1, 5, 100, info.max - 1], dtype)
    rest = [np.array(3, dtype), np.array(101, dtype)] if op == "Clip" else []
    check(backend, op, [x, *rest], opset=18)


def test_clip_forms(backend: Prepare) -> None:
    x = np.array([-np.inf, -3, 0, 2, 9, np.inf, np.nan], np.float32)
    for dtype in FLOATS:
        lo, hi = np.array(-1, dtype), np.array(4, dtype)
        bounds: list[list[Any]] = [[lo, hi], [lo], [None, hi], [hi, lo], []]
        for rest in bounds:
            y = x.astype(dtype)
            want: Any = y
            if rest and rest[0] is not None:
                want = np.maximum(want, rest[0])
            if len(rest) > 1:
                want = np.minimum(want, rest[1])
            check(backend, "Clip", [y, *rest], opset=13, oracle=[want])
    check(backend, "Clip", [x[1:5]], opset=6, min=-1.0, max=4.0, oracle=[np.array([-1, 0, 2, 4], np.float32)])
    check(backend, "Clip", [x[1:5]], opset=6, max=1.0, oracle=[np.array([-3, 0, 1, 1], np.float32)])


@pytest.mark.parametrize("op", ["Relu", "Tanh", "Sigmoid", "Exp", "Abs"])
def test_first_opset(backend: Prepare, op: str) -> None:
    x = np.array([-1.5, 0, 2], np.float32)
    want = run(backend, make_model(op, [x], opset=13), [x])
    check(backend, op, [x], opset=1, consumed_inputs=[0], oracle=want)


def test_predicates(backend: Prepare) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0, -1], np.float32)
    for dtype in (*FLOATS, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2):
        y = x.astype(dtype)
        check(backend, "IsNaN", [y], opset=20, oracle=[np.isnan(x)])
        check(backend, "IsInf", [y], opset=20, oracle=[np.isinf(x)])
        check(backend, "IsInf", [y], opset=20, detect_negative=0, oracle=[x == np.inf])
        check(backend, "IsInf", [y], opset=20, detect_positive=0, oracle=[x == -np.inf])


def test_swiglu(backend: Prepare) -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 7, 33)).astype(np.float32)
    check(backend, "SwiGLU", [a, b], opset=28, alpha=1.5, oracle=[a / (1 + np.exp(-1.5 * a)) * b], rtol=1e-5)


@pytest.mark.parametrize("op", ["Gelu", "FastGelu", "BiasGelu", "QuickGelu"])
@pytest.mark.parametrize("shape", [(3, 33), (2, 5, 8), (0, 4), (1,)])
def test_gelu_contrib(backend: Prepare, op: str, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).normal(0, 3, shape).astype(np.float32)
    rest = [np.linspace(-1, 1, shape[-1]).astype(np.float32)] if op in ("FastGelu", "BiasGelu") else []
    check(
        backend,
        op,
        [x, *rest],
        domain="com.microsoft",
        outputs=[np.float32],
        oracle="onnxruntime",
        rtol=1e-5,
        atol=1e-6,
    )
    if op == "FastGelu":
        check(
            backend, op, [x], domain="com.microsoft", outputs=[np.float32], oracle="onnxruntime", rtol=1e-5, atol=1e-6
        )


def test_bias_split_gelu(backend: Prepare) -> None:
    x = np.random.default_rng(2).normal(size=(2, 3, 10)).astype(np.float32)
    bias = np.linspace(-1, 1, 10).astype(np.float32)
    left, right = np.split(x + bias, 2, axis=-1)
    want = left * 0.5 * right * (1 + erf(right / np.sqrt(2)))
    check(
        backend,
        "BiasSplitGelu",
        [x, bias],
        domain="com.microsoft",
        outputs=[np.float32],
        oracle=[want.astype(np.float32)],
    )
