"""The built wheel in Pyodide: the same bits as in CPython, the same words, and nothing left behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import onnxlet
from tests.bad_input import cases
from tests.examples.test_ocr import make_picture
from tests.pyodide import models
from tests.pyodide.page import inside
from tests.pyodide.toolbox import Place
from tests.python import models as small

JOBS: dict[str, Callable[[Path], models.Job]] = {
    "detector": lambda _: models.job("tinyocr-det", 96),
    "recogniser": lambda _: models.job("tinyocr-rec", 97),
    "silero": lambda _: models.silero(50),
    "pipeline": models.pipeline_job,
}
GetPlace = Callable[[str], Place]


@pytest.fixture(scope="session")
def jobs(files: Path, fetched: Callable[..., Any]) -> dict[str, models.Job]:
    return fetched(lambda: {name: make(files) for name, make in JOBS.items()})


@pytest.fixture(scope="session")
def expected(jobs: dict[str, models.Job]) -> dict[str, Any]:
    """What CPython's host gives, in deterministic mode."""
    return {name: asyncio.run(inside.run(job | {"threads": 1}))["digests"] for name, job in jobs.items()}


@pytest.fixture(scope="session")
def add(files: Path) -> dict[str, str]:
    """z = x + y."""
    path = files / "add.onnx"
    onnx.save(small.add(), path)
    return {"model": f"/file{path}"}


@pytest.fixture(scope="session")
def heavy(files: Path) -> models.Job:
    """Products that take some tenths of a second."""
    path = files / "heavy.onnx"
    onnx.save(models.products(), path)
    x = np.random.default_rng(1).standard_normal((64, 1024)).astype(np.float32)
    return {"model": f"/file{path}", "feeds": models.encoded_feeds({"x": x})}


def in_page(job: models.Job, **more: Any) -> models.Job:
    return job | {"model": f"/file{job['model']}"} | more


# ---- results ----


@pytest.mark.parametrize("name", JOBS)
def test_the_bits_are_those_of_cpython(
    place: Place, jobs: dict[str, models.Job], expected: dict[str, Any], name: str
) -> None:
    for how in ("run", "run_async"):
        result = place.call("run", in_page(jobs[name], how=how, threads=2 if place.isolated else 1))
        assert result["digests"] == expected[name], how
        assert (result["threads"], result["warnings"]) == (2 if place.isolated else 1, [])
        assert result["flavour"] == ("threads" if place.isolated else "simd")


def test_a_line_is_read(get_place: GetPlace, fetched: Callable[..., Any]) -> None:
    job = fetched(models.line_of_text)
    assert get_place("page").call("read_line", in_page(job))["text"] == make_picture.LINES[0][0]


def test_the_pipeline_is_scikit_learns(files: Path) -> None:
    encoder, scaler, classifier = models.fitted_pipeline()
    models.pipeline_job(files)
    features = np.hstack([encoder.transform(models.SHOPS), scaler.transform(models.AMOUNTS)])
    with onnxlet.InferenceSession(files / "pipeline.onnx") as session:
        kinds, probabilities = session.run(None, {"shop": models.SHOPS, "amount": models.AMOUNTS})
    assert kinds.tolist() == classifier.predict(features).tolist()
    np.testing.assert_allclose(probabilities, classifier.predict_proba(features), rtol=1e-5)


def test_files_lists_and_buffers(place: Place, add: models.Job) -> None:
    result = place.call("from_file", add)
    assert result == {
        "list": [[11, 22, 33]],
        "buffer": [[2, 4, 6]],
        "missing": "the model 'missing.onnx' does not exist",
        "modules": [],
        "warnings": [],
    }


def test_buffers_of_javascript_are_models(place: Place, add: models.Job) -> None:
    assert place.call("from_javascript", add)["values"] == [[[11, 22, 33]]] * 3


def test_an_operator_in_python_and_the_profile(place: Place, files: Path) -> None:
    path = files / "twice.onnx"
    nodes = [
        onnx.helper.make_node("Twice", ["x"], ["t"], domain="com.example"),
        onnx.helper.make_node("Neg", ["t"], ["y"]),
    ]
    model = small.model(nodes, [small.tensor("x")], [small.tensor("y")])
    model.opset_import.append(onnx.helper.make_opsetid("com.example", 1))
    onnx.save(model, path)
    result = place.call("operator_and_profile", {"model": f"/file{path}"})
    assert result["values"] == [[[-2, -4, -6]], [[-8, -10, -12]]]
    assert result["profile"] == [["Twice", True], ["Neg", True]]


# ---- errors ----


def test_a_model_that_cannot_be_loaded_gives_the_words_of_cpython(get_place: GetPlace, files: Path) -> None:
    compared = 0
    for case in cases.BAD_MODELS:
        path = files / "bad.onnx"
        path.write_bytes(case.model())
        here = asyncio.run(inside.load_error({"model": path.read_bytes()}))
        there = get_place("page").call("load_error", {"model": f"/file{path}"})
        del there["warnings"]
        assert there == here, case.name
        compared += bool(here)
    assert compared > 10


def test_what_is_not_supported_and_what_is_damaged(place: Place, files: Path) -> None:
    unsupported, damaged = files / "unsupported.onnx", files / "damaged.onnx"
    node = onnx.helper.make_node("Frobnicate", ["x"], ["y"], name="the_node", domain="com.example")
    model = small.model([node], [small.tensor("x")], [small.tensor("y")])
    model.opset_import.append(onnx.helper.make_opsetid("com.example", 1))
    onnx.save(model, unsupported)
    damaged.write_bytes(small.add().SerializeToString()[:60])
    error = place.call("load_error", {"model": f"/file{unsupported}"})
    assert error["class"] == "NotImplemented" and "com.example" in error["message"] and "the_node" in error["message"]
    error = place.call("load_error", {"model": f"/file{damaged}"})
    assert error["class"] == "InvalidProtobuf" and "at byte" in error["message"]


def test_a_trap_ends_its_session_and_no_other(place: Place, add: models.Job) -> None:
    result = place.call("trapped", add)
    assert result["value"] == [[2, 4, 6]]
    first, second = result["messages"]
    assert first.startswith("the engine stopped in ol_tensor_rank: ") and "out of bounds" in first
    assert "create a new session" in second


# ---- memory ----


@pytest.mark.parametrize("close", [True, False], ids=["closed", "dropped"])
def test_a_hundred_sessions_leave_nothing(place: Place, add: models.Job, close: bool) -> None:
    result = place.call("cycles", add | {"count": 100, "close": close, "threads": 1})
    half, full = result["heap"]
    assert half == full
    assert result["alive"] <= 1


# ---- threads and the event loop ----


def test_the_event_loop_goes_on(place: Place, heavy: models.Job) -> None:
    result = place.call("ticks", heavy | {"threads": 2 if place.isolated else 1})
    assert result["turns"] > 5
    assert result["longest"] < result["run"] / 2


def test_runs_are_cancelled_queue_and_end(place: Place, heavy: models.Job) -> None:
    result = place.call("interrupted", heavy)
    assert result == {
        "cancelled": True,
        "refused": "a run_async of this session is on its way; await it first",
        "same": [True, True, True],
        "closed": "this session's engine has stopped and cannot be used again: it was closed",
        "warnings": [],
    }


@pytest.mark.parametrize("name", ["page, isolated", "worker, isolated"])
def test_threads_come_later_where_python_may_not_wait(get_place: GetPlace, add: models.Job, name: str) -> None:
    place = get_place(name)
    place.call("from_file", add)
    at_once = place.call("open_in_sync_code", {"threads": 2}, sync=True)
    assert at_once == {"threads": 1, "value": [[2, 4, 6]], "warnings": []}
    assert place.call("threads_later")["threads"] == 2


def test_without_isolation_threads_that_were_asked_for_are_reported(
    get_place: GetPlace, jobs: dict[str, models.Job]
) -> None:
    result = get_place("page").call("run", in_page(jobs["pipeline"], threads=3))
    (text,) = result["warnings"]
    assert text.startswith("3 threads were asked for and onnxlet runs with 1: the page is not cross-origin isolated")
    assert '"Cross-Origin-Opener-Policy: same-origin"' in text


def test_a_policy_that_keeps_threads_from_starting_is_reported(
    get_place: GetPlace, jobs: dict[str, models.Job], expected: dict[str, Any]
) -> None:
    job = in_page(jobs["pipeline"], threads=2, how="run_async")
    result = get_place("worker, isolated").call("run_without_script", job)
    assert result["digests"] == expected["pipeline"]
    assert result["threads"] == 1
    (text,) = result["warnings"]
    assert text.startswith("onnxlet runs with 1 of 2 threads: blob:")
    assert "put onnxlet/hosts/pyodide_thread.js on the page's server" in text
