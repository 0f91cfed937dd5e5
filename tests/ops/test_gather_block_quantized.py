"""GatherBlockQuantized against onnxruntime."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.conformance.backends import Prepare
from tests.ops.harness import check


@pytest.mark.parametrize("dtype", [ml_dtypes.int4, ml_dtypes.uint4, np.uint8])
@pytest.mark.parametrize("zero_points", [True, False])
@pytest.mark.parametrize("scale_type", [np.float32, np.float16])
@pytest.mark.parametrize("columns", [32, 48, 96])
@pytest.mark.parametrize("indices", [np.array([3, 0, 4]), np.array([[1], [-1]], np.int32), np.array(2)])
def test_embedding(backend: Prepare, dtype: Any, zero_points: Any, scale_type: Any, columns: Any, indices: Any) -> None:
    rng = np.random.default_rng(columns)
    block, rows = 16, 5
    blocks = columns // block
    scales = rng.random((rows, blocks)).astype(scale_type)
    if dtype is np.uint8:
        data = rng.integers(0, 256, size=(rows, columns // 2)).astype(np.uint8)
        zeros = rng.integers(0, 256, size=(rows, (blocks + 1) // 2)).astype(np.uint8)
    else:
        data = rng.integers(0, 8, size=(rows, columns)).astype(dtype)
        zeros = rng.integers(0, 8, size=(rows, blocks)).astype(dtype)
    check(
        backend, "GatherBlockQuantized", [data, indices, scales, zeros if zero_points else None], domain="com.microsoft",
        oracle="onnxruntime", outputs=[scale_type], block_size=block, constants=[0, 3] if zero_points else [0], rtol=1e-3,
    )  # fmt: skip
