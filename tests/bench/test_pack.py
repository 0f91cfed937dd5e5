"""bench.pack: what its measures and lines say."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx_ir")

from bench.pack import cases
from bench.pack.__main__ import _line, _mix_line


def box(*numbers: float) -> np.ndarray:
    return np.array(numbers)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (box(0, 0, 4, 4), box(0, 0, 4, 4), 1),
        (box(0, 0, 4, 4), box(2, 0, 4, 4), 1 / 3),
        (box(0, 0, 2, 2), box(0, 0, 4, 4), 1 / 4),
        (box(0, 0, 2, 2), box(5, 5, 2, 2), 0),
    ],
)
def test_overlap(a: np.ndarray, b: np.ndarray, expected: float) -> None:
    assert cases._iou(a, b) == pytest.approx(expected)


def test_lines() -> None:
    row = {"model": "digits", "tool": "onnxlet", "scheme": "int8", "what": "top1", "before": 0.96, "after": 0.9}
    row |= {"bytes": 10960, "share": 0.448, "speed": 1.5, "reached": False}
    assert _line(row).split() == ["digits", "onnxlet", "int8", "10,960", "44.8%", "top1", "0.9600", "0.9000", "1.50", "missed"]  # fmt: skip
    failed = {"model": "digits", "tool": "onnxruntime", "scheme": "int8", "error": "no"}
    assert _line(failed).split() == ["digits", "onnxruntime", "int8", "no"]
    sides = {"uniform": {"bytes": 10, "snr_db": 1.0}, "mix": {"bytes": 9, "snr_db": 2.5}}
    assert _mix_line({"model": "m", "scheme": "int4", **sides}).split() == ["m", "int4", "10", "1.00", "9", "2.50"]


def test_every_case_has_schemes_and_a_name() -> None:
    found = cases.cases()
    assert list(found) == ["digits", "fashion", "tinyocr-det", "tinyocr-rec", "silero", "blazeface"]
    for case in found.values():
        assert set(case.allowed) <= set(case.schemes) and "mix" in case.schemes
