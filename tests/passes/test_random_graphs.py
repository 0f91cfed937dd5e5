"""Random graphs out of what the passes look for: the same numbers with all passes and with none."""

from __future__ import annotations

import numpy as np
import pytest

import onnxlet
from tests.passes.random_graphs import random_graph

GRAPHS = 60


@pytest.mark.parametrize("seed", range(GRAPHS))
def test_passes_keep_the_numbers(engine: str, seed: int) -> None:
    model, x = random_graph(seed)
    results = []
    for level in (onnxlet.GraphOptimizationLevel.ORT_ENABLE_ALL, onnxlet.GraphOptimizationLevel.ORT_DISABLE_ALL):
        options = onnxlet.SessionOptions()
        options.graph_optimization_level = level
        with onnxlet.InferenceSession(model, options, _engine=engine) as session:
            results.append(session.run(None, {"x0": x}))
    for got, want in zip(*results, strict=True):
        assert got.shape == want.shape
        scale = max(1.0, float(np.nanmax(np.abs(want), initial=0)))
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-4 * scale)
