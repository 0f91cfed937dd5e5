"""ImageDecoder in the engine against Pillow."""

from __future__ import annotations

import functools
import io
import itertools
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper
from PIL import Image

import onnxlet
from tests.conformance.backends import Prepare, Runnable
from tests.ops.harness import make_model

FORMATS = {"RGB": "RGB", "BGR": "RGB", "Grayscale": "L"}


@functools.cache
def decoder(backend: Prepare, pixel_format: str) -> Runnable:
    bytes_of_any_file = {0: helper.make_tensor_type_proto(TensorProto.UINT8, [None])}
    x = np.zeros(0, np.uint8)
    model = make_model(
        "ImageDecoder", [x], outputs=[np.uint8], pixel_format=pixel_format, input_types=bytes_of_any_file
    )
    return backend(model.SerializeToString())


def decode(backend: Prepare, data: bytes, pixel_format: str = "RGB") -> np.ndarray:
    return np.asarray(decoder(backend, pixel_format).run([np.frombuffer(data, np.uint8)])[0])


def pillow(data: bytes, pixel_format: str = "RGB") -> np.ndarray:
    with Image.open(io.BytesIO(data)) as image:
        pixels = np.asarray(image.convert(FORMATS[pixel_format]))
    pixels = pixels.reshape(*pixels.shape[:2], -1)
    return pixels[:, :, ::-1] if pixel_format == "BGR" else pixels


def same_as_pillow(backend: Prepare, data: bytes, *formats: str) -> None:
    for pixel_format in formats or FORMATS:
        np.testing.assert_array_equal(decode(backend, data, pixel_format), pillow(data, pixel_format), pixel_format)


def picture(width: int, height: int, seed: int = 1) -> np.ndarray:
    """Smooth and noisy parts: uint8 [height, width, 3]."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    smooth = np.stack([x * 255 / max(width - 1, 1), y * 255 / max(height - 1, 1), (x + y) % 256], -1)
    noise = rng.integers(0, 256, (height, width, 3))
    return np.where((x // 8 + y // 8)[..., None] % 3 == 0, noise, smooth).astype(np.uint8)


def saved(image: Image.Image, kind: str, **how: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **how)
    return file.getvalue()


# ---- PNG ----

PNG_TYPES = (
    [(0, d) for d in (1, 2, 4, 8)] + [(3, d) for d in (1, 2, 4, 8)] + list(itertools.product((2, 4, 6), (8, 16)))
)
SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def filtered(rows: list[bytes], step: int) -> bytes:
    """Each row with another of the five filters."""
    out, above = b"", bytes(len(rows[0])) if rows else b""
    for number, row in enumerate(rows):
        kind = number % 5
        coded = bytearray()
        for i, value in enumerate(row):
            left, up = row[i - step] if i >= step else 0, above[i]
            corner = above[i - step] if i >= step else 0
            nearest = min((left, up, corner), key=lambda v: abs(left + up - corner - v))
            coded.append((value - (0, left, up, (left + up) // 2, nearest)[kind]) % 256)
        out += bytes([kind]) + coded
        above = row
    return out


def png(
    colour: int, depth: int, width: int, height: int, *, interlaced: bool = False, parts: int = 1, level: int = 6
) -> bytes:
    """Random samples of any colour type; Pillow writes few of them."""
    rng = np.random.default_rng(width * 31 + height)
    samples = rng.integers(0, 1 << depth, (height, width * SAMPLES[colour]))
    grid = samples.reshape(height, width, SAMPLES[colour])
    data = b""
    for x, y, dx, dy in ADAM7 if interlaced else [(0, 0, 1, 1)]:
        part = grid[y::dy, x::dx]
        if part.size == 0:
            continue
        rows = []
        for row in part.reshape(part.shape[0], -1):
            bits = "".join(f"{v:0{depth}b}" for v in row)
            bits += "0" * (-len(bits) % 8)
            rows.append(int(bits, 2).to_bytes(len(bits) // 8, "big"))
        data += filtered(rows, max(1, SAMPLES[colour] * depth // 8))
    packed = zlib.compress(data, level)
    cuts = [len(packed) * i // parts for i in range(parts + 1)]
    palette = chunk(b"PLTE", rng.integers(0, 256, 3 << min(depth, 8), np.uint8).tobytes()) if colour == 3 else b""
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced))
        + chunk(b"gAMA", struct.pack(">I", 45455))
        + palette
        + b"".join(chunk(b"IDAT", packed[a:b]) for a, b in itertools.pairwise(cuts))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize(("colour", "depth"), PNG_TYPES)
def test_png(backend: Prepare, colour: int, depth: int, interlaced: bool) -> None:
    for width, height in [(1, 1), (3, 2), (19, 13)]:
        same_as_pillow(backend, png(colour, depth, width, height, interlaced=interlaced))


def test_grey_of_16_bits_gives_its_upper_8(backend: Prepare) -> None:
    """As colours of 16 bits. Pillow clips such grey at 255: nearly everything becomes white."""
    data = png(0, 16, 31, 33)
    with Image.open(io.BytesIO(data)) as image:
        expected = np.asarray(image) >> 8
    np.testing.assert_array_equal(decode(backend, data, "Grayscale")[..., 0], expected)
    np.testing.assert_array_equal(decode(backend, data)[..., 2], expected)


@pytest.mark.parametrize("level", [0, 1, 9])
def test_png_of_every_compression(backend: Prepare, level: int) -> None:
    same_as_pillow(backend, png(2, 8, 97, 61, level=level, parts=5))
    same_as_pillow(backend, saved(Image.fromarray(picture(301, 203)), "png", compress_level=level))


def test_png_with_transparency(backend: Prepare) -> None:
    image = Image.fromarray(picture(40, 30))
    same_as_pillow(backend, saved(image.quantize(17), "png", transparency=3))
    same_as_pillow(backend, saved(image, "png", transparency=(1, 2, 3)))
    same_as_pillow(backend, saved(image.convert("L"), "png", transparency=7))


PNG = png(2, 8, 31, 33)
BEHIND_HEADER = 33
DAMAGED_PNG = {
    "short": (PNG[:14], "it ends at byte 14, before its picture data"),
    "no data": (PNG[:BEHIND_HEADER] + chunk(b"IEND", b""), "it has no picture data"),
    "checksum": (PNG[:20] + b"\x07" + PNG[21:], "the checksum of the chunk at byte 8 is wrong"),
    "long chunk": (
        PNG[:33] + b"\xff" + PNG[34:],
        "the chunk at byte 33 is of 4278190084 bytes, beyond the end of the file",
    ),
    "header": (PNG[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 3, 2, 0, 0, 0)), "header is impossible: depth 3"),
    "huge": (
        PNG[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", 1 << 30, 1 << 30, 8, 2, 0, 0, 0)),
        "claims to be 1073741824 x",
    ),
    "bomb": (
        PNG[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", 1 << 14, 1 << 14, 8, 2, 0, 0, 0)) + chunk(b"IDAT", b"x" * 9),
        "9 bytes of data cannot hold 16384 x 16384 pixels",
    ),
    "filter": (
        PNG[:8]
        + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(b"\x05\x00")),
        "the filter of row 0 is 5, which does not exist",
    ),
    "zlib": (
        PNG[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)) + chunk(b"IDAT", b"\0\0\0"),
        "does not begin as a zlib stream, at byte 0 of 3",
    ),
    "adler": (
        PNG[:8]
        + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(b"\0\0")[:-1] + b"\x77"),
        "its checksum is wrong",
    ),
}


@pytest.mark.parametrize("name", DAMAGED_PNG)
def test_damaged_png(backend: Prepare, name: str) -> None:
    data, words = DAMAGED_PNG[name]
    with pytest.raises(onnxlet.Fail, match=f"the PNG file of {len(data)} bytes: .*{words}"):
        decode(backend, data)


# ---- JPEG ----

SUBSAMPLING = {"4:4:4": 0, "4:2:2": 1, "4:2:0": 2}
SIZES = [(1, 1), (2, 3), (3, 2), (5, 4), (8, 8), (16, 16), (17, 15), (33, 31), (97, 61)]


@pytest.mark.parametrize("progressive", [False, True], ids=["baseline", "progressive"])
@pytest.mark.parametrize("subsampling", SUBSAMPLING)
@pytest.mark.parametrize("quality", [10, 75, 100])
def test_jpeg(backend: Prepare, quality: int, subsampling: str, progressive: bool) -> None:
    """The very samples of libjpeg."""
    for width, height in SIZES:
        image = Image.fromarray(picture(width, height))
        data = saved(image, "jpeg", quality=quality, subsampling=SUBSAMPLING[subsampling], progressive=progressive)
        same_as_pillow(backend, data)


@pytest.mark.parametrize("progressive", [False, True], ids=["baseline", "progressive"])
@pytest.mark.parametrize("mode", ["L", "CMYK"])
def test_jpeg_of_other_colours(backend: Prepare, mode: str, progressive: bool) -> None:
    for width, height in SIZES:
        image = Image.fromarray(picture(width, height)).convert(mode)
        same_as_pillow(backend, saved(image, "jpeg", quality=90, progressive=progressive))


def with_adobe_transform(data: bytes, transform: int) -> bytes:
    """The file without its JFIF segment, or with another transform in its Adobe segment."""
    at = data.find(b"Adobe")
    if at >= 0:
        return data[: at + 11] + bytes([transform]) + data[at + 12 :]
    size = int.from_bytes(data[4:6], "big")
    segment = b"Adobe" + struct.pack(">HHHB", 100, 0, 0, transform)
    return data[:2] + b"\xff\xee" + struct.pack(">H", len(segment) + 2) + segment + data[4 + size :]


def test_jpeg_of_adobe(backend: Prepare) -> None:
    image = Image.fromarray(picture(33, 31))
    for transform in (0, 1):
        same_as_pillow(backend, with_adobe_transform(saved(image, "jpeg", subsampling=0), transform))
    same_as_pillow(backend, with_adobe_transform(saved(image.convert("CMYK"), "jpeg"), 2))


def test_jpeg_with_restart_marks(backend: Prepare) -> None:
    image = Image.fromarray(picture(97, 61))
    for how in ({"restart_marker_blocks": 3}, {"restart_marker_rows": 1}):
        for progressive in (False, True):
            data = saved(image, "jpeg", progressive=progressive, **how)
            assert b"\xff\xd0" in data
            same_as_pillow(backend, data)


def jpeg_of(factors: list[int], width: int, height: int) -> bytes:
    """Random coefficients in any sampling: Pillow writes three of them."""
    rng = np.random.default_rng(width * 31 + height)
    codes = [0, *range(1, 8), 0x11, 0x21, 0x32]  # of 4 bits each: EOB, and a run of zeros with the size of a number
    tables = [bytes([0, 0, 0, len(own)]) + bytes(12) + bytes(own) for own in (codes[:8], codes)]

    def coded(code: int, size: int) -> str:
        return f"{codes.index(code):04b}" + "".join(rng.choice(["0", "1"], size))

    bits = ""
    most = [max(f >> 4 for f in factors), max(f & 15 for f in factors)]
    units = -(-width // (8 * most[0])) * -(-height // (8 * most[1]))
    for _ in range(units):
        for _ in range(sum((f >> 4) * (f & 15) for f in factors)):
            size = int(rng.integers(0, 7))
            bits += coded(size, size)
            for code in rng.choice(codes[1:], 5):
                bits += coded(int(code), int(code) & 15)
            bits += coded(0, 0)
    bits += "1" * (-len(bits) % 8)
    data = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")

    def segment(marker: int, content: bytes) -> bytes:
        return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content

    frame = struct.pack(">BHHB", 8, height, width, len(factors))
    frame += b"".join(bytes([i + 1, f, 0]) for i, f in enumerate(factors))
    scan = bytes([len(factors)]) + b"".join(bytes([i + 1, 0]) for i in range(len(factors))) + b"\0\x3f\0"
    return (
        b"\xff\xd8"
        + segment(0xDB, b"\0" + bytes(range(3, 67)))
        + segment(0xC0, frame)
        + segment(0xC4, b"\0" + tables[0])
        + segment(0xC4, b"\x10" + tables[1])
        + segment(0xDA, scan)
        + data
        + b"\xff\xd9"
    )


@pytest.mark.parametrize(
    "factors",
    [
        [0x12, 0x11, 0x11],
        [0x41, 0x11, 0x11],
        [0x22, 0x21, 0x12],
        [0x21, 0x11, 0x21],
        [0x22, 0x22, 0x11],
        [0x14, 0x11, 0x12],
    ],
    ids=str,
)
def test_jpeg_of_other_samplings(backend: Prepare, factors: list[int]) -> None:
    for width, height in SIZES:
        same_as_pillow(backend, jpeg_of(factors, width, height))


JPEG = saved(Image.fromarray(picture(33, 31)), "jpeg")
FRAME = JPEG.index(b"\xff\xc0")
SCAN = JPEG.index(b"\xff\xda")


def patched(at: int, *values: int) -> bytes:
    return JPEG[:at] + bytes(values) + JPEG[at + len(values) :]


DAMAGED_JPEG = {
    "truncated": (JPEG[:-200], "its data end too early, at byte "),
    "no end": (JPEG[:-2], "its data end too early|it ends without an end mark"),
    "header only": (JPEG[:30], "it ends without an end mark|a segment goes beyond its end"),
    "long segment": (patched(FRAME + 2, 0xFF, 0xFF), "a segment goes beyond its end, at byte "),
    "huge": (patched(FRAME + 5, 0xFF, 0xFF, 0xFF, 0xFF), "too short to hold 65535 x 65535 pixels"),
    "precision": (patched(FRAME + 4, 12), "its samples are of 12 bits; 8 are decoded"),
    "arithmetic": (patched(FRAME + 1, 0xC9), r"arithmetic-coded \(SOF9\)"),
    "sampling": (patched(FRAME + 11, 0x50), "the header of a component is impossible"),
    "component": (patched(SCAN + 5, 77), "a scan names component 77, which is not in the header"),
    "no table": (patched(JPEG.index(b"\xff\xc4") + 1, 0xFE), "needs a Huffman table that was not given"),
}


@pytest.mark.parametrize("name", DAMAGED_JPEG)
def test_damaged_jpeg(backend: Prepare, name: str) -> None:
    data, words = DAMAGED_JPEG[name]
    with pytest.raises(onnxlet.Fail, match=f"the JPEG file of {len(data)} bytes: .*({words})"):
        decode(backend, data)


# ---- BMP and PNM ----


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA"])
def test_bmp(backend: Prepare, mode: str) -> None:
    for width, height in [(1, 1), (7, 3), (32, 5), (33, 31)]:
        image = Image.fromarray(picture(width, height))
        same_as_pillow(backend, saved(image.quantize(9) if mode == "P" else image.convert(mode), "bmp"))


def bmp(bits: int, width: int, height: int, *, compression: int = 0, masks: bytes = b"") -> bytes:
    stride = (width * bits + 31) // 32 * 4
    pixels = np.random.default_rng(3).integers(0, 256, stride * abs(height), np.uint8).tobytes()
    palette = bytes(range(4 << bits)) if bits < 8 else b""
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, compression, 0, 0, 0, 0, 0) + masks + palette
    return b"BM" + struct.pack("<IHHI", 14 + len(info) + len(pixels), 0, 0, 14 + len(info)) + info + pixels


def test_other_bmp(backend: Prepare) -> None:
    same_as_pillow(backend, bmp(4, 13, 6))
    same_as_pillow(backend, bmp(24, 13, -6))
    same_as_pillow(backend, bmp(16, 13, 6))
    same_as_pillow(backend, bmp(16, 13, 6, compression=3, masks=struct.pack("<III", 0xF800, 0x7E0, 0x1F)))
    same_as_pillow(backend, bmp(32, 5, 6))
    masks = struct.pack("<III", 0xFF, 0xFF00, 0xFF0000)
    assert (
        decode(backend, bmp(32, 5, 6, compression=3, masks=masks)).tolist()
        == decode(backend, bmp(32, 5, 6), "BGR").tolist()
    )


@pytest.mark.parametrize("mode", ["1", "L", "RGB"])
def test_pnm(backend: Prepare, mode: str) -> None:
    for width, height in [(1, 1), (7, 3), (33, 31)]:
        same_as_pillow(backend, saved(Image.fromarray(picture(width, height)).convert(mode), "ppm"))


def test_pnm_as_text_and_with_other_ranges(backend: Prepare) -> None:
    same_as_pillow(backend, b"P1\n# said\n3 2\n1 0 1\n0 1 1\n")
    same_as_pillow(backend, b"P2 3 2 # seven\n 7\n0 1 2 3 4 7\n")
    same_as_pillow(backend, b"P3\n2 1\n255\n0 128 255  1 2 3\n")
    same_as_pillow(backend, b"P5 3 1 100\n\x00\x32\x64")
    same_as_pillow(backend, b"P6 1 1 1000\n\x00\x00\x01\xf4\x03\xe8", "RGB")


def test_other_damage(backend: Prepare) -> None:
    cases = [
        (
            saved(Image.fromarray(picture(9, 9)), "bmp")[:100],
            "the BMP file of 100 bytes: its 9 x 9 pixels take 252 bytes",
        ),
        (b"BM" + bytes(30), "the BMP file of 32 bytes: its header claims to be of 0 bytes"),
        (b"P6 9 9 255\n12", "the PPM file of 13 bytes: its 9 x 9 pixels go beyond the end of the file"),
        (b"P2 1 1 5 6", "the PGM file of 10 bytes: the value 6 before byte 10 is above the largest, 5"),
        (b"P5 x", "the PGM file of 4 bytes: a number is missing at byte 3"),
        (b"", "the 0 bytes are no picture of a known format"),
        (b"no picture", "the 10 bytes are no picture of a known format"),
        (saved(Image.fromarray(picture(9, 9)), "tiff"), "the picture is a TIFF file; the engine decodes PNG, JPEG"),
        (saved(Image.fromarray(picture(9, 9)), "webp"), "the picture is a WebP file"),
        (saved(Image.fromarray(picture(9, 9)), "jpeg2000"), "the picture is a JPEG 2000 file"),
        (saved(Image.fromarray(picture(9, 9)), "gif"), "the picture is a GIF file"),
    ]
    for data, words in cases:
        with pytest.raises(onnxlet.Fail, match=words):
            decode(backend, data)
    with pytest.raises(onnxlet.InvalidGraph, match="pixel_format must be one of RGB, BGR, Grayscale; it is 'CMYK'"):
        decode(backend, b"", "CMYK")
