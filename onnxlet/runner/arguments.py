"""The command line of a bundle's runner: the same words for every target."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from .program import WrongUsage

OPTIONS_HELP = """\
  --input NAME=VALUE      an input by its name
  --table FILE.csv        a table whose columns are the inputs
  --json                  the outputs as JSON, every digit of them
  --output NAME=FILE.npy  saves an output (again for more)
  --verify                only checks every file against SHA256SUMS
  --no-verify             does not check before it runs
  --key-file FILE         the key of an encrypted model: 32 bytes in hexadecimal or base64
  --key-env VARIABLE      the same, from the environment
  --info                  what the model takes and gives
  --repeat N              runs N times and says how long that takes
  --help                  this text

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a file of the bundle is not what it was.
"""


@dataclass(frozen=True)
class Arguments:
    """What the command line says."""

    positional: tuple[str, ...]
    """For the inputs in their order."""
    inputs: dict[str, str]
    """By the input's name."""
    outputs: dict[str, str]
    """Files to write outputs to, by the output's name."""
    table: str | None
    json: bool
    verify: bool
    no_verify: bool
    key_file: str | None
    key_variable: str | None
    info: bool
    repeat: int
    help: bool


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise WrongUsage(f"{message}; --help shows the usage")


def parse_arguments(words: Sequence[str]) -> Arguments:
    """Raises WrongUsage."""
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("positional", nargs="*")
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("--output", action="append", default=[])
    parser.add_argument("--repeat", default="1")
    for name in ("--table", "--key-file", "--key-env"):
        parser.add_argument(name)
    for name in ("--json", "--verify", "--no-verify", "--info"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--help", "-h", action="store_true")
    found = parser.parse_intermixed_args(list(words))
    if found.verify and found.no_verify:
        parser.error("--verify and --no-verify exclude each other")
    if found.key_file is not None and found.key_env is not None:
        parser.error("--key-file and --key-env exclude each other")
    if not (found.repeat.isascii() and found.repeat.isdigit()) or int(found.repeat) < 1:
        parser.error(f"--repeat takes a number from 1 up; {found.repeat!r} given")
    return Arguments(
        positional=tuple(found.positional),
        inputs=_pairs("--input", found.input),
        outputs=_pairs("--output", found.output),
        table=found.table,
        json=found.json,
        verify=found.verify,
        no_verify=found.no_verify,
        key_file=found.key_file,
        key_variable=found.key_env,
        info=found.info,
        repeat=int(found.repeat),
        help=found.help,
    )


def _pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise WrongUsage(f"{option} takes NAME=VALUE; {text!r} given")
        if name in found:
            raise WrongUsage(f"{option} names {name} twice")
        found[name] = value
    return found
