"""The onnx package's node tests with WebGPU, in Node: answers are right, and the nodes have really been there."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

import pytest

from tests.conformance import javascript
from tests.conformance.cases import Case, load_cases
from tests.conformance.expectations import expected_failure
from tests.conformance.runner import Outcome
from tests.support.hosts import Host, JavaScriptHost
from tests.support.paths import ROOT

ROW = re.compile(r'\{"", "(\w+)", \d+, make<')


@functools.cache
def operators() -> frozenset[str]:
    """Those of ai.onnx that have a kernel."""
    sources = sorted((ROOT / "core" / "gpu").glob("*.cc"))
    return frozenset(name for path in sources for name in ROW.findall(path.read_text(encoding="utf-8")))


def on_gpu(outcome: Outcome) -> int:
    """How many of a case's nodes the GPU has run."""
    return sum((kernel or "").startswith("webgpu ") for kernel in outcome.kernels)


# Their cases are of types that WebGPU has not, or want outputs that have no shader.
NEVER_THERE = {
    "Einsum": "float64",
    "ReduceLogSumExp": "float64",
}


@pytest.fixture(scope="module")
def outcomes(get_host: Callable[[str], Host]) -> dict[str, tuple[Case, Outcome]]:
    host = get_host("webgpu")
    assert isinstance(host, JavaScriptHost)
    cases = [case for case in load_cases() if case.suite == "node" and case.operator in operators()]
    return {cases[outcome.index].id: (cases[outcome.index], outcome) for outcome in javascript.run_cases(cases, host)}


def test_every_case_gives_the_right_answer(outcomes: dict[str, tuple[Case, Outcome]]) -> None:
    wrong = {
        name: f"{outcome.reason}: {outcome.message}"
        for name, (_, outcome) in outcomes.items()
        if outcome.passed == bool(expected_failure(name, "webgpu"))
    }
    assert wrong == {}


def test_every_operator_with_a_kernel_runs_there(outcomes: dict[str, tuple[Case, Outcome]]) -> None:
    there = {case.operator for case, outcome in outcomes.values() if on_gpu(outcome)}
    tested = {case.operator for case, _ in outcomes.values()}
    assert tested - there == {*NEVER_THERE}
