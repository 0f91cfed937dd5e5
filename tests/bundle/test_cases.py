"""The cases that runners are tested with, in the engine itself: what they ask of a runner can be answered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from onnxlet import InferenceSession
from onnxlet.bundle import Request
from onnxlet.bundle.application import make_applications
from tests.bundle.cases import Case, cases, check
from tests.bundle.feeding import feeds


@pytest.mark.parametrize("case", cases().values(), ids=lambda case: case.name)
def test_answer(case: Case, tmp_path: Path, engine: str, fetched: Callable[[Callable[[], Path]], Path]) -> None:
    path = fetched(case.model)
    pipeline = case.pipeline and case.pipeline(tmp_path)
    (application,) = make_applications(Request([path], tmp_path / "out", target="node", pipeline=pipeline))
    given = feeds(application.interface, case.arguments(tmp_path))
    with InferenceSession(application.model, _engine=engine) as session:
        names = [output.name for output in application.interface.outputs]
        answer = dict(zip(names, session.run(names, given), strict=True))
    print(f"{case.name}: {check(case, answer, tmp_path):.2g}")
