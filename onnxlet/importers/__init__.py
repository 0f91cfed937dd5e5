"""Models of other formats become ONNX: safetensors with config.json, and GGUF. See docs/packing.md."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..errors import InvalidArgument, NoSuchFile
from .config import Pooling
from .gguf_file import MAGIC
from .options import Options
from .safetensors_file import is_safetensors, weight_files

if TYPE_CHECKING:
    import onnx_ir as ir

__all__ = ["detect", "load", "weight_files"]

Format = Literal["gguf", "safetensors"]


def detect(path: str | os.PathLike[str]) -> Format | None:
    """What a file or a folder holds, by its content; None for anything else, such as ONNX or what does not exist."""
    path = Path(path)
    if path.is_dir():
        return "safetensors"
    if not path.is_file():
        return None
    with path.open("rb") as file:
        start = file.read(16)
    if start.startswith(MAGIC):
        return "gguf"
    return "safetensors" if is_safetensors(start, path.stat().st_size) else None


def load(
    path: str | os.PathLike[str],
    *,
    context: int | None = None,
    pooling: Pooling | None = None,
    accuracy_level: int = 0,
) -> ir.Model:
    """The ONNX model (opset 21) of a Llama-type decoder or a BERT-type encoder.

    path: a GGUF file, a safetensors file, or a folder of them; config.json must lie beside safetensors. Numbers are read
    when the model is saved, tensor by tensor, so the files must stay. Floats become float32. GGUF's Q4_0, Q4_1 and Q8_0
    are carried over bit for bit into com.microsoft's MatMulNBits and GatherBlockQuantized; its other types become float32.
    context: a decoder's longest sequence, if shorter than the model's. pooling: an encoder's second output. accuracy_level:
    MatMulNBits's; 4 lets engines round activations to 8 bits.

    Raises NoSuchFile, InvalidProtobuf for damaged files, InvalidGraph for tensors that are missing or do not fit,
    NotImplemented for architectures and types that are not known, InvalidArgument for a wrong configuration.
    """
    from . import from_gguf, from_safetensors

    path = Path(path)
    options = Options(context, pooling, accuracy_level)
    if not path.exists():
        raise NoSuchFile(f"the model {str(path)!r} does not exist")
    form = detect(path)
    if form is None:
        raise InvalidArgument(f"{path} is neither GGUF nor safetensors")
    if form == "gguf":
        return from_gguf.load(path, options)
    return from_safetensors.load(weight_files(path) if path.is_dir() else [path], options)
