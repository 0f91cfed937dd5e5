"""`onnxlet serve`: a folder for the browsers of this machine."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.markup import escape

from ..errors import InvalidArgument, NoSuchFile
from .output import DONE, console, print_json, report
from .server import FolderServer


def serve_command(folder: Path, port: int, isolated: bool, as_json: bool) -> int:
    """Runs the command until it is interrupted; returns its exit code."""
    if not folder.is_dir():
        return report(NoSuchFile(f"{str(folder)!r} is not a folder"), as_json)
    try:
        server = FolderServer(folder, port, isolated=isolated)
    except OSError as error:
        text = f"port {port} cannot be had: {error.strerror}; --port 0 takes a free one"
        return report(InvalidArgument(text), as_json)
    with server:
        if as_json:
            print_json({"url": f"{server.origin}/", "folder": str(folder.resolve()), "isolated": isolated})
        else:
            words = "isolated: threads work" if isolated else "not isolated: one thread"
            console().print(f"{escape(str(folder.resolve()))} at {server.origin}/ ({words}); Ctrl-C ends it")
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return DONE
    return DONE
