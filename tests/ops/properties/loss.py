"""Losses, non-maximum suppression, random operators by their statistics and seeds, and the steps of optimisers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from onnx import helper

from tests.ops.properties.registry import Draw, Sample, prop, slack
from tests.ops.properties.unary import wide


@prop("NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss")
def loss(d: Draw) -> Sample:
    dtype = d.dtype("T")
    shape = (d.integer(1, 4), d.integer(1, 5), *(d.integer(1, 3) for _ in range(d.integer(0, 3))))
    x = d.plain(dtype, shape)
    attributes: dict[str, Any] = {}
    reduction = d.attribute("reduction", st.sampled_from(["none", "sum", "mean"]), attributes)
    ignore = d.attribute("ignore_index", st.sampled_from([0, 1, -1, 255]), attributes)
    target = d.rng().integers(0, shape[1], (shape[0], *shape[2:]))
    if ignore is not None:
        target.flat[0] = ignore if not 0 <= ignore < shape[1] or d.flag() else target.flat[0]
    weight = d.plain(dtype, (shape[1],), 0.25, 2) if d.flag() else None
    logs = wide(x)
    if d.operator.startswith("Softmax"):
        shifted = logs - logs.max(1, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    counted = np.ones(target.shape, bool) if ignore is None else target != ignore
    safe = np.where((target >= 0) & (target < shape[1]), target, 0)
    picked = -np.take_along_axis(logs, safe[:, None], 1)[:, 0]
    each = np.where(counted, 1.0 if weight is None else wide(weight)[safe], 0)
    value = picked * each
    if reduction == "mean":
        total = each.sum()
        if not total:
            target = np.zeros_like(target)
            attributes.pop("ignore_index", None)
            each = np.broadcast_to(1.0 if weight is None else wide(weight)[0], target.shape)
            value = -logs[:, 0] * each
            total = each.sum()
        value = value.sum() / total
    elif reduction == "sum":
        value = value.sum()
    answer = [np.asarray(value).astype(dtype)]
    if d.operator.startswith("Softmax") and d.flag():
        answer.append(logs.astype(dtype))
    kind = d.dtype("Tind")
    return Sample([x, target.astype(kind), weight], attributes, answer, rtol=1e-4, atol=slack(dtype, 60))


@prop("NonMaxSuppression")
def non_max_suppression(d: Draw) -> Sample:
    batch, classes, count = d.integer(1, 2), d.integer(1, 3), d.integer(1, 12)
    rng = d.rng()
    boxes = rng.random((batch, count, 4)).astype(np.float32)
    scores = (
        rng.permutation(batch * classes * count).reshape(batch, classes, count) / (batch * classes * count)
    ).astype(np.float32)
    attributes: dict[str, Any] = {}
    center = d.attribute("center_point_box", st.integers(0, 1), attributes)
    limit = d.choice([None, 0, 1, 3, 100])
    overlap = d.choice([None, 0.0, 0.3, 0.6, 1.0])
    threshold = d.choice([None, 0.5])
    inputs: list[Any] = [boxes, scores, None if limit is None else np.array([limit])]
    inputs += [None if v is None else np.array([v], np.float32) for v in (overlap, threshold)]
    w = wide(boxes)
    if center:
        corners = np.concatenate([w[..., :2] - w[..., 2:] / 2, w[..., :2] + w[..., 2:] / 2], -1)
    else:
        corners = np.concatenate([np.minimum(w[..., :2], w[..., 2:]), np.maximum(w[..., :2], w[..., 2:])], -1)
    found = []
    for b in range(batch):
        for c in range(classes):
            kept: list[int] = []
            for i in np.argsort(-scores[b, c], kind="stable"):
                if len(kept) >= (limit or 0):
                    break
                if threshold is not None and not scores[b, c, i] > threshold:
                    continue
                if all(iou(corners[b, i], corners[b, j]) <= float(np.float32(overlap or 0)) for j in kept):
                    kept.append(int(i))
                    found.append([b, c, int(i)])
    return Sample(inputs, attributes, [np.array(found, np.int64).reshape(-1, 3)])


def iou(a: np.ndarray, b: np.ndarray) -> float:
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    shared = float(np.prod(np.maximum(high - low, 0)))
    union = float(np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2])) - shared
    return shared / union if union > 0 else 0.0


def numpy_number(dtype: Any) -> int:
    return int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


def statistics(
    dtype: Any, shape: tuple[int, ...], mean: float, deviation: float, low: float = -np.inf, high: float = np.inf
) -> Callable[[list[Any]], None]:
    def accept(outputs: list[Any]) -> None:
        (y,) = outputs
        assert y.dtype == dtype
        assert y.shape == shape
        if not y.size:
            return
        w = wide(y)
        assert w.min() >= low
        assert w.max() <= high
        error = 6 * deviation / np.sqrt(y.size) + 0.02 * max(1, abs(mean))
        assert abs(w.mean() - mean) < error, (w.mean(), mean)
        if y.size >= 500:
            assert abs(w.std() - deviation) < 0.2 * deviation + 0.02, (w.std(), deviation)

    return accept


@prop("RandomNormal RandomUniform RandomNormalLike RandomUniformLike")
def random(d: Draw) -> Sample:
    """By their statistics; with a seed, as numpy's legacy generator draws."""
    like = d.operator.endswith("Like")
    attributes: dict[str, Any] = {}
    shape = d.choice([(1000,), (25, 40), (0, 3), (2, 3)])
    dtype = d.dtype("T2" if like else "T")
    inputs = []
    if like:
        x = d.array(d.dtype("T1"), shape)
        inputs = [x]
        if x.dtype not in d.dtypes("T2") or x.dtype != dtype:
            attributes["dtype"] = numpy_number(dtype)
    else:
        attributes["shape"] = list(shape)
        if dtype != np.float32 or d.flag():
            attributes["dtype"] = numpy_number(dtype)
    seed = d.choice([None, None, 0.0, 7.0])
    if seed is not None:
        attributes["seed"] = seed
    uniform = "Uniform" in d.operator
    if uniform:
        low, high = (
            d.attribute("low", st.sampled_from([-2.0, 0.0]), attributes),
            d.attribute("high", st.sampled_from([1.0, 3.0]), attributes),
        )
        mean, deviation = (low + high) / 2, (high - low) / np.sqrt(12)
    else:
        mean, deviation = (
            d.attribute("mean", st.sampled_from([-2.0, 0.0]), attributes),
            d.attribute("scale", st.sampled_from([0.5, 2.0]), attributes),
        )
        low, high = -np.inf, np.inf
    if seed is None:
        return Sample(inputs, attributes, outputs=[dtype], accept=statistics(dtype, shape, mean, deviation, low, high))
    state = np.random.RandomState(int(seed))
    want = state.rand(*shape) * (high - low) + low if uniform else state.randn(*shape) * deviation + mean
    return Sample(inputs, attributes, [np.asarray(want).astype(dtype)], atol=slack(dtype, 4))


@prop("Bernoulli")
def bernoulli(d: Draw) -> Sample:
    source = d.dtype("T1")
    p = d.choice([0.0, 0.25, 0.5, 0.75, 1.0])
    x = np.full(d.choice([(1500,), (30, 50), (0, 2)]), p, source)
    attributes: dict[str, Any] = {}
    dtype = d.dtype("T2") if d.flag() else source
    if dtype != source:
        attributes["dtype"] = numpy_number(dtype)
    if d.flag():
        attributes["seed"] = 3.0
    return Sample([x], attributes, outputs=[dtype], accept=statistics(dtype, x.shape, p, np.sqrt(p * (1 - p)), 0, 1))


@prop("Multinomial")
def multinomial(d: Draw) -> Sample:
    """Unnormalised log-probabilities [batch, classes]."""
    source = d.dtype("T1")
    probabilities = np.array(d.choice([[0.5, 0.25, 0.25], [0.125, 0.875], [1.0]]))
    x = (np.log(probabilities)[None].repeat(d.integer(1, 2), 0) + d.choice([0.0, 2.0])).astype(source)
    attributes: dict[str, Any] = {"sample_size": 1500}
    dtype = np.dtype(np.int32)
    if d.flag():
        dtype = d.dtype("T2")
        attributes["dtype"] = numpy_number(dtype)
    if d.flag():
        attributes["seed"] = 5.0

    def accept(outputs: list[Any]) -> None:
        (y,) = outputs
        assert y.dtype == dtype
        assert y.shape == (len(x), 1500)
        for row in y:
            shares = np.bincount(row, minlength=len(probabilities)) / 1500
            assert np.abs(shares - probabilities).max() < 0.08, shares

    return Sample([x], attributes, outputs=[dtype], accept=accept)


@prop("Dropout", since=12)
def dropout_in_training(d: Draw) -> Sample:
    dtype, ratio_type = d.dtype("T"), d.dtype("T1")
    x = np.ones(d.choice([(1500,), (30, 50)]), dtype)
    ratio = d.choice([0.0, 0.25, 0.5])

    def accept(outputs: list[Any]) -> None:
        y, mask = outputs
        assert y.dtype == dtype
        assert mask.dtype == bool
        assert abs(mask.mean() - (1 - ratio)) < 0.07
        scale = np.array(1 / (1 - ratio)).astype(dtype)
        np.testing.assert_allclose(wide(y), np.where(mask, wide(scale), 0), rtol=0.07 if dtype.itemsize == 1 else 0.01)

    given = np.array(ratio).astype(ratio_type) if ratio != 0.5 or d.flag() else None
    return Sample([x, given, np.array(True)], {"seed": d.choice([None, 1])}, outputs=[dtype, np.bool_], accept=accept)


@prop("Adagrad Adam Momentum", domain="ai.onnx.preview.training")
def optimizer_step(d: Draw) -> Sample:
    """One step, for one or two tensors; the formulas of the specification."""
    dtype = d.dtype("T3")
    rate, step = np.array(d.choice([0.1, 0.5])).astype(d.dtype("T1")), np.array(d.choice([0, 1, 5]), np.int64)
    shapes = [d.shape(0, 2) for _ in range(d.integer(1, 2))]
    xs, gs, vs = ([d.plain(dtype, s) for s in shapes] for _ in range(3))
    hs = [d.plain(dtype, s, 0, 2) for s in shapes]
    attributes: dict[str, Any] = {}
    names = ("norm_coefficient", "norm_coefficient_post", "epsilon", "decay_factor", "alpha", "beta")
    a: dict[str, Any] = {}
    for name in names:
        if not d.has(name):
            continue
        if d.schema.attributes[name].required:
            attributes[name] = a[name] = d.choice([0.125, 0.5])
        else:
            a[name] = d.attribute(name, st.sampled_from([0.0625, 0.5]), attributes)
    r, t = float(wide(rate)), int(step)
    if d.operator == "Momentum":
        attributes["mode"] = d.choice(["standard", "nesterov"])
    new_x, new_v, new_h = [], [], []
    for x, g, v, h in zip(map(wide, xs), map(wide, gs), map(wide, vs), map(wide, hs), strict=True):
        slope = g + a["norm_coefficient"] * x
        if d.operator == "Adagrad":
            square = h + slope * slope
            new_h.append(square)
            new_x.append(x - r / (1 + t * a["decay_factor"]) * slope / (np.sqrt(square) + a["epsilon"]))
        elif d.operator == "Adam":
            first, second = a["alpha"] * v + (1 - a["alpha"]) * slope, a["beta"] * h + (1 - a["beta"]) * slope * slope
            adjusted = r * np.sqrt(1 - a["beta"] ** t) / (1 - a["alpha"] ** t) if t > 0 else r
            new_v.append(first)
            new_h.append(second)
            new_x.append((1 - a["norm_coefficient_post"]) * (x - adjusted * first / (np.sqrt(second) + a["epsilon"])))
        else:
            factor = a["beta"] if t > 0 else 1
            velocity = a["alpha"] * v + factor * slope
            new_v.append(velocity)
            direction = velocity if attributes["mode"] == "standard" else slope + a["alpha"] * velocity
            new_x.append(x - r * direction)
    groups = {"Adagrad": (xs, gs, hs), "Adam": (xs, gs, vs, hs), "Momentum": (xs, gs, vs)}[d.operator]
    results = {"Adagrad": (new_x, new_h), "Adam": (new_x, new_v, new_h), "Momentum": (new_x, new_v)}[d.operator]
    inputs = [rate, step, *(v for group in groups for v in group)]
    return Sample(
        inputs,
        attributes,
        [np.asarray(v).astype(dtype) for group in results for v in group],
        rtol=1e-4,
        atol=slack(dtype, 20),
    )
