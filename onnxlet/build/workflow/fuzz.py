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

from onnxlet.build.workflow import engine, machine
from onnxlet.build.workflow.shell import BUILD, ROOT, Failure, run, say

TARGETS = ("model", "regex", "media", "tokenizer", "calls")
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
    engine.compile_in(FOLDER, "libfuzzer")
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
    return 1 if any(outcome.findings for outcome in outcomes) else 0


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
        *("-ignore_ooms=1", "-timeout=30", "-rss_limit_mb=3000", "-max_len=65536", f"-artifact_prefix={findings}/"),
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
    new = sorted(path.name for path in findings.iterdir() if path.name not in before)
    return Outcome(target, executions, edges, options.seconds, new)
