"""Changes that leave a float model's results as they are and make it easier to quantize: scales move between operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from .calibrate import Columns, Progress, observe
from .data import Samples
from .layers import new_initializer
from .quantizers import Floats, Grid, InputStatistics, round_to_nearest
from .rescale import Place, reader, source, writer

_SWEEPS = 20  # over all pairs: a chain's scales settle far earlier
_EXPONENTS = np.linspace(0, 1, 21)
_LEAST = 1e-5


@dataclass(frozen=True)
class Shared:
    """A value that products with constant weights read, and the constants to divide it by, if there are any."""

    value: ir.Value
    readers: tuple[Place, ...]
    source: tuple[Place, ...]

    def divide(self, factors: NDArray[np.float64]) -> None:
        """Divides the value's channels and multiplies the weights: by a new Mul where no constant takes the division."""
        for place in self.readers:
            place.multiply(factors)
        for place in self.source:
            place.multiply(1 / factors)
        if not self.source:
            self._insert(1 / factors)

    def _insert(self, factors: NDArray[np.float64]) -> None:
        first = min((place.node for place in self.readers), key=_position)
        graph = first.graph
        assert isinstance(graph, ir.Graph)
        name = self.value.name
        constant = new_initializer(graph, f"{name}.factors", factors.astype(np.float32))
        divided = ir.Node("", "Mul", [self.value, constant], name=f"{name}.divided")
        divided.outputs[0].name = f"{name}.divided"
        divided.outputs[0].type, divided.outputs[0].shape = self.value.type, self.value.shape
        graph.insert_before(first, divided)
        for place in self.readers:
            place.node.replace_input_with(0, divided.outputs[0])


def _position(node: ir.Node) -> int:
    assert isinstance(node.graph, ir.Graph)
    return list(node.graph).index(node)


def equalise(model: ir.Model) -> int:
    """Cross-layer equalisation: two products in a row get weights of equal range in each channel between them.

    Between them may stand what f(x / s) = f(x) / s holds for, such as Relu, but not Relu6. Needs no data. Returns how
    many pairs there are. Nagel et al. 2019, "Data-free quantization through weight equalization and bias correction",
    https://arxiv.org/abs/1906.04721, section 4.1.
    """
    pairs = []
    for node in model.graph:
        second = reader(node)
        value = node.inputs[0] if second is not None else None
        if second is None or value is None:
            continue
        places = source(value, [second], 1 if node.op_type == "Conv" else -1)
        if places and writer(places[0].node):
            pairs.append((places, second))
    for _ in range(_SWEEPS):
        moved = 0.0
        for places, second in pairs:
            before, after = places[0].largest().astype(np.float64), second.largest().astype(np.float64)
            usable = (before > _LEAST) & (after > _LEAST)
            factors = np.where(usable, np.sqrt(before / np.where(usable, after, 1)), 1.0)
            for place in places:
                place.multiply(1 / factors)
            second.multiply(factors)
            moved = max(moved, float(np.abs(np.log(factors)).max()))
        if moved < 1e-3:
            break
    return len(pairs)


def smooth(model: ir.Model, samples: Samples, strength: float, progress: Progress | None = None) -> int:
    """SmoothQuant: a part of the activations' range, by `strength` from 0 to 1, moves into the weights that they meet.

    Returns how many values were changed. Xiao et al. 2022, "SmoothQuant: Accurate and efficient post-training quantization
    for large language models", https://arxiv.org/abs/2211.10438, equation 4.
    """
    found = _shared(model)
    inputs = _statistics(model, found, samples, progress, moments=False)
    for shared in found:
        seen = inputs[shared.value].largest
        assert seen is not None
        weights = np.maximum.reduce([place.largest() for place in shared.readers])
        factors = np.maximum(seen, _LEAST) ** strength / np.maximum(weights, _LEAST) ** (1 - strength)
        shared.divide(np.where(seen > _LEAST, np.maximum(factors, _LEAST), 1.0))
    return len(found)


def activation_aware(
    model: ir.Model, grids: Mapping[str, Grid], samples: Samples, progress: Progress | None = None
) -> int:
    """Activation-aware weight scaling: weights that meet large inputs are made larger before they are rounded.

    The scales are a power of the inputs' root mean square; of 21 powers that is taken whose products are off least. grids:
    of the products that count, by name of node. Returns how many values were changed. Lin et al. 2023, "AWQ:
    Activation-aware weight quantization for LLM compression and acceleration", https://arxiv.org/abs/2306.00978.
    """
    found = [shared for shared in _shared(model) if all((p.node.name or "") in grids for p in shared.readers)]
    inputs = _statistics(model, found, samples, progress, moments=True)
    changed = 0
    for shared in found:
        moment = inputs[shared.value].second_moment
        if moment is None:
            continue
        layers = [(_rows(place), grids[place.node.name or ""]) for place in shared.readers]
        tried = [_scales(moment, exponent) for exponent in _EXPONENTS]
        best = int(np.argmin([sum(_off(rows, grid, moment, s) for rows, grid in layers) for s in tried]))
        if best:
            shared.divide(tried[best])
            changed += 1
    return changed


def _scales(moment: NDArray[np.float64], exponent: float) -> NDArray[np.float64]:
    size = np.sqrt(np.diagonal(moment))
    scales = np.where(size > _LEAST, np.maximum(size, _LEAST) ** exponent, 1.0)
    return np.asarray(scales / np.sqrt(scales.max() * scales.min()))


def _off(rows: Floats, grid: Grid, moment: NDArray[np.float64], scales: NDArray[np.float64]) -> float:
    """The sum over outputs of the mean square of what rounding does to the product."""
    scaled = rows * scales.astype(np.float32)
    missed = (round_to_nearest(scaled, grid).dequantize() - scaled) / scales.astype(np.float32)
    return float(((missed @ moment.astype(np.float32)) * missed).sum())


def _rows(place: Place) -> Floats:
    """[N, K]"""
    return np.ascontiguousarray(np.moveaxis(place.array, place.axis, -1), np.float32)


def _shared(model: ir.Model) -> list[Shared]:
    """Values that linear products of the main graph read."""
    readers: dict[ir.Value, list[Place]] = {}
    for node in model.graph:
        place = reader(node)
        if place is not None and node.op_type in ("MatMul", "Gemm") and node.inputs[0] is not None:
            readers.setdefault(node.inputs[0], []).append(place)
    found = []
    for value, places in readers.items():
        divided = source(value, places, -1)
        found.append(Shared(value, tuple(places), tuple(divided or ())))
    return found


def _statistics(
    model: ir.Model, found: list[Shared], samples: Samples, progress: Progress | None, moments: bool
) -> dict[ir.Value, InputStatistics]:
    observers = {shared.value: Columns(moments=moments) for shared in found}
    observe(model, samples, {value.name or "": [observer] for value, observer in observers.items()}, progress)
    return {value: observer.statistics() for value, observer in observers.items()}
