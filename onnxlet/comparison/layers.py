"""Compares the values inside a model: as outputs, some at a time, so that memory stays bounded."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from ..errors import Error
from . import sides
from .metrics import Difference, bytes_of, compare_values
from .result import Layer, Layers
from .structure import Node, Structure
from .tolerance import Tolerance

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many values are compared, and how many there are."""

_CHUNK_BYTES: Final = 256 << 20  # of one side's values that are held at a time
_FIRST_CHUNK: Final = 4
_MOST_GROWTH: Final = 4  # from one chunk to the next: values may be larger than the ones before


def compare_layers(
    ours: sides.Side,
    theirs: sides.Side,
    tolerance: Tolerance,
    progress: Progress | None = None,
    chunk_bytes: int = _CHUNK_BYTES,
) -> Layers:
    """Values are aligned by name. Each chunk of them takes a session and a run on either side; the chunk's values of both
    are in memory at once, `chunk_bytes` of each and those of one node at least."""
    structure = Structure(ours.source)
    other = structure if theirs.source is ours.source else Structure(theirs.source)
    nodes = structure.nodes()
    unseen = structure.unseen()
    known = {name for node in other.nodes() for name in node.outputs}
    wanted = [name for node in nodes for name in node.outputs if name in known]
    missing = sum(len(node.outputs) for node in nodes) - len(wanted)
    if missing:
        unseen.append(f"{missing} values are not compared: the other model has none of that name")
    comparer = _Comparer(structure, other, ours, theirs, tolerance)
    done, count = 0, _FIRST_CHUNK
    while done < len(wanted):
        chunk = wanted[done : done + count]
        held = comparer.compare(chunk)
        done += len(chunk)
        per_value = max(held // len(chunk), 1)
        count = max(1, min(chunk_bytes // per_value, _MOST_GROWTH * count))
        if progress:
            progress(done, len(wanted))
    return Layers(_as_layers(nodes, comparer.found), (*unseen, *comparer.refused))


class _Comparer:
    def __init__(
        self, structure: Structure, other: Structure, ours: sides.Side, theirs: sides.Side, tolerance: Tolerance
    ) -> None:
        self.found: dict[str, Difference] = {}
        self.refused: list[str] = []
        self._pairs = ((structure, ours), (other, theirs))
        self._tolerance = tolerance

    def compare(self, names: Sequence[str]) -> int:
        """Returns the bytes that the larger side's values took."""
        try:
            actual, expected = (_values(structure, side, names) for structure, side in self._pairs)
        except Error as error:
            if len(names) == 1:  # such as a type that one side has no outputs of
                self.refused.append(f"{names[0]!r} is not compared: {error}")
                return 0
            middle = len(names) // 2
            return max(self.compare(names[:middle]), self.compare(names[middle:]))
        for name, a, b in zip(names, actual, expected, strict=True):
            self.found[name] = compare_values(name, a, b, self._tolerance)
        return max(sum(map(bytes_of, values)) for values in (actual, expected))


def _values(structure: Structure, side: sides.Side, names: Sequence[str]) -> list[Any]:
    loaded = side.load(structure.with_outputs(names), side.settings)
    with contextlib.closing(loaded):
        return loaded.run(names, {name: value for name, value in side.feeds.items() if name in loaded.inputs})


def _as_layers(nodes: Sequence[Node], found: Mapping[str, Difference]) -> tuple[Layer, ...]:
    layers = []
    for node in nodes:
        before = max((found[name].error for name in node.inputs if name in found), default=0.0)
        for name in node.outputs:
            if name in found:
                error = found[name].error
                growth = 0.0 if math.isinf(before) else max(0.0, error - before)
                layers.append(Layer(node.index, node.name, node.op_type, node.domain, name, found[name], growth))
    return tuple(layers)
