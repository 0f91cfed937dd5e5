"""The document that says what was done to a model, ready for JSON."""

from __future__ import annotations

import math
from typing import Any

from .build import Built, Prepared
from .config import Keep

Row = dict[str, Any]


def node_rows(prepared: Prepared, built: Built) -> list[Row]:
    """Every node of the original: `status` is quantized, shrunk, skipped or removed, with the scheme or the reason."""
    layers_of: dict[str, list[str]] = {}
    for layer in prepared.survey.layers:
        for name in layer.node_names:
            layers_of.setdefault(name, []).append(layer.name)
    return [
        _row(name, op_type, layers_of.get(name, []), prepared, built) for name, op_type in prepared.node_types.items()
    ]


def _row(name: str, op_type: str, layers: list[str], prepared: Prepared, built: Built) -> Row:
    row: Row = {"node": name, "op_type": op_type}
    if name in prepared.gone:
        return row | {"status": "removed", "reason": prepared.gone[name]}
    if name in prepared.shrunk:
        return row | {"status": "shrunk", "reason": prepared.shrunk[name]}
    if name in built.region:
        return row | {"status": "quantized", "scheme": "int8-static", "reason": "it works on the 8 bits around it"}
    decisions = [built.outcomes[layer].decision for layer in layers]
    packed = [d for d in decisions if not isinstance(d.scheme, Keep)]
    if packed:
        found = row | {"status": "quantized", "scheme": str(packed[0].scheme)}
        return found | ({"reason": packed[0].reason} if packed[0].reason else {})
    if decisions:
        return row | {"status": "skipped", "reason": decisions[0].reason or "the configuration keeps it"}
    return row | {"status": "skipped", "reason": prepared.survey.skipped.get(name, "it has no weights")}


def layer_rows(prepared: Prepared, built: Built) -> list[Row]:
    """Every layer with its sizes in bytes and the signal-to-noise ratio of its weights in dB (null: unchanged)."""
    rows = []
    for layer in prepared.survey.layers:
        outcome = built.outcomes[layer.name]
        rows.append(
            {
                "layer": layer.name,
                "nodes": list(layer.node_names),
                "op_type": layer.op_type,
                "weight": layer.weight.name,
                "shape": list(layer.shape),
                "scheme": str(outcome.decision.scheme),
                "reason": outcome.decision.reason,
                "bytes_before": outcome.bytes_before,
                "bytes_after": outcome.bytes_after,
                "snr_db": round(outcome.snr, 2) if math.isfinite(outcome.snr) else None,
                "histogram": outcome.histogram,
            }
        )
    return rows


def worst_layer(built: Built) -> str:
    """The layer whose weights lost most, for people."""
    packed = {name: o for name, o in built.outcomes.items() if not isinstance(o.decision.scheme, Keep)}
    name, outcome = min(packed.items(), key=lambda item: item[1].snr)
    return f"{name!r} ({outcome.decision.scheme}, {outcome.snr:.1f} dB)"
