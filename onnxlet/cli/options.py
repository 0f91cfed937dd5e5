"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .. import hosts
from ..hosts import flavours

BACKENDS = (hosts.WASM, hosts.NATIVE, *flavours.BY_NAME)


def _backends(incomplete: str) -> list[str]:
    return [name for name in BACKENDS if name.startswith(incomplete)]


def known(value: str | None, names: tuple[str, ...]) -> str | None:
    """The value of an option, when it is one of `names` or not given."""
    if value is not None and value not in names:
        raise typer.BadParameter(f"use {', '.join(names[:-1])} or {names[-1]}; {value!r} given")
    return value


def _backend(value: str | None) -> str | None:
    return known(value, BACKENDS)


ModelPath = Annotated[Path, typer.Argument(metavar="MODEL", help="An .onnx file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Backend = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="wasm (default), a flavour of it, or native.",
        autocompletion=_backends,
        callback=_backend,
    ),
]
Given = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        "-i",
        metavar="NAME=VALUE",
        help="A file (.npy .npz .png .jpg .wav .json .txt) with options, such as x=cat.jpg,mean=imagenet,std=imagenet; "
        "random, zeros, ones; or a JSON value. NAME= may be left out where the file or the model leaves no doubt.",
    ),
]
Shapes = Annotated[
    list[str] | None,
    typer.Option("--shape", "-s", metavar="NAME=1x3x224x224", help="Shape of a made input, or a named size."),
]
Seed = Annotated[int, typer.Option(help="Seed of random inputs.")]
Threads = Annotated[int, typer.Option(min=0, help="Threads; 0 takes the processors.")]
Deterministic = Annotated[bool, typer.Option("--deterministic", help="The same bits on every machine.")]
