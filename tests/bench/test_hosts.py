"""The same engine is timed in Node and in CPython."""

from __future__ import annotations

from collections.abc import Callable

from bench import hosts
from tests.models import registry
from tests.support.hosts import Host
from tests.support.paths import ROOT


def test_cpython_keeps_up_with_node(get_host: Callable[[str], Host]) -> None:
    get_host("node")
    result = hosts.measure(registry.models()["tinyocr-rec"], ROOT / "js" / "dist", threads=1, seconds=0.5, turns=2)
    assert list(result["hosts"]) == [hosts.NODE, hosts.PYTHON], result
    line = hosts.describe(result).split()
    assert line[0] == "tinyocr-rec" and len(line) == 4
    # About 0.8 on an idle machine; processor time still suffers from what shares the caches.
    assert result["ratio"] > 0.5, line


def test_a_host_that_fails_is_named(get_host: Callable[[str], Host]) -> None:
    get_host("node")
    result = hosts.measure(registry.models()["tinyocr-rec"], ROOT / "js" / "src", threads=1, seconds=0.1, turns=1)
    assert hosts.describe(result).split(maxsplit=1)[1].startswith("Node: ")
