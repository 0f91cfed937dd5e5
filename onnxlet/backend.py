"""onnxlet as a backend of the `onnx` package (onnx.backend.base), which this module alone imports.

import onnxlet.backend as backend
outputs = backend.run_model(onnx.load("model.onnx"), [array])
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, helper
from onnx.backend.base import Backend, BackendRep

from .arrays import onnx_type
from .errors import InvalidArgument
from .options import SessionOptions
from .session import InferenceSession

Model = ModelProto | InferenceSession | str | os.PathLike[str] | bytes


class OnnxletBackendRep(BackendRep):
    """A model that is ready to run."""

    def __init__(self, session: InferenceSession) -> None:
        self.session = session

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The outputs for inputs in the model's order, by name, or for the only one. `kwargs` have no effect."""
        names = [value.name for value in self.session.get_inputs()]
        if isinstance(inputs, np.ndarray):
            inputs = [inputs]
        if not isinstance(inputs, Mapping):
            if len(inputs) > len(names):
                raise InvalidArgument(f"{len(inputs)} inputs given; the model has {len(names)}: {', '.join(names)}")
            inputs = dict(zip(names, inputs, strict=False))
        return tuple(self.session.run(None, inputs))


class OnnxletBackend(Backend):
    """The methods that onnx.backend.base.Backend describes. The only device is "CPU"."""

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.partition(":")[0].upper() == "CPU"

    @classmethod
    def is_compatible(cls, model: Model, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether the model loads."""
        from .errors import Error

        try:
            cls.prepare(model, device, **kwargs).session.close()
        except Error:
            return False
        return True

    @classmethod
    def prepare(cls, model: Model, device: str = "CPU", **kwargs: Any) -> OnnxletBackendRep:
        """Loads a model. `kwargs` that are attributes of SessionOptions are set; others have no effect."""
        if not cls.supports_device(device):
            raise InvalidArgument(f"onnxlet runs models on the CPU; device {device!r} was asked for")
        if isinstance(model, InferenceSession):
            return OnnxletBackendRep(model)
        options = SessionOptions()
        for name, value in kwargs.items():
            if name in SessionOptions._defaults:
                setattr(options, name, value)
        source = model.SerializeToString() if isinstance(model, ModelProto) else model
        return OnnxletBackendRep(InferenceSession(source, options))

    @classmethod
    def run_model(cls, model: Model, inputs: Any, device: str = "CPU", **kwargs: Any) -> tuple[Any, ...]:
        """Loads a model and runs it once."""
        rep = cls.prepare(model, device, **kwargs)
        try:
            return rep.run(inputs)
        finally:
            if rep.session is not model:
                rep.session.close()

    @classmethod
    def run_node(
        cls,
        node: NodeProto,
        inputs: Sequence[Any],
        device: str = "CPU",
        outputs_info: Sequence[tuple[Any, Sequence[int]]] | None = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Runs one operator on arrays, one for each input that has a name.

        `opset_version` among the `kwargs` is the version of the node's domain (default: the newest that `onnx` knows).
        """
        names = [name for name in node.input if name]
        if len(names) != len(inputs):
            raise InvalidArgument(f"{node.op_type} has {len(names)} inputs; {len(inputs)} given")
        arrays = {name: np.asarray(value) for name, value in zip(names, inputs, strict=True)}
        given = [_value(name, array) for name, array in arrays.items()]
        wanted = [onnx.ValueInfoProto(name=name) for name in node.output if name]
        version = kwargs.pop("opset_version", None) or onnx.defs.onnx_opset_version()
        domains = {"": onnx.defs.onnx_opset_version(), node.domain: version}
        model = helper.make_model(
            helper.make_graph([node], "node", given, wanted),
            opset_imports=[helper.make_opsetid(domain, number) for domain, number in domains.items()],
        )
        return cls.run_model(model, arrays, device, **kwargs)


def _value(name: str, array: np.ndarray[Any, Any]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx_type(array.dtype).number, array.shape)


is_compatible = OnnxletBackend.is_compatible
prepare = OnnxletBackend.prepare
run = OnnxletBackend.run_model
run_model = OnnxletBackend.run_model
run_node = OnnxletBackend.run_node
supports_device = OnnxletBackend.supports_device
