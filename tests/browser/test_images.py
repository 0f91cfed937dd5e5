"""Images to tensors and back in a page: every source, order of channels and layout, with known pixels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.chromium import Chromium, Tab

# A picture of two pixels, one above the other: red 255, green 0, blue 51 and red 0, green 102, blue 255.
PIXELS = "new ImageData(new Uint8ClampedArray([255, 0, 51, 255, 0, 102, 255, 255]), 1, 2)"
PLANES = [1, 0, 0, 0.4, 0.2, 1]
ALPHA = [1, 1]


@pytest.fixture(scope="module")
def page(chromium: Chromium) -> Iterator[Tab]:
    page = chromium.page()
    yield page
    page.close()


def tensor(page: Tab, source: str, options: str = "undefined") -> dict[str, Any]:
    """The tensor that fromImage makes of a JavaScript expression."""
    result: dict[str, Any] = page.evaluate(
        f"""async () => {{
            const image = {PIXELS};
            const canvas = Object.assign(document.createElement('canvas'), {{ width: 1, height: 2 }});
            canvas.getContext('2d').putImageData(image, 0, 0);
            const element = new Image();
            element.src = canvas.toDataURL();
            await element.decode();
            const blob = await new Promise(resolve => canvas.toBlob(resolve));
            const made = await onnxlet.Tensor.fromImage(await ({source}), {options});
            return {{ type: made.type, dims: [...made.dims], data: Array.from(made.data, v => Math.round(v * 1e4) / 1e4) }};
        }}"""
    )
    return result


@pytest.mark.parametrize(
    "source",
    [
        "image",
        "createImageBitmap(image)",
        "canvas",
        "blob",
        "canvas.toDataURL()",
        "new VideoFrame(canvas, {timestamp: 0})",
    ],
)
def test_every_source_gives_the_same_planes(page: Tab, source: str) -> None:
    assert tensor(page, source) == {"type": "float32", "dims": [1, 3, 2, 1], "data": PLANES}


def test_an_element_gives_alpha_too_as_in_onnxruntime_web(page: Tab) -> None:
    assert tensor(page, "element") == {"type": "float32", "dims": [1, 4, 2, 1], "data": PLANES + ALPHA}
    assert tensor(page, "element", "{ tensorFormat: 'RGB' }")["data"] == PLANES


@pytest.mark.parametrize(
    ("options", "dims", "data"),
    [
        ("{ tensorFormat: 'BGR' }", [1, 3, 2, 1], [0.2, 1, 0, 0.4, 1, 0]),
        ("{ tensorFormat: 'RBG' }", [1, 3, 2, 1], [1, 0, 0.2, 1, 0, 0.4]),
        ("{ tensorLayout: 'NHWC' }", [1, 2, 1, 3], [1, 0, 0.2, 0, 0.4, 1]),
        ("{ dataType: 'uint8' }", [1, 3, 2, 1], [255, 0, 0, 102, 51, 255]),
        ("{ norm: { mean: 51, bias: [51, 0, -51] } }", [1, 3, 2, 1], [6, 1, 0, 2, 0, 4]),
        ("{ norm: { bias: 255 } }", [1, 3, 2, 1], [2, 1, 1, 1.4, 1.2, 2]),
    ],
)  # fmt: skip
def test_options(page: Tab, options: str, dims: list[int], data: list[float]) -> None:
    made = tensor(page, "image", options)
    assert (made["dims"], made["data"]) == (dims, data)


def test_an_image_is_scaled(page: Tab) -> None:
    plain = "new ImageData(8, 8)"
    made = tensor(page, plain, "{ resizedWidth: 4, resizedHeight: 2, tensorFormat: 'RGBA' }")
    assert made["dims"] == [1, 4, 2, 4] and set(made["data"]) == {0}


def test_there_and_back(page: Tab) -> None:
    same = page.evaluate(
        f"""async () => {{
            const image = {PIXELS};
            const results = [];
            for (const format of ['RGB', 'RGBA', 'BGR', 'RBG']) for (const tensorLayout of ['NCHW', 'NHWC']) {{
                const made = await onnxlet.Tensor.fromImage(image, {{ tensorFormat: format, tensorLayout }});
                const back = made.toImageData({{ format, tensorLayout }});
                results.push(back.width === 1 && back.height === 2 && String(back.data) === String(image.data));
            }}
            const made = await onnxlet.Tensor.fromImage(image);
            const again = await onnxlet.Tensor.fromImage(made.toDataURL());
            return results.concat(String(again.data) === String(made.data));
        }}"""
    )
    assert same == [True] * 9


@pytest.mark.parametrize(
    ("make", "message"),
    [
        ("onnxlet.Tensor.fromImage('data:text/plain,no')", "LOAD_FAILED: Tensor.fromImage: data:text/plain,no is no image"),
        (f"onnxlet.Tensor.fromImage({PIXELS}, {{ tensorFormat: 'XYZ' }})", "must be RGB, RGBA, BGR or RBG; it is \"XYZ\""),
        ("new onnxlet.Tensor('float32', [1, 2], [1, 2]).toImageData()", "needs the shape [1, channels, height, width]"),
    ],
)  # fmt: skip
def test_errors(page: Tab, make: str, message: str) -> None:
    found = page.evaluate(
        f"async () => {{ try {{ await {make}; return 'no error'; }} catch (e) {{ return e.code + ': ' + e.message; }} }}"
    )
    assert message in found
