"""./build.sh interop: models from PyTorch, Keras, scikit-learn and gradient boosting give their framework's outputs.

Every group of frameworks has a virtual environment of its own under build/interop/, made from requirements/interop/ on
first use. The tests are those of tests/interop/.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from onnxlet.build.workflow.shell import BUILD, ROOT, Failure, Stamp, run, say

REQUIREMENTS = ROOT / "requirements"
TESTS = ROOT / "tests" / "interop"
HOME = BUILD / "interop"
# Requirements file and environment -> the test files that run in it.
GROUPS: dict[str, tuple[str, ...]] = {
    "torch": ("test_torch.py", "test_quantized.py"),
    "tensorflow": ("test_keras.py",),
    "sklearn": ("test_sklearn.py", "test_boosting.py"),
    "tables": ("test_tables.py",),
}
OUTCOMES = {"passed": "passed", "failed": "failed", "expected failure": "known", "skipped": "not exported"}


@dataclass(frozen=True)
class Result:
    case: str
    row: str
    outcome: str
    seconds: float
    detail: str


@dataclass
class Group:
    """What one environment's tests gave. `missing`: why they could not run."""

    name: str
    missing: str = ""
    results: list[Result] = field(default_factory=list)


def environment(name: str) -> Path:
    """The Python of the group's environment, made or brought up to date at need."""
    folder = HOME / name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    lists = [REQUIREMENTS / "interop" / f"{name}.txt", REQUIREMENTS / "interop" / "common.txt"]
    constraints = [REQUIREMENTS / "constraints.txt", REQUIREMENTS / "interop" / "constraints.txt"]
    stamp = Stamp(f"interop-{name}", [*lists, *constraints], also=sys.version)
    if stamp.fresh(python):
        return python
    say(f"installing the pinned packages of {name} into {folder.relative_to(ROOT)}: some minutes")
    # Without pip of its own: Debian's Python may lack ensurepip, and this one's pip can fill any environment.
    run([sys.executable, "-m", "venv", "--clear", "--without-pip", folder])
    command = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--python",
        str(python),
        "install",
        "--quiet",
    ]
    for option, paths in (("-r", lists), ("-c", constraints)):
        for path in paths:
            command += [option, str(path)]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise Failure(" ".join(errors) or done.stderr.strip() or f"pip ended with status {done.returncode}")
    stamp.set()
    return python


def lines_of_tests(python: Path, files: Sequence[str], options: Sequence[str], log: Path) -> Iterator[dict[str, Any]]:
    """The documents that tests/interop/conftest.py writes, as they come; at last {"status": exit status}."""
    read, write = os.pipe()
    command = [
        *(str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--confcutdir={TESTS}"),
        *(f"--report-fd={write}", *options, *(str(TESTS / file) for file in files)),
    ]
    with log.open("w") as output, os.fdopen(read, encoding="utf-8") as stream:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, pass_fds=(write,))
        os.close(write)
        try:
            for line in stream:
                yield json.loads(line)
        finally:
            if process.poll() is None and sys.exc_info()[0] is not None:
                process.terminate()
            status = process.wait()
        yield {"status": status}


def perform(group: Group, options: Sequence[str], progress: Progress) -> None:
    task = progress.add_task(group.name, total=None, case="preparing")
    try:
        python = environment(group.name)
    except Failure as failure:
        group.missing = str(failure)
        progress.update(task, case="not available", total=1)
        return
    files = [file for file in GROUPS[group.name] if (TESTS / file).exists()]
    log = HOME / f"{group.name}.log"
    current = ""
    for document in lines_of_tests(python, files, options, log):
        if "collected" in document:
            progress.update(task, total=len(document["collected"]))
        elif "started" in document:
            current = str(document["started"])
            progress.update(task, case=current)
        elif "id" in document:
            current = "" if document["id"] == current else current
            seconds = float(document["seconds"])
            row, outcome, detail = (str(document[key]) for key in ("row", "outcome", "detail"))
            group.results.append(Result(str(document["id"]), row, outcome, seconds, detail))
            progress.advance(task)
        elif document["status"] not in (0, 1, 5):  # passed, some failed, none chosen
            what = f"the test process ended with status {document['status']}; see {log.relative_to(ROOT)}"
            group.results.append(
                Result(current or group.name, current.partition("/")[0] or group.name, "failed", 0, what)
            )
    progress.update(task, case="")


def show(groups: Sequence[Group], console: Console, verbose: bool) -> None:
    results = [result for group in groups for result in group.results]
    for result in results:
        if result.outcome == "failed" or (verbose and result.outcome != "passed"):
            console.print(
                f"[bold]{OUTCOMES[result.outcome]}[/] {escape(result.case)}: {escape(result.detail)}", soft_wrap=True
            )
    table = Table(title="onnxlet against the frameworks")
    table.add_column("exporter")
    for column in (*OUTCOMES.values(), "seconds"):
        table.add_column(column, justify="right")
    for row in dict.fromkeys(result.row for result in results):
        mine = [result for result in results if result.row == row]
        numbers = [sum(result.outcome == outcome for result in mine) for outcome in OUTCOMES]
        style = "red" if numbers[1] else ""
        table.add_row(row, *map(str, numbers), f"{sum(result.seconds for result in mine):.0f}", style=style)
    for group in groups:
        if group.missing:
            table.add_row(f"{group.name}: not available", *["-"] * (len(OUTCOMES) + 1), style="red")
    console.print(table)
    for group in groups:
        if group.missing:
            console.print(f"{group.name} is not available: {escape(group.missing)}", style="red")
    counts = {outcome: sum(result.outcome == outcome for result in results) for outcome in OUTCOMES}
    console.print(f"{counts['passed']} passed, {counts['failed']} failed")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./build.sh interop", description=str(__doc__).partition("\n")[0])
    parser.add_argument(
        "-k", metavar="EXPRESSION", help="only cases whose name matches, as in pytest: 'lstm and dynamo'"
    )
    parser.add_argument("--group", action="append", choices=GROUPS, help="only this environment (again for more)")
    parser.add_argument("--engine", help="what the models run on (default: wasm)")
    parser.add_argument("--all", action="store_true", help="every opset version that the exporters write, not a sample")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every result there")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show known failures and models that are not exported"
    )
    return parser.parse_args(arguments)


def test(chosen: argparse.Namespace) -> int:
    """0 when every chosen case did what is expected of it, in every chosen environment."""
    options = [*(["-k", chosen.k] if chosen.k else []), *(["--all"] if chosen.all else [])]
    options += ["--engine", chosen.engine] if chosen.engine else []
    groups = [Group(name) for name in chosen.group or GROUPS]
    console = Console()
    HOME.mkdir(parents=True, exist_ok=True)
    columns = ("{task.description:12}", "{task.fields[case]}")
    with Progress(
        TextColumn(columns[0]),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn(columns[1]),
        console=console,
    ) as progress:
        for group in groups:
            perform(group, options, progress)
    show(groups, console, chosen.verbose)
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(group) for group in groups], indent=1), encoding="utf-8")
    if not any(group.results or group.missing for group in groups):
        say("no case matches")
        return 1
    failed = any(result.outcome == "failed" for group in groups for result in group.results)
    return 1 if failed or any(group.missing for group in groups) else 0
