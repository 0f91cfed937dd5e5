"""docs/command-line.md names every command and option there is, and no other."""

from __future__ import annotations

import re
from typing import Any

import pytest
import typer

from onnxlet.cli import app, output

from .conftest import ROOT

DOC = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
SECTIONS = dict(re.findall(r"^## `onnxlet (\w+)`\n(.*?)(?=^## |\Z)", DOC, re.MULTILINE | re.DOTALL))


def options(command: Any) -> set[str]:
    """The long and short options of a command."""
    parameters = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    return {name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)}


def test_every_command_has_its_section() -> None:
    assert SECTIONS.keys() == COMMANDS.keys()
    table = DOC.partition("## ")[0]
    assert set(re.findall(r"^\| \[`(\w+)`\]", table, re.MULTILINE)) == COMMANDS.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_described(name: str) -> None:
    mentioned = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", SECTIONS[name]))
    known = options(COMMANDS[name]) - {"--help", "-h"}
    assert known <= mentioned, f"not described: {sorted(known - mentioned)}"
    elsewhere = {option for command in COMMANDS.values() for option in options(command)}
    assert mentioned - known <= elsewhere, f"there is no {sorted(mentioned - known - elsewhere)}"


def test_exit_codes() -> None:
    table = dict(re.findall(r"^\| (\d+) \| (.*) \|$", DOC, re.MULTILINE))
    assert table.keys() == {str(code) for code in (output.DONE, output.FAILED, output.MISUSED, output.CHANGED, 130)}


def test_options_of_files_are_described() -> None:
    from onnxlet.cli.readers import KINDS

    described = set(re.findall(r"`(\w+)=", DOC))
    assert {option for kind in KINDS for option in kind.options} <= described
    assert all(suffix in DOC for kind in KINDS for suffix in kind.suffixes if suffix != ".jpeg")
