"""What a bundle runs: one ONNX model that goes from what a person has to an answer, and what its inputs and outputs mean.

A person has a picture's file, a sentence, a table; the model takes the file's bytes, a string, columns. All that lies
between them and the answer is in the model, so that the programs that run it elsewhere need not know of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from ..dtypes import element_type
from ..errors import InvalidArgument
from ..session import InferenceSession
from .errors import BundleError

if TYPE_CHECKING:
    from ..metadata import NodeArg
    from .request import Request

InputKind = Literal["image", "audio", "bytes", "text", "column", "matrix", "tensor"]
OutputKind = Literal["text", "labels", "boxes", "mask", "column", "tensor"]
Shape = tuple[int | str | None, ...]

FORMAT: Final = 1
"""Of interface.json."""
_LARGEST_FILE: Final = 2**31 - 1  # of protobuf
_COLUMN_TYPES: Final = ("float32", "float64", "int64", "int32", "bool", "string")


@dataclass(frozen=True)
class Input:
    """An input of the composed model.

    image, audio, bytes: tensor(uint8) of shape [N], a file's bytes. text: tensor(string) of shape [1]. column:
    a table's column of this name, of shape [rows, 1]. matrix: all columns of a table in their order, of shape
    [rows, columns]. tensor: anything else.
    """

    name: str
    kind: InputKind
    dtype: str
    """As numpy and JavaScript call it, "float32"; text is "string"."""
    shape: Shape
    """Sizes, names of open ones, None where the model says nothing."""
    label: str = ""
    """What forms and help texts call it; the name where it is empty."""


@dataclass(frozen=True)
class Output:
    """An output of the composed model.

    text: tensor(string), one text per element. labels: tensor(string) of names, best first, whose scores are in the
    output `scores`. boxes: float [N, 4] of left, top, right, bottom in pixels of the picture, with `scores` [N] and,
    where there are kinds of things, `labels` [N]. mask: [height, width] of numbers from 0 to 1. column: one value or
    line of values per row of the table that was given. tensor: anything else.
    """

    name: str
    kind: OutputKind
    dtype: str
    """"map" where each row has a map of labels to scores, as ZipMap makes them."""
    shape: Shape
    label: str = ""
    scores: str | None = None
    labels: str | None = None


@dataclass(frozen=True)
class Interface:
    """What interface.json says: how to ask the model, and how to show its answer."""

    name: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    title: str = ""
    description: str = ""

    def json(self) -> str:
        """The file's text: keys in the order of the fields, nothing that is empty."""
        document = {"format": FORMAT} | _without_empty(asdict(self))
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


@dataclass(frozen=True)
class Application:
    """A composed model and its interface."""

    model: bytes
    """A serialized ModelProto that needs no other file."""
    interface: Interface
    licenses: tuple[str, ...] = ()
    """SPDX identifiers or expressions of the model and what came into it, sorted."""
    sources: dict[str, str] = field(default_factory=dict)
    """SHA-256, in hexadecimal, of each file that went into it, by its name."""


def make_applications(request: Request) -> tuple[Application, ...]:
    """One application per model. Raises what loading the models raises, and what the pipeline asks for and is not there."""
    if request.pipeline is None:
        return tuple(_plain(path) for path in request.models)
    if len(request.models) != 1:
        raise InvalidArgument(f"a pipeline goes around one model; {len(request.models)} are given")
    try:
        from .pipeline import compose
    except ImportError as error:
        raise BundleError(f"a pipeline needs {error.name}: pip install 'onnxlet[bundle]'") from error
    return (compose(request.models[0], request.pipeline),)


def _plain(path: Path) -> Application:
    with InferenceSession(path) as session:
        model, data = session._origin.read()
        inputs = session.get_inputs()
        outputs = session.get_outputs()
    interface = Interface(path.stem, plain_inputs(inputs), plain_outputs(inputs, outputs))
    sources = {name: hashlib.sha256(content).hexdigest() for name, content in {path.name: model, **data}.items()}
    return Application(_in_one_file(path) if data else bytes(model), interface, sources=dict(sorted(sources.items())))


def _in_one_file(path: Path) -> bytes:
    """The model with the weights that it keeps in other files."""
    try:
        import onnx
    except ImportError as error:
        raise BundleError(
            f"{path.name} keeps weights in other files; to join them: pip install 'onnxlet[bundle]'"
        ) from error

    model = onnx.load(path)
    size = model.ByteSize()
    if size > _LARGEST_FILE:
        raise BundleError(
            f"{path.name} has {size} bytes with its weights; one file holds {_LARGEST_FILE}: pack it first"
        )
    return bytes(model.SerializeToString(deterministic=True))


def plain_inputs(inputs: Sequence[NodeArg]) -> tuple[Input, ...]:
    """What the inputs of a model without pre-processing can be given from."""
    columns = len(inputs) > 1 and all(_is_column(arg) for arg in inputs)
    matrix = len(inputs) == 1 and _is_matrix(inputs[0])
    kind: InputKind = "column" if columns else "matrix" if matrix else "tensor"
    return tuple(Input(arg.name, kind, _dtype(arg.type), tuple(arg.shape)) for arg in inputs)


def plain_outputs(inputs: Sequence[NodeArg], outputs: Sequence[NodeArg]) -> tuple[Output, ...]:
    """What the outputs of a model without post-processing are: of a table, a value or a line per row."""
    rows = all(_is_column(arg) for arg in inputs) or (len(inputs) == 1 and _is_matrix(inputs[0]))
    kind: OutputKind = "column" if rows else "tensor"
    return tuple(Output(arg.name, kind, _dtype(arg.type), tuple(arg.shape)) for arg in outputs)


def _is_column(arg: NodeArg) -> bool:
    return _open_rows(arg) and arg.shape[1] == 1


def _is_matrix(arg: NodeArg) -> bool:
    return _open_rows(arg) and isinstance(arg.shape[1], int)


def _open_rows(arg: NodeArg) -> bool:
    """Two dimensions, the first left open: rows of a table."""
    return len(arg.shape) == 2 and not isinstance(arg.shape[0], int) and _dtype(arg.type) in _COLUMN_TYPES


def _dtype(type_name: str) -> str:
    """ "float32" of "tensor(float)", "map" of a sequence of maps, and other types as ONNX writes them."""
    if type_name.startswith("seq(map("):
        return "map"
    dtype = element_type(type_name)
    if dtype is None:
        return type_name
    return "string" if dtype.name == "string" else dtype.numpy or dtype.name


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_empty(item) for key, item in value.items() if item not in ("", None)}
    if isinstance(value, (list, tuple)):
        return [_without_empty(item) if isinstance(item, dict) else item for item in value]
    return value
