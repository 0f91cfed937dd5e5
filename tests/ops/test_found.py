"""Questions that the engine once answered wrongly: properties of tests/ops/properties/ found them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto

from tests.conformance.backends import Prepare
from tests.ops.harness import check
from tests.ops.properties.control import accumulate, constant, graph, node, value

NAN, INF = np.nan, np.inf


def f32(*values: Any) -> np.ndarray:
    return np.array(values, np.float32)


def f64(*values: Any) -> np.ndarray:
    return np.array(values, np.float64)


def f16(*values: Any) -> np.ndarray:
    return np.array(values, np.float16)


COMPLEX = np.array([1 + 2j, 1 - 1j, 1 + 2j], np.complex64)
BIG = 2**60 + 1
ONES = np.ones(1, np.float32)

# (operator, opset, inputs, attributes, outputs)
CASES: list[tuple[str, int, list[Any], dict[str, Any], list[Any]]] = [
    ("Clip", 1, [f16(-3, 0.5, 3)], {"min": -1.0, "max": 1.0}, [f16(-1, 0.5, 1)]),
    ("Clip", 6, [f32(-INF, 1, INF)], {}, [f32(np.finfo(np.float32).min, 1, np.finfo(np.float32).max)]),
    ("ThresholdedRelu", 22, [f32(NAN, 0.5, 2)], {}, [f32(0, 0, 2)]),
    ("HardSigmoid", 22, [f64(INF, NAN, 1)], {"alpha": 0.0}, [f64(NAN, NAN, 0.5)]),
    ("Celu", 28, [f64(NAN, -1, 2)], {}, [f64(NAN, np.expm1(-1), 2)]),
    ("NonZero", 13, [np.array(5)], {}, [np.zeros((0, 1), np.int64)]),
    ("NonZero", 13, [np.array(0)], {}, [np.zeros((0, 0), np.int64)]),
    ("Split", 1, [f32(1, 2, 3)], {"split": [1, 2]}, [f32(1), f32(2, 3)]),
    ("Split", 1, [f16(1, 2, 3), f16(1, 2)], {}, [f16(1), f16(2, 3)]),
    ("Trilu", 14, [np.array([["a", "b"], ["c", "d"]], object)], {}, [np.array([["a", "b"], ["", "d"]], object)]),
    ("Unique", 28, [COMPLEX], {}, [COMPLEX[[1, 0]], np.array([1, 0]), np.array([1, 0, 1]), np.array([1, 2])]),
    ("Col2Im", 18, [COMPLEX.reshape(1, 1, 3), np.array([3]), np.array([1])], {}, [COMPLEX.reshape(1, 1, 3)]),
    ("Col2Im", 18, [np.full((1, 1, 1), BIG), np.array([1]), np.array([1])], {}, [np.full((1, 1, 1), BIG)]),
    ("Dropout", 22, [f32(1, 2), np.array(0.5, ml_dtypes.float8_e4m3fn), np.array(False)], {}, [f32(1, 2)]),
    ("Gemm", 13, [f32(1, 2)[None], f32(3, 4)[:, None], np.array(5, np.float32)], {}, [f32(16)[None]]),
    (
        "BatchNormalization",
        1,
        [np.ones((1, 1, 2), np.float32), ONES, ONES * 3, ONES, ONES],
        {"consumed_inputs": [0, 0, 0, 1, 1], "is_test": 1},
        [np.full((1, 1, 2), 3, np.float32)],
    ),
    (
        "Resize",
        11,
        [f32(1, 2, 3, 4), f32(), f32(0.25)],
        {"coordinate_transformation_mode": "tf_half_pixel_for_nn"},
        [f32(3)],
    ),
    (
        "Resize",
        19,
        [np.arange(15, dtype=np.float32).reshape(3, 5), f32(0, 0, 1, 1), None, np.array([1, 2])],
        {"coordinate_transformation_mode": "tf_crop_and_resize", "keep_aspect_ratio_policy": "not_larger"},
        [f32(5, 9)[None]],
    ),
    # The operands are rounded to float16 before they are divided.
    (
        "QuantizeLinear",
        25,
        [f32(46.768001556396484), f32(0.49000000953674316)],
        {"precision": TensorProto.FLOAT16},
        [np.array([96], np.uint8)],
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def test_found(backend: Prepare, case: Any) -> None:
    operator, opset, inputs, attributes, expected = case
    outputs = [v.dtype for v in expected]
    check(backend, operator, inputs, oracle=expected, opset=opset, outputs=outputs, **attributes)


def test_scan_8_pads_shorter_sequences(backend: Prepare) -> None:
    x = np.arange(1, 7, dtype=np.float32).reshape(2, 3, 1)
    sums, doubles = x.cumsum(1), x * 2
    sums[1, 1:] = doubles[1, 1:] = 0
    expected = [np.array([[6], [4]], np.float32), sums, doubles]
    check(
        backend,
        "Scan",
        [np.array([3, 1]), np.zeros((2, 1), np.float32), x],
        opset=8,
        body=accumulate(np.float32),
        num_scan_inputs=1,
        oracle=expected,
        outputs=[np.float32] * 3,
    )


def test_loops_collect_small_types(backend: Prepare) -> None:
    small = np.array([1, -2, 3], ml_dtypes.int4)
    body = graph(
        [constant("seen", small), node("Identity", ["condition"], ["more"])],
        [value("i", np.int64), value("condition", np.bool_)],
        [value("more", np.bool_), value("seen", small.dtype)],
    )
    expected = np.stack([small] * 3)
    check(backend, "Loop", [np.array(3), np.array(True)], opset=21, body=body, oracle=[expected], outputs=[small.dtype])


def test_votes_decide_between_two_classes(backend: Prepare) -> None:
    attributes = {
        "kernel_type": "LINEAR",
        "kernel_params": [0.0, 0.0, 0.0],
        "vectors_per_class": [1, 1],
        "support_vectors": [1.0, 1.0],
        "coefficients": [1.0, 1.0],
        "rho": [0.0],
        "classlabels_ints": [4, 1],
    }
    check(
        backend,
        "SVMClassifier",
        [np.array([[1], [-1]], np.float32)],
        domain="ai.onnx.ml",
        opset=1,
        outputs=[np.int64, np.float32],
        oracle="onnxruntime",
        **attributes,
    )
