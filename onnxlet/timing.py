"""Timing functions against each other: in turns, so that what else the machine does meets them alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
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
