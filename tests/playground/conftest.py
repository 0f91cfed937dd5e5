"""Fixtures: Chromium, and the playground as `onnxlet serve` gives it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from onnxlet.cli.serve import PLAYGROUND, engines
from onnxlet.cli.server import FolderServer
from tests.browser.chromium import Chromium, executable
from tests.support.missing import missing
from tests.support.paths import ROOT

WIDE = {"width": 1280, "height": 860}
NARROW = {"width": 360, "height": 740}
AXE = ROOT / "js" / "node_modules" / "axe-core" / "axe.min.js"
WEBGPU = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")

Visit = Callable[..., Any]

# What the ordinary run has in one of the two widths, --all in both.
BOTH_WIDTHS = pytest.mark.parametrize(
    "viewport", [pytest.param(NARROW, id="narrow"), pytest.param(WIDE, id="wide", marks=pytest.mark.only_with_all)]
)
BOTH_ISOLATIONS = pytest.mark.parametrize(
    "isolated",
    [pytest.param(True, id="isolated"), pytest.param(False, id="not isolated", marks=pytest.mark.only_with_all)],
)


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
    """See `visiting`."""
    return visiting(chromium, site)


def visiting(chromium: Chromium, site: FolderServer) -> Visit:
    """visit(work, **options): what `work` makes of the page, which reaches nothing but its own origin and has no errors.

    `folder` is served in place of the playground. Without `service_workers="allow"` the page does not fill its cache first.
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

        return chromium.visit("about:blank", guarded, **{"viewport": WIDE, "service_workers": "block", **options})

    return perform


def open_run(page: Page, model: Path | bytes) -> None:
    """`open_model`, and the view that runs it."""
    open_model(page, model)
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator(".run-view").wait_for()


def choose_file(page: Page, picker: str, name: str, content: bytes) -> None:
    """Gives a file to the picker with the text, as choosing it does."""
    file: Any = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.locator(".picker", has_text=picker).locator("input").set_input_files([file])


def run(page: Page) -> None:
    """Presses the button and waits for outputs."""
    page.locator("form .main").click()
    page.locator(".run-outputs[aria-busy=false] .run-line").wait_for()
    expect(page.locator("form .main")).to_have_text("Run")


def refused(page: Page, words: str) -> None:
    """Presses the button and waits for a message with the words."""
    page.locator("form .main").click()
    expect(page.get_by_role("alert")).to_contain_text(words)


def saved(page: Page, button: str) -> bytes:
    """The file that the button saves."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    return Path(download.value.path()).read_bytes()


def is_fine(page: Page) -> None:
    """Nothing is wider than the page, and axe finds nothing serious. The page's policy must be bypassed."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert violations(page) == []


def violations(page: Page) -> list[str]:
    """What axe calls serious or critical."""
    found: list[dict[str, Any]] = page.evaluate("async () => (await axe.run()).violations")
    return [
        f"{rule['id']}: {json.dumps([node['html'] for node in rule['nodes']])}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
    ]


def open_model(page: Page, model: Path | bytes, name: str = "model.onnx") -> None:
    """Gives the page a model by its field for files, and waits for the graph."""
    file: Any = {"name": name, "mimeType": "application/octet-stream", "buffer": model}
    page.locator("input[type=file]").first.set_input_files(str(model) if isinstance(model, Path) else file)
    page.wait_for_selector(".bar-model")
