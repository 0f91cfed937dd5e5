"""From what a person gives, words and files, to what the model takes."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from .. import dtypes
from .arguments import Arguments
from .interface import FILES, TABLES, Interface, Port
from .npy import MAGIC, read_npy
from .program import Failure, WrongUsage
from .table import parse_table, tensor_of_table
from .tensor import Tensor, dtype_named, make, name_of


def make_feeds(interface: Interface, arguments: Arguments) -> dict[str, Tensor]:
    """For all inputs. Raises WrongUsage for one that is missing, unknown or too many, Failure for wrong content."""
    texts = _assigned(interface, arguments)
    for port in interface.inputs:
        if port.name not in texts and (arguments.table is None or port.kind not in TABLES):
            raise WrongUsage(f"input {port.name!r} is not given ({takes(port)}); --help shows the inputs")
    feeds = {port.name: read_input(port, texts[port.name]) for port in interface.inputs if port.name in texts}
    if arguments.table is not None:
        table = parse_table(_text_of(arguments.table), arguments.table)
        rest = [port for port in interface.inputs if port.name not in feeds]
        feeds |= {port.name: tensor_of_table(port, table) for port in rest}
    return feeds


def _assigned(interface: Interface, arguments: Arguments) -> dict[str, str]:
    names = [port.name for port in interface.inputs]
    for name in arguments.inputs:
        if name not in names:
            raise WrongUsage(f"there is no input {name!r}; the inputs are {', '.join(names)}")
    if arguments.table is not None and not any(port.kind in TABLES for port in interface.inputs):
        raise WrongUsage("no input takes a table")
    open_names = [name for name in names if name not in arguments.inputs]
    if len(arguments.positional) > len(open_names):
        word = arguments.positional[len(open_names)]
        raise WrongUsage(f"{word!r} is one argument too many; the inputs are {', '.join(names)}")
    return arguments.inputs | dict(zip(open_names, arguments.positional, strict=False))


def takes(port: Port) -> str:
    """What to give, for help."""
    if port.kind in FILES:
        return "a file" if port.kind == "bytes" else f"a file ({port.kind})"
    match port.kind:
        case "text":
            return "text; @FILE reads a file, - standard input"
        case "column":
            return f"a JSON list ({port.dtype}), or --table"
        case "matrix":
            return f"a .csv or .npy file, JSON lists ({port.dtype}), or --table"
    return f"a .npy file, or JSON lists ({port.dtype})"


def read_input(port: Port, word: str) -> Tensor:
    """The input that a word or the file of that name means. Raises Failure."""
    if port.kind in FILES:
        data = read_file(word)
        if not data:
            raise Failure(f"{word} is empty")
        return Tensor(dtypes.BY_NAME["uint8"], (len(data),), data)
    if port.kind == "text":
        return Tensor(dtypes.STRING, (1,), [_text_of(word[1:]) if word.startswith("@") else _words(word)])
    if word.lower().endswith((".npy", ".json", ".csv")) or word.startswith("@") or word == "-":
        return _from_file(port, word.removeprefix("@"))
    if port.kind == "column" and port.dtype == "string" and not word.lstrip().startswith(("[", "{")):
        return Tensor(dtypes.STRING, (1, 1), [word])
    return _from_json(port, word, f"input {port.name!r}")


def _words(word: str) -> str:
    return _text_of(word) if word == "-" else word


def _from_file(port: Port, name: str) -> Tensor:
    data, what = read_file(name), "standard input" if name == "-" else name
    if data.startswith(MAGIC):
        return _in_rows(port, _converted(read_npy(data, what), port, what))
    text = _decoded(data, what)
    if port.kind in TABLES and not text.lstrip().startswith(("[", "{")):
        return tensor_of_table(port, parse_table(text, what))
    return _from_json(port, text, what)


def _converted(found: Tensor, port: Port, name: str) -> Tensor:
    """Integers and floats of other widths become what the input takes."""
    wanted = dtype_named(port.dtype)
    if found.dtype == wanted:
        return found
    is_float = wanted.format in ("e", "f", "d")
    if "string" in (found.dtype.name, wanted.name) or not (is_float or found.dtype.format in tuple("bBhHiIqQ")):
        raise Failure(f"{name} has {name_of(found.dtype)}; input {port.name!r} takes {port.dtype}")
    elements = [float(item) for item in found.elements()] if is_float else found.elements()
    return make(wanted, found.shape, elements, name)


def read_file(name: str) -> bytes:
    """A file's bytes; of standard input for "-". Raises Failure."""
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise Failure(f"{name} cannot be read: {error.strerror}") from None


def _text_of(name: str) -> str:
    return _decoded(read_file(name), name)


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Failure(f"{name} is not text in UTF-8") from None


# ---- JSON ----


def _from_json(port: Port, text: str, what: str) -> Tensor:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Failure(f"{what} is not JSON: {error}; it takes {takes(port)}") from None
    dtype = dtype_named(port.dtype)
    if isinstance(document, dict):
        return _from_document(port, document, what)
    shape, elements = _flattened(document, what)
    return _in_rows(port, make(dtype, _spread(port, shape, len(elements)), elements, what))


def _from_document(port: Port, document: dict[str, Any], what: str) -> Tensor:
    """Written as outputs are: {"shape": [...], "data": [...]}."""
    data, shape = document.get("data"), document.get("shape")
    sizes = isinstance(shape, list) and all(type(size) is int and size >= 0 for size in shape)
    if not sizes or not isinstance(data, list) or len(data) != math.prod(shape or ()):
        raise Failure(f'{what} takes lists, or {{"shape": [...], "data": [...]}} with as many elements')
    return make(dtype_named(port.dtype), tuple(shape or ()), data, what)


def _flattened(document: Any, what: str) -> tuple[tuple[int, ...], list[Any]]:
    shape: list[int] = []
    items = [document]
    while any(isinstance(item, list) for item in items):
        size = len(items[0]) if isinstance(items[0], list) else -1
        if any(not isinstance(item, list) or len(item) != size for item in items):
            raise Failure(f"{what} has lists of different lengths or depths")
        shape.append(size)
        items = [element for item in items for element in item]
    return tuple(shape), items


def _spread(port: Port, shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """A flat list takes the input's shape, where at most one size of that is open."""
    if len(shape) > 1 or len(shape) == len(port.shape) or port.kind in TABLES:
        return shape
    fixed = [size for size in port.shape if isinstance(size, int)]
    if len(port.shape) - len(fixed) > 1:
        return shape
    known = math.prod(fixed)
    rest = count // known if known and count % known == 0 else -1
    if rest < 0 or (len(fixed) == len(port.shape) and rest != 1):
        raise Failure(f"input {port.name!r} takes {list(port.shape)}; a list of {count} does not fill that")
    return tuple(size if isinstance(size, int) else rest for size in port.shape)


def _in_rows(port: Port, tensor: Tensor) -> Tensor:
    """A column's values one below the other; a row that is alone is a matrix."""
    count = math.prod(tensor.shape)
    if port.kind == "column" and len(tensor.shape) < 2:
        return tensor._replace(shape=(count, 1))
    if port.kind == "matrix" and len(tensor.shape) == 1:
        return tensor._replace(shape=(1, count))
    return tensor
