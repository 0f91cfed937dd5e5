"""GPTQ and the second moments that it needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

import onnxlet
from onnxlet.packing import pack
from onnxlet.packing.calibrate import Patches
from onnxlet.packing.gptq import gptq, gptq_ordered, inverse_factor
from onnxlet.packing.quantizers import Codes, Grid, InputStatistics, Quantizer, mse_clip, round_to_nearest

from . import graphs


def correlated(count: int, columns: int, seed: int = 0) -> np.ndarray:
    """Rows of inputs that a few hidden directions explain, as activations are."""
    rng = np.random.default_rng(seed)
    hidden = rng.standard_normal((count, columns // 4)) @ rng.standard_normal((columns // 4, columns))
    return (hidden + 0.3 * rng.standard_normal((count, columns))).astype(np.float32)


def statistics(x: np.ndarray) -> InputStatistics:
    return InputStatistics(second_moment=x.T.astype(np.float64) @ x / len(x), count=len(x))


def error(codes: Codes, rows: np.ndarray, x: np.ndarray) -> float:
    """The mean square of what the layer's outputs are off."""
    return float(np.square(x @ (codes.dequantize() - rows).T).mean())


def test_factor_is_the_upper_one_of_the_inverse() -> None:
    x = correlated(100, 12).astype(np.float64)
    moment = x.T @ x / len(x)
    factor = inverse_factor(moment)
    assert not np.tril(factor, -1).any()
    damped = moment + 0.01 * np.trace(moment) / 12 * np.eye(12)
    np.testing.assert_allclose(factor.T @ factor @ damped, np.eye(12), atol=1e-10)


@pytest.mark.parametrize("method", [gptq, gptq_ordered])
def test_of_equal_inputs_only_the_last_rounding_is_left(method: Quantizer) -> None:
    """Where all 16 inputs are always equal the sum of the weights counts. Each rounding adds a 12th of a square step to its
    mean square error; here the later columns take up the errors of all but the last."""
    rows = graphs.weights(500, 16)
    equal = InputStatistics(second_moment=np.ones((16, 16)), count=1)
    plain, found = mse_clip(rows, Grid(8)), method(rows, Grid(8), equal)
    off = (found.dequantize().sum(1) - rows.sum(1)) / found.scales[:, 0]
    assert np.square((plain.dequantize().sum(1) - rows.sum(1)) / plain.scales[:, 0]).mean() == pytest.approx(
        16 / 12, rel=0.2
    )
    assert np.square(off).mean() == pytest.approx(1 / 12, rel=0.3)


@pytest.mark.parametrize("method", [gptq, gptq_ordered])
@pytest.mark.parametrize(
    "grid", [Grid(4, 32), Grid(4, 32, symmetric=False), Grid(2, 16), Grid(4), Grid(4, 256), Grid(8)]
)
def test_outputs_are_nearer_than_those_of_rounding(method: Quantizer, grid: Grid) -> None:
    rows, samples = graphs.weights(40, 200), correlated(2500, 200)
    x, fresh = samples[:2000], samples[2000:]
    found = error(method(rows, grid, statistics(x)), rows, x)
    assert found < 0.6 * error(mse_clip(rows, grid, statistics(x)), rows, x)
    assert found < 0.4 * error(round_to_nearest(rows, grid), rows, x)
    assert error(method(rows, grid, statistics(x)), rows, fresh) < 0.4 * error(
        round_to_nearest(rows, grid), rows, fresh
    )


@pytest.mark.parametrize("method", [gptq, gptq_ordered])
def test_independent_inputs_leave_nothing_to_make_up_for(method: Quantizer) -> None:
    rows = graphs.weights(8, 64)
    even = InputStatistics(second_moment=np.eye(64), count=1)
    for grid in (Grid(4, 32), Grid(4, 16, symmetric=False)):
        found, plain = method(rows, grid, even), mse_clip(rows, grid)
        assert (found.codes == plain.codes).all() and (found.scales == plain.scales).all()


@pytest.mark.parametrize("method", [gptq, gptq_ordered])
def test_without_inputs_the_weights_alone_count(method: Quantizer) -> None:
    rows = graphs.weights(8, 64)
    plain = mse_clip(rows, Grid(4, 32))
    silent = InputStatistics(second_moment=np.zeros((64, 64)), count=1)
    for inputs in (None, InputStatistics(), silent):
        assert (method(rows, Grid(4, 32), inputs).codes == plain.codes).all()


def test_many_rows_are_quantized_like_few() -> None:
    rows, x = graphs.weights(30_000, 80), correlated(500, 80)
    whole, part = gptq(rows, Grid(4, 16), statistics(x)), gptq(rows[29_990:], Grid(4, 16), statistics(x))
    assert (whole.codes[29_990:] == part.codes).mean() > 0.99  # sums in another order may round otherwise


# ---- a convolution's patches


@pytest.mark.parametrize(
    "attributes",
    [
        {"pads": [1, 0, 2, 1]},
        {"strides": [2, 3], "dilations": [2, 1]},
        {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
        {"auto_pad": "SAME_LOWER"},
        {"auto_pad": "VALID", "group": 2},
        {"group": 4, "pads": [1, 1, 1, 1]},
    ],
)
def test_patches_are_what_the_kernel_meets(attributes: dict[str, Any]) -> None:
    groups = attributes.get("group", 1)
    w, x = graphs.weights(8, 4 // groups, 3, 2), graphs.weights(2, 4, 7, 9, seed=1)
    conv = graphs.node("Conv", ["x", "w"], "y", **attributes)
    model = graphs.model([conv], {"w": w}, {"x": ["batch", 4, 7, 9]})
    with onnxlet.InferenceSession(model.SerializeToString()) as session:
        (y,) = session.run(None, {"x": x})
    observer = Patches(next(iter(ir.from_proto(model).graph)), (3, 2), moments=True)
    observer.update(x)
    found = observer.statistics()
    outputs = y.transpose(1, 0, 2, 3).reshape(8, -1)
    assert found.count == outputs.shape[1] and found.mean is not None
    rows = w.reshape(groups, 8 // groups, -1)
    np.testing.assert_allclose(np.einsum("gnk,gk->gn", rows, found.mean).ravel(), outputs.mean(1), atol=1e-5)
    assert (found.second_moment is None) == (groups > 1)
    if found.second_moment is not None:
        squares = np.einsum("nk,kl,nl->n", rows[0], found.second_moment, rows[0])
        np.testing.assert_allclose(squares, np.square(outputs).mean(1), rtol=1e-4)


# ---- models


@pytest.mark.filterwarnings("ignore:the packed model is", "ignore:opset raised")
def test_models_keep_their_outputs_better() -> None:
    x = correlated(256, 64)
    for model, data in (
        (graphs.matmul(), {"x": x}),
        (graphs.gemm(), {"x": x}),
        (graphs.conv(), {"x": np.cumsum(graphs.weights(16, 8, 9, 7, seed=3), axis=2)}),
        (graphs.cnn(), graphs.images()),
    ):
        noise = {}
        for method in ("rtn", "gptq", "gptq-ordered"):
            packed = pack(model, data, scheme=f"int4:method={method}", config={"seconds": 0.01})
            noise[method] = packed.report["accuracy"]["snr_db"]
            assert f"method={method}" in packed.report["layers"][0]["scheme"]
        assert noise["gptq"] > noise["rtn"] + 2 and noise["gptq-ordered"] > noise["rtn"] + 2, noise
