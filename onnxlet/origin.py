"""Where a session's model came from, so that a pickled session can carry it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from . import external_data
from .errors import InvalidArgument, NoSuchFile
from .model import JsBytes, Source


class Origin:
    """A model's bytes, or the files that it was read from. Bytes are referred to, not copied."""

    def __init__(
        self,
        source: Source | JsBytes,
        needed: Iterable[str],
        folder: str | os.PathLike[str] | None,
        given: Mapping[str, bytes],
    ) -> None:
        """`needed`: names of the external data files; `folder`: where they are, if not beside the model."""
        self._given = given
        self._bytes = source if isinstance(source, bytes) else None
        self._model: _File | None = None
        self._data: dict[str, _File] = {}
        path = Path(source).absolute() if isinstance(source, str | os.PathLike) else None
        if path is not None:
            self._model = _File(path)
        beside = (Path(folder).absolute() / (path.name if path else "model.onnx")) if folder else path
        if beside is not None:
            paths = {name: external_data.resolve(name, beside) for name in needed if name not in given}
            self._data = {name: _File(path) for name, path in paths.items()}

    def read(self) -> tuple[bytes, dict[str, bytes]]:
        """The model and its external data. Raises InvalidArgument when it was not kept or has changed since."""
        data = self._model.read() if self._model is not None else self._bytes
        if data is None:
            raise InvalidArgument(
                "a session made from a bytearray or memoryview does not keep its model; to pickle it, make it from bytes "
                "or from a path"
            )
        return data, {**self._given, **{name: file.read() for name, file in self._data.items()}}


class _File:
    """A file as it was when the model was loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seen = _mark(path)

    def read(self) -> bytes:
        try:
            data = self.path.read_bytes()
            changed = _mark(self.path) != self.seen
        except OSError as error:
            raise NoSuchFile(f"{str(self.path)!r} cannot be read again: {error.strerror or error}") from error
        if changed:
            raise InvalidArgument(f"{str(self.path)!r} has changed since the session was made from it")
        return data


def _mark(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns
