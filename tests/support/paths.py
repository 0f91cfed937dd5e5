"""Where things are: the repository, and the cache outside of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def cache_dir() -> Path:
    """The folder for fetched and generated files: $ONNXLET_CACHE, else the user's cache directory.

    Files fetched from a package registry and models built from them live here, never in the tree.
    """
    chosen = os.environ.get("ONNXLET_CACHE")
    if chosen:
        return Path(chosen).expanduser().resolve()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "onnxlet"


def in_ci() -> bool:
    """True where a missing network or tool is a failure and not a skip."""
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}
