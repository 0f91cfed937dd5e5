"""What the values inside a model look like on the user's data: the model runs on onnxlet's own engine and its
intermediate values are looked at, some at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from ..options import SessionOptions
from ..session import InferenceSession
from .data import Sample
from .layers import int_attribute, ints_attribute
from .quantizers import InputStatistics

_FIRST_CHUNK = 8  # values looked at in the first round; later ones are as many as fit
_BUDGET = 256 << 20  # bytes of intermediate values held at once

Progress = Callable[[str, int, int], None]
"""Called with what is done, how much of it is done, and how much there is in all."""


class Observer(Protocol):
    """Gathers something about the values that one tensor has from sample to sample."""

    def update(self, values: np.ndarray) -> None: ...


def observe(
    model: ir.Model,
    samples: Iterable[Sample],
    observers: Mapping[str, Sequence[Observer]],
    progress: Progress | None = None,
) -> None:
    """Runs the model on the samples and shows each named value to its observers.

    Values are inputs, outputs or intermediate values of the main graph. Those that the engine gives as another type than
    a tensor of numbers are left out. The samples are run several times where the values would take too much memory.
    """
    known = {value.name: value for node in model.graph for value in node.outputs}
    inputs = {value.name for value in model.graph.inputs}
    for sample in samples if inputs & observers.keys() else ():
        for name in inputs & observers.keys():
            _show(sample.feeds.get(name or ""), observers[name or ""])
    waiting = [name for name in observers if name in known and name not in inputs]
    total, done, size = len(waiting), 0, _FIRST_CHUNK
    while waiting:
        chunk, waiting = waiting[:size], waiting[size:]
        largest = 0
        with _session(model, [known[name] for name in chunk]) as session:
            for sample in samples:
                results = session.run(chunk, sample.feeds)
                largest = max(largest, sum(getattr(r, "nbytes", 0) for r in results))
                for name, values in zip(chunk, results, strict=True):
                    _show(values, observers[name])
        size = max(1, min(4 * size, _BUDGET * len(chunk) // max(largest, 1)))
        done += len(chunk)
        if progress:
            progress("calibrating", done, total)


def _show(values: Any, observers: Sequence[Observer]) -> None:
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu" and values.size:
        for observer in observers:
            observer.update(values)


def _session(model: ir.Model, values: Sequence[ir.Value]) -> InferenceSession:
    """The model with these values as outputs."""
    added = [value for value in values if not value.is_graph_output()]
    model.graph.outputs.extend(added)
    try:
        proto = ir.to_proto(model)
    finally:
        for value in added:
            model.graph.outputs.remove(value)
    return InferenceSession(proto.SerializeToString(), SessionOptions())


class Range:
    """The least and the largest value."""

    def __init__(self) -> None:
        self.least, self.most = np.inf, -np.inf

    def update(self, values: np.ndarray) -> None:
        self.least = min(self.least, float(values.min()))
        self.most = max(self.most, float(values.max()))


class Size:
    """The largest absolute value of a float32 tensor; None for other types. Infinite where a number is not finite."""

    def __init__(self) -> None:
        self.largest: float | None = None

    def update(self, values: np.ndarray) -> None:
        if values.dtype == np.float32:
            size = float(np.abs(values).max())
            self.largest = max(self.largest or 0.0, size if np.isfinite(size) else np.inf)


class Histogram(Range):
    """How often values lie in each of 4096 bins of equal width around zero, beside the extremes.

    The bins cover -reach to reach, where reach is a power of two; a value beyond joins bins by twos until it fits, so one
    look at the data is enough and the result depends on nothing but the values.
    """

    BINS = 4096

    def __init__(self) -> None:
        super().__init__()
        self.counts: NDArray[np.int64] = np.zeros(self.BINS, np.int64)
        self.reach = 0.0

    def update(self, values: np.ndarray) -> None:
        finite = values[np.isfinite(values)].astype(np.float64)
        if not finite.size:
            return
        super().update(finite)
        largest = max(abs(self.least), abs(self.most))
        needed = float(2.0 ** np.ceil(np.log2(largest))) if largest else 1.0
        while 0 < self.reach < needed:
            half = self.BINS // 2
            joined = self.counts.reshape(half, 2).sum(1)
            self.counts[:] = 0
            self.counts[half // 2 : half // 2 + half] = joined
            self.reach *= 2
        self.reach = max(self.reach, needed)
        self.counts += np.histogram(finite, self.BINS, (-self.reach, self.reach))[0]

    @property
    def edges(self) -> NDArray[np.float64]:
        """[BINS + 1]"""
        return np.linspace(-self.reach, self.reach, self.BINS + 1)

    @property
    def centres(self) -> NDArray[np.float64]:
        """[BINS]"""
        return (self.edges[1:] + self.edges[:-1]) / 2


class Columns:
    """What `InputStatistics` says of a layer's input, whose columns are its last axis."""

    def __init__(self, *, moments: bool = False) -> None:
        self._moments = moments
        self.product: NDArray[np.float64] | None = None  # the sum of x x^T
        self.sum: NDArray[np.float64] | None = None
        self.largest: NDArray[np.float64] | None = None
        self.count = 0

    def update(self, values: np.ndarray) -> None:
        self._add(values.reshape(1, -1, values.shape[-1]))

    def _add(self, rows: np.ndarray) -> None:
        """[groups, rows, columns]; products are of the first group."""
        largest = np.abs(rows).max((0, 1)).astype(np.float64)
        self.largest = largest if self.largest is None else np.maximum(self.largest, largest)
        total = rows.sum(1, dtype=np.float64)
        self.sum = total if self.sum is None else self.sum + total
        self.count += rows.shape[1]
        if self._moments and len(rows) == 1:
            product = (rows[0].T @ rows[0]).astype(np.float64)
            self.product = product if self.product is None else self.product + product

    def statistics(self) -> InputStatistics:
        count = max(self.count, 1)
        return InputStatistics(
            second_moment=None if self.product is None else self.product / count,
            mean=None if self.sum is None else self.sum / count,
            largest=self.largest,
            count=self.count,
        )


class Patches(Columns):
    """The same of a convolution's input: columns are what the kernel's numbers meet, [channels of a group, *kernel].

    Second moments are those of convolutions of one group alone.
    """

    def __init__(self, conv: ir.Node, kernel: Sequence[int], *, moments: bool = False) -> None:
        super().__init__(moments=moments)
        rank = len(kernel)
        self._kernel = tuple(kernel)
        self._groups = int_attribute(conv, "group", 1)
        self._strides = ints_attribute(conv, "strides", [1] * rank)
        self._dilations = ints_attribute(conv, "dilations", [1] * rank)
        self._pads = ints_attribute(conv, "pads", [0] * 2 * rank)
        padding = conv.attributes.get("auto_pad")
        self._padding = "NOTSET" if padding is None else padding.as_string()

    def update(self, values: np.ndarray) -> None:
        rank = len(self._kernel)
        reach = [(k - 1) * d + 1 for k, d in zip(self._kernel, self._dilations, strict=True)]
        padded = np.pad(values, [(0, 0), (0, 0), *self._pads_of(values.shape[2:], reach)])
        windows = np.lib.stride_tricks.sliding_window_view(padded, reach, axis=tuple(range(2, 2 + rank)))
        steps = [slice(None, None, step) for step in (*self._strides, *self._dilations)]
        windows = windows[(slice(None), slice(None), *steps)]  # [batch, channels, *out, *kernel]
        batch, channels = windows.shape[:2]
        grouped = windows.reshape(batch, self._groups, channels // self._groups, -1, math.prod(self._kernel))
        rows = grouped.transpose(1, 0, 3, 2, 4)  # [groups, batch, out, channels of a group, kernel]
        self._add(rows.reshape(self._groups, -1, rows.shape[3] * rows.shape[4]))

    def _pads_of(self, shape: Sequence[int], reach: Sequence[int]) -> list[tuple[int, int]]:
        rank = len(shape)
        if self._padding == "VALID":
            return [(0, 0)] * rank
        if self._padding == "NOTSET":
            return list(zip(self._pads[:rank], self._pads[rank:], strict=True))
        missing = [
            max((-(-n // step) - 1) * step + r - n, 0) for n, step, r in zip(shape, self._strides, reach, strict=True)
        ]
        less = [(n // 2, n - n // 2) for n in missing]
        return less if self._padding == "SAME_UPPER" else [(b, a) for a, b in less]


# ---- ranges from histograms


@dataclass(frozen=True)
class Interval:
    """The values that a tensor of 8 bits stands for; it holds 0."""

    least: float
    most: float


def interval(observed: Range, method: str, percentile: float) -> Interval:
    """The interval that a method (of `Int8Static.calibration`) chooses. `observed` is a Histogram for all but min-max."""
    if method == "min-max" or not isinstance(observed, Histogram) or not observed.counts.any():
        return _with_zero(observed.least, observed.most)
    if method == "percentile":
        return _percentile(observed, percentile)
    if method == "mse":
        return _best(observed, _squared_error)
    return _best(observed, _divergence)


def _with_zero(least: float, most: float) -> Interval:
    return Interval(min(least, 0.0), max(most, 0.0)) if least <= most else Interval(0.0, 0.0)


def _percentile(h: Histogram, percentile: float) -> Interval:
    """Leaves out the same share of values at both ends, in all 100 - percentile per cent."""
    share = (100 - percentile) / 200
    cumulated = np.cumsum(h.counts) / h.counts.sum()
    low = h.edges[np.searchsorted(cumulated, share, side="right")]
    high = h.edges[1:][np.searchsorted(cumulated, 1 - share, side="left")]
    return _with_zero(max(low, h.least), min(high, h.most))


def _best(h: Histogram, cost: Callable[[Histogram, Interval], float]) -> Interval:
    """The cheapest of the intervals that cut the extremes by the same factor."""
    whole = _with_zero(h.least, h.most)
    tried = [Interval(whole.least * f, whole.most * f) for f in np.linspace(1.0, 0.1, 46)]
    return min(tried, key=lambda i: cost(h, i))


def _squared_error(h: Histogram, i: Interval) -> float:
    """The mean of (value - quantized value) ** 2 over the histogram."""
    scale = max((i.most - i.least) / 255, 1e-30)
    zero = np.rint(-i.least / scale)
    rounded = (np.clip(np.rint(h.centres / scale) + zero, 0, 255) - zero) * scale
    return float((h.counts * (h.centres - rounded) ** 2).sum() / h.counts.sum())


def _divergence(h: Histogram, i: Interval) -> float:
    """Kullback and Leibler's divergence of the clipped distribution from the one of 256 levels.

    Method: Migacz 2017, "8-bit inference with TensorRT".
    """
    inside = (h.centres >= i.least) & (h.centres <= i.most)
    if not inside.any():
        return float("inf")
    clipped = h.counts[inside].astype(np.float64)
    clipped[0] += h.counts[h.centres < i.least].sum()
    clipped[-1] += h.counts[h.centres > i.most].sum()
    kept = h.counts[inside].astype(np.float64)
    scale = max((i.most - i.least) / 255, 1e-30)
    level = np.clip(np.rint((h.centres[inside] - i.least) / scale), 0, 255).astype(np.int64)
    filled = kept > 0
    per_level = np.bincount(level, kept, 256) / np.maximum(np.bincount(level, filled, 256), 1)
    spread = np.where(filled, per_level[level], 0)
    p, q = clipped / clipped.sum(), spread / max(spread.sum(), 1e-30)
    both = (p > 0) & (q > 0)
    missing = p[(p > 0) & (q == 0)].sum()
    return float((p[both] * np.log(p[both] / q[both])).sum() + 10 * missing)
