"""AudioDecoder of onnxruntime-extensions against numpy."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

import onnxlet
from tests.conformance.backends import Prepare
from tests.ops.harness import make_model, run

PCM, FLOAT = 1, 3


def decode(backend: Prepare, data: bytes, *more: Any, **attributes: Any) -> np.ndarray:
    inputs = [np.frombuffer(data, np.uint8), *more]
    model = make_model("AudioDecoder", inputs, outputs=[np.float32], domain="ai.onnx.contrib", **attributes)
    return np.asarray(run(backend, model, inputs)[0])


def chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def riff(*chunks: bytes) -> bytes:
    body = b"WAVE" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def wav(samples: np.ndarray, bits: int, *, tag: int = PCM, rate: int = 16000, extensible: bool = False) -> bytes:
    """`samples` [frames, channels]: whole numbers of `bits` bits, or floats."""
    frames, channels = samples.shape
    if bits == 24:
        data = samples.astype("<i4").tobytes()
        data = np.frombuffer(data, np.uint8).reshape(-1, 4)[:, :3].tobytes()
    else:
        data = samples.astype(
            {8: "u1", 16: "<i2", 32: "<i4", 64: "<f8"}[bits] if tag == PCM else f"<f{bits // 8}"
        ).tobytes()
    width = bits // 8 * channels
    form = struct.pack("<HHIIHH", 0xFFFE if extensible else tag, channels, rate, rate * width, width, bits)
    if extensible:
        form += struct.pack("<HHIH", 22, bits, 0, tag) + bytes.fromhex("000000001000800000aa00389b71")
    del frames
    return riff(chunk(b"fmt ", form), chunk(b"LIST", b"odd"), chunk(b"data", data), chunk(b"more", b"xyz"))


def noise(bits: int, channels: int = 1, frames: int = 37) -> np.ndarray:
    low, high = (0, 256) if bits == 8 else (-(1 << (bits - 1)), 1 << (bits - 1))
    samples = np.random.default_rng(bits).integers(low, high, (frames, channels))
    samples[:2] = [[low], [high - 1]]
    return samples


@pytest.mark.parametrize("extensible", [False, True])
@pytest.mark.parametrize("channels", [1, 2, 3])
@pytest.mark.parametrize("bits", [8, 16, 24, 32])
def test_pcm(backend: Prepare, bits: int, channels: int, extensible: bool) -> None:
    samples = noise(bits, channels)
    y = decode(backend, wav(samples, bits, extensible=extensible))
    expected = samples / 255 * 2 - 1 if bits == 8 else samples / (1 << (bits - 1))
    assert y.shape == (1, samples.size)
    np.testing.assert_allclose(y[0], expected.ravel(), rtol=0, atol=1.3e-7)
    mixed = decode(backend, wav(samples, bits, extensible=extensible), stereo_to_mono=1)
    np.testing.assert_allclose(mixed[0], expected.mean(axis=1), rtol=0, atol=1.3e-7)


@pytest.mark.parametrize("bits", [32, 64])
def test_floats(backend: Prepare, bits: int) -> None:
    samples = np.random.default_rng(1).normal(size=(23, 2))
    y = decode(backend, wav(samples, bits, tag=FLOAT))
    assert y[0].tolist() == samples.astype(np.float32).ravel().tolist()


def test_no_samples_and_a_size_that_was_not_known(backend: Prepare) -> None:
    assert decode(backend, wav(np.zeros((0, 1)), 16)).shape == (1, 0)
    data = wav(np.array([[1], [2]]), 16).replace(b"data\x04\0\0\0", b"data\xff\xff\xff\xff")
    assert decode(backend, data[:-12])[0].tolist() == [1 / 32768, 2 / 32768]


@pytest.mark.parametrize("frequency", [100, 1000, 3000, 7000, 7200])
@pytest.mark.parametrize("rate", [44100, 48000, 22050, 96000, 16001])
def test_a_tone_keeps_its_level(backend: Prepare, rate: int, frequency: int) -> None:
    """Up to 0.9 of the new Nyquist frequency: within 0.01 dB, and in its place."""
    seconds = np.arange(rate // 4) / rate
    tone = np.sin(2 * np.pi * frequency * seconds)[:, None]
    y = decode(backend, wav(tone, 32, tag=FLOAT, rate=rate), downsampling_rate=16000)[0]
    assert y.size == -(-tone.size * 16000 // rate)
    expected = np.sin(2 * np.pi * frequency * np.arange(y.size) / 16000)
    inside = slice(60, -60)
    assert np.abs(y - expected)[inside].max() < 10 ** (0.01 / 20) - 1


@pytest.mark.parametrize("frequency", [8000, 9000, 12000, 20000])
def test_a_tone_above_is_taken_away(backend: Prepare, frequency: int) -> None:
    tone = np.sin(2 * np.pi * frequency * np.arange(12000) / 48000)[:, None]
    y = decode(backend, wav(tone, 64, tag=FLOAT, rate=48000), downsampling_rate=16000)[0]
    assert np.abs(y[60:-60]).max() < 10 ** (-80 / 20)


def test_channels_are_resampled_each(backend: Prepare) -> None:
    samples = np.random.default_rng(2).normal(size=(500, 2))
    both = decode(backend, wav(samples, 32, tag=FLOAT, rate=48000), downsampling_rate=16000)[0].reshape(-1, 2)
    for c in range(2):
        one = decode(backend, wav(samples[:, c : c + 1], 32, tag=FLOAT, rate=48000), downsampling_rate=16000)[0]
        assert both[:, c].tolist() == one.tolist()
    mixed = decode(backend, wav(samples, 32, tag=FLOAT, rate=48000), downsampling_rate=16000, stereo_to_mono=1)[0]
    np.testing.assert_allclose(mixed, both.mean(axis=1), atol=1e-6)


def test_the_rate_of_the_file_stays(backend: Prepare) -> None:
    samples = noise(16)
    same = decode(backend, wav(samples, 16), downsampling_rate=16000)
    assert same.tolist() == decode(backend, wav(samples, 16)).tolist()
    assert decode(backend, wav(samples, 16), np.array(["wav"], object)).tolist() == same.tolist()


GOOD = wav(noise(16), 16)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the 0 bytes are no sound of a known format"),
        (b"fLaC" + bytes(9), "a file of type FLAC; the engine decodes WAV"),
        (b"OggS" + bytes(9), "a file of type Ogg"),
        (b"ID3" + bytes(9), "a file of type MP3"),
        (b"\xff\xfb" + bytes(9), "a file of type MP3"),
        (b"\0\0\0 ftypM4A ", "a file of type MP4"),
        (GOOD[:12], "the WAV file of 12 bytes: it has no data"),
        (GOOD[:60], "the WAV file of 60 bytes: the chunk at byte 48 is of 74 bytes, beyond the end of the file"),
        (riff(chunk(b"data", b"1234")), "its data come before their format"),
        (riff(chunk(b"fmt ", b"1234")), "its format chunk is of 4 bytes"),
        (GOOD[:20] + b"\x02" + GOOD[21:], "its samples are of format 2 with 16 bits"),
        (GOOD[:22] + b"\0\0" + GOOD[24:], "it claims to have 0 channels at 16000 Hz"),
        (GOOD[:34] + b"\x0c" + GOOD[35:], "its samples are of format 1 with 12 bits"),
    ],
)
def test_what_does_not_decode(backend: Prepare, data: bytes, words: str) -> None:
    with pytest.raises(onnxlet.Fail, match=words):
        decode(backend, data)


def test_refusals(backend: Prepare) -> None:
    with pytest.raises(
        onnxlet.Fail, match="the file has 16000 samples per second, fewer than the downsampling_rate 44100"
    ):
        decode(backend, GOOD, downsampling_rate=44100)
    with pytest.raises(onnxlet.Fail, match="the format must be wav or default; it is mp3"):
        decode(backend, GOOD, np.array(["mp3"], object))
    with pytest.raises(onnxlet.InvalidGraph, match="downsampling_rate must not be negative; it is -1"):
        decode(backend, GOOD, downsampling_rate=-1)
