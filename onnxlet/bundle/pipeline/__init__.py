"""pipeline.toml: what lies between a person's file, words or table and an answer, as one ONNX model.

`inputs/` and `outputs/` have a module for each kind of step. A step writes nodes around the model (`assembly.py`, `graph.py`)
and says what its input or output is called, and what it means.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir

from ...errors import InvalidArgument
from ...metadata import NodeArg
from ...options import SessionOptions
from ...session import InferenceSession
from ..application import Application, Interface, plain_inputs
from ..errors import BundleError
from . import inputs, outputs
from .assembly import Assembly, type_name
from .config import Column, Columns, Image, MatrixColumn, Pipeline
from .model import surrounded
from .reading import Files, read

_LEAST_OPSET = 13  # Squeeze and ReduceSum have their axes as inputs
_TEXT_EQUAL_OPSET = 19
_IMAGE_OPSET = 20
_LARGEST_FILE = 2**31 - 1  # of protobuf


def compose(path: Path, pipeline: Path) -> Application:
    """The model with what comes before and after it. All that the pipeline says is checked against the model first.

    Raises NoSuchFile, InvalidArgument, which names the file and the place in it, NotImplemented where a model cannot be
    raised to the opset version that a step needs, and BundleError.
    """
    return _compose(path, pipeline, read(pipeline))


def _compose(path: Path, pipeline: Path, config: Pipeline) -> Application:
    files = Files(pipeline.parent)
    try:
        around = tuple((files.path(item.file), item) if item else None for item in (config.before, config.after))
        assembly = Assembly(
            surrounded(path, around, _least_opset(config)), files, partial(_vectors, path, pipeline, config)
        )
        _steps(assembly, config.inputs, inputs.STEPS, "inputs")
        _feed_the_rest(assembly)
        _steps(assembly, config.outputs or _as_they_are(assembly), outputs.STEPS, "outputs")
    except InvalidArgument as error:
        raise InvalidArgument(f"{pipeline.name}: {error}") from error
    model = _checked(assembly.finish(), path)
    for item in (path, *(item[0] for item in around if item)):
        files.digests[item.name] = hashlib.sha256(item.read_bytes()).hexdigest()
    interface = Interface(path.stem, tuple(assembly.inputs), tuple(assembly.outputs), config.title, config.description)
    return Application(model, interface, tuple(sorted(set(config.licenses))), dict(sorted(files.digests.items())))


def _steps(
    assembly: Assembly, tables: Mapping[str, Any], steps: Mapping[str, Callable[[Assembly, str, Any], None]], what: str
) -> None:
    for name, step in tables.items():
        try:
            steps[step.kind](assembly, name, step)
        except InvalidArgument as error:
            raise InvalidArgument(f"{what}.{name}: {error}") from error


def _feed_the_rest(assembly: Assembly) -> None:
    """Inputs that the pipeline does not mention are what they are without one."""
    core = assembly.core
    arguments = [NodeArg(name, type_name(assembly.dtype(name)), assembly.dims(name) or []) for name in core.inputs]
    for item in plain_inputs(arguments):
        if item.name not in assembly.fed:
            value = assembly.add_input(item.name, item.kind, assembly.dtype(item.name), item.shape)
            assembly.feed(item.name, value)


def _as_they_are(assembly: Assembly) -> dict[str, Any]:
    """The model's outputs, where the pipeline mentions none."""
    from .config import Classes, TensorOutput

    return {
        name: Classes(kind="classes") if name in assembly.core.classes else TensorOutput(kind="tensor")
        for name in assembly.core.outputs
    }


def _vectors(path: Path, pipeline: Path, config: Pipeline, name: str, sentences: Sequence[str]) -> np.ndarray:
    """The vectors of sentences, by the same pipeline without the comparison. Raises InvalidArgument."""
    output = config.outputs[name].model_copy(update={"compare": None})
    alone = _compose(path, pipeline, config.model_copy(update={"outputs": {name: output}}))
    given = [item.name for item in alone.interface.inputs]
    if [item.kind for item in alone.interface.inputs] != ["text"]:
        raise InvalidArgument(f"compare needs one input, a text; there are {', '.join(given)}")
    options = SessionOptions()
    options.use_deterministic_compute = True
    with InferenceSession(alone.model, options) as session:
        found = [session.run(None, {given[0]: np.array([sentence], object)})[0] for sentence in sentences]
    return np.stack(found)


def _least_opset(config: Pipeline) -> int:
    kinds = config.inputs.values()
    if any(isinstance(step, Image) for step in kinds):
        return _IMAGE_OPSET
    columns: Iterable[Column | MatrixColumn] = [
        column
        for step in kinds
        for column in (step.columns if isinstance(step, Columns) else [step] if isinstance(step, Column) else [])
    ]
    return _TEXT_EQUAL_OPSET if any(isinstance(column.missing, str) for column in columns) else _LEAST_OPSET


def _checked(model: ir.Model, path: Path) -> bytes:
    """The file's bytes, without what nobody reads, and with onnx's approval."""
    ir.passes.common.RemoveUnusedNodesPass()(model)
    ir.passes.common.RemoveUnusedOpsetsPass()(model)
    tensors = (value.const_value for value in model.graph.initializers.values())
    size = sum(tensor.nbytes for tensor in tensors if tensor is not None)
    if size > _LARGEST_FILE:
        raise BundleError(f"{path.name} has weights of {size} bytes; a file holds {_LARGEST_FILE}: pack it first")
    data = bytes(ir.to_proto(model).SerializeToString(deterministic=True))
    try:
        onnx.checker.check_model(data, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        raise BundleError(f"{path.name} and its pipeline do not fit each other: {error}") from error
    return data
