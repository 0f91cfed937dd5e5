"""A loopback web server for pages under test: the package, the tests' pages, and chosen folders of this machine.

/js/...      js/dist
/tests/...   the tests folder
/file/...    absolute paths inside `roots`; PUT writes there
/slow/...    as /file/, in small pieces with pauses, for progress and abort
/flaky/...   as /file/, but the first transfer of each address breaks off half-way
Other addresses answer 404. Parts of files are given to those that ask for them (Range). With `isolated` every answer carries the headers that make a page cross-origin isolated.
"""

from __future__ import annotations

import threading
import time
import urllib.parse
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from onnxlet.cli.server import ISOLATION, content_type, requested_part
from tests.support.paths import ROOT

POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' data:; img-src 'self' data:"
_PIECE = 65536


class Server:
    """Serves until closed. `requests` lists the addresses asked for, in order."""

    def __init__(self, roots: Iterable[Path] = (), *, isolated: bool = True, dist: Path = ROOT / "js" / "dist") -> None:
        self.roots = [root.resolve() for root in roots]
        self.isolated = isolated
        self.dist = dist
        self.requests: list[str] = []
        self.overrides: dict[str, tuple[int, str, bytes]] = {}
        """Answers for single addresses: status, content type, body."""
        self.policy = POLICY
        self.shared = False
        """Whether pages of other origins may read the files."""
        self.broken: set[str] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def locate(self, address: str) -> Path | None:
        """The file for an address's path, or None when there is none or it is not to be had."""
        area, _, rest = address.lstrip("/").partition("/")
        rest = urllib.parse.unquote(rest)
        if area in ("file", "slow", "flaky", "cut", "cut-octets", "stalled"):
            path = Path("/" + rest).resolve()
            return path if any(path.is_relative_to(root) for root in self.roots) else None
        folder = {"js": self.dist, "tests": ROOT / "tests"}.get(area)
        if folder is None:
            return None
        path = (folder / rest).resolve()
        return path if path.is_relative_to(folder.resolve()) else None


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            address = urllib.parse.urlsplit(self.path).path
            server.requests.append(self.path)
            if address in server.overrides:
                self._answer(*server.overrides[address])
                return
            path = server.locate(address)
            if path is None or not path.is_file():
                self._answer(404, "text/plain", b"not found")
                return
            kind = content_type(path)
            body = path.read_bytes()
            if address.startswith("/flaky/") and address not in server.broken:
                server.broken.add(address)
                self._answer(200, kind, body, length=len(body) // 2)
                return
            if address.startswith(("/cut/", "/cut-octets/", "/stalled/")):
                kind = "application/octet-stream" if address.startswith("/cut-octets/") else kind
                self._answer(200, kind, body, length=len(body) // 2, stalled=address.startswith("/stalled/"))
                return
            try:
                part = requested_part(self.headers.get("Range", ""), len(body))
            except ValueError:
                self._answer(416, "text/plain", b"", {"Content-Range": f"bytes */{len(body)}"})
                return
            if part is None:
                self._answer(200, kind, body, slow=address.startswith("/slow/"))
            else:
                self._answer(206, kind, body[part.start : part.end], {"Content-Range": part.content_range})

        def do_PUT(self) -> None:
            path = server.locate(urllib.parse.urlsplit(self.path).path)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if path is None or not path.parent.is_dir():
                self._answer(403, "text/plain", b"outside the folders of this test")
                return
            path.write_bytes(body)
            self._answer(200, "text/plain", b"")

        def _answer(
            self,
            status: int,
            content_type: str,
            body: bytes,
            headers: dict[str, str] | None = None,
            *,
            slow: bool = False,
            length: int | None = None,
            stalled: bool = False,
        ) -> None:
            """`length`: after how many bytes the connection breaks; `stalled`: not before the other side ends it."""
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", server.policy)
            self.send_header("Cache-Control", "no-store")
            if server.shared:
                self.send_header("Access-Control-Allow-Origin", "*")
            for name, value in {**(ISOLATION if server.isolated else {}), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                if not slow:
                    self.wfile.write(body[:length])
                    self.wfile.flush()
                    if stalled:
                        self.connection.recv(1)
                    self.close_connection = self.close_connection or length is not None
                    return
                for start in range(0, len(body), _PIECE):
                    self.wfile.write(body[start : start + _PIECE])
                    self.wfile.flush()
                    time.sleep(0.02)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # the page stopped the transfer

        def log_message(self, format: str, *args: Any) -> None:
            """Silence: failures show in the page's results."""

    return Handler
