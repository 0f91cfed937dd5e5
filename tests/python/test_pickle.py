"""Sessions that are pickled, copied and used in other processes, and by many threads at once."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest

import onnxlet

from . import models
from .conftest import MakeSession, need

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def with_external_data(folder: Path) -> Path:
    """matmul() with its weights in a file beside it."""
    path = folder / "model.onnx"
    made = models.matmul()
    onnx.save_model(made, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    return path


def relu_of(x: np.ndarray) -> np.ndarray:
    return np.maximum(x @ models.weight_of(models.matmul()), 0)


def test_a_session_carries_its_model_and_options(make_session: MakeSession, tmp_path: Path) -> None:
    path = tmp_path / "add.onnx"
    path.write_bytes(models.add().SerializeToString())
    options = onnxlet.SessionOptions()
    options.use_deterministic_compute = True
    options.add_free_dimension_override_by_name("N", 2)
    options.add_session_config_entry("onnxlet.trace", "1")
    session = make_session(path, options, providers=["CPUExecutionProvider"])
    data = pickle.dumps(session)
    path.unlink()
    for made in (pickle.loads(data), pickle.loads(pickle.dumps(pickle.loads(data)))):
        np.testing.assert_array_equal(made.run(None, {"x": X, "y": X})[0], 2 * X)
        assert made.get_inputs()[0].shape == [2, 3]
        assert made.get_providers() == ["CPUExecutionProvider"]
        assert made.flavour == session.flavour and made.threads == session.threads
        assert repr(made.get_session_options()) == repr(options)
        assert made.get_session_options().get_session_config_entry("onnxlet.trace") == "1"
    session.close()
    with pytest.raises(onnxlet.RuntimeException, match="closed"):
        pickle.dumps(session)


def test_external_data_goes_along(make_session: MakeSession, tmp_path: Path) -> None:
    path = with_external_data(tmp_path)
    x = np.ones((2, 64), np.float32)
    data = pickle.dumps(make_session(path))
    weights = tmp_path / "weights.bin"
    options = onnxlet.SessionOptions()
    content = weights.read_bytes()
    options.add_external_initializers_from_files_in_memory(["weights.bin"], [content], [len(content)])
    from_memory = make_session(path.read_bytes(), options)
    weights.unlink()
    for session in (pickle.loads(data), from_memory, pickle.loads(pickle.dumps(from_memory))):
        np.testing.assert_allclose(session.run(None, {"x": x})[0], relu_of(x), rtol=1e-4, atol=1e-4)


def test_data_in_memory_is_checked(make_session: MakeSession, tmp_path: Path) -> None:
    path = with_external_data(tmp_path)
    options = onnxlet.SessionOptions()
    with pytest.raises(onnxlet.InvalidArgument, match="1 names, 0 buffers and 1 lengths"):
        options.add_external_initializers_from_files_in_memory(["weights.bin"], [], [1])
    options.add_external_initializers_from_files_in_memory(["weights.bin"], [bytes(100)], [10])
    with pytest.raises(onnxlet.InvalidProtobuf, match="truncated: it has 10 bytes and the model uses 16384"):
        make_session(path, options)


def test_a_model_that_was_not_kept_or_has_changed(make_session: MakeSession, tmp_path: Path) -> None:
    data = models.add().SerializeToString()
    with pytest.raises(onnxlet.InvalidArgument, match="make it from bytes or from a path"):
        pickle.dumps(make_session(memoryview(data)))
    path = tmp_path / "add.onnx"
    path.write_bytes(data)
    session = make_session(path)
    path.write_bytes(data + data)
    with pytest.raises(onnxlet.InvalidArgument, match="has changed since the session was made"):
        pickle.dumps(session)
    path.unlink()
    with pytest.raises(onnxlet.NoSuchFile, match="cannot be read again"):
        pickle.dumps(session)


def test_copies_are_sessions_of_their_own(make_session: MakeSession) -> None:
    session = make_session(models.add())
    for made in (copy.copy(session), copy.deepcopy(session)):
        assert made._engine is not session._engine
        np.testing.assert_array_equal(made.run(None, {"x": X, "y": X})[0], 2 * X)
    with session:
        kept = copy.copy(session)
    np.testing.assert_array_equal(kept.run(None, {"x": X, "y": X})[0], 2 * X)


def first_output(session: onnxlet.InferenceSession, x: np.ndarray) -> tuple[int, np.ndarray]:
    return os.getpid(), session.run(None, {"x": x})[0]


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_sessions_cross_to_other_processes(make_wasm_session: MakeSession, method: str) -> None:
    session = make_wasm_session(models.matmul())
    x = np.ones((2, 64), np.float32)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
        process, result = pool.submit(first_output, session, x).result(60)
    assert process != os.getpid()
    np.testing.assert_array_equal(result, session.run(None, {"x": x})[0])


def test_eight_threads_share_one_session_and_have_their_own(make_wasm_session: MakeSession) -> None:
    shared = make_wasm_session(models.matmul())
    own = [make_wasm_session(models.matmul(), threads=1) for _ in range(8)]
    start = threading.Barrier(8)

    def work(index: int) -> bool:
        start.wait(30)
        right = True
        for rows in range(1, 20):
            x = np.full((rows, 64), index + 1, np.float32)
            expected = relu_of(x)
            right &= np.allclose(shared.run(None, {"x": x})[0], expected, rtol=1e-3, atol=1e-3)
            (value,) = own[index].run_with_ort_values(None, {"x": onnxlet.OrtValue.ortvalue_from_numpy(x)})
            right &= np.allclose(shared.run(None, {"x": value})[0], relu_of(expected), rtol=1e-3, atol=1e-1)
        return right

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [True] * 8


def test_values_that_cross_between_sessions_do_not_lock_them(make_wasm_session: MakeSession) -> None:
    need("wasm")
    one, two = make_wasm_session(models.add()), make_wasm_session(models.add())

    def work(here: onnxlet.InferenceSession, there: onnxlet.InferenceSession) -> None:
        value = onnxlet.OrtValue.ortvalue_from_numpy(X)
        for _ in range(50):
            (value,) = here.run_with_ort_values(None, {"x": value, "y": value})
            (value,) = there.run_with_ort_values(None, {"x": value, "y": value})

    threads = [threading.Thread(target=work, args=pair, daemon=True) for pair in ((one, two), (two, one))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
