"""`onnxlet run`: one model on given or made-up inputs."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.markup import escape

from ..options import SessionOptions
from ..session import InferenceSession
from . import profile, writers
from .inputs import Inputs
from .output import command, console, plain, shape_text, size_text, table
from .usage import BadOption

_FEW = 64  # outputs up to this many elements are shown whole


@dataclass(frozen=True)
class Request:
    """The command line of `onnxlet run`."""

    model: Path
    inputs: list[str]
    shapes: list[str]
    outputs: list[str]
    save: list[str]
    seed: int
    repeat: int
    threads: int
    deterministic: bool
    profile: bool
    backend: str | None
    as_json: bool


def run_command(request: Request) -> int:
    """Runs the command; returns its exit code."""
    code, _ = command(lambda: _run(request), _show, request.as_json)
    return code


def _run(request: Request) -> dict[str, Any]:
    inputs = Inputs.parse(request.inputs, request.shapes, request.seed)
    wanted = [item.partition("=")[::2] for item in request.outputs]
    for file in [*(file for _, file in wanted if file), *request.save]:
        writers.check(file)
    options = SessionOptions()
    options.intra_op_num_threads = request.threads
    options.use_deterministic_compute = request.deterministic
    options.enable_profiling = request.profile
    start = time.perf_counter()
    with InferenceSession(request.model, options, _engine=request.backend) as session:
        load_ms = (time.perf_counter() - start) * 1000
        names = _names([name for name, _ in wanted], [arg.name for arg in session.get_outputs()])
        feeds = inputs.feeds(session)
        times = []
        for _ in range(request.repeat):
            begin = time.perf_counter()
            results = session.run(names, feeds)
            times.append((time.perf_counter() - begin) * 1000)
        outputs = dict(zip(names, results, strict=True))
        document = {
            "model": str(request.model),
            "flavour": session.flavour,
            "threads": session.threads,
            "load_ms": round(load_ms, 3),
            "run_ms": [round(value, 3) for value in times],
            "memory": session.memory,
            "inputs": {name: _summary(value) for name, value in feeds.items()},
            "outputs": {name: _summary(value) for name, value in outputs.items()},
        }
        if request.profile:
            document["profile"] = session.profile()
    for name, file in wanted:
        if file:
            writers.save(file, {name: outputs[name]})
    for file in request.save:
        writers.save(file, outputs)
    return document


def _names(wanted: Sequence[str], known: Sequence[str]) -> list[str]:
    for name in wanted:
        if name not in known:
            raise BadOption(f"the model has no output {name!r}; it has {', '.join(known)}")
    return list(dict.fromkeys(wanted)) or list(known)


# ---- printing ----


def _summary(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _summary(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_summary(item) for item in value[:_FEW]]
    if not hasattr(value, "dtype") or not hasattr(value, "size"):
        return plain(value)
    summary: dict[str, Any] = {"dtype": str(value.dtype), "shape": list(value.shape)}
    if value.dtype.kind in "fiub" and value.size:
        import numpy as np

        numbers = value.astype(np.float64) if value.dtype.kind != "b" else value.astype(np.int8)
        found = {"min": numbers.min(), "max": numbers.max(), "mean": numbers.mean()}
        summary |= {key: plain(float(number)) for key, number in found.items()}
    if value.size <= _FEW:
        summary["data"] = plain(value)
    return summary


def _show(document: dict[str, Any]) -> None:
    out = console()
    for title, key in (("Inputs", "inputs"), ("\nOutputs", "outputs")):
        rows = table(title, "name", "type", "shape", "min", "max", "mean", right=("min", "max", "mean"))
        for name, entry in document[key].items():
            rows.add_row(escape(name), *_cells(entry))
        out.print(rows)
    if "profile" in document:
        nodes = profile.rows_by_node(document["profile"], None, clock=0)
        profile.show(profile.rows_by_operator(nodes, None), "operator", top=0)
    times = sorted(document["run_ms"])
    out.print(
        f"\nload {document['load_ms']:.1f} ms, run {times[len(times) // 2]:.2f} ms"
        f"{f' (median of {len(times)})' if len(times) > 1 else ''}, peak of tensors "
        f"{size_text(document['memory'].get('peak', 0))}, engine {size_text(document['memory']['engine'])}, {document['threads']} threads, {document['flavour']}"
    )


def _cells(entry: Any) -> list[str]:
    if not isinstance(entry, dict) or "dtype" not in entry:
        return [escape(json.dumps(entry, ensure_ascii=False))]
    numbers = [entry.get(key, "") for key in ("min", "max", "mean")]
    texts = [f"{value:.6g}" if isinstance(value, float) else value for value in numbers]
    return [entry["dtype"], escape(shape_text(entry["shape"])), *texts]
