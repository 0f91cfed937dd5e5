"""InferenceSession: what the model is, feeds, outputs, options."""

from __future__ import annotations

import asyncio
import os
import re
import threading
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import onnxlet

from . import models
from .conftest import MakeSession

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_runs_from_bytes_memoryview_and_path(make_session: MakeSession, tmp_path: Path) -> None:
    data = models.add().SerializeToString()
    path = tmp_path / "add.onnx"
    path.write_bytes(data)
    for source in (data, bytearray(data), memoryview(data), path, str(path)):
        (z,) = make_session(source).run(None, {"x": X, "y": X})
        assert z.dtype == np.float32
        np.testing.assert_array_equal(z, X + X)


def test_describes_the_model(make_session: MakeSession) -> None:
    made = models.add()
    helper.set_model_props(made, {"author": "tests", "größe": "日本"})
    session = make_session(made)
    assert session.get_inputs() == [
        onnxlet.NodeArg("x", "tensor(float)", ["N", 3]),
        onnxlet.NodeArg("y", "tensor(float)", ["N", 3]),
    ]
    assert [(arg.name, arg.type) for arg in session.get_outputs()] == [("z", "tensor(float)")]
    meta = session.get_modelmeta()
    assert (meta.producer_name, meta.graph_name, meta.description) == ("tests", "graph", "adds")
    assert meta.custom_metadata_map == {"author": "tests", "größe": "日本"}
    assert session.get_providers() == ["wasm"]
    assert {"in_use", "peak"} <= session.memory.keys()


def test_an_initializer_that_is_an_input_is_overridable(make_session: MakeSession) -> None:
    made = models.model(
        [helper.make_node("Add", ["x", "b"], ["y"])],
        [models.tensor("x"), models.tensor("b", shape=(3,))],
        [models.tensor("y")],
        [numpy_helper.from_array(np.ones(3, np.float32), "b")],
    )
    session = make_session(made)
    assert [arg.name for arg in session.get_inputs()] == ["x"]
    assert [arg.name for arg in session.get_overridable_initializers()] == ["b"]
    np.testing.assert_array_equal(session.run(None, {"x": X})[0], X + 1)
    np.testing.assert_array_equal(session.run(None, {"x": X, "b": np.full(3, 5, np.float32)})[0], X + 5)


def test_outputs_come_in_the_order_asked_for(make_session: MakeSession) -> None:
    made = models.model(
        [helper.make_node("Neg", ["x"], ["a"]), helper.make_node("Abs", ["a"], ["b"])],
        [models.tensor("x")],
        [models.tensor("a"), models.tensor("b")],
    )
    session = make_session(made)
    b, a = session.run(["b", "a"], {"x": X})
    np.testing.assert_array_equal(a, -X)
    np.testing.assert_array_equal(b, X)
    assert len(session.run(["b"], {"x": X})) == 1
    assert len(session.run([], {"x": X})) == 2


@pytest.mark.parametrize(
    ("feeds", "words"),
    [
        ({"x": X}, ["y"]),
        ({"x": X, "y": X, "q": X}, ["q"]),
        ({"x": X.astype(np.float64), "y": X}, ["x", "double", "float"]),
        ({"x": X[:, :2], "y": X}, ["x", "3"]),
        ({"x": X[0], "y": X}, ["x"]),
        ({"x": "text", "y": X}, ["x"]),
        ({"x": object(), "y": X}, ["x"]),
        ({"x": np.array(["2020-01-01"], "datetime64[D]"), "y": X}, ["x", "datetime64"]),
        ({"x": [[1, 2, 3], [4]], "y": X}, ["x"]),
    ],
)
def test_a_wrong_feed_is_named(make_session: MakeSession, feeds: dict[str, object], words: list[str]) -> None:
    session = make_session(models.add())
    with pytest.raises(onnxlet.InvalidArgument) as caught:
        session.run(None, feeds)
    assert caught.value.code == "INVALID_ARGUMENT"
    assert isinstance(caught.value, ValueError)
    for word in words:
        assert re.search(rf"\b{re.escape(word)}", str(caught.value)), str(caught.value)
    np.testing.assert_array_equal(session.run(None, {"x": X, "y": X})[0], 2 * X)  # and the session goes on


def test_an_unknown_output_is_named(make_session: MakeSession) -> None:
    with pytest.raises(onnxlet.InvalidArgument, match="nothing"):
        make_session(models.add()).run(["nothing"], {"x": X, "y": X})


def test_feeds_must_be_a_dict(make_session: MakeSession) -> None:
    with pytest.raises(onnxlet.InvalidArgument, match="list given"):
        make_session(models.add()).run(None, [X, X])  # type: ignore[arg-type]


def test_lists_scalars_and_views_are_taken(make_session: MakeSession) -> None:
    session = make_session(models.add())
    np.testing.assert_array_equal(session.run(None, {"x": X.tolist(), "y": [[1, 1, 1]]})[0], X + 1)
    wide = np.arange(24, dtype=np.float32).reshape(4, 6)
    even, odd = wide[::2, ::2], wide[1::2, ::2]
    np.testing.assert_array_equal(session.run(None, {"x": even, "y": odd})[0], even + odd)
    swapped = X.astype(">f4")
    np.testing.assert_array_equal(session.run(None, {"x": swapped, "y": np.asfortranarray(X)})[0], 2 * X)
    scalar = make_session(models.identity(TensorProto.FLOAT, []))
    assert scalar.run(None, {"x": 2.5})[0] == np.float32(2.5)
    assert scalar.run(None, {"x": 7})[0].shape == ()


def test_outputs_are_copies(make_session: MakeSession) -> None:
    session = make_session(models.add())
    (first,) = session.run(None, {"x": X, "y": X})
    first[:] = -1
    (second,) = session.run(None, {"x": X, "y": X})
    np.testing.assert_array_equal(second, 2 * X)
    assert first.flags.writeable and first.flags.owndata


def test_a_closed_session_says_so(make_session: MakeSession) -> None:
    session = make_session(models.add())
    with session:
        session.run(None, {"x": X, "y": X})
    session.close()
    with pytest.raises(onnxlet.RuntimeException, match="closed"):
        session.run(None, {"x": X, "y": X})
    with pytest.raises(onnxlet.RuntimeException, match="closed"):
        _ = session.memory


def test_awaits_a_run(make_session: MakeSession) -> None:
    session = make_session(models.add())

    async def several() -> list[np.ndarray]:
        runs = [session.run_async(None, {"x": X, "y": X * i}) for i in range(5)]
        return [result[0] for result in await asyncio.gather(*runs)]

    for i, z in enumerate(asyncio.run(several())):
        np.testing.assert_array_equal(z, X + X * i)


def test_async_errors_reach_the_awaiter(make_session: MakeSession) -> None:
    session = make_session(models.add())

    async def wrong() -> None:
        await session.run_async(None, {"x": X})

    with pytest.raises(onnxlet.InvalidArgument):
        asyncio.run(wrong())


def test_callback_form_of_run_async(make_session: MakeSession) -> None:
    session = make_session(models.add())
    heard: list[tuple[list[np.ndarray], object, str]] = []
    done = threading.Event()

    def callback(results: list[np.ndarray], user_data: object, problem: str) -> None:
        heard.append((results, user_data, problem))
        if len(heard) == 2:
            done.set()

    session.run_async(None, {"x": X, "y": X}, callback, "mine")
    session.run_async(None, {"x": X}, callback, "other")
    assert done.wait(30)
    results, _, problem = next(item for item in heard if item[1] == "mine")
    np.testing.assert_array_equal(results[0], 2 * X)
    assert problem == ""
    assert next(item for item in heard if item[1] == "other")[2].startswith("INVALID_ARGUMENT")


def test_a_run_that_should_terminate_is_aborted(make_session: MakeSession) -> None:
    session = make_session(models.add())
    options = onnxlet.RunOptions()
    options.terminate = True
    with pytest.raises(onnxlet.Aborted) as caught:
        session.run(None, {"x": X, "y": X}, options)
    assert caught.value.code == "ABORTED"
    options.terminate = False
    session.run(None, {"x": X, "y": X}, options)


ENDLESS = {"go_on": np.array(True), "x": np.ones(1, np.float32)}


def test_a_run_is_terminated_by_another_thread(make_session: MakeSession) -> None:
    session = make_session(models.endless_loop())
    options = onnxlet.RunOptions()
    timer = threading.Timer(0.1, setattr, (options, "terminate", True))
    timer.start()
    with pytest.raises(onnxlet.Aborted):
        session.run(None, ENDLESS, options)
    timer.join()
    assert session.run(None, ENDLESS | {"go_on": np.array(False)})[0] == 1


@pytest.mark.parametrize(
    ("entry", "kind", "words"),
    [
        (
            "max_steps",
            onnxlet.Fail,
            "node 'loop' (Loop-21): the run was stopped after 7 steps, as many as max_steps allows",
        ),
        ("max_tensor_bytes", onnxlet.OutOfMemory, "are in use, and max_tensor_bytes allows 7"),
    ],
)
def test_limits_of_a_session(make_session: MakeSession, entry: str, kind: type[onnxlet.Error], words: str) -> None:
    options = onnxlet.SessionOptions()
    options.add_session_config_entry(f"onnxlet.{entry}", "7")
    session = make_session(models.endless_loop(), options)
    with pytest.raises(kind, match=re.escape(words)):
        session.run(None, ENDLESS)


def test_profiles_a_run(make_session: MakeSession, tmp_path: Path) -> None:
    options = onnxlet.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "trace_")
    session = make_session(models.add(), options)
    session.run(None, {"x": X, "y": X})
    entries = session.profile()
    assert [entry["op_type"] for entry in entries] == ["Add"]
    assert entries[0]["duration_us"] >= 0
    assert '"Add sum"' in Path(session.end_profiling()).read_text()
    with pytest.raises(onnxlet.InvalidArgument, match="enable_profiling"):
        make_session(models.add()).profile()


def test_free_dimensions_can_be_fixed(make_session: MakeSession) -> None:
    options = onnxlet.SessionOptions()
    options.add_free_dimension_override_by_name("N", 2)
    session = make_session(models.add(), options)
    assert session.get_inputs()[0].shape == [2, 3]
    with pytest.raises(onnxlet.InvalidArgument):
        session.run(None, {"x": X[:1], "y": X[:1]})


def test_every_optimization_level_gives_the_same(make_session: MakeSession) -> None:
    made = models.matmul()
    x = np.random.default_rng(1).standard_normal((5, 64)).astype(np.float32)
    expected = np.maximum(x @ models.weight_of(made), 0)
    for level in onnxlet.GraphOptimizationLevel:
        options = onnxlet.SessionOptions()
        options.graph_optimization_level = level
        np.testing.assert_allclose(make_session(made, options).run(None, {"x": x})[0], expected, rtol=1e-4, atol=1e-5)


def test_deterministic_mode_leaves_relaxed_simd_out(make_session: MakeSession) -> None:
    options = onnxlet.SessionOptions()
    options.use_deterministic_compute = True
    session = make_session(models.add(), options)
    assert "relaxed" not in session.flavour
    np.testing.assert_array_equal(session.run(None, {"x": X, "y": X})[0], 2 * X)


def test_providers_as_onnxruntime_takes_them(make_session: MakeSession) -> None:
    assert make_session(models.add(), providers=["CPUExecutionProvider"]).get_providers() == ["CPUExecutionProvider"]
    with pytest.warns(RuntimeWarning, match="CUDAExecutionProvider"):
        session = make_session(models.add(), providers=[("CUDAExecutionProvider", {}), "CPUExecutionProvider"])
    assert session.get_providers() == ["CPUExecutionProvider"]
    with pytest.raises(onnxlet.InvalidArgument):
        make_session(models.add(), providers="wasm")
    with pytest.raises(TypeError):
        make_session(models.add(), sess_optoins=None)


def test_many_sessions_live_side_by_side(make_session: MakeSession) -> None:
    sessions = [make_session(models.matmul(seed=i)) for i in range(4)]
    x = np.ones((1, 64), np.float32)
    expected = [np.maximum(x @ models.weight_of(models.matmul(seed=i)), 0) for i in range(4)]
    sessions[1].close()
    for i in (0, 2, 3):
        np.testing.assert_allclose(sessions[i].run(None, {"x": x})[0], expected[i], rtol=1e-4, atol=1e-5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_goes_on_with_one_thread(make_wasm_session: MakeSession) -> None:
    made = models.matmul(256)
    session = make_wasm_session(made)
    x = np.ones((64, 256), np.float32)
    expected = session.run(None, {"x": x})[0]
    child = os.fork()
    if child == 0:
        same = session.threads == 1 and np.array_equal(session.run(None, {"x": x})[0], expected)
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    np.testing.assert_array_equal(session.run(None, {"x": x})[0], expected)
