"""What a property is: a function that draws one question for an operator at one of its versions, and where the answer is.

    @prop("Add Sub", since=7)
    def broadcast(d: Draw) -> Sample:
        a, b = d.arrays_that_broadcast(d.dtype("T"), 2)
        return Sample([a, b], answer=[ARITHMETIC[d.operator](a, b)])

A property claims every version of its operators from `since` to `until`; tests/ops/test_properties.py runs each claim and
checks that nothing of `onnx.defs` is left without one. Types, defaults and attribute names come from the schema of
that version through `Draw`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from hypothesis import strategies as st
from onnx import defs, helper

from tests.ops import strategies

LAST = 28
LAST_ML = 5
DOMAINS = {"": LAST, "ai.onnx.ml": LAST_ML, "ai.onnx.preview": 1, "ai.onnx.preview.training": 1}


@dataclass
class Sample:
    """One question: a node with its inputs, and the answer: an oracle's name, the arrays, or another sample.

    `outputs` as in harness.make_model; None takes types from the answer where it holds arrays.
    """

    inputs: Sequence[Any]
    attributes: dict[str, Any] = field(default_factory=dict)
    answer: Any = "reference"
    outputs: Any = None
    rtol: float = 2e-5
    atol: float = 2e-6
    constants: Sequence[int] = ()
    input_types: dict[int, onnx.TypeProto] = field(default_factory=dict)
    # Of a sample that is an answer: who gives it, by which operator of which version, and the type floats are rounded to.
    by: str = "reference"
    operator: str | None = None
    opset: int | None = None
    cast: Any = None
    accept: Callable[[list[Any]], None] | None = None  # judges the outputs in place of a comparison


@dataclass(frozen=True)
class Claim:
    """A property of one operator at one version."""

    domain: str
    operator: str
    version: int
    prop: Callable[[Draw], Sample]

    @property
    def id(self) -> str:
        return f"{self.operator}-{self.version}-{self.prop.__name__}"

    @property
    def last_opset(self) -> int:
        """The last opset in which the operator has this version."""
        later = [v for v in versions()[self.domain, self.operator] if v > self.version]
        return min(later) - 1 if later else DOMAINS[self.domain]


class Draw:
    """Draws values for one claim; knows the schema."""

    def __init__(self, data: st.DataObject, claim: Claim) -> None:
        self.data = data
        self.domain, self.operator, self.version = claim.domain, claim.operator, claim.version
        self.schema = schema(claim.domain, claim.operator, claim.version)

    def draw(self, strategy: st.SearchStrategy[Any]) -> Any:
        return self.data.draw(strategy)

    def choice(self, values: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(list(values)))

    def integer(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))

    def number(self, low: float, high: float) -> float:
        """A number that float32 holds."""
        return float(self.draw(st.floats(low, high, width=32)))

    def flag(self) -> bool:
        return bool(self.draw(st.booleans()))

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.integer(0, 2**32 - 1))

    def shape(self, low: int = 0, high: int = 4, *, zero: bool = True) -> tuple[int, ...]:
        return tuple(self.draw(strategies.shapes(low, high, zero)))

    def size(self, *, zero: bool = True) -> int:
        return int(self.draw(strategies.sizes(zero)))

    def axis(self, rank: int) -> int:
        """A legal axis; negative only in versions that know negative axes, which the caller decides."""
        return self.integer(-rank, rank - 1)

    def has(self, attribute: str) -> bool:
        """Whether this version has the attribute."""
        return attribute in self.schema.attributes

    def default(self, attribute: str) -> Any:
        value = self.schema.attributes[attribute].default_value
        found = helper.get_attribute_value(value) if value.type else None
        return found.decode() if isinstance(found, bytes) else found

    def attribute(self, name: str, strategy: st.SearchStrategy[Any], into: dict[str, Any]) -> Any:
        """Sets an optional attribute in `into` or leaves it out; returns what counts."""
        if self.has(name) and self.flag():
            into[name] = self.draw(strategy)
            return into[name]
        return self.default(name) if self.has(name) else None

    def dtypes(self, variable: str) -> list[np.dtype[Any]]:
        """The types that this version allows for a type variable or a formal input, as numpy types."""
        for constraint in self.schema.type_constraints:
            if constraint.type_param_str == variable:
                return [t for name in constraint.allowed_type_strs if (t := numpy_type(name)) is not None]
        raise KeyError(variable)

    def dtype(self, variable: str = "T", *, only: str | None = None, without: Sequence[Any] = ()) -> np.dtype[Any]:
        """One of the allowed types; `only` restricts to numpy kinds ("f" includes the small floats)."""
        left_out = [np.dtype(t) for t in without]
        allowed = [
            t for t in self.dtypes(variable) if t not in left_out and (only is None or strategies.kind_of(t) in only)
        ]
        return np.dtype(self.choice(allowed))

    def array(self, dtype: Any, shape: Any = None, *, special: bool = True) -> np.ndarray:
        return self.draw(strategies.arrays(dtype, self.shape() if shape is None else shape, special))

    def plain(self, dtype: Any, shape: Any = None, low: float = -2, high: float = 2) -> np.ndarray:
        """Evenly spread numbers in [low, high], for sums whose rounding should stay small; integers are whole numbers."""
        shape = self.shape() if shape is None else shape
        rng, kind = self.rng(), strategies.kind_of(np.dtype(dtype))
        if kind == "b":
            return np.asarray(rng.random(shape) < 0.5)
        if kind in "iu":
            return np.asarray(rng.integers(max(low, 0) if kind == "u" else low, high, shape, endpoint=True)).astype(
                dtype
            )
        values = np.asarray(rng.uniform(low, high, shape))
        return (values + 1j * rng.uniform(low, high, shape) if kind == "c" else values).astype(dtype)

    def broadcastable(self, count: int, rank: int = 4, *, zero: bool = True) -> Sequence[tuple[int, ...]]:
        return self.draw(strategies.broadcastable(count, rank, zero))

    def arrays_that_broadcast(self, dtype: Any, count: int, *, special: bool = True) -> list[np.ndarray]:
        return [self.array(dtype, shape, special=special) for shape in self.broadcastable(count)]


@functools.cache
def schema(domain: str, operator: str, version: int) -> Any:
    return defs.get_schema(operator, version, domain)


@functools.cache
def numpy_type(name: str) -> np.dtype[Any] | None:
    """The numpy type of "tensor(float)"; None of anything that is not a tensor or has no numpy type."""
    if not name.startswith("tensor("):
        return None
    number = onnx.TensorProto.DataType.Value(name[7:-1].upper())
    try:
        return np.dtype(helper.tensor_dtype_to_np_dtype(number))
    except (KeyError, TypeError):
        return None


@functools.cache
def versions() -> dict[tuple[str, str], list[int]]:
    """(domain, operator) to every since_version, deprecated ones included."""
    found: dict[tuple[str, str], list[int]] = {}
    for each in defs.get_all_schemas_with_history():
        if each.domain in DOMAINS and each.since_version <= DOMAINS[each.domain]:
            found.setdefault((each.domain, each.name), []).append(each.since_version)
    return {key: sorted(value) for key, value in sorted(found.items())}


def slack(dtype: Any, terms: float) -> float:
    """The absolute error of a sum of `terms` numbers around 1 whose partial sums are rounded to the type."""
    if strategies.kind_of(dtype) not in "fc":
        return 0
    return 2e-6 + terms * float(ml_dtypes.finfo(np.zeros(1, dtype).real.dtype).eps)


CLAIMS: list[Claim] = []


def prop(
    operators: str, *, domain: str = "", since: int = 1, until: int = LAST
) -> Callable[[Callable[[Draw], Sample]], Callable[[Draw], Sample]]:
    """Registers a property for every version of the operators within since..until."""

    def register(function: Callable[[Draw], Sample]) -> Callable[[Draw], Sample]:
        for operator in operators.split():
            claimed = [v for v in versions()[domain, operator] if since <= v <= until]
            assert claimed, f"{function.__name__} claims no version of {operator}"
            CLAIMS.extend(Claim(domain, operator, version, function) for version in claimed)
        return function

    return register
