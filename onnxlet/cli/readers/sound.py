"""WAV files as tensors of samples."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ... import arrays, dtypes, errors
from ...errors import InvalidArgument
from ...metadata import NodeArg
from ..usage import count, one_of

OPTIONS: Final = ("rate", "channels", "length")

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_WIDTHS: Final = {_PCM: (8, 16, 24, 32), _FLOAT: (32, 64)}


@dataclass(frozen=True)
class Sound:
    """`samples`: float32 [channels, length], full scale at -1 and 1."""

    rate: int
    samples: Any


def read(path: Path, arg: NodeArg, options: Mapping[str, str]) -> Any:
    """Samples as [length], [channels, length] or [1, channels, length] in the input's rank; int16 at full scale.

    Options: `rate` in Hz to resample to, `channels` "mono" (their mean, the default) or "all", `length` to cut to or to
    fill up to with zeros, in samples.
    """
    import numpy as np

    channels = one_of("channels", options.get("channels", "mono"), ("mono", "all"))
    rate = count("rate", options["rate"]) if "rate" in options else None
    length = count("length", options["length"]) if "length" in options else None
    try:
        sound = parse(path.read_bytes())
    except ValueError as error:
        raise InvalidArgument(f"input {arg.name!r}: {str(path)!r} is not a readable .wav file: {error}") from error
    samples = sound.samples.mean(axis=0, keepdims=True) if channels == "mono" else sound.samples
    if rate is not None and rate != sound.rate:
        samples = _resampled(samples, sound.rate, rate)
    if length is not None:
        samples = np.pad(samples[:, :length], ((0, 0), (0, max(0, length - samples.shape[1]))))
    return _typed(_shaped(samples, arg), arg)


def parse(data: bytes) -> Sound:
    """A RIFF file of PCM with 8, 16, 24 or 32 bits, or of floats with 32 or 64. Raises ValueError. The format is that of
    Microsoft's and IBM's "Multimedia Programming Interface and Data Specifications 1.0"; the standard library's reader
    takes no floats."""
    import numpy as np

    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise ValueError("it does not begin as a RIFF file of WAVE data does")
    form: tuple[int, int, int, int] | None = None
    at = 12
    while at + 8 <= len(data):
        kind, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        body = data[at + 8 : at + 8 + size]
        if kind == b"fmt ":
            form = _format(body)
        elif kind == b"data":
            if form is None:
                raise ValueError("its samples come before their format")
            coding, channels, rate, bits = form
            whole = len(body) - len(body) % (channels * bits // 8)
            samples = _decode(np.frombuffer(body[:whole], np.uint8), coding, bits)
            return Sound(rate, np.ascontiguousarray(samples.reshape(-1, channels).T))
        at += 8 + size + size % 2
    raise ValueError("it has no samples")


def _format(body: bytes) -> tuple[int, int, int, int]:
    """Coding, channels, rate, bits."""
    if len(body) < 16:
        raise ValueError("its format is cut short")
    coding, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", body)
    if coding == _EXTENSIBLE and len(body) >= 26:
        (coding,) = struct.unpack_from("<H", body, 24)  # the first two bytes of the sub-format's GUID
    if bits not in _WIDTHS.get(coding, ()):
        raise ValueError(f"format {coding} with {bits} bits is not supported; PCM of 8 to 32 bits and floats are")
    if channels == 0 or rate == 0:
        raise ValueError(f"it says {channels} channels and {rate} samples a second")
    return coding, channels, rate, bits


def _decode(octets: Any, coding: int, bits: int) -> Any:
    import numpy as np

    if coding == _FLOAT:
        return octets.view(f"<f{bits // 8}").astype(np.float32)
    if bits == 8:
        return (octets.astype(np.float32) - 128) / 128
    wide = np.zeros((octets.size // (bits // 8), 4), np.uint8)
    wide[:, 4 - bits // 8 :] = octets.reshape(-1, bits // 8)  # the lowest bytes stay 0
    return (wide.view("<i4").reshape(-1) / 2.0**31).astype(np.float32)


def _resampled(samples: Any, old: int, new: int) -> Any:
    try:
        from scipy.signal import resample_poly
    except ImportError:
        text = f"the file has {old} samples a second; resampling to {new} needs scipy: pip install 'onnxlet[sound]'"
        raise errors.NotImplemented(text) from None
    shared = math.gcd(old, new)
    return resample_poly(samples, new // shared, old // shared, axis=1).astype(samples.dtype)


def _shaped(samples: Any, arg: NodeArg) -> Any:
    rank = len(arg.shape) or 1
    if rank == 1:
        if samples.shape[0] != 1:
            raise InvalidArgument(
                f"input {arg.name!r} has one dimension, which holds one channel; leave out channels=all"
            )
        return samples[0]
    if rank > 3:
        raise InvalidArgument(f"input {arg.name!r} has {rank} dimensions; sound has 1 to 3: batch, channels, samples")
    return samples if rank == 2 else samples[None]


def _typed(samples: Any, arg: NodeArg) -> Any:
    import numpy as np

    dtype = dtypes.element_type(arg.type)
    kind = arrays.numpy_type(dtype) if dtype is not None and dtype is not dtypes.STRING else None
    if kind == np.int16:
        return np.clip(np.round(samples * 32768), -32768, 32767).astype(np.int16)
    if dtype is None or kind is None or ("float" not in dtype.name and dtype.name != "double"):
        raise InvalidArgument(f"input {arg.name!r}: sound becomes floats or int16, not a {arg.type}")
    return samples.astype(kind)
