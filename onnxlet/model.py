"""A model file inside an engine, before it becomes a session: opened, described, given its external data."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from . import external_data, hosts
from .errors import InvalidArgument, InvalidProtobuf, NoSuchFile
from .hosts.engine import Engine, Readable


class JsBytes(Protocol):
    """An ArrayBuffer or a typed array of JavaScript, in Pyodide."""

    byteLength: int


Source: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview"


def is_source(value: object) -> bool:
    """Whether a model can be read from it."""
    return isinstance(value, str | os.PathLike | bytes | bytearray | memoryview) or hosts.is_js_buffer(value)


class Model:
    """The engine's parsed model. The caller holds the engine's lock."""

    def __init__(self, engine: Engine, source: Source | JsBytes) -> None:
        """Reads the file straight into the engine's memory. Raises NoSuchFile, InvalidProtobuf or InvalidGraph."""
        self.engine = engine
        self.path = Path(source) if isinstance(source, str | os.PathLike) else None
        if self.path is None:
            address, size = _copy_in(engine, source, "the model")
        else:
            address, size = read_file(engine, self.path, "the model")
        self._handle = engine.pointer(engine.abi.ol_model_open(address, size))

    def describe(self) -> dict[str, Any]:
        """The engine's description; see ol_model_describe in the ABI header for its keys."""
        document: dict[str, Any] = self.engine.document(self.engine.abi.ol_model_describe(self._handle))
        return document

    def provide_external_data(
        self, needed: list[dict[str, Any]], folder: str | os.PathLike[str] | None, files: Mapping[str, bytes]
    ) -> None:
        """Provides the `external` files of the description: from `files`, `folder` or the model file's own folder."""
        for item in needed:
            if item["file"] in files:
                data = memoryview(files[item["file"]])[: item["bytes"]]
                self._provide(item, *_copy_in(self.engine, data, f"external data {item['file']!r}"))
        needed = [item for item in needed if item["file"] not in files]
        if not needed:
            return
        if folder is None and self.path is None:
            names = ", ".join(repr(item["file"]) for item in needed)
            key = EXTERNAL_FOLDER_ENTRY
            raise InvalidArgument(
                f"the model was given as bytes and keeps weights in {names}; open it by its path, or name their folder "
                f"with SessionOptions.add_session_config_entry({key!r}, ...)"
            )
        beside = self.path if folder is None else Path(folder) / (self.path.name if self.path else "model.onnx")
        assert beside is not None
        for item in needed:
            path = external_data.resolve(item["file"], beside)
            self._provide(item, *read_file(self.engine, path, f"external data {item['file']!r}", item["bytes"]))

    def _provide(self, item: dict[str, Any], address: int, size: int) -> None:
        engine = self.engine
        if size < item["bytes"]:
            engine.abi.ol_free(address)
            text = f"external data {item['file']!r} is truncated"
            raise InvalidProtobuf(f"{text}: it has {size} bytes and the model uses {item['bytes']}")
        name = item["file"].encode()
        engine.number(engine.abi.ol_model_provide(self._handle, engine.scratch(name), len(name), address, size))

    def take(self) -> int:
        """The handle, for the call that consumes the model."""
        handle, self._handle = self._handle, 0
        return handle

    def close(self) -> None:
        """Releases the model, unless it was taken."""
        if self._handle and self.engine.failure is None:
            self.engine.abi.ol_model_free(self.take())


EXTERNAL_FOLDER_ENTRY = "session.model_external_initializers_file_folder_path"


def read_file(engine: Engine, path: Path, what: str, most: int | None = None) -> tuple[int, int]:
    """Reads a file (its first `most` bytes) into new engine memory: address and size."""
    try:
        with path.open("rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            size = size if most is None else min(size, most)
            address = engine.alloc(size, f"{what} {path}")
            try:
                size = engine.fill(address, size, file.readinto)
            except BaseException:
                engine.abi.ol_free(address)
                raise
    except FileNotFoundError as error:
        raise NoSuchFile(f"{what} {str(path)!r} does not exist") from error
    except OSError as error:
        raise NoSuchFile(f"{what} {str(path)!r} cannot be read: {error.strerror or error}") from error
    return address, size


def _copy_in(engine: Engine, data: Readable, what: str) -> tuple[int, int]:
    size = engine.size_of(data)
    address = engine.alloc(size, what)
    engine.write(address, data)
    return address, size
