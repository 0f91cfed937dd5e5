"""Random operators by their statistics, and by seed against the reference, which draws as numpy does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model, run


def draw(backend: Prepare, op: str, inputs: list[Any], **how: Any) -> np.ndarray:
    return np.asarray(run(backend, make_model(op, inputs, **how), inputs)[0])


@pytest.mark.parametrize("seed", [0.0, 7.0, 123456.0])
def test_seeded_as_numpy(backend: Prepare, seed: float) -> None:
    shape = [5, 33]
    check(backend, "RandomNormal", [], shape=shape, seed=seed, mean=1.5, scale=2.0)
    check(backend, "RandomUniform", [], shape=shape, seed=seed, low=-1.0, high=3.0)
    x = np.zeros(shape, np.float64)
    check(backend, "RandomNormalLike", [x], seed=seed)
    check(backend, "RandomUniformLike", [x], seed=seed, dtype=1)
    p = np.random.default_rng(0).random(200)
    want = np.random.RandomState(int(seed)).binomial(1, p).astype(np.float64)
    assert (draw(backend, "Bernoulli", [p], seed=seed) == want).all()


def test_statistics(backend: Prepare) -> None:
    normal = draw(backend, "RandomNormal", [], shape=[20000], mean=3.0, scale=2.0)
    assert abs(normal.mean() - 3) < 0.1
    assert abs(normal.std() - 2) < 0.1
    uniform = draw(backend, "RandomUniform", [], shape=[20000], low=-1.0, high=3.0)
    assert uniform.min() >= -1
    assert uniform.max() <= 3
    assert abs(uniform.mean() - 1) < 0.1
    coins = draw(backend, "Bernoulli", [np.full(20000, 0.3, np.float32)])
    assert set(np.unique(coins)) == {0, 1}
    assert abs(coins.mean() - 0.3) < 0.02


def test_multinomial(backend: Prepare) -> None:
    p = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 0.0]])
    with np.errstate(divide="ignore"):
        logits = np.log(p).astype(np.float32)
    samples = draw(backend, "Multinomial", [logits], sample_size=20000, seed=1.0, dtype=7)
    assert samples.dtype == np.int64
    for row, want in zip(samples, p, strict=True):
        assert np.allclose(np.bincount(row, minlength=3) / 20000, want, atol=0.02)


def test_without_a_seed_runs_differ(backend: Prepare) -> None:
    session = backend(make_model("RandomNormal", [], shape=[8]).SerializeToString())
    assert not np.array_equal(session.run([])[0], session.run([])[0])
