"""Apps of every kind, built from the packed archive in a temporary folder, make a real inference in Chromium or Node.

The pages are served under `script-src 'self' 'wasm-unsafe-eval'` without `blob:`, isolated, so that two threads run.
"""

from __future__ import annotations

import base64
import contextlib
import json
import shutil
import socket
import subprocess
import time
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.browser.chromium import Chromium, Tab, executable
from tests.packaging import toolbox
from tests.support.missing import missing

WEIGHTS = np.random.default_rng(5).standard_normal((64, 10)).astype(np.float32) / 16
EXPECTED = np.tanh(((np.arange(64) % 7) - 3).astype(np.float32) @ WEIGHTS)


def save_model(path: Path) -> None:
    """y = tanh(x @ w)"""
    info = helper.make_tensor_value_info
    nodes = [helper.make_node("MatMul", ["x", "w"], ["t"]), helper.make_node("Tanh", ["t"], ["y"])]
    ends = [info("x", TensorProto.FLOAT, [1, 64])], [info("y", TensorProto.FLOAT, [1, 10])]
    graph = helper.make_graph(nodes, "g", *ends, [numpy_helper.from_array(WEIGHTS, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


@dataclass
class App:
    """A folder with the model and sources of apps/; the package is installed beside it."""

    folder: Path

    def use(self, *names: str) -> None:
        for name in names:
            shutil.copy(toolbox.SOURCES / name, self.folder)

    def run(self, *command: str | Path) -> str:
        return toolbox.run(command, self.folder)

    def write_page(self, script: str, folder: str = ".") -> str:
        """A page with this script, and the model beside it. The address of the page."""
        page = (toolbox.SOURCES / "page.html").read_text().replace("./page.mjs", script)
        (self.folder / folder / "index.html").write_text(page)
        if folder != ".":
            shutil.copy(self.folder / "model.onnx", self.folder / folder)
        return f"{folder}/index.html"

    def copy_assets(self, folder: str) -> None:
        """What a bundler that does not look for `new URL` leaves to its user."""
        (self.folder / folder).mkdir(parents=True, exist_ok=True)
        for path in (self.folder.parent / "node_modules" / "onnxlet" / "dist").iterdir():
            if path.suffix in (".wasm", ".mjs"):
                shutil.copy(path, self.folder / folder)

    def import_by_path(self) -> None:
        """As pages without a bundler do."""
        self.copy_assets("onnxlet")
        for path in self.folder.glob("*.mjs"):
            path.write_text(path.read_text().replace("'onnxlet'", "'./onnxlet/onnxlet.mjs'"))


# ---- pages: what makes them, and gives the page's address inside the folder ----


def plain(app: App) -> str:
    app.use("page.mjs", "infer.mjs")
    app.import_by_path()
    return app.write_page("./page.mjs")


def module_worker(app: App) -> str:
    app.use("worker-page.mjs", "worker.mjs", "infer.mjs")
    app.import_by_path()
    return app.write_page("./worker-page.mjs")


def service_worker(app: App) -> str:
    app.use("service-page.mjs", "service-worker.mjs", "infer.mjs")
    app.import_by_path()
    return app.write_page("./service-page.mjs")


def vite(app: App) -> str:
    app.use("page.mjs", "infer.mjs", "vite.config.mjs")
    app.write_page("./page.mjs")
    app.run(toolbox.tool("vite"), "build")
    shutil.copy(app.folder / "model.onnx", app.folder / "dist")
    return "dist/index.html"


def vite_module_worker(app: App) -> str:
    app.use("worker-page.mjs", "worker.mjs", "infer.mjs", "vite.config.mjs")
    app.write_page("./worker-page.mjs")
    app.run(toolbox.tool("vite"), "build")
    shutil.copy(app.folder / "model.onnx", app.folder / "dist" / "assets")
    return "dist/index.html"


def webpack(app: App) -> str:
    app.use("page.mjs", "infer.mjs", "webpack.config.cjs")
    words = app.run(toolbox.tool("webpack"), "--config", "webpack.config.cjs")
    assert "WARNING" not in words, words
    return app.write_page("./main.js", "dist")


def esbuild(app: App) -> str:
    app.use("page.mjs", "infer.mjs")
    app.run(toolbox.tool("esbuild"), "page.mjs", "--bundle", "--format=esm", "--outdir=dist")
    app.copy_assets("dist")
    return app.write_page("./page.js", "dist")


def rollup(app: App) -> str:
    app.use("page.mjs", "infer.mjs", "rollup.config.mjs")
    app.run(toolbox.tool("rollup"), "-c", "rollup.config.mjs")
    app.copy_assets("dist")
    return app.write_page("./page.js", "dist")


def one_script(app: App) -> str:
    """Everything in one script, with no assets to copy."""
    app.use("page.mjs", "infer.mjs")
    infer = app.folder / "infer.mjs"
    infer.write_text(infer.read_text().replace("'onnxlet'", "'onnxlet/inline'"))
    app.run(toolbox.tool("esbuild"), "page.mjs", "--bundle", "--format=esm", "--outdir=dist")
    return app.write_page("./page.js", "dist")


@dataclass(frozen=True)
class Expectation:
    threads: int = 2
    warnings: tuple[str, ...] = ()
    """What each warning holds, in order."""


FEWER = "2 threads were asked for and 1 is used: "
PAGES: dict[Callable[[App], str], Expectation] = {
    plain: Expectation(),
    module_worker: Expectation(),
    service_worker: Expectation(1, (FEWER + "workers cannot be started here",)),
    vite: Expectation(),
    vite_module_worker: Expectation(),
    webpack: Expectation(),
    esbuild: Expectation(),
    rollup: Expectation(),
    # The policy forbids the worker, which would be made of a part of the script.
    one_script: Expectation(1, ("its worker did not start", FEWER)),
}


@pytest.fixture
def app(home: Path, request: pytest.FixtureRequest) -> App:
    folder = home / request.node.name.replace("[", "-").rstrip("]")
    folder.mkdir()
    save_model(folder / "model.onnx")
    return App(folder)


@pytest.fixture(scope="module")
def chromium(home: Path) -> Iterator[Chromium]:
    if executable() is None:
        missing("Chromium is not installed: apt-get install chromium")
    with Chromium([home]) as browser:
        yield browser


def check(answer: dict[str, Any], expectation: Expectation) -> None:
    assert "error" not in answer, answer
    np.testing.assert_allclose(answer["y"], EXPECTED, rtol=1e-4, atol=1e-5)
    assert answer["threads"] == expectation.threads, answer
    assert len(answer["warnings"]) == len(expectation.warnings), answer
    for found, wanted in zip(answer["warnings"], expectation.warnings, strict=True):
        assert wanted in found


def answer_of(page: Tab) -> dict[str, Any]:
    page.wait("() => globalThis.answer !== undefined", 30)
    answer: dict[str, Any] = page.evaluate("() => globalThis.answer")
    return answer


@pytest.mark.parametrize("make", PAGES, ids=lambda make: make.__name__)
def test_in_a_page(chromium: Chromium, app: App, make: Callable[[App], str]) -> None:
    page = chromium.page(f"/file{app.folder}/{make(app)}")
    try:
        check(answer_of(page), PAGES[make])
    finally:
        page.close()
    assert chromium.foreign == []


def test_a_page_in_one_file(chromium: Chromium, app: App) -> None:
    """No server at all: the script and the model are parts of the page, and the engine has a worker of its own."""
    one_script(app)
    script = (app.folder / "dist" / "page.js").read_text().replace("</script", "<\\/script")
    model = base64.b64encode((app.folder / "model.onnx").read_bytes()).decode()
    script = script.replace('"model.onnx"', f"Uint8Array.from(atob('{model}'), (c) => c.charCodeAt(0))")
    page = app.folder / "single.html"
    page.write_text(
        f"<!doctype html><meta charset='utf-8'><title>one file</title><script type='module'>{script}</script>"
    )
    tab = chromium.page(page.as_uri(), isolated=False)
    try:
        check(answer_of(tab), Expectation(1, (FEWER + "the build in one file has no threads",)))
    finally:
        tab.close()
    assert chromium.foreign == []


def test_in_the_development_server_of_vite(chromium: Chromium, app: App) -> None:
    """It bundles dependencies by rules of its own."""
    app.use("page.mjs", "infer.mjs")
    app.write_page("./page.mjs")
    (app.folder / "public").mkdir()
    shutil.copy(app.folder / "model.onnx", app.folder / "public")
    shutil.copytree(app.folder.parent / "node_modules", app.folder / "node_modules")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        str(toolbox.tool("vite")),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--strictPort",
        "--logLevel",
        "silent",
    ]
    server = subprocess.Popen(command, cwd=app.folder)
    try:
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        page = chromium.page(f"http://127.0.0.1:{port}/")
        check(answer_of(page), Expectation(1, (FEWER + "the page is not cross-origin isolated",)))
        page.close()
    finally:
        server.terminate()
        server.wait()
    assert {urllib.parse.urlsplit(url).netloc for url in chromium.foreign} == {f"127.0.0.1:{port}"}
    chromium.foreign.clear()


def test_in_an_extension(app: App) -> None:
    """A page of an unpacked extension of manifest version 3, under the policy of such pages."""
    app.use("manifest.json", "page.mjs", "infer.mjs")
    app.import_by_path()
    app.write_page("./page.mjs")
    if executable() is None:
        missing("Chromium is not installed: apt-get install chromium")
    with Chromium(extension=app.folder) as browser:
        page = browser.page(f"{browser.extension_origin}/index.html")
        check(answer_of(page), Expectation(1, (FEWER + "the page is not cross-origin isolated",)))
        assert browser.foreign == []


# ---- Node ----

ESM, COMMONJS, REQUIRE = "node.mjs", "common.cjs", "required.cjs"


@pytest.mark.parametrize("script", [ESM, COMMONJS])
def test_in_this_node(app: App, script: str) -> None:
    node = shutil.which("node") or missing("Node is not installed")
    in_node(app, Path(node), script)


@pytest.mark.parametrize("script", [ESM, COMMONJS, REQUIRE])
def test_in_the_newest_node(app: App, script: str) -> None:
    in_node(app, toolbox.newest_node() or missing("npm has no Node for this machine"), script)


def in_node(app: App, node: Path, script: str) -> None:
    app.use(script, "infer.mjs", "offline.mjs")
    check(json.loads(app.run(node, "--import", "./offline.mjs", script)), Expectation())
