"""Boxes over a picture: detectors of several kinds, faces, and lines of text that a second model reads."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect

from onnxlet import InferenceSession
from onnxlet.bundle.pipeline import compose
from tests.models.fetch import fetch
from tests.playground import models
from tests.playground.conftest import BOTH_WIDTHS, Visit, choose_file, is_fine, open_run, run, saved
from tests.support.paths import ROOT

sys.path.insert(0, str(ROOT / "examples" / "ocr"))

from ocr import Reader
from text_boxes import find_boxes

Fetched = Callable[[Callable[[], Path]], Path]


NO_PICTURE: Any = {"name": "p.png", "mimeType": "image/png", "buffer": b"no picture"}


def picture(width: int, height: int) -> bytes:
    content = io.BytesIO()
    Image.fromarray(np.full((height, width, 3), 90, np.uint8)).save(content, "PNG")
    return content.getvalue()


def take_picture(page: Page, content: bytes) -> None:
    page.get_by_text("Picture", exact=True).first.click()
    choose_file(page, "or drop it here", "p.png", content)
    page.locator(".input-card canvas").wait_for()


def found(page: Page, output: str) -> list[tuple[str, list[float]]]:
    """Names with score and sides, of the list."""
    card = page.get_by_role("region", name=f"Output {output}", exact=True)
    rows = card.get_by_role("region", name="What was found").locator("tbody tr").all()
    cells = [(row.locator("th").inner_text(), row.locator("td").all_inner_texts()) for row in rows]
    return [(name, [float(text) for text in texts if text]) for name, texts in cells]


@BOTH_WIDTHS
def test_boxes_with_scores_of_classes(visit: Visit, viewport: dict[str, int]) -> None:
    """From 0 to 1, several on the same thing, over a picture of another shape than the model's."""
    boxes = np.array([[[0.5, 0.5, 0.75, 0.75], [0.5, 0.5, 0.75, 0.8], [0.25, 0.1, 0.5, 1.2], [0, 0, 1, 1]]])
    scores = np.array([[[0.1, 0.9], [0.2, 0.8], [0.7, 0.3], [0.4, 0.45]]])
    outputs = {"boxes": boxes.astype(np.float32), "scores": scores.astype(np.float32)}

    def work(page: Page) -> None:
        open_run(page, models.detector(outputs))
        take_picture(page, picture(100, 100))
        page.get_by_label("Fit").select_option("contain")
        run(page)
        # 100 pixels high are 40 in the frame of 80 by 40, whose outer quarters the picture leaves free.
        expected = [("1", [0.9, 50, 50, 100, 75]), ("0", [0.7, 0, 10, 50, 100])]
        assert found(page, "boxes") == expected
        card = page.locator(".output-card").first
        expect(card.get_by_role("img", name="The picture with 2 marked, 100 × 100")).to_be_visible()
        marks = card.locator("rect").all()
        sides = [[float(mark.get_attribute(name) or "") for name in ("x", "y", "width", "height")] for mark in marks]
        np.testing.assert_allclose(sides, [[50, 50, 50, 25], [0, 10, 50, 90]], atol=1e-3)
        page.get_by_role("slider", name="Threshold").fill("0.4")
        assert [name for name, _ in found(page, "boxes")] == ["1", "0", "1"]
        page.get_by_label("Rows are").select_option("centre, size")
        assert found(page, "boxes")[0] == ("1", [0.9, 0, 12.5, 100, 87.5])
        page.get_by_role("slider", name="Threshold").fill("1")
        expect(card).to_contain_text("Nothing was found.")
        is_fine(page)

    visit(work, viewport=viewport, bypass_csp=True)


def test_boxes_in_pixels_with_names(visit: Visit) -> None:
    """As TensorFlow's detectors and torchvision's give them: the class is an output."""
    outputs = {
        "detection_boxes": np.array([[10, 20, 30, 60], [0, 0, 8, 8]], np.float32),
        "detection_scores": np.array([0.6, 0.8], np.float32),
        "detection_classes": np.array([7, 3], np.int64),
    }

    def work(page: Page) -> None:
        open_run(page, models.detector(outputs))
        take_picture(page, picture(160, 80))
        run(page)
        assert found(page, "detection_boxes") == [("3", [0.8, 0, 0, 16, 16]), ("7", [0.6, 40, 20, 120, 60])]
        page.get_by_label("Rows are").select_option("left, top, size")
        assert found(page, "detection_boxes")[1] == ("7", [0.6, 20, 40, 80, 80])
        page.get_by_label("Numbers are").select_option("shares of the frame")
        assert found(page, "detection_boxes")[1] == ("7", [0.6, 160, 80, 160, 80])

    visit(work)


@BOTH_WIDTHS
def test_faces(visit: Visit, fetched: Fetched, viewport: dict[str, int]) -> None:
    """The model has the file decoded; boxes are in the picture's pixels."""
    folder = fetched(lambda: fetch("blazeface"))
    pipeline = ROOT / "examples" / "pipelines" / "face-boxes.toml"
    application = compose(folder / "face_detection_back_256x256_barracuda.onnx", pipeline)
    content = io.BytesIO()
    with Image.open(fetched(lambda: fetch("portrait")) / "grace_hopper.jpg") as portrait:
        twins = Image.new("RGB", (2 * portrait.width, portrait.height))
        for at in range(2):
            twins.paste(portrait, (at * portrait.width, 0))
        twins.save(content, "PNG")
    with InferenceSession(application.model) as session:
        data = np.frombuffer(content.getvalue(), np.uint8)
        boxes, scores = session.run(["faces", "faces_scores"], {"picture": data})
    assert len(boxes) == 2

    def work(page: Page) -> None:
        open_run(page, application.model)
        page.locator("form .main").click()
        expect(page.get_by_role("alert")).to_contain_text('Choose a picture for input "picture" first.')
        page.locator(".input-card .picker input").set_input_files([NO_PICTURE])
        expect(page.get_by_role("alert")).to_contain_text("The browser cannot read this file as a picture. PNG, JPEG")
        take_picture(page, content.getvalue())
        run(page)
        np.testing.assert_allclose(np.load(io.BytesIO(saved(page, "Save faces as .npy"))), boxes, atol=0.02)
        rows = [numbers for _, numbers in found(page, "faces")]
        np.testing.assert_allclose(rows, np.concatenate([scores[:, None], boxes], 1), atol=0.07)
        # A picture is made up where none is at hand.
        page.get_by_text("Random", exact=True).click()
        run(page)
        assert np.load(io.BytesIO(saved(page, "Save faces as .npy"))).shape == (0, 4)
        is_fine(page)

    visit(work, viewport=viewport, accept_downloads=True, bypass_csp=True)


def read_lines(page: Page) -> list[str]:
    page.locator(".text-lines[aria-busy=false]").wait_for()
    return page.locator(".line-text").all_inner_texts()


def test_lines_of_text_are_found_and_read(visit: Visit, fetched: Fetched) -> None:
    folder = fetched(lambda: fetch("tinyocr"))
    path = ROOT / "examples" / "ocr" / "picture.png"
    with Image.open(path) as image:
        width, height = image.size
        lines = Reader(folder).read(image.convert("RGB"))

    def work(page: Page) -> None:
        open_run(page, folder / "det.onnx")
        take_picture(page, path.read_bytes())
        page.get_by_label("DynamicDimension.1").fill("480")
        page.get_by_label("DynamicDimension.2").fill("640")
        page.get_by_label("Numbers").select_option("ImageNet")
        page.get_by_label("Fit").select_option("stretch")
        page.get_by_label("Blue first").check()
        run(page)
        # A pixel more or less in the map can turn a box: they are those of this very map.
        probabilities = np.load(io.BytesIO(saved(page, "Save fetch_name_0 as .npy")))[0, 0]
        boxes = sorted(find_boxes(probabilities), key=lambda box: box.corners[:, 1].mean())
        corners = np.array([box.corners for box in boxes]) * (width / 640, height / 480)
        page.get_by_text("Lines of text", exact=True).click()
        places = [[float(number) for number in re.findall(r"\d+", text)] for text in read_lines(page)]
        np.testing.assert_allclose(places, np.concatenate([corners.min(1), corners.max(1)], 1), atol=0.51)
        shapes = [shape.get_attribute("points") or "" for shape in page.locator("polygon").all()]
        points = np.array([[point.split(",") for point in shape.split()] for shape in shapes], float)
        np.testing.assert_allclose(points, corners, atol=1e-3)
        choose_file(page, "a model that reads them", "rec.onnx", (folder / "rec.onnx").read_bytes())
        expect(page.locator(".line-text").first).to_have_text(lines[0].text)
        assert read_lines(page) == [line.text for line in lines]

    visit(work, accept_downloads=True)


def test_a_model_that_reads_no_lines_is_refused(visit: Visit) -> None:
    text_map = np.zeros((1, 1, 40, 80), np.float32)
    text_map[0, 0, 10:20, 10:70] = 0.9

    def work(page: Page) -> None:
        alert = page.get_by_role("alert")
        open_run(page, models.detector({"map": text_map}))
        take_picture(page, picture(80, 40))
        run(page)
        page.get_by_text("Lines of text", exact=True).click()
        assert read_lines(page) == ["from 3, 3 to 77, 27"]
        for content in (models.digits(), models.line_reader("ab", 3, height=None)):
            choose_file(page, "a model that reads them", "other.onnx", content)
            expect(alert).to_contain_text("other.onnx does not read lines of text: such a model takes a picture")
            alert.get_by_role("button", name="Close").click()
        choose_file(page, "a model that reads them", "odd.onnx", models.line_reader("ab", 9))
        expect(alert).to_contain_text("odd.onnx lists another number of characters than it gives probabilities for.")
        choose_file(page, "Read by odd.onnx", "blank.onnx", models.line_reader("ab", 3))
        expect(page.locator(".line-text")).to_have_text("")
        choose_file(page, "Read by blank.onnx", "broken.onnx", b"<html>")
        expect(alert).to_contain_text("broken.onnx cannot be read as an ONNX model")

    visit(work)
