"""PyTorch through both of its exporters."""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import warnings
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tests.interop import torch_cases  # noqa: E402
from tests.interop.harness import Open, Run, check  # noqa: E402
from tests.interop.torch_cases.registry import CASES, DYNAMO, SCRIPT, Case  # noqa: E402

for module in ("control", "operators", "recurrent", "transformers", "vision"):
    importlib.import_module(f"{torch_cases.__name__}.{module}")

OPSETS = {SCRIPT: range(9, 21), DYNAMO: range(18, 24)}
SAMPLE = (9, 11, 13, 16, 18, 20)
PLAIN = f"{DYNAMO}-plain"  # without the exporter's optimizer


def parameters(everything: bool) -> Iterator[tuple[str, Case, int]]:
    """Exporter, case and opset version. The newer exporter is slow: without `everything` a case has one version there."""
    for case in CASES.values():
        versions = [version for version in (OPSETS[SCRIPT] if everything else SAMPLE) if version >= case.since]
        if SCRIPT in case.exporters:
            yield from ((SCRIPT, case, version) for version in versions)
        if DYNAMO in case.exporters:
            chosen = zlib.crc32(case.name.encode())
            newest = OPSETS[DYNAMO][-1]
            versions = list(OPSETS[DYNAMO]) if everything else [newest if chosen % 2 else OPSETS[DYNAMO][chosen % 6]]
            yield from ((DYNAMO, case, version) for version in versions)
            if everything or chosen % 4 == 0:
                yield PLAIN, case, newest


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "exporter" in metafunc.fixturenames:
        chosen = list(parameters(metafunc.config.getoption("--all")))
        ids = [f"{exporter}/{case.name}/{version}" for exporter, case, version in chosen]
        metafunc.parametrize(("exporter", "case", "version"), chosen, ids=ids)


def test_case(onnxlet: Open, exporter: str, case: Case, version: int) -> None:
    with quiet(), torch.no_grad():
        torch.manual_seed(0)
        module = prepared(case)
        inputs = case.fitting(exporter)
        check(
            onnxlet,
            f"{exporter}/{case.name}/{version}",
            export=lambda: export(exporter, case, module, inputs[0], version),
            runs=lambda: [run_of(case, module, given) for given in inputs],
        )


def prepared(case: Case) -> Any:
    """The module in inference mode, with running statistics that are not the initial ones."""
    module = case.make()
    for part in module.modules():
        for name, buffer in part.named_buffers(recurse=False):
            if name == "running_mean":
                buffer.normal_()
            elif name == "running_var":
                buffer.uniform_(0.5, 2)
        if isinstance(part, torch.nn.modules.batchnorm._BatchNorm) and part.affine:
            part.weight.uniform_(0.5, 1.5)
            part.bias.normal_()
    module.eval()
    return torch.jit.script(module) if case.scripted else module


def run_of(case: Case, module: Any, inputs: Sequence[Any]) -> Run:
    feeds = {f"x{i}": value.numpy() for i, value in enumerate(inputs)}
    return Run(feeds, list(flat(module(*(x.clone() for x in inputs)))), case.rtol, case.atol)


def flat(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from flat(item)
    else:
        yield value.numpy() if isinstance(value, torch.Tensor) else np.asarray(value)


def export(exporter: str, case: Case, module: Any, inputs: Sequence[Any], version: int) -> bytes:
    names = [f"x{i}" for i in range(len(inputs))]
    if exporter == SCRIPT:
        stream = io.BytesIO()
        axes = {f"x{i}": {d: f"d{i}_{d}" for d in dims} for i, dims in case.free_axes(exporter).items()}
        torch.onnx.export(
            module, tuple(inputs), stream, input_names=names, dynamic_axes=axes, opset_version=version, dynamo=False
        )
        return stream.getvalue()
    free = [dict.fromkeys(case.free_axes(exporter).get(i, ()), torch.export.Dim.DYNAMIC) for i in range(len(inputs))]
    program = torch.onnx.export(
        module,
        tuple(inputs),
        input_names=names,
        dynamic_shapes=tuple(free) if any(free) else None,
        opset_version=version,
        dynamo=True,
        optimize=exporter != PLAIN,
        verbose=False,
    )
    assert program is not None
    return bytes(program.model_proto.SerializeToString())


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """The exporters warn about themselves on every call."""
    logging.disable(logging.WARNING)
    # Its fused layers have no ONNX form.
    torch.backends.mha.set_fastpath_enabled(False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)
