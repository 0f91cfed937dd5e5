"""Threads inside a run, sessions beside each other, and what is left when they end."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import onnxlet
from onnxlet import hosts
from onnxlet.hosts import wasmtime_host

from . import models
from .conftest import ROOT, MakeSession, need


def input_for(size: int, rows: int = 32) -> np.ndarray:
    return np.random.default_rng(rows).standard_normal((rows, size)).astype(np.float32)


def test_says_how_many_threads_it_has(make_wasm_session: MakeSession) -> None:
    for threads in (1, 2, 3):
        session = make_wasm_session(models.matmul(), threads)
        assert session.threads == threads
        assert ("threads" in session.flavour) == (threads > 1)


def test_the_number_of_threads_does_not_change_the_result(make_wasm_session: MakeSession) -> None:
    made = models.matmul(300)
    x = input_for(300, 61)
    results = [make_wasm_session(made, threads).run(None, {"x": x})[0] for threads in (1, 2, 3, 4)]
    for result in results[1:]:
        assert result.tobytes() == results[0].tobytes()
    np.testing.assert_allclose(results[0], np.maximum(x @ models.weight_of(made), 0), rtol=1e-4, atol=1e-4)


def test_one_session_may_be_used_from_many_threads(make_session: MakeSession) -> None:
    made = models.matmul()
    session = make_session(made)
    inputs = [input_for(64, rows) for rows in range(1, 40)]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda x: session.run(None, {"x": x})[0], inputs))
    for x, result in zip(inputs, results, strict=True):
        np.testing.assert_allclose(result, np.maximum(x @ models.weight_of(made), 0), rtol=1e-4, atol=1e-4)


def test_sessions_run_beside_each_other(make_session: MakeSession) -> None:
    def work(seed: int) -> bool:
        made = models.matmul(seed=seed)
        session = make_session(made)
        x = input_for(64)
        expected = np.maximum(x @ models.weight_of(made), 0)
        return all(np.allclose(session.run(None, {"x": x})[0], expected, rtol=1e-3, atol=1e-4) for _ in range(30))

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(6)))


def test_closing_waits_for_a_run_in_progress(make_wasm_session: MakeSession) -> None:
    session = make_wasm_session(models.matmul(256))
    x = input_for(256, 256)
    outcomes = []

    def runs() -> None:
        try:
            while True:
                outcomes.append(session.run(None, {"x": x})[0].shape)
        except onnxlet.RuntimeException as error:
            outcomes.append(str(error))

    thread = threading.Thread(target=runs)
    thread.start()
    while not outcomes:
        time.sleep(0.001)
    session.close()
    thread.join(30)
    assert not thread.is_alive()
    assert "closed" in str(outcomes[-1])


def test_threads_end_with_their_session(make_wasm_session: MakeSession) -> None:
    before = threading.active_count()
    session = make_wasm_session(models.matmul(), 3)
    assert threading.active_count() == before + 2
    session.close()
    assert threading.active_count() == before
    session = make_wasm_session(models.matmul(), 3)
    del session  # without close
    assert threading.active_count() == before


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_making_and_closing_sessions_keeps_memory_flat(make_wasm_session: MakeSession) -> None:
    data = models.matmul(512).SerializeToString()  # 1 MB of weights
    x = input_for(512)
    sizes = []
    for _ in range(60):
        with make_wasm_session(data) as session:
            session.run(None, {"x": x})
        sizes.append(resident_bytes())
    assert sizes[-1] - sizes[10] < 20 << 20


def test_a_refused_worker_is_reported_and_the_session_works(
    make_wasm_session: MakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    made = models.matmul()
    with monkeypatch.context() as patch, pytest.warns(RuntimeWarning, match="1 of 3 threads: can't start new thread"):
        patch.setattr(threading.Thread, "start", refuse)
        session = make_wasm_session(made, 3)
    assert session.threads == 1
    x = input_for(64)
    np.testing.assert_allclose(
        session.run(None, {"x": x})[0], np.maximum(x @ models.weight_of(made), 0), rtol=1e-4, atol=1e-4
    )


def test_refused_shared_memory_falls_back_to_one_thread(
    make_wasm_session: MakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise wasmtime_host.MemoryRefused("no room")

    monkeypatch.setattr(wasmtime_host.WasmtimeEngine, "_make_shared_memory", refuse)
    with pytest.warns(RuntimeWarning, match="no shared memory"):
        session = make_wasm_session(models.add(), 2)
    assert session.threads == 1
    assert "threads" not in session.flavour


def test_threads_that_a_flavour_lacks_are_reported() -> None:
    need("wasm")
    with pytest.warns(RuntimeWarning, match="4 threads were asked for"):
        engine = hosts.open_engine(4, backend="simd")
    assert engine.threads == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hosts.open_engine(0, backend="simd").close()
    engine.close()


def test_the_default_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONNXLET_NUM_THREADS", "3")
    assert hosts.default_threads() == 3
    monkeypatch.setenv("ONNXLET_NUM_THREADS", "many")
    with pytest.raises(onnxlet.InvalidArgument, match="'many'"):
        hosts.default_threads()
    monkeypatch.delenv("ONNXLET_NUM_THREADS")
    assert 1 <= hosts.default_threads() <= 8


EXIT = """
import sys, numpy as np, onnxlet
options = onnxlet.SessionOptions()
options.intra_op_num_threads = 3
session = onnxlet.InferenceSession(sys.argv[1], options)
print(session.run(None, {"x": np.ones((1, 64), np.float32)})[0].shape, session.threads)
"""


def test_the_interpreter_ends_at_once_with_a_session_open(tmp_path: Path) -> None:
    need("wasm")
    path = tmp_path / "model.onnx"
    path.write_bytes(models.matmul().SerializeToString())
    done = subprocess.run(
        [sys.executable, "-c", EXIT, str(path)], capture_output=True, text=True, timeout=60, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == "(1, 64) 3"
