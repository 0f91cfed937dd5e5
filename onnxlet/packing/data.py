"""The user's data: what the model is fed while it is measured, with the right answers where they are known."""

from __future__ import annotations

import functools
import hashlib
import os
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from .. import dtypes, made_inputs
from ..arrays import numpy_type
from ..errors import InvalidArgument, NoSuchFile
from ..metadata import NodeArg

Arrays: TypeAlias = dict[str, np.ndarray]
Data: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any] | Iterable[Mapping[str, Any]] | Callable[[], Iterable[Mapping[str, Any]]]"

_SYNTHETIC_SAMPLES = 8
_SYNTHETIC_SIZE = 8  # of dimensions that the model leaves open


@dataclass(frozen=True)
class Sample:
    """One call of the model. `targets`: what else the data has, such as "label" for the metric top1."""

    feeds: Arrays
    targets: Arrays = field(default_factory=dict)


class Samples(Sequence[Sample]):
    """The samples of a run, in order. Those of a folder are read when they are used."""

    def __init__(
        self, items: Sequence[Callable[[], Mapping[str, Any]]], inputs: Sequence[NodeArg], synthetic: bool
    ) -> None:
        self._items, self._inputs = items, inputs
        self.synthetic = synthetic
        """Made up, because the user gave no data."""

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Samples(self._items[index], self._inputs, self.synthetic)
        return self._sample(self._items[index](), index)

    def __iter__(self) -> Iterator[Sample]:
        return (self[i] for i in range(len(self)))

    def _sample(self, values: Mapping[str, Any], index: int) -> Sample:
        known = {arg.name: arg for arg in self._inputs}
        missing = known.keys() - values.keys()
        if missing:
            has = ", ".join(map(str, values))
            raise InvalidArgument(f"sample {index} of the data lacks the input {min(missing)!r}; it has {has}")
        feeds = {name: _converted(arg, values[name]) for name, arg in known.items()}
        return Sample(feeds, {name: np.asarray(v) for name, v in values.items() if name not in known})

    def digest(self) -> str:
        """SHA-256 of all names and bytes, hexadecimal."""
        hashed = hashlib.sha256()
        for sample in self:
            for name, array in sorted({**sample.feeds, **sample.targets}.items()):
                hashed.update(f"{name} {array.dtype} {array.shape} ".encode())
                hashed.update(
                    np.ascontiguousarray(array).data if array.dtype != object else repr(array.tolist()).encode()
                )
        return hashed.hexdigest()


def read_samples(data: Data | None, inputs: Sequence[NodeArg], limit: int, seed: int) -> Samples:
    """The samples of `data`; `limit` > 0 takes only the first so many.

    data: a folder of .npz files (a sample each, by name) or one .npz; a mapping from names to arrays, whose first axis
    counts samples (each is fed with a first axis of 1); an iterable of mappings from names to arrays, fed as they are;
    or a function that returns one. Names that are no inputs of the model are kept as targets. None makes random inputs.
    Raises InvalidArgument or NoSuchFile.
    """
    if data is None:
        items = _synthetic(inputs, seed)
    elif isinstance(data, str | os.PathLike):
        items = _from_path(Path(data))
    elif callable(data):
        items = _from_iterable(data())
    elif isinstance(data, Mapping):
        items = _from_arrays(data)
    else:
        items = _from_iterable(data)
    if not items:
        raise InvalidArgument("the data has no samples")
    samples = Samples(items[:limit] if limit else items, inputs, data is None)
    samples[0]  # raises for data that does not fit the model
    return samples


def _from_path(path: Path) -> list[Callable[[], Mapping[str, Any]]]:
    if not path.exists():
        raise NoSuchFile(f"the data {str(path)!r} does not exist")
    if path.is_dir():
        files = sorted(path.glob("*.npz"))
        if not files:
            raise InvalidArgument(f"the folder {str(path)!r} has no .npz files")
        return [lambda file=file: _read(file) for file in files]  # type: ignore[misc]
    return _from_arrays(_read(path))


def _read(file: Path) -> dict[str, Any]:
    try:
        with np.load(file, allow_pickle=False) as loaded:
            if not hasattr(loaded, "files"):
                raise ValueError("it has no names")
            return {name: loaded[name] for name in loaded.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InvalidArgument(f"{str(file)!r} is not a readable .npz file: {error}") from error


def _from_arrays(arrays: Mapping[str, Any]) -> list[Callable[[], Mapping[str, Any]]]:
    whole = {name: np.asarray(value) for name, value in arrays.items()}
    counts = {name: len(value) if value.ndim else 0 for name, value in whole.items()}
    if len(set(counts.values())) != 1:
        raise InvalidArgument(f"arrays of data have one first axis, the samples; these have {counts}")
    count = next(iter(counts.values()))
    return [lambda i=i: {name: v[i : i + 1] for name, v in whole.items()} for i in range(count)]  # type: ignore[misc]


def _from_iterable(data: Any) -> list[Callable[[], Mapping[str, Any]]]:
    try:
        samples = list(data)
    except TypeError as error:
        raise InvalidArgument(
            f"data is a folder, arrays by name, or mappings of them; {type(data).__name__} given"
        ) from error
    for sample in samples:
        if not isinstance(sample, Mapping):
            raise InvalidArgument(f"a sample is a mapping from names to arrays; {type(sample).__name__} given")
    return [lambda sample=sample: sample for sample in samples]  # type: ignore[misc]


def _converted(arg: NodeArg, value: Any) -> np.ndarray:
    dtype = dtypes.element_type(arg.type)
    kind = numpy_type(dtype) if dtype is not None else None
    array = np.asarray(value)
    return array if kind is None else array.astype(kind, copy=False)


def _synthetic(inputs: Sequence[NodeArg], seed: int) -> list[Callable[[], Mapping[str, Any]]]:
    """Normal numbers; 0 or 1 for integers. Of the open sizes the first of an input, as a rule the batch, is 1.

    A decoder's cache is empty and its mask all ones: sizes that must agree do.
    """
    warnings.warn(
        "no data was given: accuracy is judged on random inputs, which say little about real ones",
        UserWarning,
        stacklevel=4,
    )
    shapes: dict[str, list[int]] = {}
    for arg in inputs:
        size = 0 if arg.name.startswith("past_key_values.") else _SYNTHETIC_SIZE
        shapes[arg.name] = [n if isinstance(n, int) else 1 if at == 0 else size for at, n in enumerate(arg.shape)]
    masks = {
        arg.name: made_inputs.make(arg, "ones", tuple(shapes[arg.name]), seed)
        for arg in inputs
        if arg.name == "attention_mask"
    }
    return [
        functools.partial(made_inputs.complete, inputs, masks, shapes, seed=seed + number * len(inputs))
        for number in range(_SYNTHETIC_SAMPLES)
    ]
