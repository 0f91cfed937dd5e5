"""The performance view beside onnxruntime-web, whose files somebody supplies."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper
from playwright.sync_api import Page, expect

from bench.runner import install_peer
from tests.playground import models
from tests.playground.conftest import BOTH_ISOLATIONS, Visit, open_model
from tests.support.missing import missing

# It is what serves the files.
ALLOWED = "allow"
NAMES = ("ort.wasm.min.mjs", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm")


@pytest.fixture(scope="session")
def package() -> Path:
    """The folder dist of the package that the benchmark pins."""
    try:
        return install_peer() / "dist"
    except SystemExit as error:
        missing(str(error))


def supply(page: Page, files: Sequence[Path] | Sequence[dict[str, Any]]) -> None:
    details = page.locator("details.peer-choice")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    chosen: Any = [str(file) if isinstance(file, Path) else file for file in files]
    details.locator("input[type=file]").set_input_files(chosen)


def supply_all(page: Page, files: Sequence[Path] | Sequence[dict[str, Any]]) -> None:
    supply(page, files)
    expect(page.locator(".peer-choice")).to_contain_text("onnxruntime-web (ort.wasm.min.mjs), which this browser keeps")


def open_performance(page: Page, model: bytes) -> None:
    open_model(page, model)
    page.get_by_role("button", name="Performance", exact=True).click()
    page.get_by_label("Runs").fill("3")
    for box in page.locator(".choices input:enabled").all()[2:]:
        box.uncheck()


def measure(page: Page) -> None:
    page.get_by_role("button", name="Measure").click()
    expect(page.get_by_role("button", name="Measure", exact=True)).to_be_enabled(timeout=60_000)


@BOTH_ISOLATIONS
def test_it_is_measured_and_its_outputs_are_compared(visit: Visit, package: Path, isolated: bool) -> None:
    def work(page: Page) -> None:
        open_performance(page, models.digits())
        supply_all(page, [package / name for name in NAMES])
        measure(page)
        rows = page.locator(".setup-row.peer")
        expect(rows).to_have_count(2 if isolated else 1)
        for row in rows.all():
            name = row.locator(".setup-name").inner_text()
            assert re.fullmatch(r"onnxruntime-web, \d threads? \(1\.30\.0\)", name)
            assert re.fullmatch(r"[\d.]+ (µs|ms)", row.locator("strong").inner_text())
            note = row.locator(".setup-note").inner_text()
            apart = re.search(r"its outputs are (?:([\d.e-]+) % apart from onnxlet's|those of onnxlet)", note)
            assert apart is not None and float(apart[1] or 0) < 0.01
        # The next visit finds it.
        page.reload()
        open_performance(page, models.digits())
        expect(page.locator(".peer-choice")).to_contain_text("which this browser keeps")
        page.get_by_role("button", name="Forget it").click()
        measure(page)
        expect(page.locator(".setup-row")).to_have_count(1)

    visit(work, isolated=isolated, service_workers=ALLOWED)


@pytest.mark.only_with_all
def test_a_model_that_it_does_not_run(visit: Visit, package: Path) -> None:
    """Its outputs are tensors alone."""
    model = onnx.load_from_string(models.table(rows=2))
    model.graph.node.append(helper.make_node("SequenceConstruct", ["y"], ["sequence"]))
    tensor = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    model.graph.output.append(helper.make_value_info("sequence", helper.make_sequence_type_proto(tensor)))

    def work(page: Page) -> None:
        open_performance(page, model.SerializeToString())
        supply_all(page, [package / name for name in NAMES])
        measure(page)
        expect(page.locator(".setup-row")).to_have_count(1)
        problem = page.locator(".setup-rows .problem").first
        expect(problem).to_contain_text("onnxruntime-web, 1 thread: onnxruntime-web does not run model.onnx")

    visit(work, service_workers=ALLOWED)


def fake(entry: str) -> list[dict[str, Any]]:
    """A package of these files, the first of which is this script."""
    contents = [f"/* ONNX Runtime Web */\n{entry}".encode(), b"", b"\0asm\1\0\0\0"]
    return [
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
        for name, content in zip(NAMES, contents, strict=True)
    ]


SPY = """
const attempt = async (work) => { try { return await work(); } catch (error) { return error.name; } };
const found = {
  elsewhere: await attempt(() => fetch('http://127.0.0.2:9/').then(() => 'reached')),
  text: await attempt(() => eval('"evaluated"')),
  script: await attempt(() => import('data:text/javascript,export default 1').then(() => 'imported')),
};
export const env = { versions: { common: '0' }, wasm: {} };
export class Tensor {}
export const InferenceSession = { create: () => Promise.reject(new Error(JSON.stringify(found))) };
"""


def test_what_is_supplied_reaches_nothing_else(visit: Visit) -> None:
    def work(page: Page) -> dict[str, str]:
        open_performance(page, models.digits())
        supply_all(page, fake(SPY))
        measure(page)
        problem = page.locator(".setup-rows .problem").first.inner_text()
        assert problem.startswith("onnxruntime-web, 1 thread: onnxruntime-web does not run model.onnx. ")
        found: dict[str, str] = json.loads(problem[problem.index("{") :])
        return found

    assert visit(work, service_workers=ALLOWED) == {
        "elsewhere": "TypeError",
        "text": "EvalError",
        "script": "TypeError",
    }


def named(*names: str, content: bytes = b"") -> list[dict[str, Any]]:
    return [{"name": name, "mimeType": "application/octet-stream", "buffer": content} for name in names]


def test_wrong_files_are_explained(visit: Visit) -> None:
    entry, script, engine = fake("")
    cases = [
        (named("model.onnx", "a.txt"), "There is no onnxruntime-web among these files (model.onnx, a.txt)."),
        (named("a.mjs", "b.mjs", "c.mjs", "d.mjs"), "among these files (a.mjs, b.mjs, c.mjs …)."),
        (named("ort.node.min.mjs"), "That build of onnxruntime-web is for Node."),
        (named(*NAMES), "ort.wasm.min.mjs is not that of onnxruntime-web."),
        ([entry, script], "ort.wasm.min.mjs also needs ort-wasm-simd-threaded.wasm, from the same folder."),
        ([entry], "also needs ort-wasm-simd-threaded.mjs and ort-wasm-simd-threaded.wasm"),
        ([entry, script, {**engine, "buffer": b"<!doctype"}], "ort-wasm-simd-threaded.wasm is no WebAssembly"),
    ]

    def work(page: Page) -> None:
        open_performance(page, models.digits())
        for files, words in cases:
            supply(page, files)
            alert = page.get_by_role("alert")
            expect(alert).to_contain_text(words)
            expect(alert).to_contain_text("onnxruntime-web cannot be used")
            expect(alert).to_contain_text("Take ort.wasm.min.mjs, ort-wasm-simd-threaded.mjs and")
        # A script that says that it is onnxruntime-web, and is not.
        supply_all(page, fake("export const nothing = 1;"))
        measure(page)
        expect(page.locator(".setup-rows .problem").first).to_contain_text(
            "ort.wasm.min.mjs has no InferenceSession: it is not onnxruntime-web"
        )

    visit(work, service_workers=ALLOWED)


def test_without_a_service_worker_it_cannot_be_supplied(visit: Visit) -> None:
    def work(page: Page) -> None:
        page.add_init_script("delete Navigator.prototype.serviceWorker;")
        page.reload()
        open_performance(page, models.digits())
        supply(page, fake(""))
        expect(page.get_by_role("alert")).to_contain_text("The browser gives this page no service worker")
        expect(page.get_by_role("alert")).to_contain_text("Open the page by https, or from this machine.")

    visit(work, service_workers=ALLOWED)
