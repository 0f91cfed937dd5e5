"""What a comparison found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .metrics import Difference, json_ready
from .tolerance import Tolerance


@dataclass(frozen=True)
class Layer:
    """One value inside the model, and the node that computes it.

    `growth` is how much further off the value is than the furthest of what the node read, both over their largest
    values (`Difference.of_largest`); infinite where numbers turn into something else.
    """

    index: int  # of the node in the file
    node: str
    op_type: str
    domain: str
    value: str
    difference: Difference
    growth: float

    def to_json(self) -> dict[str, Any]:
        """JSON-ready."""
        names = {"index": self.index, "node": self.node, "op_type": self.op_type, "domain": self.domain}
        return names | {"value": self.value, "growth": json_ready(self.growth), **self._numbers()}

    def _numbers(self) -> dict[str, Any]:
        return {key: value for key, value in self.difference.to_json().items() if key != "name"}


@dataclass(frozen=True)
class Layers:
    """The values between inputs and outputs, in topological order.

    `unseen` says in sentences what was not looked into: bodies of control flow, values that one side does not give.
    """

    layers: tuple[Layer, ...]
    unseen: tuple[str, ...]

    @property
    def first(self) -> Layer | None:
        """The first value that does not agree; None when all do."""
        return next((layer for layer in self.layers if not layer.difference.agrees), None)

    def largest_growth(self, count: int = 10) -> list[Layer]:
        """Where the difference grows the most, the worst first."""
        grown = [layer for layer in self.layers if layer.growth > 0]
        return sorted(grown, key=lambda layer: (-layer.growth, layer.index))[:count]

    def to_json(self) -> dict[str, Any]:
        """JSON-ready; `growth` lists names of values."""
        return {
            "first": self.first.to_json() if self.first else None,
            "growth": [layer.value for layer in self.largest_growth()],
            "layers": [layer.to_json() for layer in self.layers],
            "unseen": list(self.unseen),
        }


@dataclass(frozen=True)
class Comparison:
    """One model on two sides, or two models.

    `problems` name outputs that only one side has. `passes` are graph passes without which the outputs agree; they are
    looked for when the difference is `hidden`.
    """

    model: str
    other: str | None
    engine: str
    against: str
    tolerance: Tolerance
    outputs: tuple[Difference, ...]
    problems: tuple[str, ...] = ()
    layers: Layers | None = None
    passes: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        """Every output is there on both sides, within the tolerance."""
        return not self.problems and all(output.agrees for output in self.outputs)

    @property
    def hidden(self) -> bool:
        """The outputs differ and no value inside does: with every value kept, the engines join fewer operators to one,
        so the difference comes from joining them."""
        return self.layers is not None and not self.agrees and self.layers.first is None

    def to_json(self) -> dict[str, Any]:
        """JSON-ready: numbers, text, lists and dicts; NaN and infinities are text."""
        document: dict[str, Any] = {"model": self.model, "other": self.other}
        document |= {"engine": self.engine, "against": self.against, "agrees": self.agrees}
        document |= {"tolerance": str(self.tolerance), "problems": list(self.problems)}
        document["outputs"] = [output.to_json() for output in self.outputs]
        if self.layers is not None:
            document |= {"layers": self.layers.to_json(), "passes": list(self.passes)}
        return document
