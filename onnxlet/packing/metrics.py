"""How right a model is: against known answers, or against the model it was made from."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ..errors import InvalidArgument
from .data import Sample

Outputs: TypeAlias = dict[str, Any]
Run: TypeAlias = Callable[[Mapping[str, np.ndarray]], Outputs]
"""Runs a model: feeds by name to outputs by name."""

UserMetric: TypeAlias = Callable[[Run], float]
"""A user's measure, the larger the better. It calls the model on whatever it likes."""


@dataclass(frozen=True)
class Metric:
    name: str
    measure: Callable[[Run, Sequence[Sample]], float]
    higher_is_better: bool = True
    error_rate: bool = False
    """0 is best and 1 means that nothing is right."""
    named: bool = True
    """One of `METRICS`, and no function of the user's."""

    def drop(self, before: float, after: float) -> float:
        """How much worse it became, in the metric's own unit; negative where it became better."""
        return before - after if self.higher_is_better else after - before

    def kept(self, before: float, after: float) -> float:
        """Which share of the original is left; 1 where nothing was lost."""
        if not np.isfinite(after):
            return 0.0
        if self.error_rate:
            before, after = 1 - before, 1 - after
            return after / before if before > 0 else 1.0 if after >= before else 0.0
        best, worst = (before, after) if self.higher_is_better else (after, before)
        return worst / best if best > 0 else 1.0 if self.drop(before, after) <= 0 else 0.0


def find(metric: str | UserMetric | None) -> Metric | None:
    """A metric by name, or a user's function, itself or as "module:function"; None for the cosine to the original's outputs.

    Modules are looked for in the current folder too. Raises InvalidArgument for an unknown name.
    """
    if metric is None or metric == "cosine":
        return None
    if isinstance(metric, str) and ":" in metric:
        metric = _imported(metric)
    if callable(metric):
        function = metric
        return Metric(getattr(metric, "__name__", "metric"), lambda run, _: float(function(run)), named=False)
    if metric not in METRICS:
        raise InvalidArgument(
            f"there is no metric {metric!r}; there are cosine, {', '.join(METRICS)}, and module:function"
        )
    return METRICS[metric]


def _imported(name: str) -> UserMetric:
    module, _, function = name.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found: UserMetric = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidArgument(f"the metric {name!r} cannot be imported: {error}") from error
    finally:
        sys.path.pop(0)
    return found


def top1(run: Run, samples: Sequence[Sample]) -> float:
    """The share of samples whose first output is largest at the class that the target `label` names."""
    right = total = 0
    for sample in samples:
        labels = _target(sample, "label").reshape(-1)
        scores = next(iter(run(sample.feeds).values()))
        found = scores.reshape(len(labels), -1).argmax(-1)
        right, total = right + int((found == labels).sum()), total + len(labels)
    return right / max(total, 1)


def perplexity(run: Run, samples: Sequence[Sample]) -> float:
    """exp of the mean of -log p(token) of a language model whose first output is logits [batch, length, tokens].

    The targets are the tokens [batch, length] to be foretold, in `label`; negative ones do not count. Without targets,
    the next tokens of the input `input_ids`.
    """
    loss, total = 0.0, 0
    for sample in samples:
        logits = np.asarray(next(iter(run(sample.feeds).values())), np.float64)
        if "label" in sample.targets:
            labels = sample.targets["label"]
        elif "input_ids" in sample.feeds:
            labels, logits = sample.feeds["input_ids"][:, 1:], logits[:, :-1]
        else:
            raise InvalidArgument("perplexity needs a target 'label' in the data, or an input 'input_ids'")
        logits = logits - logits.max(-1, keepdims=True)
        logarithms = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        counted = labels >= 0
        chosen = np.take_along_axis(logarithms, np.where(counted, labels, 0)[..., None], -1)[..., 0]
        loss, total = loss - float(chosen[counted].sum()), total + int(counted.sum())
    return float(np.exp(loss / max(total, 1)))


def wer(run: Run, samples: Sequence[Sample]) -> float:
    """Words that are wrong, missing or too many, over the words of the target `label`.

    The first output is texts (strings), whose words lie between spaces, and so is `label`; or logits [batch, length, tokens] of
    CTC, whose blank is token 0, or tokens [batch, length]: then `label` is tokens [batch, n], each of which counts as a word,
    and negative ones are padding. CTC is read greedily, as in Graves et al. 2006, "Connectionist temporal classification".
    """
    wrong = total = 0
    for sample in samples:
        found = _sequences(np.asarray(next(iter(run(sample.feeds).values()))))
        labels = _sequences(_target(sample, "label"))
        if len(found) != len(labels):
            raise InvalidArgument(f"wer compares {len(found)} results with {len(labels)} in the target 'label'")
        wrong += sum(_edits(a, b) for a, b in zip(found, labels, strict=True))
        total += sum(map(len, labels))
    return wrong / max(total, 1)


def _sequences(values: np.ndarray) -> list[list[Any]]:
    """The words of each result of a batch."""
    if values.dtype.kind in "OUS":
        return [str(text).split() for text in values.reshape(-1)]
    if values.dtype.kind == "f":
        best = values.argmax(-1).reshape(-1, values.shape[-2])
        changed = np.diff(best, axis=1, prepend=-1) != 0
        return [list(row[new & (row != 0)]) for row, new in zip(best, changed, strict=True)]
    return [list(row[row >= 0]) for row in values.reshape(-1, values.shape[-1])]


def _edits(found: Sequence[Any], expected: Sequence[Any]) -> int:
    """How many insertions, deletions and replacements lie between two sequences."""
    row = list(range(len(expected) + 1))
    for i, a in enumerate(found, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(expected, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


def _target(sample: Sample, name: str) -> np.ndarray:
    if name not in sample.targets:
        has = ", ".join(sample.targets) or "no targets"
        raise InvalidArgument(f"this metric needs the target {name!r} in the data; it has {has}")
    return sample.targets[name]


METRICS: dict[str, Metric] = {
    "top1": Metric("top1", top1),
    "perplexity": Metric("perplexity", perplexity, higher_is_better=False),
    "wer": Metric("wer", wer, higher_is_better=False, error_rate=True),
}


# ---- against the original


@dataclass(frozen=True)
class Divergence:
    """How far outputs are from the original's, over all samples and float outputs."""

    cosine: float  # the mean over samples
    worst_cosine: float
    snr: float  # dB
    max_abs: float

    def document(self) -> dict[str, float | None]:
        """JSON-ready; null where a number is not finite."""
        numbers = {
            "cosine": self.cosine,
            "worst_cosine": self.worst_cosine,
            "snr_db": self.snr,
            "max_abs": self.max_abs,
        }
        return {key: round(value, 6) if np.isfinite(value) else None for key, value in numbers.items()}


class Comparison:
    """Gathers outputs of both models, sample by sample."""

    def __init__(self) -> None:
        self._cosines: list[float] = []
        self._signal = self._noise = self._largest = 0.0

    def add(self, original: Mapping[str, Any], packed: Mapping[str, Any]) -> None:
        """Outputs of one sample. Those that are no float arrays count as 1 or 0: equal or not."""
        cosines = [self._one(value, packed[name]) for name, value in original.items()]
        if cosines:
            self._cosines.append(min(cosines))

    def _one(self, a: Any, b: Any) -> float:
        if not isinstance(a, np.ndarray) or a.dtype.kind != "f":
            return float(np.array_equal(np.asarray(a), np.asarray(b)))
        if a.shape != b.shape:
            return 0.0
        x, y = a.astype(np.float64).reshape(-1), b.astype(np.float64).reshape(-1)
        finite = np.isfinite(x)
        if not np.isfinite(y[finite]).all():
            self._noise = np.inf
            return 0.0
        x, y = x[finite], y[finite]
        self._signal += float(x @ x)
        self._noise += float((x - y) @ (x - y))
        self._largest = max(self._largest, float(np.abs(x - y).max(initial=0)))
        return cosine(x, y)

    def result(self) -> Divergence:
        snr = 10 * np.log10(self._signal / self._noise) if self._noise and self._signal else np.inf
        snr = float(snr) if np.isfinite(self._noise) else float("-inf")
        found = self._cosines or [1.0]
        return Divergence(float(np.mean(found)), min(found), snr, self._largest)


def cosine(x: np.ndarray, y: np.ndarray) -> float:
    """Of two vectors; 1 where both are zero."""
    lengths = float(np.linalg.norm(x) * np.linalg.norm(y))
    if lengths == 0:
        return 1.0 if not x.any() and not y.any() else 0.0
    return float(x @ y) / lengths
