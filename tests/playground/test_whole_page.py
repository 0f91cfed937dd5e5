"""What holds for all of the page: accessibility, both colour schemes, working without a server."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.playground import models
from tests.playground.conftest import AXE, NARROW, WIDE, Visit, open_model, violations


@pytest.mark.parametrize(("colours", "viewport"), [("light", WIDE), ("dark", NARROW)], ids=["light", "dark and narrow"])
def test_no_view_has_a_serious_violation(visit: Visit, colours: str, viewport: dict[str, int]) -> None:
    def work(page: Page) -> None:
        page.evaluate(AXE.read_text(encoding="utf-8"))
        assert violations(page) == []
        open_model(page, models.digits(channels=100))
        page.locator(".box").first.wait_for()
        page.get_by_role("button", name="Conv", exact=True).click()
        assert violations(page) == [], "Model"
        for view in ("Run", "Performance", "Pack", "Compare", "Code"):
            page.get_by_role("button", name=view, exact=True).click()
            if view == "Run":
                page.locator("form .main").click()
                page.locator(".output-card").wait_for()
            if view == "Performance":
                page.get_by_label("WebGPU").uncheck()
                page.get_by_label("Runs").fill("2")
                page.get_by_role("button", name="Measure").click()
                expect(page.locator(".setup-rows button")).to_have_count(3, timeout=60_000)
            if view == "Pack":
                page.locator(".pack-options .main").click()
                page.locator(".pack-view .compared").wait_for()
            assert violations(page) == [], view
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view

    visit(work, viewport=viewport, color_scheme=colours, bypass_csp=True)


def test_colours_follow_the_system_and_the_button(visit: Visit) -> None:
    def work(page: Page) -> None:
        theme = "document.documentElement.dataset.theme"
        assert page.evaluate(theme) == "dark"
        page.get_by_role("button", name="Change to light colours").click()
        assert page.evaluate(theme) == "light"
        page.reload()
        assert page.evaluate(theme) == "light"

    visit(work, color_scheme="dark")


def test_it_works_without_its_server(visit: Visit) -> None:
    def work(page: Page) -> None:
        page.evaluate("() => navigator.serviceWorker.ready.then(() => undefined)")
        page.reload()
        open_model(page, models.table())
        page.get_by_role("button", name="Run", exact=True).click()
        page.locator("form .main").click()
        page.locator(".run-line").wait_for()
        page.context.set_offline(True)
        page.reload()
        open_model(page, models.table())
        page.get_by_role("button", name="Run", exact=True).click()
        page.locator("form .main").click()
        page.locator(".run-line").wait_for()

    visit(work, service_workers="allow")
