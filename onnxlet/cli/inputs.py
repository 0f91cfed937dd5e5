"""What a command feeds a model: files, JSON values, or made-up tensors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import dtypes
from ..errors import InvalidArgument, NoSuchFile
from ..session import InferenceSession, NodeArg


@dataclass(frozen=True)
class Inputs:
    """What the command line says about inputs."""

    given: Mapping[str, str]  # by input: a .npy file, random, zeros, ones, or a JSON value
    shapes: Mapping[str, str]  # by input, or by named size
    seed: int
    free: int = 1  # sizes that the model leaves open and `shapes` does not name

    @classmethod
    def parse(cls, given: Sequence[str], shapes: Sequence[str], seed: int, free: int = 1) -> Inputs:
        """From NAME=VALUE texts. Raises InvalidArgument."""
        return cls(dict(pair(i, "--input") for i in given), dict(pair(i, "--shape") for i in shapes), seed, free)

    def feeds(self, session: InferenceSession) -> dict[str, Any]:
        """A value for every input that must be fed and for every one that was given; random where nothing is said."""
        arguments = {arg.name: arg for arg in [*session.get_inputs(), *session.get_overridable_initializers()]}
        for name in self.given:
            if name not in arguments:
                raise InvalidArgument(f"the model has no input {name!r}; it has {', '.join(arguments)}")
        required = {arg.name for arg in session.get_inputs()}
        return {
            name: _feed(arg, self.given.get(name, "random"), self, self.seed + number)
            for number, (name, arg) in enumerate(arguments.items())
            if name in self.given or name in required
        }


def pair(text: str, option: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise InvalidArgument(f"{option} takes NAME=VALUE; {text!r} given")
    return name, value


def _feed(arg: NodeArg, spec: str, inputs: Inputs, seed: int) -> Any:
    import numpy as np

    if spec in ("random", "zeros", "ones"):
        return _made(arg, spec, _shape(arg, inputs), seed)
    if spec.endswith(".npy"):
        try:
            return np.load(spec, allow_pickle=False)
        except FileNotFoundError as error:
            raise NoSuchFile(f"input {arg.name!r}: {spec!r} does not exist") from error
        except (OSError, ValueError) as error:
            raise InvalidArgument(f"input {arg.name!r}: {spec!r} is not a readable .npy file: {error}") from error
    try:
        return json.loads(spec)
    except json.JSONDecodeError:
        kinds = "a .npy file, random, zeros, ones, or a JSON value"
        raise InvalidArgument(f"input {arg.name!r}: {spec!r} is not {kinds}") from None


def _made(arg: NodeArg, spec: str, shape: tuple[int, ...], seed: int) -> Any:
    import numpy as np

    dtype = dtypes.element_type(arg.type)
    if dtype is None:
        raise InvalidArgument(f"input {arg.name!r} is a {arg.type}; give it as a JSON value")
    generator = np.random.default_rng(seed)
    if dtype is dtypes.STRING:
        return np.full(shape, "", dtype=object)
    values: Any
    if spec == "zeros" or spec == "ones":
        values = np.full(shape, 1 if spec == "ones" else 0)
    elif dtype.name == "bool":
        values = generator.integers(0, 2, shape)
    elif "int" in dtype.name:
        values = generator.integers(0, 2, shape)  # small enough to be an index, a mask or a token of any model
    else:
        values = generator.standard_normal(shape)
    from .. import arrays

    kind = arrays.numpy_type(dtype)
    if kind is None:
        raise InvalidArgument(f"input {arg.name!r} is {dtype.name}, which needs ml_dtypes; install it")
    return values.astype(kind)


def _shape(arg: NodeArg, inputs: Inputs) -> tuple[int, ...]:
    shapes, free = inputs.shapes, inputs.free
    if arg.name in shapes:
        parts = shapes[arg.name].replace(",", "x").split("x")
        if not all(part.isdigit() for part in parts):
            raise InvalidArgument(f"--shape {arg.name}={shapes[arg.name]}: write sizes as 1x3x224x224")
        return tuple(int(part) for part in parts)
    sizes = []
    for size in arg.shape:
        chosen = shapes.get(size, free) if isinstance(size, str) else free if size is None else size
        if isinstance(chosen, str) and not chosen.isdigit():
            raise InvalidArgument(f"--shape {size}={chosen}: the size of a dimension is a whole number")
        sizes.append(int(chosen))
    return tuple(sizes)
