"""Runs every property of tests/ops/properties/ and shows that no version of any operator is without one.

`--examples N` sets how many questions each claim draws, `--seed N` draws others.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.conformance.backends import BACKENDS, Prepare
from tests.conformance.compare import assert_outputs
from tests.ops import properties
from tests.ops.harness import make_model, run
from tests.ops.properties.registry import CLAIMS, Claim, Draw, Sample, versions

for module in pkgutil.iter_modules(properties.__path__):
    importlib.import_module(f"{properties.__name__}.{module.name}")

# (domain, operator): who tests it instead.
ELSEWHERE = {
    ("", "ImageDecoder"): "decoded by the host: tests/python and tests/browser",
    ("ai.onnx.preview.training", "Gradient"): "an instruction to differentiate, not a function of its inputs",
}


@functools.cache
def oracle(name: str) -> Prepare:
    return BACKENDS[name]()


def model_of(claim: Claim, sample: Sample, outputs: Any, opset: int) -> Any:
    return make_model(
        sample.operator or claim.operator,
        sample.inputs,
        outputs=outputs,
        opset=opset,
        domain=claim.domain if sample.operator is None else "",
        constants=sample.constants,
        input_types=sample.input_types,
        more=sample.attributes,
    )


def answer_of(claim: Claim, sample: Sample) -> list[Any]:
    answer = sample.answer
    if isinstance(answer, str):
        model = model_of(claim, sample, sample.outputs or 1, claim.version)
        return run(oracle(answer), model, sample.inputs)
    if isinstance(answer, Sample):
        model = model_of(
            claim,
            answer,
            answer.outputs or (1 if answer.cast is not None else sample.outputs) or 1,
            answer.opset or claim.version,
        )
        found = run(oracle(answer.by), model, answer.inputs)
        types = answer.cast if isinstance(answer.cast, list) else [answer.cast] * len(found)
        types = (
            [t for t, wanted in zip(types, answer.outputs or types, strict=True) if wanted is not None]
            if isinstance(answer.cast, list)
            else types
        )
        return [v.astype(t) if t is not None and v.dtype.kind == "f" else v for v, t in zip(found, types, strict=True)]
    return list(answer)


def ask(backend: Prepare, claim: Claim, sample: Sample, opset: int) -> None:
    """Puts the question to the engine and compares."""
    outputs = sample.outputs
    with np.errstate(all="ignore"):
        if sample.accept is not None:
            sample.accept(run(backend, model_of(claim, sample, outputs or 1, opset), sample.inputs))
            return
        expected = answer_of(claim, sample)
    if outputs is None:
        outputs = [np.asarray(value).dtype for value in expected]  # of tensors
    actual = run(backend, model_of(claim, sample, outputs, opset), sample.inputs)
    assert_outputs(actual, expected, operator=claim.operator, backend="", rtol=sample.rtol, atol=sample.atol)


def described(sample: Sample) -> str:
    def of(value: Any) -> str:
        if value is None or isinstance(value, (list, tuple, dict)):
            return repr(value)
        array = np.asarray(value)
        text = f"{array.dtype}{list(array.shape)}"
        return f"{text} {array.tolist()}" if array.size <= 12 else text

    return f"inputs: {', '.join(map(of, sample.inputs))}\nattributes: {sample.attributes}"


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
@pytest.mark.filterwarnings("ignore")
def test_property(backend: Prepare, examples: int, first_seed: int, claim: Claim) -> None:
    @seed(zlib.crc32(claim.id.encode()) + first_seed)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(data=st.data())
    def draw_and_ask(data: st.DataObject) -> None:
        with np.errstate(all="ignore"):
            sample = claim.prop(Draw(data, claim))
        opset = data.draw(st.sampled_from([claim.version, claim.last_opset]))
        if (
            all(isinstance(value, np.ndarray) for value in sample.inputs)
            and sample.accept is None
            and data.draw(st.integers(0, 4)) == 0
        ):
            sample.constants = range(len(sample.inputs))  # computed while the model is loaded
        try:
            ask(backend, claim, sample, opset)
        except Exception as error:
            error.add_note(f"opset {opset}\n{described(sample)}")
            raise

    draw_and_ask()


def test_every_version_is_claimed() -> None:
    claimed = {(claim.domain, claim.operator, claim.version) for claim in CLAIMS}
    missing = [
        f"{domain or 'ai.onnx'} {operator}-{version}"
        for (domain, operator), all_versions in versions().items()
        for version in all_versions
        if (domain, operator, version) not in claimed and (domain, operator) not in ELSEWHERE
    ]
    assert not missing, f"{len(missing)} versions have no property: {', '.join(missing)}"
