"""Resize, Upsample and the sampling operators against the reference and onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conformance.backends import Prepare
from tests.ops.harness import check

TRANSFORMS = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric"]
SCALES = [[1, 1, 2, 2], [1, 1, 0.6, 0.6], [1, 1, 1.7, 0.4], [1, 1, 3, 1]]
SIZES = [[1, 2, 9, 3], [1, 2, 4, 12], [1, 2, 5, 6], [1, 2, 1, 1]]


def image(dtype: Any = np.float32) -> np.ndarray:
    return (np.random.default_rng(0).random((1, 2, 5, 6)) * 100).astype(dtype)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("sizes", SIZES)
def test_sizes(backend: Prepare, transform: Any, mode: Any, sizes: Any) -> None:
    if transform == "pytorch_half_pixel" and sizes[3] == 1:
        pytest.skip("the reference takes coordinate -0.5 where the specification says 0")
    inputs = [image(), None, None, np.array(sizes)]
    check(backend, "Resize", inputs, mode=mode, coordinate_transformation_mode=transform, rtol=1e-4)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("antialias", [0, 1])
@pytest.mark.parametrize("exclude_outside", [0, 1])
def test_scales(backend: Prepare, transform: Any, mode: Any, scales: Any, antialias: Any, exclude_outside: Any) -> None:
    inputs = [image(), None, np.array(scales, np.float32)]
    check(
        backend, "Resize", inputs, mode=mode, coordinate_transformation_mode=transform, antialias=antialias,
        exclude_outside=exclude_outside, rtol=1e-4, atol=1e-3,
    )  # fmt: skip


@pytest.mark.parametrize("transform", TRANSFORMS[:4])
@pytest.mark.parametrize("nearest", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int32])
def test_nearest(backend: Prepare, transform: Any, nearest: Any, sizes: Any, dtype: Any) -> None:
    inputs = [image(dtype), None, None, np.array(sizes)]
    check(
        backend, "Resize", inputs, oracle="onnxruntime", mode="nearest", nearest_mode=nearest,
        coordinate_transformation_mode=transform, rtol=0, atol=0,
    )  # fmt: skip


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("roi", [[0, 0, 0.2, 0.3, 1, 1, 0.7, 0.8], [0, 0, -0.4, 0.5, 1, 1, 0.6, 1.2]])
def test_crop_and_resize(backend: Prepare, mode: Any, roi: Any) -> None:
    inputs = [image(), np.array(roi, np.float32), None, np.array([1, 2, 3, 4])]
    check(
        backend, "Resize", inputs, mode=mode, coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=10.0, rtol=1e-4,
    )  # fmt: skip


@pytest.mark.parametrize("policy", ["stretch", "not_larger", "not_smaller"])
@pytest.mark.parametrize("axes", [None, [2, 3], [3, 2]])
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_aspect_ratio(backend: Prepare, policy: Any, axes: Any, mode: Any) -> None:
    sizes = [7, 8] if axes else [1, 2, 7, 8]
    if not axes and policy != "stretch":
        pytest.skip("all axes would be scaled alike")
    check(
        backend,
        "Resize",
        [image(), None, None, np.array(sizes)],
        keep_aspect_ratio_policy=policy,
        axes=axes,
        mode=mode,
        rtol=1e-4,
    )


@pytest.mark.parametrize("shape", [(7,), (3, 5), (2, 3, 5), (1, 2, 3, 4, 5), (1, 4, 5, 3)])
def test_linear_of_any_rank(backend: Prepare, shape: Any) -> None:
    x = np.random.default_rng(0).random(shape).astype(np.float32)
    scales = np.linspace(1.5, 0.5, len(shape)).astype(np.float32)
    check(backend, "Resize", [x, None, scales], mode="linear", rtol=1e-4)


@pytest.mark.parametrize("opset", [7, 9])
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_upsample(backend: Prepare, opset: Any, mode: Any) -> None:
    x, scales = image(), [1.0, 1.0, 2.0, 3.0]
    if opset == 7:
        check(
            backend,
            "Upsample",
            [x],
            opset=7,
            scales=scales,
            mode=mode,
            oracle="onnxruntime",
            rtol=1e-5,
            outputs=[np.float32],
        )
    else:
        check(
            backend,
            "Upsample",
            [x, np.array(scales, np.float32)],
            opset=9,
            mode=mode,
            oracle="onnxruntime",
            rtol=1e-5,
            outputs=[np.float32],
        )


@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_resize_10(backend: Prepare, scales: Any, mode: Any) -> None:
    check(
        backend,
        "Resize",
        [image(), np.array(scales, np.float32)],
        opset=10,
        mode=mode,
        oracle="onnxruntime",
        rtol=1e-4,
        outputs=[np.float32],
    )


@pytest.mark.parametrize("opset", [11, 13, 18])
@pytest.mark.parametrize("nearest_mode", ["floor", "round_prefer_ceil"])
def test_resize_tf_half_pixel_for_nn(backend: Prepare, opset: int, nearest_mode: str) -> None:
    """Versions 11 and 12 have it; TensorFlow's exporter writes it in later ones too."""
    sizes = np.array([2, 3, 7, 4], np.int64)
    empty = np.zeros(0, np.float32)  # optional from version 13 on
    check(
        backend,
        "Resize",
        [image(), *([empty, empty] if opset < 13 else [None, None]), sizes],
        opset=opset,
        mode="nearest",
        nearest_mode=nearest_mode,
        coordinate_transformation_mode="tf_half_pixel_for_nn",
        oracle="onnxruntime",
        outputs=[np.float32],
    )


@pytest.mark.parametrize("spatial", [(5, 6), (3, 4, 5), (1, 7)])
@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align_corners", [0, 1])
def test_grid_sample(backend: Prepare, spatial: Any, mode: Any, padding: Any, align_corners: Any) -> None:
    if len(spatial) == 3 and mode == "cubic":
        pytest.skip("the oracle takes too long")
    if 1 in spatial and align_corners and padding == "reflection":
        pytest.skip("reflection inside an axis of length 0 is not defined")
    rng = np.random.default_rng(len(spatial))
    x = rng.normal(size=(2, 3, *spatial)).astype(np.float32)
    grid = rng.uniform(-1.6, 1.6, size=(2, *[4] * len(spatial), len(spatial))).astype(np.float32)
    check(
        backend,
        "GridSample",
        [x, grid],
        opset=20,
        mode=mode,
        padding_mode=padding,
        align_corners=align_corners,
        # The reference moves points to the border before the cubic, which PyTorch and onnxruntime do not.
        oracle="onnxruntime" if (mode, padding) == ("cubic", "border") else "reference",
        rtol=1e-4,
        atol=1e-5,
    )


@pytest.mark.parametrize("size", [[2, 3, 4, 5], [1, 1, 3, 4, 2]])
@pytest.mark.parametrize("align_corners", [0, 1])
def test_affine_grid(backend: Prepare, size: Any, align_corners: Any) -> None:
    k = len(size) - 2
    theta = np.random.default_rng(0).normal(size=(size[0], k, k + 1)).astype(np.float32)
    check(backend, "AffineGrid", [theta, np.array(size)], align_corners=align_corners, oracle="onnxruntime", rtol=1e-4)


@pytest.mark.parametrize("how", [{}, {"strides": [2, 1]}, {"dilations": [1, 2]}, {"pads": [1, 0, 2, 1]}])
def test_col2im(backend: Prepare, how: Any) -> None:
    image_shape, block = np.array([7, 8]), np.array([2, 3])
    strides, dilations, pads = how.get("strides", [1, 1]), how.get("dilations", [1, 1]), how.get("pads", [0] * 4)
    columns = [
        (image_shape[i] + pads[i] + pads[i + 2] - dilations[i] * (block[i] - 1) - 1) // strides[i] + 1 for i in range(2)
    ]
    x = np.random.default_rng(0).normal(size=(2, 3 * 6, int(np.prod(columns)))).astype(np.float32)
    check(backend, "Col2Im", [x, image_shape, block], rtol=1e-5, **how)


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("ratio", [0, 2])
@pytest.mark.parametrize(("opset", "transform"), [(16, "half_pixel"), (16, "output_half_pixel"), (10, None)])
def test_roi_align(backend: Prepare, mode: Any, ratio: Any, opset: Any, transform: Any) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 3, 12, 10)).astype(np.float32)
    corner = rng.random((4, 2)) * 10
    rois = np.hstack([corner, corner + rng.random((4, 2)) * 12]).astype(np.float32)
    check(
        backend, "RoiAlign", [x, rois, np.array([0, 1, 1, 0])], opset=opset, mode=mode, sampling_ratio=ratio, output_height=3,
        output_width=2, spatial_scale=0.8, coordinate_transformation_mode=transform, oracle="onnxruntime", rtol=1e-4,
    )  # fmt: skip


def test_max_roi_pool(backend: Prepare) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 3, 12, 10)).astype(np.float32)
    corner = rng.random((4, 2)) * 10
    rois = np.hstack([[[0], [1], [1], [0]], corner, corner + rng.random((4, 2)) * 12]).astype(np.float32)
    check(
        backend,
        "MaxRoiPool",
        [x, rois],
        opset=21,
        pooled_shape=[3, 2],
        spatial_scale=0.8,
        oracle="onnxruntime",
        rtol=1e-5,
    )


def test_max_unpool(backend: Prepare) -> None:
    x = np.array([[[[5, 6], [7, 8]]]], np.float32)
    indices = np.array([[[[5, 7], [13, 15]]]])
    check(backend, "MaxUnpool", [x, indices], kernel_shape=[2, 2], strides=[2, 2], rtol=0, atol=0)
