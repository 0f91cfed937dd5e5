"""Runs two sides on the same inputs and puts together what is known of their difference."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .. import errors, hosts
from ..made_inputs import complete
from ..model import Source
from ..session import InferenceSession
from . import sides
from .layers import Progress, compare_layers
from .metrics import Difference, compare_values
from .passes import find_passes
from .result import Comparison
from .sides import Side
from .tolerance import Tolerance

Inputs: TypeAlias = "Mapping[str, Any] | Callable[[InferenceSession], Mapping[str, Any]]"


def compare(
    model: Source,
    other: Source | None = None,
    *,
    against: str | None = None,
    inputs: Inputs | None = None,
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
    "wasm" (the default with `other`), "native", a flavour, or "webgpu": the npm package in Node with the package `webgpu`,
    where every node that has a kernel runs on the GPU. `engine` is where `model` itself runs; its passes can be
    switched off with `disabled_passes`. `inputs`: values by name as for `InferenceSession.run`, or what makes them for a
    session; what is not given is random from `seed`, and open sizes are 1 where no given input tells. Outputs are
    aligned by name, those that are left over by their order.

    `layers` compares the values inside, too: those of the main graph, by name; `progress` is called with how many of how
    many are done. Where none of them differs and the outputs do, the graph pass that makes the difference is looked for.

    Raises what `InferenceSession` raises, Fail for what another runtime refuses, NotImplemented when a package is missing.
    """
    against = against or (sides.REFERENCE if other is None else hosts.WASM)
    limits = tolerance or Tolerance()
    load = sides.side(against)
    settings = sides.Settings(threads, deterministic, tuple(disabled_passes))
    first = _run_first(model, engine, settings, inputs or {}, seed)
    with _about(other):
        peer = Side(model if other is None else other, load, sides.Settings(threads, deterministic))
        second = _run_second(peer, first)
    outputs, problems = _aligned(first.outputs, second.outputs, limits)
    comparison = Comparison(
        model=sides.name_of(model),
        other=None if other is None else sides.name_of(other),
        engine=first.engine,
        against=against,
        tolerance=limits,
        outputs=tuple(outputs),
        problems=tuple(problems),
        layers=compare_layers(first.side, second.side, limits, progress) if layers else None,
    )
    return dataclasses.replace(comparison, passes=_passes(first, second, limits)) if comparison.hidden else comparison


@dataclass(frozen=True)
class _Ran:
    """A side after its run. `arrays`: its feeds as other sides take them."""

    side: Side
    engine: str
    arrays: Mapping[str, Any]
    outputs: Mapping[str, Any]


def _run_first(model: Source, engine: str | None, settings: sides.Settings, inputs: Inputs, seed: int) -> _Ran:
    load = functools.partial(sides.Onnxlet, engine=engine)
    with contextlib.closing(load(sides.Model(model), settings)) as loaded:
        given = inputs(loaded.session) if callable(inputs) else inputs
        feeds = complete(loaded.session.get_inputs(), given, seed=seed)
        outputs = sides.run_all(loaded, feeds)
        arrays = sides.convert(feeds, loaded.inputs)
        return _Ran(Side(model, load, settings, feeds), loaded.session.flavour, arrays, outputs)


def _run_second(side: Side, first: _Ran) -> _Ran:
    with contextlib.closing(side.load(sides.Model(side.source), side.settings)) as loaded:
        unknown = [name for name in first.arrays if name not in loaded.inputs]
        if unknown:
            text = f"it has no input {', '.join(unknown)}; it has {', '.join(loaded.inputs)}"
            raise errors.InvalidArgument(text)
        arrays = sides.convert(first.arrays, loaded.inputs)
        outputs = sides.run_all(loaded, arrays)
        return _Ran(dataclasses.replace(side, feeds=arrays), "", arrays, outputs)


def _passes(first: _Ran, second: _Ran, tolerance: Tolerance) -> tuple[str, ...]:
    def agrees(outputs: Mapping[str, Any]) -> bool:
        return all(output.agrees for output in _aligned(outputs, second.outputs, tolerance)[0])

    return find_passes(first.side, agrees)


@contextlib.contextmanager
def _about(other: Source | None) -> Iterator[None]:
    """Errors about the second model say that they are."""
    try:
        yield
    except errors.Error as error:
        if other is None:
            raise
        raise type(error)(f"the second model, {sides.name_of(other)}: {error}") from error


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
