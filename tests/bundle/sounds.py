"""Sound that a detector of speech takes for speech: pulses of a voice through the resonances of vowels, and hiss."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
from scipy.signal import lfilter

RATE = 16000
# Frequency and bandwidth in Hz of the first three resonances of a, i, u, e, o. Source: Peterson and Barney, 1952.
_VOWELS = (
    ((730, 90), (1090, 110), (2440, 170)),
    ((270, 60), (2290, 100), (3010, 170)),
    ((300, 60), (870, 100), (2240, 170)),
    ((530, 70), (1840, 100), (2480, 170)),
    ((570, 80), (840, 100), (2410, 170)),
)


def _vowel(pitch: np.ndarray, resonances: tuple[tuple[int, int], ...]) -> np.ndarray:
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    sound = np.sum([np.sin(k * phase) / k for k in range(1, 40)], axis=0)
    for frequency, width in resonances:
        radius = np.exp(-np.pi * width / RATE)
        sound = lfilter([1 - radius], [1, -2 * radius * np.cos(2 * np.pi * frequency / RATE), radius**2], sound)
    return sound / np.abs(sound).max()


def speech(words: int = 3, seed: int = 0) -> np.ndarray:
    """float32 at 16 kHz: words of four syllables with silence around them."""
    rng = np.random.default_rng(seed)
    parts = [np.zeros(8000)]
    for word in range(words):
        for _ in range(4):
            count = int(rng.integers(2200, 3600))
            pitch = 120 + 20 * np.sin(np.linspace(0, 3, count)) + rng.normal(0, 1, count).cumsum() * 0.05 - 5 * word
            hiss = rng.normal(0, 0.1, int(rng.integers(400, 900)))
            vowel = _vowel(pitch, _VOWELS[rng.integers(5)])
            parts += [hiss * np.hanning(len(hiss)), vowel * np.sqrt(np.hanning(count))]
        parts.append(np.zeros(9000))
    sound = 0.4 * np.concatenate(parts)
    return (sound + rng.normal(0, 0.002, len(sound))).astype(np.float32)


def write_wav(path: Path, samples: np.ndarray) -> None:
    """16 bits, one channel."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((samples * 32767).astype("<i2").tobytes())


def read_wav(path: Path) -> np.ndarray:
    """float32 from -1 to 1."""
    with wave.open(str(path), "rb") as file:
        return (np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768).astype(np.float32)
