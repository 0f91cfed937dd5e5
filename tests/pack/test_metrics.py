"""Metrics by name and by module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onnxlet.errors import InvalidArgument
from onnxlet.packing.data import Sample
from onnxlet.packing.metrics import METRICS, find


def rate(output: Any, label: Any) -> float:
    return METRICS["wer"].measure(lambda feeds: {"y": np.array(output)}, [Sample({}, {"label": np.array(label)})])


@pytest.mark.parametrize(
    ("output", "label", "expected"),
    [
        (["the cat sat"], ["the cat sat"], 0),
        (["the bat sat down"], ["the cat sat"], 2 / 3),
        (["sat", "a b"], ["the cat sat", "a b"], 2 / 5),
        ([[3, 5, 7, -1]], [[3, 4, 5, 7]], 1 / 4),
        ([[3, 3]], [[3, -1]], 1),
    ],
)
def test_wer(output: Any, label: Any, expected: float) -> None:
    assert rate(output, label) == pytest.approx(expected)


def test_wer_of_ctc() -> None:
    """Repeated tokens are one, unless a blank stands between; blanks are none."""
    best = [1, 1, 0, 1, 2, 2, 0, 0]
    logits = np.eye(3, dtype=np.float32)[None, best]
    assert rate(logits, [[1, 1, 2]]) == 0 and rate(logits, [[1, 2]]) == 0.5


def test_wer_of_batches_that_differ() -> None:
    with pytest.raises(InvalidArgument, match="wer compares 2 results with 1 in the target 'label'"):
        rate(["a", "b"], ["a"])


def test_what_is_left_of_an_error_rate() -> None:
    metric = METRICS["wer"]
    assert metric.kept(0.0, 0.1) == 0.9 and metric.kept(0.5, 0.75) == 0.5 and metric.kept(0.2, float("nan")) == 0
    assert metric.drop(0.1, 0.15) == pytest.approx(0.05)


def test_functions_by_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_measures.py").write_text("def seven(run):\n    return 7\n")
    monkeypatch.chdir(tmp_path)
    metric = find("my_measures:seven")
    assert (
        metric is not None and metric.name == "seven" and metric.measure(lambda feeds: {}, []) == 7 and not metric.named
    )
    with pytest.raises(
        InvalidArgument, match="the metric 'my_measures:eight' cannot be imported: module 'my_measures'"
    ):
        find("my_measures:eight")
    with pytest.raises(InvalidArgument, match="the metric 'nowhere_at_all:x' cannot be imported: No module named"):
        find("nowhere_at_all:x")
