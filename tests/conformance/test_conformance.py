"""The backend tests of the onnx package on the engine under test (--engine; WebAssembly in CPython by default)."""

from __future__ import annotations

import pytest

from tests.conformance.backends import Prepare
from tests.conformance.cases import Case, load_cases
from tests.conformance.expectations import expected_failure, listed_cases
from tests.conformance.runner import judge


def case_id(case: Case) -> str:
    return f"{case.suite}/{case.name}"


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, id=case_id(c), marks=[pytest.mark.slow] if c.suite == "light" else []) for c in load_cases()],
)
def test_case(case: Case, backend: Prepare, engine_name: str) -> None:
    outcome = judge(0, case, backend, engine_name)
    reason = expected_failure(case_id(case), engine_name)
    if reason is None:
        assert outcome.passed, f"{outcome.reason}: {outcome.message}"
    else:
        assert not outcome.passed, f"passes, but is expected to fail ({reason}); take it off expected_failures.txt"
        pytest.xfail(reason)


def test_expectations_name_cases_that_exist() -> None:
    assert listed_cases() <= {case_id(case) for case in load_cases()}
