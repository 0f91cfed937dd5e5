"""How quickly the page answers, measured by the browser itself, and that nothing moves under the reader's eyes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper
from playwright.sync_api import Page, expect

from tests.playground import models
from tests.playground.conftest import BOTH_ISOLATIONS, BOTH_WIDTHS, Visit, open_model

pytestmark = pytest.mark.alone

# The longest task and the slowest answer to an input, in milliseconds; all that moved, by the browser's own measure.
WATCH = """() => {
  globalThis.seen = { task: 0, answer: 0, moved: 0 };
  const watch = (type, note, options = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, ...options });
  watch('longtask', ({ duration }) => { seen.task = Math.max(seen.task, duration); });
  watch('event', ({ duration }) => { seen.answer = Math.max(seen.answer, duration); }, { durationThreshold: 16 });
  watch('layout-shift', ({ value }) => { seen.moved += value; });
}"""


@pytest.fixture(scope="session")
def heavy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of 20 MB."""
    path = tmp_path_factory.mktemp("heavy") / "heavy.onnx"
    path.write_bytes(models.heavy())
    assert path.stat().st_size > 20_000_000
    return path


def layers(count: int) -> bytes:
    """A graph like a transformer's: chains, branches, and a mask that every layer reads. `count`: nodes, about."""
    nodes: list[onnx.NodeProto] = []

    def add(op_type: str, *inputs: str) -> str:
        name = f"v{len(nodes)}"
        nodes.append(helper.make_node(op_type, list(inputs), [name], name=f"node {len(nodes)}"))
        return name

    last = "x"
    while len(nodes) < count - 8:
        sides = [add("Abs", add("Neg", last)) for _ in range(3)]
        last = add("Add", add("Mul", add("Add", sides[0], sides[1]), sides[2]), "mask")
        last = add("Add", last, "x")
    return onnx.helper.make_model(
        helper.make_graph(
            nodes,
            "layers",
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in ("x", "mask")],
            [helper.make_tensor_value_info(last, TensorProto.FLOAT, [4])],
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    ).SerializeToString()


def test_twenty_megabytes_are_described_within_a_second(visit: Visit, heavy: Path) -> None:
    def work(page: Page) -> float:
        open_model(page, models.digits())  # the workers are there
        page.get_by_role("button", name="start again").click()
        open_model(page, heavy)
        text = page.get_by_text("ms after it was dropped").inner_text()
        return float(text.split()[1])

    assert visit(work) < 1000


def answered(measured: list[dict[str, float]]) -> bool:
    """Within 100 ms in one attempt: other processes make single tasks long, what the page does is the same each time."""
    return min(max(each["task"], each["answer"]) for each in measured) < 100


@BOTH_ISOLATIONS
def test_the_page_answers_while_a_model_runs(visit: Visit, heavy: Path, isolated: bool) -> None:
    def work(page: Page) -> list[dict[str, float]]:
        open_model(page, heavy)
        page.get_by_role("button", name="Run", exact=True).click()
        page.locator(".size-fields input").fill("96")
        page.evaluate(WATCH)
        busy = page.locator(".run-outputs[aria-busy=true]")
        found = []
        for _ in range(3):
            page.evaluate("() => { Object.assign(seen, { task: 0, answer: 0 }); }")
            page.locator("form .main").click()
            expect(busy).to_have_count(1)
            for _ in range(2):
                page.get_by_role("button", name="Change to").click()
            assert busy.count() == 1, "the run was over before anybody pressed anything"
            expect(busy).to_have_count(0, timeout=30_000)
            found.append(page.evaluate("seen"))
            if answered(found):
                break
        return found

    measured = visit(work, isolated=isolated)
    assert answered(measured), measured


def test_the_page_answers_while_a_model_is_packed(visit: Visit, heavy: Path) -> None:
    def work(page: Page) -> list[dict[str, float]]:
        open_model(page, heavy)
        page.get_by_role("button", name="Run", exact=True).click()
        page.locator(".size-fields input").fill("1")
        page.get_by_role("button", name="Pack", exact=True).click()
        page.evaluate(WATCH)
        found = []
        for _ in range(3):
            page.evaluate("() => { Object.assign(seen, { task: 0, answer: 0 }); }")
            page.locator(".pack-options .main").click()
            page.get_by_role("button", name="Change to").click()
            page.get_by_role("button", name="Save", exact=True).wait_for()
            found.append(page.evaluate("seen"))
            if answered(found):
                break
            expect(page.locator(".pack-options .main")).to_be_enabled(timeout=60_000)
        return found

    measured = visit(work)
    assert answered(measured), measured


@BOTH_WIDTHS
def test_nothing_moves_while_a_model_loads(visit: Visit, viewport: dict[str, int], heavy: Path) -> None:
    def work(page: Page) -> None:
        page.locator(".examples button").first.wait_for()
        page.evaluate("() => document.fonts.ready.then(() => undefined)")
        page.evaluate(WATCH)
        open_model(page, heavy)
        page.locator(".box").first.wait_for()
        expect(page.get_by_role("button", name="Measure")).to_be_enabled()
        page.wait_for_timeout(200)
        assert page.evaluate("seen.moved") < 0.01

    visit(work, viewport=viewport)


def test_a_graph_of_thousands_of_nodes_is_drawn_at_once(visit: Visit) -> None:
    content = layers(4000)

    def work(page: Page) -> float:
        open_model(page, models.digits())
        page.get_by_role("button", name="start again").click()
        open_model(page, content, "layers.onnx")
        page.locator(".graph-body[aria-busy=false] .box").first.wait_for()
        text = page.get_by_text("ms after it was dropped").inner_text()
        assert page.locator(".graph-body .box").count() < 200  # those that are in sight
        page.get_by_role("button", name="Fit").click()
        # Since the page began to read it, as the page itself measures it.
        return float(text.split()[1]) + page.evaluate("performance.getEntriesByName('graph laid out').at(-1).duration")

    assert visit(work) < 2000


def test_the_fine_layout_keeps_what_is_looked_at(visit: Visit) -> None:
    content = layers(700)

    def work(page: Page) -> None:
        open_model(page, content, "layers.onnx")
        refining = page.locator(".graph-refining")
        expect(refining).to_have_text("Arranging …")
        page.get_by_label("Find a node").fill("node 350")
        page.keyboard.press("Enter")
        selected = page.locator(".box.selected")
        selected.wait_for()
        assert refining.count() == 1
        before: Any = selected.bounding_box()
        expect(refining).to_have_count(0, timeout=30_000)
        after: Any = selected.bounding_box()
        assert abs(before["x"] - after["x"]) < 2 and abs(before["y"] - after["y"]) < 2

    visit(work)
