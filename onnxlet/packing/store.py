"""Models as files: loaded tensor by tensor, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import onnx
import onnx_ir as ir
from google.protobuf.message import DecodeError

from ..errors import InvalidArgument, InvalidGraph, InvalidProtobuf, NoSuchFile

ModelSource: TypeAlias = "str | os.PathLike[str] | bytes | onnx.ModelProto | ir.Model"

_EXTERNAL_FROM = 1_500_000_000  # bytes of weights: protobuf itself ends at 2 GiB


def load(source: ModelSource) -> ir.Model:
    """The model in memory; external weights stay in their file until they are used.

    Raises NoSuchFile, InvalidProtobuf or InvalidGraph. An `ir.Model` is copied, so that the caller's stays as it is.
    """
    if isinstance(source, ir.Model):
        return source.clone()
    try:
        if isinstance(source, bytes):
            return ir.from_proto(onnx.load_model_from_string(source))
        if isinstance(source, onnx.ModelProto):
            return ir.from_proto(source)
        return ir.load(Path(source))
    except FileNotFoundError as error:
        raise NoSuchFile(f"the model {str(source)!r} does not exist") from error
    except DecodeError as error:
        raise InvalidProtobuf(f"the model is no ONNX file, or a damaged one: {error}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidGraph(f"the model is not valid ONNX: {error}") from error


def weight_bytes(model: ir.Model) -> int:
    """Bytes of all initializers, those of subgraphs included."""
    return sum(
        value.const_value.nbytes
        for graph in model.graphs()
        for value in graph.initializers.values()
        if value.const_value is not None
    )


def files_of(path: Path) -> list[Path]:
    """A model's file and those it keeps weights in."""
    beside = {
        tensor.location
        for graph in ir.load(path).graphs()
        for value in graph.initializers.values()
        if isinstance(tensor := value.const_value, ir.ExternalTensor)
    }
    return [path, *(path.parent / name for name in sorted(map(str, beside)))]


def stored_bytes(path: Path) -> int:
    """The size of a model's files."""
    return sum(file.stat().st_size for file in files_of(path))


class Staged:
    """A model written into a folder beside its destination, so that it can be examined before it takes its place."""

    def __init__(self, folder: Path, destination: Path) -> None:
        self.path = folder / destination.name
        self._destination = destination

    def write(self, model: ir.Model, external: str) -> None:
        """`external`: auto, always or never, as in the configuration. Raises InvalidArgument."""
        size = weight_bytes(model)
        if external == "never" and size > _EXTERNAL_FROM:
            raise InvalidArgument(
                f"the packed model has {size} bytes of weights, more than a file of protobuf holds; "
                "allow external data (external_data = 'auto')"
            )
        beside = external == "always" or size > _EXTERNAL_FROM
        # Without a file of its own, weights of the original's external file would still point there.
        ir.save(
            model if beside else _in_memory(model),
            self.path,
            external_data=f"{self.path.name}.data" if beside else None,
        )

    def commit(self) -> None:
        """Moves the files to their destination, the model last."""
        for file in sorted(self.path.parent.iterdir(), key=lambda file: file == self.path):
            file.replace(self._destination.parent / file.name)


def _in_memory(model: ir.Model) -> ir.Model:
    ir.external_data.load_to_model(model)
    return model


@contextlib.contextmanager
def staged(destination: Path) -> Iterator[Staged]:
    """A place to write a model for `destination`. What is not committed is removed. Raises NoSuchFile."""
    if not destination.parent.is_dir():
        raise NoSuchFile(f"the folder {str(destination.parent)!r} for the packed model does not exist")
    with tempfile.TemporaryDirectory(dir=destination.parent, prefix=".onnxlet-pack-") as folder:
        yield Staged(Path(folder), destination)
