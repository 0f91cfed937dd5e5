"""OrtValue and IOBinding: values that a program holds, in its memory or in the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import onnxlet

from . import models
from .conftest import MakeSession

ml_dtypes = pytest.importorskip("ml_dtypes")
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def two_outputs() -> Any:
    """z = x + y, w = -x."""
    nodes = [helper.make_node("Add", ["x", "y"], ["z"]), helper.make_node("Neg", ["x"], ["w"])]
    return models.model(nodes, [models.tensor("x"), models.tensor("y")], [models.tensor("z"), models.tensor("w")])


def allocations(session: onnxlet.InferenceSession) -> int:
    return session.memory["in_use"]


# ---- values ----


@pytest.mark.parametrize("module", [onnxlet, onnxruntime], ids=["onnxlet", "onnxruntime"])
def test_a_value_describes_itself_as_in_onnxruntime(module: Any) -> None:
    array = X.copy()
    value = module.OrtValue.ortvalue_from_numpy(array)
    assert (value.data_type(), value.element_type(), value.shape()) == ("tensor(float)", 1, [2, 3])
    assert (value.is_tensor(), value.is_tensor_sequence(), value.is_sparse_tensor()) == (True, False, False)
    assert (value.has_value(), value.device_name(), value.tensor_size_in_bytes()) == (True, "cpu", 24)
    assert value.data_ptr() == array.ctypes.data
    assert value.__dlpack_device__() == (1, 0)


@pytest.mark.parametrize("module", [onnxlet, onnxruntime], ids=["onnxlet", "onnxruntime"])
def test_a_value_shares_the_memory_of_its_array(module: Any) -> None:
    array = X.copy()
    value = module.OrtValue.ortvalue_from_numpy(array)
    array[0, 0] = 9
    assert value.numpy()[0, 0] == 9
    value.numpy()[0, 1] = 7
    assert array[0, 1] == 7
    value.update_inplace(-X)
    np.testing.assert_array_equal(array, -X)
    assert np.shares_memory(np.asarray(value), array)
    assert not np.shares_memory(np.array(value), array)
    with pytest.raises((RuntimeError, onnxlet.InvalidArgument)):
        value.update_inplace(X[:1])


def test_values_of_types_that_numpy_lacks() -> None:
    codes = np.array([0x3F80, 0xC000], np.uint16)
    value = onnxlet.OrtValue.ortvalue_from_numpy_with_onnx_type(codes, TensorProto.BFLOAT16)
    assert (value.data_type(), value.element_type(), value.shape()) == ("tensor(bfloat16)", 16, [2])
    assert value.numpy().tolist() == [1.0, -2.0]
    assert value.data_ptr() == codes.ctypes.data
    made = onnxlet.OrtValue.ortvalue_from_shape_and_type([2, 2], TensorProto.FLOAT8E5M2)
    assert made.data_type() == "tensor(float8e5m2)" and made.numpy().dtype == ml_dtypes.float8_e5m2
    assert onnxlet.OrtValue.ortvalue_from_shape_and_type([3], np.int16).numpy().tolist() == [0, 0, 0]
    assert onnxlet.OrtValue.ortvalue_from_shape_and_type([5], TensorProto.INT4).tensor_size_in_bytes() == 3
    assert onnxlet.OrtValue.ortvalue_from_numpy(np.array(["a", "bc"])).numpy().tolist() == ["a", "bc"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda ort: ort.ortvalue_from_numpy([1.0]), "list given"),
        (lambda ort: ort.ortvalue_from_numpy(X, "cuda", 0), "no device 'cuda'"),
        (lambda ort: ort.ortvalue_from_numpy(np.array(["2020"], "datetime64[D]")), "datetime64"),
        (lambda ort: ort.ortvalue_from_numpy_with_onnx_type(X, TensorProto.BFLOAT16), "width differs"),
        (lambda ort: ort.ortvalue_from_shape_and_type([1], 99), "99 is not an element type"),
        (lambda ort: ort.ortvalue_from_numpy(X).update_inplace(X.astype(np.float64)), "cannot take double"),
    ],
)
def test_a_wrong_value_is_refused(make: Any, words: str) -> None:
    with pytest.raises(onnxlet.InvalidArgument, match=words):
        make(onnxlet.OrtValue)


def test_values_are_feeds(make_session: MakeSession) -> None:
    session = make_session(models.add())
    value = onnxlet.OrtValue.ortvalue_from_numpy(X)
    np.testing.assert_array_equal(session.run(None, {"x": value, "y": X})[0], 2 * X)


def test_outputs_stay_in_the_engine_and_are_fed_again(make_session: MakeSession) -> None:
    session = make_session(models.add())
    one = onnxlet.OrtValue.ortvalue_from_numpy(np.ones_like(X))
    (value,) = session.run_with_ort_values(["z"], {"x": onnxlet.OrtValue.ortvalue_from_numpy(X), "y": one})
    assert value._resident is not None
    assert (value.data_type(), value.shape(), value.has_value()) == ("tensor(float)", [2, 3], True)
    for _ in range(10):
        (value,) = session.run_with_ort_values(None, {"x": value, "y": one})
    assert value._resident is not None
    np.testing.assert_array_equal(value.numpy(), X + 11)
    assert value._resident is None
    value.numpy()[:] = 0  # its memory is the program's now
    np.testing.assert_array_equal(session.run(None, {"x": value, "y": one})[0], np.ones_like(X))


def test_engine_values_go_with_their_last_reference(make_session: MakeSession) -> None:
    size = 1000
    session = make_session(models.matmul(size))
    value = onnxlet.OrtValue.ortvalue_from_numpy(np.ones((100, size), np.float32))
    sizes = []
    for _ in range(8):
        (value,) = session.run_with_ort_values(["y"], {"x": value})
        sizes.append(allocations(session))
    assert max(sizes[3:]) == min(sizes[3:])
    before = allocations(session)
    del value
    assert before - allocations(session) >= 100 * size * 4


def test_a_run_may_use_up_its_feeds(make_session: MakeSession) -> None:
    size = 1000
    session = make_session(models.matmul(size))
    options = onnxlet.RunOptions()
    options.add_run_config_entry("onnxlet.dispose_feeds", "1")
    value = onnxlet.OrtValue.ortvalue_from_numpy(np.ones((100, size), np.float32))
    (kept,) = session.run_with_ort_values(None, {"x": value}, options)  # its memory is the program's
    assert value.shape() == [100, size]
    before = allocations(session)
    (result,) = session.run_with_ort_values(None, {"x": kept}, options)
    assert allocations(session) - before < size  # bytes: nothing as large as the value
    assert result.shape() == [100, size]
    for use in (kept.numpy, kept.shape, lambda: session.run(None, {"x": kept})):
        with pytest.raises(onnxlet.InvalidArgument, match="was given up: a run was fed with it"):
            use()
    with pytest.raises(
        onnxlet.InvalidArgument, match=r"no config entry 'onnxlet.dispose'; runs have onnxlet.dispose_feeds"
    ):
        options.add_run_config_entry("onnxlet.dispose", "1")


def test_a_cache_is_written_in_place_when_it_is_given_up(make_session: MakeSession) -> None:
    node = helper.make_node("TensorScatter", ["past", "update", "at"], ["present"], axis=1)
    shape = [1, 4096, 64]
    past, present = models.tensor("past", shape=shape), models.tensor("present", shape=shape)
    update, at = models.tensor("update", shape=[1, 1, 64]), models.tensor("at", TensorProto.INT64, [1])
    session = make_session(models.model([node], [past, update, at], [present], opset=24))
    options = onnxlet.RunOptions()
    options.add_run_config_entry("onnxlet.dispose_feeds", "1")
    cache = session.create_ortvalue_from_shape_and_type(shape, np.float32)
    before = session.memory["peak"]
    for step in range(4):
        feeds = {"past": cache, "update": np.full((1, 1, 64), step + 1, np.float32), "at": [step]}
        (cache,) = session.run_with_ort_values(None, feeds, options)
    assert session.memory["peak"] - before < cache.tensor_size_in_bytes() // 2
    np.testing.assert_array_equal(cache.numpy()[0, :5, 0], [1, 2, 3, 4, 0])


def test_a_value_of_another_session_is_copied(make_session: MakeSession) -> None:
    first, second = make_session(models.add()), make_session(models.add())
    x = onnxlet.OrtValue.ortvalue_from_numpy(X)
    (value,) = first.run_with_ort_values(None, {"x": x, "y": x})
    np.testing.assert_array_equal(second.run(None, {"x": value, "y": X})[0], 3 * X)


def test_a_value_keeps_its_session_until_that_is_closed(make_session: MakeSession) -> None:
    def made(session: onnxlet.InferenceSession) -> onnxlet.OrtValue:
        return session.run_with_ort_values(None, {"x": x, "y": x})[0]

    x = onnxlet.OrtValue.ortvalue_from_numpy(X)
    lasting = made(onnxlet.InferenceSession(models.add().SerializeToString()))
    np.testing.assert_array_equal(lasting.numpy(), 2 * X)
    session = make_session(models.add())
    read, unread = made(session), made(session)
    read.numpy()
    session.close()
    np.testing.assert_array_equal(read.numpy(), 2 * X)
    with pytest.raises(onnxlet.RuntimeException, match="closed"):
        unread.numpy()


def test_values_that_are_no_tensors(make_session: MakeSession) -> None:
    floats = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    session = make_session(models.identity_of(helper.make_sequence_type_proto(floats)))
    (value,) = session.run_with_ort_values(None, {"x": [X, X]})  # type: ignore[dict-item]
    assert (value.is_tensor(), value.is_tensor_sequence(), value.data_type()) == (False, True, "seq(tensor(float))")
    with pytest.raises(onnxlet.InvalidArgument, match="not a tensor"):
        value.numpy()
    (again,) = session.run_with_ort_values(None, {"x": value})
    assert len(again._copied()) == 2
    session = make_session(models.identity_of(helper.make_optional_type_proto(floats)))
    (value,) = session.run_with_ort_values(None, {"x": None})  # type: ignore[dict-item]
    assert not value.has_value() and not value.is_tensor()


def test_a_value_in_the_sessions_engine_is_updated(make_session: MakeSession) -> None:
    session = make_session(models.add())
    value = session.create_ortvalue_from_shape_and_type([2, 3], np.float32)
    assert value.shape() == [2, 3]
    np.testing.assert_array_equal(session.run(None, {"x": value, "y": X})[0], X)
    value.update_inplace(X)
    assert value._resident is not None
    np.testing.assert_array_equal(session.run(None, {"x": value, "y": X})[0], 2 * X)


def test_copying_tensors() -> None:
    target = onnxlet.OrtValue.ortvalue_from_shape_and_type([2, 3], np.float32)
    onnxlet.copy_tensors([onnxlet.OrtValue.ortvalue_from_numpy(X)], [target])
    np.testing.assert_array_equal(target.numpy(), X)
    with pytest.raises(onnxlet.InvalidArgument, match="0 values cannot be copied into 1"):
        onnxlet.copy_tensors([], [target])


# ---- bindings ----


def run_bound(module: Any, session: Any) -> dict[str, list[Any]]:
    """The same program for both packages."""
    found = {}
    binding = session.io_binding()
    binding.bind_cpu_input("x", X)
    binding.bind_ortvalue_input("y", module.OrtValue.ortvalue_from_numpy(X))
    binding.bind_output("w")
    binding.bind_output("z", "cpu")
    session.run_with_iobinding(binding)
    found["copies"] = [array.tolist() for array in binding.copy_outputs_to_cpu()]
    outputs = binding.get_outputs()
    found["outputs"] = [(value.shape(), value.data_type(), value.numpy().tolist()) for value in outputs]
    found["vector"] = [value.shape() for value in binding.get_outputs_as_ortvaluevector()]

    target = module.OrtValue.ortvalue_from_shape_and_type([2, 3], np.float32)
    buffer = np.zeros((2, 3), np.float32)
    binding.clear_binding_outputs()
    binding.clear_binding_inputs()
    binding.bind_input("x", "cpu", 0, np.float32, [2, 3], X.ctypes.data)
    binding.bind_cpu_input("y", X)
    binding.bind_ortvalue_output("z", target)
    binding.bind_output("w", "cpu", 0, np.float32, [2, 3], buffer.ctypes.data)
    address = target.data_ptr()
    binding.synchronize_inputs()
    session.run_with_iobinding(binding, module.RunOptions())
    binding.synchronize_outputs()
    assert target.data_ptr() == address
    found["in place"] = [target.numpy().tolist(), buffer.tolist()]
    return found


def test_bindings_work_as_in_onnxruntime(make_session: MakeSession) -> None:
    made = two_outputs()
    theirs = run_bound(onnxruntime, onnxruntime.InferenceSession(made.SerializeToString()))
    assert run_bound(onnxlet, make_session(made)) == theirs


def test_an_output_is_the_next_input(make_session: MakeSession) -> None:
    session = make_session(models.add())
    binding = session.io_binding()
    binding.bind_cpu_input("y", np.ones_like(X))
    binding.bind_output("z")
    binding.bind_cpu_input("x", X)
    for _ in range(5):
        session.run_with_iobinding(binding)
        binding.bind_ortvalue_input("x", binding.get_outputs()[0])
    (value,) = binding.get_outputs()
    assert value._resident is not None
    np.testing.assert_array_equal(value.numpy(), X + 5)


def test_one_value_is_input_and_output(make_session: MakeSession) -> None:
    session = make_session(models.add())
    for value in (
        onnxlet.OrtValue.ortvalue_from_numpy(X.copy()),
        session.create_ortvalue_from_shape_and_type([2, 3], np.float32),
    ):
        start = np.array(value, copy=True)
        binding = session.io_binding()
        binding.bind_ortvalue_input("x", value)
        binding.bind_ortvalue_output("z", value)
        binding.bind_cpu_input("y", np.ones_like(X))
        for _ in range(3):
            session.run_with_iobinding(binding)
        np.testing.assert_array_equal(value.numpy(), start + 3)


def test_packed_and_string_outputs_are_written_in_place(make_session: MakeSession) -> None:
    small = np.array([1, -2, 7], ml_dtypes.int4)
    texts = np.array(["a", "bc", ""], object)
    for kind, array in ((TensorProto.INT4, small), (TensorProto.STRING, texts)):
        session = make_session(models.identity(kind, [3]))
        binding = session.io_binding()
        target = onnxlet.OrtValue.ortvalue_from_shape_and_type([3], kind)
        binding.bind_cpu_input("x", array)
        binding.bind_ortvalue_output("y", target)
        session.run_with_iobinding(binding)
        assert target.numpy().tolist() == array.tolist()


def test_a_wrong_binding_is_named(make_session: MakeSession) -> None:
    session = make_session(models.add())
    binding = session.io_binding()
    with pytest.raises(onnxlet.InvalidArgument, match="no input 'nope'; the model has x, y"):
        binding.bind_cpu_input("nope", X)
    with pytest.raises(onnxlet.InvalidArgument, match="no output 'nope'; the model has z"):
        binding.bind_output("nope")
    with pytest.raises(onnxlet.InvalidArgument, match="no device 'cuda'"):
        binding.bind_output("z", "cuda")
    with pytest.raises(onnxlet.InvalidArgument, match="element_type and shape"):
        binding.bind_output("z", buffer_ptr=1)
    with pytest.raises(TypeError, match="ndarray given"):
        binding.bind_ortvalue_input("x", X)  # type: ignore[arg-type]
    with pytest.raises(onnxlet.InvalidArgument, match="no output is bound"):
        session.run_with_iobinding(binding)
    with pytest.raises(onnxlet.InvalidArgument, match="session that made it"):
        make_session(models.add()).run_with_iobinding(binding)
    binding.bind_cpu_input("x", X)
    binding.bind_cpu_input("y", X)
    for shape, kind in (([1, 3], np.float32), ([2, 3], np.float64)):
        binding.bind_ortvalue_output("z", onnxlet.OrtValue.ortvalue_from_shape_and_type(shape, kind))
        with pytest.raises(onnxlet.InvalidArgument, match=r"'z' is float of shape \[2, 3\]; the value bound to it is"):
            session.run_with_iobinding(binding)
    binding.bind_output("z")
    session.run_with_iobinding(binding)
    np.testing.assert_array_equal(binding.copy_outputs_to_cpu()[0], 2 * X)


def test_runs_with_vectors_of_values(make_session: MakeSession) -> None:
    session = make_session(two_outputs())
    x = onnxlet.OrtValue.ortvalue_from_numpy(X)
    fetches = onnxlet.OrtValueVector()
    session.run_with_ortvaluevector(onnxlet.RunOptions(), ["x", "y"], [x, x], ["w", "z"], fetches)
    assert [value.numpy().tolist() for value in fetches] == [(-X).tolist(), (2 * X).tolist()]
    fetches.push_back(x)
    assert fetches.element_type_at(2) == 1
    assert [array.shape for array in fetches.to_dlpacks(lambda c: onnxlet.OrtValue.from_dlpack(c).numpy())] == [
        (2, 3)
    ] * 3
