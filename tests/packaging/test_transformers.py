"""Transformers.js, the real package, runs on onnxlet: each way to put it in the place of onnxruntime-web, and without a network.

Models lie beside the page; docs/transformers-js.md shows the same configurations to users.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.chromium import Chromium, executable
from tests.browser.server import POLICY
from tests.models import digits_cnn, minilm
from tests.models.fetch import fetch
from tests.models.registry import models
from tests.packaging import local_models, toolbox
from tests.support.missing import missing

SENTENCES = ("A man is eating food.", "Someone is having a meal.", "The girl plays the violin.")
PAGE = "transformers-page.mjs"
PACKAGES = ("@huggingface/transformers", "@huggingface/tokenizers", "@huggingface/jinja")
# Nothing but this machine has an address.
OFFLINE = ("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",)


@pytest.fixture(scope="module")
def local(home: Path, fetched: Callable[[Callable[[], Path]], Path]) -> Path:
    """The folder with the models."""
    folder = home / "models"
    fetched(lambda: fetch("minilm-l6"))
    fetched(lambda: fetch("smollm2-135m"))
    local_models.minilm(folder / "minilm")
    local_models.smollm(folder / "smollm")
    local_models.digits(folder / "digits")
    shutil.copytree(toolbox.modules() / "@huggingface", home / "node_modules" / "@huggingface")
    return folder


@pytest.fixture(scope="module")
def chromium(home: Path) -> Iterator[Chromium]:
    if executable() is None:
        missing("Chromium is not installed: apt-get install chromium")
    with Chromium([home], arguments=OFFLINE) as browser:
        yield browser


@pytest.fixture
def folder(home: Path, request: pytest.FixtureRequest) -> Path:
    folder: Path = home / request.node.name.replace("[", "-").rstrip("]")
    folder.mkdir()
    shutil.copy(toolbox.SOURCES / "transformers.mjs", folder)
    return folder


# ---- ways to put onnxlet in the place of onnxruntime-web; they give the address of a page ----


def write_page(folder: Path, script: str, head: str = "") -> None:
    page = (toolbox.SOURCES / "page.html").read_text().replace("./page.mjs", script)
    (folder / "index.html").write_text(page.replace("<script", f"{head}<script", 1))


def vite_alias(folder: Path) -> str:
    shutil.copy(toolbox.SOURCES / PAGE, folder)
    shutil.copy(toolbox.SOURCES / "transformers.vite.config.mjs", folder / "vite.config.mjs")
    write_page(folder, f"./{PAGE}")
    toolbox.run([toolbox.tool("vite"), "build"], folder)
    return "dist/index.html"


def webpack_alias(folder: Path) -> str:
    shutil.copy(toolbox.SOURCES / PAGE, folder)
    shutil.copy(toolbox.SOURCES / "transformers.webpack.config.cjs", folder)
    toolbox.run([toolbox.tool("webpack"), "--config", "transformers.webpack.config.cjs"], folder)
    write_page(folder / "dist", "./main.js")
    return "dist/index.html"


def import_map(folder: Path) -> str:
    shutil.copy(toolbox.SOURCES / PAGE, folder)
    modules = toolbox.modules()
    shutil.copytree(folder.parent / "node_modules" / "onnxlet" / "dist", folder / "onnxlet")
    names = {"transformers": "transformers.web.js", "tokenizers": "tokenizers.mjs", "jinja": "index.js"}
    for name, file in names.items():
        shutil.copy(modules / "@huggingface" / name / "dist" / file, folder / f"{name}.js")
    imports = {f"@huggingface/{name}": f"./{name}.js" for name in names}
    imports |= dict.fromkeys(("onnxruntime-web/webgpu", "onnxruntime-common"), "./onnxlet/onnxlet.mjs")
    text = json.dumps({"imports": imports})
    write_page(folder, f"./{PAGE}", f"<script type='importmap'>{text}</script>")
    return "index.html"


def allow_inline(chromium: Chromium, page: Path) -> None:
    """A page's policy forbids scripts inside it, and import maps are such, unless it names their hash."""
    inline = re.search("<script type='importmap'>(.*?)</script>", page.read_text())
    if inline:
        digest = base64.b64encode(hashlib.sha256(inline[1].encode()).digest()).decode()
        chromium.server.policy = POLICY.replace("script-src", f"script-src 'sha256-{digest}'")


def overrides(folder: Path, archive: Path) -> None:
    """As a package.json asks for it: whoever depends on onnxruntime's packages gets onnxlet."""
    packed = {}
    for name in PACKAGES:
        pack = ("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination")
        command: list[str | Path] = [*pack, folder, toolbox.modules() / name]
        packed[name] = folder / toolbox.run(command, folder).split()[-1]
    replaced = dict.fromkeys(("onnxruntime-web", "onnxruntime-node", "sharp"), "$onnxlet")
    replaced |= {name: f"file:{packed[name]}" for name in PACKAGES[1:]}
    aliases = {"onnxruntime-common": f"file:{archive}"}
    toolbox.install(folder, archive, packed[PACKAGES[0]], aliases=aliases, overrides=replaced)


# ---- what comes out ----


def held_out() -> tuple[np.ndarray, np.ndarray]:
    """Handwritten digits that the network has not seen, and what they are."""
    _, _, images, labels = digits_cnn.load_digits()
    return np.rint(images[:10, 0] * 255).astype(np.uint8), labels[:10]


def settings(address: str, names: list[str]) -> dict[str, Any]:
    images, _ = held_out()
    return {"models": address, "names": names, "images": [image.ravel().tolist() for image in images]}


def check(answer: dict[str, Any], local: Path) -> None:
    assert answer["engine"] == json.loads((local.parent / "node_modules/onnxlet/package.json").read_text())["version"]
    assert answer["warnings"] == []
    for name, result in answer["results"].items():
        CHECKS[name](result)


def check_features(result: dict[str, Any]) -> None:
    """Against onnxruntime on the tokens of another tokenizer."""
    import onnxruntime

    assert result["dims"] == [3, 384]
    session = onnxruntime.InferenceSession(models()["minilm"].path())
    tokenize = minilm.WordPiece(fetch("minilm-l6") / "vocab.txt")
    found = np.array(result["data"]).reshape(3, 384)
    for sentence, row in zip(SENTENCES, found, strict=True):
        ids = np.array([tokenize(sentence)])
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = session.run(None, feeds)[0].mean(axis=1)[0]
        np.testing.assert_allclose(row, mean / np.linalg.norm(mean), atol=2e-5)
    likeness = found @ found.T
    assert likeness[0, 1] > 0.5 > 0.2 > likeness[0, 2]


def check_text(result: str) -> None:
    """The weights have 4 bits: what follows the answer may differ."""
    assert result.startswith("The capital of France is Paris"), result


def check_digits(result: list[str]) -> None:
    _, labels = held_out()
    right = sum(found == f"digit {label}" for found, label in zip(result, labels, strict=True))
    assert right >= 9, (result, labels)


CHECKS: dict[str, Callable[[Any], None]] = {"features": check_features, "text": check_text, "digits": check_digits}
ALL = list(CHECKS)
WAYS: dict[Callable[[Path], str], list[str]] = {vite_alias: ALL, webpack_alias: ["features"], import_map: ["digits"]}
LONG: dict[Callable[[Path], str], pytest.MarkDecorator] = {webpack_alias: pytest.mark.only_with_all}


@pytest.mark.slow
@pytest.mark.parametrize("way", [pytest.param(way, marks=LONG.get(way, ()), id=way.__name__) for way in WAYS])
def test_in_a_page(chromium: Chromium, folder: Path, local: Path, way: Callable[[Path], str]) -> None:
    address = way(folder)
    before = len(chromium.server.requests)
    allow_inline(chromium, folder / address)
    page = chromium.page(f"/file{folder}/{address}")
    try:
        page.wait("() => globalThis.run !== undefined", 30)
        answer = page.evaluate("settings => run(settings)", settings(f"/file{local}/", WAYS[way]))
        check(answer, local)
    finally:
        page.close()
        chromium.server.policy = POLICY
    assert chromium.foreign == []
    # Transformers.js asks for no worker, but the page is not to wait for the engine.
    scripts = [url.rpartition("/")[2] for url in chromium.server.requests[before:]]
    assert any(re.fullmatch(r"(worker.*|onnxlet)\.m?js", name) for name in scripts), scripts


@pytest.mark.only_with_all
def test_in_node(archive: Path, folder: Path, local: Path) -> None:
    overrides(folder, archive)
    for name in ("transformers-node.mjs", "offline.mjs"):
        shutil.copy(toolbox.SOURCES / name, folder)
    (folder / "settings.json").write_text(json.dumps(settings(f"{local}/", ["features", "text"])))
    words = toolbox.run(["node", "--import", "./offline.mjs", "transformers-node.mjs"], folder)
    check(json.loads(words.splitlines()[-1]), local)
