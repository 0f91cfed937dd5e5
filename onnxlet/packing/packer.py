"""`pack`: from a model to a smaller one that is proved right."""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import onnx
import onnx_ir as ir

from .. import importers
from ..errors import InvalidArgument, Refused
from ..session import InferenceSession
from . import balance, foreign, metrics, prove, report
from .budget import Budget, parse_size
from .build import Built, Decision, build, calibrate, decide, grids_of, prepare
from .calibrate import Progress
from .config import Config, Keep, Scheme, make_config
from .data import Data, Samples, read_samples
from .layers import survey
from .search import Found, search
from .search_cache import SearchCache, key_of
from .store import ModelSource, Staged, load, staged, stored_bytes, weight_bytes
from .trials import Workbench

_UNNAMED = "packed.onnx"


@dataclass(frozen=True)
class PackResult:
    """A packed model, and what is known of it."""

    path: Path | None
    """Where it was written; None where no output was named."""
    model: bytes | None
    """The file's bytes where no output was named."""
    report: dict[str, Any]
    """JSON-ready; docs/packing.md lists its keys."""

    @property
    def bytes_before(self) -> int:
        return int(self.report["bytes_before"])

    @property
    def bytes_after(self) -> int:
        return int(self.report["bytes_after"])


def pack(
    model: ModelSource,
    data: Data | None = None,
    *,
    output: str | os.PathLike[str] | None = None,
    scheme: str | Scheme | None = None,
    config: Config | str | Path | dict[str, Any] | None = None,
    metric: str | metrics.UserMetric | None = None,
    max_size: float | str | None = None,
    min_accuracy: float | None = None,
    max_drop: float | None = None,
    cache: bool | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> PackResult:
    """Packs a float model: its weights get fewer bits, and perhaps its arithmetic too.

    model: a path, bytes, onnx.ModelProto or onnx_ir.Model; a path may be of what `onnxlet.importers.load` reads, and is
    carried over as it is where it has quantized weights and nothing else is asked for. data: see `read_samples`;
    int8-static needs it, and accuracy is measured on it. output: the file to write; it appears whole or not at all.
    scheme: such as "int8-dynamic" or "int4:block=64,form=nbits", see `Config` for the rest. metric: a name, or a function that takes a function to run the
    model with (feeds by name to outputs by name) and returns a number, the larger the better. max_size, min_accuracy,
    max_drop: a budget, for which the best mix of schemes is searched: the most accurate within max_size, or the smallest
    that keeps the accuracy; see `Config`. cache=False forgets what earlier searches measured. progress: called with a
    stage, what is done and what there is in all.

    Raises InvalidArgument for what cannot be packed, Refused for a result that is larger or collapsed, NotImplemented,
    NoSuchFile, InvalidProtobuf or InvalidGraph.
    """
    named = metric if isinstance(metric, str) else None
    settings = make_config(
        config,
        scheme=scheme,
        metric=named,
        max_size=max_size,
        min_accuracy=min_accuracy,
        max_drop=max_drop,
        cache=cache,
        seed=seed,
    )
    if scheme is not None and settings.has_budget:
        raise InvalidArgument(
            "scheme and a budget (max_size, min_accuracy, max_drop) exclude each other: a budget chooses among `candidates`"
        )
    wanted = metrics.find(metric if callable(metric) else settings.metric)
    target = None if output is None else Path(output)
    with contextlib.ExitStack() as stack:
        if foreign.is_foreign(model):
            imported = importers.load(model)
            if scheme is None and config is None and not settings.has_budget and foreign.is_quantized(imported):
                if data is not None or wanted is not None:
                    raise InvalidArgument(
                        "the weights are quantized already and carried over as they are: there is no float model to measure "
                        "them against. Leave out data and metric"
                    )
                written = foreign.carry_over(imported, model, target, settings.external_data, settings.run_limit)
                return PackResult(target, *written)
            model = stack.enter_context(foreign.as_onnx(imported))
        notes = stack.enter_context(prove.collected())
        return _Run(load(model), model, data, settings, wanted, progress, notes).run(target)


class _Run:
    """One call of `pack`."""

    def __init__(
        self,
        loaded: ir.Model,
        source: ModelSource,
        data: Data | None,
        config: Config,
        metric: metrics.Metric | None,
        progress: Progress | None,
        notes: list[str],
    ) -> None:
        self.config, self.metric, self.progress, self.notes = config, metric, progress, notes
        self.runnable = weight_bytes(loaded) <= config.run_limit
        self.original = _original(source)
        self.before = stored_bytes(self.original) if isinstance(self.original, Path) else len(self.original)
        self.prepared = prepare(loaded)
        self.label = "mix" if config.has_budget else str(config.scheme)
        self.samples: Samples | None = None
        if self.runnable:
            with InferenceSession(self.original) as session:
                self.samples = read_samples(data, session.get_inputs(), config.samples, config.seed)
        else:
            self._note(
                f"the model has more weights than run_limit = {config.run_limit} bytes: it was packed without being run"
            )

        if self.config.balance != "none":
            self._balance()

    def _balance(self) -> None:
        """Changes the float model so that less of it is lost."""
        kind, model = self.config.balance, self.prepared.model
        if kind == "equalise":
            changed, what = balance.equalise(model), "pairs of layers with nothing but Relu or pooling between them"
        elif self.samples is None or self.samples.synthetic:
            raise InvalidArgument(
                f'balance = "{kind}" needs data: it goes by the size of activations (data=..., --data)'
            )
        elif kind == "smooth":
            changed = balance.smooth(model, self.samples, self.config.strength, self.progress)
            what = "values that MatMul or Gemm multiplies with weights"
        else:
            grids = grids_of(self.prepared, self.decisions())
            changed = balance.activation_aware(model, grids, self.samples, self.progress)
            what = "products with weights of few bits whose inputs differ enough in size"
        if not changed:
            self._note(f'balance = "{kind}" changed nothing: the model has no {what}')
        self.prepared.survey = survey(model)

    def run(self, output: Path | None) -> PackResult:
        searched = self._searched(output) if self.config.has_budget else None
        if searched is not None:
            decisions, observed = searched.decisions, searched.observed
        else:
            decisions = self.decisions()
            assignment = {name: decision.scheme for name, decision in decisions.items()}
            observed = calibrate(self.prepared, assignment, self.samples, self.progress)
        built = build(self.prepared, decisions, observed, self.config, self.progress, histograms=True)
        for note in built.notes:
            self._note(note)
        if output is not None:
            with staged(output) as stage:
                document = self._proved(built, stage, searched)
                stage.commit()
            return PackResult(output, None, document)
        with tempfile.TemporaryDirectory() as folder, staged(Path(folder) / _UNNAMED) as stage:
            document = self._proved(built, stage, searched)
            return PackResult(None, stage.path.read_bytes(), document)

    def _searched(self, output: Path | None) -> Found:
        """The mix for the budget."""
        if self.samples is None:
            raise InvalidArgument(
                f"a budget needs a model that can be run, and this one has more weights than run_limit = {self.config.run_limit} bytes"
            )
        if not self.prepared.survey.layers:
            raise InvalidArgument(
                "a budget chooses schemes for layers, and this model has none: pack it without max_size, min_accuracy and max_drop"
            )
        config = self.config
        budget = Budget(
            None if config.max_size is None else parse_size(config.max_size, self.before),
            config.min_accuracy,
            config.max_drop,
        )
        key = key_of(self.original, self.digest, config.measured_by()) if config.cache else None
        bench = Workbench(
            self.prepared,
            config,
            self.samples,
            self.judge,
            SearchCache(key),
            self._with_metadata,
            _UNNAMED if output is None else output.name,
            self.progress,
        )
        return search(bench, budget, self.progress)

    @cached_property
    def judge(self) -> prove.Judge:
        assert self.samples is not None
        return prove.Judge(self.original, self.samples, self.metric)

    @cached_property
    def digest(self) -> str:
        """Of the user's data; "" where there is none."""
        return "" if self.samples is None or self.samples.synthetic else self.samples.digest()

    def decisions(self) -> dict[str, Decision]:
        """The configuration's scheme for every layer. Raises InvalidArgument where none of them changes anything."""
        found = {layer.name: decide(layer, self.config) for layer in self.prepared.survey.layers}
        if not self.prepared.shrunk and all(isinstance(decision.scheme, Keep) for decision in found.values()):
            reasons = "; ".join(
                f"{name!r}: {d.reason or 'the configuration keeps it'}" for name, d in list(found.items())[:3]
            )
            raise InvalidArgument(f"nothing is packed: no layer takes its scheme. {reasons}")
        return found

    def _proved(self, built: Built, stage: Staged, searched: Found | None) -> dict[str, Any]:
        """Writes the model and says all that is known of it. Raises Refused."""
        stage.write(self._with_metadata(built.model), self.config.external_data)
        prove.check(stage.path)
        after = stored_bytes(stage.path)
        if after > self.before:
            raise Refused(f"the packed model is larger than its original: {after} bytes against {self.before}")
        document: dict[str, Any] = {
            "scheme": self.label,
            "bytes_before": self.before,
            "bytes_after": after,
            "opset": built.model.opset_imports.get("", 0),
            "samples": len(self.samples) if self.samples is not None else 0,
            "synthetic": self.samples is not None and self.samples.synthetic,
            "nodes": report.node_rows(self.prepared, built),
            "layers": report.layer_rows(self.prepared, built),
        }
        if self.samples is not None:
            document |= self._measured(built, stage.path, self.samples)
        if searched is not None:
            document["search"] = searched.document
        return document | {"notes": self.notes}

    def _measured(self, built: Built, path: Path, samples: Samples) -> dict[str, Any]:
        self._tell("measuring", 0)
        first = samples[0]
        outputs = prove.run_once(path, first)
        accuracy = self.judge.accuracy(path)
        self._refuse_collapse(accuracy, built, samples)
        document: dict[str, Any] = {"accuracy": accuracy.document()}
        elsewhere = prove.onnxruntime_difference(path, first, outputs)
        if elsewhere is not None:
            document["onnxruntime"] = elsewhere
            if (text := prove.disagreement(elsewhere)) is not None:
                self._note(text)
        if self.config.seconds:
            measured = prove.speed(self.original, path, first, self.config.seconds)
            document["speed"] = measured.document()
            if (text := prove.slower(measured)) is not None:
                self._note(text)
        self._tell("measuring", 1)
        return document

    def _refuse_collapse(self, accuracy: prove.Accuracy, built: Built, samples: Samples) -> None:
        if accuracy.kept >= self.config.collapse:
            return
        text = (
            f"accuracy collapsed: {accuracy.metric} went from {accuracy.before:.4g} to {accuracy.after:.4g}. "
            f"The layer that lost most is {report.worst_layer(built)}; keep it with layers = {{pattern = 'keep'}}, take more "
            "bits, or allow it with collapse = 0"
        )
        if samples.synthetic:
            self._note(text)
        else:
            raise Refused(text)

    def _with_metadata(self, model: ir.Model) -> ir.Model:
        from .. import __version__

        model.metadata_props["onnxlet.pack.version"] = __version__
        model.metadata_props["onnxlet.pack.scheme"] = self.label
        if self.digest:
            model.metadata_props["onnxlet.pack.data"] = self.digest
        return model

    def _note(self, text: str) -> None:
        warnings.warn(text, UserWarning, stacklevel=2)

    def _tell(self, stage: str, done: int) -> None:
        if self.progress:
            self.progress(stage, done, 1)


def _original(source: ModelSource) -> Path | bytes:
    if isinstance(source, bytes):
        return source
    if isinstance(source, onnx.ModelProto):
        return bytes(source.SerializeToString())
    if isinstance(source, ir.Model):
        return bytes(ir.to_proto(source).SerializeToString())
    return Path(source)
