"""The benchmark runs both engines, agrees on the outputs, and writes what it is asked for."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.__main__ import OURS, PEER, describe
from bench.plot import write_plot
from tests.support.hosts import Host
from tests.support.missing import missing
from tests.support.paths import ROOT


def result(**changes: object) -> dict[str, object]:
    numbers = {"load_ms": 10, "median_ms": 2.0, "min_ms": 1.5, "runs": 9, "memory_bytes": 3 << 20}
    return {"engines": {OURS: numbers, PEER: numbers}, "ratio": 1.5, "difference": 1e-6, "agrees": True, **changes}


def test_a_line_tells_numbers_or_what_went_wrong() -> None:
    assert describe("m", result()).split() == ["m", "2.00", "2.00", "1.50", "10", "/", "10", "3", "/", "3", "1.0e-06"]
    assert describe("m", result(agrees=False)).endswith("outputs differ")
    broken = result(engines={OURS: {"error": "no kernel"}, PEER: {"median_ms": 1}}, ratio=None, difference=None)
    assert describe("m", broken).split(maxsplit=1)[1] == f"{OURS}: no kernel"


def test_plot_has_a_bar_for_each_model_with_a_ratio(tmp_path: Path) -> None:
    rows = [{"model": "a<b", "ratio": 2.0}, {"model": "c", "ratio": 0.5}, {"model": "failed", "ratio": None}]
    write_plot(tmp_path / "p.svg", {"where": "Node", "threads": 1, "results": rows})
    texts = [node.text for node in ElementTree.parse(tmp_path / "p.svg").getroot().iter() if node.tag.endswith("text")]
    assert texts[1:] == ["a<b", "2.00", "c", "0.50"]


@pytest.mark.slow
@pytest.mark.parametrize("where", [[], ["--browser"]])
def test_both_engines_run_and_agree(where: list[str], tmp_path: Path, get_host: Callable[[str], Host]) -> None:
    get_host("chromium" if where else "node")  # skips where it is missing
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "bench", "digits-cnn", "--seconds", "0.1", "--json", str(report), *where]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    if "could not install" in done.stderr:
        missing(done.stderr.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = json.loads(report.read_text())["results"]
    assert found["agrees"]
    assert all(engine["median_ms"] > 0 and engine["memory_bytes"] > 0 for engine in found["engines"].values())
