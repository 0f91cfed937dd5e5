"""Sound as inputs of the commands."""

from __future__ import annotations

import struct
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onnxlet import InvalidArgument, NotImplemented
from onnxlet.cli import readers
from onnxlet.cli.readers import sound

from .command import FLOAT, arg

WAVE = np.array([[0, 0.5, -0.5, 0.25, -1], [0.5, 0.5, -0.5, -0.25, 0]], np.float32)


def riff(samples: Any, bits: int, *, floats: bool = False, rate: int = 8000, extensible: bool = False) -> bytes:
    channels = len(samples)
    frames = samples.T.reshape(-1)
    if floats:
        body = frames.astype(f"<f{bits // 8}").tobytes()
    elif bits == 8:
        body = np.round(frames * 128 + 128).astype(np.uint8).tobytes()
    else:
        scaled = np.round(frames * 2.0 ** (bits - 1)).astype(np.int64)
        body = b"".join(int(value).to_bytes(8, "little", signed=True)[: bits // 8] for value in scaled)
    coding = 3 if floats else 1
    form = struct.pack(
        "<HHIIHH",
        0xFFFE if extensible else coding,
        channels,
        rate,
        rate * channels * bits // 8,
        channels * bits // 8,
        bits,
    )
    if extensible:
        form += struct.pack("<HHIH", 22, bits, 0, coding) + bytes.fromhex("000000001000800000aa00389b71")
    chunks = b"".join(
        name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
        for name, data in ((b"fmt ", form), (b"note", b"odd"), (b"data", body))
    )
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def saved(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "sound.wav"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("extensible", [False, True])
@pytest.mark.parametrize(
    ("bits", "floats"), [(8, False), (16, False), (24, False), (32, False), (32, True), (64, True)]
)
def test_every_coding_of_samples(tmp_path: Path, bits: int, floats: bool, extensible: bool) -> None:
    path = saved(tmp_path, riff(WAVE, bits, floats=floats, extensible=extensible))
    both = readers.read(f"{path},channels=all", arg([1, 2, None]))
    assert both.dtype == np.float32 and both.shape == (1, 2, 5)
    np.testing.assert_array_equal(both[0], WAVE)


def test_a_file_of_the_standard_library(tmp_path: Path) -> None:
    path = tmp_path / "sound.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16000, 3, "NONE", ""))
        file.writeframes(np.array([0, 16384, -32768], "<i2").tobytes())
    assert readers.read(str(path), arg([None])).tolist() == [0, 0.5, -1]
    assert readers.read(str(path), arg([1, None], "tensor(int16)")).tolist() == [[0, 16384, -32768]]


def test_shapes_channels_and_lengths_of_sound(tmp_path: Path) -> None:
    path = saved(tmp_path, riff(WAVE, 32, floats=True))
    mono = WAVE.mean(0)
    np.testing.assert_array_equal(readers.read(str(path), arg(["T"])), mono)
    np.testing.assert_array_equal(readers.read(str(path), arg([1, "T"])), mono[None])
    np.testing.assert_array_equal(readers.read(f"{path},length=3", arg(["T"])), mono[:3])
    np.testing.assert_array_equal(readers.read(f"{path},length=7", arg(["T"])), [*mono, 0, 0])
    assert readers.read(str(path), arg(["T"], "tensor(double)")).dtype == np.float64


def test_sound_is_resampled(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    time = np.arange(8000) / 8000
    tone = 0.5 * np.sin(2 * np.pi * 440 * time)
    path = saved(tmp_path, riff(tone[None].astype(np.float32), 32, floats=True))
    found = readers.read(f"{path},rate=16000", arg([None]))
    expected = 0.5 * np.sin(2 * np.pi * 440 * np.arange(16000) / 16000)
    assert found.shape == (16000,) and found.dtype == np.float32
    np.testing.assert_allclose(found[200:-200], expected[200:-200], atol=1e-3)
    high = saved(tmp_path, riff(np.sin(2 * np.pi * 3500 * time)[None].astype(np.float32), 32, floats=True))
    assert (
        np.abs(readers.read(f"{high},rate=4000", arg([None]))[50:-50]).max() < 0.01
    )  # what it cannot hold is left out
    assert readers.read(f"{path},rate=8000", arg([None])).shape == (8000,)


def test_resampling_needs_scipy(tmp_path: Path, hide_package: Callable[[str], None]) -> None:
    path = saved(tmp_path, riff(WAVE, 16))
    hide_package("scipy")
    with pytest.raises(NotImplemented) as caught:
        readers.read(f"{path},rate=16000", arg([None]))
    text = "the file has 8000 samples a second; resampling to 16000 needs scipy: pip install 'onnxlet[sound]'"
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"OggS", "it does not begin as a RIFF file of WAVE data does"),
        (riff(WAVE, 16)[:12], "it has no samples"),
        (riff(WAVE, 16).replace(b"fmt ", b"fmtx"), "its samples come before their format"),
        (riff(WAVE, 16)[:16] + b"\4\0\0\0" + bytes(4), "its format is cut short"),
        (
            riff(WAVE, 16, floats=False).replace(b"\1\0\2\0", b"\6\0\2\0", 1),
            "format 6 with 16 bits is not supported; PCM of 8 to 32 bits and floats are",
        ),
        (riff(WAVE, 16, rate=0), "it says 2 channels and 0 samples a second"),
    ],
)
def test_damaged_sound(tmp_path: Path, data: bytes, words: str) -> None:
    path = saved(tmp_path, data)
    with pytest.raises(InvalidArgument) as caught:
        readers.read(str(path), arg([None]))
    assert str(caught.value) == f"input 'x': {str(path)!r} is not a readable .wav file: {words}"


def test_a_cut_end_gives_whole_frames() -> None:
    assert sound.parse(riff(WAVE, 16)[:-3]).samples.shape == (2, 4)


@pytest.mark.parametrize(
    ("options", "shape", "kind", "words"),
    [
        ("", [1, 1, 1, 5], FLOAT, "input 'x' has 4 dimensions; sound has 1 to 3: batch, channels, samples"),
        (",channels=all", [5], FLOAT, "input 'x' has one dimension, which holds one channel; leave out channels=all"),
        ("", [5], "tensor(int64)", "input 'x': sound becomes floats or int16, not a tensor(int64)"),
        (",channels=left", [5], FLOAT, "channels takes mono or all; 'left' given"),
        (",rate=fast", [5], FLOAT, "rate takes a whole number from 1 on; 'fast' given"),
        (",length=-1", [5], FLOAT, "length takes a whole number from 1 on; '-1' given"),
    ],
)
def test_sound_that_does_not_fit(tmp_path: Path, options: str, shape: Any, kind: str, words: str) -> None:
    path = saved(tmp_path, riff(WAVE, 16))
    with pytest.raises(InvalidArgument) as caught:
        readers.read(f"{path}{options}", arg(shape, kind))
    assert str(caught.value) == words
