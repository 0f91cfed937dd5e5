"""Inputs that stay as they are, or that nobody gives."""

from __future__ import annotations

import numpy as np

from ....errors import InvalidArgument
from ...application import InputKind
from ..assembly import Assembly
from ..config import Constant, Tensor


def add(assembly: Assembly, name: str, step: Tensor) -> None:
    target = assembly.target(step.to, name)
    dims = assembly.dims(target) or []
    if step.kind == "bytes" and (assembly.dtype(target).name != "UINT8" or len(dims) != 1):
        raise InvalidArgument(f"the bytes of a file are uint8 [N]; the model's input {target!r} is not")
    kind: InputKind = "bytes" if step.kind == "bytes" else "tensor"
    assembly.feed(target, assembly.add_input(name, kind, assembly.dtype(target), dims, step.label))


def add_constant(assembly: Assembly, name: str, step: Constant) -> None:
    target = assembly.target(step.to, name)
    dtype, dims = assembly.dtype(target), assembly.dims(target)
    try:
        value = np.asarray(step.value, object if dtype.name == "STRING" else dtype.numpy())
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidArgument(f"the model's input {target!r} is {dtype.name.lower()}: {error}") from error
    fixed = [dim for dim in dims or [] if isinstance(dim, int)]
    if dims is not None and value.ndim != len(dims):
        if value.ndim or len(fixed) != len(dims):
            raise InvalidArgument(f"the model's input {target!r} has shape {dims}; the value has {list(value.shape)}")
        value = np.full(fixed, value)
    assembly.feed(target, assembly.head.constant(value))
