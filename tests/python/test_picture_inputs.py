"""Pictures as inputs of the commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onnxlet import InvalidArgument, NoSuchFile, NotImplemented
from onnxlet.cli import readers
from onnxlet.cli.readers import image
from onnxlet.cli.usage import BadOption

from .command import FLOAT, arg


@pytest.mark.parametrize(
    ("shape", "options", "result"),
    [
        ([1, 3, 4, 8], "", (1, 3, 4, 8)),
        ([1, 4, 8, 3], "", (1, 4, 8, 3)),
        (["N", 3, "H", "W"], "", (1, 3, 4, 8)),
        (["N", "H", "W", 3], "", (1, 4, 8, 3)),
        ([1, 1, 4, 8], "", (1, 1, 4, 8)),
        ([1, 4, 4, 8], "", (1, 4, 4, 8)),
        ([1, 4, 3, 8], ",layout=nchw", (1, 4, 3, 8)),
        ([3, 4, 8], "", (3, 4, 8)),
        ([4, 8, 3], "", (4, 8, 3)),
        ([4, 8], "", (4, 8)),
        ([1, 3, 2, 2], "", (1, 3, 2, 2)),
        ([None, None, None, None], ",size=6x10,layout=nhwc", (1, 6, 10, 3)),
        ([None, None, None, None], ",size=6", (1, 3, 6, 6)),
        ([None, None, None, None], ",resize=2", (1, 3, 2, 4)),
        ([None, None, None, None], ",layout=cnhw", (3, 1, 4, 8)),
    ],
)
def test_a_picture_gets_the_shape_of_the_input(picture: Path, shape: Any, options: str, result: Any) -> None:
    tensor = readers.read(f"{picture}{options}", arg(shape))
    assert tensor.shape == result and tensor.dtype == np.float32


def test_values_of_a_picture(picture: Path) -> None:
    left, right = readers.read(str(picture), arg([1, 3, 4, 8]))[0, :, 0, [0, 7]]
    assert left.tolist() == [1, 0, 0] and right.tolist() == [0, 0, 1]
    read = lambda options: readers.read(f"{picture},{options}", arg([1, 3, 4, 8]))[0, :, 0, 0]  # noqa: E731
    assert read("range=0:255").tolist() == [255, 0, 0]
    assert read("range=-1:1").tolist() == [1, -1, -1]
    assert read("channels=bgr").tolist() == [0, 0, 1]
    np.testing.assert_allclose(read("mean=0.5,std=0.25"), [2, -2, -2])
    mean, std = (np.array(image.IMAGENET[key], np.float32) for key in ("mean", "std"))
    np.testing.assert_allclose(read("mean=imagenet,std=imagenet"), ([1, 0, 0] - mean) / std, rtol=1e-6)
    np.testing.assert_allclose(read("mean=0.1,0.2,0.3,channels=bgr"), [-0.3, -0.2, 0.9], rtol=1e-6)


def test_integers_keep_the_pixels(picture: Path) -> None:
    tensor = readers.read(str(picture), arg([1, 4, 8, 3], "tensor(uint8)"))
    assert tensor.dtype == np.uint8 and tensor[0, 0, 0].tolist() == [255, 0, 0]
    signed = readers.read(f"{picture},range=-128:127", arg([1, 4, 8, 3], "tensor(int8)"))
    assert signed[0, 0, 0].tolist() == [127, -128, -128]
    assert readers.read(str(picture), arg([1, 3, 4, 8], "tensor(float16)")).dtype == np.float16


def test_a_list_of_bytes_gets_the_file_itself(picture: Path) -> None:
    assert readers.read(str(picture), arg(["N"], "tensor(uint8)")).tobytes() == picture.read_bytes()


def test_how_a_picture_fits(picture: Path) -> None:
    red = {
        fit: readers.read(f"{picture},size=4x4,fit={fit},resample=nearest", arg([1, 3, None, None]))[0, 0].tolist()
        for fit in ("crop", "stretch", "pad")
    }
    assert red["crop"] == red["stretch"] == [[1, 1, 0, 0]] * 4  # the middle of it, and all of it
    assert red["pad"] == [[0] * 4, [1, 1, 0, 0], [1, 1, 0, 0], [0] * 4]
    cut = readers.read(f"{picture},resize=4,size=2x6", arg([1, 3, None, None]))  # no scaling twice
    assert cut.shape == (1, 3, 2, 6) and cut[0, 0].tolist() == [[1, 1, 1, 0, 0, 0]] * 2


def test_a_turned_photograph_stands_upright(picture: Path, tmp_path: Path) -> None:
    pil = pytest.importorskip("PIL.Image")
    exif = pil.Exif()
    exif[0x0112] = 6  # the camera was turned by 90 degrees
    turned = tmp_path / "turned.jpg"
    with pil.open(picture) as opened:
        opened.save(turned, exif=exif)
    assert readers.read(str(turned), arg([1, 3, None, None])).shape == (1, 3, 8, 4)


@pytest.mark.parametrize(
    ("options", "shape", "kind", "words"),
    [
        ("size=big", [1, 3, 4, 8], FLOAT, "size=big: write sizes as 224x224 (height x width)"),
        ("size=1x2x3", [1, 3, 4, 8], FLOAT, "size=1x2x3: write sizes as 224x224 (height x width)"),
        ("size=0x4", [1, 3, 4, 8], FLOAT, "size=0x4: write sizes as 224x224 (height x width)"),
        ("fit=tight", [1, 3, 4, 8], FLOAT, "fit takes crop, stretch or pad; 'tight' given"),
        ("resize=0", [1, 3, 4, 8], FLOAT, "resize takes a whole number from 1 on; '0' given"),
        ("channels=cmyk", [1, 3, 4, 8], FLOAT, "channels takes rgb, bgr, gray or rgba; 'cmyk' given"),
        ("range=1", [1, 3, 4, 8], FLOAT, "range takes what black and white become, such as 0:1 or -1:1; '1' given"),
        ("range=a:b", [1, 3, 4, 8], FLOAT, "range takes what black and white become, such as 0:1 or -1:1; 'a:b' given"),
        ("mean=a", [1, 3, 4, 8], FLOAT, "mean takes numbers such as 0.5 or 0.485,0.456,0.406; 'a' given"),
        ("mean=1,2", [1, 3, 4, 8], FLOAT, "mean takes one number or 3 for rgb; '1,2' given"),
        ("std=0", [1, 3, 4, 8], FLOAT, "std is what pixels are divided by; 0 given"),
        ("layout=nwhx", [1, 3, 4, 8], FLOAT, "layout takes letters of nchw, each once, such as nhwc; 'nwhx' given"),
        ("layout=nn", [1, 3, 4, 8], FLOAT, "layout takes letters of nchw, each once, such as nhwc; 'nn' given"),
        ("layout=hw,channels=rgb", [4, 8], FLOAT, "a layout without c, 'hw', is for gray pictures; channels=rgb given"),
        ("resample=soft", [4, 8], FLOAT, "resample takes nearest, bilinear, bicubic or lanczos; 'soft' given"),
        ("mean=1", [4, 8], "tensor(uint8)", "mean and std make fractions, and input 'x' is a tensor(uint8)"),
        (
            "rate=1",
            [4, 8],
            FLOAT,
            "input 'x': a .png file takes size, fit, resize, channels, range, mean, std, layout, resample; 'rate' given",
        ),
    ],
)
def test_wrong_options_of_pictures(picture: Path, options: str, shape: Any, kind: str, words: str) -> None:
    with pytest.raises(BadOption) as caught:
        readers.read(f"{picture},{options}", arg(shape, kind))
    assert str(caught.value) == words


def test_pictures_that_cannot_be_read(picture: Path, tmp_path: Path, hide_package: Callable[[str], None]) -> None:
    damaged = tmp_path / "damaged.png"
    damaged.write_bytes(picture.read_bytes()[:40])
    with pytest.raises(InvalidArgument, match=r"input 'x': '.*damaged.png' is not a readable picture: "):
        readers.read(str(damaged), arg([1, 3, 4, 8]))
    with pytest.raises(NoSuchFile, match=r"input 'x': 'none.png' does not exist"):
        readers.read("none.png", arg([1, 3, 4, 8]))
    with pytest.raises(InvalidArgument, match=r"input 'x': a picture does not become a tensor\(string\)"):
        readers.read(str(picture), arg([1], "tensor(string)"))
    hide_package("PIL")
    with pytest.raises(NotImplemented, match=r"reading pictures needs Pillow: pip install 'onnxlet\[images\]'"):
        readers.read(str(picture), arg([1, 3, 4, 8]))
