"""Normalizations against onnx.reference, numpy and onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conformance.backends import Prepare
from tests.ops.harness import check

MS: dict[str, Any] = {"domain": "com.microsoft", "oracle": "onnxruntime", "rtol": 1e-4, "atol": 1e-5}


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("shape", [(2, 3, 33), (1, 1), (5, 7, 11), (4, 1030)])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("bias", [False, True])
def test_layer_normalization(backend: Prepare, shape: tuple[int, ...], axis: int, bias: bool) -> None:
    x = random(*shape) * 3 + 10
    normalized = shape[axis:]
    scale, b = (
        random(*normalized, seed=1),
        random(*normalized, seed=2) if bias else None,
    )
    # float rounding of the mean matters where a row has one element or little variance
    check(
        backend,
        "LayerNormalization",
        [x, scale, b],
        outputs=3,
        axis=axis,
        epsilon=1e-3,
        rtol=1e-4,
        atol=1e-4,
    )
    check(backend, "RMSNormalization", [x, scale], axis=axis, rtol=1e-4, atol=1e-5)


def test_scale_that_broadcasts(backend: Prepare) -> None:
    x = random(2, 3, 5)
    for shape in [(1,), (5,), (3, 5), (3, 1), (2, 1, 5), (2, 3, 5)]:
        check(
            backend,
            "RMSNormalization",
            [x, random(*shape, seed=1)],
            axis=-1,
            rtol=1e-4,
            atol=1e-5,
        )


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_types(backend: Prepare, dtype: Any) -> None:
    x, scale, b = (random(7, 33, seed=i).astype(dtype) for i in range(3))
    tolerance = 4e-3 if dtype is np.float16 else 1e-6
    check(
        backend,
        "LayerNormalization",
        [x, scale[0], b[0]],
        rtol=tolerance,
        atol=tolerance,
    )
    check(backend, "LpNormalization", [x], axis=0, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("groups", [1, 2, 6])
@pytest.mark.parametrize("shape", [(2, 6), (1, 6, 5), (3, 6, 4, 7)])
def test_group_normalization(backend: Prepare, groups: int, shape: tuple[int, ...]) -> None:
    x = random(*shape)
    wide = x.astype(np.float64).reshape(shape[0], groups, -1)
    normal = (wide - wide.mean(2, keepdims=True)) / np.sqrt(wide.var(2, keepdims=True) + 1e-2)
    for opset, n in ((18, groups), (21, 6)):
        scale, bias = random(n, seed=1), random(n, seed=2)
        repeat = 6 // n
        column = (1, 6) + (1,) * (len(shape) - 2)
        want = normal.reshape(shape) * np.repeat(scale, repeat).reshape(column) + np.repeat(bias, repeat).reshape(
            column
        )
        check(
            backend,
            "GroupNormalization",
            [x, scale, bias],
            num_groups=groups,
            epsilon=1e-2,
            opset=opset,
            oracle=[want.astype(np.float32)],
            rtol=1e-4,
            atol=1e-5,
        )


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_lp_normalization(backend: Prepare, p: int, axis: int) -> None:
    x = random(3, 5, 33)
    x[0, 0] = 0
    norm = np.linalg.norm(x.astype(np.float64), ord=p, axis=axis, keepdims=True)
    want = np.where(norm == 0, 0, x / np.where(norm == 0, 1, norm)).astype(np.float32)
    check(backend, "LpNormalization", [x], p=p, axis=axis, opset=22, oracle=[want])


@pytest.mark.parametrize("axes", [None, [0, 2, 3], [1], [-1], [0, 1, 2, 3]])
def test_mean_variance_normalization(backend: Prepare, axes: list[int] | None) -> None:
    x = random(2, 3, 4, 5)
    over = tuple(axes or (0, 2, 3))
    wide = x.astype(np.float64)
    want = (wide - wide.mean(over, keepdims=True)) / (wide.std(over, keepdims=True) + 1e-9)
    check(
        backend,
        "MeanVarianceNormalization",
        [x],
        axes=axes,
        oracle=[want.astype(np.float32)],
        rtol=1e-4,
    )


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("skip_shape", [(2, 5, 33), (1, 5, 33), (5, 33)])
def test_skip_layer_normalization(backend: Prepare, bias: bool, skip_shape: tuple[int, ...]) -> None:
    x, skip = random(2, 5, 33), random(*skip_shape, seed=1)
    gamma, beta, b = (random(33, seed=i) for i in (2, 3, 4))
    outputs = [np.float32, None, None, np.float32]
    check(
        backend,
        "SkipLayerNormalization",
        [x, skip, gamma, beta, b if bias else None],
        outputs=outputs,
        **MS,
    )
    simple = [x, skip, gamma, b if bias else None]
    check(
        backend,
        "SkipSimplifiedLayerNormalization",
        simple,
        outputs=outputs,
        epsilon=1e-5,
        **MS,
    )


def test_simplified_layer_normalization(backend: Prepare) -> None:
    x, scale = random(2, 5, 33), random(33, seed=1)
    how: dict[str, Any] = {
        "outputs": [np.float32, np.float32],
        "oracle": "onnxruntime",
        "opset": 17,
        "rtol": 1e-4,
    }
    check(
        backend,
        "SimplifiedLayerNormalization",
        [x, scale],
        axis=-1,
        epsilon=1e-6,
        **how,
    )


@pytest.mark.parametrize("segments", [False, True])
@pytest.mark.parametrize("positions", [False, True])
def test_embed_layer_normalization(backend: Prepare, segments: bool, positions: bool) -> None:
    rng = np.random.default_rng(0)
    ids = rng.integers(0, 50, (2, 7)).astype(np.int32)
    inputs = [
        ids,
        rng.integers(0, 2, (2, 7)).astype(np.int32) if segments else None,
        random(50, 12),
        random(20, 12, seed=1),
        random(2, 12, seed=2) if segments else None,
        random(12, seed=3),
        random(12, seed=4),
        np.array([[1, 1, 1, 0, 0, 0, 0], [1] * 7], np.int32),
        rng.integers(0, 20, (2, 7)).astype(np.int32) if positions else None,
    ]
    check(
        backend,
        "EmbedLayerNormalization",
        inputs,
        outputs=[np.float32, np.int32],
        epsilon=1e-5,
        **MS,
    )
