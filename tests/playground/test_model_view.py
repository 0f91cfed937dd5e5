"""The model view: what is in a file, its graph, and what cannot run."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.playground import models
from tests.playground.conftest import BOTH_WIDTHS, Visit, open_model


@BOTH_WIDTHS
def test_a_model_is_described(visit: Visit, viewport: dict[str, int]) -> None:
    def work(page: Page) -> None:
        open_model(page, models.digits(), "digits.onnx")
        expect(page.locator(".bar-model")).to_have_text("digits.onnx 590 B")
        expect(page.locator(".figures").first).to_have_text("nodes5parameters52weights208 Bopset17")
        cards = page.locator(".card")
        expect(cards.filter(has_text="Inputs")).to_contain_text("imagefloat batch × 1 × 28 × 28")
        expect(cards.filter(has_text="Outputs")).to_contain_text("scoresfloat batch × 3")
        chips = page.locator(".chip")
        expect(chips).to_have_text(["Conv 1", "Flatten 1", "GlobalAveragePool 1", "MatMul 1", "Relu 1"])
        names = ["image", "Conv", "Relu", "GlobalAveragePool", "Flatten", "MatMul", "scores"]
        expect(page.locator(".box text")).to_have_text(names)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    visit(work, viewport=viewport)


def test_measuring_shows_shapes_and_times(visit: Visit) -> None:
    def work(page: Page) -> None:
        open_model(page, models.digits())
        expect(page.locator(".edge-label")).to_have_text(["batch×1×28×28", "batch×3"])
        page.get_by_role("button", name="Measure").click()
        page.get_by_role("button", name="Measure again").wait_for()
        shapes = ["1×1×28×28", "1×4×28×28", "1×4×28×28", "1×4×1×1", "1×4", "1×3"]
        expect(page.locator(".edge-label")).to_have_text(shapes)
        page.get_by_role("button", name="Conv", exact=True).click()
        details = page.get_by_role("complementary", name="Node Conv")
        expect(details).to_contain_text("first")
        expect(details).to_contain_text("pads[1, 1, 1, 1]")
        expect(details).to_contain_text("wfloat 4 × 1 × 3 × 3, 144 B")
        expect(details).to_contain_text("conv_f32")
        details.get_by_role("button", name="Run and look at its outputs").click()
        expect(details.locator(".statistics")).to_contain_text("features float32 1 × 4 × 28 × 28")
        assert details.locator(".histogram rect").count() == 32

    visit(work)


def test_arrow_keys_go_along_edges(visit: Visit) -> None:
    def work(page: Page) -> None:
        open_model(page, models.digits())
        page.get_by_role("button", name="input image").focus()
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("button", name="Conv", exact=True)).to_be_focused()
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("complementary", name="Node Relu")).to_be_visible()
        expect(page.get_by_role("button", name="Relu", exact=True)).to_be_focused()
        page.keyboard.press("ArrowUp")
        expect(page.get_by_role("complementary", name="Node Conv")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("complementary")).to_have_count(0)

    visit(work)


def test_graphs_inside_nodes_open(visit: Visit) -> None:
    def work(page: Page) -> None:
        open_model(page, models.branches())
        page.get_by_label("Find a node").fill("choice")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Open a graph of 1 nodes").first.click()
        expect(page.locator(".box text")).to_have_text(["Abs", "z"])
        page.get_by_role("button", name="Graph", exact=True).click()
        expect(page.locator(".box.node text")).to_have_text(["If"])

    visit(work)


def test_a_broken_file_is_explained(visit: Visit) -> None:
    cases = [
        (b"", "What is wrong: the file is empty."),
        (b"<!doctype html><p>404", "What is wrong: it is a web page or XML: the download probably went wrong."),
        (b"version https://git-lfs.github.com/spec/v1\n", 'it is a pointer of Git LFS: run "git lfs pull"'),
        (b"PK\x03\x04", "it is a ZIP archive: unpack it first"),
        (models.digits()[:500], "What is wrong: it ends in the middle of a part (byte 500 of 500)."),
        (b"\x00\x01\x02\x03", "What is wrong: it is damaged (byte"),
    ]

    def work(page: Page) -> None:
        alert = page.get_by_role("alert")
        for content, words in cases:
            file: Any = {"name": "broken.onnx", "mimeType": "application/octet-stream", "buffer": content}
            page.locator("input[type=file]").set_input_files([file])
            expect(alert).to_contain_text(words)
            expect(alert).to_contain_text("broken.onnx cannot be read as an ONNX model")
            expect(alert).to_contain_text("Download or export it again")
        # The next file works.
        open_model(page, models.digits())
        expect(alert).to_have_count(0)

    visit(work)


def test_what_is_not_supported_is_named(visit: Visit) -> None:
    def work(page: Page) -> None:
        open_model(page, models.unsupported(), "strange.onnx")
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text("strange.onnx cannot run here: 1 operator missing")
        expect(alert).to_contain_text("com.example.Frobnicate")
        expect(page.locator(".chip.lacking")).to_have_text("com.example.Frobnicate 1, not supported")
        page.get_by_role("button", name="Run", exact=True).click()
        expect(page.locator("form .main")).to_be_disabled()

    visit(work)
