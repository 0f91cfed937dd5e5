"""StringJoin of onnxruntime-extensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onnxlet
from tests.conformance.backends import Prepare
from tests.ops.harness import make_model, run


def join(backend: Prepare, x: Any, separator: Any = ("-",), axis: Any = (0,)) -> np.ndarray:
    inputs = [np.array(x, object), np.array(separator, object), np.array(axis, np.int64)]
    model = make_model("StringJoin", inputs, outputs=[np.str_], domain="ai.onnx.contrib")
    return np.asarray(run(backend, model, inputs)[0])


CUBE = [[["a", "b", "c"], ["d", "e", "f"]], [["g", "h", "i"], ["j", "ä", "日"]]]


@pytest.mark.parametrize(
    ("x", "axis", "expected"),
    [
        (["a", "b", "c"], 0, ["a-b-c"]),
        (["a"], 0, ["a"]),
        ("a", 0, ["a"]),
        ([["a", "b"], ["c", "d"]], 0, ["a-c", "b-d"]),
        ([["a", "b"], ["c", "d"]], 1, ["a-b", "c-d"]),
        (CUBE, 1, [["a-d", "b-e", "c-f"], ["g-j", "h-ä", "i-日"]]),
        (CUBE, -1, [["a-b-c", "d-e-f"], ["g-h-i", "j-ä-日"]]),
        (np.zeros((0,), object), 0, [""]),
        (np.zeros((2, 0), object), 1, ["", ""]),
    ],
)
def test_join(backend: Prepare, x: Any, axis: int, expected: Any) -> None:
    assert join(backend, x, axis=[axis]).tolist() == expected


def test_no_separator(backend: Prepare) -> None:
    assert join(backend, ["h", "i"], [""]).tolist() == ["hi"]


def test_refusals(backend: Prepare) -> None:
    with pytest.raises(onnxlet.Fail, match=r"sep must be one string; it has shape \[2\]"):
        join(backend, ["a"], ["-", "+"])
    with pytest.raises(onnxlet.Fail, match="axis 1 is outside"):
        join(backend, ["a"], axis=[1])
