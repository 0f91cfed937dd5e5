"""Values across the border: every element type, strings, sequences, maps, optionals."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import onnxlet
from onnxlet import arrays, dtypes, hosts, values
from onnxlet.hosts.engine import Engine

from . import models
from .conftest import BACKENDS, ROOT, MakeSession, need

ml_dtypes = pytest.importorskip("ml_dtypes")
SHAPES = [(), (0,), (1,), (7,), (3, 5), (2, 0, 3), (2, 1, 31)]
TYPED = [dtype for dtype in dtypes.BY_NUMBER.values() if dtype is not dtypes.STRING]
# The engine's type strings and numbers are ONNX's own.
ONNX_NAMES = {dtype.number: TensorProto.DataType.Name(dtype.number) for dtype in dtypes.BY_NUMBER.values()}


@pytest.fixture(params=sorted({backend for backend, _ in BACKENDS}))
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    need(request.param)
    opened = hosts.open_engine(1, backend=request.param)
    yield opened
    opened.close()


def sample(dtype: dtypes.DType, shape: tuple[int, ...]) -> Any:
    kind = arrays.numpy_type(dtype)
    if kind is None:
        pytest.skip(f"this ml_dtypes has no {dtype.name}")
    count = int(np.prod(shape))
    if dtype.name == "bool":
        return (np.arange(count) % 3 == 0).reshape(shape)
    if dtype.packed:
        codes = (np.arange(count) % (1 << dtype.bits)).astype(np.uint8)
        if dtype.name in dtypes.SIGNED_PACKED:
            half = 1 << (dtype.bits - 1)
            codes = ((codes.astype(np.int8) ^ half) - half).view(np.uint8)
        return codes.view(kind).reshape(shape)
    octets = np.random.default_rng(count).integers(0, 256, count * kind.itemsize, dtype=np.uint8)
    return octets.view(kind).reshape(shape)


def round_trip(engine: Engine, value: Any, type_name: str) -> Any:
    handle = values.to_engine(engine, value, type_name)
    try:
        return values.from_engine(engine, handle)
    finally:
        engine.abi.ol_value_free(handle)


def same_bits(left: Any, right: Any) -> bool:
    return bool(left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes())


def test_the_table_of_types_is_onnx_own() -> None:
    for dtype in dtypes.BY_NUMBER.values():
        spelled = ONNX_NAMES[dtype.number].lower().replace("_", "")
        assert dtype.name.replace("_", "") == spelled
        if dtype is not dtypes.STRING and arrays.numpy_type(dtype) is not None:
            assert helper.tensor_dtype_to_np_dtype(dtype.number) == arrays.numpy_type(dtype)


@pytest.mark.parametrize("dtype", TYPED, ids=lambda dtype: dtype.name)
def test_every_element_type_keeps_its_bits(engine: Engine, dtype: dtypes.DType) -> None:
    for shape in SHAPES:
        array = sample(dtype, shape)
        assert same_bits(round_trip(engine, array, f"tensor({dtype.name})"), array), shape


@pytest.mark.parametrize("dtype", TYPED, ids=lambda dtype: dtype.name)
def test_raw_tensors_are_packed_as_onnx_does(engine: Engine, dtype: dtypes.DType) -> None:
    array = sample(dtype, (3, 5))
    stored = helper.make_tensor("t", dtype.number, array.shape, array).raw_data if not dtype.packed else b""
    packed = arrays.to_bytes(array, dtype).tobytes()
    if dtype.bits in (2, 4):
        from onnx import numpy_helper

        stored = numpy_helper.from_array(array).raw_data
    if stored:
        assert packed == stored
    raw = onnxlet.RawTensor(dtype.name, (3, 5), packed)
    assert same_bits(round_trip(engine, raw, ""), array)
    assert same_bits(raw.numpy(), array)


def test_types_of_ml_dtypes_come_back_raw_without_it(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    array = np.array([[1.5, -2.0]], ml_dtypes.bfloat16)
    small = np.array([1, -2, 7], ml_dtypes.int4)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    raw = round_trip(engine, array, "")
    assert isinstance(raw, onnxlet.RawTensor)
    assert (raw.dtype, raw.shape, bytes(raw.data)) == ("bfloat16", (1, 2), array.tobytes())
    np.testing.assert_array_equal(raw.numpy(), array.view(np.uint16))
    packed = round_trip(engine, small, "")
    assert (packed.dtype, bytes(packed.data)) == ("int4", bytes([0xE1, 0x07]))


def test_strings_keep_unicode_nul_and_shape(engine: Engine) -> None:
    texts = np.array([["", "a\0b"], ["größe", "日本語 🙂"], ["x" * 10000, " "]], dtype=object)
    result = round_trip(engine, texts, "tensor(string)")
    assert result.dtype == object and result.shape == (3, 2)
    assert result.tolist() == texts.tolist()
    assert round_trip(engine, np.array(["ab", "c"]), "tensor(string)").tolist() == ["ab", "c"]
    assert round_trip(engine, np.array([b"ab", b"\xff"], object), "tensor(string)").tolist() == ["ab", "\udcff"]
    assert round_trip(engine, "word", "tensor(string)").tolist() == "word"
    with pytest.raises(onnxlet.InvalidArgument, match="int found"):
        round_trip(engine, np.array(["a", 1], object), "tensor(string)")


def test_sequences_are_lists(engine: Engine) -> None:
    items = [np.array([1, 2], np.float32), np.zeros((0, 3), np.float32), np.float32(4).reshape(())]
    result = round_trip(engine, items, "seq(tensor(float))")
    assert isinstance(result, list) and all(same_bits(a, np.asarray(b)) for a, b in zip(result, items, strict=True))
    assert round_trip(engine, [], "seq(tensor(float))") == []
    assert round_trip(engine, [["a"], ["b"]], "seq(tensor(string))")[1].tolist() == ["b"]
    nested = round_trip(engine, [[1, 2], [3]], "optional(seq(tensor(int64)))")
    assert [item.tolist() for item in nested] == [[1, 2], [3]] and nested[0].dtype == np.int64


def test_maps_are_dicts(engine: Engine) -> None:
    assert round_trip(engine, {"a": 0.5, "b": -1.0}, "map(string,tensor(float))") == {"a": 0.5, "b": -1.0}
    assert round_trip(engine, {3: 1, -4: 2}, "map(int64,tensor(int64))") == {3: 1, -4: 2}
    several = round_trip(engine, [{"a": 1.0}, {"b": 2.0}], "seq(map(string,tensor(float)))")
    assert several == [{"a": 1.0}, {"b": 2.0}]
    with pytest.raises(onnxlet.InvalidArgument, match="dict was given"):
        round_trip(engine, {"a": 1}, "tensor(float)")


def test_none_is_an_empty_optional(engine: Engine) -> None:
    assert round_trip(engine, None, "optional(tensor(float))") is None


def test_an_allocation_beyond_memory_is_an_error(engine: Engine) -> None:
    with pytest.raises(onnxlet.OutOfMemory, match="the model takes"):
        engine.alloc(1 << 62, "the model")
    with pytest.raises(onnxlet.Error):
        engine.pointer(engine.abi.ol_tensor_new(1, 2, engine.scratch_integers([1 << 40, 1 << 20])))
    assert round_trip(engine, [1.0], "tensor(float)").tolist() == [1.0]


@pytest.mark.parametrize(
    ("dtype", "shape", "data", "message"),
    [
        ("float", (2,), bytes(4), "takes 8 bytes; 4 given"),
        ("int4", (3,), bytes(3), "takes 2 bytes; 3 given"),
        ("string", (1,), b"a", "not an element type with bytes"),
        ("float128", (1,), b"a", "not an element type"),
    ],
)
def test_a_wrong_raw_tensor_is_refused(dtype: str, shape: tuple[int, ...], data: bytes, message: str) -> None:
    with pytest.raises(onnxlet.InvalidArgument, match=message):
        onnxlet.RawTensor(dtype, shape, data)


def test_raw_tensor_lists() -> None:
    raw = onnxlet.RawTensor("int16", (2, 3), np.arange(6, dtype=np.int16))
    assert raw.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert onnxlet.RawTensor("float", (), np.float32(2).tobytes()).tolist() == 2.0
    assert onnxlet.RawTensor("float", (2, 0), b"").tolist() == [[], []]
    with pytest.raises(onnxlet.InvalidArgument, match="ml_dtypes"):
        onnxlet.RawTensor("bfloat16", (1,), bytes(2)).tolist()


def test_raw_tensors_are_pickled_and_copied() -> None:
    raw = onnxlet.RawTensor("bfloat16", (2,), memoryview(bytearray(b"abcd")))
    for other in (pickle.loads(pickle.dumps(raw)), copy.deepcopy(raw)):
        assert other == raw
        other.data[0] = 0
        assert other != raw


def test_sequences_and_optionals_through_a_model(make_session: MakeSession) -> None:
    floats = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
    session = make_session(models.identity_of(helper.make_sequence_type_proto(floats)))
    assert session.get_inputs()[0].type == "seq(tensor(float))"
    (result,) = session.run(None, {"x": [np.array([1], np.float32), np.array([2, 3], np.float32)]})
    assert [item.tolist() for item in result] == [[1], [2, 3]]
    session = make_session(models.identity_of(helper.make_optional_type_proto(floats)))
    assert session.run(None, {"x": None}) == [None]
    assert session.run(None, {"x": np.array([1], np.float32)})[0].tolist() == [1]


@pytest.mark.parametrize("dtype", [*TYPED, dtypes.STRING], ids=lambda dtype: dtype.name)
def test_every_element_type_goes_through_a_model(make_session: MakeSession, dtype: dtypes.DType) -> None:
    opset = 25 if dtype.number > 24 else 24 if dtype.number > 20 else 13
    if dtype.name.startswith("float8"):
        opset = 24
    if dtype.name.startswith("float6"):
        opset = 28
    try:
        made = models.identity(dtype.number, opset=opset)
    except Exception as error:  # an onnx package older than the type
        pytest.skip(str(error))
    session = make_session(made)
    assert session.get_inputs()[0].type == f"tensor({dtype.name})"
    if dtype is dtypes.STRING:
        assert session.run(None, {"x": np.array(["a", ""])})[0].tolist() == ["a", ""]
        return
    array = sample(dtype, (3, 5))
    assert same_bits(session.run(None, {"x": array})[0], array)


NO_NUMPY = """
import sys
sys.modules["numpy"] = None
sys.modules["ml_dtypes"] = None
sys.modules["onnx"] = None
import array, onnxlet
session = onnxlet.InferenceSession(sys.argv[1])
feeds = {"x": array.array("f", [1, 2, 3, 4, 5, 6]), "y": [[1, 1, 1]]}
feeds["x"] = memoryview(feeds["x"]).cast("B").cast("f", (2, 3))
(z,) = session.run(None, feeds)
assert isinstance(z, onnxlet.RawTensor), z
print(z.dtype, z.shape, z.tolist())
(again,) = session.run(None, {"x": z, "y": [[0.5, 0, 0]]})
print(again.tolist())
try:
    session.run(None, {"x": array.array("d", [1]), "y": z})
except onnxlet.InvalidArgument as error:
    print(error.code)
value = onnxlet.OrtValue.ortvalue_from_shape_and_type([2, 3], 1)
(kept,) = session.run_with_ort_values(None, {"x": z, "y": z})
binding = session.io_binding()
binding.bind_ortvalue_input("x", kept)
binding.bind_cpu_input("y", z)
binding.bind_ortvalue_output("z", value)
session.run_with_iobinding(binding)
print(value.shape(), binding.copy_outputs_to_cpu()[0].tolist(), value.data_ptr() != 0)
class Tensor:
    __dlpack__ = None
try:
    session.run(None, {"x": Tensor(), "y": z})
except onnxlet.InvalidArgument as error:
    print(error)
"""


def test_works_without_numpy(tmp_path: Any) -> None:
    need("wasm")
    path = tmp_path / "add.onnx"
    path.write_bytes(models.add().SerializeToString())
    done = subprocess.run(
        [sys.executable, "-c", NO_NUMPY, str(path)], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "float (2, 3) [[2.0, 3.0, 4.0], [5.0, 6.0, 7.0]]",
        "[[2.5, 3.0, 4.0], [5.5, 6.0, 7.0]]",
        "INVALID_ARGUMENT",
        "[2, 3] [[6.0, 9.0, 12.0], [15.0, 18.0, 21.0]] True",
        "input 'x': Tensor does not convert to a tensor; numpy is needed for DLPack",
    ]
