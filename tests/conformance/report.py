"""A report by operator and reason: python -m tests.conformance.report [--engine native] [-k PATTERN] [--json FILE]"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.conformance.backends import BACKENDS
from tests.conformance.cases import SUITES, Case, load_cases
from tests.conformance.javascript import GPU_HOSTS, HOSTS, run_cases, start
from tests.conformance.runner import Outcome, run_isolated


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.report", description=__doc__)
    parser.add_argument("--engine", choices=sorted([*BACKENDS, *HOSTS, *GPU_HOSTS]), default="native")
    parser.add_argument(
        "-k", metavar="PATTERN", help="only cases whose name or operator matches this regular expression (case ignored)"
    )
    parser.add_argument("--op", metavar="NAMES", help="only cases of these operators, separated by commas")
    parser.add_argument("--suite", choices=SUITES, action="append", help="only this suite; may be repeated")
    parser.add_argument("-j", "--jobs", type=int, default=min(os.cpu_count() or 1, 4))
    parser.add_argument("-v", "--verbose", action="store_true", help="list every failing case with its message")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write every outcome there ('-' for standard output)")
    options = parser.parse_args()

    cases = select(load_cases(), options.k, options.suite, options.op)
    if not cases:
        parser.error("no case matches")
    outcomes: dict[int, Outcome] = {}
    began = time.monotonic()
    for outcome in run(cases, options.engine, options.jobs):
        outcomes[outcome.index] = outcome
        show_progress(outcomes, len(cases), time.monotonic() - began)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    if options.json:
        text = json.dumps(as_json(cases, outcomes, options.engine), indent=1)
        if str(options.json) == "-":
            print(text)
            return 0
        options.json.write_text(text)
    print_report(cases, outcomes, options.verbose)
    print(
        f"{options.engine}: {sum(o.passed for o in outcomes.values())} of {len(cases)} cases pass ({time.monotonic() - began:.0f} s)"
    )
    if options.engine in GPU_HOSTS:
        print_dispatched(cases, outcomes)
    return 0


def print_dispatched(cases: list[Case], outcomes: dict[int, Outcome]) -> None:
    """How much of what passes has really run on the GPU: nodes, cases with all of their nodes there, operators."""
    there: dict[str, int] = Counter()
    nodes = whole = 0
    for index, outcome in outcomes.items():
        on_gpu = [kernel for kernel in outcome.kernels if (kernel or "").startswith("webgpu ")]
        if not outcome.passed or not on_gpu:
            continue
        nodes += len(on_gpu)
        whole += len(on_gpu) == len(outcome.kernels)
        there[cases[index].operator] += 1
    print(f"on the GPU: {nodes} nodes; {sum(there.values())} cases in part or whole, {whole} of them whole")
    print("operators: " + ", ".join(f"{name} {count}" for name, count in sorted(there.items())))


def run(cases: list[Case], engine: str, jobs: int) -> Iterator[Outcome]:
    """Outcomes as they come in."""
    if engine in HOSTS or engine in GPU_HOSTS:
        with start(engine) as host:
            yield from run_cases(cases, host)
        return
    BACKENDS[engine]()  # a missing build is told here, once
    yield from run_isolated(cases, engine, jobs)


def select(
    cases: tuple[Case, ...], pattern: str | None, suites: list[str] | None, operators: str | None = None
) -> list[Case]:
    chosen = [case for case in cases if not suites or case.suite in suites]
    if operators:
        names = set(operators.split(","))
        chosen = [case for case in chosen if case.operator.removesuffix(" (expanded)") in names]
    if pattern:
        chosen = [
            c
            for c in chosen
            if re.search(pattern, c.name, re.IGNORECASE) or re.search(pattern, c.operator, re.IGNORECASE)
        ]
    return chosen


def show_progress(outcomes: dict[int, Outcome], total: int, seconds: float) -> None:
    if sys.stderr.isatty():
        done = len(outcomes)
        passed = sum(o.passed for o in outcomes.values())
        bar = "#" * (done * 30 // total)
        print(f"\r[{bar:<30}] {done}/{total}, {passed} pass, {seconds:.0f} s", end="", file=sys.stderr, flush=True)


def print_report(cases: list[Case], outcomes: dict[int, Outcome], verbose: bool) -> None:
    by_operator: dict[str, list[Outcome]] = defaultdict(list)
    for index, outcome in outcomes.items():
        by_operator[cases[index].operator].append(outcome)
    complete = sorted(name for name, results in by_operator.items() if all(o.passed for o in results))
    if complete:
        print(f"complete ({len(complete)}): {', '.join(complete)}\n")
    for operator in sorted(set(by_operator) - set(complete)):
        results = by_operator[operator]
        print(f"{operator}: {sum(o.passed for o in results)} of {len(results)}")
        failures = sorted((o for o in results if not o.passed), key=lambda o: o.index)
        groups: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
        for outcome in failures:
            groups[outcome.reason, generalise(outcome.message)].append(outcome)
        for (reason, _), members in sorted(groups.items(), key=lambda item: -len(item[1])):
            shown = members if verbose else members[:1]
            for outcome in shown:
                more = f" (and {len(members) - 1} like it)" if len(members) > 1 and not verbose else ""
                print(f"    {reason}: {cases[outcome.index].name}{more}: {shorten(outcome.message)}")
    reasons = Counter(o.reason for o in outcomes.values() if not o.passed)
    print("\nreasons: " + (", ".join(f"{reason} {count}" for reason, count in reasons.most_common()) or "none"))


def generalise(message: str) -> str:
    """The message without numbers and quoted names, so that alike failures group."""
    return re.sub(r"\d+", "#", re.sub(r"'[^']*'|\"[^\"]*\"", "'...'", message.splitlines()[0] if message else ""))[:60]


def shorten(message: str, limit: int = 300) -> str:
    line = " | ".join(message.splitlines())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def as_json(cases: list[Case], outcomes: dict[int, Outcome], engine: str) -> dict[str, object]:
    rows = [
        {
            "case": cases[i].id,
            "operator": cases[i].operator,
            "reason": o.reason,
            "message": o.message,
            "seconds": round(o.seconds, 4),
        }
        for i, o in sorted(outcomes.items())
    ]
    return {"engine": engine, "cases": len(cases), "passed": sum(o.passed for o in outcomes.values()), "outcomes": rows}


if __name__ == "__main__":
    sys.exit(main())
