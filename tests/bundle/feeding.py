"""What a runner does with its arguments, in a few lines: the oracle of all runners."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from onnxlet.bundle import Input, Interface

_FILES = ("image", "audio", "bytes")


def feeds(interface: Interface, arguments: Sequence[str]) -> dict[str, np.ndarray]:
    """Feeds of the composed model, from arguments as a person gives them: paths, words, --table FILE."""
    if arguments[0] == "--table":
        return _of_table(interface.inputs, Path(arguments[1]))
    return {item.name: _of_word(item, word) for item, word in zip(interface.inputs, arguments, strict=True)}


def _of_word(item: Input, word: str) -> np.ndarray:
    if item.kind in _FILES:
        return np.frombuffer(Path(word).read_bytes(), np.uint8)
    return np.array([word], object) if item.kind == "text" else np.load(word)


def _of_table(inputs: Sequence[Input], path: Path) -> dict[str, np.ndarray]:
    with path.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    if inputs[0].kind == "matrix":
        return {inputs[0].name: np.array(rows, inputs[0].dtype)}
    return {item.name: _column(item, [row[names.index(item.name)] for row in rows]) for item in inputs}


def _column(item: Input, texts: list[str]) -> np.ndarray:
    if item.dtype == "string":
        return np.array(texts, object)[:, None]
    return np.array([text or "nan" for text in texts], item.dtype)[:, None]
