"""The documents name files that exist, and the operator recipe stays short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.paths import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FOLDERS = ("core", "onnxlet", "js", "tests", "wasm", "bench", "examples", "docs", "requirements", "web")


def named_paths(text: str) -> set[str]:
    """Paths in backticks and in relative links; placeholders (<family>) and patterns (*) are not paths."""
    quoted = re.findall(r"`([\w./-]+)`", text)
    linked = [target for target in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in target]
    return {path for path in quoted if path.split("/")[0] in FOLDERS and "/" in path} | set(linked)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_named_paths_exist(document: Path) -> None:
    generated = ("js/dist", "onnxlet/_engine")
    missing = []
    for path in sorted(named_paths(document.read_text())):
        if path.startswith(generated):
            continue
        if not ((ROOT / path).exists() or (document.parent / path).exists()):
            missing.append(path)
    assert missing == []


def test_an_operator_touches_at_most_four_places() -> None:
    steps = re.findall(r"^## (\d+)\.", (ROOT / "docs" / "adding-an-operator.md").read_text(), re.MULTILINE)
    assert len(steps) <= 4


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


@pytest.mark.parametrize("name", ["constraints.txt", "build.txt", "test.txt"])
def test_requirements_carry_no_addresses(name: str) -> None:
    text = (ROOT / "requirements" / name).read_text()
    assert "://" not in text
    assert "index-url" not in text


def test_every_requirement_has_one_exact_version() -> None:
    folder = ROOT / "requirements"
    pinned = {
        line.partition("==")[0].lower().replace("_", "-")
        for line in (folder / "constraints.txt").read_text().splitlines()
        if "==" in line
    }
    for name in ("build.txt", "test.txt"):
        wanted = {line.lower() for line in (folder / name).read_text().split("\n") if line and not line.startswith("#")}
        assert wanted <= pinned


@pytest.mark.parametrize("folder", ["js", "wasm"])
def test_the_npm_lock_carries_no_addresses(folder: str) -> None:
    assert '"resolved"' not in (ROOT / folder / "package-lock.json").read_text()
