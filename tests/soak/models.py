"""What is run over and over: small models of several kinds, each with feeds of several shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.bundle.trimming import CASES
from tests.models.registry import models as real_models
from tests.python import models as made

Feeds = Mapping[str, np.ndarray[Any, Any]]


@dataclass(frozen=True)
class Subject:
    """A model's bytes, and what it is fed with in turn."""

    name: str
    model: bytes
    feeds: list[Feeds]


def subjects() -> Iterator[Subject]:
    """A convolutional network, trees, a pipeline with texts, a Loop and an If, a product of any number of rows."""
    digits = real_models()["digits-cnn"]
    yield Subject("digits-cnn", digits.path().read_bytes(), [digits.feeds(n) for n in (1, 8, 3)])
    for name in ("forest", "screening"):
        path, feeds, _ = CASES[name]
        yield Subject(name, path().read_bytes(), [rows(feeds(), n) for n in (1, 13, 5)])
    path, feeds, _ = CASES["branching"]
    yield Subject("branching", path().read_bytes(), [feeds(), {"x": -np.arange(4, dtype=np.float32)}])
    x = np.random.default_rng(5).standard_normal((40, 64)).astype(np.float32)
    yield Subject("matmul", made.matmul().SerializeToString(), [{"x": x[:n]} for n in (40, 1, 17, 2)])


def rows(feeds: Mapping[str, Any], count: int) -> Feeds:
    """The first ones of a table."""
    return {name: np.asarray(column)[:count] for name, column in feeds.items()}
