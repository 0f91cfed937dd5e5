"""Operators run by the function bodies that the engine carries, in place of its kernels."""

from __future__ import annotations

from typing import Any

import onnx
import pytest

import onnxlet
from tests.conformance.cases import Case, load_cases
from tests.conformance.runner import run_case


def _inlined(case: Case) -> bool:
    """One node whose operator has a body for the opset of the case."""
    if case.suite == "light" or len(case.model.graph.node) != 1:
        return False
    (node,) = case.model.graph.node
    version = {o.domain: o.version for o in case.model.opset_import}.get(node.domain, 1)
    try:
        return bool(onnx.defs.get_schema(node.op_type, version, node.domain).has_function)
    except onnx.defs.SchemaError:
        return False


class _ByPosition:
    def __init__(self, model: bytes, engine: str) -> None:
        options = onnxlet.SessionOptions()
        options.add_session_config_entry("onnxlet.function_bodies", "1")
        self.session = onnxlet.InferenceSession(model, options, _engine=engine)

    def run(self, inputs: Any) -> Any:
        return self.session.run(None, dict(zip([v.name for v in self.session.get_inputs()], inputs, strict=False)))


@pytest.mark.parametrize("case", [pytest.param(c, id=c.id) for c in load_cases() if _inlined(c)])
@pytest.mark.usefixtures("backend")  # finds the library of the native engine
def test_the_body_gives_what_the_operator_must(case: Case, engine_name: str) -> None:
    if engine_name in {"onnxruntime", "reference"}:
        pytest.skip("an oracle")
    run_case(case, lambda model: _ByPosition(model, engine_name.removesuffix("-2-threads")), engine_name)
