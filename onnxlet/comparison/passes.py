"""Finds the graph pass that makes a difference."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from . import sides


def find_passes(side: sides.Side, agrees: Callable[[Mapping[str, Any]], bool]) -> tuple[str, ...]:
    """Those passes that change the model and, left out one at a time, give outputs that agree. `side` is onnxlet's."""
    model, settings = sides.Model(side.source), side.settings

    def agrees_without(name: str) -> bool:
        chosen = dataclasses.replace(settings, disabled_passes=(*settings.disabled_passes, name))
        with contextlib.closing(side.load(model, chosen)) as loaded:
            return agrees(sides.run_all(loaded, side.feeds))

    with contextlib.closing(side.load(model, settings)) as loaded:
        names = loaded.passes() if isinstance(loaded, sides.Onnxlet) else []
    return tuple(name for name in names if agrees_without(name))
