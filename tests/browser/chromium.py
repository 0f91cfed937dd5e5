"""Debian's Chromium through Playwright, running job lists of tests/support/jobs.mjs on js/dist.

    with Chromium(roots=[folder]) as browser:
        results = browser.run_jobs([{"id": "a", "model": "/abs/m.onnx", "threads": 2, "inputs": [...]}])

Paths in jobs are absolute and inside `roots`. Playwright allows one object of this kind at a time.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.browser.server import Server
from tests.support.paths import ROOT

ARGUMENTS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
)


def executable() -> str | None:
    """Where Chromium is: $CHROMIUM, else the first of the usual names; None when it is not installed."""
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Chromium:
    """One browser, and two servers of the same files: pages of `server` are cross-origin isolated and have threads,
    pages of `plain_server` are not."""

    def __init__(
        self, roots: Iterable[Path] = (), *, dist: Path = ROOT / "js" / "dist", arguments: Sequence[str] = ()
    ) -> None:
        path = executable()
        if path is None:
            raise FileNotFoundError("Chromium is not installed: run `apt-get install chromium`, or set CHROMIUM")
        folders = list(roots)
        self.server = Server(folders, isolated=True, dist=dist)
        self.plain_server = Server(folders, isolated=False, dist=dist)
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, *arguments])
        self.foreign: list[str] = []
        """Addresses of other origins that pages have asked for; there should be none."""

    def __enter__(self) -> Chromium:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._browser.close()
        self._playwright.stop()
        self.server.close()
        self.plain_server.close()

    def page(self, address: str = "/tests/browser/page/index.html", *, isolated: bool = True) -> Page:
        """A new tab at an address of a server."""
        page = self._browser.new_page()
        page.on("request", lambda request: self._note(request.url))
        page.goto((self.server if isolated else self.plain_server).origin + address)
        return page

    def run_jobs(
        self, jobs: Sequence[dict[str, Any]], *, isolated: bool = True, timeout: float = 600
    ) -> list[dict[str, Any]]:
        """The jobs' results, in order. Raises TimeoutError after `timeout` seconds."""
        page = self.page(isolated=isolated)
        try:
            # Polled, because an evaluation has no time limit, and without strings of code, which the page's policy forbids.
            self._wait(page, "() => typeof runJobs === 'function'", 30)
            page.evaluate(
                "jobs => { runJobs(jobs).then(r => { globalThis.results = r; }, e => { globalThis.results = String(e); }); }",
                list(jobs),
            )
            self._wait(page, "() => globalThis.results !== undefined", timeout)
            results: Any = page.evaluate("() => globalThis.results")
        finally:
            page.close()
        if not isinstance(results, list):
            raise RuntimeError(f"the page failed: {results}")
        return results

    @staticmethod
    def _wait(page: Page, condition: str, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not page.evaluate(condition):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the page is not ready after {seconds} s: {condition}")
            page.wait_for_timeout(20)

    def _note(self, url: str) -> None:
        if not url.startswith((self.server.origin, self.plain_server.origin, "data:", "blob:", "about:")):
            self.foreign.append(url)
