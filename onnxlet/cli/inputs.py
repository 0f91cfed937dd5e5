"""What a command feeds a model: files, JSON values, or made-up tensors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import dtypes, made_inputs
from ..errors import InvalidArgument, NoSuchFile
from ..metadata import NodeArg
from ..session import InferenceSession
from . import readers
from .readers.array import read_all
from .readers.text import one_string, parse_json
from .usage import BadOption, pair, sizes


@dataclass(frozen=True)
class Inputs:
    """What the command line says about inputs."""

    named: Mapping[str, str]  # by input: a file with options, random, zeros, ones, or a JSON value
    files: Sequence[str]  # without an input's name
    sizes: made_inputs.Sizes
    seed: int
    free: int = 1  # sizes that the model leaves open and nothing else says

    @classmethod
    def parse(cls, given: Sequence[str], shapes: Sequence[str], seed: int, free: int = 1) -> Inputs:
        """From NAME=VALUE texts, or FILE alone. Raises BadOption."""
        named: dict[str, str] = {}
        files = []
        for text in given:
            if "=" not in text.partition(",")[0] and readers.is_file_name(text):
                files.append(text)
            else:
                name, value = pair(text, "--input")
                named[name] = value
        return cls(named, files, dict(_size(text) for text in shapes), seed, free)

    def feeds(self, session: InferenceSession) -> dict[str, Any]:
        """A value for every input that must be fed and for every one that was given; random where nothing is said."""
        required = session.get_inputs()
        arguments = {arg.name: arg for arg in [*required, *session.get_overridable_initializers()]}
        for name in self.named:
            if name not in arguments:
                raise BadOption(f"the model has no input {name!r}; it has {', '.join(arguments)}")
        given: dict[str, Any] = {}
        for file in self.files:
            given |= _unnamed(file, required, arguments)
        given |= {n: _value(arguments[n], text) for n, text in self.named.items() if text not in made_inputs.KINDS}
        known = made_inputs.named_sizes(list(arguments.values()), given) | dict(self.sizes)
        for number, (name, arg) in enumerate(arguments.items()):
            kind = self.named.get(name, "random")
            if name not in given and (name in self.named or arg in required):
                shape = self._shape(arg, known)
                given[name] = made_inputs.make(arg, kind, shape, self.seed + number)
        return {name: given[name] for name in arguments if name in given}

    def _shape(self, arg: NodeArg, known: made_inputs.Sizes) -> tuple[int, ...]:
        try:
            return made_inputs.shape_of(arg, known, self.free)
        except InvalidArgument as error:
            raise BadOption(f"--shape: {error}") from error


def _size(text: str) -> tuple[str, Sequence[int] | int]:
    """An input's shape or a named size: a single number may be either, and is a shape where the name is an input's."""
    name, value = pair(text, "--shape")
    found = sizes(f"--shape {name}", value, "1x3x224x224")
    return name, found[0] if len(found) == 1 else found


def _value(arg: NodeArg, text: str) -> Any:
    if readers.is_file_name(text):
        return readers.read(text, arg)
    strings = dtypes.element_type(arg.type) is dtypes.STRING
    try:
        value = parse_json(text, arg)
    except json.JSONDecodeError:
        if not strings:
            kinds = f"a file ({' '.join(readers.SUFFIXES)}), random, zeros, ones, or a JSON value"
            raise BadOption(f"input {arg.name!r}: {text!r} is not {kinds}") from None
        value = text
    if strings and not isinstance(value, list):
        return one_string(value if isinstance(value, str) else text, arg)
    return value


def _unnamed(spec: str, required: Sequence[NodeArg], arguments: Mapping[str, NodeArg]) -> dict[str, Any]:
    """The inputs that a file names itself, or the only input."""
    path, options = readers.split(spec)
    if not path.exists():
        raise NoSuchFile(f"input file {str(path)!r} does not exist")
    if path.suffix.lower() == ".npz" and not options:
        names = read_all(path).keys() & arguments.keys()
        if names:
            return {name: readers.read(f"{path},key={name}", arguments[name]) for name in names}
    if path.suffix.lower() == ".json":
        found = _objects(path, arguments)
        if found:
            return found
    if len(required) != 1:
        names_of = ", ".join(arg.name for arg in required)
        raise BadOption(f"which input is {spec!r} for? The model has {names_of}: write --input NAME={spec}")
    return {required[0].name: readers.read(spec, required[0])}


def _objects(path: Path, arguments: Mapping[str, NodeArg]) -> dict[str, Any]:
    """A JSON object from inputs' names to values; nothing for any other JSON."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return {}  # the reader says what is wrong
    if not isinstance(document, dict) or not document.keys() <= arguments.keys():
        return {}
    return {name: parse_json(json.dumps(value), arguments[name]) for name, value in document.items()}
