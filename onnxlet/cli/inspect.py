"""`onnxlet inspect`: what a model file contains, and what it takes. Works on models that cannot be run, too."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.markup import escape

from .. import dtypes, hosts
from ..errors import Error
from ..model import Model
from ..options import SessionOptions
from ..session import InferenceSession
from .inputs import Inputs
from .output import command, console, progress, shape_text, size_text, table


@dataclass(frozen=True)
class Request:
    """The command line of `onnxlet inspect`."""

    model: Path
    shapes: list[str]
    run: bool
    top: int
    backend: str | None
    as_json: bool


def inspect_command(request: Request) -> int:
    """Runs the command; returns its exit code."""
    code, _ = command(lambda: _inspect(request), lambda document: _show(document, request.top), request.as_json)
    return code


def _inspect(request: Request) -> dict[str, Any]:
    inputs = Inputs.parse([], request.shapes, seed=0)
    document = describe(request.model, request.backend)
    weights = sum(entry["bytes"] for entry in document["parameters"].values())
    try:
        with progress("measuring memory"), open_session(request.model, request.backend) as session:
            memory = _measured(session, inputs, run=request.run)
    except Error as error:
        return document | {
            "problems": problems_of(error),
            "memory": {"weights": weights, "how": "not measured: it cannot be loaded"},
        }
    return document | {"problems": [], "memory": {"weights": weights, **memory}}


def _measured(session: InferenceSession, inputs: Inputs, *, run: bool) -> dict[str, Any]:
    """Bytes. The first run with some shapes records what is allocated, the second uses the plan made of it."""
    if not run:
        return {**_numbers(session.memory), "how": "measured after loading; nothing was run"}
    from ..comparison import metrics  # needs numpy, as running does

    try:
        feeds = inputs.feeds(session)
        for _ in range(2):
            results = session.run(None, feeds)
    except Error as error:
        return {**_numbers(session.memory), "how": f"measured after loading; it does not run on random inputs: {error}"}
    made = ", ".join(f"{name} {metrics.describe(value)}" for name, value in feeds.items()) or "no inputs"
    values = {"inputs": metrics.bytes_of(list(feeds.values())), "outputs": metrics.bytes_of(results)}
    return {**values, **_numbers(session.memory), "how": f"measured by running it on {made}"}


def _numbers(memory: dict[str, int]) -> dict[str, int]:
    return {"activations": memory["arena"], "peak": memory["peak"], "engine": memory["engine"]}


def describe(path: Path, backend: str | None) -> dict[str, Any]:
    """The engine's description of a file, with sums over it."""
    engine = hosts.open_engine(1, backend=backend)
    try:
        with engine.lock:
            engine.enter()
            model = Model(engine, path)
            try:
                document = model.describe()
            finally:
                model.close()
    finally:
        engine.close()
    by_type: dict[str, dict[str, int]] = {}
    for item in document["initializers"]:
        found = dtypes.BY_NUMBER.get(item["dtype"])
        item["type"] = found.name if found else str(item["dtype"])
        entry = by_type.setdefault(item["type"], {"count": 0, "elements": 0, "bytes": 0})
        entry["count"] += 1
        entry["bytes"] += item["bytes"]
        entry["elements"] += math.prod(item["shape"])
    document["file"] = str(path)
    document["file_bytes"] = path.stat().st_size
    document["parameters"] = by_type
    document["unsupported"] = [
        f"{item['domain'] or 'ai.onnx'}::{item['op_type']}" for item in document["operators"] if not item["supported"]
    ]
    return document


def open_session(path: Path, backend: str | None) -> InferenceSession:
    """A session to look at, with one thread."""
    options = SessionOptions()
    options.intra_op_num_threads = 1
    return InferenceSession(path, options, _engine=backend)


def problems_of(error: Error) -> list[str]:
    """Why a model cannot be loaded, one sentence each: the engine lists all reasons in one message."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return [line.removeprefix("- ") for line in lines[1:]] if len(lines) > 1 and lines[0].endswith(":") else lines


# ---- printing ----


def _show(document: dict[str, Any], top: int) -> None:
    out = console()
    _show_head(out, document)
    for title, key in (("Inputs", "inputs"), ("Outputs", "outputs")):
        arguments = table(f"\n{title}", "name", "type", "shape")
        for item in document[key]:
            arguments.add_row(*map(escape, (item["name"], item["type"] or "?", shape_text(item["shape"]))))
        out.print(arguments)
    operators = table("\nOperators", "operator", "domain", "since", "count", "supported", right=("since", "count"))
    for item in sorted(document["operators"], key=lambda item: (-item["count"], item["op_type"])):
        supported = "yes" if item["supported"] else "[bold red]no[/]"
        names = (escape(item["op_type"]), escape(item["domain"] or "ai.onnx"))
        operators.add_row(*names, str(item["since"] or "?"), str(item["count"]), supported)
    out.print(operators)
    if document["parameters"]:
        _show_parameters(out, document, top)
    _show_memory(out, document["memory"])
    if document["unsupported"]:
        out.print(f"\n[bold red]Not supported[/]: {escape(', '.join(document['unsupported']))}")
    if document["problems"]:
        out.print("\n[bold red]It cannot be loaded[/]:")
        for problem in document["problems"]:
            out.print(f"  {escape(problem)}")


def _show_head(out: Console, document: dict[str, Any]) -> None:
    head = table("Model", "", "")
    rows = {
        "file": f"{document['file']} ({size_text(document['file_bytes'])})",
        "graph": document["graph_name"],
        "IR version": document["ir_version"],
        "opsets": ", ".join(f"{domain or 'ai.onnx'} {n}" for domain, n in document["opset_imports"].items()),
        "producer": f"{document['producer_name']} {document['producer_version']}".strip(),
        "domain": document["domain"],
        "version": document["model_version"],
        "description": document["doc_string"],
        "functions": ", ".join(document["functions"]),
        "external data": ", ".join(f"{item['file']} ({size_text(item['bytes'])})" for item in document["external"]),
        **document["metadata"],
    }
    for name, value in rows.items():
        if value:
            head.add_row(escape(name), escape(str(value)))
    out.print(head)


def _show_parameters(out: Console, document: dict[str, Any], top: int) -> None:
    parameters = table("\nParameters", "type", "tensors", "elements", "size", right=("tensors", "elements", "size"))
    for name, entry in document["parameters"].items():
        parameters.add_row(name, str(entry["count"]), f"{entry['elements']:,}", size_text(entry["bytes"]))
    out.print(parameters)
    initializers = sorted(document["initializers"], key=lambda item: -item["bytes"])
    largest = table("\nLargest initializers", "name", "type", "shape", "size", "", right=("size",))
    for item in initializers[: top or None]:
        place = "external" if item["external"] else ""
        texts = (item["name"], item["type"], shape_text(item["shape"]))
        largest.add_row(*map(escape, texts), size_text(item["bytes"]), place)
    out.print(largest)
    if top and len(initializers) > top:
        out.print(f"... and {len(initializers) - top} more")


_MEMORY: Final = {
    "weights": "weights, as stored",
    "inputs": "inputs",
    "outputs": "outputs",
    "activations": "between them, planned",
    "peak": "tensors at most, loading included, inputs not",
    "engine": "the engine's whole memory",
}


def _show_memory(out: Console, memory: dict[str, Any]) -> None:
    made = table("\nMemory", "", "size", right=("size",))
    for key, title in _MEMORY.items():
        if memory.get(key) is not None:
            made.add_row(title, size_text(memory[key]))
    out.print(made)
    out.print(escape(memory["how"]))
