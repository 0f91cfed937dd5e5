"""Reads the text in a picture: python examples/ocr/ocr.py [IMAGE] [-o OUT.png] [--threads N]

The two PP-OCRv6 tiny models (Apache-2.0) are taken from --models, or fetched once into the user's cache.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import onnxlet

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from text_boxes import Box, find_boxes  # noqa: E402

# Both networks were trained on channels in the order blue, green, red.
DETECTOR_MEAN, DETECTOR_STD = np.array([0.485, 0.456, 0.406], np.float32), np.array([0.229, 0.224, 0.225], np.float32)
DETECTOR_SIDE = 736
LINE_HEIGHT = 48


@dataclass(frozen=True)
class Line:
    """One line of text, the box it stands in and the recogniser's mean confidence."""

    text: str
    confidence: float
    box: Box


class Reader:
    """Detector and recogniser."""

    def __init__(self, models: Path, threads: int | None = None) -> None:
        options = onnxlet.SessionOptions()
        if threads:
            options.intra_op_num_threads = threads
        self.detector = onnxlet.InferenceSession(str(models / "det.onnx"), options)
        self.recogniser = onnxlet.InferenceSession(str(models / "rec.onnx"), options)
        listed = self.recogniser.get_modelmeta().custom_metadata_map["character"].split("\n")
        self.characters = ["", *listed, " "]  # class 0 is the CTC blank, the last one the space

    def read(self, image: Image.Image) -> list[Line]:
        """Lines from top to bottom."""
        lines = []
        for box in self.detect(image):
            text, confidence = self.recognise(straighten(image, box))
            if text.strip():
                lines.append(Line(text, confidence, box))
        return sorted(lines, key=lambda line: line.box.corners[:, 1].mean())

    def detect(self, image: Image.Image) -> list[Box]:
        scale = min(1.0, DETECTOR_SIDE / max(image.size))
        width, height = (max(32, round(side * scale / 32) * 32) for side in image.size)
        pixels = as_bgr(image.resize((width, height), Image.Resampling.BILINEAR))
        x = (pixels - DETECTOR_MEAN) / DETECTOR_STD
        (probability,) = self.detector.run(None, {self.detector.get_inputs()[0].name: to_nchw(x)})
        back = np.array([image.width / width, image.height / height])
        return [Box(box.corners * back, box.score) for box in find_boxes(probability[0, 0])]

    def recognise(self, line: Image.Image) -> tuple[str, float]:
        x = as_bgr(line) * 2 - 1
        (probabilities,) = self.recogniser.run(None, {self.recogniser.get_inputs()[0].name: to_nchw(x)})
        classes, confidence = probabilities[0].argmax(1), probabilities[0].max(1)
        # CTC: a class repeated in neighbouring steps is one character, and the blank separates equal ones.
        kept = (classes != 0) & (classes != np.concatenate([[0], classes[:-1]]))
        text = "".join(self.characters[c] for c in classes[kept])
        return text, float(confidence[kept].mean()) if kept.any() else 0.0


def as_bgr(image: Image.Image) -> np.ndarray:
    return np.asarray(image, np.float32)[..., ::-1] / 255


def to_nchw(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x.transpose(2, 0, 1)[None], np.float32)


def straighten(image: Image.Image, box: Box) -> Image.Image:
    """The box's content, upright and LINE_HEIGHT pixels high."""
    width = max(16, round(LINE_HEIGHT * box.width / max(box.height, 1)))
    top_left, top_right, bottom_right, bottom_left = (tuple(corner) for corner in box.corners)
    corners = (*top_left, *bottom_left, *bottom_right, *top_right)
    return image.transform((width, LINE_HEIGHT), Image.Transform.QUAD, corners, Image.Resampling.BICUBIC)


def annotate(image: Image.Image, lines: list[Line]) -> Image.Image:
    """The picture with a frame around each line and what was read above it."""
    drawn = image.convert("RGB")
    draw = ImageDraw.Draw(drawn)
    font = ImageFont.load_default(14)
    for line in lines:
        corners = [tuple(corner) for corner in line.box.corners]
        draw.line([*corners, corners[0]], fill=(255, 60, 60), width=2)
        at = (corners[0][0], max(0.0, min(y for _, y in corners) - 17))
        draw.rectangle(draw.textbbox(at, line.text, font=font), fill=(255, 255, 255))
        draw.text(at, line.text, fill=(200, 0, 0), font=font)
    return drawn


def fetch_models() -> Path:
    from tests.models.fetch import FetchError, fetch

    try:
        return fetch("tinyocr")
    except FetchError as error:
        raise SystemExit(f"The OCR models could not be fetched: {error}") from None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("image", nargs="?", type=Path, default=HERE / "picture.png")
    parser.add_argument("-o", "--output", type=Path, help="write the picture with the boxes drawn in")
    parser.add_argument("--models", type=Path, help="folder with det.onnx and rec.onnx")
    parser.add_argument("--threads", type=int, help="threads to use (default: the engine's choice)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()

    image = Image.open(options.image).convert("RGB")
    started = time.perf_counter()
    reader = Reader(options.models or fetch_models(), options.threads)
    loaded = time.perf_counter()
    lines = reader.read(image)
    done = time.perf_counter()
    if options.output:
        annotate(image, lines).save(options.output)
    memory = memory_used(reader)
    if options.json:
        found = [
            {"text": line.text, "confidence": round(line.confidence, 4), "box": line.box.corners.round(1).tolist()}
            for line in lines
        ]
        print(
            json.dumps(
                {
                    "lines": found,
                    "load_seconds": loaded - started,
                    "read_seconds": done - loaded,
                    "memory_bytes": memory,
                }
            )
        )
        return
    for line in lines:
        corners = " ".join(f"({x:.0f},{y:.0f})" for x, y in line.box.corners)
        print(f"{line.confidence:.3f}  {line.text:<34} {corners}")
    print(
        f"{len(lines)} lines from {options.image.name}: loaded in {loaded - started:.2f} s, read in {done - loaded:.2f} s, {memory / 2**20:.0f} MiB of memory"
    )
    if options.output:
        print(f"wrote {options.output}")


def memory_used(reader: Reader) -> int:
    """Bytes of WebAssembly memory that both sessions take, which never shrinks and so is the peak."""
    return sum(session.memory["engine"] for session in (reader.detector, reader.recogniser))


if __name__ == "__main__":
    main()
