"""The benchmark runs both engines, agrees on the outputs, and writes what it is asked for."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import runner
from bench.models import ALONE, describe, heading
from bench.plot import write_plot
from bench.runner import OURS, PEER, Engine, engines
from tests.support.hosts import Host
from tests.support.missing import missing
from tests.support.paths import ROOT

BOTH = [Engine(OURS, Path("a")), Engine(PEER, Path("b"))]


def result(**changes: object) -> dict[str, object]:
    numbers = {"load_ms": 10, "median_ms": 2.0, "min_ms": 1.5, "runs": 9, "memory_bytes": 3 << 20}
    found = {"engines": {OURS: numbers, PEER: numbers}, "ratio": 1.5, "difference": 1e-6, "agrees": True}
    return {**found, "scaling": None, "file_bytes": 2 << 20, **changes}


def test_a_line_tells_numbers_or_what_went_wrong() -> None:
    line = describe("m", result(), BOTH)
    assert line.split() == ["m", "2.00", "2.00", "1.50", "10", "/", "10", "3", "/", "3", "1.5", "/", "1.5", "1.0e-06"]
    assert len(line) == len(heading(BOTH))
    assert describe("m", result(agrees=False), BOTH).endswith("outputs differ")
    assert describe("m", result(scaling=1.75), BOTH).endswith("1.75 times one thread")
    broken = result(engines={OURS: {"error": "no kernel"}, PEER: {"median_ms": 1}}, ratio=None, difference=None)
    assert describe("m", broken, BOTH).split(maxsplit=1)[1] == f"{OURS}: no kernel"
    alone = describe("m", result(ratio=None, difference=None), BOTH[:1])
    assert alone.split() == ["m", "2.00", "10", "3", "1.5"]


def test_a_job_that_ends_the_process_does_not_end_the_others(
    tmp_path: Path, get_host: Callable[[str], Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    get_host("node")
    (tmp_path / "node.mjs").write_text(
        """
        import fs from 'node:fs';
        for (const file of process.argv.slice(2)) {
          const job = JSON.parse(fs.readFileSync(file));
          if (job.wait) await new Promise((resolve) => setTimeout(resolve, 60000));
          if (job.error) throw new Error(job.error);
          console.log('a remark');
          console.log(JSON.stringify({ model: job.model, url: job.engines[0].url }));
        }"""
    )
    monkeypatch.setattr(runner, "HERE", tmp_path)
    monkeypatch.setattr(runner, "SECONDS_PER_JOB", 2)
    jobs: list[runner.Job] = [{"model": "a"}, {"error": "it broke"}, {"model": "b"}, {"wait": True}, {"model": "c"}]
    found = list(runner.run_jobs(jobs, tmp_path, [Engine(OURS, tmp_path / "x")], browser=False))
    assert [result.get("model") for result in found] == ["a", None, "b", None, "c"]
    assert found[0]["url"] == (tmp_path / "x").as_uri()
    assert "it broke" in found[1]["engines"][OURS]["error"]
    assert found[3]["engines"][OURS]["error"] == "no answer in 2 s"


def test_peers(tmp_path: Path) -> None:
    assert [engine.name for engine in engines(tmp_path, "none", browser=False)] == [OURS]
    (tmp_path / "onnxlet.mjs").touch()
    other = engines(ROOT / "js" / "dist", str(tmp_path), browser=True)[1]
    assert (other.name, other.entry) == ("other build", tmp_path / "onnxlet.mjs")
    with pytest.raises(SystemExit, match="'abacus' is none of these"):
        engines(tmp_path, "abacus", browser=False)


def test_plot_has_a_bar_for_each_model_with_a_ratio(tmp_path: Path) -> None:
    rows = [{"model": "a<b", "ratio": 2.0}, {"model": "c", "ratio": 0.5}, {"model": "failed", "ratio": None}]
    write_plot(tmp_path / "p.svg", {"where": "Node", "threads": 1, "results": rows})
    texts = [node.text for node in ElementTree.parse(tmp_path / "p.svg").getroot().iter() if node.tag.endswith("text")]
    assert texts[1:] == ["a<b", "2.00", "c", "0.50"]


def bench(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    if "could not install" in done.stderr:
        missing(done.stderr.strip())
    return done


@pytest.mark.slow
@pytest.mark.parametrize("where", [[], ["--browser"]])
def test_both_engines_run_and_agree(where: list[str], tmp_path: Path, get_host: Callable[[str], Host]) -> None:
    get_host("chromium" if where else "node")  # skips where it is missing
    report = tmp_path / "report.json"
    done = bench("digits-cnn", "--seconds", 0.1, "--threads", 2, "--json", report, *where)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = json.loads(report.read_text())["results"]
    assert found["agrees"] and found["ratio"] > 0 and found["scaling"] > 0
    assert set(found["engines"]) == {OURS, PEER, ALONE}
    assert all(engine["median_ms"] > 0 and engine["memory_bytes"] > 0 for engine in found["engines"].values())


@pytest.mark.slow
def test_a_kernel_is_compared_with_the_peak(tmp_path: Path, get_host: Callable[[str], Host]) -> None:
    get_host("node")
    report = tmp_path / "report.json"
    done = bench("--kernels", "MatMul 32x", "--seconds", 0.1, "--peer", "none", "--json", report)
    assert done.returncode == 0, done.stdout + done.stderr
    (found,) = json.loads(report.read_text())["results"]
    assert 0 < found["of_peak"] < 1.2 and found["ratio"] is None


def test_unknown_names() -> None:
    done = bench("no-such-model", "--peer", "none")
    assert done.returncode == 2 and "no-such-model" in done.stderr
