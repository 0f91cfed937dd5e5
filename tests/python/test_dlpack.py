"""Tensors of other libraries, through DLPack and the buffer protocol."""

from __future__ import annotations

import array
import gc
import weakref
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

import onnxlet
from onnxlet import dlpack, dtypes

from . import models
from .conftest import MakeSession
from .test_values import TYPED, same_bits, sample

X = np.arange(6, dtype=np.float32).reshape(2, 3)
NUMPY = [dtype for dtype in TYPED if not dtype.extension]
OTHERS = [dtype for dtype in TYPED if dtype.name in dlpack._CODES]
PASSING = NUMPY + OTHERS


class Foreign:
    """A tensor of another library: DLPack is all that is known of it."""

    def __init__(self, source: Any, device: tuple[int, int] = (1, 0)) -> None:
        self.source = source
        self.device = device

    def __dlpack__(self, **options: Any) -> Any:
        return self.source.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


@pytest.mark.parametrize("dtype", PASSING, ids=lambda dtype: dtype.name)
def test_every_type_that_fills_bytes_passes_both_ways(dtype: dtypes.DType) -> None:
    for shape in ((), (7,), (3, 5), (2, 0, 3)):
        source = sample(dtype, shape)
        value = onnxlet.OrtValue.ortvalue_from_numpy(source)
        other = onnxlet.OrtValue.from_dlpack(Foreign(value))
        assert other.data_type() == f"tensor({dtype.name})"
        assert same_bits(other.numpy(), source), shape
        if source.size:
            assert other.data_ptr() == value.data_ptr()


@pytest.mark.parametrize("dtype", OTHERS, ids=lambda dtype: dtype.name)
def test_types_that_numpy_lacks_are_feeds(make_session: MakeSession, dtype: dtypes.DType) -> None:
    source = sample(dtype, (3, 5))
    session = make_session(models.identity(dtype.number, opset=24))
    feed = Foreign(onnxlet.OrtValue.ortvalue_from_numpy(source))
    assert same_bits(session.run(None, {"x": feed})[0], source)


def test_foreign_tensors_are_feeds(make_session: MakeSession) -> None:
    session = make_session(models.add())
    wide = np.arange(24, dtype=np.float32).reshape(4, 6)
    np.testing.assert_array_equal(
        session.run(None, {"x": Foreign(X), "y": Foreign(wide[::2, ::2])})[0], X + wide[::2, ::2]
    )
    numbers = array.array("f", range(6))
    view = memoryview(numbers).cast("B").cast("f", (2, 3))
    np.testing.assert_array_equal(session.run(None, {"x": view, "y": Foreign(X.T.copy().T)})[0], 2 * X)
    flags = make_session(models.identity(TensorProto.BOOL))
    assert flags.run(None, {"x": Foreign(np.array([True, False]))})[0].tolist() == [True, False]


def test_a_capsule_is_taken_as_it_is() -> None:
    value = onnxlet.OrtValue.from_dlpack(X.__dlpack__())
    assert value.data_ptr() == X.ctypes.data
    np.testing.assert_array_equal(value.numpy(), X)


def test_outputs_are_taken_by_others(make_session: MakeSession) -> None:
    session = make_session(models.add())
    value = onnxlet.OrtValue.ortvalue_from_numpy(X)
    (output,) = session.run_with_ort_values(None, {"x": value, "y": value})
    taken = np.from_dlpack(output)  # type: ignore[arg-type]
    np.testing.assert_array_equal(taken, 2 * X)
    assert np.shares_memory(taken, output.numpy())


def test_memory_lives_as_long_as_it_is_used() -> None:
    class Array(np.ndarray):  # type: ignore[type-arg]
        pass

    source = np.zeros(1000, np.float32).view(Array)
    gone = weakref.ref(source)
    value = onnxlet.OrtValue.from_dlpack(source)
    del source
    gc.collect()
    assert gone() is not None
    assert value.numpy().tolist() == [0.0] * 1000
    del value
    gc.collect()
    assert gone() is None


class WithGradient:
    """As PyTorch's tensors that require a gradient."""

    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("can't export tensors that require gradient, use tensor.detach()")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


@pytest.mark.parametrize(
    ("feed", "words"),
    [
        (Foreign(X, (2, 0)), r"input 'x': Foreign is on another device \(DLPack type 2\); copy it to the CPU"),
        (WithGradient(), r"input 'x': WithGradient does not give its memory away: .* use tensor.detach"),
        (Foreign(X.astype(np.float64)), "double"),
    ],
)
def test_what_cannot_be_taken_is_named(make_session: MakeSession, feed: Any, words: str) -> None:
    with pytest.raises(onnxlet.InvalidArgument, match=words):
        make_session(models.add()).run(None, {"x": feed, "y": X})


def test_what_cannot_be_given_is_named() -> None:
    for kind, words in ((TensorProto.STRING, "strings do not pass"), (TensorProto.INT4, "int4 does not pass")):
        value = onnxlet.OrtValue.ortvalue_from_shape_and_type([2], kind)
        with pytest.raises(onnxlet.InvalidArgument, match=words):
            value.__dlpack__()
    with pytest.raises(onnxlet.InvalidArgument, match="list given"):
        onnxlet.OrtValue.from_dlpack([1])


def test_read_only_memory_is_not_written() -> None:
    fixed = X.copy()
    fixed.flags.writeable = False
    value = onnxlet.OrtValue.ortvalue_from_numpy(fixed)
    with pytest.raises(onnxlet.InvalidArgument, match="read-only"):
        value.update_inplace(X)
