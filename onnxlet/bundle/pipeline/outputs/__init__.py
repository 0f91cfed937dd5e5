"""Steps after the model, by the kind that pipeline.toml gives an output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..assembly import Assembly
from . import boxes, embeddings, labels, masks, plain, segments, text

STEPS: Final[dict[str, Callable[[Assembly, str, Any], None]]] = {
    "labels": labels.add,
    "text": text.add,
    "embedding": embeddings.add,
    "boxes": boxes.add,
    "mask": masks.add,
    "segments": segments.add,
    "classes": plain.add_classes,
    "tensor": plain.add,
}
"""Called with the output's name and its table. They raise InvalidArgument, without the place."""
