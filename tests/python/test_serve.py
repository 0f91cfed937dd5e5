"""onnxlet serve: what the server answers, and what it does not give away."""

from __future__ import annotations

import http.client
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from onnxlet.cli import server
from onnxlet.cli.server import FolderServer, Part, requested_part

from .command import invoke
from .conftest import ROOT

BODY = bytes(range(256)) * 1000

# The package has the command under the same name.
serve = importlib.import_module("onnxlet.cli.serve")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "site"
    (made / "sub").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (made / "model.onnx").write_bytes(BODY)
    (made / "engine.wasm").write_bytes(b"\0asm")
    (made / "page.mjs").write_text("export {}")
    (made / "a b<c>.txt").write_text("odd")
    (made / "sub" / "index.html").write_text("<p>index</p>")
    return made


@pytest.fixture
def serving(folder: Path) -> Iterator[FolderServer]:
    with FolderServer(folder) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


class Answer:
    def __init__(self, made: FolderServer, path: str, method: str = "GET", **headers: str) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", made.server_address[1], timeout=10)
        named = {key.replace("_", "-"): value for key, value in headers.items()}
        connection.request(method, path, headers=named)
        response = connection.getresponse()
        self.status, self.body, self.headers = response.status, response.read(), response.headers
        connection.close()


def test_files_and_their_types(serving: FolderServer) -> None:
    for path, kind in (
        ("/model.onnx", "application/octet-stream"),
        ("/engine.wasm", "application/wasm"),
        ("/page.mjs", "text/javascript"),
        ("/sub/", "text/html; charset=utf-8"),
    ):
        answer = Answer(serving, path)
        assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert Answer(serving, "/model.onnx?version=2").body == BODY


def test_isolation(serving: FolderServer) -> None:
    for path in ("/page.mjs", "/", "/none"):
        headers = Answer(serving, path).headers
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Cross-Origin-Embedder-Policy"] == "require-corp"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    serving.isolated = False
    assert "Cross-Origin-Opener-Policy" not in Answer(serving, "/page.mjs").headers


def test_head_has_no_body(serving: FolderServer) -> None:
    answer = Answer(serving, "/model.onnx", "HEAD")
    assert (answer.status, answer.body, answer.headers["Content-Length"]) == (200, b"", str(len(BODY)))
    assert Answer(serving, "/", "HEAD").body == b""
    assert Answer(serving, "/model.onnx", "POST").status == 501


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [("bytes=0-9", 0, 10), ("bytes=100-", 100, None), ("bytes=-7", -7, None), ("bytes=255990-999999", 255990, None)],
)
def test_parts(serving: FolderServer, asked: str, start: int, end: int | None) -> None:
    answer = Answer(serving, "/model.onnx", Range=asked)
    assert answer.status == 206 and answer.body == BODY[start:end]
    first = start % len(BODY)
    assert answer.headers["Content-Range"] == f"bytes {first}-{first + len(answer.body) - 1}/{len(BODY)}"


def test_parts_that_do_not_exist(serving: FolderServer) -> None:
    answer = Answer(serving, "/model.onnx", Range=f"bytes={len(BODY)}-")
    assert (answer.status, answer.headers["Content-Range"]) == (416, f"bytes */{len(BODY)}")
    for odd in ("bytes=5-2", "bytes=-", "lines=1-2", "bytes=0-1,4-5", "bytes=a-b"):
        assert Answer(serving, "/model.onnx", Range=odd).body == BODY


@pytest.mark.parametrize(
    ("text", "part"),
    [("bytes=0-", Part(0, 10, 10)), ("bytes=-20", Part(0, 10, 10)), ("bytes=9-9", Part(9, 10, 10)), ("", None)],
)
def test_ranges(text: str, part: Part | None) -> None:
    assert requested_part(text, 10) == part
    with pytest.raises(ValueError, match=r"bytes=0- of 0 bytes"):
        requested_part("bytes=0-", 0)
    with pytest.raises(ValueError, match=r"bytes=-0 of 10 bytes"):
        requested_part("bytes=-0", 10)


def test_what_has_not_changed_is_not_sent_again(serving: FolderServer, folder: Path) -> None:
    first = Answer(serving, "/model.onnx")
    tag, modified = first.headers["ETag"], first.headers["Last-Modified"]
    for headers in ({"If_None_Match": tag}, {"If_None_Match": f'"x", W/{tag}'}, {"If_Modified_Since": modified}):
        again = Answer(serving, "/model.onnx", **headers)
        assert (again.status, again.body, again.headers["ETag"]) == (304, b"", tag)
    for headers in ({"If_None_Match": '"x"', "If_Modified_Since": modified}, {"If_Modified_Since": "yesterday"}):
        assert Answer(serving, "/model.onnx", **headers).status == 200
    assert Answer(serving, "/model.onnx", Range="bytes=0-1", If_Range=tag).status == 206
    (folder / "model.onnx").write_bytes(BODY[1:])
    assert Answer(serving, "/model.onnx", If_None_Match=tag).body == BODY[1:]
    assert Answer(serving, "/model.onnx", Range="bytes=0-1", If_Range=tag).status == 200


def test_nothing_outside_the_folder(serving: FolderServer, folder: Path) -> None:
    (folder / "link").symlink_to(folder.parent)
    (folder / "file.txt").symlink_to(folder.parent / "secret.txt")
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "near.mjs").symlink_to(folder / "page.mjs")
    (folder / "sub" / "deep").mkdir()
    (folder / "sub" / "deep" / "index.html").symlink_to(folder.parent / "secret.txt")
    for path in (
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/sub/../../secret.txt",
        "/link/secret.txt",
        "/file.txt",
        "/loop",
        "/..%5csecret.txt",
        "/model.onnx%00",
        "/sub/deep/",
        f"/{'x' * 5000}",
        str(folder.parent / "secret.txt"),
    ):
        answer = Answer(serving, path)
        assert answer.status == 404 and b"secret" not in answer.body.replace(b"secret.txt", b""), path
    assert Answer(serving, "/near.mjs").status == 200


def test_other_names_of_this_machine_are_refused(serving: FolderServer) -> None:
    answer = Answer(serving, "/model.onnx", Host="evil.example:80")
    assert (answer.status, answer.body) == (403, b"this server answers for 127.0.0.1 and localhost alone\n")
    assert Answer(serving, "/model.onnx", Host=f"localhost:{serving.server_address[1]}").status == 200


def test_folders(serving: FolderServer) -> None:
    listing = Answer(serving, "/").body.decode()
    assert '<a href="a%20b%3Cc%3E.txt">a b&lt;c&gt;.txt</a>' in listing and '<a href="sub/">' in listing
    assert Answer(serving, "/sub/").body == b"<p>index</p>"
    moved = Answer(serving, "/sub?q=1")
    assert (moved.status, moved.headers["Location"]) == (301, "/sub/?q=1")
    assert Answer(serving, "//sub").headers["Location"] == "/sub/"
    assert Answer(serving, "/none").body == b"there is no /none\n"


def test_a_connection_answers_more_than_once(serving: FolderServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", serving.server_address[1], timeout=10)
    for path in ("/page.mjs", "/sub", "/none", "/model.onnx"):
        connection.request("GET", path)
        connection.getresponse().read()
    connection.close()


def test_a_file_that_shrinks_ends_the_connection(serving: FolderServer, monkeypatch: pytest.MonkeyPatch) -> None:
    original = server.Handler._copy
    monkeypatch.setattr(server.Handler, "_copy", lambda self, file, length: original(self, file, length + 10))
    assert Answer(serving, "/page.mjs").body == b"export {}"


@pytest.fixture
def started() -> Iterator[Any]:
    processes: list[subprocess.Popen[str]] = []

    def start(*arguments: object, cwd: Path = ROOT) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "onnxlet", "serve", *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        processes.append(
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                text=True,
                cwd=cwd,
                env=environment,
                # Whoever runs the tests in the background has it ignored.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
        )
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def test_the_command(started: Any, folder: Path) -> None:
    """In a process of its own: it says where it is, and ends with Ctrl-C."""
    process = started(".", "--port", 0, "--no-isolation", "--json", cwd=folder)
    text = ""
    while not text.rstrip().endswith("}"):
        text += process.stdout.readline()
    document = json.loads(text)
    assert document["folder"] == str(folder.resolve()) and document["isolated"] is False
    host = document["url"].removeprefix("http://").rstrip("/")
    connection = http.client.HTTPConnection(host, timeout=10)
    connection.request("GET", "/page.mjs")
    answer = connection.getresponse()
    assert answer.read() == b"export {}" and "Cross-Origin-Opener-Policy" not in answer.headers
    connection.close()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 0


def test_the_command_in_words(started: Any, folder: Path) -> None:
    line = started(folder, "--port", 0).stdout.readline()
    assert line.startswith(f"{folder.resolve()} at http://127.0.0.1:")
    assert line.endswith("/ (isolated: threads work); Ctrl-C ends it\n")


@pytest.fixture
def playground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page in place of the one that the build makes."""
    page = tmp_path / "playground"
    (page / "onnxlet").mkdir(parents=True)
    (page / "index.html").write_text("the page")
    monkeypatch.setattr(serve, "PLAYGROUND", page)
    return page


def test_the_playground_shares_the_engine_with_python(playground: Path) -> None:
    with FolderServer(playground, more=serve.engines()) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        assert Answer(made, "/").body == b"the page"
        engine = Answer(made, "/onnxlet/onnxlet.wasm")
        assert engine.headers["Content-Type"] == "application/wasm" and engine.body.startswith(b"\0asm")
        assert Answer(made, "/onnxlet/other.wasm").status == 404
        made.shutdown()
        thread.join()


def test_the_playground_is_saved_whole(playground: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    done = invoke("serve", "--save", target)
    assert (done.code, done.out.split()) == (0, f"the playground is in {target}: put it on any web server".split())
    assert (target / "index.html").read_text() == "the page"
    assert {file.name for file in (target / "onnxlet").iterdir()} == {Path(name).name for name in serve.engines()}
    words = f"INVALID_ARGUMENT: {str(target)!r} is there and not an empty folder\n"
    assert (invoke("serve", "--save", target).code, invoke("serve", "--save", target).err) == (1, words)


def test_an_installation_without_the_playground_says_so(playground: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "PLAYGROUND", playground / "none")
    done = invoke("serve")
    words = "this installation has no playground; ./build.sh build makes it. Name a folder to serve that"
    assert (done.code, done.err) == (1, f"NO_SUCH_FILE: {words}\n")


def test_folders_and_ports_that_are_not_to_be_had(folder: Path) -> None:
    done = invoke("serve", folder / "none")
    assert (done.code, done.err) == (1, f"NO_SUCH_FILE: {str(folder / 'none')!r} is not a folder\n")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = invoke("serve", folder, "--port", port)
        assert done.code == 1
        words = f"INVALID_ARGUMENT: port {port} cannot be had: Address already in use; --port 0 takes a free one\n"
        assert done.err == words
    assert invoke("serve", folder, "--port", 70000).code == 2
