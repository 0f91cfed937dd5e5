"""A static server on this machine and a Chromium that opens its pages."""

from __future__ import annotations

import contextlib
import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CANDIDATES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves folders under prefixes, cross-origin isolated unless told otherwise."""

    extensions_map: ClassVar = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }
    protocol_version = "HTTP/1.1"

    def __init__(self, mounts: Mapping[str, Path], isolated: bool, *args: object) -> None:
        self.mounts, self.isolated = mounts, isolated
        super().__init__(*args)  # type: ignore[arg-type]

    def translate_path(self, path: str) -> str:
        path = path.partition("?")[0]
        for prefix in sorted(self.mounts, key=len, reverse=True):
            if path.startswith(prefix):
                self.directory = str(self.mounts[prefix])
                return super().translate_path("/" + path[len(prefix) :])
        return os.devnull + "/missing"

    def end_headers(self) -> None:
        if self.isolated:
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *args: object) -> None:
        pass


@contextlib.contextmanager
def serve(mounts: Mapping[str, Path], isolated: bool = True) -> Iterator[str]:
    """Serves each folder under its prefix ("/js/": Path(...)) on 127.0.0.1; gives the origin, like http://127.0.0.1:4711."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, mounts, isolated))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def find_chromium() -> str | None:
    """$CHROMIUM, or the first of the usual names on the path."""
    chosen = os.environ.get("CHROMIUM")
    return chosen or next((path for name in CANDIDATES if (path := shutil.which(name))), None)


@contextlib.contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """A headless Chromium; raises FileNotFoundError where none is installed."""
    from playwright.sync_api import sync_playwright

    path = find_chromium()
    if path is None:
        raise FileNotFoundError("no Chromium found; install the package chromium or set CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", *flags])
        try:
            yield browser
        finally:
            browser.close()
