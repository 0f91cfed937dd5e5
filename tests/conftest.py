"""Options and fixtures that all tests share."""

from __future__ import annotations

import contextlib
import functools
import shutil
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import hypothesis
import pytest

from onnxlet.build import reliability_doc
from tests.browser.chromium import Chromium, executable
from tests.conformance.backends import BACKENDS, Prepare, available
from tests.models.fetch import FetchError
from tests.support.hosts import (
    Host,
    PythonHost,
    chromium_host,
    chromium_roots,
    node_host,
    webgpu_host,
    webgpu_lacks,
)
from tests.support.kept import KeepFigures
from tests.support.missing import missing
from tests.support.paths import ROOT

# They run in environments of their own: ./build.sh interop.
collect_ignore = ["interop"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--engine", choices=sorted(BACKENDS), help="what operator and conformance tests run on (default: wasm)"
    )
    parser.addoption("--fast", action="store_true", help="leave out the tests marked slow")
    parser.addoption(
        "--all", action="store_true", help="run whole what is sampled otherwise (tests/README.md says what)"
    )
    parser.addoption("--examples", type=int, help="how many questions each property of an operator draws")
    parser.addoption(
        "--figures", action="store_true", help="keep what is measured in docs/reliability/, for docs/reliability.md"
    )
    parser.addoption("--seed", type=int, default=0, help="draws other questions (default: 0)")


def pytest_configure(config: pytest.Config) -> None:
    # The ordinary run draws the same examples each time, --all others. Time limits of examples fail on busy machines.
    hypothesis.settings.register_profile("onnxlet", deadline=None, derandomize=not config.getoption("--all"))
    hypothesis.settings.load_profile("onnxlet")
    config.addinivalue_line("markers", "slow: takes more than about ten seconds; --fast leaves it out")
    config.addinivalue_line(
        "markers", "alone: compares speeds; ./build.sh test runs these after the others, in one process"
    )
    config.addinivalue_line("markers", "only_with_all: left out by the ordinary run, which has one of its kind")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if "slow" in item.keywords and config.getoption("--fast"):
            item.add_marker(pytest.mark.skip(reason="slow; left out by --fast"))
    if not config.getoption("--all"):
        left_out = [item for item in items if "only_with_all" in item.keywords]
        items[:] = [item for item in items if "only_with_all" not in item.keywords]
        config.hook.pytest_deselected(items=left_out)


# With several processes (-n): these share one. They start threads or a browser, or fetch and build files on first use.
ONE_AT_A_TIME = ("bad_input", "bench", "browser", "examples", "models", "packaging", "playground", "pyodide")


def process_group(nodeid: str) -> str:
    """Tests of the same group run in the same process, one after the other."""
    folder = nodeid.split("/")[1]
    if folder in ONE_AT_A_TIME:
        return "one at a time"
    if folder == "hosts" or "::test_case_in_javascript[" in nodeid:
        return "javascript"
    return nodeid.partition("::")[0] if folder in ("bundle", "python", "webgpu") else nodeid


# Not pytest-xdist's own groups (--dist loadgroup): its version 3.8 loses them with pytest 9.2.
@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class Scheduler(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return process_group(nodeid)

    return Scheduler(config, log)


Result = TypeVar("Result")


@pytest.fixture(scope="session")
def fetched() -> Callable[[Callable[[], Result]], Result]:
    """Calls what fetches files. Without network that is a skip here and a failure in CI."""

    def call(get: Callable[[], Result]) -> Result:
        try:
            return get()
        except FetchError as error:
            missing(str(error))

    return call


@pytest.fixture(scope="session")
def get_host() -> Iterator[Callable[[str], Host]]:
    """get_host("cpython" | "node" | "chromium" | "webgpu"), each started when first asked for."""
    with contextlib.ExitStack() as stack:

        @functools.cache
        def get(name: str) -> Host:
            if name == "cpython":
                return PythonHost()
            if not (ROOT / "js" / "dist" / "onnxlet.mjs").is_file():
                missing("js/dist is not built; run ./build.sh build")
            if name == "webgpu":
                lack = webgpu_lacks()
                return webgpu_host() if lack is None else missing(lack)
            if name == "node":
                return node_host() if shutil.which("node") else missing("Node is not installed")
            if executable() is None:
                missing("Chromium is not installed")
            return chromium_host(stack.enter_context(Chromium(chromium_roots())))

        yield get


@pytest.fixture(scope="session")
def keep_figures(request: pytest.FixtureRequest) -> KeepFigures:
    """keep_figures(table, row, figures): kept with --figures, else nothing."""
    return reliability_doc.keep if request.config.getoption("--figures") else lambda table, row, measured: None


@pytest.fixture(scope="session")
def engine_name(request: pytest.FixtureRequest) -> str:
    """The name of the backend under test."""
    return request.config.getoption("--engine") or available()


@pytest.fixture(scope="session")
def examples(request: pytest.FixtureRequest) -> int:
    """How many questions each property of an operator draws."""
    return int(request.config.getoption("--examples") or (100 if request.config.getoption("--all") else 5))


@pytest.fixture(scope="session")
def first_seed(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--seed"))


@pytest.fixture(scope="session")
def backend(engine_name: str) -> Prepare:
    """Loads models on the engine under test: backend(model_bytes).run([input...]) -> [output...]."""
    return BACKENDS[engine_name]()
