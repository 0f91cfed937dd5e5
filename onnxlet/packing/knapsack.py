"""The multiple-choice knapsack: one option of each layer, so that few bytes cost little accuracy.

Dominated partial choices are dropped layer by layer, as in Nemhauser and Ullmann 1969, "Discrete dynamic programming and
capital allocation", which is exact. Where more than `STATES` remain, of those whose sizes lie in the same one of `STATES`
equal intervals the cheapest is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STATES = 4096


@dataclass(frozen=True)
class Choice:
    """An option of each layer, with the bytes and the cost of them all."""

    size: int
    cost: float
    options: tuple[int, ...]


class Front:
    """All choices that no other beats in size and cost, smallest first.

    `bound`: bytes by which a choice can be larger than the smallest of the same cost; 0 where the front is exact.
    """

    def __init__(self, layers: Sequence[Sequence[tuple[int, float]]], states: int = STATES) -> None:
        """`layers`: for each its options as (bytes, cost); bytes may be negative, costs add up."""
        self.bound = 0
        sizes, costs = np.zeros(1, np.int64), np.zeros(1)
        self._steps: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
        for options in layers:
            all_sizes = sizes[:, None] + np.array([size for size, _ in options], np.int64)
            all_costs = costs[:, None] + np.array([cost for _, cost in options])
            kept = _undominated(all_sizes.reshape(-1), all_costs.reshape(-1))
            kept = self._thinned(all_sizes.reshape(-1), kept, states)
            self._steps.append((kept // len(options), kept % len(options)))
            sizes, costs = all_sizes.reshape(-1)[kept], all_costs.reshape(-1)[kept]
        self._sizes, self._costs = sizes, costs

    def __len__(self) -> int:
        return len(self._sizes)

    def __getitem__(self, index: int) -> Choice:
        at, options = range(len(self))[index], []
        size, cost = int(self._sizes[at]), float(self._costs[at])
        for parents, chosen in reversed(self._steps):
            options.append(int(chosen[at]))
            at = int(parents[at])
        return Choice(size, cost, tuple(reversed(options)))

    def best_within(self, size: int) -> int:
        """The index of the cheapest choice of at most `size` bytes; -1 where there is none."""
        return int(np.searchsorted(self._sizes, size, side="right")) - 1

    def _thinned(self, sizes: NDArray[np.int64], kept: NDArray[np.intp], states: int) -> NDArray[np.intp]:
        """In each interval the last is the cheapest."""
        if len(kept) <= states:
            return kept
        least, most = int(sizes[kept[0]]), int(sizes[kept[-1]])
        width = (most - least) // states + 1
        self.bound += width
        interval = (sizes[kept] - least) // width
        last = np.append(interval[1:] != interval[:-1], True)
        last[0] = True  # the smallest of all shows what can be reached
        chosen: NDArray[np.intp] = kept[last]
        return chosen


def _undominated(sizes: NDArray[np.int64], costs: NDArray[np.float64]) -> NDArray[np.intp]:
    """Indices of the points that no other equals or beats in both, by size; of equal ones the first."""
    order = np.lexsort((costs, sizes))
    ordered = costs[order]
    before = np.concatenate([[np.inf], np.minimum.accumulate(ordered)[:-1]])
    kept: NDArray[np.intp] = order[ordered < before]
    return kept
