"""Makes the picture that the example reads: python examples/ocr/make_picture.py [OUT.png]

Lines of text in Pillow's bundled font, one of them turned, over a background shaded like an unsharp photograph.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

SIZE = (720, 480)
# (text, left, top, size of the font in pixels, degrees counter-clockwise, colour)
LINES = (
    ("Reading a picture with onnxlet", 60, 36, 36, 0, (250, 250, 244)),
    ("Invoice 2041-77", 70, 118, 30, 0, (28, 30, 38)),
    ("Coffee beans, 250 g", 90, 186, 28, 0, (255, 240, 200)),
    ("Total: 128.50 EUR", 120, 248, 40, 4, (20, 24, 60)),
    ("WebAssembly runs it anywhere", 64, 348, 32, 0, (255, 255, 255)),
    ("no network, no server", 330, 424, 24, 0, (250, 226, 120)),
)


def background(width: int, height: int, seed: int = 5) -> np.ndarray:
    """uint8 [height, width, 3]: a sky-to-ground gradient, soft discs of light and grain."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    top, bottom = np.array([92, 132, 168.0]), np.array([86, 70, 52.0])
    image = top + (bottom - top) * (y / height)[..., None]
    for _ in range(26):
        cx, cy, radius = rng.uniform(0, width), rng.uniform(0, height), rng.uniform(20, 110)
        edge = 1 / (1 + np.exp((np.hypot(x - cx, y - cy) - radius) / 6))
        image += edge[..., None] * rng.uniform(-26, 26, 3)
    image += rng.normal(0, 2.0, image.shape[:2])[..., None]
    return np.clip(image, 0, 255).astype(np.uint8)


def make() -> Image.Image:
    image = Image.fromarray(background(*SIZE))
    for text, left, top, size, degrees, colour in LINES:
        font = ImageFont.load_default(size)
        box = font.getbbox(text)
        layer = Image.new("L", (int(box[2]) + 8, int(box[3]) + 8), 0)
        ImageDraw.Draw(layer).text((4, 4), text, fill=255, font=font)
        layer = layer.rotate(degrees, expand=True, resample=Image.Resampling.BICUBIC)
        image.paste(Image.new("RGB", layer.size, colour), (left, top), layer)
    return image


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("picture.png")
    make().quantize(160, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(target, optimize=True)
