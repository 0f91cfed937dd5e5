"""sbom.cdx.json: a bundle's materials in the format CycloneDX 1.6, the models with what is known of them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ... import __version__
from ...runner.files import Digest
from ...runner.sums import write_sums
from ..errors import BundleError
from .card import Card
from .components import PROGRAMS, Program, parts_of
from .licenses import joined

if TYPE_CHECKING:
    from cyclonedx.model.component import Component
    from cyclonedx.model.license import License

    from ..request import Contents, Filled

_NAMESPACE: Final = uuid.UUID("6f1f2c0e-6f0b-5c53-9a52-6f6e6e786c74")
"""Of the serial numbers that are made here."""
_UNKNOWN: Final = Program("")


def write_sbom(contents: Contents, filled: Filled, models: Sequence[Card], files: Mapping[str, Digest]) -> str:
    """The text: without a time, and with a serial number that follows from it and from `files`. Raises BundleError."""
    document = _document(contents.request.target, filled, models)
    _add_cards(document, models)
    name = json.dumps(document, sort_keys=True) + write_sums(files)
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(_NAMESPACE, name)}"
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _document(target: str, filled: Filled, models: Sequence[Card]) -> dict[str, Any]:
    """All but the model cards, which the library does not write."""
    try:
        from cyclonedx.model.bom import Bom, BomMetaData
        from cyclonedx.model.component import Component, ComponentType
        from cyclonedx.model.tool import ToolRepository
        from cyclonedx.output.json import JsonV1Dot6
    except ImportError as error:
        raise BundleError("bundles take cyclonedx-python-lib: pip install 'onnxlet[bundle]'") from error

    whole = Component(
        name="-".join(card.name for card in models),
        type=ComponentType.APPLICATION,
        bom_ref="bundle",
        description=f"an onnxlet bundle for {target}",
    )
    parts = [*map(_model, models), *(_program(name, version, target) for name, version in filled.versions.items())]
    tool = Component(name="onnxlet", version=__version__, type=ComponentType.APPLICATION, bom_ref="tool")
    bom = Bom(components=parts, metadata=BomMetaData(component=whole, tools=ToolRepository(components=[tool])))
    bom.register_dependency(whole, parts)
    document: dict[str, Any] = json.loads(JsonV1Dot6(bom).output_as_string())
    del document["metadata"]["timestamp"]
    del document["serialNumber"]  # a random one
    return document


def _model(card: Card) -> Component:
    from cyclonedx.model import HashAlgorithm, HashType
    from cyclonedx.model.component import Component, ComponentType

    return Component(
        name=card.name,
        type=ComponentType.MACHINE_LEARNING_MODEL,
        bom_ref=_reference(card),
        version=card.sha256[:12],
        description=card.description or None,
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=card.sha256)],
        licenses=_licenses(joined(card.licenses)),
    )


def _program(name: str, version: str | None, target: str, within: str = "") -> Component:
    from cyclonedx.model.component import Component, ComponentType
    from packageurl import PackageURL

    known = PROGRAMS.get(name, _UNKNOWN)
    return Component(
        name=name,
        version=version,
        type=ComponentType.LIBRARY,
        bom_ref=f"program:{within}{name}",  # two programs may have the same part
        description=known.description or None,
        licenses=_licenses(known.license),
        purl=PackageURL(known.registry, name=name, version=version) if known.registry else None,
        components=[_program(part, None, target, f"{within}{name}/") for part in parts_of(name, target)],
    )


def _licenses(expression: str) -> list[License]:
    from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
    from cyclonedx.spdx import is_supported_id

    if not expression:
        return []
    return [DisjunctiveLicense(id=expression) if is_supported_id(expression) else LicenseExpression(expression)]


def _reference(card: Card) -> str:
    return f"model:{card.name}"


def _add_cards(document: dict[str, Any], models: Sequence[Card]) -> None:
    cards = {_reference(card): _model_card(card) for card in models}
    for component in document["components"]:
        if component["bom-ref"] in cards:
            component["modelCard"] = cards[component["bom-ref"]]


def _model_card(card: Card) -> dict[str, Any]:
    properties = {
        **{f"onnx:opset:{domain}": str(version) for domain, version in card.opsets.items()},
        "onnx:operators": ", ".join(card.operators),
        **{f"onnx:weights:{dtype}": str(count) for dtype, count in card.weights.items()},
        **card.packing,
    }
    return {
        "modelParameters": {
            "inputs": [{"format": text} for text in card.inputs],
            "outputs": [{"format": text} for text in card.outputs],
        },
        "properties": [{"name": name, "value": value} for name, value in sorted(properties.items())],
    }
