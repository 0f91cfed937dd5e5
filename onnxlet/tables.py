"""Rows of a table, a dict of arrays or an array as feeds of a model. Tables are known by what they can do: pandas, polars
and pyarrow all have columns by name that numpy reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from . import arrays, dtypes
from .arrays import Array
from .dtypes import DType
from .errors import InvalidArgument
from .metadata import NodeArg

Columns: TypeAlias = "Sequence[str] | Mapping[str, str | Sequence[str]]"


def is_stream(data: Any) -> bool:
    """Whether `data` is to be iterated over: it is no table, dict, list or array."""
    if _names(data) is not None or isinstance(data, list | tuple):
        return False
    whole = any(hasattr(data, name) for name in ("__array__", "__dlpack__", "__array_interface__"))
    return hasattr(data, "__iter__") and not whole and not isinstance(data, str | bytes | bytearray | memoryview)


def _names(data: Any) -> list[str] | None:
    """The names of a table's columns, None for what is no table."""
    found = data if isinstance(data, Mapping) else getattr(data, "column_names", getattr(data, "columns", None))
    return None if found is None or callable(found) else [str(name) for name in found]


@dataclass(frozen=True)
class Input:
    """One input of the model, and the columns it is made of; none: the column of its name, or every one."""

    arg: NodeArg
    dtype: DType
    columns: tuple[str, ...] = ()

    def of_columns(self, table: Any, names: Sequence[str], row: int) -> Array:
        """One column as it is, several beside each other."""
        for name in names:
            if name not in (known := _names(table) or []):
                raise InvalidArgument(f"input {self.arg.name!r}: there is no column {name!r}; {_listed(known)}")
        parts = [_converted(table[name], self.dtype, f"column {name!r}", row) for name in names]
        if len(parts) == 1:
            return self.shaped(parts[0], f"column {names[0]!r}")
        if any(part.ndim != 1 for part in parts):
            raise InvalidArgument(f"input {self.arg.name!r}: columns {list(names)} hold arrays, which cannot be joined")
        return self.shaped(np.stack(parts, axis=1), f"columns {list(names)}")

    def of_array(self, value: Any, row: int) -> Array:
        return self.shaped(_converted(value, self.dtype, f"input {self.arg.name!r}", row), "the array")

    def shaped(self, array: Array, what: str) -> Array:
        """Checks the dimensions after the first; rows of one number become rows of [1, ...] where the model asks."""
        wanted = self.arg.shape
        if array.ndim == 0:
            raise InvalidArgument(f"input {self.arg.name!r}: {what} is a single value and not rows")
        if (
            array.ndim == 1
            and len(wanted) > 1
            and all(size in (1, None) or isinstance(size, str) for size in wanted[1:])
        ):
            array = array.reshape(-1, *[1] * (len(wanted) - 1))
        same = len(wanted) == array.ndim and all(
            not isinstance(size, int) or size == given for size, given in zip(wanted[1:], array.shape[1:], strict=True)
        )
        if wanted and not same:
            row = f"rows of shape {list(array.shape[1:])}; the model takes {list(wanted[1:])}"
            raise InvalidArgument(f"input {self.arg.name!r}: {what} has {row}")
        return array


class Inputs:
    """How rows become feeds."""

    def __init__(self, args: Sequence[NodeArg], columns: Columns | None, constants: Mapping[str, Any]) -> None:
        """`constants` are inputs that are no rows. Raises InvalidArgument for names that the model does not have."""
        known = [arg.name for arg in args]
        chosen: dict[str, tuple[str, ...]] = {}
        free = [arg for arg in args if arg.name not in constants]
        if isinstance(columns, Mapping):
            chosen = {name: (c,) if isinstance(c, str) else tuple(c) for name, c in columns.items()}
        elif columns is not None:
            if len(free) != 1:
                raise InvalidArgument(f"columns takes a dict where the model has several inputs: {', '.join(known)}")
            chosen = {free[0].name: tuple(columns)}
        for name in (*chosen, *constants):
            if name not in known:
                raise InvalidArgument(f"there is no input {name!r}; the model has {', '.join(known)}")
        self.inputs = [Input(arg, _dtype(arg), chosen.get(arg.name, ())) for arg in free]
        if not self.inputs:
            raise InvalidArgument("the model has no input that takes rows")

    @property
    def fixed_rows(self) -> int | None:
        """The number of rows that the model was made for, where it is fixed."""
        sizes = [item.arg.shape[0] for item in self.inputs if item.arg.shape]
        return next((size for size in sizes if isinstance(size, int)), None)

    def feeds(self, data: Any, row: int) -> tuple[dict[str, Array], int]:
        """Whole arrays by input name, and how many rows they have. `row` is the number of the first, for errors."""
        names = _names(data)
        if names is None:
            if len(self.inputs) > 1:
                inputs = ", ".join(item.arg.name for item in self.inputs)
                raise InvalidArgument(f"a single array was given and the model has inputs {inputs}; give a dict")
            found = {self.inputs[0].arg.name: self.inputs[0].of_array(data, row)}
        else:
            found = {item.arg.name: self._of_table(item, data, names, row) for item in self.inputs}
        lengths = {name: len(array) for name, array in found.items()}
        if len(set(lengths.values())) != 1:
            raise InvalidArgument(f"inputs have different numbers of rows: {lengths}")
        return found, next(iter(lengths.values()))

    def _of_table(self, item: Input, table: Any, names: list[str], row: int) -> Array:
        if item.columns:
            return item.of_columns(table, item.columns, row)
        if item.arg.name in names:
            return item.of_columns(table, [item.arg.name], row)
        if len(self.inputs) == 1:
            return item.of_columns(table, names, row)
        raise InvalidArgument(
            f"there is no column for input {item.arg.name!r}; {_listed(names)}. Name it with columns="
        )


def _dtype(arg: NodeArg) -> DType:
    found = dtypes.element_type(arg.type)
    if found is None:
        raise InvalidArgument(f"input {arg.name!r} is {arg.type}; rows are fed to tensors only, others as constants=")
    return found


def _listed(names: Sequence[str]) -> str:
    return f"the table has {', '.join(map(repr, names[:20]))}{', ...' if len(names) > 20 else ''}"


def _converted(value: Any, dtype: DType, what: str, row: int) -> Array:
    """The rows as an array of the model's type. Numbers may lose precision, as float64 does to float32, but not their
    kind and their size."""
    array = np.asarray(value) if not hasattr(value, "__dlpack__") or hasattr(value, "__array__") else _of_dlpack(value)
    if array.dtype == object and array.size and isinstance(array.flat[0], list | tuple | np.ndarray):
        array = _stacked(array, what, row)
    if dtype is dtypes.STRING:
        return _strings(array, what, row)
    kind = arrays.numpy_type(dtype)
    if kind is None:
        raise InvalidArgument(f"{what}: {dtype.name} needs ml_dtypes")
    if array.dtype == object:
        array = _of_objects(array, dtype, what, row)
    if array.dtype == kind:
        return array
    whole = dtype.name.startswith(("int", "uint"))
    fits = array.dtype.kind in "fiub" and np.can_cast(array.dtype, kind, "same_kind")
    if not fits or (whole and array.dtype.kind == "f"):
        raise InvalidArgument(f"{what} is {array.dtype}; the model takes tensor({dtype.name})")
    with np.errstate(over="ignore", invalid="ignore"):
        made = array.astype(kind)
    wrong = made.astype(array.dtype) != array if whole else np.isfinite(array) & ~np.isfinite(made)
    if wrong.any():
        index = int(np.argwhere(wrong)[0][0])
        raise InvalidArgument(f"{what}, row {row + index}: {array[wrong][0]} does not fit tensor({dtype.name})")
    return made


def _of_dlpack(value: Any) -> Array:
    from . import dlpack

    tensor = dlpack.imported(value)
    return tensor if isinstance(tensor, np.ndarray) else tensor.numpy()


def _stacked(array: Array, what: str, row: int) -> Array:
    first = np.asarray(array.flat[0])
    for index, item in enumerate(array.flat):
        if np.shape(item) != first.shape:
            text = f"row {row + index} has shape {list(np.shape(item))}, row {row} has {list(first.shape)}"
            raise InvalidArgument(f"{what}: {text}")
    return np.stack([np.asarray(item) for item in array.flat])


def _strings(array: Array, what: str, row: int) -> Array:
    if array.dtype.kind in "US":
        return array
    if array.dtype.kind not in "OT":
        raise InvalidArgument(f"{what} is {array.dtype}; the model takes tensor(string)")
    for index, item in enumerate(array.reshape(len(array), -1) if array.ndim else ()):
        for text in item:
            if not isinstance(text, str | bytes):
                raise InvalidArgument(f"{what}, row {row + index}: a string is needed; the value is {text!r}")
    return array


def _of_objects(array: Array, dtype: DType, what: str, row: int) -> Array:
    """Numbers that come as Python objects."""
    for index, item in enumerate(array.reshape(len(array), -1)):
        for number in item:
            if not isinstance(number, int | float | np.number | np.bool_):
                text = f"a value for tensor({dtype.name}) is needed; it is {number!r}"
                raise InvalidArgument(f"{what}, row {row + index}: {text}")
    return np.asarray(array.tolist())
