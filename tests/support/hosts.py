"""The engine's hosts behind one interface: CPython, Node and Chromium run the same Task."""

from __future__ import annotations

import base64
import contextlib
import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tests.support.browser import chromium, serve
from tests.support.jobs import write_inputs
from tests.support.paths import ROOT

Arrays = dict[str, np.ndarray]
ENGINE_JS = ROOT / "js" / "dist" / "onnxlet.mjs"
SUPPORT = Path(__file__).resolve().parent
SECONDS_PER_TASK = 300


@dataclass(frozen=True)
class Task:
    """A model and the feeds of one run after the other; `state` names (output, input) that a run hands to the next."""

    model: Path
    runs: Sequence[Mapping[str, np.ndarray]]
    state: Sequence[tuple[str, str]] = ()
    threads: int = 1
    deterministic: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)  # further options of the JavaScript session


class HostError(Exception):
    """An error that the engine reported: `code` as in Python's onnxlet.Error.code and JavaScript's OnnxletError.code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


class Host(Protocol):
    name: str

    def run(self, task: Task) -> list[Arrays]:
        """The outputs of each run by name. Raises HostError, also when fewer threads run than were asked for."""
        ...


def later_feeds(task: Task) -> list[Mapping[str, np.ndarray]]:
    """The feeds of each run without those that are carried over."""
    carried = {name for _, name in task.state}
    return [
        feeds if index == 0 else {k: v for k, v in feeds.items() if k not in carried}
        for index, feeds in enumerate(task.runs)
    ]


class PythonHost:
    """onnxlet in this process, on WebAssembly."""

    name = "cpython"

    def run(self, task: Task) -> list[Arrays]:
        import onnxlet

        options = onnxlet.SessionOptions()
        options.intra_op_num_threads = task.threads
        options.use_deterministic_compute = task.deterministic
        try:
            with onnxlet.InferenceSession(task.model, options) as session:
                _check_threads(session.threads, task)
                names = [value.name for value in session.get_outputs()]
                results: list[Arrays] = []
                for feeds in later_feeds(task):
                    carried = {name: results[-1][output] for output, name in task.state} if results else {}
                    results.append(dict(zip(names, session.run(None, {**feeds, **carried}), strict=True)))
                return results
        except onnxlet.Error as error:
            raise HostError(error.code, str(error)) from error


class NodeHost:
    """The JavaScript package in a Node process for each call."""

    name = "node"

    def run(self, task: Task) -> list[Arrays]:
        return self.run_all([task])[0]

    def run_all(self, tasks: Sequence[Task]) -> list[list[Arrays]]:
        """Several tasks in one process; raises at the first that fails."""
        return [_results(answer, task) for answer, task in zip(self.answers(tasks), tasks, strict=True)]

    def answers(self, tasks: Sequence[Task]) -> list[dict[str, Any]]:
        """What run_task.mjs gave for each, errors included."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            written = [
                _write(task, folder, str(task.model), ENGINE_JS.as_uri(), "", index) for index, task in enumerate(tasks)
            ]
            (folder / "tasks.json").write_text(json.dumps(written))
            command = ["node", str(SUPPORT / "run_tasks_node.mjs"), str(folder / "tasks.json")]
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_TASK)
        lines = done.stdout.splitlines()
        if done.returncode != 0 or len(lines) != len(tasks):
            raise RuntimeError(
                f"Node ended with {done.returncode} after {len(lines)} of {len(tasks)} tasks: {done.stderr[-2000:]}"
            )
        return [json.loads(line) for line in lines]


class ChromiumHost:
    """The JavaScript package in a page, one page for each call. Make it with `open_chromium`."""

    name = "chromium"

    def __init__(self, browser: Any, origin: str, mounts: dict[str, Path]) -> None:
        self.browser, self.origin, self.mounts = browser, origin, mounts

    def run(self, task: Task) -> list[Arrays]:
        return _results(self.answers([task])[0], task)

    def answers(self, tasks: Sequence[Task]) -> list[dict[str, Any]]:
        page = self.browser.new_page()
        page.set_default_timeout(SECONDS_PER_TASK * 1000)
        found = []
        try:
            page.goto(f"{self.origin}/support/run_task.html")
            page.wait_for_function("window.runTask !== undefined")
            for task in tasks:
                with tempfile.TemporaryDirectory() as scratch:
                    self.mounts["/model/"], self.mounts["/task/"] = task.model.parent, Path(scratch)
                    written = _write(
                        task, Path(scratch), f"/model/{task.model.name}", f"{self.origin}/js/onnxlet.mjs", "/task/", 0
                    )
                    found.append(page.evaluate("(task) => window.runTask(task)", written))
        finally:
            page.close()
        return found


@contextlib.contextmanager
def open_chromium() -> Iterator[ChromiumHost]:
    mounts = {"/support/": SUPPORT, "/js/": ENGINE_JS.parent}
    with serve(mounts) as origin, chromium() as browser:
        yield ChromiumHost(browser, origin, mounts)


def _write(task: Task, folder: Path, model: str, engine: str, prefix: str, index: int) -> dict[str, Any]:
    runs = []
    for number, feeds in enumerate(later_feeds(task)):
        sub = folder / f"task{index}-run{number}"
        sub.mkdir()
        runs.append([{**entry, "file": f"{prefix}{sub.name}/{entry['file']}"} for entry in write_inputs(sub, feeds)])
    options = {"intraOpNumThreads": task.threads, "deterministic": task.deterministic, **task.options}
    return {
        "engine": engine,
        "model": model,
        "options": options,
        "runs": runs,
        "state": [list(pair) for pair in task.state],
    }


def _results(answer: dict[str, Any], task: Task) -> list[Arrays]:
    if "error" in answer:
        raise HostError(answer["error"]["code"], answer["error"]["message"])
    _check_threads(answer["threads"], task)
    return [{name: _array(value) for name, value in outputs.items()} for outputs in answer["outputs"]]


def _array(value: dict[str, Any]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(value["data"]), np.dtype(value["dtype"])).reshape(value["dims"])


def _check_threads(threads: int, task: Task) -> None:
    if threads != task.threads:
        raise HostError("THREADS", f"{threads} threads run, {task.threads} were asked for")
