"""`onnxlet bench`: how long a model takes, where the time goes, and what onnxruntime takes for the same."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..comparison import compare_values, sides
from ..hosts import peak
from ..options import SessionOptions
from ..session import InferenceSession
from ..timing import Contender, ratio, take_turns
from ..trace import trace_document
from . import profile
from .inputs import Inputs
from .output import FAILED, command, console, size_text, table
from .usage import BadOption, one_of
from .writers import write_text

OURS, PEER = "onnxlet", "onnxruntime"


@dataclass(frozen=True)
class Request:
    """The command line of `onnxlet bench`."""

    model: Path
    inputs: list[str]
    shapes: list[str]
    size: int
    seed: int
    seconds: float
    threads: int
    peer: str | None
    tolerance: float
    profile: bool
    by: str
    top: int
    trace: Path | None
    backend: str | None
    as_json: bool


def bench_command(request: Request) -> int:
    """Runs the command; returns its exit code: 1 also when the peer's outputs are others."""
    code, document = command(lambda: _bench(request), lambda made: _show(made, request), request.as_json)
    return FAILED if document is not None and not document.get("agrees", True) else code


def _bench(request: Request) -> dict[str, Any]:
    if request.peer not in (None, PEER):
        raise BadOption(f"--peer takes {PEER}; {request.peer!r} given")
    one_of("--by", request.by, ("node", "operator"))
    inputs = Inputs.parse(request.inputs, request.shapes, request.seed, request.size)
    with contextlib.ExitStack() as stack:
        session, load_ms = _load(request, profiled=False)
        stack.callback(session.close)
        feeds = inputs.feeds(session)
        contenders = [Contender(OURS, functools.partial(session.run, None, feeds), load_ms)]
        if request.peer:
            contenders.append(_peer(request, session, feeds))
        for contender in contenders:
            contender.warm()
        take_turns(contenders, request.seconds)
        memory = session.memory
        document: dict[str, Any] = {
            "model": str(request.model),
            "file_bytes": request.model.stat().st_size,
            "flavour": session.flavour,
            "threads": session.threads,
            "engines": {contender.name: contender.summary() for contender in contenders},
        }
    document["engines"][OURS]["memory"] = memory
    if request.peer:
        ours, theirs = (list(contender.outputs) for contender in contenders)
        found = max((compare_values("", a, b).error for a, b in zip(ours, theirs, strict=True)), default=0.0)
        written = found if math.isfinite(found) else str(found)  # JSON has no infinity
        document |= {"ratio": ratio(*contenders), "difference": written, "agrees": found <= request.tolerance}
    if request.profile or request.trace:
        document |= _profile(request, feeds)
    return document


def _load(request: Request, *, profiled: bool) -> tuple[InferenceSession, float]:
    options = SessionOptions()
    options.intra_op_num_threads = request.threads
    options.enable_profiling = profiled
    begin = time.perf_counter()
    session = InferenceSession(request.model, options, _engine=request.backend)
    return session, (time.perf_counter() - begin) * 1000


def _peer(request: Request, session: InferenceSession, feeds: dict[str, Any]) -> Contender:
    sides.import_onnxruntime()  # which is not part of loading a model
    begin = time.perf_counter()
    peer = sides.Onnxruntime(sides.Model(request.model), sides.Settings(threads=session.threads))
    load_ms = (time.perf_counter() - begin) * 1000
    arrays = sides.convert(feeds, peer.inputs)
    return Contender(PEER, lambda: peer.run(None, arrays), load_ms)


def _profile(request: Request, feeds: dict[str, Any]) -> dict[str, Any]:
    session, _ = _load(request, profiled=True)
    with session:
        entries = profile.collect(session, lambda: session.run(None, feeds), request.seconds / 2)
        threads = session.threads
    clock = profile.clock_us(request.backend)
    found = peak.measure(threads)
    nodes = profile.rows_by_node(entries, found, clock)
    if request.trace:
        numbers = ("flops", "bytes", "gflops", "gigabytes", "of_peak")
        joined = [{**e, **{key: n[key] for key in numbers}} for e, n in zip(entries, nodes, strict=True)]
        write_text(request.trace, json.dumps(trace_document(joined)))
    if not request.profile:
        return {}
    rows = nodes if request.by == "node" else profile.rows_by_operator(nodes, found)
    return {
        "peak": {"gflops": found.gflops, "gigabytes": found.gigabytes},
        "clock_us": clock,
        "profile": rows,
    }


# ---- printing ----


def _show(document: dict[str, Any], request: Request) -> None:
    out = console()
    columns = ("median ms", "p10", "p90", "runs", "load ms", "memory")
    made = table(f"{document['model']}", "engine", *columns, right=columns)
    for name, entry in document["engines"].items():
        times = [f"{entry[key]:.3f}" for key in ("median_ms", "p10_ms", "p90_ms")]
        made.add_row(name, *times, str(entry["runs"]), f"{entry['load_ms']:.1f}", _memory(document, entry))
    out.print(made)
    out.print(f"\n{document['flavour']}, threads: {document['threads']}")
    if "ratio" in document:
        words = "" if document["agrees"] else " [bold red]The outputs differ.[/]"
        out.print(
            f"{OURS} is {document['ratio']:.2f} times as fast as {PEER}; largest difference of an output "
            f"{float(document['difference']):.1e} of its largest value.{words}"
        )
    if "profile" in document:
        profile.show(document["profile"], request.by, request.top)
        reached = document["peak"]
        out.print(
            f"\npeak of this machine in WebAssembly, {document['threads']} threads: {reached['gflops']:.1f} GFLOP/s, "
            f"{reached['gigabytes']:.1f} GB/s; {document['clock_us']:.1f} µs for reading the clock are taken off each node"
        )
    if request.trace:
        out.print(f"wrote {request.trace}: open it in Perfetto or chrome://tracing")


def _memory(document: dict[str, Any], entry: dict[str, Any]) -> str:
    memory = entry.get("memory")
    if not memory:
        return ""
    used = memory["engine"] or memory.get("peak", 0)  # the native backend has no memory of its own
    return f"{size_text(used)} ({used / max(document['file_bytes'], 1):.1f} x file)"
