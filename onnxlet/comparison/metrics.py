"""How far two values are apart: tensors of every element type, sequences, maps and optionals.

Sequences and maps are compared item by item, and the numbers of a `Difference` are those over all of their tensors.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ..raw_tensor import RawTensor
from .element_types import as_bits, epsilon, family, type_name
from .tolerance import Tolerance

Array: TypeAlias = "np.ndarray[Any, Any]"

_BLOCK = 1 << 20  # elements at a time: the float64 copies of a large tensor are never there whole
_MOST_PROBLEMS = 10
_EXACT = Tolerance(0, 0)


@dataclass(frozen=True)
class Worst:
    """The element that is furthest off: where it is, as "[0, 5]" or "[2]['cat'][]", and both values as text."""

    where: str
    actual: str
    expected: str


@dataclass(frozen=True)
class Difference:
    """One value of both sides.

    Attributes:
        name: what the value is called.
        actual, expected: types and shapes as text, such as "float[1, 10]".
        agrees: no problems, and no element beyond the tolerance.
        problems: why values cannot be compared, or only in part: other shapes, types, lengths or keys.
        elements: compared elements.
        differing: elements that are not equal; NaN equals NaN.
        beyond: elements beyond the tolerance.
        nan_mismatches, inf_mismatches: elements that are NaN, or that infinity, on one side only; beyond any tolerance.
        max_abs, mean_abs: of |actual - expected|, over elements finite on both sides; None without any.
        max_rel: largest |actual - expected| / |expected| where expected is not 0.
        of_largest: max_abs over the largest |expected|; infinite where that is 0 and max_abs is not.
        cosine: of the angle between both as vectors; None where one of them is 0.
        max_ulp: most representable numbers between two elements; None unless both sides have the same float type.
        worst: the element beyond by the most, or the first that differs.
    """

    name: str
    actual: str
    expected: str
    agrees: bool
    problems: tuple[str, ...] = ()
    elements: int = 0
    differing: int = 0
    beyond: int = 0
    nan_mismatches: int = 0
    inf_mismatches: int = 0
    max_abs: float | None = None
    mean_abs: float | None = None
    max_rel: float | None = None
    of_largest: float | None = None
    cosine: float | None = None
    max_ulp: int | None = None
    worst: Worst | None = None

    @property
    def error(self) -> float:
        """One number for sorting: `of_largest`; infinite for what cannot be compared, 0 for equal things that are not
        numbers."""
        if self.problems or self.nan_mismatches or self.inf_mismatches:
            return math.inf
        if self.of_largest is None:
            return math.inf if self.differing else 0.0
        return self.of_largest

    def to_json(self) -> dict[str, Any]:
        """JSON-ready; infinities are text."""
        document: dict[str, Any] = json_ready(dataclasses.asdict(self))
        return document


def compare_values(name: str, actual: Any, expected: Any, tolerance: Tolerance | None = None) -> Difference:
    """Compares what two runs gave for one value: arrays, RawTensors, scalars, lists, dicts or None."""
    numbers = _Numbers(tolerance or Tolerance())
    numbers.add("", actual, expected)
    return numbers.result(name, describe(actual), describe(expected))


def describe(value: Any) -> str:
    """Type and shape for people: "float[1, 10]", "sequence of 3"."""
    if value is None:
        return "an empty optional"
    if isinstance(value, list | tuple):
        return f"sequence of {len(value)}"
    if isinstance(value, Mapping):
        return f"map of {len(value)}"
    array = as_array(value)
    return f"{type_name(array.dtype)}{list(array.shape)}"


def as_array(value: Any) -> Array:
    """A tensor as an array; of codes, where neither numpy nor ml_dtypes has the element type."""
    return value.numpy() if isinstance(value, RawTensor) else np.asarray(value)


def bytes_of(value: Any) -> int:
    """What the tensors of a value take."""
    if isinstance(value, Mapping):
        return sum(map(bytes_of, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(bytes_of, value))
    return 0 if value is None else as_array(value).nbytes


def json_ready(document: Any) -> Any:
    """The same with lists for tuples, and NaN and infinities, which JSON lacks, as text."""
    if isinstance(document, Mapping):
        return {key: json_ready(value) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [json_ready(value) for value in document]
    return str(document) if isinstance(document, float) and not math.isfinite(document) else document


@dataclass
class _Numbers:
    """Sums and maxima over the tensors of one value."""

    tolerance: Tolerance
    problems: list[str] = field(default_factory=list)
    elements: int = 0
    differing: int = 0
    beyond: int = 0
    nans: int = 0
    infinities: int = 0
    finite: int = 0
    sum_abs: float = 0.0
    max_abs: float = 0.0
    max_rel: float = 0.0
    of_largest: float = 0.0
    dot: float = 0.0
    square_a: float = 0.0
    square_b: float = 0.0
    max_ulp: int | None = None
    worst: Worst | None = None
    worst_by: float = -1.0

    def result(self, name: str, actual: str, expected: str) -> Difference:
        rest = len(self.problems) - _MOST_PROBLEMS
        shown = self.problems if rest <= 0 else [*self.problems[:_MOST_PROBLEMS], f"... and {rest} more"]
        cosine = None
        if self.square_a and self.square_b:
            found = self.dot / (math.sqrt(self.square_a) * math.sqrt(self.square_b))
            cosine = found if math.isfinite(found) else None  # squares overflow before the numbers do
        return Difference(
            name=name,
            actual=actual,
            expected=expected,
            agrees=not self.problems and not self.beyond,
            problems=tuple(shown),
            elements=self.elements,
            differing=self.differing,
            beyond=self.beyond,
            nan_mismatches=self.nans,
            inf_mismatches=self.infinities,
            max_abs=self.max_abs if self.finite else None,
            mean_abs=self.sum_abs / self.finite if self.finite else None,
            max_rel=self.max_rel if self.finite else None,
            of_largest=self.of_largest if self.finite else None,
            cosine=cosine,
            max_ulp=self.max_ulp,
            worst=self.worst,
        )

    def add(self, where: str, actual: Any, expected: Any) -> None:
        """`where`: the path to the item of a sequence or map."""
        if actual is None and expected is None:
            return
        if isinstance(expected, Mapping) and isinstance(actual, Mapping):
            self._add_maps(where, actual, expected)
        elif isinstance(expected, list | tuple) and isinstance(actual, list | tuple):
            self._add_lists(where, actual, expected)
        elif any(value is None or isinstance(value, Mapping | list | tuple) for value in (actual, expected)):
            self._problem(where, f"{describe(actual)} against {describe(expected)}")
        else:
            self._add_tensors(where, as_array(actual), as_array(expected))

    def _problem(self, where: str, text: str) -> None:
        self.problems.append(f"{where}: {text}" if where else text)

    def _add_maps(self, where: str, actual: Mapping[Any, Any], expected: Mapping[Any, Any]) -> None:
        missing = [key for key in expected if key not in actual]
        added = [key for key in actual if key not in expected]
        if missing or added:
            self._problem(where, f"keys are missing: {missing}, and there are others: {added}")
        for key in expected:
            if key in actual:
                self.add(f"{where}[{key!r}]", actual[key], expected[key])

    def _add_lists(self, where: str, actual: Any, expected: Any) -> None:
        if len(actual) != len(expected):
            self._problem(where, f"{len(actual)} items against {len(expected)}")
        for index, (a, b) in enumerate(zip(actual, expected, strict=False)):
            self.add(f"{where}[{index}]", a, b)

    def _add_tensors(self, where: str, actual: Array, expected: Array) -> None:
        names = [type_name(array.dtype) for array in (actual, expected)]
        if actual.shape != expected.shape:
            self._problem(where, f"shape {list(actual.shape)} against {list(expected.shape)}")
            return
        if names[0] != names[1]:
            self._problem(where, f"element type {names[0]} against {names[1]}")
        self.elements += expected.size
        families = {family(actual.dtype), family(expected.dtype)}
        if "other" in families:
            if len(families) == 1:
                self._add_others(where, actual, expected)
            return
        largest = _largest(expected)
        spacing = max(epsilon(actual.dtype), epsilon(expected.dtype))
        tolerance = _EXACT if expected.dtype == np.bool_ else self.tolerance
        for start, a, b in _blocks(actual, expected):
            bound = functools.partial(tolerance.bound, largest=largest, epsilon=spacing)
            self._add_block(_Place(where, start, expected.shape), a, b, largest, bound)

    def _add_others(self, where: str, actual: Array, expected: Array) -> None:
        """Strings: equal or not."""
        different = np.flatnonzero(np.asarray(actual != expected).reshape(-1))
        self.differing += different.size
        self.beyond += different.size
        if different.size:
            place = _Place(where, 0, expected.shape)
            first = int(different[0])
            self._note_worst(place, first, 0.0, actual.reshape(-1)[first], expected.reshape(-1)[first])

    def _add_block(self, place: _Place, a: Array, b: Array, largest: float, bound: Callable[[Array], Any]) -> None:
        wide_a, wide_b = _widen(a), _widen(b)
        nan_a, nan_b = np.isnan(wide_a), np.isnan(wide_b)
        equal = np.asarray(a == b) | (nan_a & nan_b)
        finite = np.isfinite(wide_a) & np.isfinite(wide_b)
        nan_mismatch = nan_a ^ nan_b
        mismatch = ~finite & ~equal
        errors = np.zeros(a.shape)
        errors[finite] = _distance(a, b, wide_a, wide_b, finite)
        beyond = mismatch | (errors > bound(np.where(finite, wide_b, 0)))
        self.differing += int(np.count_nonzero(~equal))
        self.beyond += int(np.count_nonzero(beyond))
        self.nans += int(np.count_nonzero(nan_mismatch))
        self.infinities += int(np.count_nonzero(mismatch & ~nan_mismatch))
        self._add_sums(errors[finite], wide_a[finite], wide_b[finite], largest)
        if as_bits(a.dtype) is not None and a.dtype == b.dtype:
            self.max_ulp = max(self.max_ulp or 0, _most_ulp(a[finite], b[finite]))
        if not equal.all():
            index = int(np.argmax(np.where(mismatch, np.inf, np.where(equal, -1.0, errors))))
            self._note_worst(place, index, math.inf if mismatch[index] else float(errors[index]), a[index], b[index])

    def _add_sums(self, errors: Array, a: Array, b: Array, largest: float) -> None:
        self.finite += errors.size
        if not errors.size:
            return
        most = float(errors.max())
        self.sum_abs += float(errors.sum())
        self.max_abs = max(self.max_abs, most)
        if most:
            self.of_largest = max(self.of_largest, most / largest if largest else math.inf)
            sizes = np.abs(b)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                relative = np.where(sizes > 0, errors / sizes, 0)
            self.max_rel = max(self.max_rel, float(relative.max()))
        with np.errstate(over="ignore", invalid="ignore"):
            self.dot += _dot(a, b)
            self.square_a += _dot(a, a)
            self.square_b += _dot(b, b)

    def _note_worst(self, place: _Place, index: int, by: float, actual: Any, expected: Any) -> None:
        if by > self.worst_by:
            self.worst_by = by
            self.worst = Worst(place.of(index), str(actual), str(expected))


@dataclass(frozen=True)
class _Place:
    """A block of a tensor's elements."""

    where: str
    start: int
    shape: tuple[int, ...]

    def of(self, index: int) -> str:
        position = [int(i) for i in np.unravel_index(self.start + index, self.shape)] if self.shape else []
        return f"{self.where}{position}"


def _blocks(actual: Array, expected: Array) -> Iterator[tuple[int, Array, Array]]:
    a, b = actual.reshape(-1), expected.reshape(-1)
    for start in range(0, b.size, _BLOCK):
        yield start, a[start : start + _BLOCK], b[start : start + _BLOCK]


def _widen(array: Array) -> Array:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _largest(array: Array) -> float:
    """The largest finite absolute value; 0 for none."""
    most = 0.0
    for _, block, _ in _blocks(array, array):
        sizes = np.abs(_widen(block))
        most = max(most, float(sizes.max(initial=0.0, where=np.isfinite(sizes))))
    return most


def _distance(a: Array, b: Array, wide_a: Array, wide_b: Array, finite: Array) -> Array:
    """|a - b| of the finite elements; exact for 64-bit integers, which float64 does not hold."""
    if a.dtype == b.dtype and a.dtype.kind in "iu" and a.dtype.itemsize == 8:
        bits = np.where(a > b, a.view(np.uint64) - b.view(np.uint64), b.view(np.uint64) - a.view(np.uint64))
        return bits[finite].astype(np.float64)
    with np.errstate(over="ignore"):
        errors: Array = np.abs(wide_a[finite] - wide_b[finite])
        return errors


def _dot(a: Array, b: Array) -> float:
    """Not numpy.vdot, whose threads take longer to start than a block takes, and whose sums depend on their number."""
    return float((a * b.conj()).sum().real)


def _most_ulp(a: Array, b: Array) -> int:
    """How many representable numbers the furthest pair is apart; +0 and -0 are one."""
    if not a.size:
        return 0
    steps_a, steps_b = _steps_from_zero(a), _steps_from_zero(b)
    return int(np.where(steps_a > steps_b, steps_a - steps_b, steps_b - steps_a).max())


def _steps_from_zero(array: Array) -> Array:
    """Consecutive numbers for consecutive floats, as uint64 around the sign's bit."""
    found = as_bits(array.dtype)
    assert found is not None
    unsigned, sign = found
    codes: Array = np.ascontiguousarray(array).view(unsigned).astype(np.uint64)
    if not sign:
        return codes
    middle = np.uint64(sign)
    sizes = codes & np.uint64(sign - 1)
    steps: Array = np.where(codes & middle, middle - sizes, middle + sizes)
    return steps
