"""Reads safetensors files, one or several with an index, tensor by tensor.

Format: https://huggingface.co/docs/safetensors
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidArgument, InvalidProtobuf, NoSuchFile
from .weights import Weight

_INDEX = "model.safetensors.index.json"
_SINGLE = "model.safetensors"
_FLOATS = ("F64", "F32", "F16", "BF16")


def is_safetensors(start: bytes, size: int) -> bool:
    """Of a file's first bytes and its size: the size of a JSON object, then the object."""
    header = int.from_bytes(start[:8], "little")
    return len(start) > 8 and start[8:9] == b"{" and 2 <= header <= size - 8


def weight_files(folder: Path) -> list[Path]:
    """The files of a model in a folder. Raises NoSuchFile or InvalidArgument."""
    index = folder / _INDEX
    if index.is_file():
        names = set(read_json(index).get("weight_map", {}).values())
        files = [folder / str(name) for name in sorted(names)]
        missing = [file.name for file in files if not file.is_file()]
        if missing:
            raise NoSuchFile(f"{index} names files that do not exist: {', '.join(missing)}")
        return files
    if (folder / _SINGLE).is_file():
        return [folder / _SINGLE]
    raise NoSuchFile(f"the folder {str(folder)!r} holds neither {_SINGLE} nor {_INDEX}")


def read_weights(files: Iterable[Path]) -> dict[str, Weight]:
    """By name. Raises InvalidProtobuf for damaged files, InvalidArgument where the package safetensors is missing."""
    weights: dict[str, Weight] = {}
    for path in files:
        for weight in _weights_of(path):
            if weight.name in weights:
                raise InvalidProtobuf(f"{path} has tensor {weight.name!r} once more")
            weights[weight.name] = weight
    return weights


def _weights_of(path: Path) -> Iterable[Weight]:
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        raise InvalidArgument(
            f"safetensors files are read by the package {error.name}; install onnxlet[import]"
        ) from error
    try:
        file = safe_open(path, "numpy")
    except SafetensorError as error:
        raise InvalidProtobuf(f"{path} is damaged or truncated: {error}") from error
    with file as opened:
        kinds = {name: opened.get_slice(name) for name in opened.keys()}  # noqa: SIM118, the file is no mapping
        for name, kind in kinds.items():
            yield _weight(path, name, tuple(kind.get_shape()), kind.get_dtype())


def _weight(path: Path, name: str, shape: tuple[int, ...], kind: str) -> Weight:
    def read() -> np.ndarray:
        from safetensors import safe_open

        with safe_open(path, "numpy") as file:
            return np.asarray(file.get_tensor(name)).astype(np.float32)

    known = kind in _FLOATS
    problem = f"tensor {name!r} has the type {kind}; weights of {', '.join(_FLOATS)} are understood"
    return Weight(name, shape, read, problem="" if known else problem)


def read_json(path: Path) -> dict[str, Any]:
    """Raises NoSuchFile or InvalidArgument."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise NoSuchFile(f"{path.name} must lie beside the weights; {str(path)!r} does not exist") from error
    except ValueError as error:
        raise InvalidArgument(f"{path} is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise InvalidArgument(f"{path} must hold a JSON object")
    return found
