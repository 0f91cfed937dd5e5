"""The program that `core/fuzz/main.cc` is."""

from __future__ import annotations

from pathlib import Path

from tests.support.missing import missing
from tests.support.paths import ROOT


def program() -> Path:
    """Built with AddressSanitizer and UndefinedBehaviorSanitizer."""
    path = ROOT / "build" / "sanitize" / "fuzz"
    if not path.is_file():
        missing("there is no build with sanitizers; ./build.sh test makes it")
    return path
