"""Mixes of schemes that are built, written and run, so that their sizes and their accuracy are facts."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import onnx_ir as ir

from .budget import Budget
from .build import Decision, Observed, Prepared, build, calibrate, decide, grid_of, opset_of
from .calibrate import Progress
from .config import Config, Fp16, Int8Static, Keep, Scheme, WeightOnly
from .data import Samples
from .layers import Layer
from .metrics import Metric
from .prove import Accuracy, Judge
from .search_cache import Entry, SearchCache
from .store import staged, stored_bytes

KEEP: Final = Decision(Keep(), "the search keeps it")
Mix = tuple[Decision, ...]
"""A decision for each layer, in the survey's order."""


@dataclass(frozen=True)
class Trial:
    """What is known of a mix."""

    name: str
    mix: Mix
    size: int  # bytes as written, external data included
    accuracy: Accuracy
    stored: tuple[int, ...]  # bytes of each layer's weights
    snr: tuple[float, ...]  # dB of each layer's weights

    @property
    def noise(self) -> float:
        """How far outputs are from the original's: noise over signal, or what the cosine lacks where that says more."""
        divergence = self.accuracy.divergence
        return float(max(10 ** (-divergence.snr / 10), 1 - divergence.cosine))


def options_of(layer: Layer, config: Config) -> list[Decision]:
    """To keep the layer, and the candidates that have a form for it; one option where the configuration names its scheme."""
    if config.named(layer.node_names) is not None:
        return [decide(layer, config)]
    found: dict[object, Decision] = {}
    reasons = []
    for scheme in config.candidates:
        made = decide(layer, config.model_copy(update={"scheme": scheme, "fallback": Keep()}))
        if made.scheme == scheme:
            found.setdefault(form_of(layer, scheme), made)
        else:
            reasons.append(made)
    return [KEEP, *found.values()] if found else reasons[:1]


def form_of(layer: Layer, scheme: Scheme) -> object:
    """Equal for schemes that write the same: blocks longer than the layer's rows are none."""
    if not isinstance(scheme, WeightOnly):
        return scheme
    return scheme.model_copy(update={"block": grid_of(scheme, layer.columns).block})


class Workbench:
    """Makes trials of one model. Those of an earlier call come from the cache."""

    def __init__(
        self,
        prepared: Prepared,
        config: Config,
        samples: Samples,
        judge: Judge,
        cache: SearchCache,
        finish: Callable[[ir.Model], ir.Model],
        file_name: str,
        progress: Progress | None = None,
    ) -> None:
        """`finish` gives a model its metadata; `file_name` is the packed model's: both count in its size."""
        self.prepared, self.config, self.judge, self.cache = prepared, config, judge, cache
        self.layers: Sequence[Layer] = prepared.survey.layers
        self.runs = 0
        """How many models were run; what the cache knew is not counted."""
        self._samples, self._finish, self._file_name, self._progress = samples, finish, file_name, progress
        self._observed: dict[Scheme, Observed] = {}
        self._kept: dict[int, int] = {}  # sizes by opset version

    @cached_property
    def options(self) -> list[list[Decision]]:
        return [options_of(layer, self.config) for layer in self.layers]

    @property
    def metric(self) -> Metric | None:
        return self.judge.metric

    def try_mix(self, name: str, mix: Mix, metric: bool = True) -> Trial:
        """Builds and runs a mix on all samples; without `metric` the divergence alone is measured."""
        schemes = ";".join(str(decision.scheme) for decision in mix)
        key = f"{schemes}|{self.metric.name if metric and self.metric else 'cosine'}"
        known = self.metric is None or not metric or self.metric.named  # a function may have changed since
        found = self.cache.get(key) if known else None
        if found is None:
            found = self._measured(mix, metric)
            self.runs += 1
            if known:
                self.cache.put(key, found)
        return Trial(name, mix, *found)

    def _measured(self, mix: Mix, metric: bool) -> Entry:
        decisions = self.decisions(mix)
        built = build(self.prepared, decisions, self.observed(mix), self.config)
        outcomes = [built.outcomes[layer.name] for layer in self.layers]
        with self._written(built.model) as path:
            accuracy = self.judge.accuracy(path) if metric else self.judge.divergence(path)
            size = stored_bytes(path)
        return size, accuracy, tuple(o.bytes_after for o in outcomes), tuple(o.snr for o in outcomes)

    @contextlib.contextmanager
    def _written(self, model: ir.Model) -> Iterator[Path]:
        with tempfile.TemporaryDirectory() as folder, staged(Path(folder) / self._file_name) as stage:
            stage.write(self._finish(model), self.config.external_data)
            yield stage.path

    def kept_size(self, opset: int) -> int:
        """Bytes of the model with every layer kept, raised to an opset version: what that costs, it costs once."""
        if opset not in self._kept:
            kept = self.decisions(tuple(KEEP for _ in self.layers))
            config = self.config.model_copy(update={"opset": max(opset, self.config.opset or 0)})
            with self._written(build(self.prepared, kept, Observed(), config).model) as path:
                self._kept[opset] = stored_bytes(path)
        return self._kept[opset]

    def saved(self, at: int, trial: Trial) -> int:
        """Bytes that the trial of one layer adds to the model of its opset version: negative as a rule."""
        return trial.size - self.kept_size(opset_of(self.layers[at], trial.mix[at].scheme)[0])

    def decisions(self, mix: Mix) -> dict[str, Decision]:
        return {layer.name: decision for layer, decision in zip(self.layers, mix, strict=True)}

    def observed(self, mix: Mix) -> Observed:
        """What calibration found for the schemes of a mix; the model is calibrated once for each scheme."""
        merged = Observed()
        for layer, decision in zip(self.layers, mix, strict=True):
            part = self._observed_for(decision.scheme)
            if isinstance(decision.scheme, Int8Static):
                merged.intervals, merged.unusable = part.intervals, part.unusable
            merged.sizes |= part.sizes
            if layer.name in part.inputs:
                merged.inputs[layer.name] = part.inputs[layer.name]
        return merged

    def _observed_for(self, scheme: Scheme) -> Observed:
        if isinstance(scheme, Keep) or (isinstance(scheme, Fp16) and not scheme.arithmetic):
            return Observed()
        if scheme not in self._observed:
            assignment: Mapping[str, Scheme] = {
                layer.name: next((d.scheme for d in options if d.scheme == scheme), Keep())
                for layer, options in zip(self.layers, self.options, strict=True)
            }
            self._observed[scheme] = calibrate(self.prepared, assignment, self._samples, self._progress)
        return self._observed[scheme]


def fits(trial: Trial, budget: Budget, metric: Metric | None) -> bool:
    return budget.fits_size(trial.size) and fits_accuracy(trial, budget, metric)


def fits_accuracy(trial: Trial, budget: Budget, metric: Metric | None) -> bool:
    before, after = trial.accuracy.before, trial.accuracy.after
    drop = before - after if metric is None else metric.drop(before, after)
    return budget.fits_accuracy(after, drop, metric is None or metric.higher_is_better)
