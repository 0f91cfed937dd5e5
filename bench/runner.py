"""Hands jobs to bench/measure.mjs, in Node or in Chromium. The engines and what they are compared with."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onnxlet.hosts import peak
from tests.browser.chromium import Chromium, Tab
from tests.support.paths import cache_dir

HERE = Path(__file__).resolve().parent
OURS, PEER = "onnxlet", "onnxruntime-web"
SECONDS_PER_JOB = 300
_PEAK_ROUNDS = 50_000  # a sample takes less than a millisecond

Job = dict[str, Any]
Result = dict[str, Any]


@dataclass(frozen=True)
class Engine:
    """A package with onnxruntime-web's interface. `threads`: other than the job's."""

    name: str
    entry: Path
    threads: int | None = None


def engines(dist: Path, peer: str, *, browser: bool, webgpu: bool = False) -> list[Engine]:
    """Ours and what `--peer` names: onnxruntime-web (of it the build with WebGPU), none, or the folder of another build of onnxlet."""
    ours = Engine(OURS, dist.resolve() / "onnxlet.mjs")
    if peer == "none":
        return [ours]
    if peer == PEER:
        build = "webgpu" if webgpu else "wasm" if browser else "node"
        return [ours, Engine(PEER, install_peer() / "dist" / f"ort.{build}.min.mjs")]
    other = Path(peer).resolve() / "onnxlet.mjs"
    if not other.is_file():
        sys.exit(f"--peer takes {PEER}, none, or a folder with another build's onnxlet.mjs; {peer!r} is none of these")
    return [ours, Engine("other build", other)]


def install_peer() -> Path:
    return install(PEER, "dist/ort.node.min.mjs")


def install(name: str, file: str) -> Path:
    """A pinned package, installed with npm into the cache at the first call. `file` is one that it has."""
    wanted = json.loads((HERE / "package.json").read_text())["dependencies"][name]
    folder = cache_dir() / "bench" / f"{name.replace('/', '-')}-{wanted}"
    package = folder / "node_modules" / name
    if not (package / file).is_file():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text(json.dumps({"private": True, "dependencies": {name: wanted}}))
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"npm could not install {name} {wanted}: {(done.stderr or done.stdout).strip()}")
    return package


def peak_job(folder: Path) -> Job:
    """What bench/peak.mjs needs, with the modules written into the folder."""
    files = []
    for relaxed in (True, False):
        files.append(f"peak-{'relaxed' if relaxed else 'plain'}.wasm")
        (folder / files[-1]).write_bytes(peak.module(relaxed=relaxed))
    return {"files": files, "rounds": _PEAK_ROUNDS, "flops": peak.FLOPS_PER_ROUND, "bytes": 2 * peak.COPY_BYTES}


def run_jobs(
    jobs: Sequence[Job], folder: Path, chosen: Sequence[Engine], *, browser: bool, flags: Sequence[str] = ()
) -> Iterator[Result]:
    """Results in order. The jobs' files are absolute or in `folder`. One process or page runs them all. `flags`: more of
    Chromium's."""
    return _in_chromium(jobs, folder, chosen, flags) if browser else _in_node(jobs, folder, chosen)


def _named(chosen: Sequence[Engine], address: Iterable[str]) -> list[dict[str, Any]]:
    own = [{"threads": engine.threads} if engine.threads else {} for engine in chosen]
    return [{"name": e.name, "url": url, **more} for e, url, more in zip(chosen, address, own, strict=True)]


def _in_node(jobs: Sequence[Job], folder: Path, chosen: Sequence[Engine]) -> Iterator[Result]:
    files = []
    for i, job in enumerate(jobs):
        whole = job | {"engines": _named(chosen, [engine.entry.as_uri() for engine in chosen])}
        files.append(folder / f"{i}.json")
        files[-1].write_text(json.dumps(whole))
    while files:
        with Node(files, folder) as node:
            for result in node.results():
                del files[0]
                yield result
            words = node.last_words()
        if files:  # what the process died of; the others get a new one
            del files[0]
            yield failed(chosen, words)


class Node:
    """A process of bench/node.mjs."""

    def __init__(self, files: Sequence[Path], folder: Path) -> None:
        self._errors = (folder / "errors.txt").open("w+")
        command = ["node", HERE / "node.mjs", *files]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._errors, text=True)
        self._late = False

    def __enter__(self) -> Node:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._errors.close()

    def results(self) -> Iterator[Result]:
        """Until the process ends, or takes too long for one."""
        assert self._process.stdout is not None
        while True:
            timer = threading.Timer(SECONDS_PER_JOB, self._stop)
            timer.start()
            line = self._process.stdout.readline()
            timer.cancel()
            if not line:
                return
            if line.startswith("{"):
                yield json.loads(line)

    def _stop(self) -> None:
        self._late = True
        self._process.kill()

    def last_words(self) -> str:
        if self._late:
            return f"no answer in {SECONDS_PER_JOB} s"
        self._errors.seek(0)
        lines = [line for line in self._errors.read().splitlines() if "Error" in line or "error" in line]
        return f"Node ended: {lines[-1] if lines else self._process.wait()}"


def _in_chromium(jobs: Sequence[Job], folder: Path, chosen: Sequence[Engine], flags: Sequence[str]) -> Iterator[Result]:
    models = {(folder / job["model"]).parent for job in jobs}
    with Chromium([HERE, folder, *models, *(engine.entry.parent for engine in chosen)], arguments=flags) as browser:

        def new_page() -> Tab:
            page = browser.page(f"/file{HERE}/page.html")
            page.wait("() => typeof bench === 'function'", 30)
            return page

        page = new_page()

        def address(name: str) -> str:
            return f"/file{folder / name}"

        for job in jobs:
            here = job | {
                "engines": _named(chosen, [f"{browser.server.origin}/file{engine.entry}" for engine in chosen]),
                "model": address(job["model"]),
                "inputs": [{**value, "file": address(value["file"])} for value in job["inputs"]],
            }
            if "peak" in job:
                here["peak"] = {**job["peak"], "files": [address(name) for name in job["peak"]["files"]]}
            try:
                yield dict(page.evaluate("(job) => window.bench(job)", here))
            except Exception as error:  # out of memory, or the page died of it: the others get a new one
                yield failed(chosen, str(error).splitlines()[0])
                page.close()
                page = new_page()


def failed(chosen: Sequence[Engine], message: str) -> Result:
    return {"engines": {engine.name: {"error": message} for engine in chosen}, "ratios": {}, "difference": None}
