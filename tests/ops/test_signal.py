"""DFT, STFT, windows and MelWeightMatrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conformance.backends import Prepare
from tests.ops.harness import check


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 12, 31, 33, 64, 97, 400])
@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("inverse", [0, 1])
def test_dft_lengths(backend: Prepare, n: int, parts: int, inverse: int) -> None:
    check(
        backend,
        "DFT",
        [random(2, n, parts)],
        inverse=inverse,
        opset=20,
        rtol=1e-4,
        atol=1e-4,
    )


@pytest.mark.parametrize("axis", [0, 1, -2])
@pytest.mark.parametrize("length", [None, 4, 9])
@pytest.mark.parametrize("onesided", [0, 1])
def test_dft_axes_and_padding(backend: Prepare, axis: int, length: int | None, onesided: int) -> None:
    n = None if length is None else np.array(length, np.int64)
    x = random(5, 6, 7, 1)
    check(
        backend,
        "DFT",
        [x, n, np.array(axis, np.int64)],
        onesided=onesided,
        opset=20,
        rtol=1e-4,
        atol=1e-4,
    )
    if axis != -2:
        check(
            backend,
            "DFT",
            [x, n],
            axis=axis,
            onesided=onesided,
            opset=17,
            rtol=1e-4,
            atol=1e-4,
        )


@pytest.mark.parametrize("length", [None, 7, 8, 15])
def test_inverse_real_dft(backend: Prepare, length: int | None) -> None:
    n = None if length is None else np.array(length, np.int64)
    x = random(2, 5, 2)
    check(backend, "DFT", [x, n], inverse=1, onesided=1, opset=20, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("onesided", [0, 1])
@pytest.mark.parametrize("window", [None, 16, 12])
@pytest.mark.parametrize("step", [3, 8])
def test_stft(backend: Prepare, onesided: int, window: int | None, step: int) -> None:
    x = random(2, 50, 1)
    w = None if window is None else random(window)
    length = np.array(window or 16, np.int64)
    check(
        backend,
        "STFT",
        [x, np.array(step), w, length],
        onesided=onesided,
        opset=17,
        rtol=1e-4,
        atol=1e-4,
    )


@pytest.mark.parametrize("op", ["HannWindow", "HammingWindow", "BlackmanWindow"])
@pytest.mark.parametrize("periodic", [0, 1])
@pytest.mark.parametrize("datatype", [1, 10, 11])
def test_windows(backend: Prepare, op: str, periodic: int, datatype: int) -> None:
    size: Any = np.array(33, np.int32)
    check(
        backend,
        op,
        [size],
        periodic=periodic,
        output_datatype=datatype,
        opset=17,
        rtol=1e-3,
        atol=1e-3,
    )


@pytest.mark.parametrize(
    ("bands", "length", "rate", "low", "high"),
    [(8, 64, 8000, 0, 4000), (40, 400, 16000, 20, 7600)],
)
def test_mel(backend: Prepare, bands: int, length: int, rate: int, low: float, high: float) -> None:
    sizes = [np.array(v, np.int64) for v in (bands, length, rate)]
    edges = [np.array(v, np.float32) for v in (low, high)]
    check(backend, "MelWeightMatrix", [*sizes, *edges], opset=17)
