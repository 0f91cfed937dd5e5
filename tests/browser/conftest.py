"""Fixtures: Chromium, and the folder that its pages may use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chromium import Chromium, executable
from tests.support.paths import ROOT, in_ci


def _require(condition: bool, reason: str) -> None:
    if not condition:
        (pytest.fail if in_ci() else pytest.skip)(reason)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that pages may read and write."""
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="session")
def chromium(files: Path) -> Iterator[Chromium]:
    """The browser; it may read and write in `files`."""
    _require((ROOT / "js" / "dist" / "onnxlet.wasm").is_file(), "js/dist has no engine; run ./build.sh build")
    _require(executable() is not None, "Chromium is not installed: apt-get install chromium")
    with Chromium([files]) as browser:
        yield browser
