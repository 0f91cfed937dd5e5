"""A small bundle of files, sealed as any is, for tests of what proves it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from onnx import TensorProto, helper

from onnxlet.bundle import Application, Contents, Filled, Input, Interface, Output, Request
from onnxlet.bundle.layout import write_application
from onnxlet.bundle.proof import seal


def model() -> bytes:
    """Adds a constant to three numbers."""
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 3])],
        [helper.make_tensor("w", TensorProto.FLOAT, [3], [1.0, 2.0, 3.0])],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    made.metadata_props.add(key="onnxlet.pack.scheme", value="int8")
    return bytes(made.SerializeToString(deterministic=True))


def contents(**options: Any) -> Contents:
    """What a target is given."""
    interface = Interface(
        "adder",
        (Input("x", "matrix", "float32", ("N", 3)),),
        (Output("y", "column", "float32", ("N", 3)),),
        description="Adds 1, 2 and 3.",
    )
    application = Application(model(), interface, ("MIT",), {"adder.onnx": "0" * 64})
    return Contents(Request([Path("adder.onnx")], Path("out"), target="node", **options), (application,))


def sealed(folder: Path, more: dict[str, bytes] | None = None, **options: Any) -> Path:
    """A bundle in `folder`, with a file in a folder below and an empty one."""
    folder.mkdir()
    given = contents(**options)
    write_application(given, folder)
    for name, data in {"engine/onnxlet.wasm": bytes(range(256)), "empty": b"", **(more or {})}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    seal(given, Filled({"onnxlet": "0.1.0", "wasmtime": "50.0.1"}, operators=["Add"]), folder)
    return folder


def names(folder: Path) -> Sequence[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
