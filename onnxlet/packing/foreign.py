"""Packing models of other formats: they become ONNX first, and what is quantized already is carried over as it is."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeGuard

import onnx_ir as ir

from .. import importers
from ..errors import InvalidArgument
from ..session import InferenceSession
from . import prove
from .layers import nodes_of, quantized_operators
from .store import ModelSource, Staged, staged, stored_bytes, weight_bytes

_EMBEDDING, _PRODUCT = "GatherBlockQuantized", "MatMulNBits"
_CODES = {_EMBEDDING: 0, _PRODUCT: 1}  # the input that has the weights
_LARGER = (
    "the ONNX file is larger than its source: scales and offsets have 32 bits here and 16 there, and so do numbers of other "
    "types than Q4_0, Q4_1 and Q8_0, which become float32"
)


def is_foreign(source: ModelSource) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a source is a file or folder that must become ONNX first."""
    return isinstance(source, str | os.PathLike) and importers.detect(source) is not None


def is_quantized(model: ir.Model) -> bool:
    return bool(quantized_operators(nodes_of(model)))


@contextlib.contextmanager
def as_onnx(model: ir.Model) -> Iterator[Path]:
    """The model in a file, with its weights beside it so that one is read at a time, while the context lasts."""
    with tempfile.TemporaryDirectory(prefix="onnxlet-import-") as folder:
        stage = Staged(Path(folder), Path("model.onnx"))
        stage.write(model, "always")
        yield stage.path


def carry_over(
    model: ir.Model, source: str | os.PathLike[str], output: Path | None, external: str, run_limit: int
) -> tuple[bytes | None, dict[str, Any]]:
    """Writes the model as it is; returns its bytes where no output is named, and the report.

    It must pass onnx.checker and be accepted by the engine. Raises InvalidArgument or what `importers.load` raises.
    """
    if output is None and weight_bytes(model) > run_limit:
        raise InvalidArgument(
            "a model of more than run_limit bytes of weights needs a file to be written to: name output"
        )
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) if output is None else None
        stage = stack.enter_context(staged(folder / "packed.onnx" if folder else Path(output or "")))
        stage.write(model, external if output is not None else "never")
        prove.check(stage.path)
        if weight_bytes(model) <= run_limit:
            InferenceSession(stage.path).close()
        document = _document(model, _size(Path(source)), stored_bytes(stage.path))
        if output is None:
            return stage.path.read_bytes(), document
        stage.commit()
        return None, document


def _size(path: Path) -> int:
    files = importers.weight_files(path) if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)


def _document(model: ir.Model, before: int, after: int) -> dict[str, Any]:
    """The report, with the keys that `report` has."""
    nodes = []
    layers: dict[str, dict[str, Any]] = {}
    for node in model.graph:
        row = {"node": node.name, "op_type": node.op_type}
        if node.op_type not in _CODES:
            nodes.append(row | {"status": "skipped", "reason": "it is as the source has it"})
            continue
        layer = _layer(node)
        nodes.append(row | {"status": "quantized", "scheme": layer["scheme"], "reason": layer["reason"]})
        layers.setdefault(layer["weight"], layer)["nodes"].append(node.name)
    return {
        "scheme": "carried over",
        "bytes_before": before,
        "bytes_after": after,
        "opset": model.graph.opset_imports.get("", 0),
        "samples": 0,
        "synthetic": False,
        "nodes": nodes,
        "layers": list(layers.values()),
        "notes": [_LARGER] if after > before else [],
    }


def _layer(node: ir.Node) -> dict[str, Any]:
    codes = node.inputs[_CODES[node.op_type]]
    assert codes is not None and codes.const_value is not None
    bits = node.attributes["bits"].as_int()
    rows, blocks = codes.const_value.shape.numpy()[:2]
    block = node.attributes["block_size"].as_int()
    return {
        "layer": node.name,
        "nodes": [],
        "op_type": node.op_type,
        "weight": codes.name,
        "shape": [rows, blocks * block],
        "scheme": f"int{bits}:block={block}",
        "reason": "carried over bit for bit",
        "bytes_before": codes.const_value.nbytes,
        "bytes_after": codes.const_value.nbytes,
        "snr_db": None,
    }
