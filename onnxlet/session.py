"""InferenceSession: a model ready to run, in onnxruntime's shape."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import time
import warnings
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from . import hosts, operators, values
from .errors import InvalidArgument, RuntimeException
from .hosts.abi_gen import Progress
from .model import EXTERNAL_FOLDER_ENTRY, Model, Source
from .options import RunOptions, SessionOptions, engine_options
from .trace import trace_document

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import ThreadPoolExecutor
    from types import TracebackType

PROVIDERS = ("wasm", "CPUExecutionProvider")


@dataclass(frozen=True)
class NodeArg:
    """An input or output: its name, its type such as "tensor(float)", and its dimensions.

    A dimension is a number, a name, or None; a tensor of unknown rank has [] as onnxruntime reports it.
    """

    name: str
    type: str
    shape: list[int | str | None]


@dataclass(frozen=True)
class ModelMetadata:
    """What the file says about itself."""

    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom_metadata_map: dict[str, str]


class InferenceSession:
    """A model in an engine of its own.

    Sessions run in parallel with each other; calls on one session queue. Use `close()` or `with` to release memory at a
    known time.
    """

    def __init__(
        self,
        path_or_bytes: Source,
        sess_options: SessionOptions | None = None,
        providers: Sequence[str | tuple[str, dict[Any, Any]]] | None = None,
        provider_options: Sequence[dict[Any, Any]] | None = None,
        *,
        disabled_optimizers: Sequence[str] | None = None,
        enable_fallback: int = 1,
        _engine: str | None = None,
    ) -> None:
        """Loads a model from a path or from bytes.

        `providers` takes "wasm" and, for programs written for onnxruntime, "CPUExecutionProvider"; others give a
        warning. `disabled_optimizers` names graph passes to leave out. `enable_fallback` is accepted and has no effect.

        Raises NoSuchFile, InvalidProtobuf, InvalidGraph, NotImplemented, InvalidArgument or OutOfMemory.
        """
        self._options = _checked_options(sess_options)
        self._providers = _checked_providers(providers, provider_options)
        if not isinstance(path_or_bytes, str | os.PathLike | bytes | bytearray | memoryview):
            kind = type(path_or_bytes).__name__
            raise TypeError(f"a model is a path, bytes or memoryview; {kind} given")
        options = json.dumps(engine_options(self._options, list(disabled_optimizers or ()))).encode()
        self._handle = 0
        self._awaited = False
        """A coroutine is in the middle of a run."""
        self._engine = hosts.open_engine(
            self._options.intra_op_num_threads,
            deterministic=self._options.use_deterministic_compute,
            backend=_engine,
        )
        self._profile_start = time.time_ns()
        try:
            with self._call() as engine:
                self._operators = operators.registered()
                model = Model(engine, path_or_bytes)
                try:
                    self._model = model.describe()
                    operators.check_decoder(self._model, self._operators)
                    operators.announce(engine, self._operators)
                    folder = self._options._config.get(EXTERNAL_FOLDER_ENTRY)
                    model.provide_external_data(self._model.get("external") or [], folder)
                    address = engine.scratch(options)
                    created = engine.abi.ol_session_create(model.take(), address, len(options))
                finally:
                    model.close()
                self._handle = engine.pointer(created)
                described = engine.document(engine.abi.ol_session_describe(self._handle))
        except BaseException:
            self._engine.close()
            raise
        self._inputs = [_node_arg(item) for item in described["inputs"]]
        self._outputs = [_node_arg(item) for item in described["outputs"]]
        self._overridable = [_node_arg(item) for item in described.get("overridable_initializers") or []]
        self._types = {arg.name: arg.type for arg in [*self._inputs, *self._overridable]}
        self._known = {*self._types, *(arg.name for arg in self._outputs)}

    # ---- life ----

    def close(self) -> None:
        """Releases the model and the engine. Later calls raise; closing twice is allowed."""
        with self._engine.lock:
            if self._handle and self._engine.failure is None and not self._engine.private_memory:
                self._engine.abi.ol_session_free(self._handle)
            self._handle = 0
            self._engine.close()

    def __enter__(self) -> InferenceSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", 0):
            self.close()

    @contextlib.contextmanager
    def _call(self) -> Iterator[Any]:
        """The engine, for a group of calls that no other thread interrupts."""
        with self._engine.lock:
            self._engine.enter()
            if self._awaited:
                raise RuntimeException("a run_async of this session is on its way; await it first")
            yield self._engine

    @functools.cached_property
    def _turn(self) -> asyncio.Lock:
        """For coroutines what the engine's lock is for threads."""
        import asyncio

        return asyncio.Lock()

    # ---- what the model is ----

    def get_inputs(self) -> list[NodeArg]:
        """The inputs that a run must be fed."""
        return list(self._inputs)

    def get_outputs(self) -> list[NodeArg]:
        """The outputs, in the model's order."""
        return list(self._outputs)

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Inputs with a default, which a feed may replace."""
        return list(self._overridable)

    def get_modelmeta(self) -> ModelMetadata:
        """Producer, version, description and custom properties of the file."""
        model = self._model
        return ModelMetadata(
            producer_name=model.get("producer_name") or "",
            graph_name=model.get("graph_name") or "",
            domain=model.get("domain") or "",
            description=model.get("doc_string") or "",
            graph_description=model.get("graph_doc_string") or "",
            version=int(model.get("model_version") or 0),
            custom_metadata_map=dict(model.get("metadata") or {}),
        )

    def get_providers(self) -> list[str]:
        """The providers in use."""
        return list(self._providers)

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """The options of each provider; there are none to set."""
        return {name: {} for name in self._providers}

    def get_session_options(self) -> SessionOptions:
        """The options the session was made with."""
        return self._options

    @property
    def threads(self) -> int:
        """How many threads take part in a run, the calling one included."""
        return self._engine.threads

    @property
    def flavour(self) -> str:
        """Which build of the engine runs, such as "relaxed-threads"."""
        return self._engine.flavour

    @property
    def memory(self) -> dict[str, int]:
        """Bytes: in_use, peak, limit, model_bytes and more of this session's tensors, and `engine`, the size that the
        engine's memory has grown to (0 on the native backend)."""
        with self._call() as engine:
            document = dict(engine.document(engine.abi.ol_session_memory(self._handle)))
            return document | {"engine": engine.memory_bytes()}

    # ---- running ----

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: RunOptions | None = None,
    ) -> list[Any]:
        """Computes the named outputs (all, when None or empty) and returns them in that order.

        Feeds are numpy arrays of the declared type, or lists and scalars that convert to it; sequences are lists, maps
        are dicts, an empty optional is None. Outputs likewise; the arrays are copies. Raises InvalidArgument for a
        wrong feed, Fail for data that breaks an operator's rule, Aborted, OutOfMemory or Trap.
        """
        with self._call() as engine, contextlib.closing(self._course(output_names, input_feed, run_options)) as course:
            handle = next(course)
            try:
                while True:
                    handle = course.send(engine.abi.ol_run_step(handle))
            except StopIteration as end:
                return list(end.value)

    async def _run_awaited(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: RunOptions | None,
    ) -> list[Any]:
        """`run` where Python has no threads: other coroutines go on while the engine works, and queue for their turn."""
        engine = self._engine
        async with self._turn:
            engine.enter()
            self._awaited = True
            try:
                with contextlib.closing(self._course(output_names, input_feed, run_options)) as course:
                    handle = next(course)
                    while True:
                        handle = course.send(await engine.step_async(handle))
            except StopIteration as end:
                return list(end.value)
            finally:
                self._awaited = False

    def _course(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], options: RunOptions | None
    ) -> Generator[int, int, list[Any]]:
        """A run: gives its handle whenever `ol_run_step` is to be called, is sent the result, and returns the outputs."""
        if not isinstance(input_feed, Mapping):
            raise InvalidArgument(f"feeds are a dict from input name to value; {type(input_feed).__name__} given")
        if options is not None and not isinstance(options, RunOptions):
            raise TypeError(f"run_options takes onnxlet.RunOptions; {type(options).__name__} given")
        names = [output_names] if isinstance(output_names, str) else list(output_names or ())
        engine, abi = self._engine, self._engine.abi
        run = engine.pointer(abi.ol_run_new(self._handle))
        try:
            for name, value in input_feed.items():
                self._feed(run, name, value)
            for name in names:
                engine.number(abi.ol_run_fetch(run, *self._name(name)))
            cause: Exception | None = None
            while True:
                if options is not None and options.terminate:
                    abi.ol_run_abort(run)
                progress = yield run
                if progress < 0:
                    raise engine.last_error(-progress) from cause
                if progress == Progress.DONE:
                    return [self._output(run, index) for index in range(abi.ol_run_output_count(run))]
                cause = operators.run_pending(engine, run, self._operators)
        finally:
            if engine.failure is None:
                abi.ol_run_free(run)

    def _feed(self, run: int, name: str, value: Any) -> None:
        engine = self._engine
        try:
            handle = values.to_engine(engine, value, self._types.get(name, ""))
        except InvalidArgument as error:
            raise InvalidArgument(f"input {name!r}: {error}") from error
        try:
            engine.number(engine.abi.ol_run_feed(run, *self._name(name), handle))
        finally:
            engine.abi.ol_value_free(handle)

    def _name(self, name: str) -> tuple[int, int]:
        if name in self._known:
            return self._engine.lasting(name)
        text = str(name).encode()
        return self._engine.scratch(text), len(text)

    def _output(self, run: int, index: int) -> Any:
        engine = self._engine
        handle = engine.pointer(engine.abi.ol_run_output(run, index))
        try:
            return values.from_engine(engine, handle)
        finally:
            if engine.failure is None:
                engine.abi.ol_value_free(handle)

    @overload
    def run_async(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        callback: None = None,
        user_data: Any = None,
        run_options: RunOptions | None = None,
    ) -> Awaitable[list[Any]]: ...

    @overload
    def run_async(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        callback: Callable[[list[Any], Any, str], None],
        user_data: Any = None,
        run_options: RunOptions | None = None,
    ) -> None: ...

    def run_async(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        callback: Callable[[list[Any], Any, str], None] | None = None,
        user_data: Any = None,
        run_options: RunOptions | None = None,
    ) -> Awaitable[list[Any]] | None:
        """As `run`, in another thread: awaitable, or, with a callback, onnxruntime's form.

        In Pyodide the engine works in a Web Worker meanwhile if the page is cross-origin isolated, else on the spot.
        The callback gets (results, user_data, error text); the text is empty when all went well.
        """
        work = functools.partial(self.run, output_names, input_feed, run_options)
        if callback is None or self._engine.awaits:
            import asyncio  # takes long to import, and synchronous programs do without

        if self._engine.awaits:
            task = asyncio.ensure_future(self._run_awaited(output_names, input_feed, run_options))
            if callback is None:
                return task
            task.add_done_callback(lambda task: _tell(task.result, callback, user_data))
            return None
        if callback is None:
            return asyncio.get_running_loop().run_in_executor(_executor(), work)

        _executor().submit(_tell, work, callback, user_data)
        return None

    # ---- profile ----

    def profile(self) -> list[dict[str, Any]]:
        """The last run, node by node, when the session was made with `enable_profiling`.

        Each entry has node, op_type, domain, kernel, start_us, duration_us, inputs and outputs.
        """
        if not self._options.enable_profiling:
            raise InvalidArgument("this session keeps no profile; set SessionOptions.enable_profiling")
        with self._call() as engine:
            return list(engine.document(engine.abi.ol_session_profile(self._handle)))

    def get_profiling_start_time_ns(self) -> int:
        """When the session was made, in nanoseconds since 1970."""
        return self._profile_start

    def end_profiling(self) -> str:
        """Writes the last run's profile as a trace that Perfetto opens, and returns the file's name."""
        path = Path(f"{self._options.profile_file_prefix}{time.strftime('%Y-%m-%d_%H-%M-%S')}.json")
        path.write_text(json.dumps(trace_document(self.profile())), encoding="utf-8")
        return str(path)


def _tell(work: Callable[[], list[Any]], callback: Callable[[list[Any], Any, str], None], user_data: Any) -> None:
    """Calls back as onnxruntime does."""
    try:
        results, problem = work(), ""
    except Exception as error:  # handed to the callback, whose form is onnxruntime's
        results, problem = [], f"{getattr(error, 'code', type(error).__name__)}: {error}"
    callback(results, user_data, problem)


@functools.cache
def _executor() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(thread_name_prefix="onnxlet-run")


def _node_arg(item: dict[str, Any]) -> NodeArg:
    return NodeArg(item["name"], item.get("type") or "", list(item.get("shape") or []))


def _checked_options(options: SessionOptions | None) -> SessionOptions:
    if options is None:
        return SessionOptions()
    if not isinstance(options, SessionOptions):
        raise TypeError(f"sess_options takes onnxlet.SessionOptions; {type(options).__name__} given")
    return options


def _checked_providers(providers: Any, provider_options: Any) -> list[str]:
    """Follows onnxruntime: unknown providers are left out with a warning, and the CPU is always there."""
    if providers is None:
        return ["wasm"]
    if isinstance(providers, str) or not isinstance(providers, Sequence):
        raise InvalidArgument(f"providers takes a list of names such as {list(PROVIDERS)}; {providers!r} given")
    if provider_options is not None and len(provider_options) != len(providers):
        raise InvalidArgument("providers and provider_options must have the same length")
    names = []
    for provider in providers:
        name = provider[0] if isinstance(provider, tuple) else provider
        if name in PROVIDERS:
            names.append(name)
        else:
            text = f"provider {name!r} is not in {list(PROVIDERS)} and is left out"
            warnings.warn(text, RuntimeWarning, stacklevel=3)
    return list(dict.fromkeys(names)) or ["wasm"]


def get_available_providers() -> list[str]:
    """The providers a session can be made with."""
    return list(PROVIDERS)


__all__ = ["InferenceSession", "ModelMetadata", "NodeArg", "get_available_providers"]
