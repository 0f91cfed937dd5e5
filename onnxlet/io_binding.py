"""IOBinding: inputs and outputs that are named once and used by many runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import content
from .device import need_cpu
from .errors import InvalidArgument
from .ort_value import OrtValue, OrtValueVector, Resident
from .raw_tensor import RawTensor

if TYPE_CHECKING:
    from .hosts.engine import Engine
    from .options import RunOptions
    from .session import InferenceSession


class IOBinding:
    """What the runs of a session read and write. Made by `InferenceSession.io_binding()`.

    An output bound to a device stays in the engine: its OrtValue can be bound to an input of the same session without
    a copy. An output bound to a value or a buffer is written into it.
    """

    def __init__(self, session: InferenceSession) -> None:
        self._session = session
        self._inputs: dict[str, Any] = {}
        self._targets: dict[str, OrtValue | None] = {}
        self._results: dict[str, OrtValue] = {}

    # ---- inputs ----

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        """Binds anything that `run` takes. An array is read at each run."""
        self._inputs[self._input(name)] = arr_on_cpu

    def bind_input(
        self, name: str, device_type: str, device_id: int, element_type: Any, shape: Sequence[int], buffer_ptr: int
    ) -> None:
        """Binds memory of this process, contiguous and in ONNX's packing; the caller keeps it alive."""
        need_cpu(device_type)
        self._inputs[self._input(name)] = _foreign(element_type, shape, buffer_ptr)

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        self._inputs[self._input(name)] = _checked(ortvalue)

    def synchronize_inputs(self) -> None:
        """Has no effect: there is nothing to wait for."""

    def clear_binding_inputs(self) -> None:
        self._inputs.clear()

    # ---- outputs ----

    def bind_output(
        self,
        name: str,
        device_type: str = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:
        """Binds an output to a device, or to memory of this process that the caller keeps alive."""
        need_cpu(device_type)
        if buffer_ptr is None:
            self._targets[self._output(name)] = None
            return
        if element_type is None or shape is None:
            raise InvalidArgument("element_type and shape are needed with a buffer")
        self._targets[self._output(name)] = OrtValue(_foreign(element_type, shape, buffer_ptr))

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        """Runs write into this value; its type and shape must be the output's."""
        self._targets[self._output(name)] = _checked(ortvalue)

    def synchronize_outputs(self) -> None:
        """Has no effect: a run has written its outputs when it returns."""

    def clear_binding_outputs(self) -> None:
        self._targets.clear()
        self._results.clear()

    def get_outputs(self) -> list[OrtValue]:
        """The outputs of the last run, in the order in which they were bound."""
        return list(self._results.values())

    def get_outputs_as_ortvaluevector(self) -> OrtValueVector:
        return OrtValueVector(self._results.values())

    def copy_outputs_to_cpu(self) -> list[Any]:
        """Copies of the last run's outputs, as `run` returns them."""
        return [value._copied() for value in self._results.values()]

    # ---- for the session ----

    def _run(self, options: RunOptions | None) -> None:
        if not self._targets:
            raise InvalidArgument("no output is bound; call bind_output")
        names = list(self._targets)
        session = self._session
        # The old outputs go before the new ones come, unless they are inputs now.
        self._results.clear()

        def deliver(engine: Engine, handle: int, index: int) -> OrtValue:
            name = names[index]
            target = self._targets[name]
            if target is None:
                return OrtValue(None, declared=session._output_types[name], resident=Resident(session, handle))
            taken = False
            try:
                taken = target._receive(engine, handle, name)
            finally:
                if not taken:
                    engine.abi.ol_value_free(handle)
            return target

        self._results = dict(zip(names, session._compute(names, self._inputs, options, deliver), strict=True))

    def _input(self, name: str) -> str:
        if name not in self._session._types:
            raise InvalidArgument(f"there is no input {name!r}; the model has {', '.join(self._session._types)}")
        return name

    def _output(self, name: str) -> str:
        types = self._session._output_types
        if name not in types:
            raise InvalidArgument(f"there is no output {name!r}; the model has {', '.join(types)}")
        return name


SessionIOBinding = IOBinding  # onnxruntime's compiled class


def _checked(value: Any) -> OrtValue:
    if not isinstance(value, OrtValue):
        raise TypeError(f"an OrtValue is bound here; {type(value).__name__} given")
    return value


def _foreign(element_type: Any, shape: Sequence[int], address: int) -> RawTensor:
    """A tensor over memory that is not ours."""
    from .hosts import memory_view  # not in Pyodide

    dtype = content.element_type(element_type)
    sizes = tuple(int(size) for size in shape)
    return RawTensor(dtype.name, sizes, memory_view.view(int(address), dtype.bytes_of(math.prod(sizes))))
