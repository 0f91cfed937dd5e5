"""Files as inputs of a model: one module per kind of file, chosen by the file's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from ...errors import InvalidArgument, NoSuchFile
from ...metadata import NodeArg
from ..usage import BadOption
from . import array, image, sound, text

Options: TypeAlias = Mapping[str, str]


@dataclass(frozen=True)
class Kind:
    """A kind of file. `read` gets the path, the input that it is for, and options; it raises InvalidArgument."""

    suffixes: tuple[str, ...]
    options: tuple[str, ...]
    read: Callable[[Path, NodeArg, Options], Any]


KINDS: Final = (
    Kind((".npy",), (), array.read_npy),
    Kind((".npz",), array.NPZ_OPTIONS, array.read_npz),
    Kind((".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp"), image.OPTIONS, image.read),
    Kind((".wav",), sound.OPTIONS, sound.read),
    Kind((".json",), (), text.read_json),
    Kind((".txt",), (), text.read_lines),
)
SUFFIXES: Final = {suffix: kind for kind in KINDS for suffix in kind.suffixes}


def is_file_name(spec: str) -> bool:
    """Whether an input's text begins with the name of a file of a known kind, options after it or not."""
    return Path(spec.partition(",")[0]).suffix.lower() in SUFFIXES


def split(spec: str) -> tuple[Path, dict[str, str]]:
    """FILE,key=value,key=value as a path and options; a part without "=" belongs to the value before it."""
    file, *parts = spec.split(",")
    options: dict[str, str] = {}
    last = ""
    for part in parts:
        key, equals, value = part.partition("=")
        if equals:
            last = key
            options[key] = value
        elif last:
            options[last] += f",{part}"
        else:
            raise BadOption(f"after a file's name come options such as size=224x224; {part!r} given")
    return Path(file), options


def read(spec: str, arg: NodeArg) -> Any:
    """The value of an input given as FILE[,key=value...]. Raises BadOption, NoSuchFile, InvalidArgument or NotImplemented."""
    path, options = split(spec)
    kind = SUFFIXES[path.suffix.lower()]
    for key in options:
        if key not in kind.options:
            known = f"takes {', '.join(kind.options)}" if kind.options else "takes no options"
            raise BadOption(f"input {arg.name!r}: a {path.suffix} file {known}; {key!r} given")
    try:
        return kind.read(path, arg, options)
    except FileNotFoundError as error:
        raise NoSuchFile(f"input {arg.name!r}: {str(path)!r} does not exist") from error
    except OSError as error:
        raise InvalidArgument(f"input {arg.name!r}: {str(path)!r} cannot be read: {error}") from error
