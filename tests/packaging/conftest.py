"""Fixtures: the package as it would be published, and a folder in which it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.models.fetch import FetchError
from tests.packaging import toolbox
from tests.support.missing import missing
from tests.support.paths import ROOT


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it would be published."""
    if not (ROOT / "js" / "dist" / "onnxlet.wasm").is_file():
        missing("js/dist has no engine; run ./build.sh build")
    return toolbox.pack(tmp_path_factory.mktemp("archive"))


@pytest.fixture(scope="session")
def home(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that apps are made in: the package is installed in it, and the tools in the folder above."""
    above = tmp_path_factory.mktemp("apps")
    try:
        (above / "node_modules").symlink_to(toolbox.modules())
    except FetchError as error:
        missing(str(error))
    home = above / "home"
    home.mkdir()
    toolbox.install(home, archive)
    return home
