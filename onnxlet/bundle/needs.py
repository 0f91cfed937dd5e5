"""What a model takes from the engine: found by loading it into one, running it once, and asking what was used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from .. import dtypes, made_inputs
from ..errors import Error, InvalidArgument
from ..model import Source
from ..operators import IMAGE_DECODER
from ..options import SessionOptions
from ..session import InferenceSession

Operator = tuple[str, str, int]
"""Domain ("" is ai.onnx), name, and the version of the domain since which it is as it is."""

_ACTIVATIONS: Final[tuple[Operator, ...]] = (
    *(("", name, 22) for name in ("Elu", "HardSigmoid", "Selu", "Softplus", "Softsign", "ThresholdedRelu")),
    *(("", name, 13) for name in ("Clip", "Sigmoid", "Tanh")),
    ("", "LeakyRelu", 16),
    ("", "Relu", 14),
)
"""What an operator of a model as it is written may have inside, by an attribute: FusedConv, FusedGemm ..."""
_FEW_NODES: Final = 8
"""What so many nodes need for a run is soon found without a plan."""
_WITH_SUBGRAPHS: Final = {
    ("", "If"),
    ("", "Loop"),
    ("", "Scan"),
    ("", "SequenceMap"),
    ("ai.onnx.preview", "FlexAttention"),
}


@dataclass(frozen=True)
class Needs:
    """What an engine must have for some models. The same models give the same needs, in the same order."""

    models: tuple[str, ...]
    """What the engine's messages call them."""
    operators: tuple[Operator, ...]
    """Of the models as written, and of what the graph passes make of them."""
    types: tuple[int, ...]
    """Element types, by their numbers in TensorProto.DataType."""
    passes: tuple[str, ...]
    """Graph passes that change something."""
    kernels: tuple[str, ...] | None
    """Kernels that ran, where that does not depend on what the inputs are; None needs all."""
    features: tuple[str, ...]
    """Parts of the engine that not every model uses: "containers", sequences and maps; "external_data"; "functions" of its own; "host_operators", which the
    host registers; "memory_plan", for more than a few nodes; "sparse", tensors; "subgraphs", control flow."""

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def text(self) -> str:
        """The JSON that onnxlet/build/trim.py reads."""
        return json.dumps(self.document(), indent=1) + "\n"

    @property
    def digest(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    def __or__(self, other: Needs) -> Needs:
        """The needs of both."""
        every = self.kernels is None or other.kernels is None
        return Needs(
            models=_ordered({*self.models, *other.models}),
            operators=_ordered({*self.operators, *other.operators}),
            types=_ordered({*self.types, *other.types}),
            passes=_ordered({*self.passes, *other.passes}),
            kernels=None if every else _ordered({*(self.kernels or ()), *(other.kernels or ())}),
            features=_ordered({*self.features, *other.features}),
        )


def _ordered(items: set[Any]) -> tuple[Any, ...]:
    return tuple(sorted(items))


def from_document(document: Mapping[str, Any]) -> Needs:
    """The needs that `Needs.document` wrote, also after a way through JSON."""
    return Needs(
        models=tuple(document["models"]),
        operators=tuple((domain, name, since) for domain, name, since in document["operators"]),
        types=tuple(document["types"]),
        passes=tuple(document["passes"]),
        kernels=None if document["kernels"] is None else tuple(document["kernels"]),
        features=tuple(document["features"]),
    )


def of(model: Source, name: str | None = None, feeds: Mapping[str, Any] | None = None) -> Needs:
    """The needs of a model: a path, or bytes with the `name` that messages call it.

    The model runs once, on `feeds` and on made-up values for other inputs. Where it cannot be run on these, all element
    types are needed: nobody knows which it meets. Raises what loading the model raises.
    """
    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.enable_profiling = True
    with InferenceSession(model, options) as session:
        ran = _run(session, feeds or {})
        with session._call() as engine:
            described = engine.document(engine.abi.ol_session_describe(session._handle))
            profile = engine.document(engine.abi.ol_session_profile(session._handle))
        written = session._model
        used = {(item["domain"], item["op_type"]) for item in written["operators"]}
        registered = used & set(session._operators) - {IMAGE_DECODER}  # which trimmed engines have themselves
    asked = described["asked"]
    operators: set[Operator] = {(domain, op, since) for domain, op, since in asked["operators"]}
    if any(domain == "com.microsoft" and "Fused" in op for domain, op in used):
        operators |= {*_ACTIVATIONS}
    subgraphs = any(operator[:2] in _WITH_SUBGRAPHS for operator in operators)
    passes = {item["name"] for item in described["passes"] if item["changed"]}
    values = [*session.get_inputs(), *session.get_outputs()]
    features = {
        "containers": any("seq(" in arg.type or "map(" in arg.type for arg in values)
        or any(_makes_container(op) for _, op, _ in operators),
        "external_data": bool(written["external"]),
        "functions": bool(written["functions"]),
        "host_operators": bool(registered),
        "memory_plan": subgraphs or len(described["nodes"]) > _FEW_NODES,
        "sparse": written["sparse"],
        "subgraphs": subgraphs,
    }
    # A branch that was not taken has run no kernel.
    known = ran and not subgraphs
    return Needs(
        models=(name or _name(model),),
        operators=_ordered(operators),
        types=_ordered({number for number in dtypes.BY_NUMBER if not ran or asked["types"] >> number & 1}),
        passes=_ordered(passes),
        kernels=_ordered({item["kernel"] for item in profile if item["kernel"]}) if known else None,
        features=tuple(feature for feature, used in features.items() if used),
    )


def _makes_container(op_type: str) -> bool:
    return any(word in op_type for word in ("Sequence", "Map", "Dict", "Optional"))


def _run(session: InferenceSession, feeds: Mapping[str, Any]) -> bool:
    try:
        session.run(None, made_inputs.complete(session.get_inputs(), feeds))
    except Error:
        return False
    return True


def _name(model: Source) -> str:
    if isinstance(model, str | Path):
        return Path(model).stem
    raise InvalidArgument("a model that is given as bytes needs a name")
