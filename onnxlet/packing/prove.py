"""Whether a packed model holds what it promises: valid, runs on both engines, as right and as fast as its original."""

from __future__ import annotations

import contextlib
import functools
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from ..comparison import compare_values
from ..errors import Error, Refused
from ..session import InferenceSession
from ..timing import Contender, quantile, ratio, take_turns
from .data import Sample
from .metrics import Comparison, Divergence, Metric, Outputs, Run

_FAR = 0.2  # of the largest output: more than rounding to 8 bits differently explains
_SLOWER = 0.95  # of the original's speed: less is reported


@dataclass(frozen=True)
class Accuracy:
    """How right the packed model is. Without a metric, `before` and `after` are cosines to the original's outputs."""

    metric: str
    before: float
    after: float
    kept: float  # the share of `before` that is left
    divergence: Divergence

    def document(self) -> dict[str, Any]:
        values = {"metric": self.metric, "before": round(self.before, 6), "after": round(self.after, 6)}
        return values | self.divergence.document()


class Judge:
    """Measures packed models against one original, whose outputs it keeps."""

    def __init__(self, original: Path | bytes, samples: Sequence[Sample], metric: Metric | None) -> None:
        self._samples, self.metric = samples, metric
        with InferenceSession(original) as session:
            self.outputs: list[Outputs] = [runner(session)(sample.feeds) for sample in samples]
            self.before = 1.0 if metric is None else metric.measure(runner(session), samples)

    def accuracy(self, packed: Path | bytes) -> Accuracy:
        """Runs a packed model on all samples."""
        with InferenceSession(packed) as session:
            run = runner(session)
            found = self._divergence(run)
            if self.metric is None:
                return found
            after = self.metric.measure(run, self._samples)
        return Accuracy(self.metric.name, self.before, after, self.metric.kept(self.before, after), found.divergence)

    def divergence(self, packed: Path | bytes) -> Accuracy:
        """As without a metric: the cosine to the original's outputs."""
        with InferenceSession(packed) as session:
            return self._divergence(runner(session))

    def _divergence(self, run: Run) -> Accuracy:
        compared = Comparison()
        for sample, expected in zip(self._samples, self.outputs, strict=True):
            compared.add(expected, run(sample.feeds))
        found = compared.result()
        return Accuracy("cosine", 1.0, found.cosine, max(found.cosine, 0.0), found)


def runner(session: InferenceSession) -> Run:
    """A session as a function from feeds to outputs by name."""
    names = [arg.name for arg in session.get_outputs()]

    def run(feeds: Mapping[str, np.ndarray]) -> Outputs:
        return dict(zip(names, session.run(None, dict(feeds)), strict=True))

    return run


@dataclass(frozen=True)
class Speed:
    """Milliseconds of a run of the first sample on onnxlet's engine, and how many times as fast the packed model is."""

    before_ms: float
    after_ms: float
    ratio: float

    def document(self) -> dict[str, float]:
        return {
            "before_ms": round(self.before_ms, 4),
            "after_ms": round(self.after_ms, 4),
            "ratio": round(self.ratio, 3),
        }


def speed(original: Path | bytes, packed: Path | bytes, sample: Sample, seconds: float) -> Speed:
    """Both models in turns, `seconds` each. Warns where the packed one is slower."""
    with contextlib.ExitStack() as stack:
        contenders = []
        for name, model in (("original", original), ("packed", packed)):
            begin = time.perf_counter()
            session = stack.enter_context(InferenceSession(model))
            load_ms = (time.perf_counter() - begin) * 1000
            contenders.append(Contender(name, functools.partial(session.run, None, sample.feeds), load_ms))
        for contender in contenders:
            contender.warm()
        take_turns(contenders, seconds)
    before, after = (quantile(contender.times, 0.5) for contender in contenders)
    return Speed(before, after, ratio(contenders[1], contenders[0]))


def check(path: Path) -> None:
    """onnx's own checker. Raises Refused: what the packer writes must pass."""
    try:
        onnx.checker.check_model(str(path))
    except onnx.checker.ValidationError as error:
        raise Refused(f"the packed model does not pass onnx.checker: {error}") from error


def run_once(path: Path, sample: Sample) -> Outputs:
    """The packed model's outputs. Raises Refused where the engine does not run it."""
    try:
        with InferenceSession(path) as session:
            return runner(session)(sample.feeds)
    except Error as error:
        raise Refused(f"the packed model does not run: {error}") from error


def onnxruntime_difference(path: Path, sample: Sample, expected: Outputs) -> dict[str, Any] | None:
    """How far onnxruntime's outputs are from onnxlet's, over the largest value; None where it is not installed."""
    try:
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
        found = session.run(list(expected), dict(sample.feeds))
    except Exception as error:  # whatever it raises is what the user has to know
        return {"runs": False, "error": str(error).splitlines()[0][:400]}
    errors = [compare_values(name, value, expected[name]).error for name, value in zip(expected, found, strict=True)]
    return {"runs": True, "difference": float(f"{max(errors, default=0.0):.3g}")}


def disagreement(elsewhere: dict[str, Any]) -> str | None:
    """The warning about what `onnxruntime_difference` found."""
    if not elsewhere["runs"]:
        return f"onnxruntime does not run the packed model: {elsewhere['error']}"
    if elsewhere["difference"] <= _FAR:
        return None
    return f"onnxruntime's outputs are {elsewhere['difference']:.2g} of the largest value away from onnxlet's"


@contextlib.contextmanager
def collected() -> Iterator[list[str]]:
    """Gathers the texts of UserWarnings, which are given on as well."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield texts
    for warning in caught:
        if issubclass(warning.category, UserWarning):
            texts.append(str(warning.message))
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def slower(measured: Speed) -> str | None:
    """The warning about a packed model that is slower than its original."""
    if measured.ratio >= _SLOWER:
        return None
    return (
        f"the packed model is slower than its original: {measured.after_ms:.3g} ms against {measured.before_ms:.3g} ms. "
        "Its form costs more to compute than it saves here"
    )
