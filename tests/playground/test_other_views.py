"""Performance, comparison and code."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from playwright.sync_api import Page, expect

from onnxlet.cli.server import FolderServer
from tests.playground import models
from tests.playground.conftest import BOTH_WIDTHS, Visit, open_model
from tests.support.paths import ROOT


def open_view(page: Page, name: str, content: bytes) -> None:
    open_model(page, content)
    page.get_by_role("button", name=name, exact=True).click()


@BOTH_WIDTHS
def test_setups_are_measured_side_by_side(visit: Visit, viewport: dict[str, int]) -> None:
    def work(page: Page) -> None:
        open_view(page, "Performance", models.digits())
        page.get_by_label("Runs").fill("5")
        page.get_by_label("WebGPU").check()
        page.get_by_role("button", name="Measure").click()
        rows = page.locator(".setup-rows button")
        expect(rows).to_have_count(4, timeout=60_000)
        expect(page.get_by_role("button", name="Measure")).to_be_enabled(timeout=60_000)
        assert [re.sub(r"\d+", "N", name) for name in page.locator(".setup-name").all_inner_texts()] == [
            "SIMD",
            "Relaxed SIMD",
            "N threads",
            "WebGPU",
        ]
        for time in page.locator(".setup-rows strong").all_inner_texts():
            assert re.fullmatch(r"[\d.]+ (µs|ms|s)", time)
        rows.nth(0).click()
        expect(page.get_by_text("SIMD: where the time goes", exact=True)).to_be_visible()
        operators = page.get_by_role("region", name="Time by operator")
        expect(operators).to_contain_text("conv_f32")
        expect(page.get_by_role("img", name="nodes of a run by their time")).to_be_visible()
        assert page.locator(".uplot canvas").count() == 2
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    visit(work, viewport=viewport)


def test_without_isolation_threads_are_not_offered(visit: Visit) -> None:
    def work(page: Page) -> None:
        open_view(page, "Performance", models.digits())
        choice = page.locator(".choices label").filter(has_text="threads")
        expect(choice).to_contain_text("the page is not cross-origin isolated")
        expect(choice.locator("input")).to_be_disabled()

    visit(work, isolated=False)


def test_two_models_on_the_same_input(visit: Visit) -> None:
    """The second has other weights after the first node: what comes before is the same to the last bit."""

    def work(page: Page) -> None:
        open_view(page, "Compare", models.digits())
        file = {"name": "other.onnx", "mimeType": "application/octet-stream", "buffer": models.digits(scale=1.5)}
        page.locator(".compare-choice input[type=file]").set_input_files([file])  # type: ignore[list-item]
        sides = page.get_by_role("region", name="Side by side")
        expect(sides).to_contain_text("other.onnx", timeout=30_000)
        expect(sides.get_by_role("row", name="size")).to_contain_text("1.00 ×")
        expect(page.locator(".compared")).to_contain_text("50 % apart")
        expect(page.locator(".compared")).to_contain_text("the highest is in the same place")
        heights = page.locator(".layer-bars rect").evaluate_all("bars => bars.map(bar => bar.getAttribute('height'))")
        assert heights == ["0.8", "0.8", "0.8", "0.8", "98"]

    visit(work)


def test_a_model_that_takes_other_inputs_cannot_be_compared(visit: Visit) -> None:
    def work(page: Page) -> None:
        open_view(page, "Compare", models.digits())
        file = {"name": "table.onnx", "mimeType": "application/octet-stream", "buffer": models.table()}
        page.locator(".compare-choice input[type=file]").set_input_files([file])  # type: ignore[list-item]
        expect(page.get_by_role("alert")).to_contain_text('The second model also takes "x", which the first has not')

    visit(work)


def test_a_model_beside_itself_on_webgpu(visit: Visit) -> None:
    def work(page: Page) -> None:
        open_view(page, "Compare", models.digits())
        page.get_by_role("button", name="Itself on WebGPU").click()
        expect(page.get_by_role("region", name="Side by side")).to_contain_text("model.onnx, WebGPU", timeout=60_000)
        expect(page.locator(".compared")).to_contain_text(
            re.compile(r"Every bit is the same|e-0\d % apart|0\.0\d* % apart")
        )

    visit(work)


LOSE_DEVICE = """
const requestDevice = GPUAdapter.prototype.requestDevice;
GPUAdapter.prototype.requestDevice = async function (...wishes) {
  const device = await requestDevice.apply(this, wishes);
  const { queue } = device;
  const submit = queue.submit.bind(queue);
  queue.submit = (commands) => { submit(commands); device.destroy(); };
  return device;
};
"""


def test_a_gpu_that_is_lost_is_explained(visit: Visit, site: FolderServer) -> None:
    """The device is destroyed by the first work that it is given."""

    def work(page: Page) -> None:
        script = (site.folder / "onnxlet" / "webgpu.mjs").read_text(encoding="utf-8")
        page.context.route(
            "**/webgpu.mjs", lambda route: route.fulfill(body=LOSE_DEVICE + script, content_type="text/javascript")
        )
        open_view(page, "Compare", models.digits(channels=64))
        page.get_by_role("button", name="Itself on WebGPU").click()
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text("The GPU went away while the model ran", timeout=60_000)
        expect(alert).to_contain_text("Run again: it gets a new one.")

    visit(work)


def test_programs_for_the_model(visit: Visit, tmp_path: Path) -> None:
    programs: list[str] = []

    def work(page: Page) -> None:
        open_view(page, "Code", models.digits())
        code = page.locator("pre.code")
        expect(code).to_contain_text("InferenceSession.create('./model.onnx')")
        expect(code).to_contain_text("image: new Tensor('float32', new Float32Array(784), [1, 1, 28, 28])")
        page.get_by_text("Python", exact=True).click()
        expect(code).to_contain_text('"image": np.zeros((1, 1, 28, 28), np.float32)')
        programs.append(code.inner_text())
        page.get_by_text("Pyodide", exact=True).click()
        expect(code).to_contain_text("await session.run_async(None, {")
        page.get_by_role("button", name="Copy").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == code.inner_text()

    visit(work, permissions=["clipboard-read", "clipboard-write"])
    (tmp_path / "model.onnx").write_bytes(models.digits())
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", programs[0]]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert re.fullmatch(r"scores \[\[.+\]\]\n", done.stdout)


def test_the_exported_site_runs(visit: Visit, tmp_path: Path) -> None:
    def export(page: Page) -> bytes:
        open_view(page, "Code", models.digits())
        with page.expect_download() as download:
            page.get_by_role("button", name="Save as a site").click()
        return Path(download.value.path()).read_bytes()

    archive = zipfile.ZipFile(io.BytesIO(visit(export, accept_downloads=True)))
    archive.extractall(tmp_path)
    assert {"index.html", "main.mjs", "model.onnx", "onnxlet/onnxlet.mjs"} <= set(archive.namelist())

    def open_exported(page: Page) -> None:
        expect(page.locator("#outputs")).to_contain_text("scores: float32 [1,3]", timeout=20_000)

    visit(open_exported, folder=tmp_path)
