"""Fixtures: Chromium, and the playground as `onnxlet serve` gives it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from onnxlet.cli.serve import PLAYGROUND, engines
from onnxlet.cli.server import FolderServer
from tests.browser.chromium import Chromium, executable
from tests.support.missing import missing

WIDE = {"width": 1280, "height": 860}
NARROW = {"width": 360, "height": 740}
WEBGPU = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")

Visit = Callable[..., Any]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    if executable() is None:
        missing("Chromium is not installed: apt-get install chromium")
    with Chromium(arguments=WEBGPU) as browser:
        yield browser


@pytest.fixture(scope="session")
def site() -> Iterator[FolderServer]:
    if not (PLAYGROUND / "index.html").is_file():
        missing("the playground is not built; run ./build.sh build")
    with FolderServer(PLAYGROUND, more=engines()) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def visit(chromium: Chromium, site: FolderServer) -> Visit:
    """visit(work, **options): what `work` makes of the page, which reaches nothing but its own origin and has no errors.

    `folder` is served in place of the playground.
    """

    def perform(
        work: Callable[[Page], Any], *, isolated: bool = True, folder: Path = PLAYGROUND, **options: Any
    ) -> Any:
        site.isolated, site.folder, site.more = isolated, folder, dict(engines() if folder == PLAYGROUND else {})

        def guarded(page: Page) -> Any:
            foreign: list[str] = []
            errors: list[str] = []

            def guard(route: Route) -> None:
                if route.request.url.startswith((f"{site.origin}/", "blob:", "data:")):
                    route.continue_()
                else:
                    foreign.append(route.request.url)
                    route.abort()

            page.on("pageerror", lambda error: errors.append(str(error)))
            page.context.route("**/*", guard)
            page.goto(f"{site.origin}/")
            page.set_default_timeout(30_000)
            result = work(page)
            assert (foreign, errors) == ([], [])
            return result

        return chromium.visit("about:blank", guarded, **{"viewport": WIDE, **options})

    return perform


def open_model(page: Page, model: Path | bytes, name: str = "model.onnx") -> None:
    """Gives the page a model by its field for files, and waits for the graph."""
    file: Any = {"name": name, "mimeType": "application/octet-stream", "buffer": model}
    page.locator("input[type=file]").first.set_input_files(str(model) if isinstance(model, Path) else file)
    page.wait_for_selector(".bar-model")
