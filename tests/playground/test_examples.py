"""The examples that the build puts on the page."""

from __future__ import annotations

import json

from playwright.sync_api import Page, expect

from onnxlet.cli.serve import PLAYGROUND
from tests.playground.conftest import Visit
from tests.support.missing import missing


def test_all_are_there_and_run(visit: Visit) -> None:
    listed = PLAYGROUND / "examples" / "examples.json"
    if not listed.is_file():
        missing("the playground's examples are not built; run ./build.sh build")
    examples = json.loads(listed.read_text(encoding="utf-8"))
    assert {"Read a digit", "Classify a table"} <= {example["title"] for example in examples}

    def work(page: Page) -> None:
        for example in examples:
            page.get_by_role("button", name=example["title"]).click()
            page.locator(".bar-model").wait_for()
            if example["title"] == "Read a digit":
                draw_one(page)
            page.locator(".run-line").wait_for()
            assert page.get_by_role("alert").count() == 0
            page.get_by_role("button", name="start again").click()

    visit(work)


def draw_one(page: Page) -> None:
    """An upright stroke."""
    canvas = page.locator(".drawing canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2
    page.mouse.move(middle, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(middle, box["y"] + box["height"] - 30, steps=8)
    page.mouse.up()


def test_what_is_not_drawn_yet_is_made_up_for_measuring(visit: Visit) -> None:
    def work(page: Page) -> None:
        page.get_by_role("button", name="Read a digit").click()
        page.get_by_role("button", name="Model", exact=True).click()
        page.get_by_role("button", name="Measure").click()
        page.get_by_role("button", name="Measure again").wait_for()
        page.get_by_role("button", name="Run", exact=True).click()
        page.locator("form .main").click()
        expect(page.get_by_role("alert")).to_contain_text('Choose a picture for input "image" first.')

    visit(work)


def test_a_drawn_digit_is_read(visit: Visit) -> None:
    def work(page: Page) -> None:
        page.get_by_role("button", name="Read a digit").click()
        draw_one(page)
        expect(page.locator(".label-name").first).to_have_text("class 1")

    visit(work)
