"""./build.sh fuzz: hostile files against the native engine with AddressSanitizer and UndefinedBehaviorSanitizer.

With clang the inputs are chosen by libFuzzer, which follows what each one reaches; findings stay in build/fuzz/TARGET/.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from onnxlet.build import reliability_doc
from onnxlet.build.workflow import engine, machine
from onnxlet.build.workflow.shell import BUILD, ROOT, Failure, run, say

TARGETS = {
    "model": 65536,
    "passes": 65536,
    "regex": 512,
    "media": 16384,
    "tokenizer": 4096,
    "calls": 512,
}
"""To the most bytes of an input: what takes longer to read finds less in the same time."""
FOLDER = BUILD / "fuzz"
REGRESSIONS = ROOT / "tests" / "fuzz" / "regressions"


@dataclass
class Outcome:
    """Of one target."""

    target: str
    executions: int
    edges: int
    """Of the program's control flow, which some input has taken."""
    seconds: int
    findings: list[str]


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of the command."""
    parser = argparse.ArgumentParser(prog="./build.sh fuzz", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seconds", type=int, default=60, help="how long each target takes (default: 60)")
    parser.add_argument("--target", choices=TARGETS, action="append", help="this one only; may be given again")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    parser.add_argument("--record", action="store_true", help="add the figures to those of docs/reliability.md")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    return parser.parse_args(arguments)


def build() -> Path:
    """The folder with the fuzzer."""
    compiler = machine.clang()
    if compiler is None:
        raise Failure("fuzzing needs clang with libFuzzer (Debian: apt install clang-19), or CLANG=/path/to/clang++")
    c = compiler.replace("clang++", "clang")
    chosen = (f"-DCMAKE_C_COMPILER={c}", f"-DCMAKE_CXX_COMPILER={compiler}")
    engine.configure(FOLDER, *chosen, "-DONNXLET_FUZZ=ON", launcher=True)
    engine.compile_in(FOLDER, "libfuzzer", "fuzz")
    return FOLDER


def fuzz(options: argparse.Namespace) -> int:
    """Runs the targets one after the other and says what was found. Exit status 1 if anything was."""
    program = build() / "libfuzzer"
    seeds = FOLDER / "seeds"
    run([sys.executable, "-m", "tests.fuzz.seeds", seeds])
    outcomes = [_one(program, target, seeds / target, options) for target in options.target or TARGETS]
    for outcome in outcomes:
        found = (
            f"{len(outcome.findings)} findings: {', '.join(outcome.findings)}" if outcome.findings else "no findings"
        )
        say(f"{outcome.target}: {outcome.executions} inputs, {outcome.edges} edges, {outcome.seconds} s, {found}")
    if options.json:
        options.json.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1) + "\n")
    if options.record:
        for outcome in outcomes:
            _record(outcome)
    return 1 if any(outcome.findings for outcome in outcomes) else 0


def _record(outcome: Outcome) -> None:
    """Inputs and seconds add up; what is open is what the last time has found."""
    before = reliability_doc.rows("fuzz").get(outcome.target, {})
    figures = {
        "executions": before.get("executions", 0) + outcome.executions,
        "edges": max(before.get("edges", 0), outcome.edges),
        "seconds": before.get("seconds", 0) + outcome.seconds,
        "findings": len(outcome.findings),
    }
    reliability_doc.keep("fuzz", outcome.target, figures)


def _does_harm(target: str, path: Path) -> bool:
    """Once more, alone: on a busy machine inputs are kept that were only slow, or at work when the time was over."""
    command = [str(FOLDER / "fuzz"), target, "--seconds", "60", str(path)]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0


def _one(program: Path, target: str, seeds: Path, options: argparse.Namespace) -> Outcome:
    corpus, findings = FOLDER / "corpus" / target, FOLDER / "findings" / target
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    before = {path.name for path in findings.iterdir()}
    say(f"fuzzing {target} for {options.seconds} s")
    command = [
        *(
            str(program),
            str(corpus),
            str(seeds),
            *([str(REGRESSIONS / target)] if (REGRESSIONS / target).is_dir() else []),
        ),
        *(f"-max_total_time={options.seconds}", f"-fork={options.jobs}", "-ignore_crashes=1", "-ignore_timeouts=1"),
        *(
            "-ignore_ooms=1",
            "-timeout=60",
            "-rss_limit_mb=3000",
            f"-max_len={TARGETS[target]}",
            f"-artifact_prefix={findings}/",
        ),
    ]
    log = FOLDER / f"{target}.log"
    with log.open("w") as out:
        subprocess.run(
            command, stdout=out, stderr=subprocess.STDOUT, check=False, env=os.environ | {"ONNXLET_FUZZ_TARGET": target}
        )
    # "#1234: cov: 56 ft: 78 corp: 9 exec/s 10 ..."
    lines = re.findall(r"^#(\d+): cov: (\d+)", log.read_text(errors="replace"), re.MULTILINE)
    executions, edges = (int(number) for number in lines[-1]) if lines else (0, 0)
    if not lines:
        raise Failure(f"libFuzzer did not start; its words are in {log.relative_to(ROOT)}")
    new = sorted(path.name for path in findings.iterdir() if path.name not in before and _does_harm(target, path))
    return Outcome(target, executions, edges, options.seconds, new)
