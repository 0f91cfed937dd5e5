"""Runs cases on a backend, in this process or in forked ones that may crash without ending the run."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

from tests.conformance.backends import BACKENDS, Prepare
from tests.conformance.cases import Case
from tests.conformance.compare import Mismatch, assert_outputs

SECONDS_PER_CASE = 120


@dataclass
class Outcome:
    """`reason` is "" for a pass, else a short class: an error's code, "wrong values", "crash", "timeout" ..."""

    index: int
    reason: str = ""
    message: str = ""
    seconds: float = 0
    kernels: list[str | None] = field(default_factory=list)
    """What each node ran on, where that was asked for."""

    @property
    def passed(self) -> bool:
        return not self.reason


def run_case(case: Case, prepare: Prepare, backend: str) -> None:
    """Raises what the engine raises, or Mismatch."""
    runnable = prepare(case.model.SerializeToString())
    for inputs, expected in case.data_sets():
        actual = runnable.run(inputs)
        assert_outputs(actual, expected, operator=case.tolerance_key, backend=backend, rtol=case.rtol, atol=case.atol)


def judge(index: int, case: Case, prepare: Prepare, backend: str) -> Outcome:
    """run_case as an Outcome."""
    return attempt(index, lambda: run_case(case, prepare, backend))


def attempt(index: int, work: Callable[[], object]) -> Outcome:
    """What `work` does as an Outcome: a pass unless it raises."""
    start = time.perf_counter()
    outcome = Outcome(index)
    try:
        work()
    except Mismatch as error:
        outcome.reason, outcome.message = f"wrong {error.kind}", str(error)
    except Exception as error:  # whatever an engine raises is a result here
        outcome.reason = str(getattr(error, "code", "") or type(error).__name__)
        outcome.message = str(error)
    outcome.seconds = time.perf_counter() - start
    return outcome


def run_isolated(cases: Sequence[Case], backend: str, jobs: int) -> Iterator[Outcome]:
    """Outcomes as they come in. A crash costs the one case it happened in."""
    context = multiprocessing.get_context("fork")
    todo = deque(range(len(cases)))
    workers: dict[Connection, _Worker] = {}
    try:
        while todo or workers:
            while todo and len(workers) < jobs:
                chunk = [todo.popleft() for _ in range(min(len(todo), max(8, len(cases) // (8 * jobs))))]
                worker = _Worker(context, cases, chunk, backend)
                workers[worker.connection] = worker
            ready = wait(list(workers), timeout=1)
            for connection in ready:
                worker = workers[connection]  # type: ignore[index]
                try:
                    outcome = worker.connection.recv()
                except EOFError:
                    del workers[worker.connection]
                    crash = worker.end()
                    if crash is not None:
                        yield crash
                        todo.extendleft(reversed(worker.pending))
                    continue
                worker.pending.remove(outcome.index)
                worker.since = time.monotonic()
                yield outcome
            for worker in list(workers.values()):
                if worker.pending and time.monotonic() - worker.since > SECONDS_PER_CASE:
                    worker.timed_out = True
                    worker.process.kill()
    finally:
        for worker in workers.values():
            worker.process.kill()
            worker.process.join()


class _Worker:
    """A forked process that works through `pending` in order."""

    def __init__(self, context: Any, cases: Sequence[Case], chunk: list[int], backend: str) -> None:
        self.pending = chunk
        self.since = time.monotonic()
        self.timed_out = False
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115  closed with the worker
        self.connection, child = context.Pipe(duplex=False)
        self.process = context.Process(target=_work, args=(child, cases, list(chunk), backend, self.errors.fileno()))
        self.process.start()
        child.close()

    def end(self) -> Outcome | None:
        """Collects the process; None when it finished its chunk, else the case it died in, taken off `pending`."""
        self.process.join()
        code = self.process.exitcode or 0
        if not self.pending:
            return None
        with contextlib.suppress(ValueError):
            code_name = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        self.errors.seek(0)
        lines = [line for line in self.errors.read().decode(errors="replace").splitlines() if line.strip()]
        telling = [
            line
            for line in lines
            if "ERROR" in line or "runtime error" in line or "Assertion" in line or "Error:" in line
        ]
        text = (telling or lines[-1:] or [""])[0].strip()
        index = self.pending.pop(0)
        if self.timed_out:
            return Outcome(index, "timeout", f"no answer in {SECONDS_PER_CASE} s")
        return Outcome(index, "crash", f"{code_name} {text}".strip())


def _work(connection: Connection, cases: Sequence[Case], chunk: list[int], backend: str, errors: int) -> None:
    os.dup2(errors, 2)
    prepare = BACKENDS[backend]()
    for index in chunk:
        connection.send(judge(index, cases[index], prepare, backend))
    connection.close()
