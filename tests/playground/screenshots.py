"""./build.sh screenshots [FOLDER]: every view of the playground, light and dark, wide and narrow (default: build/screenshots)."""

from __future__ import annotations

import io
import sys
import threading
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, ViewportSize

from onnxlet.cli.serve import PLAYGROUND, engines
from onnxlet.cli.server import FolderServer
from tests.browser.chromium import Chromium
from tests.support.paths import ROOT

SIZES: dict[str, ViewportSize] = {"wide": {"width": 1280, "height": 800}, "narrow": {"width": 360, "height": 740}}


def take(page: Page, folder: Path, suffix: str) -> None:
    def shot(name: str) -> None:
        page.wait_for_timeout(400)  # pictures are drawn, charts have their width
        picture = Image.open(io.BytesIO(page.screenshot()))
        # As many colours as a picture of the page needs make it a third as large.
        picture.convert("RGB").quantize(dither=Image.Dither.NONE).save(folder / f"{name}-{suffix}.png", optimize=True)

    page.set_default_timeout(60_000)
    page.locator(".examples button").first.wait_for()
    shot("start")
    page.get_by_role("button", name="Read text").click()
    page.locator(".line-text", has_text="Invoice").wait_for()
    shot("run")
    page.get_by_role("button", name="start again").click()
    page.get_by_role("button", name="Read a digit").click()
    page.get_by_role("button", name="Model", exact=True).click()
    page.get_by_role("button", name="Measure").click()
    page.get_by_role("button", name="Measure again").wait_for()
    page.get_by_role("button", name="Conv", exact=True).first.click()
    shot("model")
    page.get_by_role("button", name="Performance", exact=True).click()
    page.get_by_role("button", name="Measure").click()
    page.locator(".uplot canvas").first.wait_for()
    page.locator(".setups .main:enabled").wait_for()
    shot("performance")
    page.get_by_role("button", name="Pack", exact=True).click()
    page.get_by_text("4 bits", exact=True).click()
    page.locator(".pack-options .main").click()
    page.locator(".pack-view .compared").wait_for()
    shot("pack")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("button", name="Itself on WebGPU").click()
    page.locator(".compared").first.wait_for()
    shot("compare")
    page.get_by_role("button", name="Code", exact=True).click()
    shot("code")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    flags = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")
    with FolderServer(PLAYGROUND, more=engines()) as server, Chromium(arguments=flags) as browser:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        for colours in ("light", "dark"):
            for name, viewport in SIZES.items():
                suffix = f"{colours}-{name}"
                browser.visit(
                    f"{server.origin}/",
                    lambda page, suffix=suffix: take(page, folder, suffix),
                    viewport=viewport,
                    color_scheme=colours,
                )
        server.shutdown()
        thread.join()
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "screenshots")
