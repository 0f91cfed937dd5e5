"""Bias correction: what rounding the weights does to the mean of each output channel is taken off its bias.

Nagel et al. 2019, "Data-free quantization through weight equalization and bias correction",
https://arxiv.org/abs/1906.04721, section 4.2, with the means of calibration data.
"""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from .layers import Layer, float_attribute, is_constant, new_initializer, tensor_of
from .quantizers import Codes


def mean_error(layer: Layer, codes: Codes, mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """[N]: how much larger each output channel is on average. mean: [groups, K], of the layer's inputs."""
    off = codes.dequantize() - layer.rows()
    of_row = np.repeat(mean, len(off) // len(mean), axis=0)
    return np.asarray((off * of_row).sum(1))


def correct(layer: Layer, codes: Codes, mean: NDArray[np.float64]) -> bool:
    """Gives the layer's Conv or Gemm, or the Add behind its MatMul, a bias that makes the mean error zero.

    Returns whether there was a place for it: a weight that several nodes use has none.
    """
    node = layer.multiplied
    if node is None or len(layer.uses) > 1:
        return False
    if node.op_type == "MatMul":
        return _correct_add(node, mean_error(layer, codes, mean))
    if float_attribute(node, "alpha", 1.0) != 1 or float_attribute(node, "beta", 1.0) != 1:
        return False
    if len(node.inputs) > 2 and node.inputs[2] is not None:
        return _shift(node, 2, mean_error(layer, codes, mean))
    if len(node.inputs) < 3:
        node.resize_inputs(3)
    assert node.graph is not None
    zeros = np.zeros(len(codes.codes), np.float32)
    node.replace_input_with(2, new_initializer(node.graph, f"{layer.weight.name}.bias", zeros))
    return _shift(node, 2, mean_error(layer, codes, mean))


def _correct_add(product: ir.Node, error: NDArray[np.float64]) -> bool:
    uses = [] if product.outputs[0].is_graph_output() else list(product.outputs[0].uses())
    if len(uses) != 1 or uses[0].node.op_type != "Add":
        return False
    return _shift(uses[0].node, 1 - uses[0].idx, error)


def _shift(node: ir.Node, index: int, error: NDArray[np.float64]) -> bool:
    """The constant of one number per channel (or one for all) gets `error` off."""
    value = node.inputs[index]
    if value is None or not is_constant(value) or tensor_of(value).dtype != ir.DataType.FLOAT:
        return False
    bias = tensor_of(value).numpy()
    if bias.size not in (1, len(error)) or bias.shape[-1:] != (bias.size,):
        return False
    assert node.graph is not None
    corrected = (bias.reshape(-1) - error).astype(np.float32)
    node.replace_input_with(index, new_initializer(node.graph, f"{value.name}.corrected", corrected))
    return True
