"""From a model and a scheme for each layer to the packed model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from ..errors import InvalidArgument
from . import bias, cleanup, trees
from .calibrate import Columns, Histogram, Interval, Observer, Patches, Progress, Range, Size, interval, observe
from .config import Config, Fp16, Int8Dynamic, Int8Static, Keep, Quantizing, Scheme, WeightOnly
from .layers import RULES, Layer, Survey, int_attribute, nodes_of, quantized_operators, survey, tensor_of
from .methods import METHODS
from .opset import raise_opset
from .quantizers import Codes, Grid, InputStatistics, signal_to_noise
from .rewrite import dynamic, half, half_graph, nbits, qdq, static
from .rewrite.writer import Writer

if TYPE_CHECKING:
    from .data import Samples

_BINS = 48  # of histograms


@dataclass(frozen=True)
class Decision:
    """The scheme of a layer, and why it is another than the one asked for."""

    scheme: Scheme
    reason: str = ""


@dataclass
class Prepared:
    """A float model, cleaned up, with its layers: what assignments of schemes are tried on."""

    model: ir.Model
    survey: Survey
    gone: dict[str, str]  # nodes that the clean-up removed, with the reason
    shrunk: dict[str, str]  # nodes that became smaller without being quantized, with how
    node_types: dict[str, str]  # of all nodes of the original, by name

    def layer(self, name: str) -> Layer:
        return next(layer for layer in self.survey.layers if layer.name == name)


def prepare(model: ir.Model) -> Prepared:
    """Takes a model over: it is changed. Raises InvalidArgument for one that is quantized already or has nothing to pack."""
    found = quantized_operators(nodes_of(model))
    if found:
        counts = ", ".join(f"{count} {op_type}" for op_type, count in sorted(found.items()))
        raise InvalidArgument(f"the model is quantized already: it has {counts}. Pack the float model it was made from")
    types = cleanup.name_nodes(model)
    gone = cleanup.prepare(model)
    shrunk = trees.shrink(model)
    surveyed = survey(model)
    if not surveyed.layers and not shrunk:
        could = [name for name, op_type in types.items() if op_type in RULES and name in surveyed.skipped]
        reasons = "; ".join(f"{name!r}: {surveyed.skipped[name]}" for name in could[:3])
        raise InvalidArgument(f"the model has nothing to pack: none of its nodes has weights of float32. {reasons}")
    return Prepared(model, surveyed, gone, shrunk, types)


def decide(layer: Layer, config: Config) -> Decision:
    """The scheme that the configuration has for the layer, the fallback where that has no form, or to keep it."""
    wanted = config.scheme_of(layer.node_names)
    size = tensor_of(layer.weight).size
    if size < config.min_elements and not isinstance(wanted, Int8Static):
        return Decision(Keep(), f"its weight has {size} numbers, fewer than min_elements = {config.min_elements}")
    reason = _lacks(layer, wanted)
    if reason is None:
        return Decision(wanted)
    if not isinstance(wanted, Fp16) and _lacks(layer, config.fallback) is None:
        return Decision(config.fallback, reason)
    return Decision(Keep(), reason)


def _lacks(layer: Layer, scheme: Scheme) -> str | None:
    if scheme.kind in layer.lacks:
        return layer.lacks[scheme.kind]
    if isinstance(scheme, Fp16):
        return half.lacks(layer)
    if isinstance(scheme, Int8Static) and not layer.in_main_graph:
        return "it stands in a subgraph, whose values calibration does not see"
    return None


# ---- what calibration must know


@dataclass
class Observed:
    """What calibration found: of values by name, and of layers' inputs by layer."""

    intervals: dict[str, Interval] = field(default_factory=dict)
    inputs: dict[str, InputStatistics] = field(default_factory=dict)
    unusable: dict[str, str] = field(default_factory=dict)  # values that cannot have 8 bits, with the reason
    sizes: dict[str, float] = field(default_factory=dict)  # largest absolute values of float32 tensors


def calibrate(
    prepared: Prepared, assignment: Mapping[str, Scheme], samples: Samples | None, progress: Progress | None
) -> Observed:
    """Runs the model as far as the assignment of schemes to layers (by name) asks for it."""
    statics = [layer for layer in prepared.survey.layers if isinstance(assignment[layer.name], Int8Static)]
    scheme = next((s for s in assignment.values() if isinstance(s, Int8Static)), None)
    if scheme is not None and (samples is None or samples.synthetic):
        raise InvalidArgument("int8-static needs data: the ranges of activations come from it (data=..., --data)")
    halved = any(_computes(s) for s in assignment.values())
    if halved and (samples is None or samples.synthetic):
        raise InvalidArgument(
            "fp16 with arithmetic=true needs data: it shows which values pass 65504 (data=..., --data)"
        )
    ranges: dict[str, Range] = {}
    if scheme is not None:
        kind = Range if scheme.calibration == "min-max" else Histogram
        region = static.region(prepared.model, statics)
        ranges = {v.name or "": kind() for v in region.values if v not in region.same_as}
    columns = _columns(prepared, assignment) if samples is not None else {}
    sizes = {v.name or "": Size() for v in _values(prepared.model)} if halved else {}
    observers: dict[str, list[Observer]] = {name: [r] for name, r in ranges.items()}
    for name, size in sizes.items():
        observers.setdefault(name, []).append(size)
    for value, observer in dict.fromkeys(columns.values()):
        observers.setdefault(value, []).append(observer)
    if observers and samples is not None:
        observe(prepared.model, samples, observers, progress)
    observed = Observed(inputs={name: observer.statistics() for name, (_, observer) in columns.items()})
    observed.sizes = {name: size.largest for name, size in sizes.items() if size.largest is not None}
    for name, r in ranges.items():
        assert scheme is not None
        found = interval(r, scheme.calibration, scheme.percentile)
        reason = static.unusable(found)
        if reason is None:
            observed.intervals[name] = found
        else:
            observed.unusable[name] = reason
    return observed


def _computes(scheme: Scheme) -> bool:
    return isinstance(scheme, Fp16) and scheme.arithmetic


def _values(model: ir.Model) -> Iterator[ir.Value]:
    """All that is known by name in the main graph while it runs."""
    yield from model.graph.inputs
    for node in model.graph:
        yield from (value for value in node.outputs if value.name)


def _columns(prepared: Prepared, assignment: Mapping[str, Scheme]) -> dict[str, tuple[str, Columns]]:
    """The layers whose scheme asks for it, each with the input to observe. Products that share an input share the observer."""
    found: dict[str, tuple[str, Columns]] = {}
    shared: dict[tuple[str, bool], Columns] = {}
    for layer in prepared.survey.layers:
        own = assignment[layer.name]
        moments = isinstance(own, Quantizing) and METHODS[own.method].needs_moments
        if not isinstance(own, Quantizing) or not (moments or own.correct_bias) or not layer.in_main_graph:
            continue
        node = layer.multiplied
        name = "" if node is None or node.inputs[0] is None else node.inputs[0].name or ""
        if node is None or node.op_type == "ConvTranspose" or int_attribute(node, "transA", 0):
            continue
        if node.op_type == "Conv":
            found[layer.name] = (name, Patches(node, layer.shape[2:], moments=moments))
        else:
            found[layer.name] = (name, shared.setdefault((name, moments), Columns(moments=moments)))
    return found


# ---- writing


@dataclass(frozen=True)
class Outcome:
    """What became of a layer."""

    decision: Decision
    bytes_before: int
    bytes_after: int
    snr: float  # dB, of the weights
    histogram: dict[str, Any] | None = None  # see `histogram`


@dataclass
class Built:
    model: ir.Model
    outcomes: dict[str, Outcome]  # by layer
    region: dict[str, str]  # nodes without weights that work on 8 bits, with their operator
    notes: list[str]


def build(
    prepared: Prepared,
    decisions: Mapping[str, Decision],
    observed: Observed,
    config: Config,
    progress: Progress | None = None,
    histograms: bool = False,
) -> Built:
    """The packed model for one assignment. `prepared` stays as it is, so that others can be tried.

    Tensors are quantized one at a time; the original's stay in their file.
    """
    model, notes = _raised(prepared, decisions, config)
    layers = survey(model).layers
    writer = Writer(model)
    outcomes: dict[str, Outcome] = {}
    statics: dict[Layer, Codes] = {}
    kinds: set[str] = set()
    region = static.region(model, [x for x in layers if isinstance(decisions[x.name].scheme, Int8Static)])
    for number, layer in enumerate(layers):
        decision = decisions[layer.name]
        codes, snr = _quantize(layer, decision.scheme, observed.inputs.get(layer.name))
        _correct(layer, decision.scheme, codes, observed.inputs.get(layer.name))
        before = tensor_of(layer.weight).nbytes
        shown = histogram(layer, decision.scheme, codes) if histograms else None
        outcomes[layer.name] = Outcome(decision, before, _stored(layer, decision.scheme, codes), snr, shown)
        if isinstance(decision.scheme, Int8Static) and codes is not None:
            statics[layer] = codes
            kinds.add(decision.scheme.activations)
        elif not _computes(decision.scheme):
            _write(writer, layer, decision.scheme, codes)
        _release(layer)
        if progress:
            progress("packing", number + 1, len(layers))
    if len(kinds) > 1:
        raise InvalidArgument("all layers of int8-static have one type of activations; uint8 and int8 are mixed")
    if statics:
        static.write(writer, statics, region, observed.intervals, kinds.pop())
    notes += _halve(writer, layers, decisions, observed)
    cleanup.finish(model)
    without_weights = {name: node.op_type for name, node in region.nodes.items() if not _has_layer(name, layers)}
    return Built(model, outcomes, without_weights, notes)


def _halve(writer: Writer, layers: list[Layer], decisions: Mapping[str, Decision], observed: Observed) -> list[str]:
    """Makes the model compute in float16 where a layer's scheme asks for it; returns notes."""
    wanted = [layer for layer in layers if _computes(decisions[layer.name].scheme)]
    if not wanted:
        return []
    too_large = half_graph.convert(writer, observed.sizes)
    for layer in wanted:
        if layer.weight.uses():  # by nodes that stay float32
            half.write(writer, layer)
    if not too_large:
        return []
    names = ", ".join(repr(name) for name in too_large[:3]) + (" and others" if len(too_large) > 3 else "")
    return [f"{len(too_large)} values pass 65504, float16's largest number, and stay float32: {names}"]


def _raised(prepared: Prepared, decisions: Mapping[str, Decision], config: Config) -> tuple[ir.Model, list[str]]:
    """A copy of the model, of the opset version that the forms need, and what was done for that."""
    model = prepared.model.clone()
    before = model.opset_imports.get("", 0)
    needed, why = config.opset or 0, "as asked"
    for layer in prepared.survey.layers:
        opset, form = opset_of(layer, decisions[layer.name].scheme)
        if opset > needed:
            needed, why = opset, form
    if needed <= before:
        return model, []
    return raise_opset(model, needed), [f"opset raised from {before} to {needed}: {why}"]


def opset_of(layer: Layer, scheme: Scheme) -> tuple[int, str]:
    """The least opset version that has the form of a layer, and its name."""
    if isinstance(scheme, Keep | Fp16):
        return 6, "Cast"
    if isinstance(scheme, Int8Dynamic):
        return 11, "DynamicQuantizeLinear"
    grid = grid_of(scheme, layer.columns)
    if isinstance(scheme, WeightOnly) and scheme.form == "nbits" and nbits.lacks(layer, grid.block) is None:
        return 0, "com.microsoft"
    return qdq.opset(grid.bits, grid.blocks(layer.columns) == 1)


def _has_layer(name: str, layers: list[Layer]) -> bool:
    return any(name in layer.node_names for layer in layers)


def _quantize(layer: Layer, scheme: Scheme, inputs: InputStatistics | None) -> tuple[Codes | None, float]:
    """The codes and their signal-to-noise ratio; of float16 the ratio alone."""
    if isinstance(scheme, Keep):
        return None, float("inf")
    rows = layer.rows()
    if isinstance(scheme, Fp16):
        return None, signal_to_noise(rows, rows.astype("float16").astype("float32"))
    codes = METHODS[scheme.method].quantize(rows, grid_of(scheme, rows.shape[1]), inputs)
    return codes, signal_to_noise(rows, codes.dequantize())


def _correct(layer: Layer, scheme: Scheme, codes: Codes | None, inputs: InputStatistics | None) -> None:
    wanted = isinstance(scheme, Quantizing) and scheme.correct_bias
    if wanted and codes is not None and inputs is not None and inputs.mean is not None:
        bias.correct(layer, codes, inputs.mean)


def histogram(layer: Layer, scheme: Scheme, codes: Codes | None) -> dict[str, Any] | None:
    """How many weights lie in each of 48 intervals from the least to the largest, `before` and `after`; None where they stay."""
    if isinstance(scheme, Keep):
        return None
    rows = layer.rows()
    after = rows.astype("float16").astype("float32") if codes is None else codes.dequantize()
    low, high = float(min(rows.min(), after.min())), float(max(rows.max(), after.max()))
    counts = {
        key: np.histogram(values, _BINS, (low, high))[0].tolist()
        for key, values in (("before", rows), ("after", after))
    }
    return {"low": float(f"{low:.4g}"), "high": float(f"{high:.4g}"), **counts}


def grid_of(scheme: Int8Dynamic | Int8Static | WeightOnly, columns: int) -> Grid:
    """The grid of a scheme for rows of so many numbers: blocks that hold a whole row are none."""
    if not isinstance(scheme, WeightOnly):
        return Grid(8)
    whole = scheme.block >= columns and scheme.form == "qdq"
    return Grid(scheme.bits, 0 if whole else scheme.block, scheme.symmetric)


def grids_of(prepared: Prepared, decisions: Mapping[str, Decision]) -> dict[str, Grid]:
    """The grids of weights that become codes, by name of the node that multiplies with them."""
    found = {}
    for layer in prepared.survey.layers:
        scheme = decisions[layer.name].scheme
        if layer.multiplied is not None and isinstance(scheme, Int8Dynamic | Int8Static | WeightOnly):
            found[layer.multiplied.name or ""] = grid_of(scheme, layer.columns)
    return found


def _write(writer: Writer, layer: Layer, scheme: Scheme, codes: Codes | None) -> None:
    if isinstance(scheme, Fp16):
        half.write(writer, layer)
    elif codes is None:
        return
    elif isinstance(scheme, Int8Dynamic):
        dynamic.write(writer, layer, codes)
    elif isinstance(scheme, WeightOnly) and scheme.form == "nbits":
        nbits.write(writer, layer, codes, scheme.accuracy_level)
    else:
        qdq.write(writer, layer, codes)


def _stored(layer: Layer, scheme: Scheme, codes: Codes | None) -> int:
    """Bytes of codes, scales and zero points."""
    if codes is None:
        return tensor_of(layer.weight).nbytes // (2 if isinstance(scheme, Fp16) else 1)
    zeros = 0 if codes.zero_points is None else codes.zero_points.size
    return ((codes.codes.size + zeros) * codes.grid.bits + 7) // 8 + codes.scales.nbytes


def _release(layer: Layer) -> None:
    tensor = tensor_of(layer.weight)
    if isinstance(tensor, ir.ExternalTensor):
        tensor.release()
