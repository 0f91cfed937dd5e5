"""Debian's Chromium through Playwright, running job lists of tests/support/jobs.mjs on js/dist.

    with Chromium(roots=[folder]) as browser:
        results = browser.run_jobs([{"id": "a", "model": "/abs/m.onnx", "threads": 2, "inputs": [...]}])

Paths in jobs are absolute and inside `roots`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

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
# Further ones: WebGPU, over SwiftShader where there is no GPU.
WEBGPU = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")


def executable() -> str | None:
    """Where Chromium is: $CHROMIUM, else the first of the usual names; None when it is not installed."""
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


# Playwright's synchronous interface keeps an event loop running in its thread, where asyncio.run() then fails, and
# allows one instance in it. So there is one for the process, in a thread of its own.
_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="playwright")


_T = TypeVar("_T")


def _there(work: Callable[[], _T]) -> _T:
    return _thread.submit(work).result()


class _Shared:
    """The process's Playwright, while browsers use it. Touched in its thread only."""

    playwright: Playwright | None = None
    users = 0


def _launch(path: str, flags: Sequence[str], extension: Path | None) -> Browser | BrowserContext:
    if _Shared.playwright is None:
        _Shared.playwright = sync_playwright().start()
    chromium = _Shared.playwright.chromium
    browser: Browser | BrowserContext
    if extension is None:
        browser = chromium.launch(executable_path=path, args=list(flags))
    else:
        # Extensions want a profile, and a headless mode that Playwright does not ask for by itself.
        load = [
            "--headless=new",
            f"--disable-extensions-except={extension}",
            f"--load-extension={extension}",
            "--disable-features=DisableLoadExtensionCommandLineSwitch",
        ]
        browser = chromium.launch_persistent_context("", executable_path=path, headless=False, args=[*flags, *load])
    _Shared.users += 1
    return browser


def _extension_id(folder: Path) -> str:
    """As Chromium makes it of an unpacked extension's path."""
    digits = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:32]
    return "".join(chr(ord("a") + int(digit, 16)) for digit in digits)


def _end(browser: Browser | BrowserContext) -> None:
    browser.close()
    _Shared.users -= 1
    if _Shared.users == 0 and _Shared.playwright is not None:
        _Shared.playwright.stop()
        _Shared.playwright = None


class Tab:
    """A page. Calls may come from any one thread."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def evaluate(self, expression: str, argument: Any = None) -> Any:
        """The value of a JavaScript function called with the argument; promises are awaited, without a time limit."""
        return _there(lambda: self._page.evaluate(expression, argument))

    def wait(self, condition: str, seconds: float) -> None:
        """Polls a function until it is true. Raises TimeoutError. Playwright's own way needs strings of code, which
        the content security policy of the pages forbids."""
        deadline = time.monotonic() + seconds
        while not self.evaluate(condition):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the page is not ready after {seconds} s: {condition}")
            time.sleep(0.02)

    def close(self) -> None:
        _there(self._page.close)


class Chromium:
    """One browser, and two servers of the same files: pages of `server` are cross-origin isolated and have threads,
    pages of `plain_server` are not."""

    def __init__(
        self,
        roots: Iterable[Path] = (),
        *,
        dist: Path = ROOT / "js" / "dist",
        arguments: Sequence[str] = (),
        extension: Path | None = None,
    ) -> None:
        """`extension`: the folder of an unpacked extension, whose pages `extension_origin` names."""
        path = executable()
        if path is None:
            raise FileNotFoundError("Chromium is not installed: run `apt-get install chromium`, or set CHROMIUM")
        folders = list(roots)
        self.server = Server(folders, isolated=True, dist=dist)
        self.plain_server = Server(folders, isolated=False, dist=dist)
        flags = [*ARGUMENTS, *arguments]
        self.extension_origin = "" if extension is None else f"chrome-extension://{_extension_id(extension)}"
        self._browser = _there(lambda: _launch(path, flags, extension))
        self.foreign: list[str] = []
        """Addresses of other origins that pages have asked for; there should be none."""

    def __enter__(self) -> Chromium:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        _there(lambda: _end(self._browser))
        self.server.close()
        self.plain_server.close()

    def page(
        self, address: str = "/tests/browser/page/index.html", *, isolated: bool = True, bypass_policy: bool = False
    ) -> Tab:
        """A new tab at an address of a server, or at a whole address; on request without the content security policy."""
        origin = (self.server if isolated else self.plain_server).origin
        url = address if "://" in address else origin + address

        def open_page() -> Page:
            browser = self._browser
            page = browser.new_page(bypass_csp=bypass_policy) if isinstance(browser, Browser) else browser.new_page()
            page.on("request", lambda request: self._note(request.url))
            page.goto(url)
            return page

        return Tab(_there(open_page))

    def visit(self, url: str, work: Callable[[Page], _T], **options: Any) -> _T:
        """Opens an address in a profile of its own, made with Playwright's options, and gives what `work` makes of the page.
        `work` runs in Playwright's thread and has all of its interface."""

        def perform() -> _T:
            assert isinstance(self._browser, Browser)
            context = self._browser.new_context(**options)
            try:
                page = context.new_page()
                page.goto(url)
                return work(page)
            finally:
                context.close()

        return _there(perform)

    def run_jobs(
        self, jobs: Sequence[dict[str, Any]], *, isolated: bool = True, timeout: float = 600
    ) -> list[dict[str, Any]]:
        """The jobs' results, in order. Raises TimeoutError after `timeout` seconds."""
        page = self.page(isolated=isolated)
        try:
            page.wait("() => typeof runJobs === 'function'", 30)
            page.evaluate(
                "jobs => { runJobs(jobs).then(r => { globalThis.results = r; }, e => { globalThis.results = String(e); }); }",
                list(jobs),
            )
            page.wait("() => globalThis.results !== undefined", timeout)
            results = page.evaluate("() => globalThis.results")
        finally:
            page.close()
        if not isinstance(results, list):
            raise RuntimeError(f"the page failed: {results}")
        return results

    def _note(self, url: str) -> None:
        own = (self.server.origin, self.plain_server.origin, "chrome-extension:", "data:", "blob:", "about:", "file:")
        if not url.startswith(own):
            self.foreign.append(url)
