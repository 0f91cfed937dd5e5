"""Tree ensembles of ai.onnx.ml: their attributes lose what nobody reads."""

from __future__ import annotations

import onnx_ir as ir

from .layers import nodes_of

_ENSEMBLES = ("TreeEnsembleClassifier", "TreeEnsembleRegressor")
# "Popularity of each node, used for performance and may be omitted": the specification of ai.onnx.ml.
_HITRATES = ("nodes_hitrates", "nodes_hitrates_as_tensor")
_TRACKS_MISSING = "nodes_missing_value_tracks_true"  # all false when it is left out


def shrink(model: ir.Model) -> dict[str, str]:
    """Takes attributes off that predictions do not depend on. Returns what was done to nodes, by name."""
    changed = {}
    for node in nodes_of(model):
        if node.domain != "ai.onnx.ml" or node.op_type not in _ENSEMBLES:
            continue
        tracks = node.attributes.get(_TRACKS_MISSING)
        unread = [name for name in _HITRATES if name in node.attributes]
        if tracks is not None and not any(tracks.as_ints()):
            unread.append(_TRACKS_MISSING)
        for name in unread:
            del node.attributes[name]
        if unread:
            changed[node.name or ""] = f"it lost {' and '.join(unread)}, which predictions do not depend on"
    return changed
