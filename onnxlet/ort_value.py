"""OrtValue: a value that a program holds between runs, in its own memory or in a session's engine."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import content, missing, values
from .device import need_cpu
from .dtypes import DType
from .errors import InvalidArgument
from .hosts.abi_gen import Kind
from .raw_tensor import RawTensor

if TYPE_CHECKING:
    import numpy as np

    from .hosts.engine import Engine
    from .session import InferenceSession


class Resident:
    """A value in the engine of a session, which stays open as long as one is held (unless it is closed by hand)."""

    __slots__ = ("engine", "handle", "session")

    def __init__(self, session: InferenceSession, handle: int) -> None:
        """Owns the handle from here on."""
        self.session = session
        self.engine = session._engine
        self.handle = handle

    def __del__(self) -> None:
        if self.handle:
            self.engine.discard(self.handle)

    def dispose(self) -> None:
        """Frees the value while others may still hold this object. The caller holds the engine's lock."""
        handle, self.handle = self.handle, 0
        self.engine.abi.ol_value_free(handle)

    def _living(self) -> int:
        if not self.handle:
            raise InvalidArgument("this value was given up: a run was fed with it and had onnxlet.dispose_feeds set")
        return self.handle

    def feed(self, run: int, name: tuple[int, int]) -> None:
        """Gives the value to a run, by the address and length of an input's name. The caller holds the engine's lock."""
        self.engine.number(self.engine.abi.ol_run_feed(run, *name, self._living()))

    def kind(self) -> int:
        with self.session._call() as engine:
            return int(engine.abi.ol_value_kind(self._living()))

    def tensor(self) -> tuple[DType, tuple[int, ...]]:
        """Element type and shape."""
        with self.session._call() as engine:
            return values.tensor_info(engine, self._living())

    def read(self) -> Any:
        """A Python copy."""
        with self.session._call() as engine:
            return values.from_engine(engine, self._living())


class OrtValue:
    """A tensor, sequence, map or empty optional, with onnxruntime's methods.

    A value made from an array shares its memory. An output of `run_with_ort_values` or of a binding stays in the engine
    until it is asked for as an array; fed to the same session again it is not copied. After that it shares its memory
    with the array that `numpy()` gave.
    """

    __slots__ = ("__weakref__", "_declared", "_held", "_resident")

    def __init__(self, held: Any, *, declared: str = "", resident: Resident | None = None) -> None:
        """Use the factories. `declared` is the ONNX type of a value that is no tensor."""
        self._held = held
        self._declared = declared
        self._resident = resident

    def __getattr__(self, name: str) -> Any:
        raise missing.attribute_error("OrtValue", name)

    # ---- making ----

    @classmethod
    def ortvalue_from_numpy(
        cls, numpy_obj: Any, /, device_type: str = "cpu", device_id: int = 0, vendor_id: int = -1
    ) -> OrtValue:
        """A tensor that shares the array's memory (a copy if that is not contiguous). Raises InvalidArgument for types
        that ONNX lacks, and for devices other than "cpu"."""
        need_cpu(device_type)
        from . import arrays

        return cls(arrays.shareable(numpy_obj))

    @classmethod
    def ortvalue_from_numpy_with_onnx_type(cls, data: Any, /, onnx_element_type: int) -> OrtValue:
        """A tensor over the array's memory whose elements are read as another type of the same width, by its number in
        TensorProto.DataType: uint16 as bfloat16, uint8 as a float8."""
        from . import arrays

        return cls(arrays.reinterpreted(data, content.by_number(onnx_element_type)))

    @classmethod
    def ortvalue_from_shape_and_type(
        cls,
        shape: Sequence[int],
        element_type: Any,
        device_type: str = "cpu",
        device_id: int = 0,
        vendor_id: int = -1,
        memory_info: Any = None,
    ) -> OrtValue:
        """A tensor of zeros. `element_type` is a numpy type or a number of TensorProto.DataType."""
        need_cpu(device_type)
        return cls(content.zeros(content.element_type(element_type), tuple(int(size) for size in shape)))

    @classmethod
    def from_dlpack(cls, data: Any, /) -> OrtValue:
        """A tensor that shares the memory of an object with `__dlpack__`, on the CPU. Raises InvalidArgument."""
        from . import dlpack

        return cls(dlpack.imported(data))

    # ---- what it is ----

    def is_tensor(self) -> bool:
        if self._resident is not None:
            return self._resident.kind() == Kind.TENSOR
        return self._held is not None and not isinstance(self._held, list | dict)

    def is_tensor_sequence(self) -> bool:
        if self._resident is not None:
            return self._resident.kind() == Kind.SEQUENCE
        return isinstance(self._held, list)

    def is_sparse_tensor(self) -> bool:
        """False: onnxlet has no sparse tensors outside models."""
        return False

    def has_value(self) -> bool:
        """False for an optional without an element."""
        if self._resident is not None:
            return self._resident.kind() not in (Kind.NONE, Kind.OPTIONAL)
        return self._held is not None

    def _tensor(self) -> tuple[DType, tuple[int, ...]]:
        if not self.is_tensor():
            raise InvalidArgument(f"this OrtValue is not a tensor; it holds {self._declared or 'nothing'}")
        if self._resident is not None:
            return self._resident.tensor()
        return content.info(self._held)

    def shape(self) -> list[int]:
        return list(self._tensor()[1])

    def element_type(self) -> int:
        """The number in TensorProto.DataType."""
        return self._tensor()[0].number

    def data_type(self) -> str:
        """As "tensor(float)"."""
        return f"tensor({self._tensor()[0].name})" if self.is_tensor() else self._declared

    def device_name(self) -> str:
        """ "cpu"."""
        return "cpu"

    def tensor_size_in_bytes(self) -> int:
        """Bytes in ONNX's packing; 0 for strings."""
        dtype, shape = self._tensor()
        return dtype.bytes_of(math.prod(shape))

    # ---- content ----

    def numpy(self) -> np.ndarray[Any, Any]:
        """The tensor as an array that shares its memory."""
        self._tensor()
        held = self._host()
        return held.numpy() if isinstance(held, RawTensor) else held

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        import numpy as np

        array = self.numpy()
        if copy is None:
            return np.asarray(array, dtype=dtype)
        return np.array(array, dtype=dtype, copy=copy)

    def data_ptr(self) -> int:
        """The address of the elements. Valid as long as this value is."""
        self._tensor()
        return content.address(self._host())

    def __dlpack__(self, *, stream: Any = None, **options: Any) -> Any:
        """A DLPack capsule over this value's memory. Raises InvalidArgument for types that do not fill whole bytes."""
        from . import dlpack

        return dlpack.exported(self.numpy(), self._tensor()[0], **options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # kDLCPU

    def update_inplace(self, data: Any) -> None:
        """Replaces the elements by those of an array or OrtValue of the same type and number of elements."""
        if not isinstance(data, OrtValue):
            data = OrtValue.ortvalue_from_numpy(data)
        (dtype, shape), (given, its_shape) = self._tensor(), data._tensor()
        if dtype is not given or math.prod(shape) != math.prod(its_shape):
            raise InvalidArgument(
                f"a {dtype.name} value of shape {list(shape)} cannot take {given.name} of shape {list(its_shape)}"
            )
        if self._resident is not None:
            fresh = content.zeros(dtype, shape)
            content.assign(fresh, data._host())
            self._resident = self._resident.session._upload(fresh)
        else:
            content.assign(self._held, data._host())

    def _host(self) -> Any:
        """The content in the program's memory, where it is from here on."""
        resident = self._resident
        if resident is not None:
            self._held = resident.read()
            self._resident = None
        return self._held

    def _copied(self) -> Any:
        """A copy of the content, which stays where it is."""
        return self._resident.read() if self._resident is not None else copy.deepcopy(self._held)

    def _feed(self, session: InferenceSession) -> Any:
        """What a run of the session is fed with: the Resident where it is the session's own, else Python's value."""
        if self._resident is not None and self._resident.session is session:
            return self._resident
        return self._host()

    def _receive(self, engine: Engine, handle: int, name: str) -> bool:
        """Takes an output's elements into this value's memory, whose type and shape it must have. True when the value
        is one of the engine, which takes over the handle. The caller holds the engine's lock."""
        (dtype, shape), (given, its_shape) = self._tensor(), values.tensor_info(engine, handle)
        if dtype is not given or shape != its_shape:
            raise InvalidArgument(
                f"output {name!r} is {given.name} of shape {list(its_shape)}; the value bound to it is {dtype.name} of "
                f"shape {list(shape)}. Bind the output to a device when its shape is not known"
            )
        if self._resident is not None:
            self._resident = Resident(self._resident.session, handle)
            return True
        address = engine.abi.ol_tensor_data(handle)
        if not content.receive(self._held, engine, address, engine.abi.ol_tensor_bytes(handle)):
            content.assign(self._held, values.from_engine(engine, handle))
        return False


class OrtValueVector(list[OrtValue]):
    """A list of values, with onnxruntime's names for its methods."""

    def push_back(self, value: OrtValue) -> None:
        self.append(value)

    def push_back_batch(self, batch: Iterable[OrtValue]) -> None:
        self.extend(batch)

    def reserve(self, count: int) -> None:
        """Has no effect."""

    def shrink_to_fit(self) -> None:
        """Has no effect."""

    def element_type_at(self, index: int) -> int:
        return self[index].element_type()

    def dlpack_at(self, index: int) -> Any:
        return self[index].__dlpack__()

    def to_dlpacks(self, to_tensor: Any = None) -> list[Any]:
        """Capsules, or what `to_tensor` makes of each."""
        capsules = [value.__dlpack__() for value in self]
        return capsules if to_tensor is None else [to_tensor(capsule) for capsule in capsules]


def copy_tensors(src: Sequence[OrtValue], dst: Sequence[OrtValue], stream: Any = None) -> None:
    """Copies each value of `src` into the one of `dst` at its place."""
    if len(src) != len(dst):
        raise InvalidArgument(f"{len(src)} values cannot be copied into {len(dst)}")
    for source, target in zip(src, dst, strict=True):
        target.update_inplace(source)
