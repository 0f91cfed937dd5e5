"""The same engine is timed in Node, in CPython and natively."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from bench import hosts
from tests.models import registry
from tests.python.conftest import need
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


def test_the_native_engine_takes_part(get_host: Callable[[str], Host]) -> None:
    get_host("node")
    need("native")
    library = Path(os.environ["ONNXLET_NATIVE_LIB"])
    model = registry.models()["tinyocr-rec"]
    result = hosts.measure(model, ROOT / "js" / "dist", threads=1, seconds=0.3, turns=1, native=library)
    assert list(result["hosts"]) == [hosts.NODE, hosts.PYTHON, hosts.NATIVE], result
    assert len(hosts.describe(result).split()) == 7
    # About 2 on an idle machine with AVX2.
    assert min(result["native"]) > 1, result


def test_the_table_has_a_mean() -> None:
    results = [
        {"model": "a", "hosts": {"Node": 3.0, "CPython": 4.0, "native": 1.0}, "ratio": 0.75, "native": [3.0, 4.0]},
        {"model": "b", "error": "Node: gone"},
        {"model": "c", "hosts": {"Node": 6.0, "CPython": 18.0, "native": 2.0}, "ratio": 0.3, "native": [3.0, 9.0]},
    ]
    assert hosts.table(results).splitlines() == [
        "| model | Node, ms | CPython, ms | native, ms | Node / native | CPython / native |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        "| a | 3.00 | 4.00 | 1.00 | 3.00 | 4.00 |",
        "| c | 6.00 | 18.00 | 2.00 | 3.00 | 9.00 |",
        "| geometric mean |  |  |  | 3.00 | 6.00 |",
    ]
