"""The ai.onnx.ml domain against onnxruntime, on random models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conformance.backends import Prepare
from tests.ops.harness import check

ML: dict[str, Any] = {"domain": "ai.onnx.ml", "oracle": "onnxruntime", "rtol": 1e-4, "atol": 1e-5}
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"]
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_NEQ"]
# onnxruntime rewrites chains of BRANCH_EQ, the reference sends missing values of BRANCH_NEQ another way.
REFERENCE_MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ"]


def random_forest(
    rng: np.random.Generator, trees: int, features: int, ids: list[int], modes: list[str], prefix: str, positive: bool
) -> dict[str, Any]:
    """Attributes of a random ensemble; each leaf votes for one or two of `ids`, or (onnxruntime takes a target without votes
    for absent, not for 0) for all of them when weights may be negative."""
    nodes: dict[str, list[Any]] = {
        f"nodes_{k}": []
        for k in (
            "treeids",
            "nodeids",
            "featureids",
            "values",
            "truenodeids",
            "falsenodeids",
            "modes",
            "missing_value_tracks_true",
        )
    }
    votes: dict[str, list[Any]] = {f"{prefix}_{k}": [] for k in ("treeids", "nodeids", "ids", "weights")}

    def grow(tree: int, node: int, depth: int) -> int:
        """Adds the subtree at `node`; returns the next free node id."""
        at = len(nodes["nodes_treeids"])
        leaf = depth == 0 or (depth < 3 and rng.random() < 0.3)
        values = (
            tree,
            node,
            int(rng.integers(features)),
            float(np.float32(rng.integers(-4, 5))),
            0,
            0,
            "LEAF" if leaf else str(rng.choice(modes)),
            int(rng.integers(2)),
        )
        for name, value in zip(nodes, values, strict=True):
            nodes[name].append(value)
        if leaf:
            for target in rng.choice(
                ids, size=min(len(ids), int(rng.integers(1, 3)) if positive else len(ids)), replace=False
            ):
                weight = float(np.float32(rng.random() if positive else rng.normal()))
                for name, vote in zip(votes, (tree, node, int(target), weight), strict=True):
                    votes[name].append(vote)
            return node + 1
        nodes["nodes_truenodeids"][at] = node + 1
        nodes["nodes_falsenodeids"][at] = after = grow(tree, node + 1, depth - 1)
        return grow(tree, after, depth - 1)

    for tree in range(trees):
        grow(tree, 0, 4)
    return {**nodes, **votes}


def features_of(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    x = rng.integers(-4, 5, size=(rows, columns)).astype(np.float32)
    x[rng.random(x.shape) < 0.1] = np.nan
    return x


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("modes", [["BRANCH_LEQ"], MODES])
@pytest.mark.parametrize("aggregate", ["SUM", "AVERAGE", "MIN", "MAX"])
def test_tree_regressor(backend: Prepare, transform: Any, modes: Any, aggregate: Any) -> None:
    rng = np.random.default_rng(len(transform) * 100 + len(modes) * 10 + len(aggregate))
    targets = int(rng.integers(2, 5))
    forest = random_forest(rng, 7, 5, list(range(targets)), modes, "target", positive=False)
    base: dict[str, Any] = (
        {"base_values": rng.normal(size=targets).astype(np.float32).tolist()} if rng.random() < 0.5 else {}
    )
    check(
        backend, "TreeEnsembleRegressor", [features_of(rng, 33, 5)], opset=3, n_targets=targets,
        aggregate_function=aggregate, post_transform=transform, **base, **forest, **ML,
    )  # fmt: skip


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("base_count", [0, 1])
def test_tree_classifier(backend: Prepare, transform: Any, classes: Any, positive: Any, base_count: Any) -> None:
    rng = np.random.default_rng(classes * 10 + positive + len(transform) * 100)
    forest = random_forest(
        rng, 6, 4, list(range(classes)), MODES if classes > 2 else REFERENCE_MODES, "class", positive
    )
    base: dict[str, Any] = (
        {"base_values": rng.normal(size=classes).astype(np.float32).tolist()} if base_count and classes > 2 else {}
    )
    labels: dict[str, Any] = {"classlabels_int64s": [10 * i + 3 for i in range(classes)]}
    check(
        backend, "TreeEnsembleClassifier", [features_of(rng, 31, 4)], opset=3, outputs=[np.int64, np.float32],
        post_transform=transform, **labels, **base, **forest, **(ML if classes > 2 else ML | {"oracle": "reference"}),
    )  # fmt: skip


@pytest.mark.parametrize("transform", ["NONE", "LOGISTIC"])
@pytest.mark.parametrize("voted", [0, 1])
@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("base", [None, [0.25]])
def test_tree_classifier_of_one_class(backend: Prepare, transform: Any, voted: Any, positive: Any, base: Any) -> None:
    """Gradient boosting exports two classes, but weights for one of them only."""
    rng = np.random.default_rng(voted * 10 + positive)
    forest = random_forest(rng, 6, 4, [voted], MODES, "class", positive)
    if voted and base:
        pytest.skip("onnxruntime drops the base value")
    more: dict[str, Any] = {} if base is None else {"base_values": base}
    check(
        backend, "TreeEnsembleClassifier", [features_of(rng, 31, 4)], opset=3, outputs=[np.str_, np.float32],
        post_transform=transform, classlabels_strings=["no", "yes"], **more, **forest, **ML,
    )  # fmt: skip


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("rows", [1, 2, 3, 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_linear_classifier(backend: Prepare, transform: Any, rows: Any, dtype: Any) -> None:
    if rows == 1 and transform.startswith("SOFTMAX"):
        pytest.skip("onnxruntime leaves the transform out")
    rng = np.random.default_rng(rows)
    labels = ["a", "b", "c", "d", "e"][: max(2, rows)]
    x = (rng.normal(size=(7, 6)) * 3).astype(dtype)
    check(
        backend, "LinearClassifier", [x], opset=1, outputs=[np.str_, np.float32], post_transform=transform,
        coefficients=rng.normal(size=rows * 6).tolist(), intercepts=rng.normal(size=rows).tolist(), classlabels_strings=labels, **ML,
    )  # fmt: skip


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("targets", [1, 3])
def test_linear_regressor(backend: Prepare, transform: Any, targets: Any) -> None:
    if targets == 1 and transform != "NONE":
        pytest.skip("onnxruntime leaves the transform out")
    rng = np.random.default_rng(targets)
    x = rng.normal(size=(5, 7)).astype(np.float32)
    check(
        backend, "LinearRegressor", [x], opset=1, targets=targets, post_transform=transform,
        coefficients=rng.normal(size=targets * 7).tolist(), intercepts=rng.normal(size=targets).tolist(), **ML,
    )  # fmt: skip


@pytest.mark.parametrize("kernel", ["LINEAR", "POLY", "RBF", "SIGMOID"])
@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("probabilities", [True, False])
def test_svm_classifier(backend: Prepare, kernel: Any, classes: Any, probabilities: Any) -> None:
    rng = np.random.default_rng(classes)
    per_class = rng.integers(1, 6, size=classes)
    vectors, pairs = int(per_class.sum()), classes * (classes - 1) // 2
    more: dict[str, Any] = (
        {"prob_a": (-rng.random(pairs)).tolist(), "prob_b": rng.normal(size=pairs).tolist()} if probabilities else {}
    )
    check(
        backend, "SVMClassifier", [rng.normal(size=(9, 5)).astype(np.float32)], opset=1, outputs=[np.int64, np.float32],
        kernel_type=kernel, kernel_params=[0.3, 0.1, 2.0], vectors_per_class=per_class.tolist(),
        support_vectors=rng.normal(size=vectors * 5).tolist(), coefficients=rng.normal(size=(classes - 1) * vectors).tolist(),
        rho=rng.normal(size=pairs).tolist(), classlabels_ints=list(range(classes)), **more, **ML,
    )  # fmt: skip


@pytest.mark.parametrize("transform", ["NONE", "LOGISTIC", "SOFTMAX"])
def test_svm_classifier_linear(backend: Prepare, transform: Any) -> None:
    rng = np.random.default_rng(3)
    check(
        backend, "SVMClassifier", [rng.normal(size=(9, 5)).astype(np.float32)], opset=1, outputs=[np.int64, np.float32],
        post_transform=transform, coefficients=rng.normal(size=15).tolist(), rho=[0.2], kernel_params=[0.0, 0.0, 0.0],
        classlabels_ints=[4, 5, 6], **ML,
    )  # fmt: skip


@pytest.mark.parametrize("kernel", ["LINEAR", "POLY", "RBF", "SIGMOID"])
@pytest.mark.parametrize("one_class", [0, 1])
def test_svm_regressor(backend: Prepare, kernel: Any, one_class: Any) -> None:
    rng = np.random.default_rng(5)
    check(
        backend, "SVMRegressor", [rng.normal(size=(9, 5)).astype(np.float32)], opset=1, kernel_type=kernel,
        kernel_params=[0.3, 0.1, 3.0], n_supports=4, support_vectors=rng.normal(size=20).tolist(),
        coefficients=rng.normal(size=4).tolist(), rho=[0.1], one_class=one_class, **ML,
    )  # fmt: skip


@pytest.mark.parametrize("norm", ["MAX", "L1", "L2"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32])
def test_normalizer(backend: Prepare, norm: Any, dtype: Any) -> None:
    x = (np.random.default_rng(0).normal(size=(4, 5)) * 5).astype(dtype)
    x[2] = 0
    check(backend, "Normalizer", [x if norm != "MAX" else np.abs(x)], opset=1, norm=norm, **ML)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32])
def test_scaler_binarizer(backend: Prepare, dtype: Any) -> None:
    x = (np.random.default_rng(0).normal(size=(4, 3)) * 5).astype(dtype)
    check(backend, "Scaler", [x], opset=1, offset=[0.5, -1.0, 2.0], scale=[2.0, 0.5, 3.0], **ML)
    check(backend, "Scaler", [x], opset=1, offset=[0.5], scale=[2.0], **ML)
    if dtype == np.float32:
        check(backend, "Binarizer", [x], opset=1, threshold=0.5, **ML)


def test_imputer(backend: Prepare) -> None:
    x = np.array([[1, np.nan, 3], [np.nan, 5, 6]], np.float32)
    check(
        backend, "Imputer", [x], opset=1, imputed_value_floats=[7.0, 8.0, 9.0], replaced_value_float=float("nan"), **ML
    )
    check(backend, "Imputer", [x], opset=1, imputed_value_floats=[7.0], replaced_value_float=3.0, **ML)
    check(
        backend,
        "Imputer",
        [np.array([[1, 2], [2, 3]])],
        opset=1,
        imputed_value_int64s=[9, 8],
        replaced_value_int64=2,
        outputs=[np.int64],
        **ML,
    )


def test_label_encoder(backend: Prepare) -> None:
    words, numbers = np.array([["a", "b"], ["zz", "c"]], dtype=object), np.array([1, 5, 9, 1])
    check(
        backend,
        "LabelEncoder",
        [words],
        opset=2,
        keys_strings=["a", "b", "c"],
        values_int64s=[4, 5, 6],
        outputs=[np.int64],
        **ML,
    )
    check(
        backend,
        "LabelEncoder",
        [words],
        opset=2,
        keys_strings=["a", "b"],
        values_floats=[0.5, 1.5],
        outputs=[np.float32],
        default_float=7.0,
        **ML,
    )
    check(
        backend,
        "LabelEncoder",
        [numbers],
        opset=2,
        keys_int64s=[1, 9],
        values_strings=["x", "y"],
        outputs=[np.str_],
        **ML,
    )
    check(
        backend,
        "LabelEncoder",
        [np.array([1.5, np.nan, 2], np.float32)],
        opset=4,
        keys_floats=[1.5, float("nan")],
        values_int64s=[1, 2],
        outputs=[np.int64],
        **ML,
    )
    check(backend, "LabelEncoder", [words], opset=1, classes_strings=["a", "b", "c"], outputs=[np.int64], **ML)
    check(
        backend,
        "LabelEncoder",
        [np.array([0, 2, 5])],
        opset=1,
        classes_strings=["a", "b", "c"],
        outputs=[np.str_],
        **ML,
    )


def test_category_mapper_and_one_hot(backend: Prepare) -> None:
    words = np.array(["a", "zz", "c"], dtype=object)
    cats: dict[str, Any] = {"cats_int64s": [3, 4, 5], "cats_strings": ["a", "b", "c"]}
    check(backend, "CategoryMapper", [words], opset=1, outputs=[np.int64], default_int64=-7, **cats, **ML)
    check(backend, "CategoryMapper", [np.array([[3, 9]])], opset=1, outputs=[np.str_], default_string="?", **cats, **ML)
    check(backend, "OneHotEncoder", [words.reshape(1, 3)], opset=1, cats_strings=["a", "b", "c"], **ML)
    check(
        backend, "OneHotEncoder", [np.array([[1.0, 3.0], [2.0, 9.0]], np.float32)], opset=1, cats_int64s=[1, 2, 3], **ML
    )


def test_feature_extraction(backend: Prepare) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    check(backend, "ArrayFeatureExtractor", [x, np.array([1, 3])], opset=1, **ML)
    check(backend, "ArrayFeatureExtractor", [x[0], np.array([1, 3, 1])], opset=1, outputs=[np.float32], **ML)
    check(backend, "FeatureVectorizer", [x, (x[:, :2] * 10).astype(np.float32)], opset=1, inputdimensions=[4, 2], **ML)
    check(
        backend,
        "FeatureVectorizer",
        [x, x],
        opset=1,
        inputdimensions=[2, 6],
        **(ML | {"oracle": [np.hstack([x[:, :2], x, np.zeros((3, 2), np.float32)])]}),
    )


@pytest.mark.parametrize("mode", ["TF", "IDF", "TFIDF"])
@pytest.mark.parametrize("lengths", [(1, 1), (1, 2), (2, 3), (1, 3)])
@pytest.mark.parametrize("skips", [0, 1, 3])
@pytest.mark.parametrize("weighted", [True, False])
def test_tfidf(backend: Prepare, mode: Any, lengths: Any, skips: Any, weighted: Any) -> None:
    rng = np.random.default_rng(skips)
    grams: list[list[tuple[int, ...]]] = [
        sorted({tuple(map(int, rng.integers(0, 5, size=n))) for _ in range(4)}) for n in (1, 2, 3)
    ]
    pool = [v for group in grams for gram in group for v in gram]
    counts = [0, *np.cumsum([len(g) * (i + 1) for i, g in enumerate(grams)]).tolist()][:3]
    total = sum(map(len, grams))
    attributes: dict[str, Any] = {
        "mode": mode, "min_gram_length": lengths[0], "max_gram_length": lengths[1], "max_skip_count": skips, "ngram_counts": counts,
        "ngram_indexes": rng.permutation(total).tolist(), "weights": rng.random(total).astype(np.float32).tolist() if weighted else None,
    }  # fmt: skip
    x = rng.integers(0, 6, size=(3, 11))
    check(
        backend,
        "TfIdfVectorizer",
        [x],
        opset=9,
        oracle="onnxruntime",
        pool_int64s=pool,
        outputs=[np.float32],
        **attributes,
    )
    words = np.array([f"w{v}" for v in x[0]], dtype=object)
    check(
        backend,
        "TfIdfVectorizer",
        [words],
        opset=9,
        oracle="onnxruntime",
        pool_strings=[f"w{v}" for v in pool],
        outputs=[np.float32],
        **attributes,
    )


@pytest.mark.parametrize("mark", [0, 1])
@pytest.mark.parametrize("shortest", [1, 2])
@pytest.mark.parametrize(
    "how",
    [
        {"tokenexp": "."},
        {"tokenexp": "[a-z]+"},
        {"tokenexp": "[a-z]|qui"},
        {"separators": [""]},
        {"separators": [" "]},
        {"separators": [" ", ","]},
    ],
)
def test_tokenizer(backend: Prepare, mark: Any, shortest: Any, how: Any) -> None:
    if shortest == 2 and how in ({"separators": [""]}, {"tokenexp": "."}):
        pytest.skip("onnxruntime refuses it")
    x = np.array(["the quick, brown fox", "übung macht den meister", "a"], dtype=object)
    check(
        backend,
        "Tokenizer",
        [x],
        domain="com.microsoft",
        oracle="onnxruntime",
        outputs=[np.str_],
        mark=mark,
        mincharnum=shortest,
        pad_value="#",
        **how,
    )
