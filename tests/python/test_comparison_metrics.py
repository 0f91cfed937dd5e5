"""How far two values are apart: every kind of value, and the numbers that are said of it."""

from __future__ import annotations

import json
import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from onnxlet import RawTensor
from onnxlet.comparison import Difference, Tolerance, compare_values, metrics


def difference(actual: Any, expected: Any, **tolerance: Any) -> Difference:
    return compare_values("y", actual, expected, Tolerance(**tolerance))


def floats(*values: float, dtype: Any = np.float32) -> Any:
    return np.array(values, dtype)


def test_equal_arrays() -> None:
    found = difference(floats(1, -2, 0), floats(1, -2, 0))
    assert found.agrees and (found.elements, found.differing, found.beyond) == (3, 0, 0)
    assert (found.max_abs, found.mean_abs, found.max_rel, found.of_largest, found.max_ulp) == (0, 0, 0, 0, 0)
    assert found.cosine == pytest.approx(1) and found.worst is None and found.error == 0
    assert found.actual == found.expected == "float[3]"


def test_the_numbers_of_a_difference() -> None:
    found = difference(np.array([[1.0, 2.5], [0.5, 4.0]]), np.array([[1.0, 2.0], [0.0, 4.0]]))
    assert not found.agrees and (found.elements, found.differing, found.beyond) == (4, 2, 2)
    assert (found.max_abs, found.mean_abs, found.max_rel, found.of_largest) == (0.5, 0.25, 0.25, 0.125)
    assert found.cosine == pytest.approx((1 + 5 + 16) / math.sqrt((1 + 6.25 + 0.25 + 16) * (1 + 4 + 16)))
    assert found.worst == metrics.Worst("[0, 1]", "2.5", "2.0")


def test_nan_and_infinity() -> None:
    inf, nan = math.inf, math.nan
    found = difference(floats(nan, nan, 1, inf, inf, -inf, 1), floats(nan, 1, nan, inf, -inf, -inf, 1))
    assert (found.nan_mismatches, found.inf_mismatches, found.differing, found.beyond) == (2, 1, 3, 3)
    assert found.max_abs == 0 and found.error == inf
    assert found.worst == metrics.Worst("[1]", "nan", "1.0")
    assert difference(floats(nan, inf), floats(nan, inf)).agrees
    assert difference(floats(nan), floats(nan)).max_abs is None


@pytest.mark.parametrize(
    "dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]
)
def test_steps_between_floats(dtype: Any) -> None:
    kind = np.dtype(dtype)
    one = np.array([1, -1, 0, -0.0], kind)
    codes = one.view(f"u{kind.itemsize}") + np.array([3, 2, 1, 4], f"u{kind.itemsize}")
    assert difference(codes.view(kind), one).max_ulp == 4
    smallest = np.array([1], f"u{kind.itemsize}").view(kind)
    assert difference(-smallest, smallest).max_ulp == 2


def test_the_far_ends_of_float64_are_steps_apart_that_fit_no_int64() -> None:
    most = np.finfo(np.float64).max
    found = difference(floats(-most, dtype=np.float64), floats(most, dtype=np.float64))
    assert found.max_ulp == 2 * 0x7FEFFFFFFFFFFFFF
    assert found.error == math.inf


@pytest.mark.parametrize("dtype", ["float8_e8m0fnu", "float4_e2m1fn", "int4", "uint4", "int2"])
def test_narrow_types(dtype: str) -> None:
    kind = np.dtype(getattr(ml_dtypes, dtype))
    found = difference(np.array([1, 1], kind), np.array([1, 0.5 if "float" in dtype else 0], kind))
    assert found.differing == 1
    assert found.max_abs == (0.5 if "float" in dtype else 1)
    assert found.max_ulp == (1 if "float" in dtype else None)


def test_integers_are_compared_exactly() -> None:
    big = 2**62
    found = difference(np.array([big + 1, 5]), np.array([big, 5]))
    assert (found.differing, found.max_abs, found.agrees, found.max_ulp) == (1, 1, False, None)
    assert difference(np.array([big + 1]), np.array([big]), steps=1).agrees
    ends = difference(np.array([np.iinfo(np.int64).min]), np.array([np.iinfo(np.int64).max]))
    assert ends.max_abs == pytest.approx(2.0**64)
    assert difference(np.array([3, 250], np.uint8), np.array([250, 3], np.uint8)).max_abs == 247


def test_booleans_have_no_tolerance() -> None:
    found = difference(np.array([True, False]), np.array([True, True]), steps=1, relative=10)
    assert not found.agrees and found.beyond == 1


def test_complex_numbers() -> None:
    found = difference(np.array([1 + 1j, 2]), np.array([1 + 1j, 2 + 4j], np.complex128))
    assert found.max_abs == 4 and found.worst is not None and found.worst.where == "[1]"


def test_strings() -> None:
    found = difference(np.array(["a", "b", "c"], object), np.array(["a", "x", "y"]))
    assert not found.agrees and (found.elements, found.differing, found.beyond) == (3, 2, 2)
    assert found.worst == metrics.Worst("[1]", "b", "x") and found.error == math.inf
    assert found.actual == found.expected == "string[3]"
    assert difference(np.array(["a"], object), np.array(["a"])).error == 0


def test_shapes_and_types() -> None:
    found = difference(floats(1, 2), floats(1, 2, 3))
    assert (found.problems, found.agrees, found.elements) == (("shape [2] against [3]",), False, 0)
    found = difference(np.array([1.5], np.float16), floats(2))
    assert found.problems == ("element type float16 against float",) and not found.agrees
    assert found.max_abs == 0.5 and found.max_ulp is None
    assert difference(np.array([1]), np.array(["a"])).problems == ("element type int64 against string",)


def test_sequences_maps_and_optionals() -> None:
    actual = [{"cat": 0.5, "dog": 0.5}, {"cat": 1.0, "dog": 0.25}]
    expected = [{"cat": 0.5, "dog": 0.5}, {"cat": 1.0, "dog": 0.0}]
    found = difference(actual, expected)
    assert (found.elements, found.differing, found.max_abs) == (4, 1, 0.25)
    assert found.worst == metrics.Worst("[1]['dog'][]", "0.25", "0.0") and found.actual == "sequence of 2"
    assert difference([1.0], [1.0, 2.0]).problems == ("1 items against 2",)
    assert difference({"a": 1}, {"b": 1}).problems == ("keys are missing: ['b'], and there are others: ['a']",)
    assert difference([{"a": 1}, [2]], [{"a": 1}, {"a": 2}]).problems == ("[1]: sequence of 1 against map of 1",)
    assert difference(None, None).agrees
    assert difference(None, floats(1)).problems == ("an empty optional against float[1]",)


def test_many_problems_are_cut_short() -> None:
    found = difference([floats(1)] * 15, [floats(1, 2)] * 15)
    assert len(found.problems) == 11 and found.problems[-1] == "... and 5 more"


def test_empty_tensors_and_scalars() -> None:
    empty = np.zeros((0, 3), np.float32)
    assert difference(empty, empty).agrees and difference(empty, empty).max_abs is None
    found = difference(np.float32(1), np.float32(2))
    assert found.worst == metrics.Worst("[]", "1.0", "2.0")


def test_raw_tensors_are_read() -> None:
    raw = RawTensor("float", [2], np.array([1, 2], np.float32))
    assert difference(raw, floats(1, 2)).agrees


@pytest.mark.parametrize(
    ("error", "tolerance", "agrees"),
    [
        (0.9e-2, {}, True),  # 1e-3 of the largest, which is 10
        (1.1e-2, {}, False),
        (1.1e-2, {"relative": 2e-3}, True),
        (0.9e-2, {"relative": 1e-3, "absolute": 1e-3}, False),  # 1e-3 + 1e-3 * 1, element by element
        (1.9e-3, {"relative": 1e-3, "absolute": 1e-3}, True),
        (1e-6, {"relative": 0}, False),
    ],
)
def test_the_tolerance_of_floats(error: float, tolerance: dict[str, float], agrees: bool) -> None:
    actual, expected = np.array([1 + error, 10]), np.array([1, 10.0])
    assert difference(actual, expected, **tolerance).agrees is agrees


def test_coarse_types_may_round_once() -> None:
    one = np.array([1], ml_dtypes.bfloat16)
    step = np.array([1 + 2**-7], ml_dtypes.bfloat16)
    assert difference(step, one).agrees and not difference(step, one, relative=1e-3).agrees


def test_large_tensors_are_compared_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    b = rng.standard_normal((7, 31)).astype(np.float32)
    a = b + rng.standard_normal(b.shape).astype(np.float32) * 1e-3
    a[5, 7], a[0, 0] = np.nan, 9
    whole = difference(a, b)
    monkeypatch.setattr(metrics, "_BLOCK", 10)
    blocks = difference(a, b)
    assert blocks.worst == whole.worst == metrics.Worst("[5, 7]", "nan", str(b[5, 7]))
    for key in ("differing", "beyond", "max_abs", "max_rel", "of_largest", "max_ulp"):
        assert getattr(blocks, key) == getattr(whole, key)
    assert blocks.mean_abs == pytest.approx(whole.mean_abs) and blocks.cosine == pytest.approx(whole.cosine)


def test_json_has_no_infinities() -> None:
    document = difference(floats(1), floats(0)).to_json()
    assert document["of_largest"] == "inf" and document["worst"]["expected"] == "0.0"
    json.dumps(document, allow_nan=False)
    json.dumps(difference(floats(math.nan), floats(0)).to_json(), allow_nan=False)


def test_the_tolerance_in_words() -> None:
    assert str(Tolerance()) == "floats: 0.001, or two steps of coarser types, of the largest value; integers: 0"
    assert str(Tolerance(1e-5, 1e-8, 1)) == "floats: 1e-08 + 1e-05 of the value; integers: 1"


def test_one_number_for_a_difference() -> None:
    """What bench and the order of layers go by."""
    a = np.array([1.0, 2.0, np.nan, np.inf], np.float32)
    assert difference(a, a).error == 0
    assert difference(np.array([1.0, 2.5]), np.array([1.0, 2.0])).error == 0.25
    assert difference(a, np.array([1.0, 2.0, 0.0, np.inf], np.float32)).error == math.inf
    assert difference(a, a[:2]).error == difference(a, {"k": a}).error == difference([a], [a, a]).error == math.inf
    assert difference({"k": [1, 2]}, {"k": [1, 2]}).error == difference("x", "x").error == 0
    assert difference("x", "y").error == math.inf
    assert difference(np.array([True]), np.array([False])).error == math.inf
    assert difference(np.array([False]), np.array([True])).error == 1
