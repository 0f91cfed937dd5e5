"""The page of `python -m bench.first_page` makes its inference and tells the time. Speed is not a test's matter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench import first_page
from bench.runner import OURS, engines
from tests.models import registry
from tests.support.hosts import Host
from tests.support.paths import ROOT


def test_a_page_tells_its_time(get_host: Callable[[str], Host], fetched: Callable[[Callable[[], Path]], Path]) -> None:
    get_host("chromium")
    model = registry.models()[first_page.MODEL]
    fetched(model.path)
    result = first_page.measure(model, engines(ROOT / "js" / "dist", "none", browser=True), pages=1)
    assert 0 < result["ms"][OURS] < 60_000
