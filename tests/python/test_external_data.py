"""External data: read where the model is, refused anywhere else."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnx
import pytest

import onnxlet
from onnxlet import external_data

from . import models
from .conftest import MakeSession

ENTRY = "session.model_external_initializers_file_folder_path"


def write(folder: Path, location: str = "weights.bin", name: str = "model.onnx") -> tuple[Path, np.ndarray, np.ndarray]:
    """A matmul model with its weights outside, an input, and the output to expect."""
    made = models.matmul()
    w = models.weight_of(made)
    (folder / location).parent.mkdir(parents=True, exist_ok=True)
    onnx.save_model(made, folder / name, save_as_external_data=True, location=location, size_threshold=0)
    x = np.random.default_rng(3).standard_normal((2, 64)).astype(np.float32)
    return folder / name, x, np.maximum(x @ w, 0)


def rename(path: Path, location: str) -> None:
    made = onnx.load(path, load_external_data=False)
    for entry in made.graph.initializer[0].external_data:
        if entry.key == "location":
            entry.value = location
    path.write_bytes(made.SerializeToString())


def check(make_session: MakeSession, path: Path, x: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(make_session(path).run(None, {"x": x})[0], expected, rtol=1e-4, atol=1e-5)


def test_is_read_from_the_models_folder(make_session: MakeSession, tmp_path: Path) -> None:
    check(make_session, *write(tmp_path))


def test_may_be_in_a_folder_below(make_session: MakeSession, tmp_path: Path) -> None:
    path, x, expected = write(tmp_path)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "weights.bin").rename(tmp_path / "deep" / "er" / "w.bin")
    rename(path, "deep/er/w.bin")
    check(make_session, path, x, expected)


def test_only_the_used_part_is_read(make_session: MakeSession, tmp_path: Path) -> None:
    path, x, expected = write(tmp_path)
    with (tmp_path / "weights.bin").open("r+b") as file:
        file.truncate(1 << 40)  # sparse
    check(make_session, path, x, expected)


def test_a_model_from_bytes_needs_a_folder(make_session: MakeSession, tmp_path: Path) -> None:
    path, x, expected = write(tmp_path)
    with pytest.raises(onnxlet.InvalidArgument, match=r"'weights\.bin'.*" + ENTRY):
        make_session(path.read_bytes())
    options = onnxlet.SessionOptions()
    options.add_session_config_entry(ENTRY, str(tmp_path))
    session = make_session(path.read_bytes(), options)
    np.testing.assert_allclose(session.run(None, {"x": x})[0], expected, rtol=1e-4, atol=1e-5)


def test_missing_and_truncated_files_are_named(make_session: MakeSession, tmp_path: Path) -> None:
    path, _, _ = write(tmp_path)
    with (tmp_path / "weights.bin").open("r+b") as file:
        file.truncate(100)
    with pytest.raises(onnxlet.InvalidProtobuf, match=r"weights\.bin.*100 bytes.*16384"):
        make_session(path)
    (tmp_path / "weights.bin").unlink()
    with pytest.raises(onnxlet.NoSuchFile, match=r"weights\.bin"):
        make_session(path)


@pytest.mark.parametrize(
    "location",
    [
        "../secret.bin",
        "deep/../../secret.bin",
        "/etc/hostname",
        "C:/secret.bin",
        "a\\b.bin",
        "..",
        ".",
        "",
        "link.bin",
        "linked/secret.bin",
    ],
)
def test_nothing_outside_the_folder_is_read(make_session: MakeSession, tmp_path: Path, location: str) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    path, _, _ = write(folder)
    (folder / "deep").mkdir()
    (tmp_path / "secret.bin").write_bytes(bytes(1 << 16))
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "linked").symlink_to(tmp_path)
    rename(path, location)
    with pytest.raises(onnxlet.Error) as caught:
        make_session(path)
    assert caught.value.code in ("INVALID_GRAPH", "NO_SUCH_FILE")


def test_links_inside_the_folder_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real.bin").write_bytes(b"1")
    (tmp_path / "link.bin").symlink_to("real.bin")
    assert external_data.resolve("link.bin", tmp_path / "model.onnx") == (tmp_path / "real.bin").resolve()


def test_a_download_cache_of_links_works(tmp_path: Path) -> None:
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshot"
    blobs.mkdir()
    snapshot.mkdir()
    for name in ("model.onnx", "data.bin"):
        (blobs / f"hash-{name}").write_bytes(b"1")
        (snapshot / name).symlink_to(blobs / f"hash-{name}")
    assert external_data.resolve("data.bin", snapshot / "model.onnx") == (blobs / "hash-data.bin").resolve()


def test_a_folder_or_pipe_is_not_data(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(onnxlet.InvalidGraph, match="regular file"):
        external_data.resolve("folder", tmp_path / "model.onnx")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(onnxlet.InvalidGraph, match="regular file"):
            external_data.resolve("pipe", tmp_path / "model.onnx")
