"""SessionOptions and RunOptions: onnxruntime's names, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onnxlet
from onnxlet.options import engine_options
from tests.ops.harness import make_model


def test_has_onnxruntimes_attributes_and_defaults() -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    for ours, theirs in (
        (onnxlet.SessionOptions(), onnxruntime.SessionOptions()),
        (onnxlet.RunOptions(), onnxruntime.RunOptions()),
    ):
        for name in dir(theirs):
            value = getattr(theirs, name)
            if name.startswith("_") or callable(value) or name == "profile_file_prefix":
                continue
            assert int(getattr(ours, name)) == int(value) if isinstance(value, int) or hasattr(value, "value") else True
            assert hasattr(ours, name)


def test_unknown_attributes_are_refused_with_a_hint() -> None:
    options = onnxlet.SessionOptions()
    with pytest.raises(AttributeError, match="did you mean 'intra_op_num_threads'"):
        options.intra_op_threads = 2
    with pytest.raises(AttributeError, match="no option 'colour'"):
        onnxlet.RunOptions().colour = 1


@pytest.mark.parametrize(
    ("name", "value"),
    [("intra_op_num_threads", "2"), ("enable_profiling", 1), ("logid", 3), ("intra_op_num_threads", True)],
)
def test_wrong_types_are_refused(name: str, value: object) -> None:
    with pytest.raises(TypeError, match=name):
        setattr(onnxlet.SessionOptions(), name, value)


def test_levels_may_be_numbers() -> None:
    options = onnxlet.SessionOptions()
    options.graph_optimization_level = 1  # type: ignore[assignment]
    assert options.graph_optimization_level is onnxlet.GraphOptimizationLevel.ORT_ENABLE_BASIC
    with pytest.raises(onnxlet.InvalidArgument, match="graph_optimization_level"):
        options.graph_optimization_level = 17  # type: ignore[assignment]


def test_what_the_engine_is_told() -> None:
    options = onnxlet.SessionOptions()
    options.graph_optimization_level = onnxlet.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.enable_profiling = True
    options.use_deterministic_compute = True
    options.add_free_dimension_override_by_name("batch", 4)
    options.add_session_config_entry("onnxlet.max_memory", "1000")
    options.add_session_config_entry("onnxlet.disabled_passes", "fold,fuse")
    options.add_session_config_entry("onnxlet.accuracy_level", "0")
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    assert engine_options(options, ["layout"]) == {
        "graph_optimization_level": "extended",
        "profile": True,
        "deterministic": True,
        "free_dimensions": {"batch": 4},
        "max_memory": 1000,
        "accuracy_level": 0,
        "disabled_passes": ["layout", "fold", "fuse"],
    }
    assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"


def test_wrong_config_entries_are_refused() -> None:
    options = onnxlet.SessionOptions()
    with pytest.raises(onnxlet.InvalidArgument, match=r"onnxlet\.max_memory"):
        options.add_session_config_entry("onnxlet.max_memroy", "1")
    with pytest.raises(onnxlet.InvalidArgument, match="was not set"):
        options.get_session_config_entry("x")
    options.add_session_config_entry("onnxlet.seed", "lots")
    with pytest.raises(onnxlet.InvalidArgument, match="whole number"):
        engine_options(options, [])
    options = onnxlet.SessionOptions()
    options.optimized_model_filepath = "x.onnx"
    with pytest.raises(onnxlet.NotImplemented):
        engine_options(options, [])


def test_prints_what_differs() -> None:
    options = onnxlet.SessionOptions()
    options.intra_op_num_threads = 3
    assert repr(options) == "SessionOptions(intra_op_num_threads=3)"


def test_accuracy_level_counts_instead_of_the_models() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3, 64), np.float32)
    weights = [rng.integers(0, 256, (8, 2, 16), np.uint8), rng.random(16, np.float32)]
    sizes: dict[str, Any] = {"domain": "com.microsoft", "K": 64, "N": 8, "bits": 4, "block_size": 32}

    def result(level: int, entry: int | None = None) -> np.ndarray:
        model = make_model("MatMulNBits", [x, *weights], constants=(1, 2), accuracy_level=level, **sizes)
        options = onnxlet.SessionOptions()
        if entry is not None:
            options.add_session_config_entry("onnxlet.accuracy_level", str(entry))
        session = onnxlet.InferenceSession(model.SerializeToString(), options)
        return np.asarray(session.run(None, {"x0": x})[0])

    assert not np.array_equal(result(0), result(4))
    np.testing.assert_array_equal(result(4, 0), result(0))
    np.testing.assert_array_equal(result(0, 4), result(4))
    with pytest.raises(onnxlet.InvalidArgument, match="'accuracy_level' must be 0 to 4"):
        result(0, 5)
