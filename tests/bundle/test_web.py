"""`onnxlet bundle --target web`: the page answers in Chromium without a network, and refuses files that were changed."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from PIL import Image
from playwright.sync_api import Page

from onnxlet.bundle import Input, Interface, Output
from onnxlet.bundle.keys import new_key
from tests.browser.chromium import Chromium, executable
from tests.bundle import pages, toolbox
from tests.bundle.cases import cases, check, read_table
from tests.bundle.pages import answers, drop, requests_of, run, served, status
from tests.bundle.toolbox import make, make_case, make_of, outputs
from tests.python import models
from tests.support.missing import missing

ORIENTATION = 0x0112
"""The tag in EXIF data."""
FOUR_CORES = "Object.defineProperty(navigator, 'hardwareConcurrency', { value: 4 })"
READY = "Ready. Nothing that you enter leaves this page."


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    toolbox.built_scripts("web")
    if executable() is None:
        missing("Chromium is not installed: apt-get install chromium")
    with Chromium(arguments=["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]) as browser:
        yield browser


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("web")


def saved(model: onnx.ModelProto, path: Path) -> Path:
    onnx.save(model, path)
    return path


@pytest.fixture(scope="module")
def add_model(home: Path, chromium: Chromium) -> Path:
    """z = x + y."""
    return saved(models.add(), home / "add.onnx")


@pytest.fixture(scope="module")
def add(home: Path, add_model: Path) -> Path:
    """Its page, in a folder."""
    return make(add_model, home / "add", "web")


@pytest.fixture(scope="module")
def add_file(home: Path, add_model: Path) -> Path:
    """Its page, in one file."""
    return make(add_model, home / "add-file", "web", single_file=True) / "index.html"


def ask_add(page: Page) -> list[str]:
    page.fill("#input-0-text", "[[1, 2, 3]]")
    page.fill("#input-1-text", "[[10, 20, 30]]")
    return run(page)


SUM = "z\nfloat32 [1, 3]\n11  22  33"


@pytest.mark.parametrize("isolated", [False, True], ids=["plain", "isolated"])
def test_a_folder(chromium: Chromium, add: Path, isolated: bool) -> None:
    def visit(page: Page) -> tuple[str, list[str], list[str], str]:
        heard = requests_of(page)
        page.add_init_script(FOUR_CORES)
        page.reload()
        said = status(page, "Ready")
        found = ask_add(page)
        refused = page.evaluate(
            """async () => {
                const heard = new Promise(resolve => document.addEventListener('securitypolicyviolation',
                    event => { resolve(event.violatedDirective); }));
                await fetch('https://example.org/').catch(() => undefined);
                return heard;
            }"""
        )
        return said, found, heard, refused

    with served(add, isolated=isolated) as server:
        said, found, heard, refused = chromium.visit(f"{server.origin}/", visit, service_workers="block")
    assert said.startswith(READY)
    assert said == f"{READY} ({'2 threads' if isolated else '1 thread'})"
    assert found == [SUM]
    assert refused == "connect-src"
    own = [url for url in heard if not url.startswith(("blob:", "data:"))]
    names = {url.removeprefix(f"{server.origin}/") for url in own}
    threads = "-threads" if isolated else ""
    assert names == {"", "app.js", "style.css", "model.onnx", f"onnxlet-relaxed{threads}.wasm"}


def test_one_file_without_a_network(chromium: Chromium, add_file: Path) -> None:
    def visit(page: Page) -> tuple[list[str], list[str]]:
        page.context.set_offline(True)
        heard = requests_of(page)
        page.reload()
        assert status(page, "Ready").startswith(READY)
        return ask_add(page), heard

    found, heard = chromium.visit(add_file.as_uri(), visit)
    assert found == [SUM]
    assert [url for url in heard if not url.startswith(("blob:", "data:"))] == [add_file.as_uri()]


def test_the_page_stays_alive_and_where_it_is(chromium: Chromium, home: Path, add_file: Path) -> None:
    """The engine is in a worker, and nothing that is shown moves by itself."""

    def visit(page: Page) -> Any:
        status(page, "Ready")
        ask_add(page)
        return page.evaluate(
            """() => new Promise(resolve => {
                new PerformanceObserver(list => { resolve(list.getEntries().filter(entry => !entry.hadRecentInput).map(entry => entry.value)); })
                    .observe({ type: 'layout-shift', buffered: true });
                setTimeout(() => { resolve([]); }, 200);
            })"""
        )

    shifts = chromium.visit(add_file.as_uri(), visit, viewport={"width": 360, "height": 640})
    assert sum(shifts) < 0.01


# ---- the service worker ----


def wait_for_worker(page: Page) -> None:
    page.evaluate("() => navigator.serviceWorker.ready.then(() => undefined)")


def test_without_its_server(chromium: Chromium, add: Path) -> None:
    def visit(page: Page) -> tuple[bool, str, list[str]]:
        wait_for_worker(page)
        stack.close()
        page.add_init_script(FOUR_CORES)
        page.reload()
        said = status(page, "Ready")
        return page.evaluate("() => crossOriginIsolated"), said, ask_add(page)

    with contextlib.ExitStack() as stack:
        server = stack.enter_context(served(add))
        isolated, said, found = chromium.visit(f"{server.origin}/", visit)
    assert (isolated, said) == (True, f"{READY} (2 threads)")
    assert found == [SUM]


def test_another_version_takes_over_as_a_whole(chromium: Chromium, add: Path, home: Path) -> None:
    (home / "other").mkdir()
    other = make(saved(subtract(), home / "other" / "add.onnx"), home / "subtract", "web")
    folder = home / "updated"
    shutil.copytree(add, folder)

    def visit(page: Page) -> tuple[list[str], list[str]]:
        wait_for_worker(page)
        page.reload()
        status(page, "Ready")
        shutil.rmtree(folder)
        shutil.copytree(other, folder)
        page.reload()
        status(page, "Ready")
        before = ask_add(page)
        with page.expect_event("load", timeout=1000 * pages.SECONDS):
            page.click("#update button", timeout=1000 * pages.SECONDS)
        status(page, "Ready")
        kept = page.evaluate("() => caches.keys()")
        assert len(kept) == 1, kept
        return before, ask_add(page)

    with served(folder) as server:
        before, after = chromium.visit(f"{server.origin}/", visit)
    assert before == [SUM]
    assert after == [SUM.replace("11  22  33", "-9  -18  -27")]


def subtract() -> onnx.ModelProto:
    model = models.add()
    model.graph.node[0].op_type = "Sub"
    return model


# ---- what was changed ----


def changed(folder: Path, name: str) -> None:
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / name).write_bytes(data)


@pytest.mark.parametrize("name", ["onnxlet-relaxed.wasm", pytest.param("model.onnx", marks=pytest.mark.only_with_all)])
def test_a_changed_file_is_named(chromium: Chromium, add: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "bundle"
    shutil.copytree(add, folder)
    changed(folder, name)

    def visit(page: Page) -> list[str]:
        page.fill("#input-0-text", "[[1, 2, 3]]")
        page.fill("#input-1-text", "[[1, 2, 3]]")
        return run(page, f"{name[0].upper()}{name[1:]} is not the file that this page was made with: its SHA-256 is")

    with served(folder) as server:
        assert chromium.visit(f"{server.origin}/", visit) == []
        (folder / name).unlink()
        assert chromium.visit(f"{server.origin}/", lambda page: status(page, f"{name[0].upper()}{name[1:]} cannot be"))


@pytest.mark.parametrize("name", ["app.js", "style.css"])
def test_a_changed_script_does_not_run(chromium: Chromium, add: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "bundle"
    shutil.copytree(add, folder)
    changed(folder, name)

    def visit(page: Page) -> tuple[bool, bool]:
        styled = page.evaluate("() => document.styleSheets.length > 0")
        return page.query_selector("button.main") is not None, styled

    with served(folder) as server:
        assert chromium.visit(f"{server.origin}/", visit) == (name != "app.js", name != "style.css")


def test_a_changed_file_in_one(chromium: Chromium, add_file: Path, tmp_path: Path) -> None:
    text = add_file.read_text()
    (tmp_path / "index.html").write_text(text.replace("The model is loading", "The model is leading", 1))
    assert chromium.visit((tmp_path / "index.html").as_uri(), lambda page: page.query_selector("button.main")) is None


# ---- inputs ----


def test_what_is_wrong_is_said(chromium: Chromium, add_file: Path) -> None:
    wrong = {
        "": "X: choose a file or write values first.",
        "[[1, 2], [3]]": 'Input "x" has lists of different lengths or depths; a tensor needs equal ones.',
        '[["one"]]': 'Input "x" takes numbers (float32); "one" given.',
        "[[1": 'Input "x" is no JSON: ',
        "[[1, 2]]": "Input 'x'",
    }

    def visit(page: Page) -> None:
        assert ask_add(page) == [SUM]
        for x, words in wrong.items():
            page.fill("#input-0-text", x)
            assert run(page, words) == []
            assert page.get_attribute("#status", "class") == "error"
        assert ask_add(page) == [SUM]

    chromium.visit(add_file.as_uri(), visit)


@pytest.mark.parametrize(
    ("name", "ops"),
    [
        ("digits", "full"),
        pytest.param("digit-picture", "full", marks=pytest.mark.only_with_all),
        *(pytest.param(name, "trimmed", marks=pytest.mark.only_with_all) for name in cases()),
    ],
)
def test_answers(
    chromium: Chromium, name: str, ops: str, tmp_path: Path, fetched: Callable[[Callable[[], Path]], Path]
) -> None:
    case = cases()[name]
    folder = fetched(lambda: make_case(case, tmp_path, "web", single_file=True, ops=ops))
    word = case.arguments(tmp_path)[-1]

    def visit(page: Page) -> str:
        page.context.set_offline(True)
        status(page, "Ready")
        if page.query_selector("input[type=file]"):
            page.set_input_files("input[type=file]", word)
            status(page, "Done in ")
        else:
            page.fill("textarea", word)
            run(page)
        with page.expect_download() as download:
            page.click("text=Save all numbers as JSON")
        return Path(download.value.path()).read_text("utf-8")

    check(case, outputs(chromium.visit((folder / "index.html").as_uri(), visit)), tmp_path)


def test_a_table_is_dropped_and_saved(chromium: Chromium, home: Path, tmp_path: Path) -> None:
    case = cases()["screening"]
    page_file = make(case.model(), home / "screening", "web", single_file=True) / "index.html"
    _, table = case.arguments(tmp_path)

    def visit(page: Page) -> str:
        status(page, "Ready")
        drop(page, "body", "applicants.csv", "text/csv", Path(table).read_bytes())
        status(page, "Done in ")  # a model with one field starts by itself
        with page.expect_download() as download:
            page.click("text=Save as CSV")
        return Path(download.value.path()).read_text("utf-8")

    (tmp_path / "answer.csv").write_text(chromium.visit(page_file.as_uri(), visit), encoding="utf-8")
    answer, reference = read_table(tmp_path / "answer.csv"), case.reference(tmp_path)
    assert answer.pop("label") == reference["label"].tolist()
    found = np.array([answer[key] for key in sorted(answer)], np.float64).T
    np.testing.assert_allclose(found, reference["probabilities"], atol=1e-5)


def test_one_row_by_keyboard(chromium: Chromium, home: Path) -> None:
    column = ("n", 1)
    model = models.model(
        [helper.make_node("Add", ["age", "one"], ["older"]), helper.make_node("Identity", ["city"], ["same"])],
        [models.tensor("age", shape=column), models.tensor("city", TensorProto.STRING, column)],
        [models.tensor("older", shape=column), models.tensor("same", TensorProto.STRING, column)],
        [numpy_helper.from_array(np.ones(1, np.float32), "one")],
    )
    folder = make(saved(model, home / "rows.onnx"), home / "rows", "web", single_file=True)

    def visit(page: Page) -> tuple[list[str], list[str]]:
        status(page, "Ready")
        page.keyboard.press("Tab")
        page.keyboard.type("4x")
        page.keyboard.press("Enter")
        status(page, 'The form, row 1, column "age": "4x" is not a number.')
        page.keyboard.press("Backspace")
        page.keyboard.press("Tab")
        page.keyboard.type("Köln")
        page.keyboard.press("Enter")
        status(page, "Done in ")
        return [cell.inner_text() for cell in page.query_selector_all("th, td")], answers(page)

    cells, _ = chromium.visit((folder / "index.html").as_uri(), visit)
    assert cells == ["older", "same", "5", "Köln"]


@pytest.mark.parametrize(
    "single_file", [pytest.param(False, marks=pytest.mark.only_with_all), True], ids=["folder", "one file"]
)
def test_an_encrypted_model(chromium: Chromium, home: Path, tmp_path: Path, single_file: bool) -> None:
    key = tmp_path / "key"
    new_key(key)
    path = saved(models.add(), tmp_path / "add.onnx")
    folder = make(path, tmp_path / "bundle", "web", single_file=single_file, encryption_key=key)
    assert path.read_bytes() not in (folder / "index.html").read_bytes()

    def visit(page: Page) -> list[str]:
        status(page, "Ready when the key is there.")
        run(page, "The model is encrypted: give its key first.")
        page.fill("#key", "00" * 31)
        run(page, "The key is not 32 bytes in hexadecimal or base64.")
        page.fill("#key", "00" * 32)
        page.fill("#input-0-text", "[[1, 2, 3]]")
        page.fill("#input-1-text", "[[10, 20, 30]]")
        run(page, "The model could not be decrypted: the key is another one")
        page.set_input_files("#key-file", key)
        found = run(page)
        page.click("text=Remove")
        page.fill("#key", key.read_text().strip())
        return found + run(page)

    with served(folder) as server:
        url = (folder / "index.html").as_uri() if single_file else f"{server.origin}/"
        assert chromium.visit(url, visit) == [SUM, SUM]


# ---- answers ----


@pytest.fixture(scope="module")
def picture() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (80, 40), (90, 120, 60)).save(file, "png")
    return file.getvalue()


def seeing(outputs: dict[str, np.ndarray]) -> onnx.ModelProto:
    """A model that takes a file's bytes and answers the same to each."""
    constants = [numpy_helper.from_array(value, f"{name}_") for name, value in outputs.items()]
    nodes = [helper.make_node("Identity", [f"{name}_"], [name]) for name in outputs]
    nodes.append(helper.make_node("Shape", ["file"], ["bytes"]))
    infos = [
        models.tensor(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in outputs.items()
    ]
    infos.append(models.tensor("bytes", TensorProto.INT64, (1,)))
    return models.model(nodes, [models.tensor("file", TensorProto.UINT8, ("n",))], infos, constants)


def interface(*outputs: Output) -> Interface:
    file = Input("file", "image", "uint8", ("n",), "Picture")
    return Interface("seeing", (file,), outputs, title="What is <there>", description="Answers the same to each.")


@pytest.fixture(scope="module")
def seer(home: Path, chromium: Chromium) -> Path:
    """Labels with scores, boxes with names, a mask, and a tensor."""
    model = seeing(
        {
            "labels": np.array(["a cat", "a dog"], object),
            "scores": np.array([0.9, 0.0625], np.float32),
            "boxes": np.array([[8, 4, 40, 20]], np.float32),
            "names": np.array(["cat"], object),
            "mask": np.array([[0, 1], [1, 0.5]], np.float32),
        }
    )
    asked = interface(
        Output("labels", "labels", "string", (2,), "Animal", scores="scores"),
        Output("scores", "tensor", "float32", (2,)),
        Output("boxes", "boxes", "float32", (1, 4), labels="names"),
        Output("names", "tensor", "string", (1,)),
        Output("mask", "mask", "float32", (2, 2)),
        Output("bytes", "tensor", "int64", (1,)),
    )
    return make_of(model, asked, home / "seer", "web", single_file=True) / "index.html"


def test_answers_about_a_picture(chromium: Chromium, seer: Path, picture: bytes) -> None:
    def visit(page: Page) -> dict[str, Any]:
        status(page, "Ready")
        drop(page, ".drop", "field.png", "image/png", picture)
        status(page, "Done in ")
        page.wait_for_selector(".overlaid canvas")
        return {
            "title": page.inner_text("h1"),
            "file": page.inner_text(".file-name"),
            "answers": answers(page),
            "rect": page.eval_on_selector("rect", "rect => [...rect.attributes].map(item => item.value)"),
            "view": page.get_attribute("svg", "viewBox"),
            "corner": page.eval_on_selector(
                "canvas", "canvas => [...canvas.getContext('2d').getImageData(1, 0, 1, 1).data]"
            ),
            "empty": page.eval_on_selector(
                "canvas", "canvas => canvas.getContext('2d').getImageData(0, 0, 1, 1).data[3]"
            ),
        }

    found = chromium.visit(seer.as_uri(), visit)
    assert found["title"] == "What is <there>"
    assert found["file"] == f"field.png ({len(picture)} bytes)"
    labels, boxes, mask, size = found["answers"]
    assert labels.split("\n") == ["Animal", "a cat", "90.0 %", "a dog", "6.3 %"]
    assert re.split(r"\s+", boxes)[-5:] == ["cat", "8,", "4,", "40,", "20"]
    assert mask.strip() == "mask"
    assert size == f"bytes\nint64 [1]\n{len(picture)}"
    assert (found["rect"], found["view"]) == (["8", "4", "32", "16"], "0 0 80 40")
    assert found["corner"] == pytest.approx([255, 64, 129, 160], abs=2)
    assert found["empty"] == 0


def test_boxes_lie_on_a_picture_that_its_camera_has_turned(chromium: Chromium, seer: Path) -> None:
    """The engine reads pixels as they are in the file, and the page shows them so."""
    turned = Image.Exif()
    turned[ORIENTATION] = 6
    file = io.BytesIO()
    Image.new("RGB", (80, 40)).save(file, "JPEG", exif=turned)

    def visit(page: Page) -> tuple[str | None, float]:
        status(page, "Ready")
        drop(page, ".drop", "field.jpg", "image/jpeg", file.getvalue())
        status(page, "Done in ")
        page.wait_for_selector(".overlaid svg")
        shape = "image => image.clientWidth / image.clientHeight"
        return page.get_attribute(".overlaid svg", "viewBox"), page.eval_on_selector(".overlaid img", shape)

    assert chromium.visit(seer.as_uri(), visit) == ("0 0 80 40", 2)


ONLY_WITH_ALL = pytest.mark.only_with_all


@pytest.mark.parametrize(
    ("scheme", "width", "name"),
    [
        ("light", 360, "seer"),
        ("dark", 1200, "add_file"),
        pytest.param("dark", 360, "seer", marks=ONLY_WITH_ALL),
        pytest.param("light", 1200, "add_file", marks=ONLY_WITH_ALL),
    ],
)
def test_everybody_can_use_it(
    chromium: Chromium, request: pytest.FixtureRequest, picture: bytes, scheme: str, width: int, name: str
) -> None:
    axe = toolbox.ROOT / "js" / "node_modules" / "axe-core" / "axe.min.js"
    if not axe.is_file():
        missing("the npm packages of js/ are not installed; run ./build.sh build")

    def visit(page: Page) -> tuple[list[Any], int]:
        status(page, "Ready")
        if name == "seer":
            drop(page, ".drop", "a.png", "image/png", picture)
            status(page, "Done in ")
        else:
            ask_add(page)
        page.evaluate(axe.read_text("utf-8"))
        found = page.evaluate("() => axe.run()")["violations"]
        problems = [(item["id"], item["help"], [node["html"] for node in item["nodes"]]) for item in found]
        return problems, page.evaluate("() => document.scrollingElement.scrollWidth")

    path: Path = request.getfixturevalue(name)
    options: dict[str, Any] = {"color_scheme": scheme, "viewport": {"width": width, "height": 800}}
    assert chromium.visit(path.as_uri(), visit, **options) == ([], width)


# ---- the files ----


def test_what_is_in_the_folder(add: Path, add_file: Path) -> None:
    flavours = {f"onnxlet{name}.wasm" for name in ("", "-relaxed", "-threads", "-relaxed-threads")}
    common = {"index.html", "interface.json", "README.md", "LICENSE.onnxlet.txt", "manifest.json", "sbom.cdx.json"}
    names = {path.name for path in add.iterdir()}
    assert names == {*common, *flavours, "SHA256SUMS", "app.js", "style.css", "sw.js", "model.onnx"}
    assert {path.name for path in add_file.parent.iterdir()} == {*common, "SHA256SUMS"}
    assert "$" not in (add / "README.md").read_text() + (add_file.parent / "README.md").read_text()
    assert json.loads((add / "interface.json").read_text())["name"] == "add"


@pytest.mark.parametrize("single_file", [False, True], ids=["folder", "one file"])
def test_the_same_request_gives_the_same_bytes(add: Path, add_file: Path, tmp_path: Path, single_file: bool) -> None:
    path = saved(models.add(), tmp_path / "add.onnx")
    again = make(path, tmp_path / "elsewhere" / "bundle", "web", single_file=single_file)
    first = add_file.parent if single_file else add
    assert {file.name: file.read_bytes() for file in first.iterdir()} == {
        file.name: file.read_bytes() for file in again.iterdir()
    }
