"""predict: a model over many rows, in batches."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from . import hosts
from .arrays import Array
from .errors import Fail, InvalidArgument
from .options import SessionOptions
from .session import InferenceSession
from .tables import Columns, Inputs, is_stream

if TYPE_CHECKING:
    from .model import Source

Progress: TypeAlias = "bool | Callable[[int, int | None], None]"
Outputs: TypeAlias = dict[str, Any]
_MOST_ROWS: Final = 1024
_BATCH_BYTES: Final = 1 << 20
_AHEAD: Final = 2  # batches in flight per worker: one that runs, one that waits


def predict(
    model: Source | InferenceSession,
    data: Any,
    *,
    batch_size: int | None = None,
    workers: int = 1,
    outputs: Sequence[str] | None = None,
    columns: Columns | None = None,
    constants: Mapping[str, Any] | None = None,
    sess_options: SessionOptions | None = None,
    progress: Progress = False,
) -> Any:
    """Runs a model over the rows of `data` and returns its outputs by name, in the order of the rows.

    `data` is an array (a model of one input), a dict of arrays, or a table of pandas, polars, pyarrow or the like, all
    with rows along the first dimension; or an iterable of these, which may be larger than memory: then the result is an
    iterator that gives the outputs of each item. In tables the column of an input's name is its value; a model of one
    input takes all columns beside each other; `columns` says otherwise, by input name. Numbers are converted to the
    model's type as long as they keep their kind.

    `batch_size`: rows per run (default: about 1 MB of them, at most 1024, or what the model is made for). `workers`:
    sessions that work side by side in threads, which share the processors. `outputs`: the names wanted. `constants`:
    inputs that are the same for all rows. `progress`: True shows a bar, a function is called with the rows done and
    their number, None where that is not known.

    Outputs are arrays; those that are sequences (of a classifier's probabilities, for instance) are lists.
    Raises InvalidArgument for data that does not fit and Fail where a run fails on it, both naming the row.
    """
    predictor = _Predictor(model, workers, outputs, columns, constants or {}, sess_options, batch_size)
    if is_stream(data):
        return predictor.over(data, None, progress)
    (result,) = predictor.over([data], 1, progress)
    return result


@dataclass
class _Chunk:
    """One item of the data: its feeds, and its outputs as they come."""

    feeds: dict[str, Array]
    first: int
    rows: int
    found: Outputs = field(default_factory=dict)

    def put(self, start: int, rows: int, names: Sequence[str], values: Sequence[Any], ran: int) -> None:
        """Takes the outputs of some rows: the first of the `ran` that the model was run with."""
        for name, value in zip(names, values, strict=True):
            if _length(value) != ran:
                shape = list(value.shape) if isinstance(value, np.ndarray) else type(value).__name__
                text = f"output {name!r} is {shape} for a batch of {ran} rows: it is not one value a row"
                raise InvalidArgument(f"{text}; leave it out with outputs=")
            if not isinstance(value, np.ndarray):
                self.found.setdefault(name, []).extend(value[:rows])
                continue
            if name not in self.found:
                self.found[name] = np.empty((self.rows, *value.shape[1:]), value.dtype)
            target = self.found[name]
            if value.shape[1:] != target.shape[1:]:
                text = f"output {name!r} has rows of shape {list(value.shape[1:])} from row {self.first + start} on"
                raise InvalidArgument(f"{text} and of {list(target.shape[1:])} before")
            target[start : start + rows] = value[:rows]


@dataclass(frozen=True)
class _Batch:
    chunk: _Chunk
    start: int
    rows: int

    @property
    def last(self) -> bool:
        return self.start + self.rows == self.chunk.rows


class _Predictor:
    """Sessions and how they are fed."""

    def __init__(
        self,
        model: Source | InferenceSession,
        workers: int,
        outputs: Sequence[str] | None,
        columns: Columns | None,
        constants: Mapping[str, Any],
        options: SessionOptions | None,
        batch_size: int | None,
    ) -> None:
        if workers < 1 or (batch_size is not None and batch_size < 1):
            raise InvalidArgument(f"workers and batch_size are at least 1; {workers} and {batch_size} given")
        self.made = ExitStack()
        self.sessions = self._sessions(model, workers, options)
        session = self.sessions[0]
        try:
            known = [arg.name for arg in session.get_outputs()]
            self.names = list(outputs or known)
            for name in self.names:
                if name not in known:
                    raise InvalidArgument(f"there is no output {name!r}; the model has {', '.join(known)}")
            self.inputs = Inputs(session.get_inputs(), columns, constants)
        except BaseException:
            self.made.close()
            raise
        self.constants = constants
        self.fixed = self.inputs.fixed_rows
        self.batch_size = self.fixed or batch_size
        self.idle: SimpleQueue[InferenceSession] = SimpleQueue()
        for session in self.sessions:
            self.idle.put(session)

    def _sessions(self, model: Any, workers: int, options: SessionOptions | None) -> list[InferenceSession]:
        if isinstance(model, InferenceSession):
            more = [self.made.enter_context(copy.copy(model)) for _ in range(workers - 1)]
            return [model, *more]
        options = copy.copy(options) if options is not None else SessionOptions()
        if options.intra_op_num_threads == 0:
            options.intra_op_num_threads = max(1, hosts.default_threads() // workers)
        return [self.made.enter_context(InferenceSession(model, options)) for _ in range(workers)]

    def over(self, data: Iterable[Any], items: int | None, progress: Progress) -> Iterator[Outputs]:
        """The outputs of each item. The sessions are closed at the end."""
        with self.made, ExitStack() as stack:
            tell = _teller(progress, stack)
            done = 0
            for batch, values in _in_order(self._run, self._batches(data), len(self.sessions)):
                batch.chunk.put(batch.start, batch.rows, self.names, values, self.fixed or batch.rows)
                done += batch.rows
                tell(done, batch.chunk.rows if items == 1 else None)
                if batch.last:
                    yield batch.chunk.found

    def _batches(self, data: Iterable[Any]) -> Iterator[_Batch]:
        row = 0
        for item in data:
            feeds, rows = self.inputs.feeds(item, row)
            chunk = _Chunk(feeds, row, rows)
            size = self.batch_size or _batch_size(feeds, rows)
            for start in range(0, max(rows, 1), size):
                yield _Batch(chunk, start, min(size, rows - start))
            row += rows

    def _run(self, batch: _Batch) -> tuple[_Batch, list[Any]]:
        session = self.idle.get()
        try:
            return batch, self._compute(session, batch)
        except Fail as error:
            raise self._with_row(session, batch, error) from error
        finally:
            self.idle.put(session)

    def _compute(self, session: InferenceSession, batch: _Batch) -> list[Any]:
        end = batch.start + batch.rows
        feeds = {name: array[batch.start : end] for name, array in batch.chunk.feeds.items()}
        if self.fixed and batch.rows < self.fixed:
            if batch.rows == 0:
                raise InvalidArgument(f"there are no rows, and the model is made for {self.fixed} at a time")
            fill = self.fixed - batch.rows
            feeds = {name: np.concatenate([a, np.repeat(a[-1:], fill, axis=0)]) for name, a in feeds.items()}
        return session.run(self.names, {**feeds, **self.constants})

    def _with_row(self, session: InferenceSession, batch: _Batch, error: Fail) -> Fail:
        """The error with the row that causes it, found by halving; or with all rows, when none does by itself."""
        while batch.rows > 1:
            half = batch.rows // 2
            parts = [_Batch(batch.chunk, batch.start, half), _Batch(batch.chunk, batch.start + half, batch.rows - half)]
            for part in parts:
                try:
                    self._compute(session, part)
                except Fail as found:
                    batch, error = part, found
                    break
            else:
                break
        first = batch.chunk.first + batch.start
        where = f"row {first}" if batch.rows == 1 else f"rows {first} to {first + batch.rows - 1}"
        return Fail(f"{where}: {error}")


def _length(value: Any) -> int | None:
    if isinstance(value, np.ndarray):
        return len(value) if value.ndim else None
    return len(value) if isinstance(value, list) else None


def _batch_size(feeds: Mapping[str, Array], rows: int) -> int:
    row_bytes = sum(array.nbytes for array in feeds.values()) // max(rows, 1)
    return max(1, min(_MOST_ROWS, _BATCH_BYTES // max(row_bytes, 1)))


def _in_order(
    work: Callable[[_Batch], tuple[_Batch, list[Any]]], batches: Iterable[_Batch], workers: int
) -> Iterator[tuple[_Batch, list[Any]]]:
    """Results in the order of the batches, a few of which are read ahead."""
    if workers == 1:
        yield from map(work, batches)
        return
    waiting: deque[Future[tuple[_Batch, list[Any]]]] = deque()
    with ThreadPoolExecutor(workers, thread_name_prefix="onnxlet-predict") as pool:
        try:
            for batch in batches:
                waiting.append(pool.submit(work, batch))
                if len(waiting) >= _AHEAD * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _teller(progress: Progress, stack: ExitStack) -> Callable[[int, int | None], None]:
    if callable(progress):
        return progress
    if not progress:
        return lambda done, rows: None
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("rows"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = stack.enter_context(Bar(*columns, console=Console(stderr=True)))
    task = bar.add_task("rows", total=None)
    return lambda done, rows: bar.update(task, completed=done, total=rows)
