"""Hosts that run the subjects in turn: `go(runs)` runs so many more and says how things stand."""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import onnxlet
from tests.browser.chromium import Chromium, Tab
from tests.soak.models import Subject
from tests.support.paths import ROOT

REMADE_EVERY = 997
"""Runs, after which a session is closed and made again; as in soak.mjs."""


@dataclass(frozen=True)
class Standing:
    """Memory in bytes."""

    runs: int
    differing: int
    """Runs whose outputs were not those of the first run with the same feeds."""
    engine: int
    process: int
    """Resident memory; of a page, what Chromium counts for it and its workers."""


Go = Callable[[int], Standing]


def written(subject: Subject) -> dict[str, Any]:
    """As soak.mjs reads it."""
    return {
        "name": subject.name,
        "base64": base64.b64encode(subject.model).decode(),
        "feeds": [[_value(name, array) for name, array in feeds.items()] for feeds in subject.feeds],
    }


def _value(name: str, array: np.ndarray[Any, Any]) -> dict[str, Any]:
    described = {"name": name, "dims": list(array.shape)}
    if array.dtype.kind in "OU":
        return described | {"dtype": "string", "data": array.ravel().tolist()}
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return described | {"dtype": array.dtype.name, "base64": data}


def _standing(figures: dict[str, Any]) -> Standing:
    return Standing(*(int(figures[key]) for key in ("runs", "differing", "engine", "process")))


@contextlib.contextmanager
def in_cpython(subjects: list[Subject]) -> Iterator[Go]:
    """Sessions on wasmtime in this process."""
    options = onnxlet.SessionOptions()
    options.intra_op_num_threads = 1

    def opened(subject: Subject) -> onnxlet.InferenceSession:
        return onnxlet.InferenceSession(subject.model, options)

    with contextlib.ExitStack() as stack:
        sessions = [opened(subject) for subject in subjects]
        stack.callback(_close, sessions)
        turns = [(index, feeds) for index, subject in enumerate(subjects) for feeds in subject.feeds]
        expected = [sessions[index].run(None, dict(feeds)) for index, feeds in turns]
        runs = differing = 0

        def go(more: int) -> Standing:
            nonlocal runs, differing
            for runs in range(runs + 1, runs + more + 1):  # noqa: B020
                turn = runs % len(turns)
                index, feeds = turns[turn]
                if runs % REMADE_EVERY == 0:
                    sessions[index].close()
                    sessions[index] = opened(subjects[index])
                differing += not _same(sessions[index].run(None, dict(feeds)), expected[turn])
            gc.collect()
            engine = sum(session._engine.memory_bytes() for session in sessions)
            return Standing(runs, differing, engine, _resident())

        yield go


def _close(sessions: list[onnxlet.InferenceSession]) -> None:
    for session in sessions:
        session.close()


def _same(found: Any, expected: Any) -> bool:
    if isinstance(expected, np.ndarray):
        return found.shape == expected.shape and bool(np.array_equal(found, expected))
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(_same, found, expected))
    return bool(found == expected)


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


@contextlib.contextmanager
def in_node(subjects: list[Subject]) -> Iterator[Go]:
    """A Node process."""
    command = ["node", "--expose-gc", str(ROOT / "tests" / "soak" / "node.mjs")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    stdin, stdout = process.stdin, process.stdout

    def ask(message: dict[str, Any]) -> Standing:
        stdin.write(json.dumps(message) + "\n")
        stdin.flush()
        return _standing(json.loads(stdout.readline()))

    try:
        ask({"subjects": [written(subject) for subject in subjects]})
        yield lambda runs: ask({"runs": runs})
    finally:
        stdin.close()
        process.wait(60)


START = """async (subjects) => {
    const { start } = await import('/tests/soak/soak.mjs');
    globalThis.soaking = await start(onnxlet, subjects);
}"""
# The latter: at once, and not after the next collection that the page happens to make.
MEASURED = ("--js-flags=--expose-gc", "--enable-blink-features=ForceEagerMeasureMemory")
GO = """async (runs) => {
    const { go } = await import('/tests/soak/soak.mjs');
    const figures = await go(soaking, runs);
    gc();
    const { bytes } = await performance.measureUserAgentSpecificMemory();
    return { ...figures, process: bytes };
}"""


@contextlib.contextmanager
def in_chromium(subjects: list[Subject]) -> Iterator[Go]:
    """A page, with the engine in its worker."""
    with Chromium(arguments=MEASURED) as browser:
        page: Tab = browser.page()
        page.wait("() => typeof onnxlet === 'object'", 30)
        page.evaluate(START, [written(subject) for subject in subjects])
        yield lambda runs: _standing(page.evaluate(GO, runs))
        page.close()


HOSTS = {"cpython": in_cpython, "node": in_node, "chromium": in_chromium}
