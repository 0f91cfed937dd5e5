"""Forms that later opsets replaced: attributes that became inputs, other defaults, other meanings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.conformance.backends import Prepare
from tests.ops.harness import check

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
EXACT: dict[str, Any] = {"rtol": 0, "atol": 0}
F = [np.float32]
CASES = [
    ("Reshape", 1, [X], {"shape": [0, -1]}, [X.reshape(2, 12)]),
    ("Concat", 1, [X, X], {}, [np.concatenate([X, X], 1)]),
    ("Concat", 4, [X, X], {"axis": 2}, [np.concatenate([X, X], 2)]),
    ("Tile", 1, [X, np.array(2, np.float32), np.array(1, np.float32)], {}, [np.tile(X, (1, 2, 1))]),
    ("Tile", 6, [X, np.array([2, 1, 3])], {}, [np.tile(X, (2, 1, 3))]),
    ("Slice", 1, [X], {"starts": [1, -3], "ends": [1000, -1], "axes": [1, 2]}, [X[:, 1:, -3:-1]]),
    ("Slice", 1, [X], {"starts": [1], "ends": [2]}, [X[1:2]]),
    ("Pad", 1, [X], {"paddings": [0, 1, 0, 0, 0, 2], "value": 3.0}, [np.pad(X, [(0, 0), (1, 0), (0, 2)], constant_values=3)]),
    ("Pad", 2, [X], {"pads": [0, 1, 0, 0, 0, 2], "mode": "edge"}, [np.pad(X, [(0, 0), (1, 0), (0, 2)], "edge")]),
    ("Split", 2, [X], {"axis": 1, "split": [1, 2]}, [X[:, :1], X[:, 1:]]),
    ("Split", 2, [X], {"axis": 2}, [X[..., :2], X[..., 2:]]),
    ("Squeeze", 1, [X[:1]], {"axes": [0]}, [X[0]]),
    ("Unsqueeze", 1, [X], {"axes": [0, 2]}, [X[None, :, None]]),
    ("Dropout", 1, [X], {"ratio": 0.3, "is_test": 1}, [X]),
    ("Dropout", 7, [X], {"ratio": 0.3}, [X, np.ones_like(X)]),
    ("Dropout", 10, [X], {"ratio": 0.3}, [X, np.ones(X.shape, bool)]),
    ("Upsample", 1, [X[None]], {"height_scale": 2.0, "width_scale": 1.5}, [np.repeat(X[None], 2, 2)[..., [0, 0, 1, 2, 2, 3]]]),
    ("Upsample", 7, [X], {"scales": [1.0, 2.0, 2.0]}, [np.repeat(np.repeat(X, 2, 1), 2, 2)]),
    ("DepthToSpace", 1, [X.reshape(1, 4, 2, 3)], {"blocksize": 2}, [X.reshape(1, 2, 2, 1, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(1, 1, 4, 6)]),
    ("Flatten", 1, [X], {}, [X.reshape(2, 12)]),
    ("Gather", 1, [X, np.array([1, 0])], {"axis": 1}, [X[:, [1, 0]]]),
    ("Identity", 1, [X], {}, [X]),
    ("Scatter", 9, [X[0], np.array([[2, 0, 1, 2]]), np.array([[9, 8, 7, 6]], np.float32)], {}, None),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def test_old_form(backend: Prepare, case: Any) -> None:
    operator, opset, inputs, attributes, expected = case
    if expected is None:
        expected = [inputs[0].copy()]
        np.put_along_axis(expected[0], inputs[1], inputs[2], 0)
    check(
        backend,
        operator,
        inputs,
        oracle=expected,
        opset=opset,
        outputs=[e.dtype for e in expected],
        **attributes,
        **EXACT,
    )


def test_sparse_constant(backend: Prepare) -> None:
    values = helper.make_tensor("v", TensorProto.FLOAT, [2], [5.0, 7.0])
    for indices in ([1, 5], [[0, 1], [1, 2]]):
        index = helper.make_tensor("i", TensorProto.INT64, np.shape(indices), np.ravel(indices))
        sparse = helper.make_sparse_tensor(values, index, [2, 3])
        expected = np.array([[0, 5, 0], [0, 0, 7]], np.float32)
        check(backend, "Constant", [], oracle=[expected], outputs=F, sparse_value=sparse, **EXACT)


def test_dropout_in_training(backend: Prepare) -> None:
    x = np.ones((100, 100), np.float32)
    ratio, training = np.array(0.3, np.float32), np.array(True)
    kept, mask = check_runs(backend, x, ratio, training)
    assert abs(mask.mean() - 0.7) < 0.03
    np.testing.assert_allclose(kept, mask / 0.7, rtol=1e-6)


def check_runs(backend: Prepare, x: Any, ratio: Any, training: Any) -> list[Any]:
    from tests.ops.harness import make_model, run

    inputs = [x, ratio, training]
    return run(backend, make_model("Dropout", inputs, opset=13, outputs=[np.float32, np.bool_]), inputs)
