"""What is known of a model in a bundle, for the manifest and the list of materials."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ... import dtypes, hosts
from ...model import Model
from ...runner.names import printable

if TYPE_CHECKING:
    from ..application import Input, Output
    from ..request import Contents

_PACKING: Final = "onnxlet.pack."
"""What the packer's metadata begin with."""


@dataclass(frozen=True)
class Card:
    """A model, by its own file and by the application around it."""

    name: str
    bytes: int
    sha256: str
    """Of the model as it runs: decrypted."""
    opsets: dict[str, int]
    operators: tuple[str, ...]
    """ "domain::Name", or "Name" of ai.onnx; sorted."""
    inputs: tuple[str, ...]
    """Each as "name: kind of dtype [shape]"; without the kind where there is no application."""
    outputs: tuple[str, ...]
    weights: dict[str, int]
    """Numbers of each element type in initializers."""
    encrypted: bool = False
    description: str = ""
    packing: dict[str, str] = field(default_factory=dict)
    """What the packer wrote of how it was made smaller."""
    licenses: tuple[str, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """For manifest.json."""
        known = {
            "name": self.name,
            "bytes": self.bytes,
            "sha256": self.sha256,
            "encrypted": self.encrypted,
            "opsets": self.opsets,
            "operators": self.operators,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "weights": self.weights,
        }
        more = {"packing": self.packing, "licenses": self.licenses, "sources": self.sources}
        return known | {key: value for key, value in more.items() if value}


def cards(contents: Contents) -> list[Card]:
    """One per model of the bundle."""
    request = contents.request
    given = tuple(request.licenses)
    if not contents.applications:
        return [
            _card(path.stem, path.read_bytes(), licenses=given, sources={path.name: _sha256(path.read_bytes())})
            for path in request.models
        ]
    return [
        _card(
            application.interface.name,
            application.model,
            encrypted=request.encryption_key is not None,
            description=application.interface.description,
            inputs=tuple(_meaning(item) for item in application.interface.inputs),
            outputs=tuple(_meaning(item) for item in application.interface.outputs),
            licenses=tuple(sorted({*application.licenses, *given})),
            sources=dict(sorted(application.sources.items())),
        )
        for application in contents.applications
    ]


def _card(name: str, model: bytes, **more: Any) -> Card:
    engine = hosts.open_engine(1)
    try:
        with engine.lock:
            engine.enter()
            opened = Model(engine, model)
            try:
                found = opened.describe()
            finally:
                opened.close()
    finally:
        engine.close()
    weights: dict[str, int] = {}
    for item in found["initializers"]:
        dtype = dtypes.BY_NUMBER.get(item["dtype"])
        kind = dtype.name if dtype else str(item["dtype"])
        weights[kind] = weights.get(kind, 0) + math.prod(item["shape"])
    metadata: Mapping[str, str] = found.get("metadata") or {}
    known: dict[str, Any] = {
        "inputs": tuple(_argument(item) for item in found["inputs"]),
        "outputs": tuple(_argument(item) for item in found["outputs"]),
    }
    return Card(
        name=printable(name),
        bytes=len(model),
        sha256=_sha256(model),
        opsets=dict(sorted((domain or "ai.onnx", version) for domain, version in found["opset_imports"].items())),
        operators=tuple(sorted({_operator(item) for item in found["operators"]})),
        weights=dict(sorted(weights.items())),
        packing={key: value for key, value in sorted(metadata.items()) if key.startswith(_PACKING)},
        **(known | more),
    )


def _operator(item: Mapping[str, Any]) -> str:
    domain = item["domain"]
    return f"{domain}::{item['op_type']}" if domain not in ("", "ai.onnx") else str(item["op_type"])


def _argument(item: Mapping[str, Any]) -> str:
    return f"{item['name']}: {item.get('type') or '?'} {_shape_text(item.get('shape'))}"


def _meaning(item: Input | Output) -> str:
    return f"{item.name}: {item.kind} of {item.dtype} {_shape_text(item.shape)}"


def _shape_text(shape: Sequence[int | str | None] | None) -> str:
    return "?" if shape is None else "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
