"""Steps before the model, by the kind that pipeline.toml gives an input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..assembly import Assembly
from . import audio, columns, images, plain, text

STEPS: Final[dict[str, Callable[[Assembly, str, Any], None]]] = {
    "image": images.add,
    "text": text.add,
    "audio": audio.add,
    "column": columns.add_column,
    "columns": columns.add_matrix,
    "tensor": plain.add,
    "bytes": plain.add,
    "constant": plain.add_constant,
}
"""Called with the input's name and its table. They raise InvalidArgument, without the place."""
