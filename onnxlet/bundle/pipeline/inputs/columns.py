"""Columns of a table: what is missing, and what texts stand for."""

from __future__ import annotations

import onnx_ir as ir

from ....errors import InvalidArgument
from ..assembly import Assembly
from ..config import Column, Columns, MatrixColumn
from ..graph import FLOAT, INT64, ML, STRING, Writer

_ROWS = "rows"


def add_column(assembly: Assembly, name: str, step: Column) -> None:
    target = assembly.target(step.to, name)
    dtype, dims = assembly.dtype(target), assembly.dims(target)
    if dims is not None and (len(dims) not in (1, 2) or (len(dims) == 2 and dims[1] not in (1, None))):
        raise InvalidArgument(f"the model's input {target!r} has shape {dims}; a column is [N, 1] or [N]")
    taken = FLOAT if step.missing is not None and dtype not in (STRING, FLOAT) else dtype
    x = assembly.add_input(name, "column", taken, [_ROWS, 1], step.label)
    x = _without_gaps(assembly.head, x, taken, step.missing, name)
    if taken != dtype:
        x = assembly.head.cast(x, dtype)
    if dims is not None and len(dims) == 1:
        x = assembly.head.reshape(x, -1)
    assembly.feed(target, x)


def add_matrix(assembly: Assembly, name: str, step: Columns) -> None:
    g = assembly.head
    target = assembly.target(step.to, name)
    dtype, dims = assembly.dtype(target), assembly.dims(target)
    for column in step.columns:
        _check(column)
    count = sum(len(column.categories) if column.one_hot else 1 for column in step.columns)
    wrong = f"the model's input {target!r} has shape {dims}"
    if dims is not None and len(dims) != 2:
        raise InvalidArgument(f"{wrong}; columns side by side are [N, {count}]")
    if dims is not None and isinstance(dims[1], int) and dims[1] != count:
        raise InvalidArgument(f"{wrong}; there are {count} columns")
    if dtype == STRING:
        raise InvalidArgument(f"the model's input {target!r} is a matrix of texts; numbers are made of columns")
    parts = [_part(assembly, column) for column in step.columns]
    x = g("Concat", *parts, axis=1) if len(parts) > 1 else parts[0]
    assembly.feed(target, x if dtype == FLOAT else g.cast(x, dtype))


def _check(column: MatrixColumn) -> None:
    if column.one_hot and not column.categories:
        raise InvalidArgument(f"column {column.name!r}: one_hot needs categories")
    if len(set(column.categories)) != len(column.categories):
        raise InvalidArgument(f"column {column.name!r} lists a category twice")


def _part(assembly: Assembly, column: MatrixColumn) -> ir.Value:
    """float [rows, 1], or a column for each category."""
    g = assembly.head
    dtype = STRING if column.categories else FLOAT
    x = assembly.add_input(column.name, "column", dtype, [_ROWS, 1])
    x = _without_gaps(g, x, dtype, column.missing, column.name)
    if not column.categories:
        return x
    if column.one_hot:
        x = g("OneHotEncoder", x, domain=ML, cats_strings=column.categories, zeros=1)
        return g.reshape(x, -1, len(column.categories))
    version = assembly.core.model.graph.opset_imports.get(ML, 2)
    if version == 1:
        at = g("LabelEncoder", x, domain=ML, classes_strings=column.categories, default_int64=-1)
    else:
        numbers = list(range(len(column.categories)))
        at = g("LabelEncoder", x, domain=ML, keys_strings=column.categories, values_int64s=numbers, default_int64=-1)
    number = g.cast(at, FLOAT)
    if column.unknown == -1:
        return number
    return g("Where", g("Less", at, g.constant(0, INT64.numpy())), g.number(column.unknown), number)


def _without_gaps(g: Writer, x: ir.Value, dtype: ir.DataType, missing: float | str | None, name: str) -> ir.Value:
    if missing is None:
        return x
    if (dtype == STRING) != isinstance(missing, str):
        what = "texts" if dtype == STRING else "numbers"
        raise InvalidArgument(f"column {name!r} has {what}; missing is {missing!r}")
    if dtype == STRING:
        return g("Where", g("Equal", x, g.constant([""])), g.constant([missing]), x)
    return g("Where", g("IsNaN", x), g.constant(missing, dtype.numpy()), x)
