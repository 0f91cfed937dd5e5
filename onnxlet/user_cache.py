"""Where the package keeps what it may compute again."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def folder(name: str) -> Path:
    """A folder of the user's cache, which may not exist yet: below $ONNXLET_CACHE, else the system's place."""
    chosen = os.environ.get("ONNXLET_CACHE")
    if chosen:
        base = Path(chosen)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "onnxlet"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches" / "onnxlet"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "onnxlet"
    return base / name
