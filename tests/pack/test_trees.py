"""Tree ensembles: a smaller file with the same predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import onnxlet
from onnxlet.packing.page import page

TREES, DEPTH, FEATURES = 5, 4, 6
rng = np.random.default_rng(3)
DROPPED = "it lost nodes_hitrates and nodes_missing_value_tracks_true, which predictions do not depend on"


def forest(*, tracks_missing: bool = False, extras: bool = True) -> onnx.ModelProto:
    """Sums of full binary trees, with the attributes that converters write."""
    inner, nodes = 2**DEPTH - 1, 2 ** (DEPTH + 1) - 1
    numbers = [i for _ in range(TREES) for i in range(nodes)]
    split = np.array(numbers) < inner
    count = len(numbers)
    attributes: dict[str, Any] = {
        "nodes_treeids": [t for t in range(TREES) for _ in range(nodes)],
        "nodes_nodeids": numbers,
        "nodes_featureids": np.where(split, rng.integers(0, FEATURES, count), 0).tolist(),
        "nodes_values": np.where(split, rng.normal(size=count), 0).astype(np.float32).tolist(),
        "nodes_modes": ["BRANCH_LEQ" if is_split else "LEAF" for is_split in split],
        "nodes_truenodeids": [2 * i + 1 if i < inner else 0 for i in numbers],
        "nodes_falsenodeids": [2 * i + 2 if i < inner else 0 for i in numbers],
        "target_treeids": [t for t in range(TREES) for _ in range(nodes - inner)],
        "target_nodeids": [i for _ in range(TREES) for i in range(inner, nodes)],
        "target_ids": [0] * (TREES * (nodes - inner)),
        "target_weights": rng.normal(size=TREES * (nodes - inner)).astype(np.float32).tolist(),
        "n_targets": 1,
    }
    if extras:
        attributes["nodes_hitrates"] = [1.0] * count
    if extras or tracks_missing:
        attributes["nodes_missing_value_tracks_true"] = [int(tracks_missing)] * count
    node = helper.make_node("TreeEnsembleRegressor", ["x"], ["y"], "forest", domain="ai.onnx.ml", **attributes)
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", FEATURES])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 1])
    opsets = [helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid("", 17)]
    return helper.make_model(helper.make_graph([node], "g", [x], [y]), opset_imports=opsets, ir_version=8)


def predictions(model: bytes) -> np.ndarray[Any, Any]:
    x = np.random.default_rng(5).normal(size=(200, FEATURES)).astype(np.float32)
    x[::7, 2] = np.nan
    with onnxlet.InferenceSession(model) as session:
        return np.asarray(session.run(None, {"x": x})[0])


def packed(model: onnx.ModelProto) -> onnxlet.packing.PackResult:
    with pytest.warns(UserWarning, match="made up|synthetic|random"):
        return onnxlet.pack(model)


def test_what_predictions_do_not_depend_on_goes() -> None:
    model = forest()
    result = packed(model)
    assert result.model is not None
    assert result.bytes_after < 0.9 * result.bytes_before
    assert result.report["nodes"] == [
        {"node": "forest", "op_type": "TreeEnsembleRegressor", "status": "shrunk", "reason": DROPPED}
    ]
    assert result.report["layers"] == []
    np.testing.assert_array_equal(predictions(result.model), predictions(model.SerializeToString()))


def test_the_page_shows_them() -> None:
    report = packed(forest()).report
    html = page({"model": "forest.onnx", "output": "small.onnx", **report})
    assert DROPPED in html
    assert "1 shrunk" in html


def test_where_missing_values_go_stays() -> None:
    model = forest(tracks_missing=True)
    result = packed(model)
    assert result.model is not None
    (node,) = onnx.load_model_from_string(result.model).graph.node
    names = {attribute.name for attribute in node.attribute}
    assert "nodes_missing_value_tracks_true" in names
    assert "nodes_hitrates" not in names
    np.testing.assert_array_equal(predictions(result.model), predictions(model.SerializeToString()))


def test_nothing_is_left_to_do() -> None:
    with pytest.raises(onnxlet.InvalidArgument, match="nothing to pack"):
        onnxlet.pack(forest(extras=False))


@pytest.mark.parametrize("budget", [{"max_size": 0.5}, {"max_drop": 0.01}])
def test_a_budget_needs_layers(budget: dict[str, float]) -> None:
    with pytest.raises(onnxlet.InvalidArgument, match="this model has none: pack it without max_size"):
        onnxlet.pack(forest(), **budget)
