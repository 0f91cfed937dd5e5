"""The engine's hosts behind one interface: CPython, Node and Chromium run the same Task."""

from __future__ import annotations

import ctypes.util
import functools
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tests.browser.chromium import Chromium
from tests.support.paths import ROOT, cache_dir

Arrays = dict[str, np.ndarray]
SECONDS = 400


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
    """An error of the engine: `code` as in Python's onnxlet.Error.code and JavaScript's OnnxletError.code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


class Host(Protocol):
    """Runs tasks one after the other; a task gives the outputs of each run by name, or a HostError."""

    name: str

    def run_all(self, tasks: Sequence[Task]) -> list[list[Arrays] | HostError]: ...


def run(host: Host, task: Task) -> list[Arrays]:
    """One task. Raises HostError, also when fewer threads run than were asked for."""
    (result,) = host.run_all([task])
    if isinstance(result, HostError):
        raise result
    return result


def later_feeds(task: Task) -> list[Mapping[str, np.ndarray]]:
    """The feeds of each run without those that are carried over."""
    carried = {name for _, name in task.state}
    return [
        feeds if index == 0 else {name: value for name, value in feeds.items() if name not in carried}
        for index, feeds in enumerate(task.runs)
    ]


class PythonHost:
    """onnxlet in this process, on WebAssembly."""

    name = "cpython"

    def run_all(self, tasks: Sequence[Task]) -> list[list[Arrays] | HostError]:
        import onnxlet

        results: list[list[Arrays] | HostError] = []
        for task in tasks:
            try:
                results.append(self._run(task))
            except onnxlet.Error as error:
                results.append(HostError(error.code, str(error)))
            except HostError as error:
                results.append(error)
        return results

    def _run(self, task: Task) -> list[Arrays]:
        import onnxlet

        options = onnxlet.SessionOptions()
        options.intra_op_num_threads = task.threads
        options.use_deterministic_compute = task.deterministic
        with onnxlet.InferenceSession(task.model, options) as session:
            _check_threads(session.threads, task)
            names = [value.name for value in session.get_outputs()]
            results: list[Arrays] = []
            for feeds in later_feeds(task):
                carried = {name: results[-1][output] for output, name in task.state} if results else {}
                results.append(dict(zip(names, session.run(None, {**feeds, **carried}), strict=True)))
            return results


class JavaScriptHost:
    """The JavaScript package, given job lists of tests/support/jobs.mjs by `run_jobs`."""

    def __init__(self, name: str, run_jobs: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
        self.name, self.run_jobs = name, run_jobs

    def run_all(self, tasks: Sequence[Task]) -> list[list[Arrays] | HostError]:
        with tempfile.TemporaryDirectory(dir=_exchange()) as scratch:
            jobs = [_job(task, Path(scratch), index) for index, task in enumerate(tasks)]
            results = self.run_jobs(jobs)
            return [_result(result, task) for result, task in zip(results, tasks, strict=True)]


def node_host() -> JavaScriptHost:
    """A Node process for each list of tasks."""
    return JavaScriptHost("node", _run_in_node)


# Chromium's software for Vulkan, over which Dawn gives Node WebGPU on a machine without a GPU.
SWIFTSHADER = Path("/usr/lib/chromium/vk_swiftshader_icd.json")


def webgpu_lacks() -> str | None:
    """What this machine lacks for `webgpu_host`."""
    if not SWIFTSHADER.is_file():
        return "Chromium's SwiftShader is not installed"
    return None if ctypes.util.find_library("vulkan") else "libvulkan1 is not installed"


def webgpu_settings() -> dict[str, str]:
    """Of the environment of a Node that is to find WebGPU."""
    return {"VK_ICD_FILENAMES": str(SWIFTSHADER), "XDG_RUNTIME_DIR": tempfile.gettempdir()}


def webgpu_host() -> JavaScriptHost:
    """Node with WebGPU, through the npm package `webgpu`; a process for each list of tasks."""
    return JavaScriptHost("webgpu", functools.partial(_run_in_node, settings=webgpu_settings()))


def chromium_host(chromium: Chromium) -> JavaScriptHost:
    """A page for each list of tasks. The browser must serve `chromium_roots`."""
    return JavaScriptHost("chromium", lambda jobs: chromium.run_jobs(jobs, timeout=SECONDS))


def chromium_roots() -> list[Path]:
    """Folders whose files pages may read: models of the cache and of the onnx package, and what tests write."""
    import onnx

    return [cache_dir(), Path(onnx.__file__).parent, Path(tempfile.gettempdir())]


def _exchange() -> Path:
    folder = cache_dir() / "exchange"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _run_in_node(jobs: list[dict[str, Any]], settings: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    command = ["node", str(ROOT / "tests" / "node" / "run_model.mjs")]
    done = subprocess.run(
        command,
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={**os.environ, **(settings or {})},
    )
    if done.returncode != 0:
        raise RuntimeError(f"Node ended with {done.returncode}: {done.stderr[-2000:]}")
    # The last line; before it Dawn says there what it has against a shader.
    return list(json.loads(done.stdout.splitlines()[-1])["results"])


def _job(task: Task, folder: Path, index: int) -> dict[str, Any]:
    out = folder / f"out{index}"
    out.mkdir()
    steps = []
    for number, feeds in enumerate(later_feeds(task)):
        step = write_inputs(folder, feeds, f"{index}.{number}")
        steps.append([{**value, "file": str(folder / value["file"])} for value in step])
    return {
        "id": str(index),
        "model": str(task.model),
        "threads": task.threads,
        "deterministic": task.deterministic,
        "options": dict(task.options),
        "steps": steps,
        "feedback": dict(task.state),
        "keep": "all",
        "out": str(out),
    }


def write_inputs(folder: Path, feeds: Mapping[str, np.ndarray], prefix: str = "input") -> list[dict[str, Any]]:
    """One raw little-endian file (JSON for strings) per array, described as in tests/support/jobs.mjs; files are relative to `folder`."""
    values = []
    for index, (name, array) in enumerate(feeds.items()):
        file = f"{prefix}.{index}.bin"
        strings = array.dtype.kind == "O"
        data = json.dumps(array.ravel().tolist()).encode() if strings else np.ascontiguousarray(array).tobytes()
        (folder / file).write_bytes(data)
        dtype = "string" if strings else array.dtype.name
        values.append({"name": name, "dtype": dtype, "dims": list(array.shape), "file": file})
    return values


def _result(result: dict[str, Any], task: Task) -> list[Arrays] | HostError:
    if not result["ok"]:
        return HostError(result["error"]["code"], result["error"]["message"])
    try:
        _check_threads(result["threads"], task)
    except HostError as error:
        return error
    return [{value["name"]: _array(value) for value in run["outputs"]} for run in result["runs"]]


def _array(value: dict[str, Any]) -> np.ndarray:
    return np.fromfile(value["file"], np.dtype(value["dtype"])).reshape(value["dims"])


def _check_threads(threads: int, task: Task) -> None:
    if threads != task.threads:
        raise HostError("THREADS", f"{threads} threads run, {task.threads} were asked for")
