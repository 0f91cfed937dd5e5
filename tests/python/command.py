"""Runs the command line: in this process, or in one of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from typer.testing import CliRunner

from onnxlet import NodeArg

from .conftest import ROOT

FLOAT = "tensor(float)"


def arg(shape: list[int | str | None], kind: str = FLOAT) -> NodeArg:
    """An input to read files for."""
    return NodeArg("x", kind, shape)


@dataclass(frozen=True)
class Done:
    """What a command gave."""

    code: int
    out: str
    err: str

    @property
    def usage(self) -> str:
        """An error of the command line, without its frame and line breaks."""
        return " ".join(self.err.replace("│", " ").split())


def invoke(*arguments: object) -> Done:
    """The command in this process, which is quicker."""
    from onnxlet.cli import app

    result = CliRunner().invoke(app, list(map(str, arguments)), terminal_width=200)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Done(result.exit_code, result.stdout, result.stderr)


def invoke_json(*arguments: object, code: int = 0) -> Any:
    """The document that a command prints with --json."""
    done = invoke(*arguments, "--json")
    assert done.code == code, done.err + done.out
    return json.loads(done.out)


def onnxlet_command(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The command as a user runs it."""
    command = [sys.executable, "-m", "onnxlet", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)


def json_of(*arguments: object, code: int = 0) -> Any:
    """As `invoke_json`, in a process of its own."""
    done = onnxlet_command(*arguments, "--json")
    assert done.returncode == code, done.stderr + done.stdout
    return json.loads(done.stdout)
