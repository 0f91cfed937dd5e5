"""Models with data and a measure that says what a packed one is good for."""

from __future__ import annotations

import functools
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import onnxlet
from bench.pack import fashion
from examples.ocr.ocr import Reader
from tests.models import digits_cnn
from tests.models.fetch import fetch
from tests.models.registry import models, page, photograph, picture, voice
from tests.support.paths import ROOT

Samples = list[dict[str, np.ndarray]]
_WINDOW, _CONTEXT = 512, 64


@dataclass(frozen=True)
class Case:
    name: str
    path: Callable[[], Path]
    calibration: Callable[[], Samples]
    measure: Callable[[Path], float]
    """The larger the better."""
    what: str
    schemes: tuple[str, ...]
    allowed: dict[str, float]
    """By scheme, how much less than the original's the measure may be: the project's targets."""
    mix: str = "35%"
    """The size of the mix that is searched, as a share of the original."""


def _top1(images: np.ndarray, labels: np.ndarray, path: Path) -> float:
    with onnxlet.InferenceSession(path) as session:
        parts = [session.run(None, {"image": images[at : at + 500]})[0] for at in range(0, len(images), 500)]
    return float((np.concatenate(parts).argmax(1) == labels).mean())


def _digits_measure(path: Path) -> float:
    return _top1(*digits_cnn.load_digits()[2:], path)


def _fashion_measure(path: Path) -> float:
    return _top1(*fashion.load("t10k"), path)


def _one_by_one(images: np.ndarray) -> Samples:
    return [{"image": image[None]} for image in images]


# ---- text


def _text(det: Path, rec: Path) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, source in (("det.onnx", det), ("rec.onnx", rec)):
            shutil.copy(source, Path(folder) / name)
        with Image.open(ROOT / "examples" / "ocr" / "picture.png") as image:
            return [line.text for line in Reader(Path(folder)).read(image.convert("RGB"))]


@functools.cache
def _expected_text() -> list[str]:
    folder = fetch("tinyocr")
    return _text(folder / "det.onnx", folder / "rec.onnx")


def _same_lines(kind: str, path: Path) -> float:
    """The share of lines that are read as before, with one of the two models packed."""
    folder = fetch("tinyocr")
    parts = {"det": folder / "det.onnx", "rec": folder / "rec.onnx"} | {kind: path}
    found, expected = _text(parts["det"], parts["rec"]), _expected_text()
    return sum(a == b for a, b in zip(found, expected, strict=False)) / max(len(expected), len(found))


# ---- speech


def _speech(path: Path) -> np.ndarray:
    """Whether each window of ten seconds is speech, with the state carried on."""
    with onnxlet.InferenceSession(path) as session:
        state, found = np.zeros((2, 1, 128), np.float32), []
        sound = voice(10 * 16000)
        for at in range(0, len(sound) - _CONTEXT - _WINDOW, _WINDOW):
            window = sound[None, at : at + _CONTEXT + _WINDOW]
            feeds = {"input": window, "sr": np.array(16000, np.int64), "state": state}
            probability, state = session.run(None, feeds)
            found.append(float(probability.reshape(-1)[0]) > 0.5)
    return np.array(found)


def _silero_path() -> Path:
    return models()["silero-vad-op18-ifless"].path()


def _same_windows(path: Path) -> float:
    return float((_speech(path) == _expected_speech()).mean())


@functools.cache
def _expected_speech() -> np.ndarray:
    return _speech(_silero_path())


def _windows() -> Samples:
    return [models()["silero-vad-op18-ifless"].feeds(step) for step in range(24)]


# ---- faces


def _pictures(size: int) -> Samples:
    return [{"input:0": image[None] * 2 - 1} for image in (picture(size, size), photograph(size, size))]


def _boxes(path: Path, size: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each picture the scores of all anchors, and boxes [anchor, 4] from their centres: x, y, width, height in pixels."""
    found = []
    with onnxlet.InferenceSession(path) as session:
        for feeds in _pictures(size):
            outputs = session.run(None, feeds)
            scores = np.concatenate([o.reshape(-1) for o in outputs if o.shape[-1] == 1])
            boxes = np.concatenate([o.reshape(-1, o.shape[-1]) for o in outputs if o.shape[-1] == 16])
            found.append((scores, boxes[:, :4]))
    return found


def _overlap(path: Path, size: int, original: Callable[[], Path]) -> float:
    """The least intersection over union of the boxes that the original gives for its best anchors.

    The pictures have no faces: that the same anchor is the best cannot be asked for.
    """
    pairs = zip(_boxes(path, size), _boxes(original(), size), strict=True)
    return min(_iou(boxes[best], right[best]) for (_, boxes), (scores, right) in pairs for best in [scores.argmax()])


def _iou(a: np.ndarray, b: np.ndarray) -> float:
    low = np.maximum(a[:2] - a[2:4] / 2, b[:2] - b[2:4] / 2)
    high = np.minimum(a[:2] + a[2:4] / 2, b[:2] + b[2:4] / 2)
    common = float(np.prod(np.clip(high - low, 0, None)))
    return common / float(a[2] * a[3] + b[2] * b[3] - common)


def _cases() -> list[Case]:
    small = ("int8-static", "int8-dynamic", "int8", "int4", "mix")
    points = {"int8-static": 0.003, "int4": 0.01, "mix": 0.01}
    registered = models()
    digits = lambda: _one_by_one(digits_cnn.load_digits()[0][:64])  # noqa: E731
    pictures = lambda: _one_by_one(fashion.load("train")[0][:64])  # noqa: E731
    cases = [
        Case("digits", registered["digits-cnn"].path, digits, _digits_measure, "top1 of 360", small, points, "42%"),
        Case("fashion", fashion.path, pictures, _fashion_measure, "top1 of 10,000", small, points, "42%"),
    ]
    for kind, sizes in (("det", (320, 224)), ("rec", (320, 160))):
        data = lambda kind=kind, sizes=sizes: [{"x": page(n if kind == "det" else 48, n)} for n in sizes]  # noqa: E731
        measure = functools.partial(_same_lines, kind)
        path = registered[f"tinyocr-{kind}"].path
        cases.append(Case(f"tinyocr-{kind}", path, data, measure, "lines read alike", small, dict.fromkeys(small, 0.0)))
    same = dict.fromkeys(small, 0.0)
    cases.append(Case("silero", _silero_path, _windows, _same_windows, "windows alike", small, same))
    back = registered["blazeface-back"].path
    boxes = functools.partial(_overlap, size=256, original=back)
    calibration = functools.partial(_pictures, 256)
    cases.append(Case("blazeface", back, calibration, boxes, "least IoU", small, dict.fromkeys(small, 0.05)))
    return cases


def cases() -> dict[str, Any]:
    return {case.name: case for case in _cases()}
