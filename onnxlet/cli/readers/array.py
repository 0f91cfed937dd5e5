"""numpy's own files."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ... import dtypes
from ...errors import InvalidArgument
from ...metadata import NodeArg
from ..usage import BadOption

NPZ_OPTIONS = ("key",)


def read_npy(path: Path, arg: NodeArg, options: Mapping[str, str]) -> Any:
    """The array. Files written from ml_dtypes' types hold nameless bytes, which get the declared type back."""
    import numpy as np

    try:
        return _typed(np.load(path, allow_pickle=False), arg)
    except (ValueError, EOFError) as error:
        raise InvalidArgument(f"input {arg.name!r}: {str(path)!r} is not a readable .npy file: {error}") from error


def read_npz(path: Path, arg: NodeArg, options: Mapping[str, str]) -> Any:
    """The array named `key`, else the one named like the input, else the only one."""
    arrays = read_all(path)
    key = options.get("key", arg.name if arg.name in arrays or len(arrays) != 1 else next(iter(arrays)))
    if key not in arrays:
        raise BadOption(f"input {arg.name!r}: {str(path)!r} has no array {key!r}; it has {', '.join(arrays)}")
    return _typed(arrays[key], arg)


def read_all(path: Path) -> dict[str, Any]:
    """Every array of a .npz file. Raises InvalidArgument."""
    import numpy as np

    try:
        found = np.load(path, allow_pickle=False)
        if isinstance(found, np.ndarray):
            raise ValueError("it holds a single array")
        with found:
            return dict(found)
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InvalidArgument(f"{str(path)!r} is not a readable .npz file: {error}") from error


def _typed(array: Any, arg: NodeArg) -> Any:
    from ... import arrays

    declared = dtypes.element_type(arg.type)
    kind = arrays.numpy_type(declared) if declared is not None else None
    if kind is not None and declared is not None and declared.extension and array.dtype.itemsize == kind.itemsize:
        return array.view(kind)
    return array
