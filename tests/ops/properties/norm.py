"""Normalisations, by their formulas in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.ops.properties.registry import Draw, Sample, prop, slack
from tests.ops.properties.unary import consumed, wide


def per_channel(v: np.ndarray, rank: int) -> np.ndarray:
    return wide(v).reshape(-1, *[1] * (rank - 2))


def channels_first(d: Draw, *, zero: bool = True) -> tuple[int, ...]:
    return (d.integer(0 if zero else 1, 3), d.integer(1, 5), *(d.integer(1, 6) for _ in range(d.integer(0, 3))))


def epsilon(d: Draw, attributes: dict[str, Any]) -> float:
    return float(np.float32(d.attribute("epsilon", st.sampled_from([1e-5, 1e-3, 0.1]), attributes)))


@prop("BatchNormalization")
def batch_norm(d: Draw) -> Sample:
    """With the given mean and variance. Before version 9, spatial=0 has them per element of a batch."""
    dtype = d.dtype("T")
    shape = channels_first(d)
    attributes: dict[str, Any] = {}
    eps = epsilon(d, attributes)
    if d.version == 1:
        attributes["consumed_inputs"] = [0, 0, 0, 1, 1]
    if d.has("is_test"):
        attributes["is_test"] = 1
    spatial = d.attribute("spatial", st.integers(0, 1), attributes) if d.has("spatial") else 1
    size = (shape[1],) if spatial else shape[1:]
    scale_type = d.dtype("T1") if d.version >= 15 else dtype
    mean_type = d.dtype("T2") if d.version >= 15 else d.dtype("U") if d.version == 14 else dtype
    x = d.plain(dtype, shape)
    scale, b = d.plain(scale_type, size), d.plain(scale_type, size)
    mean, var = d.plain(mean_type, size), d.plain(mean_type, size, 0.25, 3)
    s, o, m, v = ((per_channel(t, x.ndim) if spatial else wide(t)) for t in (scale, b, mean, var))
    want = (wide(x) - m) / np.sqrt(v + eps) * s + o
    return Sample([x, scale, b, mean, var], attributes, [want.astype(dtype)], atol=slack(dtype, 30))


@prop("BatchNormalization", since=14)
def batch_norm_in_training(d: Draw) -> Sample:
    dtype = d.dtype("T")
    shape = channels_first(d, zero=False)
    attributes: dict[str, Any] = {"training_mode": 1}
    eps = epsilon(d, attributes)
    momentum = float(np.float32(d.attribute("momentum", st.floats(0, 1, width=32), attributes)))
    scale_type = d.dtype("T1") if d.version >= 15 else dtype
    mean_type = d.dtype("T2") if d.version >= 15 else d.dtype("U")
    x = d.plain(dtype, shape)
    scale, b, mean = (d.plain(t, (shape[1],)) for t in (scale_type, scale_type, mean_type))
    var = d.plain(mean_type, (shape[1],), 0.25, 3)
    axes = (0, *range(2, x.ndim))
    now_mean, now_var = wide(x).mean(axes), wide(x).var(axes)
    want = (wide(x) - per_channel(now_mean, x.ndim)) / np.sqrt(per_channel(now_var, x.ndim) + eps)
    want = want * per_channel(scale, x.ndim) + per_channel(b, x.ndim)
    answer = [want.astype(dtype)]
    if d.flag():
        for old, now in ((mean, now_mean), (var, now_var)):
            answer.append((wide(old) * momentum + now * (1 - momentum)).astype(mean_type))
    worst = max([slack(t, 60) for t in (dtype, scale_type, mean_type)]) * (1 if eps > 1e-2 else 10)
    return Sample([x, scale, b, mean, var], attributes, answer, rtol=1e-3, atol=worst)


@prop("BatchNormalization", until=9)
def batch_norm_in_training_by_outputs(d: Draw) -> Sample:
    """Before version 14, more than one output asks for training; the last two are the moments of this batch."""
    dtype = d.dtype("T")
    shape = channels_first(d, zero=False)
    attributes: dict[str, Any] = {}
    eps = epsilon(d, attributes)
    momentum = float(np.float32(d.attribute("momentum", st.floats(0, 1, width=32), attributes)))
    if d.version == 1:
        attributes["consumed_inputs"] = [0, 0, 0, 1, 1]
    x = d.plain(dtype, shape)
    scale, b, mean = (d.plain(dtype, (shape[1],)) for _ in range(3))
    var = d.plain(dtype, (shape[1],), 0.25, 3)
    axes = (0, *range(2, x.ndim))
    now_mean, now_var = wide(x).mean(axes), wide(x).var(axes)
    want = (wide(x) - per_channel(now_mean, x.ndim)) / np.sqrt(per_channel(now_var, x.ndim) + eps)
    want = want * per_channel(scale, x.ndim) + per_channel(b, x.ndim)
    running = [wide(old) * momentum + now * (1 - momentum) for old, now in ((mean, now_mean), (var, now_var))]
    answer = [v.astype(dtype) for v in (want, *running, now_mean, now_var)]
    worst = slack(dtype, 60) * (1 if eps > 1e-2 else 10)
    return Sample([x, scale, b, mean, var], attributes, answer, rtol=1e-3, atol=worst)


@prop("InstanceNormalization")
def instance_norm(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.plain(dtype, (*channels_first(d), d.integer(2, 6)))
    attributes = consumed(d)
    eps = epsilon(d, attributes)
    scale, b = d.plain(dtype, x.shape[1:2]), d.plain(dtype, x.shape[1:2])
    axes = tuple(range(2, x.ndim))
    w = wide(x)
    want = (w - w.mean(axes, keepdims=True)) / np.sqrt(w.var(axes, keepdims=True) + eps)
    want = want * per_channel(scale, x.ndim) + per_channel(b, x.ndim)
    return Sample([x, scale, b], attributes, [want.astype(dtype)], rtol=1e-3, atol=slack(dtype, 100))


@prop("GroupNormalization")
def group_norm(d: Draw) -> Sample:
    """Version 18 scales per group, version 21 per channel."""
    dtype = d.dtype("T")
    groups = d.integer(1, 3)
    shape = (d.integer(0, 2), groups * d.integer(1, 3), *(d.integer(1, 5) for _ in range(d.integer(0, 2))), 4)
    x = d.plain(dtype, shape)
    attributes: dict[str, Any] = {"num_groups": groups}
    eps = epsilon(d, attributes)
    size = groups if d.version == 18 else shape[1]
    scale, b = d.plain(dtype, (size,)), d.plain(dtype, (size,))
    w = wide(x).reshape(shape[0], groups, int(np.prod(shape[1:])) // groups)
    want = ((w - w.mean(-1, keepdims=True)) / np.sqrt(w.var(-1, keepdims=True) + eps)).reshape(shape)
    s, o = (per_channel(np.repeat(wide(v), shape[1] // size), x.ndim) for v in (scale, b))
    return Sample([x, scale, b], attributes, [(want * s + o).astype(dtype)], rtol=1e-3, atol=slack(dtype, 100))


@prop("LayerNormalization")
def layer_norm(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.plain(dtype, (*d.shape(0, 3), d.integer(2, 9)))
    attributes: dict[str, Any] = {}
    eps = epsilon(d, attributes)
    axis = d.attribute("axis", st.integers(-x.ndim, x.ndim - 1), attributes)
    axes = tuple(range(axis % x.ndim, x.ndim))
    if 0 in x.shape[axis % x.ndim :]:
        x = d.plain(dtype, tuple(max(n, 1) for n in x.shape))
    scale = d.plain(dtype, x.shape[axis % x.ndim :])
    b = d.plain(dtype, d.choice([scale.shape, scale.shape[-1:]])) if d.flag() else None
    w = wide(x)
    mean, inverse = w.mean(axes, keepdims=True), 1 / np.sqrt(w.var(axes, keepdims=True) + eps)
    want = (w - mean) * inverse * wide(scale) + (0 if b is None else wide(b))
    answer = [want.astype(dtype)]
    if d.flag():
        answer += [mean.astype(np.float32), inverse.astype(np.float32)]
    return Sample([x, scale, b], attributes, answer, rtol=1e-3, atol=slack(dtype, 100))


@prop("RMSNormalization")
def rms_norm(d: Draw) -> Sample:
    dtype, scale_type = d.dtype("T"), d.dtype("V")
    x = d.plain(dtype, (*d.shape(0, 3), d.integer(2, 9)))
    attributes: dict[str, Any] = {}
    eps = epsilon(d, attributes)
    axis = d.attribute("axis", st.integers(-x.ndim, x.ndim - 1), attributes)
    if 0 in x.shape[axis % x.ndim :]:
        x = d.plain(dtype, tuple(max(n, 1) for n in x.shape))
    axes = tuple(range(axis % x.ndim, x.ndim))
    scale = d.plain(scale_type, x.shape[axis % x.ndim :])
    w = wide(x)
    want = w / np.sqrt(np.mean(w * w, axes, keepdims=True) + eps) * wide(scale)
    return Sample(
        [x, scale], attributes, [want.astype(scale_type)], rtol=1e-4, atol=max(slack(dtype, 8), slack(scale_type, 8))
    )


@prop("LRN")
def lrn(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.plain(dtype, channels_first(d))
    attributes: dict[str, Any] = {"size": d.choice([1, 2, 3, 5, 9])}
    alpha, beta, bias = (
        d.attribute(name, st.floats(0.125, 2, width=32), attributes) for name in ("alpha", "beta", "bias")
    )
    size, squares = attributes["size"], wide(x) ** 2
    total = np.zeros(x.shape)
    for c in range(x.shape[1]):
        low, high = max(0, c - (size - 1) // 2), min(x.shape[1] - 1, c + size // 2)
        total[:, c] = squares[:, low : high + 1].sum(1)
    return Sample(
        [x],
        attributes,
        [(wide(x) / (bias + alpha / size * total) ** beta).astype(dtype)],
        rtol=1e-4,
        atol=slack(dtype, 8),
    )


@prop("LpNormalization")
def lp_norm(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.plain(dtype, d.shape(1, 4), 0.125, 2)
    attributes: dict[str, Any] = {}
    axis = d.attribute("axis", st.integers(-x.ndim, x.ndim - 1), attributes)
    p = d.attribute("p", st.integers(1, 2), attributes)
    x = np.where(d.array(np.bool_, x.shape), x, -x).astype(dtype)
    norm = (np.abs(wide(x)) ** p).sum(axis, keepdims=True) ** (1 / p)
    return Sample([x], attributes, [(wide(x) / norm).astype(dtype)], atol=slack(dtype, 4))


@prop("MeanVarianceNormalization")
def mean_variance_norm(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.plain(dtype, tuple(d.integer(1, 6) for _ in range(4)))
    attributes: dict[str, Any] = {}
    axes = tuple(d.attribute("axes", st.sampled_from([[0, 2, 3], [1, 2], [-1], [0, 1, 2, 3]]), attributes))
    w = wide(x)
    deviation = w.std(axes, keepdims=True)
    want = (w - w.mean(axes, keepdims=True)) / (deviation + 1e-9)
    if (deviation < 0.05).any():
        return Sample([np.zeros(x.shape, dtype)], attributes, [np.zeros(x.shape, dtype)])
    return Sample([x], attributes, [want.astype(dtype)], rtol=1e-3, atol=slack(dtype, 200))
