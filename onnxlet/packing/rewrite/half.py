"""Weights stored as float16."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ..layers import Layer, tensor_of
from .writer import Place, Writer

LARGEST = float(np.finfo(np.float16).max)


def lacks(layer: Layer) -> str | None:
    """Why a layer's weights do not fit into float16; None where they do."""
    largest = float(np.abs(tensor_of(layer.weight).numpy()).max())
    if largest > LARGEST:
        return f"its weights reach {largest:.6g}, beyond float16's largest number {LARGEST:.0f}: it stays float32"
    return None


def write(writer: Writer, layer: Layer) -> None:
    """All uses read a Cast of the float16 weight, whose bytes are made when the model is written."""
    weight, source = layer.weight, tensor_of(layer.weight)
    graph = weight.graph
    assert isinstance(graph, ir.Graph)
    lazy = ir.LazyTensor(
        lambda: ir.tensor(source.numpy().astype(np.float16)),
        dtype=ir.DataType.FLOAT16,
        shape=source.shape,  # type: ignore[arg-type]
    )
    stored = writer.constant(f"{weight.name}.half", lazy)
    (floats,) = writer.add(Place.before_node(graph[0]), "Cast", [stored], f"{weight.name}.float", to=ir.DataType.FLOAT)
    weight.replace_all_uses_with(floats)
