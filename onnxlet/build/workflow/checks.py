"""./build.sh test: every check in turn, and one count at the end."""

from __future__ import annotations

import os
import re
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from onnxlet.build import operators_doc, reliability_doc
from onnxlet.build.workflow import engine
from onnxlet.build.workflow.shell import BUILD, ROOT, Failure, files_under, find, run, say, stream

PYTHON = sys.executable
CPP_FOLDERS = (ROOT / "core", ROOT / "wasm", ROOT / "edge" / "runner")


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)


def one(status: int) -> Count:
    return Count(passed=1) if status == 0 else Count(failed=1)


# ---- format, lint, types ----


def cpp_files() -> list[Path]:
    return files_under(*CPP_FOLDERS, suffixes=(".cc", ".h"))


def python_format() -> Count:
    return one(stream(["ruff", "format", "--check", "--quiet", "."])[0])


def python_lint() -> Count:
    return one(stream(["ruff", "check", "--quiet", "."])[0])


def python_types() -> Count:
    return one(stream(["mypy"])[0])


def cpp_format() -> Count:
    return one(stream(["clang-format", "--dry-run", "-Werror", *cpp_files()])[0])


def js_lint() -> Count:
    return one(stream(["npm", "run", "--silent", "lint"], cwd=engine.JS)[0])


def playground_lint() -> Count:
    return one(stream(["npm", "run", "--silent", "lint"], cwd=engine.PLAYGROUND)[0])


def playground_types() -> Count:
    return one(stream(["npm", "run", "--silent", "typecheck"], cwd=engine.PLAYGROUND)[0])


def js_types() -> Count:
    return one(stream(["npm", "run", "--silent", "typecheck"], cwd=engine.JS)[0])


def apply_format() -> None:
    run(["ruff", "format", "--quiet", "."])
    run(["ruff", "check", "--quiet", "--fix-only", "."])
    run(["clang-format", "-i", *cpp_files()])
    run(["npm", "run", "--silent", "format"], cwd=engine.JS)
    run(["npm", "run", "--silent", "format"], cwd=engine.PLAYGROUND)


# ---- generated files that are checked in ----

GENERATED: dict[str, Callable[[], str]] = {
    "docs/OPERATORS.md": operators_doc.make,
    "docs/reliability.md": reliability_doc.make,
}


def regenerate() -> None:
    for name, make in GENERATED.items():
        (ROOT / name).write_text(make(), encoding="utf-8")
        say(f"wrote {name}")


def generated_files() -> Count:
    total = Count()
    for name, make in GENERATED.items():
        path = ROOT / name
        same = path.is_file() and path.read_text(encoding="utf-8") == make()
        if not same:
            say(f"{name} is not what ./build.sh gen writes; run that and commit the result")
        total += one(0 if same else 1)
    return total


# ---- tests ----


def _unit_tests(folder: Path, program: str = "core_tests") -> Count:
    status, output = stream([folder / program])
    match = re.search(r"^(\d+) passed, (\d+) failed$", output, re.MULTILINE)
    if match is None:
        return one(status or 1)
    count = Count(int(match[1]), int(match[2]))
    # A sanitizer may stop the program after the last test.
    return count if status == 0 or count.failed else count + Count(failed=1)


def cpp_tests() -> Count:
    return _unit_tests(engine.native())


def cpp_tests_sanitized() -> Count:
    folder = engine.sanitized()
    if folder is None:
        say("skipped: no host compiler with sanitizers (Debian: apt install g++)")
        return Count(skipped=1)
    return _unit_tests(folder)


def thread_tests() -> Count:
    folder = engine.raced("thread_tests")
    if folder is None:
        say("skipped: no host compiler with ThreadSanitizer (Debian: apt install g++)")
        return Count(skipped=1)
    return _unit_tests(folder, "thread_tests")


def size_budget() -> Count:
    return one(stream([PYTHON, ROOT / "onnxlet/build/size.py", engine.WASM])[0])


def python_tests(*arguments: str) -> Count:
    report = BUILD / "pytest.xml"
    report.unlink(missing_ok=True)
    status, _ = stream([PYTHON, "-m", "pytest", "-q", "--durations=25", f"--junitxml={report}", *arguments])
    if not report.is_file():
        return one(status or 1)
    total = Count()
    for suite in ET.parse(report).getroot().iter("testsuite"):
        failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        skipped = int(suite.get("skipped", 0))
        total += Count(int(suite.get("tests", 0)) - failed - skipped, failed, skipped)
    return total if status == 0 or total.failed else total + Count(failed=1)


def js_tests() -> Count:
    status, output = stream(["npm", "test", "--silent"], cwd=engine.JS)

    def number(word: str) -> int:
        return sum(map(int, re.findall(rf"^(?:#|\S) {word} (\d+)$", output, re.MULTILINE)))

    count = Count(number("pass"), number("fail"), number("skipped"))
    if count == Count():
        return one(status)
    return count if status == 0 or count.failed else count + Count(failed=1)


# ---- all of it ----

CHECKS: dict[str, Callable[[], Count]] = {
    "Python formatting": python_format,
    "Python lint": python_lint,
    "Python types": python_types,
    "C++ formatting": cpp_format,
    "JavaScript lint and formatting": js_lint,
    "JavaScript types": js_types,
    "playground lint and formatting": playground_lint,
    "playground types": playground_types,
}
TESTS: dict[str, Callable[[], Count]] = {
    "generated files": generated_files,
    "size of the engine": size_budget,
    "C++ unit tests": cpp_tests,
    "C++ unit tests with sanitizers": cpp_tests_sanitized,
    "C++ tests of threads with ThreadSanitizer": thread_tests,
    "JavaScript tests": js_tests,
    "Python tests": lambda: python_tests("-n", str(min(os.cpu_count() or 1, 4)), "-m", "not alone"),
    "Python tests of speed": lambda: python_tests("-m", "alone"),
}


def perform(steps: dict[str, Callable[[], Count]]) -> int:
    total = Count()
    rows = []
    for name, step in steps.items():
        say(f"---- {name}")
        start = time.monotonic()
        try:
            count = step()
        except Failure as failure:
            say(str(failure))
            count = Count(failed=1)
        rows.append((name, count, time.monotonic() - start))
        total += count
    print()
    for name, count, seconds in rows:
        state = "FAILED" if count.failed else "ok"
        skipped = f", {count.skipped} skipped" if count.skipped else ""
        print(f"{state:6} {name}: {count.passed} passed, {count.failed} failed{skipped} ({seconds:.0f} s)")
    skipped = f" ({total.skipped} skipped, see above)" if total.skipped else ""
    print(f"\n{'Something failed.' if total.failed else 'Everything is fine.'}{skipped}")
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed else 0


def check() -> int:
    return perform(CHECKS)


def test(arguments: Sequence[str]) -> int:
    """Every check; or, with arguments, only pytest with these."""
    if arguments:
        return perform({"Python tests": lambda: python_tests(*arguments)})
    if find("node") is None:
        raise Failure("needs Node")
    return perform({**CHECKS, **TESTS})
