"""Pictures as tensors, through Pillow: scaled, cut, normalised and laid out as the model wants them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ... import arrays, dtypes, errors
from ...errors import InvalidArgument
from ...metadata import NodeArg
from ..usage import BadOption, count, numbers, one_of, sizes

if TYPE_CHECKING:
    from PIL.Image import Image

# The mean and deviation of ImageNet's pixels in 0 to 1, red, green and blue: torchvision's constants.
IMAGENET: Final = {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}
OPTIONS: Final = ("size", "fit", "resize", "channels", "range", "mean", "std", "layout", "resample")

_MODES: Final = {"rgb": "RGB", "bgr": "RGB", "gray": "L", "rgba": "RGBA"}
_BY_COUNT: Final = {1: "gray", 3: "rgb", 4: "rgba"}


@dataclass(frozen=True)
class Plan:
    """What becomes of a picture.

    Attributes:
        size: height and width to end with; None leaves what `resize` gave.
        fit: how `size` is reached: stretch, crop (the middle of what covers it) or pad (with black around).
        resize: length of the shorter side, before anything else.
        channels: rgb, bgr, gray or rgba.
        low, high: what 0 and 255 become.
        mean, std: taken off, and divided by, after that; per channel in the order red, green, blue, or one for all.
        layout: the letters n, c, h, w in the tensor's order.
        resample: Pillow's filter.
    """

    size: tuple[int, int] | None
    fit: str
    resize: int | None
    channels: str
    low: float
    high: float
    mean: tuple[float, ...]
    std: tuple[float, ...]
    layout: str
    resample: str


def read(path: Path, arg: NodeArg, options: Mapping[str, str]) -> Any:
    """A tensor of the input's type; the file's own bytes for a list of uint8, as models with an ImageDecoder take them."""
    import numpy as np

    dtype = dtypes.element_type(arg.type)
    kind = arrays.numpy_type(dtype) if dtype is not None and dtype is not dtypes.STRING else None
    if kind is None:
        raise InvalidArgument(f"input {arg.name!r}: a picture does not become a {arg.type}")
    if kind == np.uint8 and len(arg.shape) == 1:
        return np.frombuffer(path.read_bytes(), np.uint8)
    plan = plan_for(arg, options, integers=kind.kind in "iu")
    pixels = _as_tensor(_scaled(_open(path, arg), plan), plan)
    return (np.rint(pixels) if kind.kind in "iu" else pixels).astype(kind)


def plan_for(arg: NodeArg, options: Mapping[str, str], *, integers: bool) -> Plan:
    """The options, completed from the input's shape. Raises BadOption."""
    layout = options.get("layout") or _usual_layout(arg)
    if len(set(layout)) != len(layout) or not {"h", "w"} <= set(layout) <= set("nchw"):
        raise BadOption(f"layout takes letters of nchw, each once, such as nhwc; {layout!r} given")
    fixed = {
        letter: size for letter, size in zip(layout, arg.shape, strict=False) if isinstance(size, int) and size > 0
    }
    channels = options.get("channels") or _BY_COUNT.get(fixed.get("c", 3 if "c" in layout else 1), "rgb")
    one_of("channels", channels, _MODES)
    if "c" not in layout and channels != "gray":
        raise BadOption(f"a layout without c, {layout!r}, is for gray pictures; channels={channels} given")
    low, high = _range(options.get("range", "0:255" if integers else "0:1"))
    if integers and {"mean", "std"} & options.keys():
        raise BadOption(f"mean and std make fractions, and input {arg.name!r} is a {arg.type}")
    return Plan(
        size=_size(options.get("size"), fixed),
        fit=one_of("fit", options.get("fit", "crop"), ("crop", "stretch", "pad")),
        resize=count("resize", options["resize"]) if "resize" in options else None,
        channels=channels,
        low=low,
        high=high,
        mean=_per_channel("mean", options.get("mean", "0"), channels),
        std=_per_channel("std", options.get("std", "1"), channels),
        layout=layout,
        resample=one_of("resample", options.get("resample", "bilinear"), ("nearest", "bilinear", "bicubic", "lanczos")),
    )


def _usual_layout(arg: NodeArg) -> str:
    """By where the shape has a number of channels; height and width are seldom 3 or 1, more often 4."""
    rank = len(arg.shape)
    if rank < 3:
        return "hw" if rank == 2 else "nchw"
    likely = {3: 3, 1: 2, 4: 1}
    first, last = (likely.get(size, 0) if isinstance(size, int) else 0 for size in (arg.shape[-3], arg.shape[-1]))
    letters = "hwc" if last > first else "chw"
    return letters if rank == 3 else f"n{letters}"


def _size(text: str | None, fixed: Mapping[str, int]) -> tuple[int, int] | None:
    if text is None:
        return (fixed["h"], fixed["w"]) if {"h", "w"} <= fixed.keys() else None
    found = sizes("size", text, "224x224 (height x width)")
    if len(found) > 2 or 0 in found:
        raise BadOption(f"size={text}: write sizes as 224x224 (height x width)")
    return found[0], found[-1]


def _range(text: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    try:
        if colon:
            return float(low), float(high)
    except ValueError:
        pass
    raise BadOption(f"range takes what black and white become, such as 0:1 or -1:1; {text!r} given")


def _per_channel(option: str, text: str, channels: str) -> tuple[float, ...]:
    colours = {"gray": 1, "rgba": 4}.get(channels, 3)
    found = IMAGENET[option] if text == "imagenet" else numbers(option, text)
    if len(found) not in (1, colours):
        raise BadOption(f"{option} takes one number or {colours} for {channels}; {text!r} given")
    if option == "std" and 0 in found:
        raise BadOption("std is what pixels are divided by; 0 given")
    return found


def _open(path: Path, arg: NodeArg) -> Image:
    try:
        from PIL import Image, ImageOps
    except ImportError:
        raise errors.NotImplemented("reading pictures needs Pillow: pip install 'onnxlet[images]'") from None
    try:
        with Image.open(path) as image:
            image.load()
            return ImageOps.exif_transpose(image)
    except FileNotFoundError:
        raise
    except Exception as error:  # damaged files raise whatever their decoder runs into
        raise InvalidArgument(f"input {arg.name!r}: {str(path)!r} is not a readable picture: {error}") from error


def _scaled(image: Image, plan: Plan) -> Image:
    from PIL import Image as module
    from PIL import ImageOps

    image = image.convert(_MODES[plan.channels])
    resample = module.Resampling[plan.resample.upper()]
    if plan.resize is not None:
        scale = plan.resize / min(image.size)
        width, height = (max(1, round(side * scale)) for side in image.size)
        image = image.resize((width, height), resample)
    if plan.size is None:
        return image
    size = (plan.size[1], plan.size[0])
    if plan.fit == "stretch":
        return image.resize(size, resample)
    if plan.fit == "pad":
        return ImageOps.pad(image, size, resample)
    if plan.resize is not None and min(image.size[0] - size[0], image.size[1] - size[1]) >= 0:
        left, top = ((have - want) // 2 for have, want in zip(image.size, size, strict=True))
        return image.crop((left, top, left + size[0], top + size[1]))
    return ImageOps.fit(image, size, resample)


def _as_tensor(image: Image, plan: Plan) -> Any:
    """float32 in the plan's layout."""
    import numpy as np

    pixels: Any = np.asarray(image, np.float32)
    pixels = pixels.reshape(*pixels.shape[:2], -1)
    pixels = plan.low + pixels * np.float32((plan.high - plan.low) / 255)
    pixels = (pixels - np.array(plan.mean, np.float32)) / np.array(plan.std, np.float32)
    if plan.channels == "bgr":
        pixels = pixels[:, :, ::-1]
    letters = "hwc"
    if "c" not in plan.layout:
        pixels, letters = pixels[:, :, 0], "hw"
    if "n" in plan.layout:
        pixels, letters = pixels[None], f"n{letters}"
    return np.ascontiguousarray(pixels.transpose([letters.index(letter) for letter in plan.layout]))
