"""Convolutions and pools over any number of axes: plain loops over the window in double precision."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.ops.properties.registry import Draw, Sample, prop, slack
from tests.ops.properties.shape import int64s
from tests.ops.properties.unary import wide
from tests.ops.strategies import kind_of


@dataclass
class Window:
    """Kernel, strides and dilations per axis, and the padding that `pads`, `auto_pad` and `ceil_mode` amount to."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    pads: list[tuple[int, int]]
    out: list[int]

    def positions(self) -> Iterator[tuple[int, ...]]:
        return itertools.product(*map(range, self.kernel))

    def extended(self, x: np.ndarray, value: Any) -> np.ndarray:
        """x with every axis long enough for all windows, filled with `value`."""
        width = [(0, 0), (0, 0)]
        for i, (before, _) in enumerate(self.pads):
            reach = (self.out[i] - 1) * self.strides[i] + (self.kernel[i] - 1) * self.dilations[i] + 1
            width.append((before, max(0, reach - before - x.shape[i + 2])))
        return np.pad(x, width, constant_values=value)

    def at(self, padded: np.ndarray, k: tuple[int, ...]) -> np.ndarray:
        """The elements that stand at position k of each window."""
        index = [
            slice(o * d, o * d + (n - 1) * s + 1, s)
            for o, d, s, n in zip(k, self.dilations, self.strides, self.out, strict=True)
        ]
        return padded[(..., *index)]


def draw_window(
    d: Draw, spatial: tuple[int, ...], attributes: dict[str, Any], *, kernel_given: bool, pads: bool = True
) -> Window | None:
    """Sets the attributes; None where no window fits."""
    rank = len(spatial)
    kernel = [d.integer(1, 4) for _ in spatial]
    if kernel_given:
        attributes["kernel_shape"] = kernel
    strides = [d.integer(1, 3) for _ in spatial] if d.flag() else None
    dilations = [d.integer(1, 2) for _ in spatial] if d.has("dilations") and d.flag() else None
    if strides is not None:
        attributes["strides"] = strides
    if dilations is not None:
        attributes["dilations"] = dilations
    s, dil = strides or [1] * rank, dilations or [1] * rank
    auto = d.choice(["NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"]) if d.has("auto_pad") else "NOTSET"
    ceil = bool(d.has("ceil_mode") and auto == "NOTSET" and d.flag())
    if ceil:
        attributes["ceil_mode"] = 1
    if auto != "NOTSET" or (d.flag() and d.has("auto_pad")):
        attributes["auto_pad"] = auto
    chosen: list[tuple[int, int]] = [(0, 0)] * rank
    if auto == "NOTSET" and pads and d.has("pads") and d.flag():
        chosen = [(d.integer(0, (k - 1) * q), d.integer(0, (k - 1) * q)) for k, q in zip(kernel, dil, strict=True)]
        if d.operator in ("MaxPool", "AveragePool", "LpPool", "MaxUnpool"):
            chosen = [(min(a, k - 1), min(b, k - 1)) for (a, b), k in zip(chosen, kernel, strict=True)]
        attributes["pads"] = [a for a, _ in chosen] + [b for _, b in chosen]
    out = []
    for i, n in enumerate(spatial):
        reach = (kernel[i] - 1) * dil[i] + 1
        if auto.startswith("SAME"):
            out.append(-(-n // s[i]))
            total = max(0, (out[i] - 1) * s[i] + reach - n)
            half = total // 2
            chosen[i] = (half, total - half) if auto == "SAME_UPPER" else (total - half, half)
            continue
        room = n + sum(chosen[i]) - reach
        if room < 0:
            return None
        out.append((-(-room // s[i]) if ceil else room // s[i]) + 1)
        if ceil and (out[i] - 1) * s[i] >= n + chosen[i][0]:  # a window that starts in the padding behind is left out
            out[i] -= 1
    return Window(kernel, s, dil, chosen, out)


def image(d: Draw, *, batch: int = 3, channels: int | None = None) -> tuple[int, ...]:
    """[batch, channels, one to three spatial axes]."""
    rank = d.integer(1, 3)
    sizes = (1, 2, 3, 5, 7, 11) if rank < 3 else (1, 2, 3, 5)
    return (d.integer(0, batch), channels or d.integer(1, 4), *(d.choice(sizes) for _ in range(rank)))


def window_or_plain(d: Draw, spatial: tuple[int, ...], attributes: dict[str, Any], **how: Any) -> Window:
    window = draw_window(d, spatial, attributes, **how)
    if window is None:
        for name in ("auto_pad", "pads", "strides", "dilations", "ceil_mode"):
            attributes.pop(name, None)
        kernel = [1] * len(spatial)
        if how["kernel_given"]:
            attributes["kernel_shape"] = kernel
        window = Window(kernel, kernel, kernel, [(0, 0)] * len(spatial), list(spatial))
    return window


def convolve(x: np.ndarray, w: np.ndarray, window: Window, groups: int) -> np.ndarray:
    padded = window.extended(x, 0)
    n, m = x.shape[0], w.shape[0]
    out = np.zeros((n, groups, m // groups, *window.out), x.dtype)
    weights = w.reshape(groups, m // groups, *w.shape[1:])
    for k in window.positions():
        values = window.at(padded, k).reshape(n, groups, w.shape[1], *window.out)
        out += np.einsum("ngc...,gmc->ngm...", values, weights[(..., *k)])
    return out.reshape(n, m, *window.out)


@prop("Conv")
def conv(d: Draw) -> Sample:
    dtype = d.dtype("T")
    groups, per_group = d.choice([1, 1, 2, 3]), d.integer(1, 3)
    shape = image(d, channels=groups * d.integer(1, 3))
    attributes: dict[str, Any] = {"group": groups} if groups > 1 or d.flag() else {}
    window = window_or_plain(d, shape[2:], attributes, kernel_given=d.flag())
    x = d.plain(dtype, shape, -1, 1)
    w = d.plain(dtype, (groups * per_group, shape[1] // groups, *window.kernel), -1, 1)
    b = d.plain(dtype, (w.shape[0],)) if d.flag() else None
    want = convolve(wide(x), wide(w), window, groups)
    if b is not None:
        want = want + wide(b).reshape(-1, *[1] * len(window.out))
    return Sample([x, w, b], attributes, [want.astype(dtype)], constants=d.choice([(), (1,)]), atol=slack(dtype, 30))


@prop("ConvInteger")
def conv_integer(d: Draw) -> Sample:
    xt, wt = d.dtype("T1"), d.dtype("T2")
    groups = d.choice([1, 1, 2])
    shape = image(d, channels=groups * d.integer(1, 3))
    attributes: dict[str, Any] = {"group": groups} if groups > 1 else {}
    window = window_or_plain(d, shape[2:], attributes, kernel_given=d.flag())
    x, w = d.array(xt, shape), d.array(wt, (groups * d.integer(1, 3), shape[1] // groups, *window.kernel))
    xz = d.array(xt, ()) if d.flag() else None
    wz = d.array(wt, ()) if d.flag() else None
    want = convolve(
        x.astype(np.int64) - int(0 if xz is None else xz),
        w.astype(np.int64) - int(0 if wz is None else wz),
        window,
        groups,
    )
    return Sample([x, w, xz, wz], attributes, [want.astype(np.int32)], constants=d.choice([(), (1,)]))


@prop("QLinearConv")
def qlinear_conv(d: Draw) -> Sample:
    xt, wt, yt = d.dtype("T1"), d.dtype("T2"), d.dtype("T3")
    groups = d.choice([1, 1, 2])
    shape = image(d, channels=groups * d.integer(1, 3))
    attributes: dict[str, Any] = {"group": groups} if groups > 1 else {}
    window = window_or_plain(d, shape[2:], attributes, kernel_given=d.flag())
    x, w = d.array(xt, shape), d.array(wt, (groups * d.integer(1, 3), shape[1] // groups, *window.kernel))
    xz, yz = d.array(xt, ()), d.array(yt, ())
    per_channel = (w.shape[0],) if d.flag() else ()
    wz = d.array(wt, per_channel) if d.flag() else np.zeros(per_channel, wt)
    xs, ys = np.array(d.number(0.0078125, 0.5), np.float32), np.array(d.number(0.5, 8), np.float32)
    ws = d.plain(np.float32, per_channel, 0.01, 0.3)
    b = d.plain(np.int32, (w.shape[0],), -1000, 1000) if d.flag() else None
    spread = [-1, *[1] * (w.ndim - 1)]
    total = convolve(
        x.astype(np.int64) - int(xz),
        w.astype(np.int64) - wz.astype(np.int64).reshape(spread if per_channel else ()),
        window,
        groups,
    )
    spread = [-1, *[1] * len(window.out)]
    if b is not None:
        total = total + b.astype(np.int64).reshape(spread)
    scaled = total * (wide(xs) * wide(ws).reshape(spread if per_channel else ()) / wide(ys))
    info = np.iinfo(yt)
    want = np.clip(np.rint(scaled) + int(yz), info.min, info.max).astype(yt)
    return Sample([x, xs, xz, w, ws, wz, ys, yz, b], attributes, [want], constants=d.choice([(), (3,), (3, 4, 5)]))


@prop("ConvTranspose")
def conv_transpose(d: Draw) -> Sample:
    dtype = d.dtype("T")
    groups, per_group = d.choice([1, 1, 2]), d.integer(1, 3)
    shape = image(d, channels=groups * d.integer(1, 2))
    spatial = shape[2:]
    rank = len(spatial)
    kernel = [d.integer(1, 3) for _ in spatial]
    attributes: dict[str, Any] = {"group": groups} if groups > 1 else {}
    if d.flag():
        attributes["kernel_shape"] = kernel
    strides, dilations = [d.integer(1, 3) for _ in spatial], [d.integer(1, 2) for _ in spatial]
    attributes |= {"strides": strides, "dilations": dilations}
    extra = [d.integer(0, max(s, q) - 1) for s, q in zip(strides, dilations, strict=True)] if d.flag() else [0] * rank
    if any(extra):
        attributes["output_padding"] = extra
    full = [
        (n - 1) * s + (k - 1) * q + 1 + e
        for n, s, k, q, e in zip(spatial, strides, kernel, dilations, extra, strict=True)
    ]
    auto = d.choice(["NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"])
    if auto != "NOTSET":
        attributes["auto_pad"] = auto
    begin, out = [0] * rank, full
    if auto == "NOTSET" and d.flag():
        pads = [(d.integer(0, (n - 1) // 2), d.integer(0, (n - 1) // 2)) for n in full]
        attributes["pads"] = [a for a, _ in pads] + [b for _, b in pads]
        begin, out = [a for a, _ in pads], [n - a - b for n, (a, b) in zip(full, pads, strict=True)]
    elif auto in ("SAME_UPPER", "SAME_LOWER") or (auto == "NOTSET" and d.flag()):
        if auto == "NOTSET" or d.flag():
            out = [d.integer(1, n) for n in full]
            attributes["output_shape"] = out
        else:
            out = [n * s for n, s in zip(spatial, strides, strict=True)]
        total = [f - o for f, o in zip(full, out, strict=True)]
        begin = [max(t, 0) // 2 if auto == "SAME_UPPER" else max(t, 0) - max(t, 0) // 2 for t in total]
    x = d.plain(dtype, shape, -1, 1)
    w = d.plain(dtype, (shape[1], per_group, *kernel), -1, 1)
    b = d.plain(dtype, (groups * per_group,)) if d.flag() else None
    reach = [max(f, o + p) for f, o, p in zip(full, out, begin, strict=True)]
    canvas = np.zeros((shape[0], groups, per_group, *reach))
    xs = wide(x).reshape(shape[0], groups, shape[1] // groups, *spatial)
    ws = wide(w).reshape(groups, shape[1] // groups, per_group, *kernel)
    for k in itertools.product(*map(range, kernel)):
        index = [
            slice(o * q, o * q + (n - 1) * s + 1, s) for o, q, s, n in zip(k, dilations, strides, spatial, strict=True)
        ]
        canvas[(..., *index)] += np.einsum("ngc...,gcm->ngm...", xs, ws[(..., *k)])
    want = canvas[(..., *(slice(p, p + o) for p, o in zip(begin, out, strict=True)))]
    want = want.reshape(shape[0], groups * per_group, *out)
    if b is not None:
        want = want + wide(b).reshape(-1, *[1] * rank)
    return Sample([x, w, b], attributes, [want.astype(dtype)], constants=d.choice([(), (1,)]), atol=slack(dtype, 30))


@prop("DeformConv")
def deform_conv(d: Draw) -> Sample:
    dtype = d.dtype("T")
    groups, offset_groups = d.choice([1, 2]), d.choice([1, 2])
    shape = (d.integer(1, 2), 2 * d.integer(1, 2), d.integer(2, 6), d.integer(2, 6))
    attributes: dict[str, Any] = {"group": groups, "offset_group": offset_groups}
    window = window_or_plain(d, shape[2:], attributes, kernel_given=d.flag())
    positions = int(np.prod(window.kernel))
    x = d.plain(dtype, shape, -1, 1)
    w = d.plain(dtype, (groups * d.integer(1, 2), shape[1] // groups, *window.kernel), -1, 1)
    offset = d.plain(dtype, (shape[0], offset_groups * positions * 2, *window.out), -1.5, 1.5)
    b = d.plain(dtype, (w.shape[0],)) if d.flag() else None
    mask = d.plain(dtype, (shape[0], offset_groups * positions, *window.out), 0, 1) if d.flag() else None
    inputs = [x, w, offset, b, mask]
    attributes.setdefault("pads", [0, 0, 0, 0])
    attributes.setdefault("strides", [1, 1])
    attributes.setdefault("dilations", [1, 1])
    answer = Sample([None if v is None else v.astype(np.float64) for v in inputs], attributes, cast=dtype)
    return Sample(inputs, attributes, answer, atol=max(1e-5, slack(dtype, 30)))


@prop("Col2Im")
def col2im(d: Draw) -> Sample:
    dtype = d.dtype("T", only="fiuc")
    shape = image(d)
    attributes: dict[str, Any] = {}
    window = window_or_plain(d, shape[2:], attributes, kernel_given=False)
    blocks = d.plain(dtype, (*shape[:2], *window.kernel, *window.out), -1, 1)
    canvas = window.extended(np.zeros(shape), 0).astype(np.complex128 if kind_of(dtype) == "c" else np.float64)
    for k in window.positions():
        window.at(canvas, k)[...] += blocks[(slice(None), slice(None), *k)].astype(canvas.dtype)
    want = canvas[(..., *(slice(a, a + n) for (a, _), n in zip(window.pads, shape[2:], strict=True)))]
    columns = blocks.reshape(shape[0], shape[1] * int(np.prod(window.kernel)), int(np.prod(window.out)))
    return Sample(
        [columns, int64s(shape[2:]), int64s(window.kernel)], attributes, [want.astype(dtype)], atol=slack(dtype, 10)
    )


@prop("MaxPool")
def max_pool(d: Draw) -> Sample:
    dtype = d.dtype("T")
    shape = image(d)
    attributes: dict[str, Any] = {}
    window = window_or_plain(d, shape[2:], attributes, kernel_given=True)
    # No two equal values: which of them the index names is not said.
    x = (d.rng().permutation(int(np.prod(shape))).reshape(shape) % (120 if kind_of(dtype) in "iu" else 1000)).astype(
        dtype
    )
    x = x if kind_of(dtype) == "u" else x - np.array(60, dtype)
    padded = window.extended(wide(x), -np.inf)
    values = np.stack([window.at(padded, k) for k in window.positions()])
    want = values.max(0)
    if d.version < 8 or d.flag() or len(np.unique(x)) < x.size:
        return Sample([x], attributes, [want.astype(dtype)])
    order = d.attribute("storage_order", st.integers(0, 1), attributes)
    numbers = np.arange(x.size).reshape(shape)
    if order:
        plane = np.arange(int(np.prod(shape[2:]))).reshape(shape[:1:-1]).T
        maps = np.arange(shape[0] * shape[1]).reshape(*shape[:2], *[1] * len(window.out))
        numbers = maps * plane.size + plane
    each = np.stack([window.at(window.extended(numbers, -1), k) for k in window.positions()])
    at = np.take_along_axis(each, values.argmax(0)[None], 0)[0]
    return Sample([x], attributes, [want.astype(dtype), at.astype(np.int64)])


@prop("AveragePool")
def average_pool(d: Draw) -> Sample:
    dtype = d.dtype("T")
    shape = image(d)
    attributes: dict[str, Any] = {}
    window = window_or_plain(d, shape[2:], attributes, kernel_given=True)
    with_pad = d.attribute("count_include_pad", st.integers(0, 1), attributes) if d.has("count_include_pad") else 0
    x = d.plain(dtype, shape)
    sums = window.extended(wide(x), 0)
    counts = np.ones(shape)
    if with_pad:
        counts = np.pad(counts, [(0, 0), (0, 0), *window.pads], constant_values=1)
        window_of_counts = Window(
            window.kernel, window.strides, window.dilations, [(0, 0)] * len(window.out), window.out
        )
    else:
        window_of_counts = window
    counts = window_of_counts.extended(counts, 0)
    total = sum(window.at(sums, k) for k in window.positions())
    count = sum(window_of_counts.at(counts, k) for k in window.positions())
    return Sample([x], attributes, [np.asarray(total / count).astype(dtype)], atol=slack(dtype, 8))


@prop("LpPool")
def lp_pool(d: Draw) -> Sample:
    dtype = d.dtype("T")
    shape = image(d)
    attributes: dict[str, Any] = {}
    window = window_or_plain(d, shape[2:], attributes, kernel_given=True)
    p = d.attribute("p", st.integers(1, 3).map(float if d.version == 1 else int), attributes)
    x = d.plain(dtype, shape)
    powers = window.extended(np.abs(wide(x)) ** p, 0)
    want = np.asarray(sum(window.at(powers, k) for k in window.positions())) ** (1 / p)
    return Sample([x], attributes, [want.astype(dtype)], atol=slack(dtype, 8))


@prop("GlobalAveragePool GlobalMaxPool GlobalLpPool")
def global_pool(d: Draw) -> Sample:
    dtype = d.dtype("T")
    x = d.plain(dtype, image(d))
    attributes: dict[str, Any] = {}
    axes = tuple(range(2, x.ndim))
    if d.operator == "GlobalLpPool":
        p = d.attribute("p", st.integers(1, 3).map(float if d.version == 1 else int), attributes)
        want = np.sum(np.abs(wide(x)) ** p, axes, keepdims=True) ** (1 / p)
    else:
        want = (np.mean if d.operator == "GlobalAveragePool" else np.max)(wide(x), axes, keepdims=True)
    return Sample([x], attributes, [np.asarray(want).astype(dtype)], atol=slack(dtype, 8))


@prop("MaxUnpool")
def max_unpool(d: Draw) -> Sample:
    dtype = d.dtype("T1")
    shape = (d.integer(1, 2), d.integer(1, 3), *(d.integer(1, 4) for _ in range(d.integer(1, 3))))
    kernel = [d.integer(1, 3) for _ in shape[2:]]
    strides = [d.integer(1, 3) for _ in kernel] if d.flag() else None
    out = [(n - 1) * s + k for n, s, k in zip(shape[2:], strides or [1] * len(kernel), kernel, strict=True)]
    attributes: dict[str, Any] = {"kernel_shape": kernel, "strides": strides}
    inner = out
    size = None
    if d.flag():  # the output is longer at the end; indices count in the size without it
        out = [n + d.integer(0, 2) for n in inner]
        size = int64s([*shape[:2], *out])
    x = d.array(dtype, shape, special=False)
    plane, maps, rng = int(np.prod(inner)), shape[0] * shape[1], d.rng()
    at = np.stack([rng.permutation(plane)[: int(np.prod(shape[2:]))] for _ in range(maps)])
    at = at + np.arange(maps)[:, None] * plane
    want = np.zeros(maps * plane, dtype)
    want[at.ravel()] = x.ravel()
    want = np.pad(
        want.reshape(*shape[:2], *inner), [(0, 0), (0, 0), *((0, n - m) for n, m in zip(out, inner, strict=True))]
    )
    return Sample([x, at.reshape(shape).astype(np.int64), size], attributes, [want])
