"""The examples that the build puts on the page."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from tokenizers import Tokenizer

from onnxlet import InferenceSession
from onnxlet.bundle.pipeline import compose
from onnxlet.cli.serve import PLAYGROUND
from tests.models.fetch import FetchError
from tests.playground.conftest import NARROW, Visit
from tests.support.missing import missing
from tests.support.paths import ROOT, in_ci

FOLDER = PLAYGROUND / "examples"
LARGE = FOLDER / "large"


def listed(folder: Path) -> list[dict[str, Any]]:
    path = folder / "examples.json"
    if not path.is_file():
        missing("the playground's examples are not built; run ./build.sh build")
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_all_are_there_and_run(visit: Visit) -> None:
    examples = [*listed(FOLDER), *listed(LARGE)]
    titles = {example["title"] for example in examples}
    assert {"Read a digit", "Classify a table"} <= titles
    if in_ci():
        assert titles == {"Read a digit", "Classify a table", "Cut out a person", *CHECKS}

    def work(page: Page) -> None:
        for example in examples:
            page.get_by_role("button", name=example["title"]).click()
            page.locator(".bar-model").wait_for()
            if example["title"] == "Read a digit":
                draw_one(page)
            page.locator(".run-line").wait_for()
            CHECKS.get(example["title"], lambda _: None)(page)
            assert page.get_by_role("alert").count() == 0
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), example["title"]
            page.get_by_role("button", name="start again").click()

    visit(work, viewport=NARROW)


def text_is_read(page: Page) -> None:
    expect(page.locator(".line-text")).to_have_text(TEXT)


def a_face_is_found(page: Page) -> None:
    with InferenceSession(str(FOLDER / "faces.onnx")) as session:
        data = np.fromfile(FOLDER / "portrait.jpg", np.uint8)
        (boxes,) = session.run(["faces"], {"picture": data})
    assert len(boxes) == 1
    cells = page.locator(".output-card").first.locator("tbody td").all_inner_texts()
    np.testing.assert_allclose([float(cell) for cell in cells[1:]], boxes[0], atol=0.1)


def speech_is_marked(page: Page) -> None:
    application = compose(FOLDER / "speech.onnx", ROOT / "examples" / "pipelines" / "speech-segments.toml")
    with InferenceSession(application.model) as session:
        (segments,) = session.run(None, {"sound": np.fromfile(FOLDER / "speech.wav", np.uint8)})
    assert len(segments) == 3
    expect(page.locator(".found li")).to_have_text([f"{start:.2f} s to {end:.2f} s" for start, end in segments])


def sentences_are_compared(page: Page) -> None:
    (example,) = listed(LARGE)
    texts = example["inputs"]["input_ids"]["written"].split("\n")
    tokenizer = Tokenizer.from_file(str(LARGE / example["tokenizer"]))
    vectors = []
    with InferenceSession(str(LARGE / example["model"])) as session:
        for text in texts:
            ids = np.array([tokenizer.encode(text).ids])
            feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            vectors.append(session.run(None, feeds)[0][0].mean(0))
    unit = np.stack([vector / np.linalg.norm(vector) for vector in vectors])
    page.locator(".similarity").wait_for()
    rows = [row.locator("td").all_inner_texts() for row in page.locator(".similarity tbody tr").all()]
    found = np.array(rows, float)
    np.testing.assert_allclose(found, unit @ unit.T, atol=1e-4)
    # Those about cats are alike, as are those about trains.
    assert found[0, 1] > 0.5 and found[2, 3] > 0.5 and found[0, 2:].max() < 0.3


TEXT = [
    "Reading a picture with onnxlet",
    "Invoice 2041-77",
    "Coffee beans, 250 g",
    "Total: 128.50 EUR",
    "WebAssembly runs it anywhere",
    "no network, no server",
]
CHECKS: dict[str, Callable[[Page], None]] = {
    "Read text": text_is_read,
    "Find faces": a_face_is_found,
    "Hear speech": speech_is_marked,
    "Compare sentences": sentences_are_compared,
}


def test_what_a_page_lacks_is_not_offered(visit: Visit) -> None:
    """Wheels have no large examples."""

    def work(page: Page) -> None:
        page.context.route("**/examples/large/**", lambda route: route.fulfill(status=404))
        page.reload()
        page.get_by_role("button", name="Read text").wait_for()
        assert page.locator(".examples button").count() == len(listed(FOLDER))
        page.context.route("**/examples/digits.onnx", lambda route: route.fulfill(status=404))
        page.get_by_role("button", name="Read a digit").click()
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text("The file digits.onnx of the example is not there (404).")

    visit(work, service_workers="block")


def test_what_cannot_be_fetched_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("examples", ROOT / "web" / "playground" / "examples.py")
    assert spec is not None and spec.loader is not None
    examples = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(examples)

    def faraway(_: Path) -> dict[str, Any]:
        raise FetchError("there is no network")

    examples.write(tmp_path / "made", (examples.table, faraway))
    assert [example["title"] for example in listed(tmp_path / "made")] == ["Classify a table"]
    assert capsys.readouterr().err == "the example faraway is left out: there is no network\n"


def test_licences_are_passed_on() -> None:
    sources = {name for example in listed(FOLDER) for name in example.get("sources", ())}
    text = (FOLDER / "LICENSES.txt").read_text(encoding="utf-8")
    lines = text.split("\n\n")[0].splitlines()
    assert [line.partition(":")[0] for line in lines] == sorted(sources)
    if "silero-vad" in sources:
        assert "silero-vad: silero-vad 6.2.3; MIT" in lines and "Copyright (c) 2020-present Silero Team" in text


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
