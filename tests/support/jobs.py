"""Feeds as files and back: how models, inputs and outputs travel to Node and to a page.

A job is JSON beside raw little-endian files: inputs [{"name", "dtype", "dims", "file"}].
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np


def write_inputs(folder: Path, feeds: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    """Writes one file per array; the entries' files are relative to `folder`."""
    entries = []
    for index, (name, array) in enumerate(feeds.items()):
        file = f"input_{index}.bin"
        (folder / file).write_bytes(np.ascontiguousarray(array).tobytes())
        entries.append({"name": name, "dtype": array.dtype.name, "dims": list(array.shape), "file": file})
    return entries
