"""Compares what a model gives on different engines, or what two models give; `onnxlet.compare` is the way in.

Named for the noun, so that the function and its package do not hide each other.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .. import errors, hosts
from ..made_inputs import complete
from ..model import Source
from ..session import InferenceSession

try:
    import numpy  # noqa: F401
except ImportError:
    raise errors.NotImplemented("comparing needs numpy: pip install 'onnxlet[tools]'") from None

from . import sides
from .layers import Progress, Side, compare_layers
from .metrics import Difference, Worst, compare_values
from .result import Comparison, Layer, Layers
from .tolerance import Tolerance


def compare(
    model: Source,
    other: Source | None = None,
    *,
    against: str | None = None,
    inputs: Mapping[str, Any] | Callable[[InferenceSession], Mapping[str, Any]] | None = None,
    layers: bool = False,
    tolerance: Tolerance | None = None,
    engine: str | None = None,
    threads: int = 0,
    deterministic: bool = False,
    disabled_passes: Sequence[str] = (),
    seed: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Runs `model` on onnxlet and, with the same inputs, again on `against`, or `other` there.

    `against`: "reference" (the onnx package's, the default without `other`), "onnxruntime", or an engine of onnxlet:
    "wasm" (the default with `other`), "native", or a flavour. `engine` is where `model` itself runs; its passes can be
    switched off with `disabled_passes`. `inputs`: values by name as for `InferenceSession.run`, or what makes them for a session; what is not given is
    random from `seed`, and open sizes are 1 where no given input tells. Outputs are aligned by name, those that are left over by their order.

    `layers` compares the values inside, too: those of the main graph, by name; `progress` is called with how many of how
    many are done. Raises what `InferenceSession` raises, Fail for what another runtime refuses, NotImplemented when a
    package is missing.
    """
    against = against or (sides.REFERENCE if other is None else hosts.WASM)
    limits = tolerance or Tolerance()
    settings = sides.Settings(threads, deterministic, tuple(disabled_passes))
    peer = sides.Settings(threads, deterministic)
    load = sides.side(against)
    right = model if other is None else other
    with contextlib.closing(sides.Onnxlet(sides.Model(model), settings, engine)) as loaded:
        given = inputs(loaded.session) if callable(inputs) else inputs or {}
        feeds = complete(loaded.session.get_inputs(), given, seed=seed)
        actual = dict(zip(loaded.outputs, loaded.run(None, feeds), strict=True))
        name = loaded.session.flavour
        arrays = sides.convert(feeds, loaded.inputs)
    with _about(other), contextlib.closing(load(sides.Model(right), peer)) as loaded_peer:
        _check_inputs(arrays, loaded_peer.inputs)
        peer_feeds = sides.convert(arrays, loaded_peer.inputs)
        expected = dict(zip(loaded_peer.outputs, loaded_peer.run(None, peer_feeds), strict=True))
    outputs, problems = _aligned(actual, expected, limits)
    found = None
    if layers:
        ours = Side(model, lambda m, s: sides.Onnxlet(m, s, engine), settings, feeds)
        found = compare_layers(ours, Side(right, load, peer, peer_feeds), limits, progress)
    return Comparison(
        model=sides.Model(model).name,
        other=None if other is None else sides.Model(other).name,
        engine=name,
        against=against,
        tolerance=limits,
        outputs=tuple(outputs),
        problems=tuple(problems),
        layers=found,
    )


@contextlib.contextmanager
def _about(other: Source | None) -> Iterator[None]:
    """Errors about the second model say that they are."""
    try:
        yield
    except errors.Error as error:
        if other is None:
            raise
        raise type(error)(f"the second model, {sides.Model(other).name}: {error}") from error


def _check_inputs(feeds: Mapping[str, Any], known: Mapping[str, str]) -> None:
    unknown = [name for name in feeds if name not in known]
    if unknown:
        ours, theirs = ", ".join(unknown), ", ".join(known)
        raise errors.InvalidArgument(f"it has no input {ours}; it has {theirs}")


def _aligned(
    actual: Mapping[str, Any], expected: Mapping[str, Any], tolerance: Tolerance
) -> tuple[list[Difference], list[str]]:
    """By name; what is left over on both sides, by order where there are equally many."""
    pairs = {name: name for name in actual if name in expected}
    ours = [name for name in actual if name not in pairs]
    theirs = [name for name in expected if name not in pairs]
    problems = []
    if len(ours) == len(theirs):
        pairs |= dict(zip(ours, theirs, strict=True))
    else:
        problems += [f"output {name!r} is only in the first" for name in ours]
        problems += [f"output {name!r} is only in the second" for name in theirs]
    outputs = []
    for name in actual:
        if name in pairs:
            title = name if pairs[name] == name else f"{name} / {pairs[name]}"
            outputs.append(compare_values(title, actual[name], expected[pairs[name]], tolerance))
    return outputs, problems


__all__ = [
    "Comparison",
    "Difference",
    "Layer",
    "Layers",
    "Tolerance",
    "Worst",
    "compare",
    "compare_values",
]
