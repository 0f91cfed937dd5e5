"""The ai.onnx.ml domain: by formula where it is short, trees and support vectors against onnxruntime and the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from tests.ops.properties.registry import Draw, Sample, prop
from tests.ops.properties.sequence import tensor_of
from tests.ops.properties.text import words
from tests.ops.properties.unary import wide
from tests.ops.strategies import kind_of
from tests.ops.test_ml import MODES, random_forest

ML: dict[str, Any] = {"domain": "ai.onnx.ml"}
TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


def floats(d: Draw, count: int, low: float = -2, high: float = 2) -> list[float]:
    return [float(v) for v in d.plain(np.float32, (count,), low, high)]


def transformed(scores: np.ndarray, how: str) -> np.ndarray:
    if how == "LOGISTIC":
        return 1 / (1 + np.exp(-scores))
    if how in ("SOFTMAX", "SOFTMAX_ZERO"):
        e = np.exp(scores - scores.max(-1, keepdims=True))
        if how == "SOFTMAX_ZERO":  # zeros stay zeros
            e = np.where(scores == 0, 0, e)
        return np.asarray(e / e.sum(-1, keepdims=True))
    return scores


@prop("ArrayFeatureExtractor", **ML)
def array_feature_extractor(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), d.shape(1, 3, zero=False))
    at = d.rng().integers(0, x.shape[-1], d.integer(1, 4))
    want = np.take(x, at, -1)
    return Sample([x, at], answer=[want.reshape(1, -1) if x.ndim == 1 else want])


@prop("Binarizer", **ML)
def binarizer(d: Draw) -> Sample:
    x = d.array(d.dtype("T"), special=False)
    attributes: dict[str, Any] = {}
    limit = d.attribute("threshold", st.floats(-2, 2, width=32), attributes)
    return Sample([x], attributes, [(wide(x) > limit).astype(x.dtype)])


@prop("Scaler", **ML)
def scaler(d: Draw) -> Sample:
    x = d.plain(d.dtype("T"), (d.integer(0, 4), d.integer(1, 5)), -9, 9)
    count = d.choice([1, x.shape[1]])
    offset, scale = floats(d, count), floats(d, count)
    want = (wide(x) - np.array(offset)) * np.array(scale)
    return Sample([x], {"offset": offset, "scale": scale}, [want.astype(np.float32)])


@prop("Normalizer", **ML)
def normalizer(d: Draw) -> Sample:
    x = d.plain(d.dtype("T"), (d.integer(1, 4), d.integer(1, 5)), 1, 9)
    attributes: dict[str, Any] = {}
    norm = d.attribute("norm", st.sampled_from(["MAX", "L1", "L2"]), attributes)
    w = wide(x)
    size = {"MAX": w.max, "L1": lambda *a, **k: np.abs(w).sum(*a, **k), "L2": lambda *a, **k: np.sqrt((w * w).sum(*a, **k))}[norm](-1, keepdims=True)  # fmt: skip
    return Sample([x], attributes, [(w / size).astype(np.float32)])


@prop("Imputer", **ML)
def imputer(d: Draw) -> Sample:
    x = d.plain(d.dtype("T"), (d.integer(1, 4), d.integer(1, 5)), -2, 2)
    count = d.choice([1, x.shape[1]])
    if kind_of(x.dtype) == "f":
        missing = d.choice([0.0, 1.0, float("nan")])
        x = np.where(d.array(np.bool_, x.shape), np.array(missing, x.dtype), x).astype(x.dtype)
        given = floats(d, count)
        hit = np.isnan(x) if missing != missing else x == missing
        attributes: dict[str, Any] = {"imputed_value_floats": given, "replaced_value_float": missing}
    else:
        given = [d.integer(-9, 9) for _ in range(count)]
        hit = x == 1
        attributes = {"imputed_value_int64s": given, "replaced_value_int64": 1}
    return Sample([x], attributes, [np.where(hit, np.array(given).astype(x.dtype), x)])


@prop("FeatureVectorizer", **ML)
def feature_vectorizer(d: Draw) -> Sample:
    rows = d.integer(1, 4)
    dtype = d.dtype("T1")
    widths = [d.integer(1, 4) for _ in range(d.integer(1, 3))]
    parts = [d.plain(dtype, (rows, n), -9, 9) for n in widths]
    return Sample(parts, {"inputdimensions": widths}, [np.hstack(parts).astype(np.float32)])


@prop("OneHotEncoder", **ML)
def one_hot_encoder(d: Draw) -> Sample:
    dtype = d.dtype("T")
    if dtype.kind == "O":
        cats: list[Any] = ["a", "日本 語", "A b"]
        x = np.asarray(d.rng().choice(np.array(cats, object), d.shape(1, 2)), object)
        attributes: dict[str, Any] = {"cats_strings": cats}
    else:
        cats = [3, -1, 7, 0]
        x = d.rng().choice(cats, d.shape(1, 2)).astype(dtype)
        attributes = {"cats_int64s": cats}
    if d.attribute("zeros", st.integers(0, 1), attributes) and d.flag() and x.size:
        x.flat[0] = "unknown" if dtype.kind == "O" else 99
    want = np.stack([x == c for c in cats], -1).astype(np.float32)
    return Sample([x], attributes, [want])


@prop("CategoryMapper", **ML)
@prop("LabelEncoder", until=1, **ML)
def category_mapper(d: Draw) -> Sample:
    names, numbers = ["a", "A b", "x--y"], [4, 0, 2]
    attributes: dict[str, Any] = {"cats_strings": names, "cats_int64s": numbers}
    if d.operator == "LabelEncoder":  # the position is the number
        numbers = [0, 1, 2]
        attributes = {"classes_strings": names}
    if d.flag():
        missing = d.attribute("default_int64", st.integers(-9, 9), attributes)
        x = words(d)
        table: dict[Any, Any] = dict(zip(names, numbers, strict=True))
        want = np.array([table.get(v, missing) for v in x.ravel()], np.int64).reshape(x.shape)
        return Sample([x], attributes, [want])
    missing = d.attribute("default_string", st.sampled_from(["", "none"]), attributes)
    x = d.rng().integers(-1, 6, d.shape(0, 2))
    table = dict(zip(numbers, names, strict=True))
    return Sample([x], attributes, [np.array([table.get(int(v), missing) for v in x.ravel()], object).reshape(x.shape)])


SUFFIX = {"O": "strings", "i": "int64s", "f": "floats"}
DEFAULT = {"O": "default_string", "i": "default_int64", "f": "default_float"}


@prop("LabelEncoder", since=2, **ML)
def label_encoder(d: Draw) -> Sample:
    source, target = d.dtype("T1"), d.dtype("T2")
    plain = (np.dtype(object), np.dtype(np.int64), np.dtype(np.float32))
    if d.version == 2 and source.kind != "O" and target.kind != "O":
        target = np.dtype(object)  # version 2 knows mappings from or to strings, and of one type

    def some(dtype: np.dtype[Any], count: int) -> np.ndarray:
        if dtype.kind == "O":
            return np.array(["a", "A b", "x--y", "日本 語"][:count], object)
        return (np.array([4, 0, -2, 9])[:count] + (0.5 if kind_of(dtype) == "f" else 0)).astype(dtype)

    count = d.integer(1, 4)
    keys, values = some(source, count), some(target, count)[::-1].copy()
    by_tensor = d.version >= 4 and (source not in plain or target not in plain or d.flag())
    attributes: dict[str, Any] = {}
    if by_tensor:
        attributes = {"keys_tensor": numpy_helper.from_array(keys), "values_tensor": numpy_helper.from_array(values)}
        missing: Any = some(target, 4)[d.integer(0, 3)]
        attributes["default_tensor"] = numpy_helper.from_array(np.array([missing], target))
    else:
        attributes[f"keys_{SUFFIX[kind_of(source) if source.kind != 'O' else 'O']}"] = keys.tolist()
        attributes[f"values_{SUFFIX[kind_of(target) if target.kind != 'O' else 'O']}"] = values.tolist()
        letter = "O" if target.kind == "O" else kind_of(target)
        missing = d.attribute(
            DEFAULT[letter], {"O": st.just("none"), "i": st.just(-7), "f": st.just(0.25)}[letter], attributes
        )
    x = d.rng().choice(some(source, 4), d.shape(0, 2)).astype(source)
    want = np.full(x.shape, missing, target)
    for key, value in zip(keys, values, strict=True):
        want[x == key] = value
    return Sample([x], attributes, [want])


@prop("DictVectorizer", **ML)
def dict_vectorizer(d: Draw) -> Sample:
    text = d.flag()
    vocabulary: list[Any] = ["a", "日本 語", "zz"] if text else [5, 1, 9]
    dtype = np.dtype(d.choice([np.int64, np.float32, np.float64] if text else [object, np.float32, np.float64]))
    present = [v for v in vocabulary if d.flag()] or vocabulary[:1]
    values = d.array(dtype, (len(present),), special=False)
    given = dict(zip(present, values.tolist(), strict=True))
    want = np.array([[given.get(v, "" if dtype.kind == "O" else 0) for v in vocabulary]], dtype)
    kind = helper.make_map_type_proto(8 if text else 7, tensor_of(dtype))
    return Sample(
        [given], {"string_vocabulary" if text else "int64_vocabulary": vocabulary}, [want], input_types={0: kind}
    )


@prop("CastMap", **ML)
def cast_map(d: Draw) -> Sample:
    """DENSE takes the values by ascending key; SPARSE puts them at their keys."""
    numbers = d.flag()
    keys = sorted(d.draw(st.sets(st.integers(0, 6), min_size=1, max_size=4)))
    values: list[Any] = floats(d, len(keys)) if numbers else [d.choice(["1", "2.5", "-3"]) for _ in keys]
    given = dict(zip(keys, values, strict=True))
    target = d.choice(["TO_FLOAT", "TO_INT64", "TO_STRING"])
    if (numbers and target == "TO_STRING") or (not numbers and target == "TO_INT64"):
        target = "TO_FLOAT"  # how a float is spelled, and what "2.5" is as an integer, is not said
    attributes: dict[str, Any] = {"cast_to": target} if target != "TO_FLOAT" or d.flag() else {}
    out = np.dtype({"TO_FLOAT": np.float32, "TO_INT64": np.int64, "TO_STRING": object}[target])
    cast = [v if target == "TO_STRING" else float(v) for v in values]
    if d.flag():
        length = d.integer(keys[-1] + 1, 9)  # no key beyond
        attributes |= {"map_form": "SPARSE", "max_map": length}
        row: list[Any] = ["0" if out.kind == "O" else 0] * length
        for key, value in zip(keys, cast, strict=True):
            row[key] = value
        cast = row
    kind = helper.make_map_type_proto(7, tensor_of(np.float32 if numbers else object))
    return Sample([given], attributes, [np.array([cast], out)], input_types={0: kind})


@prop("ZipMap", **ML)
def zip_map(d: Draw) -> Sample:
    labels: list[Any] = ["a", "日本 語", "c"] if d.flag() else [3, 1, 2]
    text = isinstance(labels[0], str)
    x = d.plain(np.float32, d.choice([(3,), (d.integer(1, 4), 3)]))
    want = [dict(zip(labels, map(float, row), strict=True)) for row in np.atleast_2d(x)]
    kind = helper.make_sequence_type_proto(helper.make_map_type_proto(8 if text else 7, tensor_of(np.float32)))
    return Sample([x], {"classlabels_strings" if text else "classlabels_int64s": labels}, [want], outputs=[kind])


@prop("LinearRegressor", **ML)
def linear_regressor(d: Draw) -> Sample:
    """One target is returned as it is by onnxruntime: transforms are drawn for several only."""
    targets, width = d.integer(1, 3), d.integer(1, 5)
    x = d.plain(d.dtype("T"), (d.integer(1, 4), width))
    coefficients = floats(d, targets * width)
    attributes: dict[str, Any] = {"coefficients": coefficients}
    if targets > 1 or d.flag():
        attributes["targets"] = targets
    scores = wide(x) @ np.array(coefficients).reshape(targets, width).T
    if d.flag():
        attributes["intercepts"] = floats(d, targets)
        scores = scores + np.array(attributes["intercepts"])
    how = d.attribute("post_transform", st.sampled_from(TRANSFORMS[:3]), attributes) if targets > 1 else "NONE"
    return Sample([x], attributes, [transformed(scores, how).astype(np.float32)], rtol=1e-4, atol=1e-5)


@prop("LinearClassifier", **ML)
def linear_classifier(d: Draw) -> Sample:
    classes, width = d.integer(3, 4), d.integer(1, 5)
    x = d.plain(d.dtype("T1"), (d.integer(1, 4), width))
    coefficients, intercepts = floats(d, classes * width), floats(d, classes)
    attributes: dict[str, Any] = {"coefficients": coefficients, "intercepts": intercepts}
    labels: list[Any] = ["a", "b", "日本", "d"][:classes] if d.flag() else [7, 3, 5, 1][:classes]
    attributes["classlabels_strings" if isinstance(labels[0], str) else "classlabels_ints"] = labels
    scores = wide(x) @ np.array(coefficients).reshape(classes, width).T + np.array(intercepts)
    how = d.attribute("post_transform", st.sampled_from(TRANSFORMS[:3]), attributes)
    best = np.array(labels, object if isinstance(labels[0], str) else np.int64)[scores.argmax(1)]
    return Sample([x], attributes, [best, transformed(scores, how).astype(np.float32)], rtol=1e-4, atol=1e-5)


def kernel(a: np.ndarray, b: np.ndarray, kind: str, gamma: float, shift: float, degree: float) -> np.ndarray:
    if kind == "RBF":
        return np.exp(-gamma * ((a[:, None] - b[None]) ** 2).sum(-1))
    product = a @ b.T
    if kind == "LINEAR":
        return product
    inner = gamma * product + shift
    return inner**degree if kind == "POLY" else np.tanh(inner)


@prop("SVMRegressor", **ML)
def svm_regressor(d: Draw) -> Sample:
    supports, width = d.integer(1, 4), d.integer(1, 4)
    x = d.plain(d.dtype("T"), (d.integer(1, 4), width))
    kind = d.choice(["LINEAR", "POLY", "RBF", "SIGMOID"])
    parameters = [0.25, 0.5, 2.0]
    vectors, coefficients, rho = floats(d, supports * width), floats(d, supports), floats(d, 1)
    attributes: dict[str, Any] = {
        "kernel_type": kind,
        "kernel_params": parameters,
        "support_vectors": vectors,
        "coefficients": coefficients,
        "rho": rho,
        "n_supports": supports,
    }
    one_class = d.attribute("one_class", st.integers(0, 1), attributes)
    scores = (
        kernel(wide(x), np.array(vectors).reshape(supports, width), kind, *parameters) @ np.array(coefficients)[:, None]
        + rho[0]
    )
    if one_class:
        scores = np.where(scores > 0, 1.0, -1.0)
    return Sample([x], attributes, [scores.astype(np.float32)], rtol=1e-3, atol=1e-4)


@prop("SVMClassifier", **ML)
def svm_classifier(d: Draw) -> Sample:
    classes, width = d.integer(2, 4), d.integer(1, 4)
    x = d.plain(d.dtype("T1"), (d.integer(1, 4), width))
    per_class = [d.integer(1, 3) for _ in range(classes)]
    vectors, pairs = sum(per_class), classes * (classes - 1) // 2
    attributes: dict[str, Any] = {
        "kernel_type": d.choice(["LINEAR", "POLY", "RBF", "SIGMOID"]),
        "kernel_params": [0.25, 0.5, 2.0],
        "vectors_per_class": per_class,
        "support_vectors": floats(d, vectors * width),
        "coefficients": floats(d, (classes - 1) * vectors),
        "rho": floats(d, pairs),
    }
    if d.flag():
        attributes |= {"prob_a": floats(d, pairs, -1, -0.1), "prob_b": floats(d, pairs)}
    text = d.flag()
    attributes["classlabels_strings" if text else "classlabels_ints"] = (
        ["a", "b", "c", "d"][:classes] if text else [4, 1, 7, 2][:classes]
    )
    outputs = [np.str_ if text else np.int64, np.float32]
    return Sample(
        [x],
        attributes,
        Sample([x], attributes, by="onnxruntime", outputs=outputs),
        outputs=outputs,
        rtol=1e-3,
        atol=1e-4,
    )


def rows_of(d: Draw, dtype: np.dtype[Any], columns: int) -> np.ndarray:
    x = d.rng().integers(-4, 5, (d.integer(1, 6), columns)).astype(dtype)
    if kind_of(dtype) == "f":
        x[d.rng().random(x.shape) < 0.1] = np.nan
    return x


def as_tensors(d: Draw, attributes: dict[str, Any], names: tuple[str, ...]) -> None:
    """Versions 3 and later take numbers of doubles as tensors."""
    for name in names:
        if name in attributes:
            values = np.array(attributes.pop(name), np.float64)
            attributes[f"{name}_as_tensor"] = numpy_helper.from_array(values)


@prop("TreeEnsembleRegressor", **ML)
def tree_regressor(d: Draw) -> Sample:
    targets, features = d.integer(1, 3), d.integer(1, 4)
    modes = d.choice([["BRANCH_LEQ"], MODES])
    forest = random_forest(d.rng(), d.integer(1, 4), features, list(range(targets)), modes, "target", positive=False)
    attributes: dict[str, Any] = {**forest, "n_targets": targets}
    d.attribute("aggregate_function", st.sampled_from(["SUM", "AVERAGE", "MIN", "MAX"]), attributes)
    if targets > 1:  # onnxruntime leaves the transform of a single target out
        d.attribute("post_transform", st.sampled_from(["NONE", "SOFTMAX", "LOGISTIC"]), attributes)
    if d.flag():
        attributes["base_values"] = floats(d, targets)
    dtype = d.dtype("T")
    x = rows_of(d, dtype, features)
    answer_attributes = dict(attributes)
    if d.version >= 3 and dtype == np.float64:
        as_tensors(d, attributes, ("nodes_values", "target_weights", "base_values"))
    answer = Sample(
        [x.astype(np.float32)], answer_attributes, by="onnxruntime", opset=min(d.version, 3), outputs=[np.float32]
    )
    return Sample([x], attributes, answer, outputs=[np.float32], rtol=1e-4, atol=1e-5)


@prop("TreeEnsembleClassifier", **ML)
def tree_classifier(d: Draw) -> Sample:
    classes, features = d.integer(3, 4), d.integer(1, 4)
    forest = random_forest(d.rng(), d.integer(1, 4), features, list(range(classes)), MODES, "class", positive=d.flag())
    attributes: dict[str, Any] = dict(forest)
    d.attribute("post_transform", st.sampled_from(["NONE", "SOFTMAX", "LOGISTIC"]), attributes)
    if d.flag():
        attributes["base_values"] = floats(d, classes)
    text = d.flag()
    attributes["classlabels_strings" if text else "classlabels_int64s"] = (
        ["a", "b", "c", "d"][:classes] if text else [4, 1, 7, 2][:classes]
    )
    dtype = d.dtype("T1")
    x = rows_of(d, dtype, features)
    answer_attributes = dict(attributes)
    if d.version >= 3 and dtype == np.float64:
        as_tensors(d, attributes, ("nodes_values", "class_weights", "base_values"))
    outputs = [np.str_ if text else np.int64, np.float32]
    answer = Sample(
        [x.astype(np.float32)], answer_attributes, by="onnxruntime", opset=min(d.version, 3), outputs=outputs
    )
    return Sample([x], attributes, answer, outputs=outputs, rtol=1e-4, atol=1e-5)


@prop("TreeEnsemble", **ML)
def tree_ensemble(d: Draw) -> Sample:
    """Nodes and leaves are numbered apart; a true or false child is either. Mode 6 asks for membership of a set."""
    dtype = d.dtype("T")
    features, targets = d.integer(1, 3), d.integer(1, 3)
    rng = d.rng()
    nodes: list[dict[str, Any]] = []
    leaves: list[tuple[int, float]] = []
    sets: list[list[float]] = []

    def leaf() -> int:
        leaves.append((int(rng.integers(targets)), float(rng.integers(-8, 9)) / 4))
        return len(leaves) - 1

    def grow(depth: int) -> tuple[int, int]:
        """(number, whether it is a leaf)"""
        if depth == 0 or rng.random() < 0.2:
            return leaf(), 1
        at = len(nodes)
        nodes.append({})
        mode = int(rng.integers(0, 7))
        members = sorted(float(v) for v in rng.choice(np.arange(-4, 5), 3, replace=False)) if mode == 6 else None
        split = float(rng.integers(-4, 5))
        if members is not None:
            sets.append(members)
        missing, feature = int(rng.integers(2)), int(rng.integers(features))
        nodes[at] = {"mode": mode, "split": split, "set": members, "missing": missing, "feature": feature}
        nodes[at]["true"], nodes[at]["false"] = grow(depth - 1), grow(depth - 1)
        return at, 0

    roots = []
    for _ in range(d.integer(1, 3)):
        number, is_leaf = grow(3)
        if is_leaf:  # a tree of one leaf is a node whose children are that leaf
            nodes.append(
                {
                    "mode": 0,
                    "split": 0.0,
                    "set": None,
                    "missing": 0,
                    "feature": 0,
                    "true": (number, 1),
                    "false": (number, 1),
                }
            )
            number = len(nodes) - 1
        roots.append(number)
    x = rng.integers(-4, 5, (d.integer(1, 5), features)).astype(dtype)
    x[rng.random(x.shape) < 0.1] = np.nan

    def holds(node: dict[str, Any], v: float) -> bool:
        if (
            v != v
        ):  # onnxruntime and the reference find it unequal to any split, though the specification asks the flag alone
            return bool(node["missing"]) or node["mode"] == 5
        s = node["split"]
        return bool(
            [v <= s, v < s, v >= s, v > s, v == s, v != s, node["set"] is not None and v in node["set"]][node["mode"]]
        )

    how = d.choice([0, 1, 2, 3])
    want = np.zeros((len(x), targets))
    for r, row in enumerate(x):
        votes: list[list[float]] = [[] for _ in range(targets)]
        for root in roots:
            number, is_leaf = root, 0
            while not is_leaf:
                number, is_leaf = nodes[number][
                    "true" if holds(nodes[number], float(row[nodes[number]["feature"]])) else "false"
                ]
            votes[leaves[number][0]].append(leaves[number][1])
        for t, found in enumerate(votes):
            if found:
                total = {0: sum(found) / len(roots), 1: sum(found), 2: min(found), 3: max(found)}[how]
                want[r, t] = total
    attributes: dict[str, Any] = {
        "tree_roots": roots,
        "n_targets": targets,
        "nodes_modes": numpy_helper.from_array(np.array([n["mode"] for n in nodes], np.uint8)),
        "nodes_splits": numpy_helper.from_array(np.array([n["split"] for n in nodes]).astype(dtype)),
        "nodes_featureids": [n["feature"] for n in nodes],
        "nodes_missing_value_tracks_true": [n["missing"] for n in nodes],
        "nodes_truenodeids": [n["true"][0] for n in nodes],
        "nodes_trueleafs": [n["true"][1] for n in nodes],
        "nodes_falsenodeids": [n["false"][0] for n in nodes],
        "nodes_falseleafs": [n["false"][1] for n in nodes],
        "leaf_targetids": [t for t, _ in leaves],
        "leaf_weights": numpy_helper.from_array(np.array([w for _, w in leaves]).astype(dtype)),
    }
    if how != 1 or d.flag():
        attributes["aggregate_function"] = how
    members = [v for n in nodes if n["set"] is not None for v in [*n["set"], np.nan]]
    if members:
        attributes["membership_values"] = numpy_helper.from_array(np.array(members).astype(dtype))
    return Sample([x], attributes, [want.astype(dtype)], rtol=1e-3)
