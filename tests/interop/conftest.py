"""Fixtures of the interoperability tests, and the lines that ./build.sh interop reads.

These tests run in environments of their own, which lack what the other tests need: tests/conftest.py is not loaded here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.conformance.backends import available, generate_bindings, native_library

ENGINES = ("wasm", "simd", "relaxed", "scalar", "threads", "relaxed-threads", "native")


def pytest_addoption(parser: pytest.Parser) -> None:
    try:
        parser.addoption("--engine", choices=ENGINES, help="what the models run on (default: wasm)")
    except ValueError as error:  # tests/conftest.py has it too
        raise pytest.UsageError("tests/interop runs in environments of its own: ./build.sh interop") from error
    parser.addoption("--all", action="store_true", help="every opset version, not a sample")
    parser.addoption("--report-fd", type=int, help="file descriptor for one JSON document a line about each test")


@pytest.fixture(scope="session")
def onnxlet(request: pytest.FixtureRequest) -> Callable[[bytes], Any]:
    """Opens a model on the engine under test: onnxlet(model_bytes) -> session."""
    generate_bindings()
    import onnxlet as package

    name = request.config.getoption("--engine") or available()
    if name == "native":
        os.environ.setdefault("ONNXLET_NATIVE_LIB", str(native_library()))
    options = package.SessionOptions()
    options.intra_op_num_threads = 2 if "threads" in name else 1
    return lambda model: package.InferenceSession(model, options, _engine=name)


class Reporter:
    """Writes {"collected": [...]}, {"started": id} and {"id", "row", "outcome", "seconds", "detail"} as they happen."""

    def __init__(self, descriptor: int) -> None:
        self.stream = os.fdopen(descriptor, "w", encoding="utf-8")

    def write(self, **document: Any) -> None:
        self.stream.write(json.dumps(document) + "\n")
        self.stream.flush()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.write(collected=[row_and_case(item.nodeid)[1] for item in session.items])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.write(started=row_and_case(nodeid)[1])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.outcome == "passed":
            return
        row, case = row_and_case(report.nodeid)
        outcome = "expected failure" if hasattr(report, "wasxfail") else report.outcome
        self.write(id=case, row=row, outcome=outcome, seconds=report.duration, detail=detail_of(report))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.write(id=report.nodeid, row="collection", outcome="failed", seconds=0, detail=str(report.longrepr))


def row_and_case(nodeid: str) -> tuple[str, str]:
    """tests/interop/test_torch.py::test_case[torch-script/lstm/18] -> ("torch-script", "torch-script/lstm/18")."""
    _, bracket, case = nodeid.partition("[")
    if not bracket:
        return nodeid.partition("::")[0].rpartition("/")[2], nodeid
    return case.partition("/")[0], case.removesuffix("]")


def detail_of(report: pytest.TestReport) -> str:
    if hasattr(report, "wasxfail"):
        return str(report.wasxfail).removeprefix("reason: ")
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)  # without the way there; the log has it
    text = str(crash.message if crash is not None else report.longrepr or "").removeprefix("Failed: ")
    return text.removeprefix(f"{row_and_case(report.nodeid)[1]}: ")


def pytest_configure(config: pytest.Config) -> None:
    descriptor = config.getoption("--report-fd")
    if descriptor is not None:
        config.pluginmanager.register(Reporter(descriptor), "interop-reporter")


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    import random

    import numpy as np

    random.seed(0)
    np.random.seed(0)
    yield
