"""Execution providers: onnxlet has one, under its own name and under the one that programs for onnxruntime use."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Final

from .errors import InvalidArgument

PROVIDERS: Final = ("wasm", "CPUExecutionProvider")


def get_available_providers() -> list[str]:
    """The providers a session can be made with."""
    return list(PROVIDERS)


def get_all_providers() -> list[str]:
    """The providers that exist, which are those that are available."""
    return list(PROVIDERS)


def get_device() -> str:
    """Where models run, as onnxruntime reports it."""
    return "CPU"


def checked(providers: Any, provider_options: Any) -> list[str]:
    """Follows onnxruntime: unknown providers are left out with a warning, and the CPU is always there."""
    if providers is None:
        return ["wasm"]
    if isinstance(providers, str) or not isinstance(providers, Sequence):
        raise InvalidArgument(f"providers takes a list of names such as {list(PROVIDERS)}; {providers!r} given")
    if provider_options is not None and len(provider_options) != len(providers):
        raise InvalidArgument("providers and provider_options must have the same length")
    names = []
    for provider in providers:
        name = provider[0] if isinstance(provider, tuple) else provider
        if name in PROVIDERS:
            names.append(name)
        else:
            text = f"provider {name!r} is not in {list(PROVIDERS)} and is left out"
            warnings.warn(text, RuntimeWarning, stacklevel=3)
    return list(dict.fromkeys(names)) or ["wasm"]
