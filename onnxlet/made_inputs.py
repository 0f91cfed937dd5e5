"""Inputs made up for a model, where nobody has real ones: random, zeros or ones, of the declared type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from . import dtypes
from .dtypes import DType
from .errors import InvalidArgument
from .metadata import NodeArg

KINDS: Final = ("random", "zeros", "ones")

Sizes = Mapping[str, Sequence[int] | int]
"""Shapes by an input's name, and single sizes by their own names."""


def complete(
    arguments: Sequence[NodeArg], given: Mapping[str, Any], sizes: Sizes | None = None, *, seed: int = 0, free: int = 1
) -> dict[str, Any]:
    """`given`, and random values for the other `arguments`: the same ones for the same seed.

    Sizes that the model names are `sizes`' or, where they stand for a size of a given array, that; all other open ones are
    `free`. Raises InvalidArgument for arguments that are not tensors.
    """
    known = named_sizes(arguments, given) | dict(sizes or {})
    made = {
        arg.name: make(arg, "random", shape_of(arg, known, free), seed + number)
        for number, arg in enumerate(arguments)
        if arg.name not in given
    }
    return made | dict(given)


def named_sizes(arguments: Sequence[NodeArg], given: Mapping[str, Any]) -> dict[str, Sequence[int] | int]:
    """What the model's named sizes are, by the shapes of given arrays."""
    inputs = {arg.name for arg in arguments}
    found: dict[str, Sequence[int] | int] = {}
    for arg in arguments:
        shape = getattr(given.get(arg.name), "shape", ())
        found |= {name: int(size) for name, size in zip(arg.shape, shape, strict=False) if isinstance(name, str)}
    return {name: size for name, size in found.items() if name not in inputs}


def shape_of(arg: NodeArg, sizes: Sizes, free: int = 1) -> tuple[int, ...]:
    """The shape of a made input. Raises InvalidArgument."""
    if arg.name in sizes:
        whole = sizes[arg.name]
        return (whole,) if isinstance(whole, int) else tuple(whole)
    made = []
    for size in arg.shape:
        chosen = sizes.get(size, free) if isinstance(size, str) else free if size is None else size
        if not isinstance(chosen, int):
            raise InvalidArgument(f"{size!r} names a single size; {list(chosen)} given")
        made.append(chosen)
    return tuple(made)


def make(arg: NodeArg, kind: str, shape: tuple[int, ...], seed: int) -> Any:
    """A numpy array. Random floats are normal, with deviation 1; random integers 0 or 1, which any model takes as index,
    mask or token; strings are empty. `kind` is one of KINDS. Raises InvalidArgument for what is not a tensor."""
    import numpy as np

    from . import arrays

    dtype = dtypes.element_type(arg.type)
    if dtype is None:
        raise InvalidArgument(f"input {arg.name!r} is a {arg.type}, and only tensors are made up; give it a value")
    if dtype is dtypes.STRING:
        return np.full(shape, "", dtype=object)
    numpy_type = arrays.numpy_type(dtype)
    if numpy_type is None:
        raise InvalidArgument(f"input {arg.name!r} is {dtype.name}, which needs ml_dtypes; install it")
    try:
        return _values(dtype, kind, shape, seed).astype(numpy_type)
    except (MemoryError, ValueError) as error:  # numpy's words for what is too large
        raise InvalidArgument(f"input {arg.name!r} of shape {list(shape)} cannot be made: {error}") from error


def _values(dtype: DType, kind: str, shape: tuple[int, ...], seed: int) -> Any:
    import numpy as np

    if kind != "random":
        return np.full(shape, 1 if kind == "ones" else 0)
    generator = np.random.default_rng(seed)
    if dtype.name == "bool" or "int" in dtype.name:
        return generator.integers(0, 2, shape)
    return generator.standard_normal(shape)
