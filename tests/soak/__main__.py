"""Runs small models of several kinds over and over in a host: memory stays, answers stay.

python -m tests.soak --host node --runs 100000
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass

from onnxlet.build import reliability_doc
from onnxlet.cli.output import progress
from tests.soak.hosts import HOSTS, Standing
from tests.soak.models import subjects

STEP = 500
WARM = 4000
"""Runs until memory is looked at: every model has planned its memory for every shape, code is compiled, heaps have their size."""
GROWTH = 1.1
MARGIN = 16 << 20
"""A session that is made anew may need a page more, and garbage may wait: memory may grow by a tenth, and a host's by 16 MB.
A leak of 200 bytes a run would be 20 MB in 100,000."""


@dataclass(frozen=True)
class Figures:
    """Of a host; memory in bytes, after the first WARM runs and at the end."""

    runs: int
    seconds: int
    engine_start: int
    engine_end: int
    process_start: int
    process_end: int
    differing: int

    @property
    def faults(self) -> list[str]:
        """What is not as it should be."""
        found = [f"{self.differing} runs gave other answers"] if self.differing else []
        if self.engine_end > GROWTH * self.engine_start:
            found.append(f"the engine's memory grew from {self.engine_start} to {self.engine_end} bytes")
        if self.process_end > GROWTH * self.process_start + MARGIN:
            found.append(f"the host's memory grew from {self.process_start} to {self.process_end} bytes")
        return found


def soak(host: str, runs: int, seconds: float = float("inf"), warm: int = WARM) -> Figures:
    """Runs until so many runs are done, or so much time has passed."""
    begin = time.monotonic()
    with HOSTS[host](list(subjects())) as go, progress(f"soaking {host}") as moved:
        start = last = go(warm)
        while last.runs < runs and time.monotonic() - begin < seconds:
            last = go(min(STEP, runs - last.runs))
            moved(last.runs, runs)
    return _figures(start, last, time.monotonic() - begin)


def _figures(start: Standing, end: Standing, seconds: float) -> Figures:
    memory = (start.engine, end.engine, start.process, end.process)
    return Figures(end.runs, round(seconds), *memory, end.differing)


def main() -> int:
    """Exit status 1 when memory has grown or an answer has changed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--host", choices=sorted(HOSTS), required=True)
    parser.add_argument("--runs", type=int, default=100_000, help="at most (default: 100,000)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="at most (default: without a limit)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--record", action="store_true", help="keep them for docs/reliability.md")
    chosen = parser.parse_args()
    figures = soak(chosen.host, chosen.runs, chosen.seconds)
    if chosen.record:
        reliability_doc.keep("soak", chosen.host, asdict(figures))
    if chosen.json:
        print(json.dumps(asdict(figures)))
    else:
        print(
            f"{chosen.host}: {figures.runs} runs in {figures.seconds} s; {'; '.join(figures.faults) or 'as it should be'}"
        )
    return 1 if figures.faults else 0


if __name__ == "__main__":
    sys.exit(main())
