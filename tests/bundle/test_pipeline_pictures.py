"""Pictures in a pipeline against Pillow, and boxes and masks in them against numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper
from PIL import Image

from tests.bundle.cases import without_overlaps
from tests.bundle.composing import FLOAT, FLOAT16, UINT8, Dims, composed, numbers, png, run, shades, softmax

FILTERS = {
    "nearest": Image.Resampling.NEAREST,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
}


def seen(
    folder: Path, engine: str, keys: str, pixels: np.ndarray, dims: Dims = (1, 3, None, None), kind: int = FLOAT
) -> np.ndarray:
    """What the model gets of a picture."""
    text = f'[inputs.picture]\nkind = "image"\n{keys}\n'
    return run(composed(folder, text, ("x", kind, dims)), engine, picture=png(pixels))["x_out"]


SIZES = [(61, 67, 31, 33), (1, 1, 5, 3), (48, 28, 18, 63), (7, 64, 7, 1), (2, 2, 1, 3), (30, 50, 90, 70)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic"])
def test_pixels_are_those_of_pillow(
    tmp_path: Path, engine: str, interpolation: str, size: tuple[int, int, int, int]
) -> None:
    height, width, to_height, to_width = size
    pixels = shades(height, width)
    keys = f'size = [{to_height}, {to_width}]\ninterpolation = "{interpolation}"\nscale = 1'
    found = seen(tmp_path, engine, keys, pixels)[0].transpose(1, 2, 0)
    # Pillow goes along the height first where that is less work, torchvision never does.
    wide = Image.fromarray(pixels).resize((to_width, height), FILTERS[interpolation])
    expected = np.asarray(wide.resize((to_width, to_height), FILTERS[interpolation]), np.float32)
    assert np.abs(found - expected).max() <= 1  # its weights are whole numbers: halves may round the other way


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic"])
def test_pixels_are_rounded_once_in_each_direction(
    tmp_path: Path, engine: str, interpolation: str, size: tuple[int, int, int, int]
) -> None:
    height, width, _, to_width = size
    pixels = shades(height, width)
    keys = f'size = [{height}, {to_width}]\ninterpolation = "{interpolation}"\nscale = 1'
    found = seen(tmp_path, engine, keys, pixels)[0]
    for channel in range(3):  # Pillow resizes floats without rounding
        plane = Image.fromarray(pixels[..., channel].astype(np.float32))
        exact = np.clip(np.asarray(plane.resize((to_width, height), FILTERS[interpolation])), 0, 255)
        assert np.abs(found[channel] - exact).max() <= 0.5 + 1e-3
        np.testing.assert_array_equal(found[channel], np.round(found[channel]))


@pytest.mark.parametrize("size", SIZES)
def test_the_nearest_pixel(tmp_path: Path, engine: str, size: tuple[int, int, int, int]) -> None:
    height, width, to_height, to_width = size
    pixels = shades(height, width)
    found = seen(tmp_path, engine, f'size = [{to_height}, {to_width}]\ninterpolation = "nearest"\nscale = 1', pixels)
    # The pixel under the middle of the new one, in whole numbers.
    rows, columns = (
        (2 * np.arange(to) + 1) * side // (2 * to) for side, to in ((height, to_height), (width, to_width))
    )
    np.testing.assert_array_equal(found[0].transpose(1, 2, 0), pixels[rows][:, columns])


def fitted(pixels: np.ndarray, height: int, width: int, pad: int, start: bool) -> np.ndarray:
    image = Image.fromarray(pixels)
    ratio = min(height / image.height, width / image.width)
    size = tuple(max(1, int(side * ratio + 0.5 + 1e-9)) for side in image.size)
    frame = Image.new("RGB", (width, height), (pad, pad, pad))
    corner = (0, 0) if start else ((width - size[0]) // 2, (height - size[1]) // 2)
    frame.paste(image.resize(size, FILTERS["bilinear"]), corner)
    return np.asarray(frame, np.float32)


def cropped(pixels: np.ndarray, height: int, width: int, shorter: int | None) -> np.ndarray:
    """As torchvision's Resize(shorter) and CenterCrop, for squares."""
    image = Image.fromarray(pixels)
    short = shorter or min(height, width)
    least = min(image.size)
    size = tuple(short * side // least for side in image.size)
    left, top = round((size[0] - width) / 2), round((size[1] - height) / 2)
    resized = image.resize(size, FILTERS["bilinear"])
    return np.asarray(resized.crop((left, top, left + width, top + height)), np.float32)


@pytest.mark.parametrize("shape", [(40, 61), (61, 40), (33, 33), (5, 3), (97, 8)])
@pytest.mark.parametrize(
    ("keys", "formula"),
    [
        ('resize = "fit"\nsize = [31, 47]\npad = 114', lambda p: fitted(p, 31, 47, 114, False)),
        ('resize = "fit"\nsize = 32\nalign = "start"', lambda p: fitted(p, 32, 32, 0, True)),
        ('resize = "crop"\nsize = 32', lambda p: cropped(p, 32, 32, None)),
        ('resize = "crop"\nsize = 32\nshorter = 37', lambda p: cropped(p, 32, 32, 37)),
        (
            'resize = "height"\nsize = [16, 1]\nnarrowest = 9',
            lambda p: np.asarray(
                Image.fromarray(p).resize((max(9, int(p.shape[1] * 16 / p.shape[0] + 0.5)), 16), FILTERS["bilinear"]),
                np.float32,
            ),
        ),
        ('resize = "none"', lambda p: p.astype(np.float32)),
    ],
)
def test_ways_to_the_size(tmp_path: Path, engine: str, keys: str, formula: Any, shape: tuple[int, int]) -> None:
    pixels = shades(*shape)
    found, expected = seen(tmp_path, engine, f"{keys}\nscale = 1", pixels)[0].transpose(1, 2, 0), formula(pixels)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= 1


@pytest.mark.parametrize(
    ("keys", "dims", "kind", "formula"),
    [
        ("", (1, 3, 8, 9), FLOAT, lambda p: p.transpose(2, 0, 1) / 255),
        ('color = "BGR"', (None, 8, 9, 3), FLOAT, lambda p: p[..., ::-1] / 255),
        (
            "mean = [0.485, 0.456, 0.406]\nstd = [0.229, 0.224, 0.225]",
            ("n", 3, 8, 9),
            FLOAT,
            lambda p: ((p / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]).transpose(2, 0, 1),
        ),
        ("mean = [0.5]\nstd = [0.5]", (1, 3, 8, 9), FLOAT16, lambda p: (p / 127.5 - 1).transpose(2, 0, 1)),
        ("", (1, 8, 9, 3), UINT8, lambda p: p),
        ("scale = 2\nmean = [255]", (1, 8, 9, 3), UINT8, lambda p: np.clip(2.0 * p - 255, 0, 255)),
    ],
)
def test_numbers_of_pixels(tmp_path: Path, engine: str, keys: str, dims: Dims, kind: int, formula: Any) -> None:
    pixels = shades(8, 9)
    found = seen(tmp_path, engine, keys, pixels, dims, kind)
    assert found.dtype == helper.tensor_dtype_to_np_dtype(kind)
    np.testing.assert_allclose(found[0], formula(pixels.astype(np.float64)), atol=1e-3 if kind == FLOAT16 else 1e-6)


def test_gray(tmp_path: Path, engine: str) -> None:
    pixels = shades(8, 9)
    found = seen(tmp_path, engine, 'color = "gray"\nscale = 1', pixels, (1, 1, 8, 9))
    np.testing.assert_array_equal(found[0, 0], np.asarray(Image.fromarray(pixels).convert("L"), np.float32))


# ---- boxes and masks ----


def boxes_text(extra: str, dims: str) -> str:
    return f"""
    [inputs.picture]
    kind = "image"
    to = "image"
    {dims}
    [outputs.things]
    kind = "boxes"
    {extra}
    """


@pytest.mark.parametrize("format_", ["yolov5", "yolov8"])
@pytest.mark.parametrize("most", [100, 3])
def test_boxes_of_yolo(tmp_path: Path, engine: str, format_: str, most: int) -> None:
    rng = np.random.default_rng(1)
    centres, sizes = rng.uniform(0, 64, (40, 2)), rng.uniform(4, 40, (40, 2))
    kinds, sure = rng.uniform(0, 1, (40, 3)), rng.uniform(0.5, 1, (40, 1))
    columns = [centres, sizes, kinds] if format_ == "yolov8" else [centres, sizes, sure, kinds]
    raw = np.concatenate(columns, axis=1).astype(np.float32)[None]
    raw = np.ascontiguousarray(raw.transpose(0, 2, 1)) if format_ == "yolov8" else raw
    keys = f'format = "{format_}"\nfrom = "raw_out"\nmost = {most}\nlabels = ["cat", "dog", "fox"]\niou = 0.4'
    application = composed(
        tmp_path,
        boxes_text(keys, 'resize = "fit"'),
        ("image", FLOAT, (1, 3, 64, 64)),
        ("raw", FLOAT, raw.shape),
    )
    found = run(application, engine, picture=png(shades(30, 60)), raw=raw)
    scores = kinds if format_ == "yolov8" else (kinds * sure)
    best, kind = scores.max(1), scores.argmax(1)
    corners = np.concatenate([centres - sizes / 2, centres + sizes / 2], axis=1)
    kept = [
        at
        for k in range(3)
        for at in np.flatnonzero(kind == k)[without_overlaps(corners[kind == k], best[kind == k], 0.5, 0.4)]
    ]
    kept = sorted(kept, key=lambda at: -best[at])[:most]
    assert len(kept) >= 3
    expected = (corners[kept] - [0, 16, 0, 16]) / ([64 / 60, 32 / 30] * 2)
    np.testing.assert_allclose(found["things"], np.clip(expected, 0, [60, 30, 60, 30]), atol=1e-3)
    np.testing.assert_allclose(found["things_scores"], best[kept], rtol=1e-5)
    assert list(found["things_labels"]) == [["cat", "dog", "fox"][k] for k in kind[kept]]


def test_boxes_of_ssd_with_anchors_of_a_file(tmp_path: Path, engine: str) -> None:
    rng = np.random.default_rng(2)
    anchors = rng.uniform(0.1, 0.9, (20, 4)).astype(np.float32)
    np.save(tmp_path / "anchors.npy", anchors)
    moves, logits = numbers(1, 20, 4, seed=3), numbers(1, 20, 2, seed=4)
    keys = """format = "ssd"
    boxes = ["b_out"]
    scores = ["s_out"]
    anchors = "anchors.npy"
    scale = 10
    exponential = true
    activation = "softmax" """
    application = composed(
        tmp_path,
        boxes_text(keys, ""),
        ("image", FLOAT, (1, 20, 40, 3)),
        ("b", FLOAT, (1, 20, 4)),
        ("s", FLOAT, (1, 20, 2)),
    )
    found = run(application, engine, picture=png(shades(10, 10)), b=moves, s=logits)
    shares = softmax(logits[0])
    best, kind = shares.max(1), shares.argmax(1)
    centres, sizes = (
        anchors[:, :2] + moves[0, :, :2] / 10 * anchors[:, 2:],
        np.exp(moves[0, :, 2:] / 10) * anchors[:, 2:],
    )
    corners = np.concatenate([centres - sizes / 2, centres + sizes / 2], axis=1)
    # Overlaps are the same in any unit, as long as it is one for each direction.
    kept = [
        at
        for k in range(2)
        for at in np.flatnonzero(kind == k)[without_overlaps(corners[kind == k], best[kind == k], 0.5, 0.45)]
    ]
    kept = sorted(kept, key=lambda at: -best[at])
    np.testing.assert_allclose(found["things"], np.clip(corners[kept] * 10, 0, 10), atol=1e-4)
    np.testing.assert_allclose(found["things_scores"], best[kept], rtol=1e-5)


def test_no_boxes(tmp_path: Path, engine: str) -> None:
    application = composed(
        tmp_path,
        boxes_text('format = "yolov8"\nfrom = "raw_out"\nlabels = ["cat"]', ""),
        ("image", FLOAT, (1, 3, 8, 8)),
        ("raw", FLOAT, (1, 5, 4)),
    )
    found = run(application, engine, picture=png(shades(9, 9)), raw=np.zeros((1, 5, 4), np.float32))
    assert {name: value.shape for name, value in found.items()} == {
        "things": (0, 4),
        "things_scores": (0,),
        "things_labels": (0,),
    }


@pytest.mark.parametrize("resize", ["stretch", "fit", "crop"])
def test_a_mask_comes_back_to_its_place(tmp_path: Path, engine: str, resize: str) -> None:
    """The model gives back what it sees of a picture with a white half: so does the mask."""
    text = f"""
    [inputs.picture]
    kind = "image"
    color = "gray"
    resize = "{resize}"
    [outputs.half]
    kind = "mask"
    threshold = 0.5
    """
    pixels = np.zeros((40, 100), np.uint8)
    pixels[:, 50:] = 255
    application = composed(tmp_path, text, ("x", FLOAT, (1, 1, 64, 64)))
    found = run(application, engine, picture=png(pixels))["half"]
    assert found.shape == (40, 100)
    expected = (pixels > 0).astype(np.float32)
    if resize == "crop":  # what was cut off at the right is nothing
        expected[:, 70:] = 0
    assert (found != expected).mean() <= 0.02


def test_the_best_channel_of_each_pixel(tmp_path: Path, engine: str) -> None:
    text = '[inputs.picture]\nkind="image"\nto="image"\n[outputs.kind]\nkind="mask"\nfrom="raw_out"\nargmax=true\nlayout="NHWC"'
    raw = numbers(1, 4, 6, 5)
    application = composed(tmp_path, text, ("image", FLOAT, (1, 3, 4, 6)), ("raw", FLOAT, raw.shape))
    found = run(application, engine, picture=png(shades(4, 6)), raw=raw)["kind"]
    np.testing.assert_array_equal(found, raw[0].argmax(-1))
