"""NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss and NonMaxSuppression."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conformance.backends import Prepare
from tests.ops.harness import check


@pytest.mark.parametrize("op", ["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"])
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("shape", [(5, 3), (2, 4, 7), (2, 5, 3, 4)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ignore", [None, 1, -7])
def test_loss(
    backend: Prepare,
    op: str,
    reduction: str,
    shape: tuple[int, ...],
    weighted: bool,
    ignore: int | None,
) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape).astype(np.float32)
    target = rng.integers(0, shape[1], (shape[0], *shape[2:]))
    if ignore is not None:
        target[0] = ignore
    weight = rng.random(shape[1]).astype(np.float32) + 0.1 if weighted else None
    outputs = 2 if op.startswith("Softmax") else 1
    check(
        backend,
        op,
        [x, target, weight],
        outputs=outputs,
        opset=13,
        reduction=reduction,
        ignore_index=ignore,
        rtol=1e-4,
        atol=1e-5,
    )


@pytest.mark.parametrize("center", [0, 1])
@pytest.mark.parametrize("limit", [0, 3, 100])
@pytest.mark.parametrize("threshold", [None, 0.4])
def test_non_max_suppression(backend: Prepare, center: int, limit: int, threshold: float | None) -> None:
    rng = np.random.default_rng(0)
    boxes = rng.random((2, 40, 4)).astype(np.float32)
    scores = np.round(rng.random((2, 3, 40)), 2).astype(np.float32)  # with ties
    inputs = [boxes, scores, np.array([limit]), np.array([0.3], np.float32)]
    if threshold is not None:
        inputs.append(np.array([threshold], np.float32))
    check(
        backend,
        "NonMaxSuppression",
        inputs,
        center_point_box=center,
        opset=11,
        oracle="onnxruntime",
    )
