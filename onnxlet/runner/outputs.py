"""A model's outputs as JSON, and as what a person reads: texts, labels with scores, boxes, tables."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from .interface import Interface, Port
from .program import Failure
from .tensor import Element, Tensor, name_of, shortest

Value = Tensor | list[dict[Any, Any]]
"""A tensor, or a map of labels to scores for each row."""
_MOST_ELEMENTS: Final = 1000
_SIDES: Final = 4


def as_json(values: Mapping[str, Value]) -> str:
    """One line. Floats have the fewest digits that restore them; NaN and infinities are texts."""
    members = (f"{json.dumps(name, ensure_ascii=False)}: {_json_of(value)}" for name, value in values.items())
    return f'{{"outputs": {{{", ".join(members)}}}}}\n'


def _json_of(value: Value) -> str:
    if isinstance(value, Tensor):
        data = ", ".join(_json_element(item, value) for item in value.elements())
        return f'{{"dtype": "{name_of(value.dtype)}", "shape": {list(value.shape)}, "data": [{data}]}}'
    rows = ", ".join(
        json.dumps({str(key): _plain(item) for key, item in row.items()}, ensure_ascii=False) for row in value
    )
    return f'{{"dtype": "map", "shape": [{len(value)}], "data": [{rows}]}}'


def _json_element(item: Element, tensor: Tensor) -> str:
    if isinstance(item, str):
        return json.dumps(item, ensure_ascii=False)
    text = shortest(item, tensor.dtype)
    return f'"{text}"' if isinstance(item, float) and not math.isfinite(item) else text


def _plain(item: Any) -> Any:
    if isinstance(item, float) and not math.isfinite(item):
        return "NaN" if math.isnan(item) else "Infinity" if item > 0 else "-Infinity"
    return item


# ---- for people ----


def for_people(interface: Interface, values: Mapping[str, Value]) -> str:
    """In the interface's order; outputs that belong to others come with them, and all columns are one table."""
    parts = {name for port in interface.outputs for name in (port.scores, port.labels)}
    shown = [port for port in interface.outputs if port.name not in parts]
    columns = [port for port in shown if port.kind == "column"]
    bodies = [(port.title, _body(port, values)) for port in shown if port.kind != "column"]
    texts = [f"{title}:\n{body}" for title, body in bodies] if len(bodies) > 1 else [body for _, body in bodies]
    return "\n".join(([_table(columns, values)] if columns else []) + texts)


def _body(port: Port, values: Mapping[str, Value]) -> str:
    value = values[port.name]
    if not isinstance(value, Tensor):
        return _lines(", ".join(f"{key}: {short(score)}" for key, score in row.items()) for row in value)
    elements = value.elements()
    match port.kind:
        case "text":
            return _lines(str(item) for item in elements)
        case "labels":
            return _labels([str(item) for item in elements], _part(port.scores, values))
        case "boxes":
            return _boxes(elements, _part(port.scores, values), _part(port.labels, values))
        case "mask":
            inside = sum(1 for item in elements if float(item) >= 0.5)
            size = " x ".join(str(item) for item in reversed(value.shape[-2:]))
            return f"{size} pixels, {100 * inside / (len(elements) or 1):.1f} % of them set\n"
    return _tensor(value, elements)


def short(item: Element) -> str:
    """A number or text in a few characters."""
    return f"{item:.6g}" if isinstance(item, float) else str(item)


def _labels(names: Sequence[str], scores: Sequence[Element] | None) -> str:
    width = max(map(len, names), default=0)
    if scores is None:
        return _lines(names)
    return _lines(f"{name.ljust(width)}  {float(score):.4f}" for name, score in zip(names, scores, strict=False))


def _boxes(sides: Sequence[Element], scores: Sequence[Element] | None, names: Sequence[Element] | None) -> str:
    lines = []
    for index in range(len(sides) // _SIDES):
        words = [" ".join(f"{float(side):.1f}" for side in sides[_SIDES * index : _SIDES * (index + 1)])]
        words += [str(names[index])] if names is not None else []
        words += [f"{float(scores[index]):.4f}"] if scores is not None else []
        lines.append("  ".join(words))
    return _lines(lines) if lines else "nothing found\n"


def _part(name: str | None, values: Mapping[str, Value]) -> Sequence[Element] | None:
    value = values.get(name) if name is not None else None
    return value.elements() if isinstance(value, Tensor) else None


def _tensor(value: Tensor, elements: Sequence[Element]) -> str:
    width = value.shape[-1] if value.shape else 1
    head = elements[:_MOST_ELEMENTS]
    rows = [" ".join(map(short, head[at : at + width])) for at in range(0, len(head), width or 1)]
    rest = len(elements) - len(head)
    more = [f"... and {rest} more; --json has all"] if rest else []
    return _lines([f"{name_of(value.dtype)} {list(value.shape)}", *rows, *more])


def _table(ports: Sequence[Port], values: Mapping[str, Value]) -> str:
    names: list[str] = []
    rows: list[list[str]] = []
    for port in ports:
        found, part = _columns(port, values[port.name])
        names += found
        rows = [[*row, *more] for row, more in zip(rows or [[] for _ in part], part, strict=True)]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([names, *rows])
    return out.getvalue()


def _columns(port: Port, value: Value) -> tuple[list[str], list[list[str]]]:
    """The columns of one output: one, several of a matrix, or one for each key of maps."""
    if not isinstance(value, Tensor):
        keys = list(dict.fromkeys(key for row in value for key in row))
        return [f"{port.title}: {key}" for key in keys], [[short(row.get(key, "")) for key in keys] for row in value]
    if not value.shape:
        raise Failure(f"output {port.name!r} is no table; use --json")
    height = value.shape[0]
    width = math.prod(value.shape[1:])
    elements = value.elements()
    rows = [[short(item) for item in elements[at * width : (at + 1) * width]] for at in range(height)]
    return [port.title] if width == 1 else [f"{port.title}[{at}]" for at in range(width)], rows


def _lines(texts: Any) -> str:
    return "".join(f"{text}\n" for text in texts)
