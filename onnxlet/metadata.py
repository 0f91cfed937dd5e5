"""What a session tells about its model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from . import providers as available
from .options import SessionOptions


class NodeArg(NamedTuple):
    """An input or output: its name, its type such as "tensor(float)", and its dimensions.

    A dimension is a number, a name, or None; a tensor of unknown rank has [] as onnxruntime reports it.
    """

    name: str
    type: str
    shape: list[int | str | None]


class ModelMetadata(NamedTuple):
    """What the file says about itself."""

    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom_metadata_map: dict[str, str]


def node_arg(item: Mapping[str, Any]) -> NodeArg:
    """An argument of ol_session_describe."""
    return NodeArg(item["name"], item.get("type") or "", list(item.get("shape") or []))


def _model_metadata(model: Mapping[str, Any]) -> ModelMetadata:
    """The document of ol_model_describe."""
    return ModelMetadata(
        producer_name=model.get("producer_name") or "",
        graph_name=model.get("graph_name") or "",
        domain=model.get("domain") or "",
        description=model.get("doc_string") or "",
        graph_description=model.get("graph_doc_string") or "",
        version=int(model.get("model_version") or 0),
        custom_metadata_map=dict(model.get("metadata") or {}),
    )


class Described:
    """What onnxruntime's sessions answer about themselves."""

    _inputs: list[NodeArg]
    _outputs: list[NodeArg]
    _overridable: list[NodeArg]
    _model: dict[str, Any]
    _options: SessionOptions
    _providers: list[str]
    _profile_start: int

    def get_inputs(self) -> list[NodeArg]:
        """The inputs that a run must be fed."""
        return list(self._inputs)

    def get_outputs(self) -> list[NodeArg]:
        """The outputs, in the model's order."""
        return list(self._outputs)

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Inputs with a default, which a feed may replace."""
        return list(self._overridable)

    def get_modelmeta(self) -> ModelMetadata:
        """Producer, version, description and custom properties of the file."""
        return _model_metadata(self._model)

    def get_providers(self) -> list[str]:
        """The providers in use."""
        return list(self._providers)

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """The options of each provider; there are none to set."""
        return {name: {} for name in self._providers}

    def set_providers(self, providers: Any = None, provider_options: Any = None) -> None:
        """Checks the names; there is one provider, so the session stays as it is."""
        self._providers = available.checked(providers, provider_options)

    def enable_fallback(self) -> None:
        """Has no effect: there is nothing to fall back to."""

    def disable_fallback(self) -> None:
        """Has no effect: there is nothing to fall back to."""

    def get_session_options(self) -> SessionOptions:
        """The options the session was made with."""
        return self._options

    def get_profiling_start_time_ns(self) -> int:
        """When the session was made, in nanoseconds since 1970."""
        return self._profile_start
