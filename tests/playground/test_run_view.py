"""The run view: inputs of every kind, outputs as they deserve, files to take away."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.playground import models
from tests.playground.conftest import NARROW, WIDE, Visit, open_run, run, saved


@pytest.mark.parametrize(
    ("viewport", "isolated"),
    [
        pytest.param(WIDE, False, id="wide, not isolated"),
        pytest.param(NARROW, True, id="narrow"),
        pytest.param(WIDE, True, id="wide", marks=pytest.mark.only_with_all),
        pytest.param(NARROW, False, id="narrow, not isolated", marks=pytest.mark.only_with_all),
    ],
)
def test_made_up_numbers_give_labels(visit: Visit, viewport: dict[str, int], isolated: bool) -> None:
    def work(page: Page) -> None:
        open_run(page, models.digits())
        run(page)
        names = page.locator(".label-name").all_inner_texts()
        assert sorted(names) == ["bird", "cat", "dog"]  # the model carries them
        shares = [float(text.split()[0]) for text in page.locator(".label-score").all_inner_texts()]
        assert shares == sorted(shares, reverse=True) and abs(sum(shares) - 100) < 0.3
        array = np.load(io.BytesIO(saved(page, "Save scores as .npy")))
        assert array.shape == (1, 3) and array.dtype == np.float32
        document = json.loads(saved(page, "Save scores as JSON"))
        assert document["dtype"] == "float32" and document["data"] == pytest.approx(array[0].tolist())
        assert names[0] == ["cat", "dog", "bird"][int(array.argmax())]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("crossOriginIsolated") is isolated

    visit(work, viewport=viewport, isolated=isolated, accept_downloads=True)


def test_a_table_is_taken_row_by_row(visit: Visit) -> None:
    def work(page: Page) -> None:
        open_run(page, models.table())
        page.get_by_text("Table", exact=True).click()
        page.get_by_label("Values of x").fill("a,b,c\n1,2,3\n4,5,6.5")
        run(page)
        rows = page.locator(".output-card tbody tr").all_inner_texts()
        assert [row.split() for row in rows] == [["0", "2", "4", "6"], ["1", "8", "10", "13"]]
        page.get_by_label("Values of x").fill("1,2\n3,4")
        page.locator("form .main").click()
        expect(page.get_by_role("alert")).to_contain_text("has 2 columns; the model takes 3")

    visit(work)


def test_an_array_from_a_file(visit: Visit) -> None:
    content = io.BytesIO()
    np.save(content, np.array([[0.5, 1, -2], [3, 4, 5]], np.float32))

    def work(page: Page) -> None:
        open_run(page, models.table())
        page.get_by_text("File", exact=True).click()
        file = {"name": "x.npy", "mimeType": "application/octet-stream", "buffer": content.getvalue()}
        page.locator(".input-card input[type=file]").set_input_files([file])  # type: ignore[list-item]
        expect(page.locator(".input-card .picker label")).to_have_text("x.npy")
        run(page)
        rows = page.locator(".output-card tbody tr").all_inner_texts()
        assert [row.split() for row in rows] == [["0", "1", "2", "-4"], ["1", "6", "8", "10"]]

    visit(work)


def test_a_picture_reaches_the_model_as_its_pixels(visit: Visit) -> None:
    """Grey, sized as the model wants it, from 0 to 1."""
    picture = io.BytesIO()
    pixels = np.kron(np.arange(0, 256, 5, dtype=np.uint8)[:49].reshape(7, 7), np.ones((8, 8), np.uint8))
    Image.fromarray(pixels).save(picture, "PNG")

    def work(page: Page) -> None:
        open_run(page, models.picture())
        page.get_by_text("Picture", exact=True).click()
        file = {"name": "p.png", "mimeType": "image/png", "buffer": picture.getvalue()}
        page.locator(".input-card input[type=file]").set_input_files([file])  # type: ignore[list-item]
        page.locator(".picture-preview").wait_for()
        run(page)
        page.locator(".output-picture").wait_for()
        array = np.load(io.BytesIO(saved(page, "Save y as .npy")))
        assert array.shape == (1, 1, 14, 14)
        # In the middle of each of the 49 fields, 2 by 2 pixels here.
        expected = np.kron(np.arange(0, 245, 5).reshape(7, 7) / 255, np.ones((2, 2)))
        assert np.abs(array[0, 0] - expected).max() < 0.02

    visit(work, accept_downloads=True)


def test_what_is_drawn_runs_at_once(visit: Visit) -> None:
    def work(page: Page) -> None:
        open_run(page, models.picture())
        page.get_by_text("Draw", exact=True).click()
        box = page.locator(".drawing canvas").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 20, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] - 20, box["y"] + box["height"] / 2, steps=5)
        page.mouse.up()
        page.locator(".output-picture").wait_for()
        array = np.load(io.BytesIO(saved(page, "Save y as .npy")))[0, 0]
        assert array[6:8, 2:12].sum(axis=0).min() > 0.9 and array[:4].max() == 0

    visit(work, accept_downloads=True)


def test_a_model_that_needs_too_much_memory_is_explained(visit: Visit) -> None:
    def work(page: Page) -> None:
        open_run(page, models.enormous())
        page.locator("form .main").click()
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text("model.onnx is too large for this page", timeout=20_000)
        expect(alert).to_contain_text("A page has 4 GB at most")
        expect(alert).to_contain_text("34359738368")
        # The next model runs.
        page.get_by_role("button", name="start again").click()
        open_run(page, models.table())
        run(page)

    visit(work)
