"""A visitor's view of bundles for web pages: a server for one, and what a page shows."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page

from onnxlet.cli.server import FolderServer

SECONDS = 30


@contextmanager
def served(folder: Path, *, isolated: bool = False, port: int = 0) -> Iterator[FolderServer]:
    """The folder on 127.0.0.1, as `onnxlet serve` has it, while the block runs."""
    with FolderServer(folder, port, isolated=isolated) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def requests_of(page: Page) -> list[str]:
    """Addresses that the page and its workers ask for from now on; the list grows."""
    heard: list[str] = []
    page.context.on("request", lambda request: heard.append(request.url))
    return heard


def status(page: Page, begins: str) -> str:
    """What the page says once that begins so. Playwright's own way to wait needs strings of code, which the page forbids."""
    deadline = time.monotonic() + SECONDS
    while not (text := page.text_content("#status") or "").startswith(begins):
        if time.monotonic() > deadline:
            raise TimeoutError(f"the page says {text!r}, and not {begins!r}")
        page.wait_for_timeout(20)
    return text


def answers(page: Page) -> list[str]:
    """Each answer as its text."""
    return [part.inner_text() for part in page.query_selector_all(".answer")]


def run(page: Page, begins: str = "Done in ") -> list[str]:
    """Presses the button; the answers."""
    page.click("button.main")
    status(page, begins)
    return answers(page)


def drop(page: Page, selector: str, name: str, kind: str, data: bytes) -> None:
    """Drops a file on an element."""
    page.eval_on_selector(
        selector,
        """(zone, { name, kind, data }) => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([Uint8Array.from(data)], name, { type: kind }));
            for (const type of ['dragover', 'drop']) {
                zone.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
            }
        }""",
        {"name": name, "kind": kind, "data": list(data)},
    )
