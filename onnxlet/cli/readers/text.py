"""JSON values and lines of text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ... import dtypes
from ...errors import InvalidArgument
from ...metadata import NodeArg


def read_json(path: Path, arg: NodeArg, options: Mapping[str, str]) -> Any:
    """Nested lists for a tensor, a list for a sequence, an object for a map, null for an empty optional."""
    try:
        return parse_json(_text(path, arg), arg)
    except json.JSONDecodeError as error:
        raise InvalidArgument(f"input {arg.name!r}: {str(path)!r} is not JSON: {error}") from error


def parse_json(text: str, arg: NodeArg) -> Any:
    """The value; maps from integers get integers for their keys, which are text in JSON. Raises JSONDecodeError."""
    value = json.loads(text)
    return _with_integer_keys(value) if "map(int" in arg.type else value


def read_lines(path: Path, arg: NodeArg, options: Mapping[str, str]) -> Any:
    """An element per line, as [lines, 1, ...] in the input's rank; the whole text for an input of one string."""
    import numpy as np

    if dtypes.element_type(arg.type) is not dtypes.STRING:
        raise InvalidArgument(f"input {arg.name!r}: a .txt file is for strings, and the input is a {arg.type}")
    text = _text(path, arg)
    single = not arg.shape or arg.shape[0] == 1
    lines = [text.rstrip("\n")] if single else text.splitlines()
    return np.array(lines, object).reshape([len(lines), *[1] * (len(arg.shape) - 1)] if arg.shape else [])


def one_string(text: str, arg: NodeArg) -> Any:
    """A tensor of one element, in the input's rank."""
    import numpy as np

    return np.full([1] * len(arg.shape), text, object)


def _text(path: Path, arg: NodeArg) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"input {arg.name!r}: {str(path)!r} is not UTF-8 text: {error}") from error


def _with_integer_keys(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_integer_keys(item) for item in value]
    if not isinstance(value, dict):
        return value
    try:
        return {int(key): item for key, item in value.items()}
    except ValueError as error:
        raise InvalidArgument(f"keys of the map must be whole numbers: {error}") from error
