"""onnxlet.backend under the runner of the onnx package itself: every sixteenth case, with --all every one."""

from __future__ import annotations

import re
import unittest
import warnings
import zlib
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import onnxlet
from tests.conformance.cases import load_cases
from tests.python import models
from tests.python.conftest import need

# What fails with any backend or under this runner's tolerance, which is the same for all operators.
EXPECTED = {
    r"test_bernoulli(_double|_seed)?(_expanded)?": "the numbers are random",
    r"test_loop16_seq_none": "the runner asks for the length of arrays without dimensions",
    r"test_dft_inverse(_opset19)?": "sums of 50 float32 numbers that give 0 are compared to within 1e-7",
    r"test_attention_4d_causal_fp16_expanded": "sums of float16 numbers are compared to within 1e-3",
}
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def failures(chosen: set[str] | None) -> tuple[int, set[str]]:
    """How many cases ran on the CPU, and the names of those that failed."""
    from onnx.backend.test import BackendTest

    import onnxlet.backend

    load_cases()  # computes the cases once for this runner and the other tests here
    runner = BackendTest(onnxlet.backend, __name__)
    runner.exclude("_cuda$")
    if chosen is not None:
        runner.include("^(" + "|".join(sorted(chosen)) + ")_cpu$")
    result = unittest.TestResult()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runner.test_suite.run(result)
    failed = {test.id().rpartition(".")[2].removesuffix("_cpu") for test, _ in [*result.failures, *result.errors]}
    return result.testsRun - len(result.skipped), failed


def test_the_onnx_runner_accepts_the_backend(request: pytest.FixtureRequest) -> None:
    need("wasm")
    names = {case.name for case in load_cases() if case.suite != "light"}
    everything = request.config.getoption("--all")
    chosen = {name for name in names if everything or zlib.crc32(name.encode()) % 16 == 0}
    ran, failed = failures(None if everything else chosen)
    assert ran >= len(chosen) > 100
    assert failed == {name for name in chosen if any(re.fullmatch(pattern, name) for pattern in EXPECTED)}


def test_the_interface() -> None:
    import onnxlet.backend as backend

    need("wasm")
    made = models.add()
    assert backend.supports_device("CPU") and backend.supports_device("CPU:0") and not backend.supports_device("CUDA")
    rep = backend.prepare(made, intra_op_num_threads=1, rtol=1e-3)
    assert rep.session.threads == 1
    for inputs in ([X, X], (X, X), {"y": X, "x": X}):
        (z,) = rep.run(inputs)
        np.testing.assert_array_equal(z, 2 * X)
    (z,) = backend.run(made.SerializeToString(), [X, X])
    np.testing.assert_array_equal(z, 2 * X)
    assert backend.prepare(rep.session).session is rep.session
    (y,) = backend.run_model(models.identity(TensorProto.FLOAT), X)
    np.testing.assert_array_equal(y, X)
    assert backend.is_compatible(made)
    made.graph.node[0].op_type = "Addd"
    assert not backend.is_compatible(made)


def test_single_nodes() -> None:
    import onnxlet.backend as backend

    need("wasm")
    (y,) = backend.run_node(helper.make_node("Add", ["a", "b"], ["c"]), [X, X])
    np.testing.assert_array_equal(y, 2 * X)
    clip = helper.make_node("Clip", ["x", "", "most"], ["y"])
    np.testing.assert_array_equal(backend.run_node(clip, [X, np.float32(2)])[0], np.minimum(X, 2))
    old = helper.make_node("ReduceSum", ["x"], ["y"], axes=[1], keepdims=0)
    np.testing.assert_array_equal(backend.run_node(old, [X], opset_version=11)[0], X.sum(1))
    scaler = helper.make_node("Scaler", ["x"], ["y"], domain="ai.onnx.ml", offset=[1.0], scale=[2.0])
    np.testing.assert_array_equal(backend.run_node(scaler, [X], opset_version=3)[0], (X - 1) * 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda backend, model: backend.prepare(model, "CUDA"), "device 'CUDA' was asked for"),
        (lambda backend, model: backend.run_model(model, [X, X, X]), "3 inputs given; the model has 2: x, y"),
        (lambda backend, model: backend.run_node(model.graph.node[0], [X]), "Add has 2 inputs; 1 given"),
    ],
)
def test_wrong_calls_are_named(call: Any, words: str) -> None:
    import onnxlet.backend as backend

    need("wasm")
    with pytest.raises(onnxlet.InvalidArgument, match=words):
        call(backend, models.add())
