"""`onnxlet bundle --target pyodide`: the folder works as it is, its bytes are the same each time, errors write nothing."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, external_data_helper, helper, numpy_helper

from onnxlet import bundle
from onnxlet.bundle import pyodide_core, wheel
from onnxlet.errors import InvalidArgument, NotImplemented
from tests.browser.chromium import Chromium
from tests.models.fetch import fetch
from tests.pyodide import models, toolbox
from tests.python import models as small
from tests.support.paths import ROOT


@pytest.fixture(scope="session")
def add(files: Path) -> Path:
    path = files / "add.onnx"
    onnx.save(small.add(), path)
    return path


@pytest.fixture(scope="session")
def core(fetched: Callable[..., Path]) -> Path:
    return fetched(toolbox.core)


@pytest.fixture(scope="session")
def beside(files: Path) -> Path:
    """A model with its weights in a file of its own."""
    path = files / "outside" / "beside.onnx"
    path.parent.mkdir()
    weights = numpy_helper.from_array(np.ones((3, 400), np.float32), "w")
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    model = small.model([node], [small.tensor("x")], [small.tensor("y", TensorProto.FLOAT, ("N", 400))], [weights])
    external_data_helper.convert_model_to_external_data(model, location="weights.bin", size_threshold=0)
    onnx.save(model, path)
    return path


@pytest.fixture(scope="session")
def made(files: Path, core: Path, beside: Path, fetched: Callable[..., Path]) -> bundle.Report:
    job = models.pipeline_job(files)
    chosen = [Path(job["model"]), beside, fetched(lambda: fetch("tinyocr")) / "rec.onnx"]
    output = files / "bundle"
    return bundle.make(bundle.Request(chosen, output, wheel=toolbox.built_wheel(), pyodide=core))


@pytest.mark.parametrize("isolated", [False, True], ids=["plain", "isolated"])
def test_the_page_runs_every_model(browser: Chromium, made: bundle.Report, isolated: bool) -> None:
    server = browser.server if isolated else browser.plain_server
    before = len(server.requests)
    page = browser.page(f"/file{made.folder}/index.html", isolated=isolated)
    try:
        page.wait("() => globalThis.onnxletResults !== undefined", 120)
        results = page.evaluate("() => onnxletResults")
        text = page.evaluate("() => document.body.innerText")
        assert browser.foreign == []
        refused = page.evaluate(
            """async address => {
                const heard = new Promise(resolve => document.addEventListener('securitypolicyviolation',
                    event => { if (event.originalPolicy.startsWith("default-src 'none'")) resolve(event.violatedDirective); }));
                await fetch(address).catch(() => undefined);
                return heard;
            }""",
            "https://example.org/",
        )
    finally:
        page.close()
    browser.foreign.clear()  # that attempt
    assert [(result.get("same"), result.get("error")) for result in results] == [(True, None)] * 3, results
    assert "Python is ready." in text and "the bits that were expected" in text
    assert refused == "connect-src"
    asked = {request.removeprefix(f"/file{made.folder}/") for request in server.requests[before:]}
    assert asked <= {*made.files}, asked - {*made.files}
    assert ("thread.js" in asked) == isolated


def test_what_is_in_the_folder(made: bundle.Report, core: Path) -> None:
    assert made.filled.versions == {"pyodide": pyodide_core.VERSION, "onnxlet": metadata.version("onnxlet")}
    assert {"index.html", "README.md", "thread.js", "models/beside/weights.bin"} <= {*made.files}
    for name in pyodide_core.PAGE_FILES:
        assert (made.folder / "pyodide" / name).read_bytes() == (core / name).read_bytes()
    lock = json.loads((made.folder / "pyodide" / "pyodide-lock.json").read_text())
    (package,) = lock["packages"].values()
    content = toolbox.built_wheel().read_bytes()
    assert (package["name"], package["sha256"]) == ("onnxlet", hashlib.sha256(content).hexdigest())
    assert (package["file_name"], package["depends"]) == (toolbox.built_wheel().name, [])
    readme = (made.folder / "README.md").read_text()
    assert f"Pyodide {pyodide_core.VERSION}" in readme and "$" not in readme


def test_the_same_request_gives_the_same_bytes(add: Path, core: Path, tmp_path: Path) -> None:
    made = [bundle.make(bundle.Request([add], tmp_path / name, pyodide=core)) for name in ("a", "b")]
    assert made[0].files == made[1].files
    for name in made[0].files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def contents(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_of_an_installed_package_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", str(site), str(toolbox.built_wheel())], check=True)
    (info,) = site.glob("onnxlet-*.dist-info")
    monkeypatch.setattr(wheel.metadata, "distribution", lambda _: metadata.Distribution.at(info))
    again = wheel.write_wheel(tmp_path)
    assert again.name == toolbox.built_wheel().name
    published, made = contents(toolbox.built_wheel()), contents(again)
    assert {name for name in made if not re.search(r"/(RECORD|WHEEL)$", name)} == {
        name for name in published if not re.search(r"/(RECORD|WHEEL)$", name)
    }
    assert all(made[name] == data for name, data in published.items() if name.startswith("onnxlet/"))
    other = tmp_path / "other"
    subprocess.run([*pip, "--target", str(other), str(again)], check=True)
    assert (other / "onnxlet" / "_engine" / "onnxlet.wasm").is_file()
    (site / "onnxlet" / "errors.py").write_text("changed")
    with pytest.raises(
        bundle.BundleError, match=r"onnxlet/errors\.py has been changed since the package was installed"
    ):
        wheel.write_wheel(tmp_path)
    (site / "onnxlet" / "errors.py").unlink()
    with pytest.raises(bundle.BundleError, match=r"lacks onnxlet/errors\.py; install it again"):
        wheel.write_wheel(tmp_path)


# ---- errors ----


def refused(request: bundle.Request, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        bundle.make(request)
    assert [path.name for path in request.output.parent.iterdir()] == []


@pytest.fixture
def output(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder / "bundle"


def test_a_model_that_cannot_be_loaded_is_refused(output: Path, tmp_path: Path, core: Path) -> None:
    path = tmp_path / "bad.onnx"
    onnx.save(
        small.model([helper.make_node("Frobnicate", ["x"], ["y"])], [small.tensor("x")], [small.tensor("y")]), path
    )
    refused(bundle.Request([path], output, pyodide=core), NotImplemented, "Frobnicate")


def test_what_does_not_fit_is_refused(add: Path, output: Path, tmp_path: Path, core: Path) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(core, changed)
    (changed / "pyodide.mjs").write_text("export {}")
    refused(
        bundle.Request([add], output, pyodide=changed), bundle.BundleError, r"pyodide\.mjs is not that of Pyodide 3"
    )
    (changed / "package.json").write_text('{"version": "0.29.0"}')
    refused(bundle.Request([add], output, pyodide=changed), bundle.BundleError, r"holds Pyodide 0\.29\.0; .* takes 3")
    refused(bundle.Request([add], output, pyodide=tmp_path), bundle.BundleError, "it has no package.json")
    missing = tmp_path / "onnxlet-0-py3-none-any.whl"
    refused(bundle.Request([add], output, wheel=missing, pyodide=core), bundle.BundleError, "does not exist")
    refused(bundle.Request([add], output, wheel=add, pyodide=core), bundle.BundleError, "is not a wheel of onnxlet")
    refused(bundle.Request([add, add], output, pyodide=core), bundle.BundleError, "two models are called 'add'")
    refused(bundle.Request([], output), InvalidArgument, "a bundle needs a model")
    refused(
        bundle.Request([add], output, target="toaster"),
        InvalidArgument,
        "no target 'toaster'; use one of native, node, python, pyodide, wasi, web",
    )


def test_a_folder_with_something_in_it_is_left_alone(add: Path, output: Path, core: Path) -> None:
    output.mkdir()
    (output / "mine").touch()
    with pytest.raises(bundle.BundleError, match="exists and is not an empty folder"):
        bundle.make(bundle.Request([add], output, pyodide=core))
    (output / "mine").unlink()
    assert bundle.make(bundle.Request([add], output, pyodide=core)).files


def test_without_npm_the_message_says_what_to_do(add: Path, output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    refused(
        bundle.Request([add], output), bundle.BundleError, "npm is not installed, .* or name a folder with pyodide@3"
    )


def test_npm_that_fails_is_quoted(add: Path, output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho 'npm error network' >&2\nexit 1\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    refused(bundle.Request([add], output), bundle.BundleError, "npm could not fetch pyodide@.*: npm error network")


def test_the_command(add: Path, output: Path, core: Path) -> None:
    command = [sys.executable, "-m", "onnxlet", "bundle", str(add), "-o", str(output), "--pyodide", str(core)]
    command += ["--wheel", str(toolbox.built_wheel())]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["target"] == "pyodide" and document["models"][0]["example"]["sizes"] == {"N": 1}
    assert (
        document["bytes"]
        == sum(document["files"].values())
        == sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
    )
    wrong = subprocess.run([*command, "--target", "toaster"], capture_output=True, text=True, cwd=ROOT)
    assert (
        wrong.returncode == 2
        and "--target takes native, node, python, pyodide, wasi, web; 'toaster' given" in wrong.stderr
    )
    again: Any = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert again.returncode == 1 and "BUNDLE" in again.stderr and "is not an empty folder" in again.stderr
