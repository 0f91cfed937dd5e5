"""The conformance tools themselves: tolerance classes, comparison, and crashes that cost one case only."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest

from tests.conformance import runner
from tests.conformance.cases import Case, load_cases
from tests.conformance.compare import Mismatch, assert_outputs
from tests.conformance.tolerances import CLOSE, EXACT, HALF, bound, choose, quant, reduced, ulp


@pytest.mark.parametrize(
    ("operator", "dtype", "expected"),
    [
        ("Transpose", "float32", EXACT),
        ("Add", "bfloat16", EXACT),
        ("Exp", "float64", CLOSE),
        ("Exp", "float16", HALF),
        ("Cast", "float8_e4m3fn", EXACT),
        ("(several)", "int64", EXACT),
        ("QLinearConv", "uint8", quant(1)),
        ("MatMul", "float32", reduced(16)),
    ],
)
def test_choice_of_tolerance(operator: str, dtype: str, expected: object) -> None:
    assert choose(operator, dtype, "wasm") == expected


def test_bounds() -> None:
    x = np.array([0.0, -8.0])
    single = np.dtype(np.float32)
    eps = float(np.finfo(np.float32).eps)
    assert bound(EXACT, x, single, 1e-3, 1e-7).tolist() == [0, 0]
    assert bound(ulp(4), x, single, 1e-3, 1e-7).tolist() == [0, 32 * eps]
    assert bound(CLOSE, x, single, 1e-3, 1e-7) == pytest.approx([1e-7, 8e-3 + 1e-7])
    assert bound(reduced(100), x, single, 0, 0) == pytest.approx([800 * eps, 800 * eps])
    assert bound(quant(1), x, np.dtype(np.int8), 1e-3, 1e-7).tolist() == [1, 1]


def compare(got: Any, want: Any, operator: str = "Exp") -> None:
    assert_outputs([got], [want], operator=operator, backend="wasm", rtol=1e-3, atol=1e-7)


def test_equal_outputs_pass() -> None:
    compare(np.array([np.nan, np.inf, -0.0]), np.array([np.nan, np.inf, 0.0]))
    compare([np.zeros(2), np.ones((0, 3))], [np.zeros(2), np.ones((0, 3))])
    compare(np.array(["a"], dtype=object), np.array(["a"]))
    compare(np.array([1, 2.01], ml_dtypes.bfloat16), np.array([1, 2], ml_dtypes.bfloat16))
    compare(None, None)


@pytest.mark.parametrize(
    ("got", "want", "kind", "message"),
    [
        (np.zeros(3), np.zeros(4), "shape", "shape [3], expected [4]"),
        (np.zeros(3), np.zeros(3, np.float32), "dtype", "float64, expected float32"),
        (np.array([1.0, 3.0]), np.array([1.0, 2.0]), "values", "1 of 2 values beyond close, at [1]: 3.0, expected 2.0"),
        (np.array([np.inf]), np.array([1.0]), "values", "inf, expected 1.0"),
        (np.array([2, 1]), np.array([1, 1]), "values", "at [0]: 2, expected 1"),
        (np.array(["b"], dtype=object), np.array(["a"], dtype=object), "values", "b, expected a"),
        ([np.zeros(1)], [np.zeros(1)] * 2, "count", "1 items, expected 2"),
        (np.zeros(1), None, "type", "a tensor of float64, expected an empty optional"),
    ],
)
def test_differences_are_told(got: Any, want: Any, kind: str, message: str) -> None:
    with pytest.raises(Mismatch) as caught:
        compare(got, want)
    assert caught.value.kind == kind
    assert message in str(caught.value)


class Fragile:
    """Ends the process, or raises, for certain models; gives zeros for the rest."""

    def __init__(self, model: bytes) -> None:
        self.name = onnx.load_from_string(model).graph.name

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        if self.name == "test_ceil":
            os.kill(os.getpid(), signal.SIGKILL)
        return [np.ceil(inputs[0])]


def test_a_crash_costs_one_case(monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[Case] = [c for c in load_cases() if c.name in {"test_ceil", "test_ceil_example", "test_exp"}]
    monkeypatch.setitem(runner.BACKENDS, "fragile", lambda: Fragile)
    outcomes = {cases[o.index].name: o for o in runner.run_isolated(cases, "fragile", jobs=1)}
    assert outcomes["test_ceil"].reason == "crash"
    assert "SIGKILL" in outcomes["test_ceil"].message
    assert outcomes["test_ceil_example"].passed
    assert outcomes["test_exp"].reason == "wrong values"
