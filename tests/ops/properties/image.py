"""Resampling: Resize and Upsample by the formulas of the specification; grids and regions of interest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.ops.properties.registry import Draw, Sample, prop, slack
from tests.ops.properties.shape import int64s
from tests.ops.properties.unary import wide
from tests.ops.strategies import kind_of


def original(how: str, n_in: int, n_out: int, scale: float, roi: tuple[float, float]) -> np.ndarray:
    """Where each output coordinate lies in the input."""
    x = np.arange(n_out, dtype=np.float64)
    # The specification's test data take the length before it is cut to a whole number.
    width = n_out if abs(scale * n_in - n_out) < 1e-6 else scale * n_in
    if how == "asymmetric":
        return x / scale
    if how == "align_corners":
        return x * (n_in - 1) / (width - 1) if width != 1 else x * 0
    if how == "pytorch_half_pixel" and width <= 1:
        return x * 0
    if how == "half_pixel_symmetric":
        return n_in / 2 * (1 - n_out / (scale * n_in)) + (x + 0.5) / scale - 0.5
    if how == "tf_half_pixel_for_nn":
        if scale == 1:  # every runtime leaves such axes alone: the formula would shift batches and channels
            return x
        return (x + 0.5) / scale
    if how == "tf_crop_and_resize":
        start, end = roi
        if n_out > 1:
            return start * (n_in - 1) + x * (end - start) * (n_in - 1) / (n_out - 1)
        return x * 0 + 0.5 * (start + end) * (n_in - 1)
    return (x + 0.5) / scale - 0.5


NEAREST = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}


def cubic(t: np.ndarray, a: float) -> np.ndarray:
    t = np.abs(t)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t <= 1, near, np.where(t < 2, far, 0))


def weights(x: np.ndarray, n_in: int, scale: float, options: dict[str, Any]) -> np.ndarray:
    """[outputs, inputs] of one axis."""
    out = np.zeros((len(x), n_in))
    rows = np.arange(len(x))
    if options["mode"] == "nearest":
        at = np.clip(NEAREST[options["nearest_mode"]](x), 0, n_in - 1).astype(int)
        out[rows, at] = 1
        return out
    shrink = min(scale, 1) if options["antialias"] else 1
    support = (1 if options["mode"] == "linear" else 2) / shrink
    total = np.zeros(len(x))
    for offset in range(-math.ceil(support) - 1, math.ceil(support) + 2):
        at = np.floor(x) + offset
        t = (at - x) * shrink
        w = np.clip(1 - np.abs(t), 0, None) if options["mode"] == "linear" else cubic(t, options["cubic_coeff_a"])
        if options["exclude_outside"]:
            w = np.where((at < 0) | (at >= n_in), 0, w)
        total += w
        np.add.at(out, (rows, np.clip(at, 0, n_in - 1).astype(int)), w)
    return out / total[:, None]


def resample(
    x: np.ndarray, axes: list[int], xs: list[np.ndarray], scales: list[float], options: dict[str, Any]
) -> np.ndarray:
    y = x if options["mode"] == "nearest" else wide(x)
    outside = np.zeros((1,) * x.ndim, bool)
    for axis, at, scale in zip(axes, xs, scales, strict=True):
        n = x.shape[axis]
        w = weights(at, n, scale, options)
        y = (
            np.take(y, w.argmax(1), axis)
            if options["mode"] == "nearest"
            else np.moveaxis(np.tensordot(w, y, (1, axis)), 0, axis)
        )
        if options["coordinate_transformation_mode"] == "tf_crop_and_resize":
            shape = [-1 if i == axis else 1 for i in range(x.ndim)]
            outside = outside | ((at < 0) | (at > n - 1)).reshape(shape)
    if outside.any():
        y = np.where(np.broadcast_to(outside, y.shape), np.array(options["extrapolation_value"]).astype(y.dtype), y)
    if kind_of(x.dtype) in "iu" and options["mode"] != "nearest":
        info = np.iinfo(x.dtype)
        y = np.clip(np.rint(y), info.min, info.max)
    return y.astype(x.dtype)


FACTORS = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)


@prop("Resize", since=11)
def resize(d: Draw) -> Sample:
    dtype = d.dtype("T1")
    mode = "nearest" if kind_of(dtype) not in "fiu" else d.choice(["nearest", "linear", "cubic"])
    rank = d.integer(1, 4)
    shape = tuple(d.integer(1, 6) for _ in range(rank))
    x = d.plain(dtype, shape, -50, 50) if kind_of(dtype) in "fiu" else d.array(dtype, shape)
    transforms = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "tf_crop_and_resize"]
    transforms += ["half_pixel_symmetric"] * (d.version >= 18) + ["tf_half_pixel_for_nn"] * (d.version == 11)
    attributes: dict[str, Any] = {"mode": mode}
    options = {
        "mode": mode,
        "coordinate_transformation_mode": d.attribute(
            "coordinate_transformation_mode", st.sampled_from(transforms), attributes
        ),
        "nearest_mode": d.attribute("nearest_mode", st.sampled_from(sorted(NEAREST)), attributes),
        "cubic_coeff_a": d.attribute("cubic_coeff_a", st.sampled_from([-0.5, -0.75]), attributes),
        "exclude_outside": d.attribute("exclude_outside", st.integers(0, 1), attributes),
        "extrapolation_value": d.attribute("extrapolation_value", st.sampled_from([0.0, 7.0]), attributes),
        "antialias": d.attribute("antialias", st.integers(0, 1), attributes) if d.has("antialias") else 0,
    }
    crop = options["coordinate_transformation_mode"] == "tf_crop_and_resize"
    axes = list(range(rank))
    if d.has("axes") and d.flag():
        axes = d.draw(st.lists(st.integers(0, rank - 1), unique=True, min_size=1, max_size=rank))
        attributes["axes"] = [a - rank if d.flag() else a for a in axes]
    factors = [d.choice(FACTORS) for _ in axes]
    corners = [(d.choice([0.0, 0.25, -0.5]), d.choice([1.0, 0.75, 1.5])) if crop else (0.0, 1.0) for _ in axes]
    scales = sizes = None
    if d.flag():
        factors = [f if int(f * shape[a]) else 1.0 for f, a in zip(factors, axes, strict=True)]
        scales = np.array(factors, np.float32)
        out = [math.floor(shape[a] * f * (c[1] - c[0])) for a, f, c in zip(axes, factors, corners, strict=True)]
    else:
        out = [d.integer(1, 9) if mode != "nearest" else shape[a] * d.integer(1, 3) for a in axes]
        sizes = int64s(out)
        factors = [o / shape[a] for o, a in zip(out, axes, strict=True)]
        policy = d.attribute(
            "keep_aspect_ratio_policy", st.sampled_from(["stretch", "not_larger", "not_smaller"]), attributes
        )
        if policy not in (None, "stretch"):
            factor = (min if policy == "not_larger" else max)(factors)
            factors = [factor] * len(axes)
            out = [math.floor(factor * shape[a] + 0.5) for a in axes]
            if 0 in out or any(abs(factor * shape[a] % 1 - 0.5) < 1e-6 for a in axes) or max(out) > 40:
                attributes.pop("keep_aspect_ratio_policy")
                out = sizes.tolist()
                factors = [o / shape[a] for o, a in zip(out, axes, strict=True)]
    roi = None
    if crop:
        roi = np.array([a for a, _ in corners] + [b for _, b in corners], d.dtype("T2", only="f"))
    elif d.version == 11:
        roi = np.zeros(0, np.float32)
    if d.version == 11 and scales is None:
        scales = np.zeros(0, np.float32)
    if 0 in out:
        empty = np.zeros([dict(zip(axes, out, strict=True)).get(i, n) for i, n in enumerate(shape)], dtype)
        return Sample([x, roi, scales, sizes], attributes, [empty])
    transform = options["coordinate_transformation_mode"]
    xs = [original(transform, shape[a], o, f, c) for a, o, f, c in zip(axes, out, factors, corners, strict=True)]
    if mode == "nearest":  # ties and whole numbers that rounding may tip over
        xs = [np.where(np.abs(v * 2 - np.rint(v * 2)) < 1e-5, np.rint(v * 2) / 2, v) for v in xs]
        inexact = (
            any(math.frexp(f)[0] * 64 % 1 for f in factors)
            or crop
            or transform in ("align_corners", "half_pixel_symmetric")
        )
        if inexact and any((np.abs(v * 2 - np.rint(v * 2)) < 1e-5).any() for v in xs):
            transform = attributes["coordinate_transformation_mode"] = options["coordinate_transformation_mode"] = (
                "asymmetric"
            )
            attributes.pop("nearest_mode", None)
            factors = [max(1.0, math.floor(f)) for f in factors]
            out = [shape[a] * int(f) for a, f in zip(axes, factors, strict=True)]
            options["nearest_mode"] = attributes["nearest_mode"] = "floor"
            attributes.pop("keep_aspect_ratio_policy", None)
            if sizes is not None:
                sizes = int64s(out)
            else:
                scales = np.array(factors, np.float32)
            roi = np.zeros(0, np.float32) if d.version == 11 else None
            xs = [original(transform, shape[a], o, f, (0, 1)) for a, o, f in zip(axes, out, factors, strict=True)]
    want = resample(x, axes, xs, factors, options)
    return Sample([x, roi, scales, sizes], attributes, [want], rtol=1e-3, atol=max(1e-3, slack(dtype, 400)))


@prop("Resize", until=10)
@prop("Upsample")
def upsample(d: Draw) -> Sample:
    """Before version 11 coordinates are divided by the scale, and nearest is the one before."""
    dtype = d.dtype("T")
    mode = "nearest" if kind_of(dtype) not in "fiu" else d.choice(["nearest", "linear"])
    rank = 4 if d.version == 1 and d.operator == "Upsample" else d.integer(1, 4)
    shape = tuple(d.integer(1, 6) for _ in range(rank))
    x = d.plain(dtype, shape, -50, 50) if kind_of(dtype) in "fiu" else d.array(dtype, shape)
    scales = [d.choice([1.0, 1.5, 2.0, 3.0]) for _ in shape]
    if d.operator == "Resize" and mode == "linear":
        scales = [d.choice(FACTORS) if n > 3 else s for n, s in zip(shape, scales, strict=True)]
    attributes: dict[str, Any] = {"mode": mode} if mode != "nearest" or d.flag() else {}
    inputs: list[Any] = [x]
    if d.operator == "Upsample" and d.version == 1:
        scales[:2] = [1.0, 1.0]
        attributes |= {"height_scale": scales[2], "width_scale": scales[3]}
    elif d.operator == "Upsample" and d.version == 7:
        attributes["scales"] = scales
    else:
        inputs.append(np.array(scales, np.float32))
    options = {
        "mode": mode,
        "nearest_mode": "floor",
        "antialias": 0,
        "exclude_outside": 0,
        "coordinate_transformation_mode": "asymmetric",
    }
    xs = [original("asymmetric", n, math.floor(n * s), s, (0, 1)) for n, s in zip(shape, scales, strict=True)]
    want = resample(x, list(range(rank)), xs, scales, options)
    return Sample(inputs, attributes, [want], rtol=1e-3, atol=max(1e-3, slack(dtype, 400)))


@prop("GridSample")
def grid_sample(d: Draw) -> Sample:
    dtype, grid_type = d.dtype("T1", only="f"), d.dtype("T2")
    rank = 2 if d.version == 16 else d.choice([2, 2, 3])
    modes = ["bilinear", "nearest", "bicubic"] if d.version == 16 else ["linear", "nearest", "cubic"]
    attributes: dict[str, Any] = {}
    mode = d.attribute("mode", st.sampled_from(modes[: 3 if rank == 2 else 2]), attributes)
    padding = d.attribute("padding_mode", st.sampled_from(["zeros", "border", "reflection"]), attributes)
    d.attribute("align_corners", st.integers(0, 1), attributes)
    # Reflection inside an axis of length 1 with align_corners is not defined.
    shape = (d.integer(1, 2), d.integer(1, 3), *(d.integer(2, 5) for _ in range(rank)))
    x = d.plain(dtype, shape)
    out = tuple(d.integer(1, 3) for _ in range(rank))
    # Away from the places where rounding decides: odd multiples of 1/256.
    steps = d.rng().integers(-150, 150, (shape[0], *out, rank)) * 2 + 1
    grid = (steps / 256).astype(grid_type)
    wide_inputs = [x.astype(np.float64), grid.astype(np.float64)]
    if mode == "nearest":
        grid = (np.floor(steps / 32) / 8 + 0.03).astype(grid_type)
        wide_inputs[1] = grid.astype(np.float64)
    names = {"bilinear": "linear", "bicubic": "cubic"}
    modern = {**attributes, "mode": names.get(str(mode), mode)}
    answer = Sample(wide_inputs, modern, opset=20, operator="GridSample", cast=dtype)
    if modern["mode"] == "cubic" and padding == "border":
        # The reference moves points to the border before the cubic, which PyTorch and onnxruntime do not.
        answer.by, answer.inputs = "onnxruntime", [v.astype(np.float32) for v in wide_inputs]
    return Sample(
        [x, grid],
        attributes,
        answer,
        outputs=[dtype],
        rtol=1e-3,
        atol=max(1e-4, slack(dtype, 20), slack(grid_type, 40)),
    )


@prop("GridSample")
def grid_sample_of_any_type(d: Draw) -> Sample:
    """The nearest pixel, or nothing beyond the border."""
    dtype = d.dtype("T1")
    shape = (d.integer(1, 2), d.integer(1, 2), d.integer(1, 4), d.integer(1, 4))
    x = d.array(dtype, shape)
    out = (d.integer(1, 3), d.integer(1, 3))
    at = d.rng().integers(-2, 6, (shape[0], *out, 2))  # (column, row)
    size = np.array([shape[3], shape[2]])
    grid = ((2 * at + 1.25) / size - 1).astype(np.float32)
    border = d.flag()
    inside = ((at >= 0) & (at < size)).all(-1)
    column, row = (np.clip(at[..., i], 0, size[i] - 1) for i in range(2))
    want = np.empty((*shape[:2], *out), dtype)
    for n in range(shape[0]):
        want[n] = x[n][:, row[n], column[n]]
        if not border:
            want[n] = np.where(inside[n], want[n], np.array("" if kind_of(dtype) == "O" else 0).astype(dtype))
    attributes = {"mode": "nearest", "padding_mode": "border" if border else "zeros"}
    return Sample([x, grid], attributes, [want])


@prop("AffineGrid")
def affine_grid(d: Draw) -> Sample:
    dtype = d.dtype("T1")
    size = [d.integer(1, 2), d.integer(1, 3), *(d.integer(1, 5) for _ in range(d.integer(2, 3)))]
    k = len(size) - 2
    theta = d.plain(dtype, (size[0], k, k + 1))
    attributes: dict[str, Any] = {}
    align = d.attribute("align_corners", st.integers(0, 1), attributes)
    lines = [np.linspace(-1, 1, n) if align else (2 * np.arange(n) + 1) / n - 1 for n in size[2:]]
    if align:
        lines = [v if len(v) > 1 else np.array([-1.0]) for v in lines]
    coordinates = np.stack([*reversed(np.meshgrid(*lines, indexing="ij")), np.ones(size[2:])], -1)
    want = np.einsum("...c,nkc->n...k", coordinates, wide(theta))
    return Sample([theta, int64s(size)], attributes, [want.astype(dtype)], atol=slack(dtype, 10))


@prop("RoiAlign")
def roi_align(d: Draw) -> Sample:
    dtype = d.dtype("T1")
    count = d.integer(0, 3)
    shape = (d.integer(1, 2), d.integer(1, 3), d.integer(3, 8), d.integer(3, 8))
    x = d.plain(dtype, shape)
    corner = d.plain(np.float64, (count, 2), 0, 6)
    rois = np.concatenate([corner, corner + d.plain(np.float64, (count, 2), 0.5, 6)], 1)
    rois = (np.rint(rois * 8) / 8).astype(dtype)
    batch = d.rng().integers(0, shape[0], count)
    attributes: dict[str, Any] = {"output_height": d.integer(1, 3), "output_width": d.integer(1, 3)}
    attributes["sampling_ratio"] = d.integer(0, 3)
    attributes["spatial_scale"] = d.choice([1.0, 0.5])
    d.attribute("mode", st.sampled_from(["avg", "max"]), attributes)
    d.attribute("coordinate_transformation_mode", st.sampled_from(["half_pixel", "output_half_pixel"]), attributes)
    wide_inputs = [x.astype(np.float32), rois.astype(np.float32), batch]
    answer: Any = Sample(wide_inputs, attributes, by="onnxruntime", opset=min(d.version, 16), cast=dtype)
    if not count:
        answer = [np.zeros((0, shape[1], attributes["output_height"], attributes["output_width"]), dtype)]
    return Sample([x, rois, batch], attributes, answer, outputs=[dtype], rtol=1e-3, atol=max(1e-4, slack(dtype, 20)))


@prop("MaxRoiPool")
def max_roi_pool(d: Draw) -> Sample:
    dtype = d.dtype("T")
    count = d.integer(1, 3)
    shape = (d.integer(1, 2), d.integer(1, 3), d.integer(3, 8), d.integer(3, 8))
    x = d.plain(dtype, shape)
    corner = d.rng().integers(0, 6, (count, 2)) + 0.25
    far = corner + d.rng().integers(0, 6, (count, 2))
    rois = np.concatenate([d.rng().integers(0, shape[0], (count, 1)), corner, far], 1).astype(dtype)
    attributes: dict[str, Any] = {"pooled_shape": [d.integer(1, 3), d.integer(1, 3)]}
    d.attribute("spatial_scale", st.sampled_from([1.0, 0.5]), attributes)
    answer = Sample([x.astype(np.float32), rois.astype(np.float32)], attributes, by="onnxruntime", opset=1, cast=dtype)
    return Sample([x, rois], attributes, answer, outputs=[dtype])
