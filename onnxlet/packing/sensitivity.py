"""How much each layer loses by each scheme: one layer at a time is packed, and the outputs are compared."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .build import Decision
from .config import Keep
from .trials import KEEP, Trial, Workbench

_HOPELESS_DB: Final = 0.0
"""Weights whose noise is as strong as they are: such an option is not run."""
_RUINED: Final = 1.0
"""Noise over signal of the outputs: finer bits alone could help, coarser ones are not run."""


@dataclass(frozen=True)
class Option:
    """A scheme for one layer, with what it adds to the file and takes from the accuracy."""

    decision: Decision
    size: int  # bytes more (mostly less) than keeping the layer
    cost: float  # of the accuracy, adds up over layers; infinite for hopeless ones
    snr: float  # dB of the weights
    measured: bool


@dataclass(frozen=True)
class Sensitivity:
    base: int  # bytes of the model with every layer kept
    options: list[list[Option]]  # for each layer

    def rows(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """For the report: every option but to keep the layer."""
        return [
            {
                "layer": name,
                "scheme": str(option.decision.scheme),
                "bytes": option.size,
                "cost": float(f"{option.cost:.4g}") if option.cost < float("inf") else None,
                "measured": option.measured,
            }
            for name, options in zip(names, self.options, strict=True)
            for option in options
            if not isinstance(option.decision.scheme, Keep)
        ]


def measure(
    bench: Workbench, uniform: Sequence[Trial], cost: Callable[[Trial], float], tell: Callable[[], None]
) -> Sensitivity:
    """Runs each layer with each of its options, at most `runs` (of the configuration) in all, the largest savings first.

    What is not run gets its cost from the noise of its weights (known from the uniform trials) times the gain of its layer,
    which is cost over noise of the option that was run; a layer that was never run has the median gain.
    """
    base = bench.kept_size(0)
    weights = _weights(bench, uniform)
    trials: dict[tuple[int, int], Trial] = {}
    for at, number in _order(bench, weights)[: bench.config.runs]:
        if not _ruined(trials, bench, at, weights, number):
            mix = tuple(bench.options[at][number] if k == at else KEEP for k in range(len(bench.layers)))
            trials[at, number] = bench.try_mix("one layer", mix, metric=bench.config.sensitivity == "metric")
        tell()
    costs = {key: cost(trial) for key, trial in trials.items()}
    return Sensitivity(base, _table(bench, weights, trials, costs))


Weights = dict[tuple[int, int], tuple[int, float]]
"""By layer and option: bytes and signal-to-noise ratio of the weights."""


def _weights(bench: Workbench, uniform: Sequence[Trial]) -> Weights:
    found: Weights = {}
    for at, options in enumerate(bench.options):
        for number, decision in enumerate(options):
            trial = next((t for t in uniform if t.mix[at] == decision), None)
            if trial is not None and not isinstance(decision.scheme, Keep):
                found[at, number] = trial.stored[at], trial.snr[at]
    return found


def _order(bench: Workbench, weights: Weights) -> list[tuple[int, int]]:
    """Layers and options, first the smallest option of every layer, large layers first."""
    before = [layer.weight.const_value.nbytes if layer.weight.const_value else 0 for layer in bench.layers]
    rounds: dict[tuple[int, int], int] = {}
    for at in range(len(bench.layers)):
        if len(bench.options[at]) == 1:
            continue
        hopeful = [key for key, (_, snr) in weights.items() if key[0] == at and snr > _HOPELESS_DB]
        for place, key in enumerate(sorted(hopeful, key=lambda key: (weights[key][0], key[1]))):
            rounds[key] = place
    return sorted(rounds, key=lambda key: (rounds[key], -before[key[0]], key))


def _ruined(trials: dict[tuple[int, int], Trial], bench: Workbench, at: int, weights: Weights, number: int) -> bool:
    """Whether an option with less noise in its weights has ruined the outputs already."""
    return any(
        trial.noise >= _RUINED and weights[key][1] >= weights[at, number][1]
        for key, trial in trials.items()
        if key[0] == at
    )


def _table(
    bench: Workbench,
    weights: Weights,
    trials: dict[tuple[int, int], Trial],
    costs: dict[tuple[int, int], float],
) -> list[list[Option]]:
    gains = {key: value / _noise(weights[key][1]) for key, value in costs.items() if _noise(weights[key][1]) > 0}
    usual = statistics.median(gains.values()) if gains else 1.0
    table = []
    for at, options in enumerate(bench.options):
        own = [gain for key, gain in gains.items() if key[0] == at]
        gain = statistics.median(own) if own else usual
        row = []
        for number, decision in enumerate(options):
            key = (at, number)
            if key in trials:
                row.append(Option(decision, bench.saved(at, trials[key]), costs[key], weights[key][1], True))
            elif key in weights:
                stored, snr = weights[key]
                tensor = bench.layers[at].weight.const_value
                size = stored - (tensor.nbytes if tensor is not None else 0)
                cost = gain * _noise(snr) if snr > _HOPELESS_DB else float("inf")
                row.append(Option(decision, size, cost, snr, False))
            else:
                row.append(Option(decision, 0, 0.0, float("inf"), True))
        table.append([option for option in row if option.cost < float("inf")] or row)
    return table


def _noise(snr: float) -> float:
    return float(10 ** (-snr / 10))
