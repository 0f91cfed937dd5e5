"""The report as a page: complete, well-formed, and sufficient to itself."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from typer.testing import CliRunner

from onnxlet.cli import app
from onnxlet.packing import pack
from onnxlet.packing.charts import Axis, front
from onnxlet.packing.page import page
from tests.browser.chromium import Chromium, executable
from tests.support.missing import missing

from . import graphs

pytestmark = pytest.mark.filterwarnings("ignore:the packed model is slower", "ignore:opset raised")
VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Checks that every element is closed in order, and gathers rows, attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """Of a search, with names that would break a careless page."""
    model = graphs.cnn()
    for node in model.graph.node:
        node.name = f"<{node.name}> & 'co'"
    config = {"seconds": 0.01, "cache": False, "candidates": ["int8", "int4"]}
    result = pack(model, graphs.images(4), max_size=0.6, config=config)
    return {"model": "a&b.onnx", **result.report, "notes": ["the packed model is slower than <its> original"]}


def test_every_node_is_listed_and_nothing_is_fetched(document: dict[str, Any]) -> None:
    text = page(document)
    reader = Reader(text)
    listed = {row[0]: row[1:] for row in reader.rows}
    for node in document["nodes"]:
        how = "; ".join(filter(None, (node.get("scheme"), node.get("reason"))))
        assert listed[node["node"]] == [node["op_type"], node["status"], how]
    assert "//" not in text.replace("<!DOCTYPE", "") and "url(" not in text and "@import" not in text
    assert not {"script", "link", "img", "iframe"} & reader.tags
    assert not {"src", "href"} & {name for name, _ in reader.attributes}
    assert text.index("the packed model is slower than &lt;its&gt; original") < text.index("nodes quantized")


def test_charts_show_what_was_measured(document: dict[str, Any]) -> None:
    text = page(document)
    trials = document["search"]["trials"]
    assert text.count("<circle") == len(trials) and text.count('class="chosen"') == 1
    (points,) = re.findall(r'<polyline class="front" points="([^"]*)"', text)
    assert len(points.split()) == sum(trial["pareto"] for trial in trials)
    packed = [layer for layer in document["layers"] if layer["histogram"]]
    assert text.count("<figure>") == len(packed) > 0
    for layer in packed:
        counts = layer["histogram"]
        assert sum(counts["before"]) == sum(counts["after"]) == np.prod(layer["shape"])
    assert "size, kB" in text and "1 − cosine of the outputs" in text


def test_axes() -> None:
    assert Axis(0, 24, 50, 400).marks() == [0, 10, 20]
    assert Axis(1e-4, 1, 0, 1, logarithmic=True).marks() == [1e-4, 1e-3, 1e-2, 0.1, 1]
    assert Axis(1e-4, 1, 200, 0, logarithmic=True).at(1e-2) == pytest.approx(100)


def test_one_point_and_no_error_can_be_drawn() -> None:
    trial = {"name": "int8", "bytes": 10, "after": 1.0, "chosen": True, "pareto": True}
    for metric in ("cosine", "top1"):
        assert "nan" not in front([trial], 10, metric)


def test_without_a_search_or_measurements(document: dict[str, Any]) -> None:
    bare = {k: v for k, v in document.items() if k not in ("search", "accuracy", "speed", "onnxruntime", "notes")}
    Reader(text := page(bare | {"notes": []}))
    assert "Size against error" not in text and 'role="alert"' not in text


def test_command(tmp_path: Path) -> None:
    onnx.save(graphs.gemm(), tmp_path / "m.onnx")
    np.savez(tmp_path / "d.npz", x=graphs.weights(4, 64))
    (tmp_path / "c.toml").write_text("seconds = 0\n")
    options = ("-o", "p.onnx", "--data", "d.npz", "--config", "c.toml", "--report", "r.html")
    arguments = [str(tmp_path / a) if "." in a else a for a in ("m.onnx", *options)]
    assert CliRunner().invoke(app, ["pack", *arguments]).exit_code == 0
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>") and "m.onnx, packed" in text


def test_no_page_is_wider_than_a_telephone(document: dict[str, Any], tmp_path: Path) -> None:
    if executable() is None:
        missing("Chromium is not installed")
    (tmp_path / "r.html").write_text(page(document), encoding="utf-8")
    with Chromium() as browser:
        tab = browser.page((tmp_path / "r.html").as_uri())
        narrow = "() => { document.body.style.width = '400px'; return document.body.scrollWidth; }"
        assert tab.evaluate(narrow) <= 400 and browser.foreign == []
