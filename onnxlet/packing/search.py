"""The best mix of schemes for a budget: single layers are measured, a knapsack is solved, and the result is run.

Costs of single layers are added up, which is right as long as they are small. So every mix that is considered is built and
run as a whole, with each scheme throughout beside it: what is chosen is the best of what was measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ..errors import Refused
from . import sensitivity
from .budget import Budget
from .build import Decision, Observed
from .calibrate import Progress
from .config import Keep, Scheme
from .knapsack import Choice, Front
from .sensitivity import Sensitivity
from .trials import Mix, Trial, Workbench, fits, fits_accuracy, form_of

_PROBES: Final = 14
"""Mixes of the front that are run: enough to halve it as often as it can be."""
_REPAIRS: Final = 6


@dataclass(frozen=True)
class Found:
    """The chosen mix, ready to be built, and what the search measured."""

    decisions: dict[str, Decision]
    observed: Observed
    document: dict[str, Any]


def search(bench: Workbench, budget: Budget, progress: Progress | None = None) -> Found:
    """The mix of most accuracy within `max_size`, or the smallest that keeps the accuracy.

    Raises Refused, which names the smallest or the most accurate mix that was found.
    """
    run = _Search(bench, budget, progress)
    return run.run()


class _Search:
    def __init__(self, bench: Workbench, budget: Budget, progress: Progress | None) -> None:
        self.bench, self.budget, self.progress = bench, budget, progress
        self.trials: dict[Mix, Trial] = {}
        pairs = sum(len(options) - 1 for options in bench.options)
        self.total = len(bench.config.candidates) + min(bench.config.runs, pairs) + _PROBES
        self.done = 0

    def run(self) -> Found:
        self._original_reaches()
        uniform = [self._try(str(scheme), self._throughout(scheme)) for scheme in self.bench.config.candidates]
        measured = sensitivity.measure(self.bench, uniform, self._cost, self._tell)
        front = Front([[(option.size, option.cost) for option in options] for options in measured.options])
        if self.budget.bounds_accuracy:
            self._smallest(front, measured)
        else:
            self._most_accurate(front, measured)
        chosen = self._chosen()
        self._tell(self.total)
        decisions = self.bench.decisions(chosen.mix)
        return Found(decisions, self.bench.observed(chosen.mix), self._document(chosen, front, measured))

    # ---- mixes

    def _throughout(self, scheme: Scheme) -> Mix:
        """One scheme for all layers that have a form for it."""
        return tuple(
            next((d for d in options if form_of(layer, d.scheme) == form_of(layer, scheme)), options[0])
            for layer, options in zip(self.bench.layers, self.bench.options, strict=True)
        )

    def _try(self, name: str, mix: Mix) -> Trial:
        if mix not in self.trials:
            self.trials[mix] = self.bench.try_mix(name, mix)
        self._tell()
        return self.trials[mix]

    def _mix(self, choice: Choice, measured: Sensitivity) -> Mix:
        return tuple(options[number].decision for number, options in zip(choice.options, measured.options, strict=True))

    def _smallest(self, front: Front, measured: Sensitivity) -> None:
        """Halves the front between what is too coarse and what is accurate enough, which the original is."""
        low, high = -1, len(front) - 1
        while high - low > 1:
            middle = (low + high) // 2
            trial = self._try(f"mix {len(self.trials)}", self._mix(front[middle], measured))
            if fits_accuracy(trial, self.budget, self.bench.metric):
                high = middle
            else:
                low = middle
        self._try(f"mix {len(self.trials)}", self._mix(front[high], measured))
        self._repair(front, high, measured)

    def _most_accurate(self, front: Front, measured: Sensitivity) -> None:
        """The front's best within the size; smaller ones where the file is larger than the layers' sizes add up to."""
        assert self.budget.max_size is not None
        limit = self.budget.max_size - measured.base
        for _ in range(_REPAIRS):
            at = max(front.best_within(limit), 0)
            trial = self._try(f"mix {len(self.trials)}", self._mix(front[at], measured))
            if at == 0 or trial.size <= self.budget.max_size:
                break
            limit = front[at].size - max(trial.size - self.budget.max_size, 1)
        self._repair(front, at, measured)

    def _repair(self, front: Front, at: int, measured: Sensitivity) -> None:
        """Tries neighbours of a mix: sums of costs foretell accuracy only roughly."""
        for index in _around(at, len(front), _REPAIRS):
            self._try(f"mix {len(self.trials)}", self._mix(front[index], measured))

    # ---- judging

    def _cost(self, trial: Trial) -> float:
        if self.bench.config.sensitivity == "divergence" or self.bench.metric is None:
            return trial.noise
        accuracy = trial.accuracy
        drop = self.bench.metric.drop(accuracy.before, accuracy.after)
        return max(drop, 0.0) / max(abs(accuracy.before), 1e-12)

    def _merit(self, trial: Trial) -> tuple[float, ...]:
        """The larger the better, of trials that keep to the budget."""
        metric = self.bench.metric
        drop = trial.accuracy.before - trial.accuracy.after
        if metric is not None:
            drop = metric.drop(trial.accuracy.before, trial.accuracy.after)
        if self.budget.bounds_accuracy:
            return -trial.size, -drop, -trial.noise
        return -drop, -trial.noise, -trial.size

    def _chosen(self) -> Trial:
        packed = [t for t in self.trials.values() if any(not isinstance(d.scheme, Keep) for d in t.mix)]
        fitting = [trial for trial in packed if fits(trial, self.budget, self.bench.metric)]
        if fitting:
            return max(fitting, key=self._merit)
        small = [trial for trial in packed if self.budget.fits_size(trial.size)]
        if not small:
            raise Refused(f"no mix keeps to {self.budget}: the smallest that was found has {_words(_smallest(packed))}")
        best = max(small, key=lambda trial: (trial.accuracy.kept, -trial.noise))
        raise Refused(f"no mix keeps to {self.budget}: the most accurate that was found has {_words(best)}")

    def _original_reaches(self) -> None:
        judge, least = self.bench.judge, self.budget.min_accuracy
        higher = judge.metric is None or judge.metric.higher_is_better
        if least is None or self.budget.fits_accuracy(judge.before, 0.0, higher):
            return
        name = "cosine" if judge.metric is None else judge.metric.name
        raise Refused(f"min_accuracy = {least} is out of reach: the original itself has {name} {judge.before:.6g}")

    def _tell(self, done: int | None = None) -> None:
        self.done = self.done + 1 if done is None else done
        if self.progress:
            self.progress("searching", min(self.done, self.total), self.total)

    def _document(self, chosen: Trial, front: Front, measured: Sensitivity) -> dict[str, Any]:
        trials = sorted(self.trials.values(), key=lambda trial: trial.size)
        best = list(_undominated(trials))
        return {
            "budget": str(self.budget),
            "runs": self.bench.runs,
            "bound_bytes": front.bound,
            "sensitivity": measured.rows([layer.name for layer in self.bench.layers]),
            "trials": [
                {
                    "name": trial.name,
                    "bytes": trial.size,
                    **trial.accuracy.document(),
                    "pareto": trial in best,
                    "chosen": trial is chosen,
                }
                for trial in trials
            ],
        }


def _around(at: int, count: int, most: int) -> Iterator[int]:
    """Up to `most` indices next to one, those below first."""
    near = [index for step in range(1, most) for index in (at - step, at + step)]
    return iter([index for index in near if 0 <= index < count][:most])


def _smallest(trials: list[Trial]) -> Trial:
    return min(trials, key=lambda trial: trial.size)


def _words(trial: Trial) -> str:
    return f"{trial.size} bytes and {trial.accuracy.metric} {trial.accuracy.after:.6g}"


def _undominated(trials: list[Trial]) -> Iterator[Trial]:
    """Of trials by size, those that no smaller one beats."""
    best = float("-inf")
    for trial in trials:
        if (merit := trial.accuracy.kept - 1e-9 * min(trial.noise, 1.0)) > best:
            best = merit
            yield trial
