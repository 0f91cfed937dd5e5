"""The cases: the backend tests of the `onnx` package, generated or read from its data folder."""

from __future__ import annotations

import functools
import logging
import re
import warnings
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, numpy_helper

SUITES = ("node", "simple", "pytorch-converted", "pytorch-operator", "light")

Values = list[Any]


@dataclass
class Case:
    """One model with the values it must give."""

    name: str
    suite: str
    rtol: float
    atol: float
    model_path: Path | None = None
    proto: ModelProto | None = None
    generated: Sequence[Any] = field(default_factory=list)
    expands: Case | None = None

    @functools.cached_property
    def model(self) -> ModelProto:
        if self.proto is not None:
            return self.proto
        assert self.model_path is not None
        return onnx.load(self.model_path)

    @functools.cached_property
    def operator(self) -> str:
        """The operator under test; an expanded case holds the body of the function it is named after."""
        if self.suite == "light":
            return "(model)"
        if self.expands is not None:
            return f"{self.expands.operator} (expanded)"
        nodes = self.model.graph.node
        if not nodes:
            return "(empty)"
        chosen = next((n for n in nodes if n.op_type not in {"Constant", "Identity"}), nodes[0])
        return f"{chosen.domain}.{chosen.op_type}" if chosen.domain else chosen.op_type

    @property
    def id(self) -> str:
        """As in expected_failures.txt: suite/name."""
        return f"{self.suite}/{self.name}"

    @property
    def tolerance_key(self) -> str:
        """What the table of tolerances is asked for: an operator only where the model is that one node."""
        if self.expands is not None:
            return "Bernoulli" if self.expands.operator == "Bernoulli" else "(several)"
        return self.operator if len(self.model.graph.node) == 1 or self.suite == "light" else "(several)"

    @property
    def input_names(self) -> list[str]:
        initialized = {tensor.name for tensor in self.model.graph.initializer}
        return [value.name for value in self.model.graph.input if value.name not in initialized]

    def data_sets(self) -> Iterator[tuple[Values, Values]]:
        """(inputs, expected outputs), both by position."""
        if self.suite == "light":
            yield self._light_data()
        elif self.proto is not None:
            for inputs, outputs in self.generated:
                yield [_normalize(v) for v in inputs], [_normalize(v) for v in outputs]
        else:
            assert self.model_path is not None
            graph = self.model.graph
            for folder in sorted(self.model_path.parent.glob("test_data_set_*")):
                yield _read_values(folder, "input", graph.input), _read_values(folder, "output", graph.output)

    def _light_data(self) -> tuple[Values, Values]:
        """The input the onnx package computed its output file with: a ramp from 0 to 1."""
        assert self.model_path is not None
        inputs = []
        initialized = {tensor.name for tensor in self.model.graph.initializer}
        for value in self.model.graph.input:
            if value.name not in initialized:
                shape = tuple(d.dim_value or 1 for d in value.type.tensor_type.shape.dim)
                count = int(np.prod(shape))
                inputs.append((np.arange(count).reshape(shape) / count).astype(np.float32))
        expected = TensorProto()
        expected.ParseFromString(self.model_path.with_name(f"{self.model_path.stem}_output_0.pb").read_bytes())
        return inputs, [numpy_helper.to_array(expected)]


def _normalize(value: Any) -> Any:
    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    if value is None or isinstance(value, np.ndarray):
        return value
    if isinstance(value, (list, tuple)):
        return [_normalize(item) for item in value]
    return np.asarray(value)


def _read_values(folder: Path, prefix: str, infos: Sequence[onnx.ValueInfoProto]) -> Values:
    values: Values = []
    for index in range(len(list(folder.glob(f"{prefix}_*.pb")))):
        content = (folder / f"{prefix}_{index}.pb").read_bytes()
        kind = infos[index].type.WhichOneof("value")
        if kind == "sequence_type":
            values.append(numpy_helper.to_list(onnx.SequenceProto.FromString(content)))
        elif kind == "optional_type":
            values.append(numpy_helper.to_optional(onnx.OptionalProto.FromString(content)))
        else:
            values.append(numpy_helper.to_array(TensorProto.FromString(content)))
    return values


@functools.cache
def load_cases() -> tuple[Case, ...]:
    """Every case, in a fixed order. Takes some seconds: the node tests are computed here."""
    from onnx.backend.test.loader import load_model_tests

    cases: list[Case] = []
    logging.disable(logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for suite in SUITES[:-1]:
            for test in load_model_tests(kind=suite):
                path = Path(test.model_dir) / "model.onnx" if test.model_dir else None
                cases.append(Case(test.name, suite, test.rtol, test.atol, path, test.model, test.data_sets or []))
    logging.disable(logging.NOTSET)
    light = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    for path in sorted(light.glob("light_*.onnx")):
        cases.append(Case(f"test_{path.stem}", "light", 1e-3, 1e-6, path))
    by_name = {case.name: case for case in cases if case.suite == "node"}
    for case in by_name.values():
        case.expands = by_name.get(re.sub(r"_expanded(_ver\d+)?$", "", case.name)) if "_expanded" in case.name else None
    return tuple(sorted(cases, key=lambda case: (SUITES.index(case.suite), case.name)))


def representative(cases: Sequence[Case], share: int = 3) -> list[Case]:
    """One case in `share`, and one at least of every operator; the same ones in every run and whatever else there is."""
    rank = {case.id: zlib.crc32(case.id.encode()) for case in cases}
    first: dict[str, Case] = {}
    for case in sorted(cases, key=lambda case: rank[case.id]):
        first.setdefault(case.operator, case)
    return [case for case in cases if rank[case.id] % share == 0 or first[case.operator] is case]
