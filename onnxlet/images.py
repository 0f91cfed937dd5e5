"""ONNX's ImageDecoder, through Pillow."""

from __future__ import annotations

import io
from typing import Any, Final

from . import errors

_MODES: Final = {"RGB": "RGB", "BGR": "RGB", "Grayscale": "L"}


def has_decoder() -> bool:
    """Whether `decode` works here."""
    try:
        import numpy  # noqa: F401
        import PIL.Image  # noqa: F401
    except ImportError:
        return False
    return True


def need_decoder() -> None:
    """Raises NotImplemented, saying what to install, where Pillow or numpy is missing."""
    if not has_decoder():
        text = "ImageDecoder needs Pillow and numpy: pip install 'onnxlet[images]'"
        raise errors.NotImplemented(f"{text}, or register a decoder for the operator ('', 'ImageDecoder')")


def decode(encoded: Any, pixel_format: str = "RGB") -> Any:
    """The pixels of an image file as uint8 [height, width, channels]; of size 0, as ONNX asks, when it does not decode."""
    import numpy as np
    import PIL.Image

    mode = _MODES.get(pixel_format)
    if mode is None:
        raise errors.InvalidArgument(f"pixel_format must be one of {', '.join(_MODES)}; it is {pixel_format!r}")
    try:
        with PIL.Image.open(io.BytesIO(encoded.tobytes())) as image:
            pixels = np.asarray(image.convert(mode))
    except MemoryError:
        raise
    except Exception:  # damaged files raise whatever their decoder runs into
        return np.zeros((0, 0, 1 if mode == "L" else 3), np.uint8)
    pixels = pixels.reshape(*pixels.shape[:2], -1)
    return pixels[:, :, ::-1] if pixel_format == "BGR" else pixels
