"""Outputs of a run as files: .npy for one tensor, .npz for several, .json for anything."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ..errors import InvalidArgument
from .output import plain
from .usage import BadOption

SUFFIXES: Final = (".npy", ".npz", ".json")


def check(file: str) -> None:
    """Raises BadOption for a name that says no known kind of file."""
    if Path(file).suffix.lower() not in SUFFIXES:
        raise BadOption(f"outputs are saved as {', '.join(SUFFIXES)}; {file!r} given")


def save(file: str, outputs: Mapping[str, Any]) -> None:
    """One output or several. Raises InvalidArgument for what the kind of file does not hold."""
    path = Path(file)
    suffix = path.suffix.lower()
    try:
        if suffix == ".json":
            document = {name: plain(value) for name, value in outputs.items()}
            whole = next(iter(document.values())) if len(document) == 1 else document
            write_text(path, json.dumps(whole, ensure_ascii=False) + "\n")
        elif suffix == ".npz":
            _write_npz(path, outputs)
        else:
            _write_npy(path, outputs)
    except OSError as error:
        raise InvalidArgument(f"{file!r} cannot be written: {error.strerror}") from error


def write_text(path: Path, text: str) -> None:
    """Raises InvalidArgument where the file cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidArgument(f"{str(path)!r} cannot be written: {error.strerror}") from error


def _write_npy(path: Path, outputs: Mapping[str, Any]) -> None:
    import numpy as np

    if len(outputs) != 1:
        raise BadOption(
            f"{str(path)!r} holds one tensor, and there are {len(outputs)} outputs; save them as .npz or .json"
        )
    ((name, value),) = outputs.items()
    with path.open("wb") as file:
        np.save(file, _storable(name, value, path), allow_pickle=False)


def _write_npz(path: Path, outputs: Mapping[str, Any]) -> None:
    """Not numpy.savez, whose own arguments would be names that no output may have."""
    import numpy as np

    arrays = {name: _storable(name, value, path) for name, value in outputs.items()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


def _storable(name: str, value: Any, path: Path) -> Any:
    import numpy as np

    if not isinstance(value, np.ndarray):
        kind = "an empty optional" if value is None else f"a {type(value).__name__}"
        raise InvalidArgument(
            f"output {name!r} is {kind}; only tensors can be saved as {path.suffix}, anything as .json"
        )
    return value.astype(str) if value.dtype == object else value
