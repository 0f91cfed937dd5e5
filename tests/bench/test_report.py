"""The report: what is measured is kept, what is there is not measured again, and the tables say what was found."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench import first, kernels, models, report, tables, targets, wllama
from bench.kernel_rows import rows
from bench.runner import OURS, PEER, Engine
from tests.models import registry


def model_result(ratio: float | None, scaling: float | None = None, **changes: Any) -> dict[str, Any]:
    numbers = {"load_ms": 10, "median_ms": 2.0, "memory_bytes": 3 << 20}
    found = {"engines": {OURS: numbers, PEER: numbers}, "ratio": ratio, "scaling": scaling, "difference": 0}
    return {**found, "agrees": True, "file_bytes": 2 << 20, **changes}


def kernel_result(ratio: float) -> dict[str, Any]:
    engines = {OURS: {"us": 1.0, "rate": 40.0}, PEER: {"us": ratio, "rate": 40 / ratio}}
    return {"unit": "GFLOP/s", "engines": engines, "ratio": ratio, "of_peak": 0.8}


def wllama_result(threads: int) -> dict[str, Any]:
    times = {OURS: {"prompt_ms": 100.0, "token_ms": 5.0}, "wllama": {"prompt_ms": 200.0, "token_ms": 20.0}}
    return {"model": "s", "threads": threads, "engines": times, "ratios": {"prompt_ms": 2.0, "token_ms": 4.0}}


HEAD = {"date": "d", "commit": "c", "package": "p", "machine": "m", "node": "n", "chromium": "b", "peer": "e"}
HEAD |= {"processors": 2, "load": 2.0}

FIRST = {
    "model": "m",
    "engines": {OURS: {"ready_ms": 100, "first_ms": 150}, PEER: {"ready_ms": 300, "first_ms": 600}},
    "ratios": {"ready_ms": 3.0, "first_ms": 4.0},
}


def cells(table: str) -> dict[str, list[str]]:
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert len({len(line) for line in lines}) == 1
    return {line[0]: line[1:] for line in lines}


def test_table_of_models() -> None:
    results = {
        "model/node/1/a": model_result(4.0),
        "model/node/2/a": model_result(3.0, scaling=1.5),
        "model/node/1/smollm2-level4": model_result(1.0),
        "model/chromium/1/a": model_result(None, engines={OURS: {"error": "x"}, PEER: {}}),
    }
    found = cells(tables.model_table(results))
    assert found["a"] == ["1.1", "2.0 / 2.0", "4.00", "3.00", "**1.50**", "**1.5** / 1.5", "10 / 10"]
    assert found["smollm2-level4"][:3] == ["10", "2.0 / 2.0", "**1.00**"]  # misses its target
    assert found["geometric mean"][2:5] == ["2.00", "3.00", "**1.50**"]


def test_table_of_kernels_and_first_inference() -> None:
    found = cells(
        tables.kernel_table({"kernel/node/Gelu": kernel_result(2.0), "kernel/chromium/Gelu": kernel_result(8.0)})
    )
    assert found["Gelu"] == ["3", "40 / 20 GFLOP/s", "**2.00**", "80 %", "40 / 5 GFLOP/s", "8.00", "80 %"]
    assert found["geometric mean of 1"] == ["", "", "2.00", "", "", "8.00", ""]
    found = cells(tables.first_table({"first": FIRST}))
    assert found["ready for the first inference"] == ["100", "300", "**3.00**", "4"]
    assert found["first outputs"] == ["150", "600", "4.00", ""]


def test_table_of_a_language_model_and_sections() -> None:
    found = cells(tables.wllama_table({"wllama/2": wllama_result(2)}))
    assert found["s, 2 threads"] == ["100.0 / 200.0", "2.00", "5.0 / 20.0", "4.00"]
    head = dict(HEAD)
    text = tables.figures(head, {"wllama/2": wllama_result(2)})
    assert "m, 2 processors" in text and "Other work" not in text
    assert "load average up to 2.5" in tables.figures({**head, "load": 2.5}, {})
    assert [line for line in text.splitlines() if line.startswith("#")] == ["### A language model"]


def test_every_target_names_something() -> None:
    names = list(rows())
    assert all(any(name.startswith(beginning) for name in names) for beginning, _ in targets.KERNELS)
    assert targets.of_kernel("Conv depthwise 3x3 144 at 56") == 3 and targets.of_kernel("Conv 3x3 64 at 56") == 1.5
    assert targets.of_kernel("ConvTranspose 2x2") is None and targets.of_kernel("Add") is None
    assert targets.of_model("mobilenetv2-qdq") == 5 and targets.of_model("magika") == 1.1


def test_the_document_has_a_place_for_the_figures(tmp_path: Path) -> None:
    path = tmp_path / "performance.md"
    path.write_text(report.DOCUMENT.read_text())
    report.write_document(path, "new\\1 figures")
    text = path.read_text()
    assert f"{report.BEGIN}\n\nnew\\1 figures\n\n{report.END}" in text
    report.write_document(path, "again")
    assert "new\\1" not in path.read_text() and "again" in path.read_text()
    path.write_text("no markers")
    with pytest.raises(ValueError, match="lacks the lines"):
        report.write_document(path, "x")


def test_an_interrupted_report_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []
    head = dict(HEAD)
    document = tmp_path / "performance.md"
    document.write_text(f"{report.BEGIN}{report.END}")

    def bench_model(model: registry.Model, options: argparse.Namespace, _: list[Engine]) -> dict[str, Any]:
        host = "page" if options.on_page else "chromium" if options.browser else "node"
        place = f"{host} {options.threads} {model.name}"
        measured.append(place)
        if len(measured) == 3:
            raise KeyboardInterrupt
        if len(measured) == 4:
            return model_result(None, engines={OURS: {"error": "lost"}, PEER: {}})
        return model_result(2.0)

    def measure(chosen: list[kernels.Row], *_: Any) -> Iterator[tuple[kernels.Row, dict[str, Any]]]:
        for row in chosen:
            measured.append(row.name)
            yield row, kernel_result(2.0)

    monkeypatch.setattr(report, "DOCUMENT", document)
    monkeypatch.setattr(report, "ROOT", tmp_path)
    monkeypatch.setattr(report, "describe_setup", lambda _: head)
    monkeypatch.setattr(report, "engines", lambda *_, **__: [])
    monkeypatch.setattr(models, "bench_model", bench_model)
    monkeypatch.setattr(kernels, "measure", measure)
    monkeypatch.setattr(kernels, "chosen_rows", lambda _: [rows()["Relu"]])
    monkeypatch.setattr(wllama, "measure", lambda _, threads, rounds: wllama_result(threads))
    monkeypatch.setattr(first, "measure", lambda *_: measured.append("first") or FIRST)
    monkeypatch.setattr(
        registry, "models", lambda: {name: registry.Model(name, Path, dict) for name in ("a", first.MODEL)}
    )
    options = argparse.Namespace(dist=tmp_path, model=[])

    with pytest.raises(KeyboardInterrupt):
        report.run(options)
    assert measured == ["first", "node 1 a", "node 1 tinyocr-rec"]
    assert report.run(options) == 1  # one failed
    assert measured[3:6] == ["node 1 tinyocr-rec", "node 2 a", "node 2 tinyocr-rec"]
    del measured[:4]
    measured.insert(0, "")  # so that nothing fails any more
    assert report.run(options) == 0
    assert measured[-1] == "node 1 tinyocr-rec" and measured.count("Relu") == 2
    assert "| a | 1.1 |" in document.read_text()


def test_medians_of_fresh_processes(tmp_path: Path) -> None:
    told = first.describe(FIRST).splitlines()
    assert told[0].split() == [OURS, "ready", "100", "ms", "first", "outputs", "150", "ms"]
    assert told[2].split() == ["ratio", "ready", "3.00", "first", "outputs", "4.00"]
