"""Imported models on both engines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime

import onnxlet
from onnxlet import importers

ENGINES = ("onnxlet", "onnxruntime")


def imported(source: Path, target: Path, **options: Any) -> Path:
    """The ONNX file of a foreign model; it passes the checker."""
    ir.save(importers.load(source, **options), target)
    onnx.checker.check_model(target, full_check=True)
    return target


class Runner:
    """A model on an engine: feeds by name to outputs by name."""

    def __init__(self, path: Path, engine: str) -> None:
        if engine == "onnxlet":
            self._session: Any = onnxlet.InferenceSession(path)
        else:
            self._session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        self.inputs = self._session.get_inputs()
        self.outputs = [value.name for value in self._session.get_outputs()]

    def __call__(self, feeds: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        return dict(zip(self.outputs, map(np.asarray, self._session.run(None, dict(feeds))), strict=True))


def empty_cache(runner: Runner, batch: int = 1) -> dict[str, np.ndarray]:
    return {
        value.name: np.zeros((batch, value.shape[1], 0, value.shape[3]), np.float32)
        for value in runner.inputs
        if value.name.startswith("past_key_values.")
    }


def logits(runner: Runner, ids: np.ndarray, steps: tuple[int, ...]) -> np.ndarray:
    """Of ids [batch, length], fed so many at a time."""
    cache, found, seen = empty_cache(runner, len(ids)), [], 0
    for count in steps:
        part, seen = ids[:, seen : seen + count], seen + count
        mask = np.ones((len(ids), seen), np.int64)
        outputs = runner({"input_ids": part, "attention_mask": mask, **cache})
        found.append(outputs.pop("logits"))
        cache = {name.replace("present", "past_key_values"): value for name, value in outputs.items()}
    return np.concatenate(found, axis=1)
