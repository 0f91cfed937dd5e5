"""Writes the playground's examples: python web/playground/examples.py FOLDER

Models and pictures are those of the tests, trained here or fetched by pinned version. What cannot be fetched is left out.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.models import digits_cnn, selfie, tables  # noqa: E402
from tests.models.fetch import FetchError, fetch  # noqa: E402
from tests.models.registry import built  # noqa: E402

Example = dict[str, Any]


def digits(folder: Path) -> Example:
    shutil.copyfile(built("digits-cnn", digits_cnn, digits_cnn.build)(), folder / "digits.onnx")
    return {
        "title": "Read a digit",
        "text": "Draw one with mouse or finger: a small convolutional network says which it is.",
        "model": "digits.onnx",
        "inputs": {"image": {"source": "drawing"}},
    }


def table(folder: Path) -> Example:
    shutil.copyfile(built("forest", tables, tables.build_forest)(), folder / "forest.onnx")
    rows = [",".join(f"{value:.2f}" for value in row) for row in tables.measurements(5)[0]]
    return {
        "title": "Classify a table",
        "text": "Twenty decision trees and five rows of measurements, to be changed as you like.",
        "model": "forest.onnx",
        "inputs": {"x": {"source": "values", "text": "\n".join(["a,b,c,d,e", *rows])}},
    }


def text(folder: Path) -> Example:
    shutil.copyfile(fetch("tinyocr") / "det.onnx", folder / "text-detector.onnx")
    shutil.copyfile(ROOT / "examples" / "ocr" / "picture.png", folder / "text.png")
    return {
        "title": "Find text",
        "text": "The detector of PP-OCRv6 marks where a picture has lines of text.",
        "model": "text-detector.onnx",
        "sizes": {"DynamicDimension.1": 480, "DynamicDimension.2": 640},
        "inputs": {
            "x": {"source": "picture", "picture": "text.png", "range": "ImageNet", "fit": "contain", "bgr": True}
        },
    }


def person(folder: Path) -> Example:
    convert = built("selfie", selfie, lambda: selfie.convert(fetch("selfie-seg") / "selfie_segmentation.tflite"))
    shutil.copyfile(convert(), folder / "selfie.onnx")
    shutil.copyfile(fetch("portrait") / "grace_hopper.jpg", folder / "portrait.jpg")
    return {
        "title": "Cut out a person",
        "text": "MediaPipe's selfie segmentation on a portrait, or on a picture from your camera.",
        "model": "selfie.onnx",
        "inputs": {"input": {"source": "picture", "picture": "portrait.jpg"}},
    }


EXAMPLES: tuple[Callable[[Path], Example], ...] = (digits, text, person, table)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for example in EXAMPLES:
        try:
            made.append(example(folder))
        except FetchError as error:
            print(f"the example {example.__name__} is left out: {error}", file=sys.stderr)
    (folder / "examples.json").write_text(json.dumps(made, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
