"""Cases on the JavaScript hosts, many in one Node process or one page."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from tests.browser.chromium import Chromium
from tests.conformance.cases import Case, Values
from tests.conformance.compare import assert_outputs
from tests.conformance.runner import Outcome, attempt
from tests.support.hosts import HostError, JavaScriptHost, chromium_host, node_host, webgpu_host
from tests.support.values import decode, encode

HOSTS = ("node", "chromium")
GPU_HOSTS = ("webgpu",)
# Also the smallest tensors go to the GPU.
GPU_OPTIONS = {"executionProviders": [{"name": "webgpu", "minBytes": 0}, "wasm"]}
BATCH = 400  # cases for one process or page: what a crash costs


@contextlib.contextmanager
def start(name: str) -> Iterator[JavaScriptHost]:
    """One of HOSTS or GPU_HOSTS, for use outside of pytest."""
    if name == "webgpu":
        yield webgpu_host()
        return
    if name == "node":
        yield node_host()
        return
    with Chromium() as browser:
        yield chromium_host(browser)


def run_cases(cases: Sequence[Case], host: JavaScriptHost) -> Iterator[Outcome]:
    """The outcomes, in order."""
    for first in range(0, len(cases), BATCH):
        batch = cases[first : first + BATCH]
        jobs: dict[int, dict[str, Any]] = {}
        outcomes: dict[int, Outcome] = {}
        for index, case in enumerate(batch, first):
            outcomes[index] = attempt(index, partial(_add_job, jobs, case, index, host.name in GPU_HOSTS))
        try:
            results = host.run_jobs(list(jobs.values()))
        except Exception as error:  # the process or the page is gone, and with it what it had found
            results = [{"ok": False, "error": {"code": "crash", "message": str(error)}}] * len(jobs)
        for index, result in zip(jobs, results, strict=True):
            case = cases[index]
            outcomes[index] = attempt(index, partial(check, case, result, host.name))
            outcomes[index].seconds = sum(result.get("run_ms", ())) / 1000
            outcomes[index].kernels = result.get("kernels") or []
        yield from outcomes.values()


def _add_job(jobs: dict[int, dict[str, Any]], case: Case, index: int, gpu: bool) -> None:
    jobs[index] = job_of(case, index)
    if gpu:
        jobs[index] |= {"options": GPU_OPTIONS, "profile": True}


def job_of(case: Case, index: int) -> dict[str, Any]:
    """The case as a job of tests/support/jobs.mjs, one step for each data set."""
    steps = []
    for inputs, _ in case.data_sets():
        named = zip(case.input_names, inputs, strict=False)
        steps.append([{"name": name, **encode(value)} for name, value in named])
    model = base64.b64encode(case.model.SerializeToString()).decode()
    return {"id": str(index), "model": {"base64": model}, "threads": 1, "steps": steps, "keep": "all", "embed": True}


def check(case: Case, result: dict[str, Any], backend: str) -> None:
    """Raises HostError or Mismatch where the job's result is not what the case expects."""
    if not result["ok"]:
        raise HostError(result["error"]["code"], result["error"]["message"])
    declared = {value.name: value.type for value in case.model.graph.output}
    for run, (_, expected) in zip(result["runs"], case.data_sets(), strict=True):
        actual: Values = [decode(output, declared[output["name"]]) for output in run["outputs"]]
        assert_outputs(actual, expected, operator=case.tolerance_key, backend=backend, rtol=case.rtol, atol=case.atol)
