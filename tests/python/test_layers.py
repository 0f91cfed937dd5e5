"""The folders of core/ include only what ARCHITECTURE.md lists above them."""

from __future__ import annotations

import re

import pytest

from tests.support.paths import ROOT

FOLDERS = re.findall(r"^\| `core/(\w+)/` \|", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"), re.MULTILINE)
INCLUDE = re.compile(r'^#include "(\w+)/', re.MULTILINE)


def test_every_folder_is_listed() -> None:
    assert sorted(FOLDERS) == sorted(path.name for path in (ROOT / "core").iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", FOLDERS)
def test_includes_point_upwards_in_the_table(folder: str) -> None:
    allowed = {*FOLDERS[: FOLDERS.index(folder) + 1]}
    wrong = [
        f"{path.relative_to(ROOT)} includes {included}/"
        for path in sorted((ROOT / "core" / folder).rglob("*"))
        if path.suffix in (".h", ".cc", ".inc")
        for included in INCLUDE.findall(path.read_text(encoding="utf-8"))
        if included not in allowed and included != "gen"
    ]
    assert wrong == []
