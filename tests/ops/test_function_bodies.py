"""The engine's own operators against the bodies that the specification gives them.

Every operator with a function body, static or made for its context, at every version that has one: the node, and a model
in which its body stands in its place, run on the engine with the questions of tests/ops/properties/.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st
from onnx import helper

from tests.conformance.backends import Prepare
from tests.conformance.compare import assert_outputs
from tests.ops.harness import run
from tests.ops.properties.registry import CLAIMS, Claim, Draw, Sample, schema, slack
from tests.ops.test_properties import described, model_of

# operator: (when its body is no oracle, why)
EXCEPT: dict[str, tuple[Callable[[Sample, int], bool], str]] = {
    "AffineGrid": (
        lambda s, v: s.inputs[0].shape[0] == 1 or 1 in s.inputs[1][2:],
        "the body squeezes a batch of 1 away, and divides by the length less 1",
    ),
    "LayerNormalization": (lambda s, v: s.inputs[0].size == 0, "the body copies the wrong one of two empty axes"),
    "Bernoulli": (lambda s, v: bool((s.inputs[0] != 0.5).any()), "the body draws 1 with the probability of 0"),
    "Celu": (
        lambda s, v: v == 12 and s.inputs[0].ndim == 0,
        "the constants of the body have rank 1, and so its result",
    ),
    "Range": (lambda s, v: s.answer[0].size == 0, "the body's Loop gives no type to a result without elements"),
}


def with_body(claim: Claim) -> bool:
    s = schema(claim.domain, claim.operator, claim.version)
    return bool(s.has_function or s.has_context_dependent_function)


BODIES = [claim for claim in CLAIMS if with_body(claim)]


def chosen(offered: list[int], version: int) -> int:
    """The opset whose body serves an operator of `version`: the newest that is not newer, else the first."""
    return max((v for v in offered if v <= version), default=min(offered))


def body_of(claim: Claim, model: onnx.ModelProto) -> onnx.FunctionProto | None:
    """The body for this node; None where the specification builds none for such inputs."""
    s = schema(claim.domain, claim.operator, claim.version)
    (node,) = model.graph.node
    if s.has_function:
        version = chosen(s.function_opset_versions, claim.version)
        return onnx.FunctionProto.FromString(s.get_function_with_opset_version(version))
    types = {value.name: value.type for value in model.graph.input}
    for tensor in model.graph.initializer:
        types[tensor.name] = helper.make_tensor_type_proto(tensor.data_type, list(tensor.dims))
    given = [types[name].SerializeToString() if name else b"" for name in node.input]
    version = chosen(s.context_dependent_function_opset_versions, claim.version)
    made = s.get_context_dependent_function_with_opset_version(version, node.SerializeToString(), given)
    return onnx.FunctionProto.FromString(made) if made else None


def expanded(claim: Claim, model: onnx.ModelProto, body: onnx.FunctionProto) -> onnx.ModelProto:
    """The model with the node calling `body` as a function of its own domain, defaults of the operator given."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    (node,) = copy.graph.node
    body.domain, body.name = "body", node.op_type
    node.domain = "body"
    if all(item.domain for item in body.opset_import):
        body.opset_import.extend(item for item in copy.opset_import if not item.domain)
    known = set(body.attribute) | {a.name for a in body.attribute_proto}
    kept = {a.name: a for a in node.attribute if a.name in known}
    for name, attribute in schema(claim.domain, claim.operator, claim.version).attributes.items():
        if name in known and attribute.default_value.type:
            kept.setdefault(name, onnx.AttributeProto.FromString(attribute.default_value.SerializeToString()))
    del node.attribute[:]
    node.attribute.extend(kept.values())
    copy.functions.append(body)
    copy.opset_import.append(helper.make_opsetid("body", 1))
    return copy


def well_typed(model: onnx.ModelProto) -> bool:
    """Some bodies are for some of the operator's types only: onnx itself refuses the others."""
    try:
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    except Exception:
        return False
    return True


@pytest.mark.parametrize("claim", BODIES, ids=lambda claim: claim.id)
@pytest.mark.filterwarnings("ignore")
def test_body(backend: Prepare, examples: int, first_seed: int, claim: Claim) -> None:
    @seed(zlib.crc32(claim.id.encode()) + first_seed)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(data=st.data())
    def draw_and_compare(data: st.DataObject) -> None:
        with np.errstate(all="ignore"):
            sample = claim.prop(Draw(data, claim))
        excepted = EXCEPT.get(claim.operator)
        assume(excepted is None or not excepted[0](sample, claim.version))
        outputs: Any = sample.outputs
        if outputs is None:
            assume(isinstance(sample.answer, list))
            outputs = [np.asarray(value).dtype for value in sample.answer]
        model = model_of(claim, sample, outputs, claim.version)
        body = body_of(claim, model)
        assume(body is not None)
        whole = expanded(claim, model, body)
        assume(well_typed(whole))
        try:
            expected = run(backend, whole, sample.inputs)
            if sample.accept is not None:
                sample.accept(expected)
                return
            actual = run(backend, model, sample.inputs)
            atol = max([sample.atol, 1e-5, *(slack(v.dtype, 16) for v in expected if isinstance(v, np.ndarray))])
            assert_outputs(actual, expected, operator="(several)", backend="", rtol=max(sample.rtol, 1e-4), atol=atol)
        except Exception as error:
            error.add_note(described(sample))
            raise

    draw_and_compare()


def test_every_body_is_compared() -> None:
    from tests.ops.properties.registry import versions

    have = {
        (domain, operator, version)
        for (domain, operator), all_versions in versions().items()
        for version in all_versions
        if (s := schema(domain, operator, version)).has_function or s.has_context_dependent_function
    }
    assert have == {(c.domain, c.operator, c.version) for c in BODIES}
