"""Options and fixtures that all tests share."""

from __future__ import annotations

import pytest

from tests.conformance.backends import BACKENDS, Prepare, available


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=sorted(BACKENDS), help="what operator and conformance tests run on (default: wasm)")
    parser.addoption("--slow", action="store_true", help="also run the tests marked slow")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than about ten seconds; runs with --slow and in CI")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    from tests.support.paths import in_ci

    if config.getoption("--slow") or in_ci():
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="slow; run with --slow"))


@pytest.fixture(scope="session")
def engine_name(request: pytest.FixtureRequest) -> str:
    """The name of the backend under test."""
    return request.config.getoption("--engine") or available()


@pytest.fixture(scope="session")
def backend(engine_name: str) -> Prepare:
    """Loads models on the engine under test: backend(model_bytes).run([input...]) -> [output...]."""
    return BACKENDS[engine_name]()
