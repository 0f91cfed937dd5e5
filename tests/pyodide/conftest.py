"""Fixtures: a browser without a network, and the pages in it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Chromium, executable
from tests.models.fetch import FetchError
from tests.pyodide import toolbox
from tests.pyodide.toolbox import Place
from tests.support.missing import missing
from tests.support.paths import cache_dir

# Name, in a worker, cross-origin isolated.
PLACES = {
    "page": (False, False),
    "page, isolated": (False, True),
    "worker": (True, False),
    "worker, isolated": (True, True),
}


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the models that tests make."""
    return tmp_path_factory.mktemp("pyodide")


@pytest.fixture(scope="session")
def browser(files: Path) -> Iterator[Chromium]:
    if executable() is None:
        missing("Chromium is not installed: apt-get install chromium")
    toolbox.built_wheel()
    try:
        made = toolbox.open_browser([files, cache_dir()])
    except FetchError as error:
        missing(str(error))
    with made:
        yield made
        assert made.foreign == []


@pytest.fixture(scope="session")
def get_place(browser: Chromium) -> Callable[[str], Place]:
    """get_place("worker, isolated"), each started when first asked for."""

    @functools.cache
    def get(name: str) -> Place:
        worker, isolated = PLACES[name]
        return toolbox.open_place(browser, worker=worker, isolated=isolated, blobs=name == "page, isolated")

    return get


@pytest.fixture(
    params=["page", "page, isolated", pytest.param("worker", marks=pytest.mark.only_with_all), "worker, isolated"]
)
def place(request: pytest.FixtureRequest, get_place: Callable[[str], Place]) -> Place:
    return get_place(request.param)
