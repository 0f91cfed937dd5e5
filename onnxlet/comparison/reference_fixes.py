"""Operators that onnx.reference computes otherwise than the specification says. Needs the onnx package."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx.reference.op_run import OpRun


class BatchNormalization(OpRun):
    """Versions 7 and 9 with one output, which means inference: the given mean and variance count. The reference mixes in
    the batch's own there."""

    op_domain = ""

    def _run(self, x: Any, scale: Any, bias: Any, mean: Any, var: Any, epsilon: Any = None, **_: Any) -> tuple[Any]:
        shape = (-1, *[1] * (x.ndim - 2))
        scale, bias, mean, var = (value.reshape(shape) for value in (scale, bias, mean, var))
        y = scale * (x - mean) / np.sqrt(var + (1e-5 if epsilon is None else epsilon)) + bias
        return (y.astype(x.dtype),)


def operators(model: onnx.ModelProto) -> list[type[OpRun]]:
    """Those to put in for a model."""
    version = next((item.version for item in model.opset_import if item.domain in ("", "ai.onnx")), 0)
    nodes = [node for node in model.graph.node if node.op_type == BatchNormalization.__name__ and not node.domain]
    inference = nodes and all(len(list(filter(None, node.output))) == 1 for node in nodes)
    return [BatchNormalization] if inference and 7 <= version <= 13 else []
