"""Sessions on WebGPU leave nothing behind, and a device that goes is told."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.models import registry
from tests.support.kept import KeepFigures
from tests.webgpu.node import run_program


@pytest.fixture(scope="module")
def report(request: pytest.FixtureRequest) -> dict[str, Any]:
    cycles = 200 if request.config.getoption("--all") else 10
    return run_program("life.mjs", registry.models()["digits-cnn"].path(), str(cycles))


def test_sessions_leave_no_buffer(report: dict[str, Any]) -> None:
    assert report["left"] == 0


def test_every_session_gives_the_same_answer(report: dict[str, Any]) -> None:
    assert report["answers"] == 1


def test_a_lost_device_is_told_and_the_next_session_has_another(report: dict[str, Any]) -> None:
    assert re.fullmatch(r"RUN_FAILED: the device: it was lost \(.+\); later runs are on the CPU", report["error"])
    assert report["again"]


def test_the_session_goes_on_on_the_cpu(report: dict[str, Any]) -> None:
    assert report["goesOn"]


def test_results_that_cannot_be_read_back(keep_figures: KeepFigures) -> None:
    told = run_program("read_back.mjs", registry.models()["digits-cnn"].path())
    points = len(told["errors"])
    assert points > 0
    for error in told["errors"]:
        assert re.fullmatch(
            r"RUN_FAILED: the device: \d+ bytes cannot be read back: the mapping was refused; run it again", error
        )
    assert told["left"] == 0
    assert told["right"] == points
    keep_figures("faults", "results that WebGPU does not give back, Node", {"points": points, "survived": points})
