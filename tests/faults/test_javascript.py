"""Faults around the engine in Node and in a page: faults.mjs injects them."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper, numpy_helper

from tests.browser.chromium import Chromium, executable
from tests.browser.server import Server
from tests.python import models
from tests.support.kept import KeepFigures
from tests.support.missing import missing
from tests.support.paths import ROOT

DIST = ROOT / "js" / "dist"
ANYWHERE = {
    "transfers": "files that stall, break off, or are not what they should be",
    "growth": "memory that does not grow",
    "operators": "custom operators that throw or give nonsense",
    "traps": "traps in the engine, and engines that are damaged",
}
SECONDS = 120


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("faults")


@pytest.fixture(scope="module")
def given(folder: Path) -> dict[str, Any]:
    """What faults.mjs works on."""
    ends = [models.tensor("x", shape=("n",))], [models.tensor("y", shape=("n",))]
    double = models.model([helper.make_node("Add", ["x", "x"], ["y"])], *ends)
    custom = models.model([helper.make_node("Fault", ["x"], ["y"], name="fault", domain="tests.faults")], *ends)
    custom.opset_import.append(helper.make_opsetid("tests.faults", 1))
    if not (DIST / "onnxlet.wasm").is_file():
        missing("js/dist is not built; run ./build.sh build")
    file = folder / "double.onnx"
    # Several blocks of what a transfer brings at once.
    double.graph.initializer.append(numpy_helper.from_array(np.arange(100_000, dtype=np.float32), "unused"))
    file.write_bytes(double.SerializeToString())
    made = {"double": double, "product": models.matmul(256), "custom": custom}
    coded = {name: base64.b64encode(model.SerializeToString()).decode() for name, model in made.items()}
    wasm = folder / "onnxlet.wasm"
    shutil.copy(DIST / wasm.name, wasm)
    return {"file": str(file), "wasm": str(wasm), **coded}


def prepare(server: Server, given: dict[str, Any]) -> None:
    data = Path(given["file"]).read_bytes()
    server.overrides |= {
        "/page.onnx": (200, "text/html; charset=utf-8", b"<!doctype html><title>Not here</title>"),
        "/broken.onnx": (500, "text/plain", b"a fault of the server"),
        "/empty.onnx": (200, "application/octet-stream", b""),
        "/shorter.onnx": (200, "application/octet-stream", data[: len(data) // 2]),
        "/longer.onnx": (200, "application/octet-stream", data + b"\xff" * 100),
        "/text.onnx": (200, "text/plain", b"This is no model. " * 100),
    }


@pytest.fixture(scope="module")
def server(folder: Path, given: dict[str, Any]) -> Iterator[Server]:
    server = Server([folder])
    prepare(server, given)
    yield server
    server.close()


@pytest.fixture(scope="module")
def browser(folder: Path, given: dict[str, Any]) -> Iterator[Chromium]:
    if executable() is None:
        missing("Chromium is not installed")
    with Chromium([folder]) as chromium:
        prepare(chromium.server, given)
        yield chromium


@pytest.mark.parametrize("name", [*ANYWHERE, "threads"])
def test_in_node(name: str, server: Server, given: dict[str, Any], keep_figures: KeepFigures) -> None:
    if shutil.which("node") is None:
        missing("Node is not installed")
    done = subprocess.run(
        ["node", Path(__file__).with_name("node.mjs"), name, DIST],
        input=json.dumps(given | {"origin": server.origin}),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    points = json.loads(done.stdout)["points"]
    assert points > 3
    words = ANYWHERE.get(name, "threads of the engine that end")
    keep_figures("faults", f"{words}, Node", {"points": points, "survived": points})


IN_PAGE = """async ({ name, given }) => {
    const { inject } = await import('/tests/faults/faults.mjs');
    const engine = async () => new Uint8Array(await (await fetch('/js/onnxlet.wasm')).arrayBuffer());
    const late = new Promise((_, reject) => setTimeout(reject, 120_000, new Error('it hangs')));
    return Promise.race([inject(name, onnxlet, { ...given, origin: location.origin, engine }), late]);
}"""


@pytest.mark.parametrize("name", [*ANYWHERE, "worker"])
def test_in_a_page(name: str, browser: Chromium, given: dict[str, Any], keep_figures: KeepFigures) -> None:
    page = browser.page()
    try:
        page.wait("() => typeof onnxlet === 'object'", 30)
        points = page.evaluate(IN_PAGE, {"name": name, "given": given})
    finally:
        page.close()
    assert points > 3
    words = ANYWHERE.get(name, "workers with the engine that end")
    keep_figures("faults", f"{words}, Chromium", {"points": points, "survived": points})
