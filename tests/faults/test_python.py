"""Faults around the engine in CPython, on wasmtime."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import wasmtime
from onnx import helper

import onnxlet
from tests.python import models
from tests.python.conftest import need
from tests.support.kept import KeepFigures

X = np.array([21], np.float32)
DOMAIN = "tests.faults"


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    need("wasm")
    threads = threading.active_count()
    yield
    assert threading.active_count() == threads


def custom() -> bytes:
    node = helper.make_node("Fault", ["x"], ["y"], name="fault", domain=DOMAIN)
    made = models.model([node], [models.tensor("x", shape=("n",))], [models.tensor("y", shape=("n",))])
    made.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    return bytes(made.SerializeToString())


def double() -> bytes:
    node = helper.make_node("Add", ["x", "x"], ["y"])
    made = models.model([node], [models.tensor("x", shape=("n",))], [models.tensor("y", shape=("n",))])
    return bytes(made.SerializeToString())


def opened(model: bytes, threads: int = 1, **options: Any) -> onnxlet.InferenceSession:
    chosen = onnxlet.SessionOptions()
    chosen.intra_op_num_threads = threads
    for name, value in options.items():
        setattr(chosen, name, value)
    return onnxlet.InferenceSession(model, chosen, _engine="wasm")


def works(session: onnxlet.InferenceSession) -> None:
    assert session.run(None, {"x": X})[0].tolist() == [42]


def raises(error: BaseException) -> Callable[[Any], Any]:
    def fault(x: Any) -> Any:
        raise error

    return fault


FAULTS: list[tuple[Callable[[Any], Any], str]] = [
    (raises(RuntimeError("out of cheese")), "out of cheese"),
    (raises(RuntimeError()), "fault"),
    (raises(StopIteration()), "fault"),
    (lambda x: np.array(["2020-01-01"], "datetime64[D]"), "datetime64"),
    (lambda x: None, "gave no output 0"),
    (lambda x: object(), "fault"),
    (lambda x: (), "gave no output 0"),
    (lambda x: {1: object()}, "fault"),
]


def test_custom_operators_that_throw_or_give_nonsense(keep_figures: KeepFigures) -> None:
    mode: list[Callable[[Any], Any]] = [lambda x: 2 * x]
    onnxlet.register_operator(DOMAIN, "Fault", lambda x: mode[0](x))
    good = mode[0]
    points = 0
    with opened(custom()) as session:
        works(session)
        works(session)
        before = session.memory
        for fault, words in FAULTS:
            mode[0] = fault
            for _ in range(20):
                with pytest.raises(onnxlet.Fail, match=words) as caught:
                    session.run(None, {"x": X})
                assert str(caught.value).startswith(f"node 'fault' ({DOMAIN}.Fault-1)")
                points += 1
            mode[0] = good
            works(session)
            assert session.memory["in_use"] == before["in_use"]
            assert session.memory["engine"] == before["engine"]
    figures = {"points": points, "survived": points}
    keep_figures("faults", "custom operators that throw or give nonsense, CPython", figures)


@pytest.mark.parametrize("threads", [1, 3])
def test_traps_in_the_engine(monkeypatch: pytest.MonkeyPatch, keep_figures: KeepFigures, threads: int) -> None:
    """The clock that the engine imports throws at its first, second ... call; a profile asks for it."""
    points = 5
    for point in range(points):
        with opened(double(), threads, enable_profiling=True) as session:
            works(session)
            calls = 0

            def clock(at: int = point) -> int:
                nonlocal calls
                calls += 1
                if calls > at:
                    raise OSError("no time")
                return time.monotonic_ns()

            with monkeypatch.context() as place:
                place.setattr(time, "perf_counter_ns", clock)
                with pytest.raises(onnxlet.Trap, match=r"stopped in ol_\w+: no time; create a new session") as caught:
                    for _ in range(points):
                        session.run(None, {"x": X})
                assert caught.value.code == "TRAP"
                assert isinstance(caught.value.__cause__, OSError)
            with pytest.raises(onnxlet.Trap, match="create a new session"):
                session.run(None, {"x": X})
        with opened(double(), threads) as session:
            works(session)
    keep_figures("faults", f"traps in the engine, CPython, {threads} threads", {"points": points, "survived": points})


def test_an_interrupt_inside_the_engine_is_the_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(double(), enable_profiling=True) as session:
        with monkeypatch.context() as place:
            place.setattr(time, "perf_counter_ns", lambda: raises(KeyboardInterrupt())(None))
            with pytest.raises(KeyboardInterrupt):
                session.run(None, {"x": X})
        with pytest.raises(onnxlet.Trap, match="create a new session"):
            session.run(None, {"x": X})
    with opened(double()) as session:
        works(session)


def test_memory_that_does_not_grow(monkeypatch: pytest.MonkeyPatch, keep_figures: KeepFigures) -> None:
    """From the size that the engine begins with, in steps of 256 kB."""
    real = wasmtime.Store
    with opened(double()) as session:
        begin = session.memory["engine"]
    data = models.matmul(256).SerializeToString()
    x = np.random.default_rng(1).standard_normal((3000, 256)).astype(np.float32)
    with opened(data) as session:
        expected = session.run(None, {"x": x})[0]
    refused = answered = 0
    for more in range(-8, 48):

        def limited(*arguments: Any, most: int = begin + (more << 18)) -> object:
            store = real(*arguments)
            store.set_limits(memory_size=most)
            return store

        with monkeypatch.context() as place:
            place.setattr(wasmtime, "Store", limited)
            try:
                session = opened(data)
            except onnxlet.Error as error:
                assert error.code == "OUT_OF_MEMORY" and "bytes" in str(error), f"{more}: {error}"
                refused += 1
                continue
        with session:
            for rows in (1, 3000, 1):
                try:
                    (y,) = session.run(None, {"x": x[:rows]})
                except onnxlet.OutOfMemory as error:
                    assert "bytes" in str(error)
                    refused += 1
                else:
                    np.testing.assert_allclose(y, expected[:rows], rtol=1e-5, atol=1e-5)
                    answered += 1
    assert refused > 10
    assert answered > 10
    with opened(double()) as session:
        works(session)
    keep_figures("faults", "memory that does not grow, CPython", {"points": refused, "survived": refused})
