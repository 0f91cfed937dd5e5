"""What goes wrong around the engine in CPython, and many sessions at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import onnxlet
from onnxlet.hosts import wasmtime_host

from . import models
from .conftest import MakeSession, need

SESSIONS = 8


def test_memory_that_does_not_grow_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """At every megabyte where the machine might refuse more."""
    need("wasm")
    real = wasmtime_host.wasmtime.Store
    data = models.matmul(512).SerializeToString()
    weights = np.frombuffer(models.weight_of(models.matmul(512)).tobytes(), np.float32).reshape(512, 512)
    x = np.random.default_rng(1).standard_normal((600, 512)).astype(np.float32)
    refused = 0
    for megabytes in range(4, 24):

        def limited(*arguments: object, most: int = megabytes << 20) -> object:
            store = real(*arguments)
            store.set_limits(memory_size=most)
            return store

        with monkeypatch.context() as place:
            place.setattr(wasmtime_host.wasmtime, "Store", limited)
            try:
                session = onnxlet.InferenceSession(data, _engine="simd")
            except onnxlet.OutOfMemory as error:
                refused += 1
                assert "bytes" in str(error)
                continue
        with session:
            for rows in (1, 600, 1):
                try:
                    (y,) = session.run(None, {"x": x[:rows]})
                except onnxlet.OutOfMemory as error:
                    refused += 1
                    assert "were refused: " in str(error) and "the machine allows no more" in str(error)
                    if rows == 1:  # the weights have taken all there is
                        break
                else:
                    np.testing.assert_allclose(y, np.maximum(x[:rows] @ weights, 0), rtol=1e-3, atol=1e-3)
    assert 3 <= refused < 20


def test_sessions_beside_each_other_give_the_same(make_session: MakeSession) -> None:
    """Eight sessions of different models in eight threads, each thread using all of them in an order of its own."""
    sessions = [make_session(models.matmul(16 + 8 * i, seed=i)) for i in range(SESSIONS)]
    feeds = [np.random.default_rng(i).standard_normal((5, 16 + 8 * i)).astype(np.float32) for i in range(SESSIONS)]
    expected = [session.run(None, {"x": x})[0] for session, x in zip(sessions, feeds, strict=True)]
    barrier = threading.Barrier(SESSIONS)

    def work(seed: int) -> int:
        barrier.wait()
        same = 0
        for i in np.random.default_rng(seed).integers(SESSIONS, size=40):
            same += bool(np.array_equal(sessions[i].run(None, {"x": feeds[i]})[0], expected[i]))
        return same

    with ThreadPoolExecutor(SESSIONS) as pool:
        assert list(pool.map(work, range(SESSIONS))) == [40] * SESSIONS
