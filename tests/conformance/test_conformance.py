"""The backend tests of the onnx package on the engine under test (--engine; WebAssembly in CPython by default), in Node
and in Chromium."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from tests.conformance import javascript
from tests.conformance.backends import Prepare
from tests.conformance.cases import Case, load_cases, representative
from tests.conformance.expectations import expected_failure, listed_cases
from tests.conformance.runner import Outcome, judge
from tests.support.hosts import Host, JavaScriptHost


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, id=c.id, marks=[pytest.mark.slow] if c.suite == "light" else []) for c in load_cases()],
)
def test_case(case: Case, backend: Prepare, engine_name: str) -> None:
    assert_expected(judge(0, case, backend, engine_name), case, engine_name)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The cases for Node and Chromium: a third of them, or with --all all. Each host's cases run together."""
    if metafunc.function is not test_case_in_javascript:
        return
    cases = load_cases() if metafunc.config.getoption("--all") else representative(load_cases())
    params = []
    for host in javascript.HOSTS:
        for case in cases:
            marks = [pytest.mark.slow] if case.suite == "light" else []
            params.append(pytest.param(host, case, id=f"{host}-{case.id}", marks=marks))
    metafunc.parametrize(("host_name", "case"), params)


@pytest.fixture(scope="session")
def javascript_outcomes(
    request: pytest.FixtureRequest, get_host: Callable[[str], Host]
) -> Callable[[str], dict[str, Outcome]]:
    """The outcomes of all cases that this run of pytest has for a host, run at once when first asked for."""

    @functools.cache
    def outcomes(host_name: str) -> dict[str, Outcome]:
        host = get_host(host_name)
        assert isinstance(host, JavaScriptHost)
        items: list[Any] = request.session.items
        cases = [item.callspec.params["case"] for item in items if is_for(item, host_name)]
        return {cases[outcome.index].id: outcome for outcome in javascript.run_cases(cases, host)}

    return outcomes


def is_for(item: Any, host_name: str) -> bool:
    mine = getattr(item, "function", None) is test_case_in_javascript
    skipped = item.get_closest_marker("skip") is not None
    return mine and not skipped and item.callspec.params["host_name"] == host_name


def test_case_in_javascript(
    host_name: str, case: Case, javascript_outcomes: Callable[[str], dict[str, Outcome]]
) -> None:
    assert_expected(javascript_outcomes(host_name)[case.id], case, host_name)


def assert_expected(outcome: Outcome, case: Case, engine: str) -> None:
    reason = expected_failure(case.id, engine)
    if reason is None:
        assert outcome.passed, f"{outcome.reason}: {outcome.message}"
    else:
        assert not outcome.passed, f"passes, but is expected to fail ({reason}); take it off expected_failures.txt"
        pytest.xfail(reason)


def test_expectations_name_cases_that_exist() -> None:
    assert listed_cases() <= {case.id for case in load_cases()}


def test_the_representative_third_has_every_operator() -> None:
    cases = load_cases()
    third = representative(cases)
    assert {case.operator for case in third} == {case.operator for case in cases}
    assert len(cases) / 3 <= len(third) <= len(cases) / 2
