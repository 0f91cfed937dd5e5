"""Programs as onnxruntime's users write them, with the import changed: both packages answer alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import onnxlet

from . import models
from .conftest import need

Program = Callable[[Any, Path], Any]
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def logistic(folder: Path) -> Path:
    """y = sigmoid(x @ w), with metadata, as a converter writes it."""
    made = models.matmul(3)
    made.graph.node[1].op_type = "Sigmoid"
    made.producer_name, made.model_version, made.domain, made.doc_string = "tests", 7, "ai.tests", "a logistic model"
    made.graph.doc_string = "one layer"
    helper.set_model_props(made, {"labels": "a,b,c"})
    path = folder / "logistic.onnx"
    onnx.save(made, path)
    return path


def load_and_predict(ort: Any, folder: Path) -> Any:
    session = ort.InferenceSession(str(logistic(folder)), providers=ort.get_available_providers()[-1:])
    name, label = session.get_inputs()[0].name, session.get_outputs()[0].name
    found = session.run([label], {name: X})[0]
    arguments = [(value.name, value.type, value.shape) for value in (*session.get_inputs(), *session.get_outputs())]
    return arguments, str(session.get_inputs()[0]), found, ort.get_device()


def read_metadata(ort: Any, folder: Path) -> Any:
    meta = ort.InferenceSession(logistic(folder), providers=["CPUExecutionProvider"]).get_modelmeta()
    facts = (
        "custom_metadata_map",
        "description",
        "domain",
        "graph_description",
        "graph_name",
        "producer_name",
        "version",
    )
    return {fact: getattr(meta, fact) for fact in facts}


def session_and_run_options(ort: Any, folder: Path) -> Any:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_free_dimension_override_by_name("N", 2)
    session = ort.InferenceSession(logistic(folder), options, providers=["CPUExecutionProvider"])
    run_options = ort.RunOptions()
    run_options.log_severity_level = 3
    run_options.log_verbosity_level = 1
    run_options.logid = "a run"
    run_options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    entry = options.get_session_config_entry("session.intra_op.allow_spinning")
    return session.run(None, {"x": X}, run_options=run_options), entry, run_options.logid


def values_on_a_device(ort: Any, folder: Path) -> Any:
    session = ort.InferenceSession(logistic(folder), providers=["CPUExecutionProvider"])
    x = ort.OrtValue.ortvalue_from_numpy(X, "cpu", 0)
    y = ort.OrtValue.ortvalue_from_shape_and_type([2, 3], np.float32, "cpu", 0)
    binding = session.io_binding()
    binding.bind_input(
        name="x",
        device_type=x.device_name(),
        device_id=0,
        element_type=np.float32,
        shape=x.shape(),
        buffer_ptr=x.data_ptr(),
    )
    binding.bind_output(
        name="y",
        device_type=y.device_name(),
        device_id=0,
        element_type=np.float32,
        shape=y.shape(),
        buffer_ptr=y.data_ptr(),
    )
    session.run_with_iobinding(binding)
    return y.numpy(), session.run(["y"], {"x": x})[0], np.array_equal(x.numpy(), X)


def values_in_and_out(ort: Any, folder: Path) -> Any:
    session = ort.InferenceSession(logistic(folder), providers=["CPUExecutionProvider"])
    (y,) = session.run_with_ort_values(["y"], {"x": ort.OrtValue.ortvalue_from_numpy(X)})
    return y.shape(), y.data_type(), y.element_type(), y.is_tensor(), y.numpy()


def a_sequence_of_maps(ort: Any, folder: Path) -> Any:
    maps = helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    output = helper.make_value_info("y", helper.make_sequence_type_proto(maps))
    node = helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_int64s=[7, 8, 9])
    made = models.model([node], [models.tensor("x")], [output])
    made.opset_import.append(helper.make_opsetid("ai.onnx.ml", 1))
    session = ort.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.get_outputs()[0].type, session.run(None, {"x": X})


def profile(ort: Any, folder: Path) -> Any:
    options = ort.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(folder / "profile")
    session = ort.InferenceSession(logistic(folder), options, providers=["CPUExecutionProvider"])
    session.run(None, {"x": X})
    file = session.end_profiling()
    json.loads(Path(file).read_text())
    return Path(file).parent == folder, session.get_profiling_start_time_ns() > 0


def what_goes_wrong(ort: Any, folder: Path) -> Any:
    kinds = ort.capi.onnxruntime_pybind11_state
    found = []
    session = ort.InferenceSession(logistic(folder), providers=["CPUExecutionProvider"])
    for call in (
        lambda: session.run(None, {"x": X.astype(np.float64)}),
        lambda: session.run(None, {"x": X[0]}),
        lambda: session.run(None, {"x": X, "q": X}),
        lambda: ort.InferenceSession(b"not a model"),
        lambda: ort.InferenceSession(str(folder / "none.onnx")),
    ):
        with pytest.raises(Exception) as caught:
            call()
        found.append(next(name for name in dir(kinds) if getattr(kinds, name) is caught.type))
    with pytest.raises(ValueError, match="x"):
        session.run(None, {})
    return found


PROGRAMS: tuple[Program, ...] = (
    load_and_predict,
    read_metadata,
    session_and_run_options,
    values_on_a_device,
    values_in_and_out,
    a_sequence_of_maps,
    profile,
    what_goes_wrong,
)


def close(left: Any, right: Any) -> bool:
    if isinstance(left, tuple | list):
        return len(left) == len(right) and all(map(close, left, right))
    if isinstance(left, np.ndarray):
        return bool(left.dtype == right.dtype and np.allclose(left, right, rtol=1e-5, atol=1e-6))
    return bool(left == right)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_both_packages_answer_alike(program: Program, tmp_path: Path) -> None:
    need("wasm")
    ours, theirs = program(onnxlet, tmp_path), program(onnxruntime, tmp_path)
    assert close(ours, theirs), (ours, theirs)
