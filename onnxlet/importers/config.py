"""What an architecture must know of a model, from config.json or from GGUF's metadata."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np

from ..errors import InvalidArgument

T = TypeVar("T")


@dataclass(frozen=True)
class Rope:
    """Rotary positions: angles are position * base^(-2 i / size) / factors[i]."""

    base: float
    factors: tuple[float, ...] | None = None  # size / 2 of them


@dataclass(frozen=True)
class DecoderConfig:
    """A Llama-type decoder."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_size: int
    inner: int
    vocabulary: int
    context: int
    epsilon: float
    rope: Rope
    window: int | None  # tokens that a token attends to, itself included; None: all before it
    tied: bool  # the head has the embedding's weights
    biases: frozenset[str]  # roles of linear layers that have one
    adjacent_pairs: bool  # rows of query and key lie so that rotation pairs are neighbours, not halves


@dataclass(frozen=True)
class EncoderConfig:
    """A BERT-type encoder."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    token_types: int
    epsilon: float


Pooling = Literal["mean", "cls"]


class Entries:
    """Named values of a foreign configuration, with errors that say which one is wrong."""

    def __init__(self, values: Mapping[str, Any], source: str, prefix: str = "") -> None:
        self._values, self._source, self._prefix = values, source, prefix

    def get(self, key: str, default: Any = None) -> Any:
        value = self._values.get(self._prefix + key)
        return default if value is None else value

    def count(self, key: str, default: int | None = None) -> int:
        """A positive whole number."""
        value = self._needed(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self.wrong(key, "must be a positive whole number")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        value = self._needed(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
            raise self.wrong(key, "must be a positive number")
        return float(value)

    def wrong(self, key: str, rule: str) -> InvalidArgument:
        return InvalidArgument(f"{self._source}: {self._prefix}{key} {rule}; it is {self.get(key)!r}")

    def _needed(self, key: str, default: Any) -> Any:
        value = self.get(key, default)
        if value is None:
            raise InvalidArgument(f"{self._source} has no {self._prefix}{key}")
        return value


def check_heads(config: DecoderConfig | EncoderConfig, source: str) -> None:
    """Raises InvalidArgument."""
    if isinstance(config, EncoderConfig):
        if config.hidden % config.heads:
            raise InvalidArgument(f"{source}: {config.hidden} hidden numbers do not split into {config.heads} heads")
        return
    if config.heads % config.kv_heads:
        raise InvalidArgument(f"{source}: {config.heads} heads do not share {config.kv_heads} heads of keys and values")
    if config.head_size % 2:
        raise InvalidArgument(f"{source}: rotary positions need heads of an even size; it is {config.head_size}")


def linear_factors(factor: float, head_size: int) -> tuple[float, ...]:
    """Positions closer together by a factor, as if the context were shorter."""
    return (factor,) * (head_size // 2)


def llama3_factors(scaling: Entries, base: float, head_size: int) -> tuple[float, ...]:
    """Llama 3.1's scaling: long waves are stretched, short ones kept, those between blended.

    Source: the model card of Llama 3.1 and its reference code, `apply_scaling`.
    """
    factor, low, high, context = (
        scaling.number(key)
        for key in ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
    )
    if high <= low:
        raise scaling.wrong("high_freq_factor", f"must be above low_freq_factor = {low}")
    waves = 2 * math.pi * base ** (np.arange(0, head_size, 2) / head_size)
    smooth = np.clip((context / waves - low) / (high - low), 0, 1)
    return tuple(float(f) for f in 1 / ((1 - smooth) / factor + smooth))


def lookup(table: Mapping[str, T], name: object, what: str, fail: Callable[[str], Exception]) -> T:
    """The row of an architecture. Raises what `fail` makes of a sentence."""
    if not isinstance(name, str) or name not in table:
        raise fail(f"{what} {name!r} is not known; known: {', '.join(sorted(table))}")
    return table[name]
