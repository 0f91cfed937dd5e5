"""What a caller chooses, and what is recorded of a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..errors import InvalidArgument
from .config import DecoderConfig, EncoderConfig, Pooling


@dataclass(frozen=True)
class Options:
    """The keywords of `onnxlet.importers.load`."""

    context: int | None = None
    pooling: Pooling | None = None
    accuracy_level: int = 0


def shortened(config: DecoderConfig, options: Options, source: str) -> DecoderConfig:
    """The context that the caller asked for. Raises InvalidArgument."""
    if options.pooling is not None:
        raise InvalidArgument(f"pooling is for encoders; {source} is a decoder")
    if options.context is None:
        return config
    if not 1 <= options.context <= config.context:
        raise InvalidArgument(
            f"context must be 1 to {config.context}, which {source} was made for; it is {options.context}"
        )
    return replace(config, context=options.context)


def facts(
    form: str, architecture: object, config: DecoderConfig | EncoderConfig, more: Mapping[str, object]
) -> dict[str, str]:
    """metadata_props: what a program must know besides the graph. Values that are no text are JSON."""
    known: dict[str, object] = {"format": form, "architecture": architecture, "vocab_size": config.vocabulary}
    if isinstance(config, DecoderConfig):
        known |= {"context_length": config.context, "rope_theta": config.rope.base, "sliding_window": config.window}
    else:
        known |= {"context_length": config.positions}
    return {
        f"onnxlet.source.{key}": value if isinstance(value, str) else json.dumps(value)
        for key, value in {**known, **more}.items()
        if value is not None
    }
