"""A tensor as its bytes: for element types that numpy lacks, and for programs without numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from . import dtypes
from .errors import InvalidArgument

if TYPE_CHECKING:
    import numpy as np


class RawTensor:
    """Element type, shape and bytes of a tensor.

    Accepted wherever a feed is, and returned where numpy (or, for bfloat16, float8 and narrower types, ml_dtypes) is
    not installed. `data` is in the packing of TensorProto.raw_data: little-endian, elements of less than a byte packed
    from the lowest bit up.
    """

    __slots__ = ("data", "dtype", "shape")

    def __init__(self, dtype: str, shape: Sequence[int], data: Any) -> None:
        if dtype not in dtypes.BY_NAME or dtype == "string":
            raise InvalidArgument(f"{dtype!r} is not an element type with bytes; use one of {_known()}")
        self.dtype = dtype
        self.shape = tuple(int(size) for size in shape)
        view = memoryview(data)
        self.data = view.cast("B") if view.nbytes else memoryview(b"")
        needed = dtypes.BY_NAME[dtype].bytes_of(math.prod(self.shape))
        if len(self.data) != needed:
            raise InvalidArgument(
                f"a {dtype} tensor of shape {list(self.shape)} takes {needed} bytes; {len(self.data)} given"
            )

    def __repr__(self) -> str:
        return f"RawTensor({self.dtype!r}, {list(self.shape)}, {len(self.data)} bytes)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RawTensor):
            return False
        return (self.dtype, self.shape, self.data) == (other.dtype, other.shape, other.data)

    __hash__ = None  # type: ignore[assignment]  # mutable bytes

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy: with bytes of its own."""
        return RawTensor, (self.dtype, self.shape, bytearray(self.data))

    def tolist(self) -> Any:
        """Nested lists of Python numbers, for the types that the struct module knows."""
        code = dtypes.BY_NAME[self.dtype].format
        if code is None:
            raise InvalidArgument(f"{self.dtype} has no Python equivalent; read .data or call numpy() with ml_dtypes")
        return _nest(self.data.cast(cast(Any, code)).tolist(), self.shape)

    def numpy(self) -> np.ndarray[Any, Any]:
        """A numpy array: of the ml_dtypes type where that is installed, else the raw codes as uint8 or uint16."""
        from . import arrays

        return arrays.from_raw(dtypes.BY_NAME[self.dtype], self.shape, self.data, codes=True)


def _nest(flat: list[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return flat[0]
    for size in reversed(shape[1:]):
        flat = [flat[i : i + size] for i in range(0, len(flat), size)] if size else [[]] * math.prod(shape[:-1])
    return flat


def _known() -> str:
    return ", ".join(name for name in dtypes.BY_NAME if name != "string")
