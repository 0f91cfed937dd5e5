"""`onnxlet verify`: whether a bundle is what it was, and whose."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape

from ..bundle.proof import Trust, verify
from ..errors import InvalidArgument
from .output import CHANGED, command, console, size_text
from .usage import BadOption


def verify_command(folder: Path, key: Path | None, roots: Sequence[Path], as_json: bool) -> int:
    """Runs the command; returns its exit code."""
    code, document = command(lambda: _verified(folder, key, roots), _show, as_json)
    return code if document is None or document["ok"] else CHANGED


def _verified(folder: Path, key: Path | None, roots: Sequence[Path]) -> dict[str, Any]:
    if key is not None and roots:
        raise BadOption("--key and --certificate-chain are two ways to check a signature; give one")
    trust = Trust(key, tuple(roots)) if key is not None or roots else None
    try:
        return verify(folder, trust).document()
    except InvalidArgument as error:
        raise BadOption(str(error)) from error


def _show(checked: dict[str, Any]) -> None:
    out = console()
    for difference in checked["differences"]:
        out.print(escape(difference["message"]))
    out.print(escape(checked["signature"]["message"]))
    files = f"{checked['files']} files, {size_text(checked['bytes'])}"
    if checked["ok"]:
        out.print(f"{escape(checked['folder'])} is what it was: {files}")
    else:
        out.print(f"{escape(checked['folder'])} is not what it was")
