"""`onnxlet run`: one model on given or made-up inputs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.markup import escape

from ..errors import Error, InvalidArgument
from ..options import SessionOptions
from ..session import InferenceSession
from . import profile
from .inputs import Inputs
from .output import console, print_json, report, shape_text, size_text, table

_FEW = 64  # outputs up to this many elements are shown whole


@dataclass(frozen=True)
class Request:
    """The command line of `onnxlet run`."""

    model: Path
    inputs: list[str]
    shapes: list[str]
    outputs: list[str]
    seed: int
    repeat: int
    threads: int
    deterministic: bool
    profile: bool
    backend: str | None
    as_json: bool


def run_command(request: Request) -> int:
    """Runs the command; returns its exit code."""
    try:
        document, results = _run(request)
    except Error as error:
        return report(error, request.as_json)
    if request.as_json:
        print_json(document)
    else:
        _show(document, results)
    return 0


def _run(request: Request) -> tuple[dict[str, Any], list[Any]]:
    inputs = Inputs.parse(request.inputs, request.shapes, request.seed)
    wanted = [item.partition("=")[::2] for item in request.outputs]
    options = SessionOptions()
    options.intra_op_num_threads = request.threads
    options.use_deterministic_compute = request.deterministic
    options.enable_profiling = request.profile
    start = time.perf_counter()
    with InferenceSession(request.model, options, _engine=request.backend) as session:
        load_ms = (time.perf_counter() - start) * 1000
        feeds = inputs.feeds(session)
        times = []
        for _ in range(request.repeat):
            begin = time.perf_counter()
            results = session.run([name for name, _ in wanted], feeds)
            times.append((time.perf_counter() - begin) * 1000)
        names = [name for name, _ in wanted] or [arg.name for arg in session.get_outputs()]
        document = {
            "model": str(request.model),
            "flavour": session.flavour,
            "threads": session.threads,
            "load_ms": round(load_ms, 3),
            "run_ms": [round(value, 3) for value in times],
            "memory": session.memory,
            "inputs": {name: _summary(value) for name, value in feeds.items()},
            "outputs": {name: _summary(value) for name, value in zip(names, results, strict=True)},
        }
        if request.profile:
            document["profile"] = session.profile()
    for (name, file), value in zip(wanted, results, strict=False):
        if file:
            _save(name, file, value)
    return document, results


# ---- outputs ----


def _summary(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, dict):
        return {str(key): _summary(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_summary(item) for item in value[:_FEW]]
    if not hasattr(value, "dtype") or not hasattr(value, "size"):
        return str(value)
    summary: dict[str, Any] = {"dtype": str(value.dtype), "shape": list(value.shape)}
    if value.dtype.kind in "fiub" and value.size:
        import numpy as np

        numbers = value.astype(np.float64) if value.dtype.kind != "b" else value.astype(np.int8)
        summary |= {"min": _plain(numbers.min()), "max": _plain(numbers.max()), "mean": _plain(numbers.mean())}
    if value.size <= _FEW:
        summary["data"] = value.tolist() if value.dtype.kind in "iubOU" else _plain(value.tolist())
    return summary


def _plain(value: Any) -> Any:
    """JSON has no NaN, infinity or complex numbers: those become text."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, complex) or value != value or value in (float("inf"), float("-inf")):
        return str(value)
    return float(value)


def _save(name: str, file: str, value: Any) -> None:
    import numpy as np

    if not isinstance(value, np.ndarray):
        raise InvalidArgument(f"output {name!r} is a {type(value).__name__}; only tensors can be saved as .npy")
    np.save(file, value)


def _show(document: dict[str, Any], results: Iterable[Any]) -> None:
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
