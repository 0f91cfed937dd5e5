"""`onnxlet inspect`: what a model file contains. Works on models that cannot be run, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.markup import escape

from .. import dtypes, hosts
from ..errors import Error
from ..model import Model
from .output import console, print_json, report, shape_text, size_text, table


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
    for item in document.get("initializers") or []:
        found = dtypes.BY_NUMBER.get(item["dtype"]) if isinstance(item["dtype"], int) else None
        entry = by_type.setdefault(found.name if found else str(item["dtype"]), {"count": 0, "elements": 0, "bytes": 0})
        entry["count"] += 1
        entry["bytes"] += item["bytes"]
        entry["elements"] += _product(item.get("shape") or [])
    document["file"] = str(path)
    document["file_bytes"] = path.stat().st_size
    document["parameters"] = by_type
    document["unsupported"] = [
        f"{item['domain'] or 'ai.onnx'}::{item['op_type']}"
        for item in document.get("operators") or []
        if not item["supported"]
    ]
    return document


def _product(shape: list[int]) -> int:
    product = 1
    for size in shape:
        product *= size
    return product


def inspect_command(path: Path, backend: str | None, as_json: bool) -> int:
    """Runs the command; returns its exit code."""
    try:
        document = describe(path, backend)
    except Error as error:
        return report(error, as_json)
    if as_json:
        print_json(document)
        return 0
    out = console()
    head = table("Model", "", "")
    opsets = ", ".join(f"{domain or 'ai.onnx'} {version}" for domain, version in document["opset_imports"].items())
    producer = f"{document.get('producer_name') or ''} {document.get('producer_version') or ''}".strip()
    rows = {
        "file": f"{path} ({size_text(document['file_bytes'])})",
        "graph": document.get("graph_name"),
        "IR version": document.get("ir_version"),
        "opsets": opsets,
        "producer": producer,
        "domain": document.get("domain"),
        "version": document.get("model_version") or None,
        "description": document.get("doc_string"),
        "external data": ", ".join(f"{e['file']} ({size_text(e['bytes'])})" for e in document.get("external") or []),
        **(document.get("metadata") or {}),
    }
    for name, value in rows.items():
        if value:
            head.add_row(escape(str(name)), escape(str(value)))
    out.print(head)
    for title, key in (("Inputs", "inputs"), ("Outputs", "outputs")):
        arguments = table(f"\n{title}", "name", "type", "shape")
        for item in document[key]:
            cells = (item["name"], item.get("type") or "?", shape_text(item.get("shape")))
            arguments.add_row(*map(escape, cells))
        out.print(arguments)
    operators = table("\nOperators", "operator", "domain", "since", "count", "supported", right=("since", "count"))
    for item in sorted(document.get("operators") or [], key=lambda item: (-item["count"], item["op_type"])):
        supported = "yes" if item["supported"] else "[bold red]no[/]"
        since = str(item.get("since") or "?")
        operators.add_row(escape(item["op_type"]), item["domain"] or "ai.onnx", since, str(item["count"]), supported)
    out.print(operators)
    parameters = table("\nParameters", "type", "tensors", "elements", "size", right=("tensors", "elements", "size"))
    for name, entry in document["parameters"].items():
        parameters.add_row(name, str(entry["count"]), f"{entry['elements']:,}", size_text(entry["bytes"]))
    if document["parameters"]:
        out.print(parameters)
    if document["unsupported"]:
        out.print(f"\n[bold red]Not supported[/]: {escape(', '.join(document['unsupported']))}")
    return 0
