"""The engine's files that a bundle carries: trimmed to its model, or whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..hosts.flavours import BY_NAME, PREPROCESSING, engine_dir
from ..operators import EXTENSIONS, IMAGE_DECODER
from ..session import InferenceSession
from . import engines, examples, needs
from .errors import BundleError, CompilerMissing
from .request import Contents

_PLAIN: Final = "simd"
"""Runs wherever there is SIMD."""


@dataclass(frozen=True)
class EngineFiles:
    """What a target writes, and the operators in it."""

    files: dict[str, bytes]
    """By the names that flavours have everywhere, "onnxlet-relaxed.wasm"."""
    operators: list[str]
    """"domain::Name", or "Name" of ai.onnx; empty where the engine has all."""


def engine_files(contents: Contents, flavours: Sequence[str]) -> EngineFiles:
    """The engine of these flavours. Of the whole engine one alone begins with pictures, sounds and words: where the model
    does, that takes the place of all. Raises BundleError for what is not there, and what loading the model raises.
    """
    application = contents.application
    if contents.request.ops == "trimmed":
        interface = application.interface
        needed = needs.of(application.model, interface.name, examples.feeds(interface))
        try:
            made = engines.build_all(needed, flavours)
        except CompilerMissing as error:
            raise CompilerMissing(f"{error}; or take the whole engine, which is compiled already: --ops full") from None
        operators = sorted({f"{domain}::{name}" if domain else name for domain, name, _ in needed.operators})
        return EngineFiles({BY_NAME[name].file: path.read_bytes() for name, path in made.items()}, operators)
    if _begins_with_files(application.model):
        return EngineFiles({BY_NAME[_PLAIN].file: _whole(PREPROCESSING.file)}, [])
    return EngineFiles({BY_NAME[name].file: _whole(BY_NAME[name].file) for name in flavours}, [])


def _begins_with_files(model: bytes) -> bool:
    with InferenceSession(model) as session:
        used = {(item["domain"], item["op_type"]) for item in session._model["operators"]}
    return IMAGE_DECODER in used or any(domain == EXTENSIONS for domain, _ in used)


def _whole(file: str) -> bytes:
    path = engine_dir() / file
    if not path.is_file():
        raise BundleError(f"{path} is missing; install onnxlet again")
    return path.read_bytes()
