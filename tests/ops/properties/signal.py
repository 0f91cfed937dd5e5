"""Fourier transforms of any length, windows and filters."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from onnx import helper

from tests.ops.properties.registry import Draw, Sample, prop, slack
from tests.ops.properties.shape import int64s
from tests.ops.properties.unary import wide

LENGTHS = (1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 17, 31, 60, 97)


def as_complex(x: np.ndarray) -> np.ndarray:
    return wide(x[..., 0]) + (1j * wide(x[..., 1]) if x.shape[-1] == 2 else 0)


def as_pairs(z: np.ndarray, dtype: Any) -> np.ndarray:
    return np.stack([z.real, z.imag], -1).astype(dtype)


@prop("DFT")
def dft(d: Draw) -> Sample:
    """onesided keeps half of a real signal's spectrum; onesided and inverse makes a real signal of it."""
    dtype = d.dtype("T1")
    lead = [d.integer(1, 3) for _ in range(d.integer(1, 2))]
    n = d.choice(LENGTHS)
    axis = d.integer(0, len(lead))
    shape = [*lead[:axis], n, *lead[axis:]]
    inverse, onesided = d.flag(), d.flag()
    parts = 1 if onesided and not inverse else 2 if onesided else d.integer(1, 2)
    x = d.plain(dtype, (*shape, parts), -1, 1)
    length = d.choice([None, *LENGTHS])
    spelled = axis - len(shape) - 1 if d.flag() and d.version >= 20 else axis
    attributes: dict[str, Any] = {"inverse": 1} if inverse else {}
    attributes |= {"onesided": 1} if onesided else {}
    inputs: list[Any] = [x, None if length is None else np.array(length).astype(d.dtype("T2"))]
    default = 1 if d.version == 17 else len(shape) - 1
    if axis != default or d.flag():
        if d.version == 17:
            attributes["axis"] = axis
        else:
            inputs.append(int64s(spelled))
    z = as_complex(x)
    if onesided and inverse:
        size = length or 2 * (n - 1)
        if size < 1:
            size = length = 2
            inputs[1] = np.array(2).astype(d.dtype("T2"))
        want = np.fft.irfft(z, size, axis)[..., None].astype(dtype)
    elif inverse:
        want = as_pairs(np.fft.ifft(z, length, axis), dtype)
    elif onesided:
        want = as_pairs(np.fft.rfft(z.real, length, axis), dtype)
    else:
        want = as_pairs(np.fft.fft(z, length, axis), dtype)
    return Sample(inputs, attributes, [want], atol=max(1e-5, slack(dtype, 8 * max(n, length or 0) ** 0.5)))


@prop("STFT")
def stft(d: Draw) -> Sample:
    dtype = d.dtype("T1")
    signal_length, step, frame = d.integer(20, 60), d.integer(1, 9), d.choice([4, 5, 7, 8, 13, 16])
    parts = d.choice([1, 1, 2])
    signal = d.plain(dtype, (d.integer(1, 2), signal_length, parts), -1, 1)
    how = d.choice(["window", "length", "both"])
    window = d.plain(dtype, (frame,), 0.1, 1) if how != "length" else None
    kind = d.dtype("T2")
    length = np.array(frame).astype(kind) if how != "window" else None
    attributes: dict[str, Any] = {}
    onesided = d.attribute("onesided", st.integers(0, 1), attributes)
    if parts == 2:  # the spectrum of a complex signal has no mirrored half
        attributes["onesided"] = onesided = 0
    frames = (signal_length - frame) // step + 1
    z = np.stack([as_complex(signal)[:, i * step : i * step + frame] for i in range(frames)], 1)
    z = z * (1 if window is None else wide(window))
    want = np.fft.fft(z)[..., : frame // 2 + 1 if onesided else frame]
    inputs = [signal, np.array(step).astype(kind), window, length]
    return Sample(inputs, attributes, [as_pairs(want, dtype)], atol=max(1e-5, slack(dtype, 60)))


WINDOWS: dict[str, tuple[float, ...]] = {
    "HannWindow": (0.5, 0.5),
    "HammingWindow": (25 / 46, 21 / 46),
    "BlackmanWindow": (0.42, 0.5, 0.08),
}


@prop(" ".join(WINDOWS))
def window(d: Draw) -> Sample:
    n = d.choice([2, 3, 5, 8, 31, 100])
    attributes: dict[str, Any] = {}
    periodic = d.attribute("periodic", st.integers(0, 1), attributes)
    dtype = d.dtype("T2", only="f") if d.flag() else np.dtype(np.float32)
    if dtype != np.float32 or d.flag():
        attributes["output_datatype"] = int(helper.np_dtype_to_tensor_dtype(dtype))
    angle = 2 * np.pi * np.arange(n) / (n if periodic else n - 1)
    want = sum((-1) ** k * a * np.cos(k * angle) for k, a in enumerate(WINDOWS[d.operator]))
    return Sample(
        [np.array(n).astype(d.dtype("T1"))],
        attributes,
        [np.asarray(want).astype(dtype)],
        atol=max(1e-6, slack(dtype, 2)),
    )


@prop("MelWeightMatrix")
def mel_weights(d: Draw) -> Sample:
    kind, edges = d.dtype("T1"), d.dtype("T2")
    low = d.choice([0, 50, 100])
    values = [d.choice([1, 2, 8, 13]), d.choice([16, 64, 101]), d.choice([8000, 8192, 16000])]
    dtype = d.dtype("T3", only="f") if d.flag() else np.dtype(np.float32)
    attributes = {} if dtype == np.float32 else {"output_datatype": int(helper.np_dtype_to_tensor_dtype(dtype))}
    high = d.choice([2000, 4000])
    inputs = [np.array(v).astype(kind) for v in values] + [np.array(v).astype(edges) for v in (low, high)]
    plain = [np.array(v, np.int32) for v in values] + [np.array(float(wide(v)), np.float32) for v in inputs[3:]]
    return Sample(inputs, attributes, Sample(plain, {}, cast=dtype), outputs=[dtype], atol=max(1e-4, slack(dtype, 4)))
