"""./build.sh sanitize: the native engine's unit tests, with the checks that compilers can build into a program."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from onnxlet.build import reliability_doc
from onnxlet.build.workflow import engine
from onnxlet.build.workflow.shell import Failure, say, stream

ADDRESS = "AddressSanitizer and UndefinedBehaviorSanitizer: C++ unit tests"
THREAD = "ThreadSanitizer: C++ unit tests, with three workers in every kernel"
_FOUND = re.compile(r"^(?:WARNING: ThreadSanitizer|==\d+==ERROR: |.*: runtime error: )", re.MULTILINE)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of the command."""
    parser = argparse.ArgumentParser(prog="./build.sh sanitize", description=__doc__)
    parser.add_argument("--record", action="store_true", help="keep the figures for docs/reliability.md")
    return parser.parse_args(arguments)


def sanitize(options: argparse.Namespace) -> int:
    """Exit status 1 if a test failed or a sanitizer found something."""
    suites = {ADDRESS: (engine.sanitized(), []), THREAD: (engine.raced("core_tests"), ["-t"])}
    good = True
    for name, (folder, words) in suites.items():
        if folder is None:
            raise Failure("needs a host compiler with sanitizers (Debian: apt install g++)")
        good = _suite(name, [folder / "core_tests", *words], record=options.record) and good
    return 0 if good else 1


def _suite(name: str, command: Sequence[str | Path], *, record: bool) -> bool:
    status, output = stream(command)
    tests = re.search(r"^(\d+) passed, (\d+) failed$", output, re.MULTILINE)
    if tests is None:
        say(f"{name}: did not come to its end")
        return False
    findings = len(_FOUND.findall(output)) + int(tests[2])
    say(f"{name}: {tests[1]} tests passed, {findings} findings")
    if record:
        reliability_doc.keep("sanitizers", name, {"tests": int(tests[1]), "findings": findings})
    return status == 0 and findings == 0
