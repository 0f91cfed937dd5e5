"""Runs that are awaited, as in Pyodide: hosts without threads of Python go on with other coroutines meanwhile."""

from __future__ import annotations

import asyncio

import numpy as np
import onnx
import pytest
from onnx import helper

import onnxlet
from onnxlet.hosts import engine, wasmtime_host
from onnxlet.hosts.wasm_head import Limits, imported_memory
from onnxlet.hosts.wasmtime_host import WasmtimeEngine
from tests.python import models
from tests.python.conftest import need

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class AwaitedEngine(WasmtimeEngine):
    awaits = True


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> onnxlet.InferenceSession:
    need("wasm")
    monkeypatch.setattr(wasmtime_host, "WasmtimeEngine", AwaitedEngine)
    monkeypatch.setattr(engine, "_SLICE_MICROSECONDS", 1)  # other coroutines have their turns after every node
    options = onnxlet.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxlet.InferenceSession(models.add().SerializeToString(), options)


def test_runs_queue(session: onnxlet.InferenceSession) -> None:
    async def several() -> list[list[np.ndarray]]:
        return await asyncio.gather(*(session.run_async(None, {"x": X, "y": X * i}) for i in range(5)))

    for i, (z,) in enumerate(asyncio.run(several())):
        np.testing.assert_array_equal(z, X + X * i)


def test_other_calls_wait_for_the_end(session: onnxlet.InferenceSession) -> None:
    async def both() -> None:
        under_way = asyncio.ensure_future(session.run_async(None, {"x": X, "y": X}))
        await asyncio.sleep(0)
        with pytest.raises(onnxlet.RuntimeException, match="a run_async of this session is on its way; await it first"):
            session.run(None, {"x": X, "y": X})
        (z,) = await under_way
        np.testing.assert_array_equal(z, session.run(None, {"x": X, "y": X})[0])

    asyncio.run(both())


def chain(length: int) -> onnx.ModelProto:
    """y = ((x + x) + x) + x ..., with a node for each sum."""
    names = ["x", *(f"t{i}" for i in range(1, length)), "y"]
    nodes = [helper.make_node("Add", [names[i], "x"], [names[i + 1]]) for i in range(length)]
    return models.model(nodes, [models.tensor("x")], [models.tensor("y")])


def test_others_have_their_turns_after_every_node(session: onnxlet.InferenceSession) -> None:
    long = onnxlet.InferenceSession(chain(50).SerializeToString(), session.get_session_options())

    async def counted() -> tuple[np.ndarray, int]:
        under_way = asyncio.ensure_future(long.run_async(None, {"x": X}))
        turns = 0
        while not under_way.done():
            await asyncio.sleep(0)
            turns += 1
        return (await under_way)[0], turns

    y, turns = asyncio.run(counted())
    np.testing.assert_array_equal(y, 51 * X)
    assert 50 <= turns <= 60


def test_a_run_is_terminated_by_another_coroutine(session: onnxlet.InferenceSession) -> None:
    long = onnxlet.InferenceSession(chain(50).SerializeToString(), session.get_session_options())
    options = onnxlet.RunOptions()

    async def terminated() -> None:
        under_way = asyncio.ensure_future(long.run_async(None, {"x": X}, run_options=options))
        for _ in range(5):
            await asyncio.sleep(0)
        options.terminate = True
        with pytest.raises(onnxlet.Aborted, match="the run was aborted"):
            await under_way
        options.terminate = False
        await long.run_async(None, {"x": X}, run_options=options)

    asyncio.run(terminated())


def test_errors_reach_the_awaiter_and_the_next_run_works(session: onnxlet.InferenceSession) -> None:
    async def wrong_and_right() -> None:
        with pytest.raises(onnxlet.InvalidArgument, match="'y'"):
            await session.run_async(None, {"x": X})
        await session.run_async(None, {"x": X, "y": X})

    asyncio.run(wrong_and_right())


def test_a_cancelled_run_leaves_the_session_usable(session: onnxlet.InferenceSession) -> None:
    async def cancelled() -> None:
        task = asyncio.ensure_future(session.run_async(None, {"x": X, "y": X}))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        np.testing.assert_array_equal(session.run(None, {"x": X, "y": X})[0], 2 * X)

    asyncio.run(cancelled())


def test_a_closed_session_ends_its_run(session: onnxlet.InferenceSession) -> None:
    async def closed() -> None:
        task = asyncio.ensure_future(session.run_async(None, {"x": X, "y": X}))
        await asyncio.sleep(0)
        session.close()
        with pytest.raises(onnxlet.RuntimeException, match="it was closed"):
            await task

    asyncio.run(closed())


def test_the_form_with_a_callback(session: onnxlet.InferenceSession) -> None:
    async def called_back() -> list[tuple[list[np.ndarray], object, str]]:
        heard: list[tuple[list[np.ndarray], object, str]] = []
        done = asyncio.Event()

        def callback(results: list[np.ndarray], user_data: object, problem: str) -> None:
            heard.append((results, user_data, problem))
            if len(heard) == 2:
                done.set()

        assert session.run_async(None, {"x": X, "y": X}, callback, "mine") is None
        assert session.run_async(None, {"x": X}, callback, "other") is None
        await done.wait()
        return heard

    (mine, other) = asyncio.run(called_back())
    np.testing.assert_array_equal(mine[0][0], 2 * X)
    assert mine[1:] == ("mine", "")
    assert other[1] == "other" and other[2].startswith("INVALID_ARGUMENT")


def test_limits_of_an_imported_memory() -> None:
    # A module that imports a function, a table, a global and a shared memory of 17 to 300 pages.
    head = "0061736d01000000" + "010401600000"
    imports = "04" + "016101620000" + "016101740170000a" + "01610167037f00" + "0161016d020311ac02"
    section = "02" + f"{len(imports) // 2:02x}" + imports
    assert imported_memory(bytes.fromhex(head + section)) == Limits(17, 300)
    assert imported_memory(bytes.fromhex(head + "0503010001")) is None


def test_values_in_the_engine_are_fed(session: onnxlet.InferenceSession) -> None:
    x = onnxlet.OrtValue.ortvalue_from_numpy(X)
    (value,) = session.run_with_ort_values(None, {"x": x, "y": x})

    async def awaited() -> list[np.ndarray]:
        return await session.run_async(None, {"x": value, "y": value})

    np.testing.assert_array_equal(asyncio.run(awaited())[0], 4 * X)
    assert value._resident is not None
