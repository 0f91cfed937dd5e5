"""One case: a model exported by its framework gives the framework's outputs on onnxlet.

    def test_case(onnxlet, case): check(onnxlet, "torch-script/lstm/18", export=lambda: bytes, runs=lambda: [Run(...)])

A case that fails is also run on onnxruntime, which tells whether the exporter or onnxlet is at fault.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from tests.conformance.compare import Mismatch, assert_outputs
from tests.interop import expectations


@dataclass(frozen=True)
class Run:
    """Inputs by name, or by position, and the framework's outputs. None among the outputs: not compared.

    `values_only`: number types and axes of length 1 are the exporter's choice.
    """

    feeds: Mapping[str, Any] | Sequence[Any]
    expected: Sequence[Any]
    rtol: float = 1e-4
    atol: float = 1e-5
    values_only: bool = False


@dataclass(frozen=True)
class Problem:
    """What kept a case from passing; the kinds are those of expectations.py."""

    kind: str
    text: str


REFUSED = "refused"
Open = Callable[[bytes], Any]  # model to a session of onnxruntime's shape


def open_onnxruntime(model: bytes) -> Any:
    import onnxruntime

    if b"StringNormalizer" in model:  # it wants the model's locale, or that of the USA, installed
        changed = onnx.load_model_from_string(model)
        for node in changed.graph.node:
            if node.op_type == "StringNormalizer":
                kept = [attribute for attribute in node.attribute if attribute.name != "locale"]
                del node.attribute[:]
                node.attribute.extend([*kept, onnx.helper.make_attribute("locale", "C")])
        model = changed.SerializeToString()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def check(onnxlet: Open, case: str, *, export: Callable[[], bytes], runs: Callable[[], Sequence[Run]]) -> None:
    """Exports, runs both and compares. Ends the test as skipped or as an expected failure where expectations.txt says so."""
    settle(case, _problem(onnxlet, case, export, runs))


def settle(case: str, problem: Problem | None) -> None:
    listed = expectations.expected(case)
    if problem is None:
        if listed is not None:
            pytest.fail(f"{case} works, but expectations.txt lists it ({listed[0]}): {listed[1]}", pytrace=False)
        return
    if listed is not None and listed[0] == problem.kind:
        if problem.kind == "export":
            pytest.skip(f"not exported: {listed[1]}")
        pytest.xfail(f"{problem.kind}: {listed[1]}")
    pytest.fail(f"{case}: {problem.kind}: {problem.text}", pytrace=False)


def _problem(
    onnxlet: Open, case: str, export: Callable[[], bytes], runs: Callable[[], Sequence[Run]]
) -> Problem | None:
    expected_runs = list(runs())
    try:
        model = export()
    except Exception as error:  # every exporter has its own classes
        return Problem("export", first_line(error))
    keep(case, model)
    found = difference(onnxlet, model, expected_runs)
    if found is None:
        return None
    reference = difference(open_onnxruntime, model, expected_runs)
    if reference is None:
        return Problem("onnxlet", found)
    if difference(onnxlet, model, runs_of(open_onnxruntime, model, expected_runs)) is None:
        return Problem("exporter", f"{found} (onnxruntime gives what onnxlet gives)")
    both = found.startswith(REFUSED) and reference.startswith(REFUSED)
    return Problem("exporter" if both else "onnxlet", f"{found} (onnxruntime: {reference})")


def keep(case: str, model: bytes) -> None:
    """Writes the model into $ONNXLET_INTEROP_KEEP, if that is set."""
    folder = os.environ.get("ONNXLET_INTEROP_KEEP")
    if folder:
        path = Path(folder, f"{case}.onnx")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(model)


def difference(engine: Open, model: bytes, runs: Sequence[Run]) -> str | None:
    """What goes wrong, in words; None when every run gives what it should."""
    try:
        session = engine(model)
    except Exception as error:
        return f"{REFUSED} to load: {first_line(error)}"
    for index, run in enumerate(runs):
        where = f"run {index}: " if len(runs) > 1 else ""
        try:
            actual = session.run(None, feeds_of(session, run))
        except Exception as error:
            return f"{REFUSED}: {where}{first_line(error)}"
        if len(actual) != len(run.expected):
            return f"{where}{len(actual)} outputs, expected {len(run.expected)}"
        kept = [i for i, want in enumerate(run.expected) if want is not None]
        wanted = [run.expected[i] for i in kept]
        actual = [actual[i] for i in kept]
        if run.values_only:
            actual = [np.squeeze(value) if isinstance(value, np.ndarray) else value for value in actual]
            wanted = [_as_type(want, value) for want, value in zip(wanted, actual, strict=True)]
        try:
            assert_outputs(
                actual,
                wanted,
                operator="(model)",
                backend="",
                rtol=run.rtol,
                atol=run.atol,
            )
        except Mismatch as error:
            return f"{where}{error}"
    return None


def _as_type(want: Any, actual: Any) -> Any:
    if not isinstance(want, np.ndarray) or not isinstance(actual, np.ndarray):
        return want
    numeric = want.dtype.kind in "biuf" and actual.dtype.kind in "biuf"
    return np.squeeze(want).astype(actual.dtype if numeric else want.dtype)


def runs_of(engine: Open, model: bytes, runs: Sequence[Run]) -> list[Run]:
    """The same runs with this engine's outputs as the expected ones; none where it refuses the model or the feeds."""
    try:
        session = engine(model)
        return [replace(run, expected=session.run(None, feeds_of(session, run))) for run in runs]
    except Exception:
        return [Run({}, [])]


def feeds_of(session: Any, run: Run) -> dict[str, Any]:
    if isinstance(run.feeds, Mapping):
        known = {value.name for value in session.get_inputs()}
        return {name: value for name, value in run.feeds.items() if name in known}
    names = [value.name for value in session.get_inputs()]
    # Exporters leave out inputs that the model does not use, never one in the middle of the cases here.
    return dict(zip(names, map(np.asarray, run.feeds), strict=False))


def first_line(error: BaseException) -> str:
    """The first sentences of what caused the error; exporters wrap it in pages of advice."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines() if line.strip()]
    return f"{type(error).__name__}: {' | '.join(lines[:3])}"[:600]
