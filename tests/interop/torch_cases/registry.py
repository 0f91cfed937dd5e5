"""What a PyTorch case is, and the list of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

Inputs = tuple[torch.Tensor, ...]
SCRIPT, DYNAMO = "torch-script", "torch-dynamo"


@dataclass(frozen=True)
class Case:
    """A module and the inputs it is run with; it is exported with the first of them.

    `dynamic` gives for each input its axes of free size; `dynamo_dynamic` those for the newer exporter, where they are
    others. `since` is the first opset version at which the TorchScript
    exporter can write the module. `scripted` compiles it before the export.
    """

    name: str
    make: Callable[[], nn.Module]
    inputs: Callable[[], Sequence[Inputs]]
    dynamic: dict[int, tuple[int, ...]] = field(default_factory=dict)
    dynamo_dynamic: dict[int, tuple[int, ...]] | None = None
    exporters: tuple[str, ...] = (SCRIPT, DYNAMO)
    since: int = 9
    scripted: bool = False
    rtol: float = 1e-4
    atol: float = 1e-5

    def free_axes(self, exporter: str) -> dict[int, tuple[int, ...]]:
        return self.dynamic if exporter == SCRIPT or self.dynamo_dynamic is None else self.dynamo_dynamic

    def fitting(self, exporter: str) -> list[Inputs]:
        """The inputs that an export with the first of them can take."""
        given, free = list(self.inputs()), self.free_axes(exporter)

        def fixed(inputs: Inputs) -> list[tuple[int | None, ...]]:
            return [
                tuple(None if d in free.get(i, ()) else n for d, n in enumerate(x.shape)) for i, x in enumerate(inputs)
            ]

        return [inputs for inputs in given if fixed(inputs) == fixed(given[0])]


CASES: dict[str, Case] = {}


def add(name: str, make: Callable[[], nn.Module], inputs: Callable[[], Sequence[Inputs]], **how: Any) -> None:
    assert name not in CASES, name
    CASES[name] = Case(name, make, inputs, **how)


class Function(nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: torch.Tensor) -> Any:
        return self.function(*args)


def add_function(name: str, function: Callable[..., Any], inputs: Callable[[], Sequence[Inputs]], **how: Any) -> None:
    add(name, lambda: Function(function), inputs, **how)


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)))


def integers(low: int, high: int, *shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(seed + sum(shape)))


def sizes(*shapes: tuple[int, ...]) -> Callable[[], list[Inputs]]:
    """One input of normal numbers, in several shapes."""
    return lambda: [(normal(*shape),) for shape in shapes]
