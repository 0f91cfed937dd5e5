"""What a model is compared on: engines of onnxlet, onnxruntime, and the reference implementation in the onnx package."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from .. import arrays, dtypes, errors, hosts
from ..hosts import flavours
from ..model import EXTERNAL_FOLDER_ENTRY, Source
from ..options import SessionOptions
from ..raw_tensor import RawTensor
from ..session import InferenceSession

REFERENCE: Final = "reference"
ONNXRUNTIME: Final = "onnxruntime"
WEBGPU: Final = "webgpu"
ENGINES: Final = (hosts.WASM, hosts.NATIVE, *flavours.BY_NAME)
NAMES: Final = (REFERENCE, ONNXRUNTIME, *ENGINES, WEBGPU)


class Loaded(Protocol):
    """A model on one side. `inputs`: the type of each, such as "tensor(float)", those with defaults included."""

    @property
    def inputs(self) -> Mapping[str, str]: ...

    @property
    def outputs(self) -> Sequence[str]: ...

    def run(self, outputs: Sequence[str] | None, feeds: Mapping[str, Any]) -> list[Any]:
        """The named outputs, all for None. Raises Error."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Model:
    """A model's bytes or path; `folder` holds the external data of bytes."""

    source: Source
    folder: Path | None = None


@dataclass(frozen=True)
class Settings:
    """What every side is told."""

    threads: int = 0
    deterministic: bool = False
    disabled_passes: tuple[str, ...] = ()


Load: TypeAlias = Callable[[Model, Settings], Loaded]


@dataclass(frozen=True)
class Side:
    """A model, where it is loaded and how, and what it is fed."""

    source: Source
    load: Load
    settings: Settings
    feeds: Mapping[str, Any] = field(default_factory=dict)


def side(name: str) -> Load:
    """The loader for a name of NAMES. Raises InvalidArgument."""
    if name == WEBGPU:
        from .webgpu import WebGpu

        return WebGpu
    if name == REFERENCE:
        return Reference
    if name == ONNXRUNTIME:
        return Onnxruntime
    if name in ENGINES:
        return functools.partial(Onnxlet, engine=name)
    raise errors.InvalidArgument(f"there is nothing named {name!r} to compare with; use one of {', '.join(NAMES)}")


class Onnxlet:
    """An engine of onnxlet's own."""

    def __init__(self, model: Model, settings: Settings, engine: str | None = None) -> None:
        options = SessionOptions()
        options.intra_op_num_threads = settings.threads
        options.use_deterministic_compute = settings.deterministic
        if model.folder is not None:
            options.add_session_config_entry(EXTERNAL_FOLDER_ENTRY, str(model.folder))
        passes = settings.disabled_passes
        self.session = InferenceSession(model.source, options, disabled_optimizers=passes, _engine=engine)
        arguments = [*self.session.get_inputs(), *self.session.get_overridable_initializers()]
        self.inputs = {arg.name: arg.type for arg in arguments}
        self.outputs = [arg.name for arg in self.session.get_outputs()]

    def run(self, outputs: Sequence[str] | None, feeds: Mapping[str, Any]) -> list[Any]:
        return self.session.run(outputs, feeds)

    def passes(self) -> list[str]:
        """The graph passes that changed the model."""
        with self.session._call() as engine:
            described = engine.document(engine.abi.ol_session_describe(self.session._handle))
        return [item["name"] for item in described["passes"] if item["changed"]]

    def close(self) -> None:
        self.session.close()


def import_onnxruntime() -> Any:
    """The module, whose import takes long. Raises NotImplemented where it is not installed."""
    try:
        import onnxruntime
    except ImportError:
        raise errors.NotImplemented("comparing with onnxruntime needs the package onnxruntime; install it") from None
    return onnxruntime


class Onnxruntime:
    """The onnxruntime package, on its CPU provider."""

    def __init__(self, model: Model, settings: Settings) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise errors.NotImplemented(
                "comparing with onnxruntime needs the package onnxruntime; install it"
            ) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = settings.threads
        options.log_severity_level = 4  # what fails is raised, too
        if model.folder is not None:
            options.add_session_config_entry(EXTERNAL_FOLDER_ENTRY, str(model.folder))
        source = _path_or_bytes(model.source)
        self._session = of_peer(
            ONNXRUNTIME,
            "load",
            lambda: onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"]),
        )
        arguments = [*self._session.get_inputs(), *self._session.get_overridable_initializers()]
        self.inputs = {arg.name: arg.type for arg in arguments}
        self.outputs = [arg.name for arg in self._session.get_outputs()]

    def run(self, outputs: Sequence[str] | None, feeds: Mapping[str, Any]) -> list[Any]:
        return list(of_peer(ONNXRUNTIME, "run", lambda: self._session.run(outputs, dict(feeds))))

    def close(self) -> None:
        self._session = None


class Reference:
    """onnx.reference: slow, and as close to the specification's text as code is, faults of its own mended."""

    def __init__(self, model: Model, settings: Settings) -> None:
        try:
            import onnx
            import onnx.reference

            from . import reference_fixes
        except ImportError:
            text = "comparing with the reference needs the package onnx: pip install 'onnxlet[tools]'"
            raise errors.NotImplemented(text) from None

        def load() -> Any:
            if isinstance(model.source, bytes | bytearray | memoryview):
                proto = onnx.load_from_string(bytes(model.source))
                if model.folder is not None:
                    onnx.load_external_data_for_model(proto, str(model.folder))
            else:
                proto = onnx.load(model.source)
            return onnx.reference.ReferenceEvaluator(proto, new_ops=reference_fixes.operators(proto))

        self._evaluator = of_peer(REFERENCE, "load", load)
        graph = self._evaluator.proto_.graph
        self.inputs = {item.name: _type_text(item.type) for item in graph.input}
        self.outputs = [item.name for item in graph.output]

    def run(self, outputs: Sequence[str] | None, feeds: Mapping[str, Any]) -> list[Any]:
        return list(of_peer(REFERENCE, "run", lambda: self._evaluator.run(outputs, dict(feeds))))

    def close(self) -> None:
        self._evaluator = None


def run_all(loaded: Loaded, feeds: Mapping[str, Any]) -> dict[str, Any]:
    """Every output by its name."""
    return dict(zip(loaded.outputs, loaded.run(None, feeds), strict=True))


def name_of(source: Source) -> str:
    """For people: the path, or "bytes"."""
    return "bytes" if isinstance(source, bytes | bytearray | memoryview) else str(source)


def convert(feeds: Mapping[str, Any], types: Mapping[str, str]) -> dict[str, Any]:
    """Feeds as arrays of the declared types: onnxlet converts lists and numbers, others want arrays. An array of another
    type is converted, too: a model of half precision may be compared with the one it was made of."""

    def as_array(name: str, value: Any) -> Any:
        dtype = dtypes.element_type(types.get(name, ""))
        if dtype is None or value is None:
            return value
        array = arrays.as_array(value, dtype)
        kind = arrays.numpy_type(dtype)
        if kind is None or isinstance(array, RawTensor) or array.dtype == kind:
            return array
        return array.astype(kind)

    return {name: as_array(name, value) for name, value in feeds.items()}


def _type_text(type_proto: Any) -> str:
    found = dtypes.BY_NUMBER.get(type_proto.tensor_type.elem_type)
    return f"tensor({found.name})" if found else ""


def _path_or_bytes(source: Source) -> str | bytes:
    return bytes(source) if isinstance(source, bytes | bytearray | memoryview) else str(source)


def of_peer(name: str, verb: str, work: Callable[[], Any]) -> Any:
    """What `work` gives; what it raises says which side does not do what."""
    try:
        return work()
    except errors.Error:
        raise
    except Exception as error:  # whatever it raises is what the user has to know
        raise errors.Fail(f"{name} does not {verb} the model: {error}") from error
