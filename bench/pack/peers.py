"""onnxruntime's quantization tools, per channel, as their documentation advises."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

Samples = list[dict[str, np.ndarray]]


def dynamic(source: Path, target: Path, samples: Samples) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(source, target, per_channel=True, weight_type=QuantType.QInt8)


def static(source: Path, target: Path, samples: Samples) -> None:
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Reader(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self._left: Iterator[Any] = iter(samples)

        def get_next(self) -> Any:
            return next(self._left, None)

    prepared = target.with_suffix(".prepared.onnx")
    quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
    quantize_static(
        prepared,
        target,
        Reader(),
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        weight_type=QuantType.QInt8,
        activation_type=QuantType.QUInt8,
    )


PEERS: dict[str, Callable[[Path, Path, Samples], None]] = {"int8-dynamic": dynamic, "int8-static": static}
"""By the scheme of ours that does the same."""


def quantize(scheme: str, source: Path, target: Path, samples: Samples) -> str:
    """Writes `target`; returns the error where the tool raises one."""
    import onnxruntime

    logging.getLogger().setLevel(logging.ERROR)
    onnxruntime.set_default_logger_severity(4)
    try:
        PEERS[scheme](source, target, samples)
    except Exception as error:  # whatever it raises is a result of the comparison
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:120]
    return ""
