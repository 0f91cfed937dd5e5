"""What interface.json says: the inputs and outputs of the model, and what they mean."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from .program import Failure

FORMAT: Final = 1
FILES: Final = ("image", "audio", "bytes")
"""Kinds of inputs that take the bytes of a file."""
TABLES: Final = ("column", "matrix")
"""Kinds of inputs that a table can fill."""


@dataclass(frozen=True)
class Port:
    """An input or an output."""

    name: str
    kind: str
    dtype: str
    """As numpy calls it; text is "string"."""
    shape: tuple[int | str | None, ...]
    title: str
    scores: str | None = None
    labels: str | None = None

    def __str__(self) -> str:
        sizes = ", ".join("?" if size is None else str(size) for size in self.shape)
        title = "" if self.title == self.name else f" ({self.title})"
        return f"{self.name}: {self.kind}, {self.dtype} [{sizes}]{title}"


@dataclass(frozen=True)
class Interface:
    """How to ask the model, and how to show its answer."""

    title: str
    description: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]


def read_interface(data: bytes) -> Interface:
    """Raises Failure for a format of another version."""
    document = json.loads(data)
    if document["format"] != FORMAT:
        raise Failure(f"the bundle's interface.json has the format {document['format']}; this program reads {FORMAT}")
    return Interface(
        document.get("title") or document["name"],
        document.get("description", ""),
        tuple(_port(item) for item in document["inputs"]),
        tuple(_port(item) for item in document["outputs"]),
    )


def _port(item: dict[str, Any]) -> Port:
    known = {key: item.get(key) for key in ("scores", "labels")}
    title = item.get("label") or item["name"]
    return Port(item["name"], item["kind"], item["dtype"], tuple(item["shape"]), title, **known)
