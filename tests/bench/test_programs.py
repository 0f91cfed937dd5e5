"""What `python -m bench.programs` reads from a program, beside a real run in Node."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench import programs
from tests.models import registry
from tests.support.hosts import Host
from tests.support.paths import ROOT


def test_the_fastest_run_of_a_program_beside_nodes(tmp_path: Path, get_host: Callable[[str], Host]) -> None:
    get_host("node")  # skips where it is missing
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\necho "$4 runs on $2 threads: fastest 2.5 ms, median 3.5 ms" >&2\n')
    program.chmod(0o755)
    result = programs.measure(registry.models()["digits-cnn"], program, ROOT / "js" / "dist", turns=1, runs=7)
    assert (result["model"], result["program_ms"]) == ("digits-cnn", 2.5)
    assert result["ratio"] == pytest.approx(result["node_ms"] / 2.5)
