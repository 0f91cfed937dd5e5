"""The operator tests' own tools, checked with the oracles alone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conformance.backends import BACKENDS
from tests.conformance.compare import Mismatch
from tests.ops.harness import check, make_model

REFERENCE = BACKENDS["reference"]()


def test_inputs_attributes_and_outputs_reach_the_model() -> None:
    model = make_model("Split", [np.zeros((5, 4), np.float32), np.array([2, 3])], outputs=2, constants=[1], axis=0)
    assert [value.name for value in model.graph.input] == ["x0"]
    assert [value.name for value in model.graph.output] == ["y0", "y1"]
    assert model.graph.node[0].attribute[0].name == "axis"


def test_output_types_are_inferred() -> None:
    model = make_model("Cast", [np.zeros(3, np.float32)], to=7)
    assert model.graph.output[0].type.tensor_type.elem_type == 7


def test_oracles_agree() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    check(REFERENCE, "Gather", [x, np.array([0, -1])], oracle="onnxruntime", axis=-2)


def test_left_out_input_and_a_wrong_result() -> None:
    x = np.array([-1, 2, 9], np.float32)
    check(REFERENCE, "Clip", [x, None, np.float32(3)], oracle=[np.array([-1, 2, 3], np.float32)])
    with pytest.raises(Mismatch, match=r"1 of 3 values beyond exact, at \[2\]: 3.0, expected 4.0"):
        check(REFERENCE, "Clip", [x, None, np.float32(3)], oracle=[np.array([-1, 2, 4], np.float32)])
