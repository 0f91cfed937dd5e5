"""Composed models run on made-up files, words and columns."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from onnxlet import InferenceSession
from onnxlet.bundle import Input, Interface, Request, examples
from onnxlet.bundle.application import make_applications
from tests.bundle.cases import Case, cases


@pytest.mark.parametrize("case", [case for case in cases().values() if case.pipeline], ids=lambda case: case.name)
def test_models_run(case: Case, tmp_path: Path, engine: str, fetched: Callable[[Callable[[], Path]], Path]) -> None:
    assert case.pipeline is not None
    request = Request([fetched(case.model)], tmp_path / "out", target="node", pipeline=case.pipeline(tmp_path))
    (application,) = make_applications(request)
    feeds = examples.feeds(application.interface)
    assert sorted(feeds) == sorted(item.name for item in application.interface.inputs)
    with InferenceSession(application.model, _engine=engine) as session:
        assert len(session.run(None, feeds)) == len(application.interface.outputs)


def test_what_is_made() -> None:
    kinds = ("image", "audio", "bytes", "tensor", "text")
    inputs = tuple(Input(kind, kind, "string" if kind == "text" else "uint8", (None,)) for kind in kinds)
    columns = (Input("name", "column", "string", ("rows", 1)), Input("age", "column", "int64", ("rows", 1)))
    made = examples.feeds(Interface("m", (*inputs, *columns), ()))
    assert sorted(made) == ["age", "audio", "image", "name", "text"]
    with Image.open(io.BytesIO(made["image"].tobytes())) as image:
        assert (image.format, image.mode, image.size) == ("PNG", "RGB", (32, 32))
        assert (image.getpixel((0, 0)), image.getpixel((31, 0)), image.getpixel((31, 31))) == (
            (0, 0, 0),
            (255, 127, 0),
            (255, 254, 255),
        )
    with wave.open(io.BytesIO(made["audio"].tobytes())) as sound:
        assert (sound.getnchannels(), sound.getframerate(), sound.getnframes()) == (2, 48000, 24000)
    assert made["text"].shape == (1,)
    assert (made["name"].shape, made["age"].dtype) == ((2, 1), np.int64)
