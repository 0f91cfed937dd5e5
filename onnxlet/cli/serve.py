"""`onnxlet serve`: the playground, or a folder, for the browsers of this machine."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rich.markup import escape

from ..errors import InvalidArgument, NoSuchFile
from .output import DONE, console, print_json, report
from .server import FolderServer

_PACKAGE: Final = Path(__file__).parents[1]
PLAYGROUND: Final = _PACKAGE / "_playground"
# The last one makes numbers of texts.
_FLAVOURS: Final = (
    "onnxlet",
    "onnxlet-relaxed",
    "onnxlet-threads",
    "onnxlet-relaxed-threads",
    "onnxlet-scalar",
    "onnxlet-preprocessing",
)


def engines() -> Mapping[str, Path]:
    """The engine's files that the playground shares with Python, by their addresses there."""
    return {f"onnxlet/{name}.wasm": _PACKAGE / "_engine" / f"{name}.wasm" for name in _FLAVOURS}


def serve_command(folder: Path | None, port: int, isolated: bool, as_json: bool) -> int:
    """Runs the command until it is interrupted; returns its exit code. Without a folder it is the playground."""
    if folder is None and not PLAYGROUND.is_dir():
        text = "this installation has no playground; ./build.sh build makes it. Name a folder to serve that"
        return report(NoSuchFile(text), as_json)
    if folder is not None and not folder.is_dir():
        return report(NoSuchFile(f"{str(folder)!r} is not a folder"), as_json)
    try:
        more = engines() if folder is None else {}
        server = FolderServer(folder or PLAYGROUND, port, isolated=isolated, more=more)
    except OSError as error:
        text = f"port {port} cannot be had: {error.strerror}; --port 0 takes a free one"
        return report(InvalidArgument(text), as_json)
    with server:
        where = "the playground" if folder is None else str(folder.resolve())
        if as_json:
            print_json({"url": f"{server.origin}/", "folder": str(server.folder.resolve()), "isolated": isolated})
        else:
            words = "isolated: threads work" if isolated else "not isolated: one thread"
            console().print(f"{escape(where)} at {server.origin}/ ({words}); Ctrl-C ends it")
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return DONE
    return DONE


def save_playground(target: Path, as_json: bool) -> int:
    """Writes the playground's files for any web server; returns the command's exit code."""
    if not PLAYGROUND.is_dir():
        return report(NoSuchFile("this installation has no playground; ./build.sh build makes it"), as_json)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        return report(InvalidArgument(f"{str(target)!r} is there and not an empty folder"), as_json)
    shutil.copytree(PLAYGROUND, target, dirs_exist_ok=True)
    for address, path in engines().items():
        shutil.copyfile(path, target / address)
    if as_json:
        print_json({"folder": str(target.resolve())})
    else:
        console().print(f"the playground is in {escape(str(target))}: put it on any web server")
    return DONE
