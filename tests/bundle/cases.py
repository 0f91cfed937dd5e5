"""What bundles of every target must answer: a model, what a person gives to it, and the answer by other programs.

A case's arguments are the words after a runner's name, with the files that they name. The reference is computed from the same
files by onnxruntime on the model as it was made, and by numpy, Pillow or scikit-learn; `TOLERANCES` says how near answers
must come.
"""

from __future__ import annotations

import csv
import functools
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import onnxruntime
from PIL import Image

from tests.bundle.sounds import RATE, read_wav, speech, write_wav
from tests.models import tables
from tests.models.fetch import fetch
from tests.models.registry import built, models
from tests.support.paths import ROOT

Answer = dict[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """`arguments(folder)` makes the files in the folder; `reference(folder)` reads them again."""

    name: str
    model: Callable[[], Path]
    arguments: Callable[[Path], list[str]]
    reference: Callable[[Path], Answer]
    """By the names of the composed model's outputs."""
    pipeline: Callable[[Path], Path] | None = None
    """Puts the pipeline.toml where the files are that it names, perhaps into the folder."""


# The largest difference from the reference, over its largest absolute value; strings and integers are equal.
TOLERANCES: Final[Mapping[str, float]] = {
    "forest": 1e-6,
    "screening": 1e-6,
    "digits": 1e-5,
    "screening-maps": 1e-6,
    "digit-picture": 1e-5,
    # Pillow computes in whole numbers: some pixels differ by 1 of 255.
    "faces": 2e-3,
    "line": 2e-3,
    "speech": 1e-6,
    "sentence": 1e-5,
}


def check(case: Case, answer: Mapping[str, np.ndarray], folder: Path) -> float:
    """Fails where the answer is not the reference. Gives the largest difference, over the largest value of its output."""
    reference = case.reference(folder)
    assert sorted(answer) == sorted(reference)
    largest = 0.0
    for name, expected in reference.items():
        found = np.asarray(answer[name])
        assert found.shape == expected.shape, f"{name}: {found.shape}, not {expected.shape}"
        if expected.dtype.kind != "f":
            np.testing.assert_array_equal(found, expected, err_msg=name)
            continue
        assert np.isfinite(found).all(), name
        if expected.size:
            largest = max(largest, float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-30)))
    assert largest <= TOLERANCES[case.name]
    return largest


# ---- tables ----


def write_table(path: Path, columns: Mapping[str, np.ndarray]) -> None:
    """CSV with a row of names; numbers with the digits that restore them."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(column.ravel().tolist() for column in columns.values()), strict=True))


def read_table(path: Path) -> dict[str, list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def _forest_arguments(folder: Path) -> list[str]:
    x, _ = tables.measurements(33, seed=8)
    write_table(folder / "measurements.csv", {f"m{at}": x[:, at] for at in range(x.shape[1])})
    return ["--table", str(folder / "measurements.csv")]


def _forest_reference(folder: Path) -> Answer:
    x = np.array(list(read_table(folder / "measurements.csv").values()), np.float32).T
    estimator = tables.forest()
    return {"label": estimator.predict(x), "probabilities": estimator.predict_proba(x).astype(np.float32)}


def _screening_arguments(folder: Path) -> list[str]:
    columns, _ = tables.applicants(31, seed=9)
    columns["country"][3] = "Atlantis"  # not among those that the model learned
    write_table(folder / "applicants.csv", columns)
    return ["--table", str(folder / "applicants.csv")]


def _screening_reference(folder: Path) -> Answer:
    table = read_table(folder / "applicants.csv")
    columns = {
        name: np.array(texts, object if name in ("country", "trade") else np.float32)[:, None]
        for name, texts in table.items()
    }
    rows, estimator = tables.joined(columns), tables.screening()
    return {"label": estimator.predict(rows), "probabilities": estimator.predict_proba(rows).astype(np.float32)}


# ---- tensors ----


def _digits_arguments(folder: Path) -> list[str]:
    np.save(folder / "digits.npy", models()["digits-cnn"].feeds(8)["image"])
    return [str(folder / "digits.npy")]


def _digits_reference(folder: Path) -> Answer:
    return _by_onnxruntime(models()["digits-cnn"].path(), {"image": np.load(folder / "digits.npy")})


def _by_onnxruntime(path: Path, feeds: Answer) -> Answer:
    session = onnxruntime.InferenceSession(path)
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds), strict=True))


# ---- pipelines ----

PIPELINES: Final = ROOT / "examples" / "pipelines"


def _line_arguments(folder: Path) -> list[str]:
    with Image.open(ROOT / "examples" / "ocr" / "picture.png") as page:
        page.convert("RGB").crop((60, 36, 600, 80)).save(folder / "line.png")
    return [str(folder / "line.png")]


def _line_reference(folder: Path) -> Answer:
    path = models()["tinyocr-rec"].path()
    with Image.open(folder / "line.png") as line:
        width = int(line.width * 48 / line.height + 0.5)
        pixels = np.asarray(line.resize((width, 48), Image.Resampling.BICUBIC), np.float32)[..., ::-1]
    probabilities = _by_onnxruntime(path, {"x": to_nchw(pixels / 127.5 - 1)})["fetch_name_0"][0]
    metadata = onnxruntime.InferenceSession(path).get_modelmeta().custom_metadata_map
    characters = ["", *metadata["character"].split("\n"), " "]
    text, scores, last = "", [], 0
    for best, score in zip(probabilities.argmax(1), probabilities.max(1), strict=True):
        if best not in (0, last):
            text, scores = text + characters[best], [*scores, score]
        last = best
    return {"text": np.array([text], object), "text_scores": np.array([np.mean(scores)], np.float32)}


def to_nchw(pixels: np.ndarray) -> np.ndarray:
    """float32 [1, C, H, W] of [H, W, C]."""
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], np.float32)


def _speech_arguments(folder: Path) -> list[str]:
    write_wav(folder / "speech.wav", speech())
    return [str(folder / "speech.wav")]


def _speech_reference(folder: Path) -> Answer:
    samples = read_wav(folder / "speech.wav")
    return {"speech": segments(speech_probabilities(samples), len(samples))}


def speech_probabilities(samples: np.ndarray) -> list[float]:
    """Of each window of 512 samples."""
    session = onnxruntime.InferenceSession(models()["silero-vad"].path())
    state, context, found = np.zeros((2, 1, 128), np.float32), np.zeros(64, np.float32), []
    for window in np.pad(samples, (0, -len(samples) % 512)).reshape(-1, 512):
        x = np.concatenate([context, window])
        context = x[-64:]
        probability, state = session.run(None, {"input": x[None], "state": state, "sr": np.array(16000)})
        found.append(float(probability[0, 0]))
    return found


def segments(
    probabilities: Sequence[float],
    samples: int,
    threshold: float = 0.5,
    low: float = 0.35,
    shortest: float = 0.25,
    silence: float = 0.1,
    pad: float = 0.03,
) -> np.ndarray:
    """float32 [N, 2] in seconds, for windows of 512 samples at 16 kHz: a plain loop over positions in samples."""
    found: list[list[float]] = []
    start, quiet = None, None
    for at, probability in enumerate(probabilities):
        if probability >= threshold:
            start, quiet = at * 512 if start is None else start, None
        elif probability < low and start is not None:
            quiet = at * 512 if quiet is None else quiet
            if at * 512 - quiet >= silence * RATE:
                found.append([start, quiet])
                start, quiet = None, None
    if start is not None:
        found.append([start, samples])
    found = [span for span in found if span[1] - span[0] > shortest * RATE]
    whole = [0.0, *(edge for span in found for edge in span), float(samples)]
    for index, span in enumerate(found):
        before, after = whole[2 * index + 1] - whole[2 * index], whole[2 * index + 3] - whole[2 * index + 2]
        span[0] -= min(pad * RATE, before if index == 0 else before / 2)
        span[1] += min(pad * RATE, after if index == len(found) - 1 else after / 2)
    return np.array(found, np.float32).reshape(-1, 2) / RATE


SENTENCE: Final = "Zürich's café – 3,5 % of its guests pay in naïve 日本 yen!"


def _sentence_pipeline(folder: Path) -> Path:
    shutil.copy(fetch("minilm-l6") / "vocab.txt", folder)
    return Path(shutil.copy(PIPELINES / "sentence-embedding.toml", folder))


def _sentence_reference(folder: Path) -> Answer:
    from tokenizers import BertWordPieceTokenizer

    encoded = BertWordPieceTokenizer(str(fetch("minilm-l6") / "vocab.txt"), lowercase=True).encode(SENTENCE)
    tokens = {"input_ids": encoded.ids, "attention_mask": encoded.attention_mask, "token_type_ids": encoded.type_ids}
    feeds = {name: np.array([numbers]) for name, numbers in tokens.items()}
    mean = _by_onnxruntime(models()["minilm"].path(), feeds)["last_hidden_state"][0].mean(0)
    return {"embedding": mean / np.linalg.norm(mean)}


def _digit_arguments(folder: Path) -> list[str]:
    pixels = models()["digits-cnn"].feeds(1)["image"][0, 0]
    shown = Image.fromarray(np.uint8(np.round(pixels / pixels.max() * 255)))
    shown.resize((40, 40), Image.Resampling.NEAREST).convert("RGB").save(folder / "digit.png")
    return [str(folder / "digit.png")]


def _digit_reference(folder: Path) -> Answer:
    with Image.open(folder / "digit.png") as image:
        pixels = np.asarray(image.convert("L").resize((8, 8), Image.Resampling.BILINEAR), np.float32)
    logits = _by_onnxruntime(models()["digits-cnn"].path(), {"image": pixels[None, None] / 255})["logits"][0]
    shares = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    order = np.argsort(-shares)[:3]
    return {"digit": order.astype(str).astype(object), "digit_scores": shares[order]}


def _faces_arguments(folder: Path) -> list[str]:
    shutil.copy(fetch("portrait") / "grace_hopper.jpg", folder / "portrait.jpg")
    return [str(folder / "portrait.jpg")]


def _faces_reference(folder: Path) -> Answer:
    with Image.open(folder / "portrait.jpg") as image:
        portrait = image.convert("RGB")
    scale = 256 / max(portrait.size)
    width, height = (int(side * scale + 0.5) for side in portrait.size)
    frame = Image.new("RGB", (256, 256))
    left, top = (256 - width) // 2, (256 - height) // 2
    frame.paste(portrait.resize((width, height), Image.Resampling.BILINEAR), (left, top))
    x = np.asarray(frame, np.float32)[None] / 127.5 - 1
    raw = _by_onnxruntime(models()["blazeface-back"].path(), {"input:0": x})
    logits = np.concatenate([raw["Identity:0"], raw["Identity_1:0"]], axis=1)[0, :, 0]
    scores = 1 / (1 + np.exp(-np.maximum(logits, -80)))
    moves = np.concatenate([raw["Identity_2:0"], raw["Identity_3:0"]], axis=1)[0, :, :4]
    cells = [(16, x, y) for y in range(16) for x in range(16) for _ in range(2)]
    cells += [(8, x, y) for y in range(8) for x in range(8) for _ in range(6)]
    centres = np.array([((x + 0.5) / n * 256, (y + 0.5) / n * 256) for n, x, y in cells]) + moves[:, :2]
    boxes = np.concatenate([centres - moves[:, 2:] / 2, centres + moves[:, 2:] / 2], axis=1)
    kept = without_overlaps(boxes, scores, threshold=0.6, iou=0.3)
    ratios = np.array([width / portrait.width, height / portrait.height] * 2)
    back = (boxes[kept] - [left, top, left, top]) / ratios
    back = np.clip(back, 0, [*portrait.size, *portrait.size])
    return {"faces": back.astype(np.float32), "faces_scores": scores[kept].astype(np.float32)}


def without_overlaps(boxes: np.ndarray, scores: np.ndarray, threshold: float, iou: float) -> list[int]:
    """The numbers of the boxes [N, 4] that are left, the best first."""
    kept: list[int] = []
    for at in np.argsort(-scores, kind="stable"):
        if scores[at] > threshold and all(overlap(boxes[at], boxes[other]) <= iou for other in kept):
            kept.append(int(at))
    return kept


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    """Area of what two boxes have in common, over the area of both together."""
    width, height = np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0)
    both = np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - width * height
    return float(width * height / both)


def _screening_maps_reference(folder: Path) -> Answer:
    reference = _screening_reference(folder)
    return {"letter": reference["label"], "risk": reference["probabilities"]}


def _example(name: str) -> Callable[[Path], Path]:
    return lambda _: PIPELINES / name


def _of(name: str) -> Callable[[], Path]:
    return lambda: models()[name].path()


@functools.cache
def cases() -> dict[str, Case]:
    """All, by name. What models take from the network is fetched when `model()` is called."""
    with_maps = functools.partial(tables.build_screening, zipmap=True)
    listed = (
        Case("forest", built("forest", tables, tables.build_forest), _forest_arguments, _forest_reference),
        Case(
            "screening", built("screening", tables, tables.build_screening), _screening_arguments, _screening_reference
        ),
        Case("digits", _of("digits-cnn"), _digits_arguments, _digits_reference),
        Case(
            "screening-maps",
            built("screening-maps", tables, with_maps),
            _screening_arguments,
            _screening_maps_reference,
            _example("table-classes.toml"),
        ),
        Case("digit-picture", _of("digits-cnn"), _digit_arguments, _digit_reference, _example("image-classifier.toml")),
        Case("line", _of("tinyocr-rec"), _line_arguments, _line_reference, _example("ocr-line.toml")),
        Case("speech", _of("silero-vad"), _speech_arguments, _speech_reference, _example("speech-segments.toml")),
        Case("sentence", _of("minilm"), lambda _: [SENTENCE], _sentence_reference, _sentence_pipeline),
        Case("faces", _of("blazeface-back"), _faces_arguments, _faces_reference, _example("face-boxes.toml")),
    )
    return {case.name: case for case in listed}
