"""Tables in CSV as inputs."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from .interface import Port
from .program import Failure
from .tensor import Tensor, dtype_named, make, parse_field


@dataclass(frozen=True)
class Table:
    """Fields as text."""

    columns: list[str] | None
    """None where the first line is all numbers, and so a row."""
    rows: list[list[str]]
    what: str
    """Names it in messages."""


def parse_table(text: str, what: str) -> Table:
    """Raises Failure unless every row has as many fields as the first."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    rows: list[list[str]] = []
    try:
        for row in reader:
            if not row:
                continue
            if rows and len(row) != len(rows[0]):
                raise Failure(f"{what}: line {reader.line_num} has {len(row)} fields, the first has {len(rows[0])}")
            rows.append(row)
    except csv.Error as error:
        raise Failure(f"{what}: line {reader.line_num}: {error}") from None
    if not rows:
        raise Failure(f"{what} is empty")
    if all(_is_number(field) for field in rows[0]):
        return Table(None, rows, what)
    if len(rows) == 1:
        raise Failure(f"{what} has names of columns and no rows")
    return Table([name.strip() for name in rows[0]], rows[1:], what)


def tensor_of_table(port: Port, table: Table) -> Tensor:
    """The table's part in an input of kind column or matrix. Raises Failure."""
    indices = [_column(port, table)] if port.kind == "column" else _all_columns(port, table)
    dtype = dtype_named(port.dtype)
    elements = [
        parse_field(row[index], dtype, f"{table.what}, row {number}, column {_name(table, index)}")
        for number, row in enumerate(table.rows, 1)
        for index in indices
    ]
    return make(dtype, (len(table.rows), len(indices)), elements, table.what)


def _column(port: Port, table: Table) -> int:
    if table.columns is None:
        raise Failure(f"{table.what} has no column {port.name!r}; its first line has numbers and no names")
    if port.name not in table.columns:
        raise Failure(f"{table.what} has no column {port.name!r}; it has {', '.join(table.columns)}")
    return table.columns.index(port.name)


def _all_columns(port: Port, table: Table) -> list[int]:
    width, wanted = len(table.rows[0]), port.shape[1]
    if isinstance(wanted, int) and width != wanted:
        raise Failure(f"{table.what} has {width} columns; the model takes {wanted}")
    return list(range(width))


def _name(table: Table, index: int) -> str:
    return table.columns[index] if table.columns else str(index + 1)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
