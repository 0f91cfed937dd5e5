"""The OCR example reads its picture exactly, and its post-processing does what it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.models.fetch import fetch
from tests.support.paths import ROOT

EXAMPLE = ROOT / "examples" / "ocr"
sys.path.insert(0, str(EXAMPLE))

import make_picture  # noqa: E402
import text_boxes  # noqa: E402


def read(picture: Path, models: Path, *arguments: str) -> dict[str, object]:
    command = [sys.executable, str(EXAMPLE / "ocr.py"), str(picture), "--models", str(models), "--json", *arguments]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_text_is_read_exactly(tmp_path: Path, fetched: Callable[..., Path]) -> None:
    models = fetched(lambda: fetch("tinyocr"))
    annotated = tmp_path / "out.png"
    found = read(EXAMPLE / "picture.png", models, "-o", str(annotated))
    lines = found["lines"]
    assert isinstance(lines, list)
    assert [line["text"] for line in lines] == [line[0] for line in make_picture.LINES]
    assert all(line["confidence"] > 0.9 for line in lines)
    for line, (_, left, top, size, _, _) in zip(lines, make_picture.LINES, strict=True):
        (x, y) = line["box"][0]
        assert abs(x - left) < 15
        assert top - 10 < y < top + size
    with Image.open(annotated) as image:
        assert image.size == make_picture.SIZE


def test_the_picture_is_what_the_script_makes() -> None:
    """Up to another version's rendering of a few pixels."""
    with Image.open(EXAMPLE / "picture.png") as image:
        shipped = np.asarray(image.convert("RGB"), np.float64)
    assert np.abs(shipped - np.asarray(make_picture.make(), np.float64)).mean() < 4
    assert (EXAMPLE / "picture.png").stat().st_size < 300_000


def rectangle_mask(centre: tuple[float, float], size: tuple[float, float], degrees: float) -> np.ndarray:
    y, x = np.mgrid[0:120, 0:200] + 0.5
    angle = np.radians(degrees)
    u = (x - centre[0]) * np.cos(angle) + (y - centre[1]) * np.sin(angle)
    v = -(x - centre[0]) * np.sin(angle) + (y - centre[1]) * np.cos(angle)
    return ((np.abs(u) <= size[0] / 2) & (np.abs(v) <= size[1] / 2)).astype(np.float32)


@pytest.mark.parametrize("degrees", [0, 7, -30, 40])
def test_a_turned_rectangle_is_found(degrees: float) -> None:
    (box,) = text_boxes.find_boxes(rectangle_mask((100, 60), (90, 20), degrees), unclip=0)
    assert box.score == pytest.approx(1)
    assert (box.width, box.height) == pytest.approx((90, 20), abs=2.5)
    assert box.corners.mean(0) == pytest.approx((100, 60), abs=1)
    direction = box.corners[1] - box.corners[0]
    assert np.degrees(np.arctan2(direction[1], direction[0])) == pytest.approx(degrees, abs=2)


def test_components_join_at_corners_and_around_bends() -> None:
    mask = np.array([[1, 0, 1, 0, 0], [0, 1, 0, 0, 1], [0, 0, 0, 0, 1], [1, 1, 1, 0, 1], [1, 0, 1, 1, 1]], bool)
    sizes = sorted(sum(b - a for _, a, b in runs) for runs in text_boxes.connected_runs(mask))
    assert sizes == [3, 10]
    assert text_boxes.connected_runs(np.zeros((3, 3), bool)) == []
