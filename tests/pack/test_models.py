"""Real models: what packing keeps of their accuracy. The figures are the project's own targets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onnxlet
from onnxlet.packing import pack
from tests.models import digits_cnn, minilm
from tests.models.fetch import FetchError, fetch
from tests.models.registry import models
from tests.support.missing import missing

pytestmark = pytest.mark.filterwarnings("ignore:the packed model is slower")
QUICK = {"seconds": 0.01}


def path_of(name: str) -> Path:
    try:
        return models()[name].path()
    except FetchError as error:
        missing(str(error))
        raise


@pytest.mark.parametrize("scheme", ["int8-static", "int8-dynamic", "int8", "fp16", "int4:block=0"])
def test_digits(scheme: str) -> None:
    """Of 360 held-out digits as many are read as before: at most one fewer, 0.3 points; with 4 bits 1 point."""
    training, _, images, labels = digits_cnn.load_digits()
    judged: Callable[[Any], float] = lambda run: float((run({"image": images})["logits"].argmax(1) == labels).mean())  # noqa: E731
    report = pack(path_of("digits-cnn"), {"image": training[:64]}, scheme=scheme, metric=judged, config=QUICK).report
    assert report["accuracy"]["before"] > 0.95
    assert report["accuracy"]["before"] - report["accuracy"]["after"] <= (0.01 if scheme.startswith("int4") else 0.003)
    assert report["onnxruntime"]["runs"] and report["onnxruntime"]["difference"] < 0.02


SENTENCES = (
    "The museum opens at nine and closes when the last visitor has left.",
    "Heavy rain is expected in the north, with snow above a thousand metres.",
    "She tightened the bolt a quarter turn and listened to the engine again.",
    "Please send the signed contract back before Friday.",
    "A neural network is a function with very many parameters.",
    "How do I reset the password of my account?",
    "The committee could not agree on a date for the next meeting.",
    "Fresh bread, two onions, a lemon, olive oil and half a pound of rice.",
)


def embeddings(path: Path | bytes) -> np.ndarray:
    """Unit vectors [sentence, 384]: the mean over the tokens of a sentence."""
    vocabulary = next(iter(fetch("minilm-l6").rglob("vocab.txt")))
    tokens = minilm.WordPiece(vocabulary)
    found = []
    with onnxlet.InferenceSession(path) as session:
        for text in SENTENCES:
            mean = session.run(None, feeds_of(tokens(text)))[0].mean((0, 1))
            found.append(mean / np.linalg.norm(mean))
    return np.array(found)


def feeds_of(ids: list[int]) -> dict[str, np.ndarray]:
    array = np.array([ids])
    return {"input_ids": array, "attention_mask": np.ones_like(array), "token_type_ids": np.zeros_like(array)}


@pytest.mark.parametrize(("scheme", "least"), [("int8-dynamic", 0.985), ("int8", 0.998)])
def test_minilm(scheme: str, least: float) -> None:
    path = path_of("minilm")
    packed = pack(path, [feeds_of([101, 2023, 2003, 1037, 3231, 102])], scheme=scheme, config=QUICK)
    assert packed.bytes_after < 0.26 * packed.bytes_before
    cosines = (embeddings(path) * embeddings(packed.model or b"")).sum(1)
    assert cosines.min() > least


def test_silero() -> None:
    """Its LSTM's weights are put together from slices; both branches of its If use them."""
    path, rng = path_of("silero-vad"), np.random.default_rng(0)
    state = {"state": np.zeros((2, 1, 128), np.float32), "sr": np.array(16000)}
    data = [{"input": rng.normal(0, 0.1, (1, 576)).astype(np.float32), **state} for _ in range(4)]
    packed = pack(path, data, scheme="int8", config=QUICK)
    assert packed.bytes_after < 0.3 * packed.bytes_before
    assert packed.report["accuracy"]["worst_cosine"] > 0.999
    recurrent = [row for row in packed.report["layers"] if row["op_type"] == "LSTM"]
    assert recurrent and all(row["scheme"] == "int8" for row in recurrent)


def test_the_opset_of_few_bits_is_paid_once() -> None:
    """What a search foretells of sizes adds up: raising the version is not counted for each layer again."""
    training, _, _, _ = digits_cnn.load_digits()
    data = {"image": training[:16]}
    config = {"seconds": 0, "cache": False, "candidates": ["int8", "int4"]}
    uniform = pack(path_of("digits-cnn"), data, scheme="int4", config=config).report
    mix = pack(path_of("digits-cnn"), data, max_size=uniform["bytes_after"] + 760, config=config).report
    assert mix["accuracy"]["snr_db"] > uniform["accuracy"]["snr_db"] + 1
    assert {layer["scheme"] for layer in mix["layers"]} == {"keep", "int8", "int4"}
