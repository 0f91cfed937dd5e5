"""InferenceSession: a model ready to run, in onnxruntime's shape."""

from __future__ import annotations

import contextlib
import copy
import functools
import json
import time
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from . import background, hosts, missing, operators, values
from .errors import InvalidArgument, RuntimeException
from .hosts import flavours
from .hosts.abi_gen import Progress
from .hosts.engine import Engine
from .metadata import Described, NodeArg, node_arg
from .model import EXTERNAL_FOLDER_ENTRY, JsBytes, Model, Source, is_source
from .options import RunOptions, SessionOptions, engine_options
from .options import checked as check_options
from .origin import Origin
from .ort_value import OrtValue, OrtValueVector, Resident
from .providers import checked as check_providers
from .trace import trace_document

if TYPE_CHECKING:
    import asyncio
    from types import TracebackType

    from .io_binding import IOBinding

T = TypeVar("T")
# Takes over an output of a run: the engine, the value's handle, and which output it is.
Deliver: TypeAlias = Callable[[Engine, int, int], T]


class InferenceSession(Described):
    """A model in an engine of its own.

    Sessions run in parallel with each other; calls on one session queue. Use `close()` or `with` to release memory at a
    known time.
    """

    def __init__(
        self,
        path_or_bytes: Source | JsBytes,
        sess_options: SessionOptions | None = None,
        providers: Sequence[str | tuple[str, dict[Any, Any]]] | None = None,
        provider_options: Sequence[dict[Any, Any]] | None = None,
        *,
        disabled_optimizers: Sequence[str] | None = None,
        enable_fallback: int = 1,
        _engine: str | None = None,
    ) -> None:
        """Loads a model from a path or from bytes; in Pyodide also from an ArrayBuffer or a typed array of JavaScript.

        `providers` takes "wasm" and, for programs written for onnxruntime, "CPUExecutionProvider"; others give a
        warning. `disabled_optimizers` names graph passes to leave out. `enable_fallback` is accepted and has no effect.

        Raises NoSuchFile, InvalidProtobuf, InvalidGraph, NotImplemented, InvalidArgument or OutOfMemory.
        """
        self._options = check_options(sess_options)
        self._providers = check_providers(providers, provider_options)
        if not is_source(path_or_bytes):
            kind = type(path_or_bytes).__name__
            raise TypeError(f"a model is a path, bytes or memoryview; {kind} given")
        self._more: dict[str, Any] = {"disabled_optimizers": list(disabled_optimizers or ()), "_engine": _engine}
        options = json.dumps(engine_options(self._options, self._more["disabled_optimizers"])).encode()
        self._handle = 0
        self._awaited = False
        """A coroutine is in the middle of a run."""
        self._operators = operators.registered()
        try:
            described = self._create(path_or_bytes, options, _engine)
        except operators.NeedsPreprocessing:
            described = self._create(path_or_bytes, options, flavours.PREPROCESSING.name)
        self._inputs = [node_arg(item) for item in described["inputs"]]
        self._outputs = [node_arg(item) for item in described["outputs"]]
        self._overridable = [node_arg(item) for item in described.get("overridable_initializers") or []]
        self._types = {arg.name: arg.type for arg in [*self._inputs, *self._overridable]}
        self._output_types = {arg.name: arg.type for arg in self._outputs}
        self._known = {*self._types, *self._output_types}

    def _create(self, path_or_bytes: Source | JsBytes, options: bytes, backend: str | None) -> dict[str, Any]:
        """Starts an engine, creates the session in it, and returns the engine's description of that."""
        self._engine = hosts.open_engine(
            self._options.intra_op_num_threads,
            deterministic=self._options.use_deterministic_compute,
            backend=backend,
        )
        self._profile_start = time.time_ns()
        try:
            with self._call() as engine:
                model = Model(engine, path_or_bytes)
                try:
                    self._model = model.describe()
                    if hosts.chooses_flavour(backend):
                        operators.check_flavour(engine, self._model, self._operators)
                    operators.check_decoder(engine, self._model, self._operators)
                    operators.announce(engine, self._operators)
                    folder = self._options._config.get(EXTERNAL_FOLDER_ENTRY)
                    needed, files = self._model.get("external") or [], self._options._data_files
                    model.provide_external_data(needed, folder, files)
                    self._origin = Origin(path_or_bytes, [item["file"] for item in needed], folder, files)
                    address = engine.scratch(options)
                    created = engine.abi.ol_session_create(model.take(), address, len(options))
                finally:
                    model.close()
                self._handle = engine.pointer(created)
                return dict(engine.document(engine.abi.ol_session_describe(self._handle)))
        except BaseException:
            self._engine.close()
            raise

    # ---- life ----

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy: the model and the options. A new engine is started where it arrives."""
        with self._call():
            model, data_files = self._origin.read()
        options = copy.copy(self._options)
        object.__setattr__(options, "_data_files", data_files)
        return functools.partial(type(self), **self._more), (model, options, self._providers)

    def __getattr__(self, name: str) -> Any:
        raise missing.attribute_error("InferenceSession", name)

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

    # ---- what it is ----

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

        Feeds are arrays of the declared type (numpy's, or whatever has `__dlpack__` or the buffer protocol), OrtValues,
        or lists and scalars that convert to it; sequences are lists, maps are dicts, an empty optional is None. Outputs
        likewise; the arrays are copies. Raises InvalidArgument for a wrong feed, Fail for data that breaks an
        operator's rule, Aborted, OutOfMemory or Trap.
        """
        return self._compute(_names(output_names), input_feed, run_options, values.taken)

    def run_with_ort_values(
        self,
        output_names: Sequence[str] | None,
        input_dict_ort_values: Mapping[str, OrtValue],
        run_options: RunOptions | None = None,
    ) -> list[OrtValue]:
        """As `run`, with outputs that stay in the engine until they are asked for as arrays."""
        names = list(output_names or self._output_types)

        def deliver(engine: Engine, handle: int, index: int) -> OrtValue:
            return OrtValue(None, declared=self._output_types[names[index]], resident=Resident(self, handle))

        return self._compute(names, input_dict_ort_values, run_options, deliver)

    def run_with_ortvaluevector(
        self,
        run_options: RunOptions | None,
        feed_names: Sequence[str],
        feeds: Sequence[OrtValue],
        fetch_names: Sequence[str],
        fetches: OrtValueVector,
        fetch_devices: Sequence[Any] = (),
    ) -> None:
        """As `run_with_ort_values`; the outputs are appended to `fetches`."""
        fetches.extend(self.run_with_ort_values(fetch_names, dict(zip(feed_names, feeds, strict=True)), run_options))

    def io_binding(self) -> IOBinding:
        """An empty binding for runs of this session."""
        from .io_binding import IOBinding

        return IOBinding(self)

    def run_with_iobinding(self, iobinding: IOBinding, run_options: RunOptions | None = None) -> None:
        """Computes the outputs that are bound, from the inputs that are bound."""
        if iobinding._session is not self:
            raise InvalidArgument("a binding is used with the session that made it")
        iobinding._run(run_options)

    def create_ortvalue_from_shape_and_type(
        self, shape: Sequence[int], element_type: Any, device_type: str = "cpu", device_id: int = 0, vendor_id: int = -1
    ) -> OrtValue:
        """A tensor of zeros in this session's engine: runs are fed with it without a copy."""
        made = OrtValue.ortvalue_from_shape_and_type(shape, element_type, device_type)
        return OrtValue(None, resident=self._upload(made._host()))

    def _upload(self, value: Any) -> Resident:
        with self._call() as engine:
            return Resident(self, values.to_engine(engine, value, ""))

    def _compute(
        self, names: Sequence[str], feeds: Mapping[str, Any], options: RunOptions | None, deliver: Deliver[T]
    ) -> list[T]:
        """Runs the model on the spot; see `_course`."""
        # Before the lock is held: a value in another session's engine is read under the lock of that one.
        course = self._course(names, self._prepared(feeds), options, deliver)
        with self._call() as engine, contextlib.closing(course):
            run = next(course)
            # A run without options cannot be given up.
            step = engine.abi.ol_run_step if options is None else engine.slice
            try:
                while True:
                    run = course.send(step(run))
            except StopIteration as end:
                outputs: list[T] = end.value
                return outputs

    async def _compute_awaited(
        self, names: Sequence[str], feeds: Mapping[str, Any], options: RunOptions | None, deliver: Deliver[T]
    ) -> list[T]:
        """`_compute` where Python has no threads: other coroutines go on while the engine works, and queue for their
        turn."""
        course = self._course(names, self._prepared(feeds), options, deliver)
        async with self._turn:
            self._engine.enter()
            self._awaited = True
            try:
                with contextlib.closing(course):
                    run = next(course)
                    while True:
                        run = course.send(await self._engine.step_async(run))
            except StopIteration as end:
                outputs: list[T] = end.value
                return outputs
            finally:
                self._awaited = False

    def _prepared(self, feeds: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(feeds, Mapping):
            raise InvalidArgument(f"feeds are a dict from input name to value; {type(feeds).__name__} given")
        return {name: value._feed(self) if isinstance(value, OrtValue) else value for name, value in feeds.items()}

    def _course(
        self, names: Sequence[str], feeds: dict[str, Any], options: RunOptions | None, deliver: Deliver[T]
    ) -> Generator[int, int, list[T]]:
        """A run: gives its handle whenever `ol_run_step` is to be called, is sent the result of that, and returns what
        `deliver` made of the outputs."""
        if options is not None and not isinstance(options, RunOptions):
            raise TypeError(f"run_options takes onnxlet.RunOptions; {type(options).__name__} given")
        engine, abi = self._engine, self._engine.abi
        run = engine.pointer(abi.ol_run_new(self._handle))
        try:
            for name, value in feeds.items():
                self._feed(run, name, value)
            if options is not None and options._disposes_feeds:
                for value in feeds.values():
                    if isinstance(value, Resident):
                        value.dispose()
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
                    break
                if progress == Progress.PENDING:
                    cause = operators.run_pending(engine, run, self._operators)
            count = len(names or self._outputs)
            return [deliver(engine, engine.pointer(abi.ol_run_output(run, i)), i) for i in range(count)]
        finally:
            if engine.failure is None:
                abi.ol_run_free(run)

    def _feed(self, run: int, name: str, value: Any) -> None:
        engine = self._engine
        if isinstance(value, Resident):
            value.feed(run, self._name(name))
            return
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
        callback: background.Callback,
        user_data: Any = None,
        run_options: RunOptions | None = None,
    ) -> None: ...

    def run_async(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        callback: background.Callback | None = None,
        user_data: Any = None,
        run_options: RunOptions | None = None,
    ) -> Awaitable[list[Any]] | None:
        """As `run`, in another thread: awaitable, or, with a callback, onnxruntime's form.

        In Pyodide the engine works in a Web Worker meanwhile if the page is cross-origin isolated, else on the spot.
        The callback gets (results, user_data, error text); the text is empty when all went well.
        """
        work = functools.partial(self.run, output_names, input_feed, run_options)
        if callback is not None and not self._engine.awaits:
            background.executor().submit(background.tell, work, callback, user_data)
            return None
        import asyncio  # takes long to import, and synchronous programs do without

        if not self._engine.awaits:
            return asyncio.get_running_loop().run_in_executor(background.executor(), work)
        awaited = self._compute_awaited(_names(output_names), input_feed, run_options, values.taken)
        task = asyncio.ensure_future(awaited)
        if callback is None:
            return task
        task.add_done_callback(lambda task: background.tell(task.result, callback, user_data))
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

    def end_profiling(self) -> str:
        """Writes the last run's profile as a trace that Perfetto opens, and returns the file's name."""
        path = Path(f"{self._options.profile_file_prefix}{time.strftime('%Y-%m-%d_%H-%M-%S')}.json")
        path.write_text(json.dumps(trace_document(self.profile())), encoding="utf-8")
        return str(path)


def _names(output_names: Sequence[str] | str | None) -> list[str]:
    return [output_names] if isinstance(output_names, str) else list(output_names or ())


__all__ = ["InferenceSession", "NodeArg"]
