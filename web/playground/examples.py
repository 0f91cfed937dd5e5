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

from onnxlet.bundle.pipeline import compose  # noqa: E402
from tests.bundle import sounds  # noqa: E402
from tests.models import digits_cnn, minilm_small, selfie, tables  # noqa: E402
from tests.models.fetch import FetchError, fetch, manifest  # noqa: E402
from tests.models.registry import built, models  # noqa: E402

Example = dict[str, Any]

SENTENCES = (
    "A cat sleeps on the sofa.",
    "A kitten naps on the couch.",
    "The train to Vienna leaves at noon.",
    "When does the railway connection to Austria depart?",
    "Add a pinch of salt to the soup.",
)


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
    source = fetch("tinyocr")
    shutil.copyfile(source / "det.onnx", folder / "text-detector.onnx")
    shutil.copyfile(source / "rec.onnx", folder / "text-reader.onnx")
    shutil.copyfile(ROOT / "examples" / "ocr" / "picture.png", folder / "text.png")
    return {
        "title": "Read text",
        "sources": ["tinyocr"],
        "text": "PP-OCRv6 finds the lines of text in a picture, and reads each of them.",
        "model": "text-detector.onnx",
        "reader": "text-reader.onnx",
        "sizes": {"DynamicDimension.1": 480, "DynamicDimension.2": 640},
        "inputs": {
            "x": {"source": "picture", "picture": "text.png", "range": "ImageNet", "fit": "contain", "bgr": True}
        },
    }


def faces(folder: Path) -> Example:
    """With what comes before and after it in a bundle."""
    model = fetch("blazeface") / "face_detection_back_256x256_barracuda.onnx"
    application = compose(model, ROOT / "examples" / "pipelines" / "face-boxes.toml")
    (folder / "faces.onnx").write_bytes(application.model)
    shutil.copyfile(fetch("portrait") / "grace_hopper.jpg", folder / "portrait.jpg")
    return {
        "title": "Find faces",
        "sources": ["blazeface", "portrait"],
        "text": "BlazeFace draws a box around each face, in a portrait or a picture from your camera.",
        "model": "faces.onnx",
        "inputs": {"picture": {"source": "picture", "picture": "portrait.jpg"}},
    }


def speech(folder: Path) -> Example:
    shutil.copyfile(fetch("silero-vad") / "silero_vad_16k_op15.onnx", folder / "speech.onnx")
    sounds.write_wav(folder / "speech.wav", sounds.speech())
    return {
        "title": "Hear speech",
        "sources": ["silero-vad"],
        "text": "Silero VAD marks where somebody speaks, in sounds like words or what you record.",
        "model": "speech.onnx",
        "inputs": {"input": {"source": "sound", "sound": "speech.wav"}},
    }


def sentences(folder: Path) -> Example:
    source = fetch("minilm-l6")
    build = lambda: minilm_small.build(models()["minilm"].path(), source / "vocab.txt")  # noqa: E731
    shutil.copyfile(built("minilm-int4", minilm_small, build)(), folder / "sentences.onnx")
    minilm_small.save_tokenizer(source / "vocab.txt", folder / "sentences-tokenizer.json")
    return {
        "title": "Compare sentences",
        "sources": ["minilm-l6"],
        "text": "MiniLM in 4 bits turns sentences into vectors: which ones mean the same? (15 MB)",
        "model": "sentences.onnx",
        "tokenizer": "sentences-tokenizer.json",
        "inputs": {"input_ids": {"source": "text", "written": "\n".join(SENTENCES)}},
    }


def person(folder: Path) -> Example:
    convert = built("selfie", selfie, lambda: selfie.convert(fetch("selfie-seg") / "selfie_segmentation.tflite"))
    shutil.copyfile(convert(), folder / "selfie.onnx")
    shutil.copyfile(fetch("portrait") / "grace_hopper.jpg", folder / "portrait.jpg")
    return {
        "title": "Cut out a person",
        "sources": ["selfie-seg", "portrait"],
        "text": "MediaPipe's selfie segmentation on a portrait, or on a picture from your camera.",
        "model": "selfie.onnx",
        "inputs": {"input": {"source": "picture", "picture": "portrait.jpg"}},
    }


EXAMPLES: tuple[Callable[[Path], Example], ...] = (digits, text, faces, speech, person, table)
# In a folder of their own, which wheels leave out.
LARGE: tuple[Callable[[Path], Example], ...] = (sentences,)


def licenses(examples: list[Example]) -> str:
    """Where the files come from, and what their licences ask to be passed on."""
    names = sorted({name for example in examples for name in example.get("sources", ())})
    lines = [
        f"{name}: {', '.join(package['name'] + ' ' + package['version'] for package in manifest()[name]['packages'])}; "
        f"{manifest()[name]['licence']}"
        for name in names
    ]
    texts = [path.read_text(encoding="utf-8") for name in names if (path := fetch(name) / "LICENSE").is_file()]
    return "\n\n".join(["\n".join(lines), *texts])


def write(folder: Path, examples: tuple[Callable[[Path], Example], ...]) -> None:
    """examples.json, and the files that it names."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for example in examples:
        try:
            made.append(example(folder))
        except FetchError as error:
            print(f"the example {example.__name__} is left out: {error}", file=sys.stderr)
    (folder / "LICENSES.txt").write_text(licenses(made), encoding="utf-8")
    (folder / "examples.json").write_text(json.dumps(made, indent=1), encoding="utf-8")


def main(folder: Path) -> None:
    write(folder, EXAMPLES)
    write(folder / "large", LARGE)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
