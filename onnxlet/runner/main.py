"""The entry point: `python NAME.pyz [ARGUMENT ...] [OPTION ...]`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from .arguments import OPTIONS_HELP, Arguments, parse_arguments
from .extraction import extracted
from .inputs import make_feeds, takes
from .integrity import Archive, check_folder
from .interface import Interface, read_interface
from .key import find_key
from .npy import write_npy
from .outputs import as_json, for_people
from .program import Failure, WrongUsage
from .session import run, use
from .tensor import Tensor

APPLICATION: Final = "application/"
"""Of the archive's entries that are the model and its interface."""
SETTINGS: Final = "settings.json"
DECRYPTION: Final = "decryption.wasm"
_INTERRUPTED: Final = 130


def main(words: Sequence[str] | None = None) -> int:
    """Runs the program; returns its exit code."""
    try:
        _perform(parse_arguments(sys.argv[1:] if words is None else words))
    except Failure as failure:
        sys.stderr.write(f"error: {failure}\n")
        return failure.exit_code
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


def _perform(arguments: Arguments) -> None:
    path = Path(__file__).parents[2].resolve()
    archive = Archive(path)
    interface = read_interface(archive.read(f"{APPLICATION}interface.json"))
    if arguments.help:
        _print(_help(path.name, interface))
        return
    if not arguments.no_verify:
        count = _check(archive, whole=arguments.verify)
        if arguments.verify:
            _print(f"all {count} files are what they were\n")
            return
    if arguments.info:
        _print(archive.read(f"{APPLICATION}interface.json").decode() if arguments.json else _info(interface))
    else:
        _answer(archive, interface, arguments)


def _check(archive: Archive, *, whole: bool) -> int:
    """Raises Altered. A single file has only its own entries to check; they are also read one by one in a folder."""
    single = json.loads(archive.read(SETTINGS))["single_file"]
    if single or whole:
        archive.check()
    return len(archive.sums) if single else check_folder(archive.path.parent)


def _answer(archive: Archive, interface: Interface, arguments: Arguments) -> None:
    names = [port.name for port in interface.outputs]
    stray = next((name for name in arguments.outputs if name not in names), None)
    if stray is not None:
        raise WrongUsage(f"there is no output {stray!r}; the outputs are {', '.join(names)}")
    feeds = make_feeds(interface, arguments)
    with extracted(archive) as folder:
        use(folder)
        values = run(_model(archive, arguments), feeds, names, arguments.repeat)
    for name, file in arguments.outputs.items():
        value = values[name]
        if not isinstance(value, Tensor):
            raise Failure(f"output {name!r} is no tensor and cannot be saved as .npy")
        _save(Path(file), write_npy(value))
    _print(as_json(values) if arguments.json else for_people(interface, values))


def _model(archive: Archive, arguments: Arguments) -> bytes:
    plain = f"{APPLICATION}model.onnx"
    if plain in archive.sums:
        return archive.read(plain)
    from .decryption import decrypt

    return decrypt(archive.read(f"{plain}.enc"), find_key(arguments), archive.read(DECRYPTION))


def _save(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise Failure(f"{path} cannot be written: {error.strerror}") from None


def _print(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def _help(name: str, interface: Interface) -> str:
    inputs = "".join(f"  {port.name:<16} {takes(port)}\n" for port in interface.inputs)
    return (
        f"usage: python {name} [ARGUMENT ...] [OPTION ...]\n\n"
        f"Asks the model {interface.title}. Arguments are the inputs in this order:\n{inputs}\n{OPTIONS_HELP}"
    )


def _info(interface: Interface) -> str:
    lines = [interface.title, *filter(None, [interface.description])]
    lines += [f"input   {port}" for port in interface.inputs] + [f"output  {port}" for port in interface.outputs]
    return "".join(f"{line}\n" for line in lines)
