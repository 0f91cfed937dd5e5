"""Timing functions against each other: in turns, so that what else the machine does meets them alike."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_ROUND_SECONDS = 0.05
_FEWEST_ROUNDS = 3
_WARM_RUNS = 2  # the first plans the memory, the second uses the plan


@dataclass
class Contender:
    """Something that runs the model, and what its runs took."""

    name: str
    run: Callable[[], Sequence[Any]]
    load_ms: float
    outputs: Sequence[Any] = ()
    times: list[float] = field(default_factory=list)  # ms
    rounds: list[float] = field(default_factory=list)  # medians, ms

    def warm(self) -> None:
        """The first runs, which also give the outputs that are compared."""
        for _ in range(_WARM_RUNS):
            self.outputs = self.run()

    def summary(self) -> dict[str, Any]:
        """Milliseconds."""
        numbers = {f"p{percent}_ms": round(quantile(self.times, percent / 100), 4) for percent in (10, 90)}
        return {
            "load_ms": round(self.load_ms, 3),
            "median_ms": round(quantile(self.times, 0.5), 4),
            **numbers,
            "runs": len(self.times),
        }


def take_turns(contenders: Sequence[Contender], seconds: float) -> None:
    """Rounds of some runs each, for about `seconds` per contender."""
    end = time.perf_counter() + seconds * len(contenders)
    number = 0
    while number < _FEWEST_ROUNDS or time.perf_counter() < end:
        for contender in reversed(contenders) if number % 2 else contenders:
            times = []
            round_end = time.perf_counter() + _ROUND_SECONDS
            while True:
                begin = time.perf_counter()
                contender.run()
                times.append((time.perf_counter() - begin) * 1000)
                if time.perf_counter() >= round_end:
                    break
            contender.times += times
            contender.rounds.append(quantile(times, 0.5))
        number += 1


def ratio(ours: Contender, theirs: Contender) -> float:
    """How many times as fast ours is: the median over neighbouring rounds."""
    return quantile([b / a for a, b in zip(ours.rounds, theirs.rounds, strict=True)], 0.5)


def quantile(numbers: Sequence[float], share: float) -> float:
    """The number at that share of the sorted list, without interpolation."""
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def difference(ours: Any, theirs: Any) -> float:
    """The largest absolute difference over the largest absolute value, of the worst array; infinite for what cannot be
    compared, 0 for equal things that are not numbers."""
    import numpy as np

    if isinstance(theirs, Mapping):
        same = isinstance(ours, Mapping) and ours.keys() == theirs.keys()
        return max((difference(ours[key], theirs[key]) for key in theirs), default=0.0) if same else math.inf
    if isinstance(theirs, list | tuple):
        if not isinstance(ours, list | tuple) or len(ours) != len(theirs):
            return math.inf
        return max((difference(a, b) for a, b in zip(ours, theirs, strict=True)), default=0.0)
    a, b = np.asarray(ours), np.asarray(theirs)
    if a.shape != b.shape:
        return math.inf
    if a.dtype.kind not in "fiubc" or b.dtype.kind not in "fiubc":
        return 0.0 if np.array_equal(a, b) else math.inf
    kind = np.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else np.float64
    a, b = a.astype(kind), b.astype(kind)
    equal = (a == b) | (np.isnan(a) & np.isnan(b))
    if equal.all():
        return 0.0
    error = float(np.abs(a[~equal] - b[~equal]).max())
    finite = np.abs(b[np.isfinite(b)])
    return math.inf if math.isnan(error) else error / (float(finite.max(initial=0.0)) or 1.0)
