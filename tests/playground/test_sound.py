"""Sound as an input: files, the microphone, models that take it window by window, and speech marked in it."""

from __future__ import annotations

import io
import re
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from scipy.signal import resample_poly

from onnxlet import InferenceSession
from onnxlet.bundle.pipeline import compose
from onnxlet.cli.server import FolderServer
from tests.browser.chromium import Chromium
from tests.bundle.sounds import RATE, read_wav, speech, write_wav
from tests.models.fetch import fetch
from tests.playground import models
from tests.playground.conftest import (
    BOTH_WIDTHS,
    Visit,
    choose_file,
    is_fine,
    open_run,
    refused,
    run,
    saved,
    visiting,
)
from tests.support.paths import ROOT

FRAME = 512 / RATE
PIPELINE = ROOT / "examples" / "pipelines" / "speech-segments.toml"
Fetched = Callable[[Callable[[], Path]], Path]


@pytest.fixture(scope="session")
def silero(fetched: Fetched) -> Path:
    return fetched(lambda: fetch("silero-vad")) / "silero_vad_16k_op15.onnx"


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "speech.wav"
    write_wav(path, speech())
    return path


def expected_segments(silero: Path, recording: Path) -> np.ndarray:
    """Start and end in seconds, by the pipeline that bundles have."""
    application = compose(silero, PIPELINE)
    data = np.frombuffer(recording.read_bytes(), np.uint8)
    with InferenceSession(application.model) as session:
        return np.asarray(session.run(None, {"sound": data})[0])


def expected_probabilities(silero: Path, samples: np.ndarray) -> np.ndarray:
    """Step by step, with the state carried and 64 samples of the step before."""
    padded = np.concatenate([np.zeros(64, np.float32), samples, np.zeros(-len(samples) % 512, np.float32)])
    state, found = np.zeros((2, 1, 128), np.float32), []
    with InferenceSession(str(silero)) as session:
        for at in range(0, len(samples), 512):
            feeds = {"input": padded[None, at : at + 576], "state": state, "sr": np.array(RATE)}
            probability, state = session.run(None, feeds)
            found.append(probability)
    return np.stack(found)


def shown_segments(page: Page) -> np.ndarray:
    rows = page.get_by_role("list", name="Where the threshold is reached").locator("li").all_inner_texts()
    return np.array([[float(number) for number in re.findall(r"[\d.]+", row)] for row in rows])


def take_sound(page: Page, name: str, content: bytes) -> None:
    page.get_by_text("Sound", exact=True).click()
    choose_file(page, "or drop it here", name, content)


@BOTH_WIDTHS
def test_speech_in_a_file_is_marked(visit: Visit, silero: Path, recording: Path, viewport: dict[str, int]) -> None:
    segments = expected_segments(silero, recording)
    assert len(segments) == 3

    def work(page: Page) -> None:
        open_run(page, silero)
        take_sound(page, "speech.wav", recording.read_bytes())
        expect(page.get_by_role("img", name="The sound, 4.94 seconds")).to_be_visible()
        run(page)
        expect(page.locator(".speech .waveform rect")).to_have_count(3)
        np.testing.assert_allclose(shown_segments(page), segments, atol=0.0051)
        array = np.load(io.BytesIO(saved(page, "Save output as .npy")))
        np.testing.assert_allclose(array, expected_probabilities(silero, read_wav(recording)), atol=1e-4)
        page.get_by_role("slider", name="Threshold").fill("0.95")
        assert np.diff(shown_segments(page)).sum() < np.diff(segments).sum()
        is_fine(page)

    visit(work, viewport=viewport, accept_downloads=True, bypass_csp=True)


def test_a_sound_of_two_channels_and_another_rate(visit: Visit, silero: Path, recording: Path) -> None:
    """Its mean, at the model's rate."""
    samples = resample_poly(read_wav(recording), 441, 160)
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(44100)
        sides = np.stack([1.5 * samples, 0.5 * samples], 1)
        file.writeframes((np.clip(sides, -1, 1) * 32767).astype("<i2").tobytes())

    def work(page: Page) -> None:
        open_run(page, silero)
        take_sound(page, "wide.wav", content.getvalue())
        run(page)
        np.testing.assert_allclose(shown_segments(page), expected_segments(silero, recording), atol=FRAME + 0.0051)

    visit(work)


def test_a_model_that_takes_a_sound_as_a_whole(visit: Visit, recording: Path) -> None:
    """Its end is cut off, or silence fills it up."""

    def work(page: Page) -> None:
        samples = read_wav(recording)
        for length in (5000, 100_000):
            open_run(page, models.sound(length))
            take_sound(page, "speech.wav", recording.read_bytes())
            expect(page.get_by_label("in a step")).to_have_count(0)
            run(page)
            array = np.load(io.BytesIO(saved(page, "Save doubled as .npy")))
            expected = np.pad(samples, (0, max(0, length - len(samples))))[:length]
            # Chromium divides what is above zero by 32767, wave.py's readers by 32768.
            np.testing.assert_allclose(array, 2 * expected[None], rtol=1.1 / 32767)
            page.get_by_role("button", name="start again").click()

    visit(work, accept_downloads=True)


def test_what_cannot_be_heard_is_explained(visit: Visit, silero: Path, recording: Path) -> None:
    empty = io.BytesIO()
    with wave.open(empty, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)

    def work(page: Page) -> None:
        alert = page.get_by_role("alert")
        open_run(page, silero)
        page.get_by_text("Sound", exact=True).click()
        refused(page, 'Choose a sound for input "input" first.')
        take_sound(page, "notes.txt", b"no sound at all")
        expect(alert).to_contain_text("The browser cannot read notes.txt as sound: WAV, MP3 and FLAC work everywhere.")
        take_sound(page, "empty.wav", empty.getvalue())
        expect(alert).to_contain_text(re.compile("There is no sound in empty.wav|The browser cannot read empty.wav"))
        take_sound(page, "speech.wav", recording.read_bytes())
        page.get_by_label("in a step").fill("0")
        refused(page, "A step of the sound must have samples: 512 is usual.")
        page.get_by_label("in a step").fill("512")
        page.get_by_label("Samples in a second").fill("1")
        refused(page, "A rate of 1 Hz is none that the browser can make: most models take 16000.")
        expect(page.get_by_label("Values of sr")).to_have_value("1")
        page.get_by_label("Samples in a second").fill("16000")
        run(page)
        expect(alert).to_have_count(0)

    visit(work)


# ---- the microphone ----


@pytest.fixture(scope="session")
def listening(recording: Path) -> Iterator[Chromium]:
    """Its microphone hears the recording, again and again."""
    device = ("--use-fake-device-for-media-stream", f"--use-file-for-fake-audio-capture={recording}")
    with Chromium(arguments=device) as browser:
        yield browser


def test_speech_is_recorded(listening: Chromium, site: FolderServer, silero: Path) -> None:
    def work(page: Page) -> None:
        open_run(page, silero)
        page.get_by_text("Sound", exact=True).click()
        page.get_by_role("button", name="Record", exact=True).click()
        page.locator(".input-card .hint", has_text=re.compile(r"^3\.[0-9] s")).wait_for()
        page.get_by_role("button", name="Stop recording").click()
        heard = page.locator(".input-card svg.waveform")
        expect(heard).to_have_attribute("aria-label", re.compile(r"^The sound, [345]\.\d\d seconds$"))
        run(page)
        # Words of a second each with half a second between them, from anywhere in the recording on.
        lengths = np.diff(shown_segments(page)).ravel()
        assert 1 <= len(lengths) <= 4 and 0.8 < lengths.max() < 1.3

    visiting(listening, site)(work, permissions=["microphone"])


def test_a_microphone_that_is_refused_or_missing(listening: Chromium, visit: Visit, site: FolderServer) -> None:
    def work(page: Page, words: str) -> None:
        open_run(page, models.sound(5000))
        page.get_by_text("Sound", exact=True).click()
        page.get_by_role("button", name="Record", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text(words)

    refusal = "The microphone cannot be used: the browser or the system refused it."
    visiting(listening, site)(lambda page: work(page, refusal), permissions=[])
    visit(lambda page: work(page, "There is no microphone that the browser can use."), permissions=["microphone"])
