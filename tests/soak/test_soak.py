"""A short soak in every host; `python -m tests.soak` is the long one."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from tests.browser.chromium import executable
from tests.soak.__main__ import Figures, soak
from tests.soak.hosts import HOSTS
from tests.soak.models import Subject, subjects
from tests.support.missing import missing


@pytest.mark.parametrize("host", HOSTS)
def test_memory_and_answers_stay(host: str, fetched: Callable[[Callable[[], list[Subject]]], list[Subject]]) -> None:
    if host == "node" and shutil.which("node") is None:
        missing("Node is not installed")
    if host == "chromium" and executable() is None:
        missing("Chromium is not installed")
    fetched(lambda: list(subjects()))
    figures = soak(host, runs=4000, seconds=60, warm=1500)
    assert figures.runs > 1500
    assert figures.faults == []


def test_what_grows_or_changes_is_told() -> None:
    good = {"runs": 9, "seconds": 1, "engine_start": 5, "engine_end": 5, "process_start": 1 << 28, "differing": 0}
    assert Figures(**good, process_end=290 << 20).faults == []
    bad = Figures(**good | {"engine_end": 6, "differing": 2}, process_end=320 << 20)
    assert bad.faults == [
        "2 runs gave other answers",
        "the engine's memory grew from 5 to 6 bytes",
        f"the host's memory grew from {1 << 28} to {320 << 20} bytes",
    ]
