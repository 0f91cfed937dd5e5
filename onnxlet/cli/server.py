"""A web server for this machine's own browsers: files of one folder, as WebAssembly and threads want them.

Every answer carries the right type, a validator (ETag and Last-Modified) and, unless left out, the headers that make a
page cross-origin isolated. Parts of files are given to those who ask for one (Range).
"""

from __future__ import annotations

import email.utils
import html
import mimetypes
import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO, Final

# Types that browsers insist on, whatever the system's own tables say.
TYPES: Final = {
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/javascript",
    ".onnx": "application/octet-stream",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
ISOLATION: Final = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_PIECE: Final = 1 << 16
_HOSTS: Final = frozenset({"127.0.0.1", "localhost"})


def content_type(path: Path) -> str:
    """The MIME type for a file's name."""
    return TYPES.get(path.suffix.lower()) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"


@dataclass(frozen=True)
class Part:
    """Bytes `start` to `end`, that one not included, of a file of `size` bytes."""

    start: int
    end: int
    size: int

    @property
    def content_range(self) -> str:
        return f"bytes {self.start}-{self.end - 1}/{self.size}"


def requested_part(text: str, size: int) -> Part | None:
    """What a Range header asks for; None when it is none of a single range, which a server may then ignore.

    Raises ValueError for a range that begins after the end.
    """
    found = re.fullmatch(r"bytes=(\d*)-(\d*)", text.replace(" ", ""))
    if found is None or not (found[1] or found[2]) or (found[1] and found[2] and int(found[1]) > int(found[2])):
        return None
    if found[1]:
        start, end = int(found[1]), min(int(found[2] or size - 1), size - 1) + 1
    else:
        start, end = max(0, size - int(found[2])), size
    if start >= size or start >= end:
        raise ValueError(f"{text} of {size} bytes")
    return Part(start, end, size)


def inside(folder: Path, address: str) -> Path | None:
    """What there is in a folder under an address; None for nothing, and for what would leave the folder by dots or links."""
    relative = urllib.parse.unquote(address).lstrip("/")
    if "\0" in relative or "\\" in relative:
        return None
    root = folder.resolve()
    try:
        path = (root / relative).resolve(strict=True)
    except (OSError, RuntimeError):  # not there, a loop of links, a name that is too long
        return None
    return path if path.is_relative_to(root) else None


class FolderServer(ThreadingHTTPServer):
    """Serves `folder` on 127.0.0.1; `port` 0 takes a free one. Raises OSError when the port is taken.

    `more`: files of other places, by their address without the first slash.
    """

    daemon_threads = True

    def __init__(
        self, folder: Path, port: int = 0, *, isolated: bool = True, more: Mapping[str, Path] | None = None
    ) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.folder = folder
        self.isolated = isolated
        self.more = dict(more or {})

    @property
    def origin(self) -> str:
        """The address, such as http://127.0.0.1:8000."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD."""

    protocol_version = "HTTP/1.1"
    server: FolderServer

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: Any) -> None:
        """Silence: the browser's own console shows what fails."""

    def _answer(self) -> None:
        # A page elsewhere can give a name of its own to this machine's address, and read files under that name.
        if self.headers.get("Host", "").partition(":")[0] not in _HOSTS:
            self._refuse(HTTPStatus.FORBIDDEN, "this server answers for 127.0.0.1 and localhost alone")
            return
        address = urllib.parse.urlsplit(self.path)
        path = self.server.more.get(address.path.lstrip("/")) or inside(self.server.folder, address.path)
        if path is not None and path.is_dir():
            if not address.path.endswith("/"):
                query = f"?{address.query}" if address.query else ""
                place = "/" + address.path.lstrip("/")  # two slashes would name another host
                self._head(HTTPStatus.MOVED_PERMANENTLY, {"Location": f"{place}/{query}"}, 0)
                return
            index = path / "index.html"
            if not index.is_file():
                self._send(HTTPStatus.OK, TYPES[".html"], _listing(address.path, path))
                return
            path = inside(self.server.folder, f"{address.path}index.html")
        if path is None or not path.is_file():
            self._refuse(HTTPStatus.NOT_FOUND, f"there is no {urllib.parse.unquote(address.path)}")
            return
        try:
            with path.open("rb") as file:
                self._send_file(path, file)
        except OSError as error:
            self._refuse(HTTPStatus.NOT_FOUND, f"{address.path} cannot be read: {error.strerror}")

    def _send_file(self, path: Path, file: BinaryIO) -> None:
        status = path.stat()
        tag = f'"{status.st_mtime_ns:x}-{status.st_size:x}"'
        modified = int(status.st_mtime)
        headers = {
            "ETag": tag,
            "Last-Modified": email.utils.formatdate(modified, usegmt=True),
            "Accept-Ranges": "bytes",
        }
        if self._has(tag, modified):
            self._head(HTTPStatus.NOT_MODIFIED, headers, None)
            return
        headers["Content-Type"] = content_type(path)
        part = None
        if self.headers.get("If-Range", tag) == tag:
            try:
                part = requested_part(self.headers.get("Range", ""), status.st_size)
            except ValueError:
                self._head(
                    HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, {"Content-Range": f"bytes */{status.st_size}"}, 0
                )
                return
        if part is None:
            self._head(HTTPStatus.OK, headers, status.st_size)
            self._copy(file, status.st_size)
        else:
            self._head(
                HTTPStatus.PARTIAL_CONTENT, {**headers, "Content-Range": part.content_range}, part.end - part.start
            )
            file.seek(part.start)
            self._copy(file, part.end - part.start)

    def _has(self, tag: str, modified: int) -> bool:
        """Whether the asking side already has this version of a file."""
        known = self.headers.get("If-None-Match")
        if known is not None:
            return known.strip() == "*" or tag in (item.strip().removeprefix("W/") for item in known.split(","))
        since = self.headers.get("If-Modified-Since")
        try:
            found = email.utils.parsedate_to_datetime(since) if since else None
        except ValueError:
            return False
        return found is not None and modified <= found.timestamp()

    def _refuse(self, status: HTTPStatus, sentence: str) -> None:
        self._send(status, "text/plain; charset=utf-8", f"{sentence}\n")

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        body = text.encode()
        self._head(status, {"Content-Type": kind}, len(body))
        if self.command != "HEAD":
            self.wfile.write(body)

    def _head(self, status: HTTPStatus, headers: dict[str, str], length: int | None) -> None:
        self.send_response(status)
        isolation = ISOLATION if self.server.isolated else {}
        # Browsers ask again each time, and get a short answer for what has not changed.
        for name, value in {"Cache-Control": "no-cache", **isolation, **headers}.items():
            self.send_header(name, value)
        self.send_header("X-Content-Type-Options", "nosniff")
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def _copy(self, file: BinaryIO, length: int) -> None:
        """Exactly `length` bytes; the connection ends where the file has become shorter or the browser has left."""
        if self.command == "HEAD":
            return
        try:
            left = length
            while left:
                piece = file.read(min(left, _PIECE))
                if not piece:
                    self.close_connection = True
                    return
                self.wfile.write(piece)
                left -= len(piece)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True


def _listing(address: str, folder: Path) -> str:
    names = sorted(f"{item.name}/" if item.is_dir() else item.name for item in folder.iterdir())
    title = html.escape(urllib.parse.unquote(address))
    rows = [f'<li><a href="{urllib.parse.quote(name)}">{html.escape(name)}</a></li>' for name in ["../", *names]]
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
    return f"{head}<h1>{title}</h1><ul>{''.join(rows)}</ul></html>\n"
