"""The table of single operators: every row is a valid model, and a line tells what was measured."""

from __future__ import annotations

import onnx
import pytest

from bench.__main__ import OURS, PEER
from bench.kernel_rows import build, rows
from bench.kernels import describe


@pytest.mark.parametrize("name", rows())
def test_a_row_is_a_valid_model(name: str) -> None:
    made = build(rows()[name])
    model = onnx.load_from_string(made.bytes)
    if not any(node.domain for node in model.graph.node):
        onnx.checker.check_model(model)
    assert made.nodes == len(model.graph.output) >= 1
    assert made.work > 0


def test_a_line_tells_rates_times_and_ratio_or_what_went_wrong() -> None:
    numbers = {"us": 10.0, "rate": 2.0}
    entry = {"kernel": "k", "unit": "GB/s", "engines": {OURS: numbers, PEER: {"us": 20.0, "rate": 1.0}}, "ratio": 2.0}
    assert describe(entry, (OURS, PEER)).split() == ["k", "GB/s", "2.00", "1.00", "10.0", "/", "20.0", "2.00"]
    entry["engines"] = {OURS: {"error": "no kernel"}, PEER: numbers}
    assert describe(entry, (OURS, PEER)).split(maxsplit=1)[1] == f"{OURS}: no kernel"
