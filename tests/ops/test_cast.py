"""Cast between every pair of types, strings included."""

from __future__ import annotations

import itertools
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import onnxlet
from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model, run

FLOATS: list[np.dtype[Any]] = [np.dtype(t) for t in (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)]
SMALL: list[np.dtype[Any]] = [
    np.dtype(t)
    for t in (
        ml_dtypes.float8_e4m3fn,
        ml_dtypes.float8_e4m3fnuz,
        ml_dtypes.float8_e5m2,
        ml_dtypes.float8_e5m2fnuz,
        ml_dtypes.float4_e2m1fn,
    )
]
INTS: list[np.dtype[Any]] = [
    np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
]
SUB_BYTE: list[np.dtype[Any]] = [
    np.dtype(t) for t in (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2)
]
BOOL: list[np.dtype[Any]] = [np.dtype(bool)]
ALL = FLOATS + SMALL + INTS + SUB_BYTE + BOOL


def number(dtype: np.dtype[Any]) -> int:
    return int(helper.np_dtype_to_tensor_dtype(dtype))


@pytest.mark.parametrize(("source", "target"), itertools.product(ALL, ALL), ids=str)
def test_values_both_types_hold(backend: Prepare, source: np.dtype[Any], target: np.dtype[Any]) -> None:
    x = np.array([0, 1, 0, 1, 1, 0, 0] * 40).astype(source)
    (got,) = run(backend, make_model("Cast", [x], opset=25, to=number(target), outputs=[target]), [x])
    assert got.dtype == target
    np.testing.assert_array_equal(got.astype(np.float32), x.astype(np.float32))


@pytest.mark.parametrize("target", [*FLOATS, *SMALL], ids=str)
@pytest.mark.parametrize("source", FLOATS, ids=str)
@pytest.mark.parametrize("saturate", [0, 1])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_float_rounding(backend: Prepare, source: np.dtype[Any], target: np.dtype[Any], saturate: int) -> None:
    rng = np.random.default_rng(0)
    wide = np.concatenate(
        [rng.normal(0, 10.0**e, 200) for e in range(-9, 7)] + [[0, -0.0, np.inf, -np.inf, 65504, 65520, 448, 464, 465]]
    )
    x = wide.astype(source)
    small8 = target in SMALL[:4]
    if source == target:
        want = x
    elif small8 and saturate:
        want = numpy_helper.saturate_cast(x, target)
    else:
        want = x.astype(target)
    (got,) = run(
        backend, make_model("Cast", [x], opset=24, to=number(target), outputs=[target], saturate=saturate), [x]
    )
    differ = got.astype(np.float64) != want.astype(np.float64)
    differ &= ~(np.isnan(got.astype(np.float64)) & np.isnan(want.astype(np.float64)))
    if source == np.float64 and target != np.float32:
        # numpy rounds some of these twice, through float.
        twice = wide.astype(np.float32) != wide
        differ &= ~twice if target != np.float16 else True
    assert not differ.any(), (x[differ][:5], got[differ][:5], want[differ][:5])


@pytest.mark.parametrize("source", INTS, ids=str)
@pytest.mark.parametrize("target", INTS + SUB_BYTE, ids=str)
def test_integers_keep_low_bits(backend: Prepare, source: np.dtype[Any], target: np.dtype[Any]) -> None:
    info = np.iinfo(source)
    x = np.array([info.min, info.max, 0, 1, 3, 100, info.max // 2, info.max // 3 * 2], source)
    bits = number(target)
    width = {
        int(TensorProto.INT4): 4,
        int(TensorProto.UINT4): 4,
        int(TensorProto.INT2): 2,
        int(TensorProto.UINT2): 2,
    }.get(bits, 8 * target.itemsize)
    signed = target in (np.int8, np.int16, np.int32, np.int64, ml_dtypes.int4, ml_dtypes.int2)
    low = [int(v) % (1 << width) for v in x]
    want = [v - (1 << width) if signed and v >= 1 << (width - 1) else v for v in low]
    (got,) = run(backend, make_model("Cast", [x], opset=25, to=bits, outputs=[target]), [x])
    assert [int(v) for v in got] == want


@pytest.mark.parametrize("source", FLOATS, ids=str)
@pytest.mark.parametrize("target", INTS + BOOL, ids=str)
def test_floats_truncate(backend: Prepare, source: np.dtype[Any], target: np.dtype[Any]) -> None:
    x = np.array([0.0, 0.4, 1.9, 100.0, 2.5] + ([-0.9, -1.9, -100.0] if target.kind == "i" else []) + [-0.0]).astype(
        source
    )
    check(
        backend,
        "Cast",
        [x],
        opset=24,
        to=number(target),
        outputs=[target],
        oracle=[x.astype(np.float64).astype(target)],
    )


def test_beyond_the_integer_range(backend: Prepare) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 3e9, -3e9, 300.0], np.float32)
    limits: Any = np.iinfo(np.int32)
    want = [0, limits.max, limits.min, limits.max, limits.min, 300]
    check(backend, "Cast", [x], to=TensorProto.INT32, oracle=[np.array(want, np.int32)])
    limits = np.iinfo(np.int64)
    want = [0, limits.max, limits.min, 3_000_000_000, -3_000_000_000, 300]
    check(backend, "Cast", [x], to=TensorProto.INT64, oracle=[np.array(want, np.int64)])


@pytest.mark.parametrize("source", INTS, ids=str)
@pytest.mark.parametrize("target", [np.float32, np.float64, np.float16])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_integers_to_floats(backend: Prepare, source: np.dtype[Any], target: Any) -> None:
    info = np.iinfo(source)
    x = np.array([info.min, info.max, info.max - 1, info.max // 2 + 1, 0, 7, 101], source)
    check(backend, "Cast", [x], to=number(np.dtype(target)), outputs=[target], oracle=[x.astype(target)])


def test_e8m0(backend: Prepare) -> None:
    x = np.array([0.0, 0.124, 0.25, 1.1, 1.5, 1.7, 3.3e38, 1e-39, np.inf, np.nan], np.float32)
    for mode, saturate in itertools.product(("up", "down", "nearest"), (0, 1)):
        want = numpy_helper.to_float8e8m0(x, bool(saturate), mode)
        how: dict[str, Any] = {"round_mode": mode, "saturate": saturate, "to": TensorProto.FLOAT8E8M0}
        (got,) = run(backend, make_model("Cast", [x], opset=24, outputs=[want.dtype], **how), [x])
        np.testing.assert_array_equal(got.view(np.uint8), want.view(np.uint8))


NUMBERS = [
    "3.14",
    "1000",
    "1e-5",
    "1E8",
    "+INF",
    "inf",
    "-INF",
    "NaN",
    " 7 ",
    "-0.0",
    "16777217",
    "0.1",
    "1e400",
    "123456789012345678901234567890",
]


@pytest.mark.parametrize("target", [np.float32, np.float64, np.float16])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_strings_to_floats(backend: Prepare, target: Any) -> None:
    x = np.array(NUMBERS, object)
    want = np.array([float(s) for s in NUMBERS]).astype(target)
    check(backend, "Cast", [x], to=number(np.dtype(target)), outputs=[target], oracle=[want])


def test_strings_to_integers(backend: Prepare) -> None:
    x = np.array(["-12", "100.5", "9223372036854775807", "+3"], object)
    check(backend, "Cast", [x], to=TensorProto.INT64, outputs=[np.int64], oracle=[np.array([-12, 100, 2**63 - 1, 3])])
    x = np.array(["True", "false", "1", "0", "0.5"], object)
    check(
        backend,
        "Cast",
        [x],
        to=TensorProto.BOOL,
        outputs=[np.bool_],
        oracle=[np.array([True, False, True, False, True])],
    )
    for text in ("Hello", "", "1.2.3", "--1", "1e"):
        with pytest.raises(onnxlet.Error, match=f'"{text}" is not a number'):
            run(
                backend,
                make_model("Cast", [np.array([text], object)], to=TensorProto.FLOAT, outputs=[np.float32]),
                [np.array([text], object)],
            )


@pytest.mark.parametrize("source", [np.float32, np.float64, np.float16, np.int8, np.int64, np.uint64, np.bool_])
def test_to_strings(backend: Prepare, source: Any) -> None:
    values = [0, 1, 100, 0.1, 3.14, 1e-5, 65000, 1e20, -2.5, np.inf, -np.inf, np.nan, 1 / 3]
    x = np.array([v for v in values if np.dtype(source).kind == "f" or (v == v and 0 <= v <= 100)]).astype(source)
    if source == np.float16:
        x = x[np.isfinite(x) & (x < 1000)]  # numpy writes larger ones as 6.5e+04
    check(backend, "Cast", [x], to=TensorProto.STRING, outputs=[object], oracle=[np.array([str(v) for v in x], object)])


def test_first_opset_names_the_type(backend: Prepare) -> None:
    x = np.array([1.5, -2], np.float32)
    check(backend, "Cast", [x], opset=1, to="INT32", outputs=[np.int32], oracle=[np.array([1, -2], np.int32)])
    check(backend, "Cast", [x], opset=6, to=TensorProto.DOUBLE, outputs=[np.float64], oracle=[x.astype(np.float64)])


def test_cast_like(backend: Prepare) -> None:
    x = np.array([[1.5, -2]], np.float32)
    check(backend, "CastLike", [x, np.zeros(0, np.int8)], opset=19, outputs=[np.int8], oracle=[x.astype(np.int8)])


def test_bit_cast(backend: Prepare) -> None:
    x = np.array([1.5, -0.0, np.inf], np.float32)
    for target in (np.int32, np.uint32):
        check(backend, "BitCast", [x], opset=26, to=number(np.dtype(target)), outputs=[target], oracle=[x.view(target)])
    with pytest.raises(onnxlet.Error, match="one width; float has 32 bits, int64 has 64"):
        run(backend, make_model("BitCast", [x], opset=26, to=TensorProto.INT64, outputs=[np.int64]), [x])
