"""Measurements of a search on disk, so that a search that was stopped goes on where it was.

A file per model, data, settings and version of the package; a line of JSON per measurement, written at once. A damaged line
is left out: it costs a run.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from .. import user_cache
from .metrics import Divergence
from .prove import Accuracy
from .store import files_of

Entry: TypeAlias = tuple[int, Accuracy, tuple[int, ...], tuple[float, ...]]
"""Bytes of the file, accuracy, bytes and signal-to-noise ratio of each layer."""


class SearchCache:
    """Entries by mix. Without a key nothing is read or written."""

    def __init__(self, key: str | None) -> None:
        """`key`: hexadecimal, see `key_of`."""
        self._path = None if key is None else user_cache.folder("pack") / f"{key[:40]}.jsonl"
        self._entries: dict[str, Entry] = {}
        if self._path is not None and self._path.is_file():
            for line in self._path.read_text(encoding="utf-8", errors="replace").splitlines():
                self._read(line)

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, mix: str) -> Entry | None:
        return self._entries.get(mix)

    def put(self, mix: str, entry: Entry) -> None:
        self._entries[mix] = entry
        if self._path is None:
            return
        size, accuracy, stored, snr = entry
        line = json.dumps({"mix": mix, "size": size, "accuracy": asdict(accuracy), "stored": stored, "snr": snr})
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError:  # a folder that cannot be written costs time and nothing else
            self._path = None

    def _read(self, line: str) -> None:
        try:
            found: dict[str, Any] = json.loads(line)
            accuracy = found["accuracy"]
            accuracy["divergence"] = Divergence(**accuracy["divergence"])
            entry = found["size"], Accuracy(**accuracy), tuple(found["stored"]), tuple(found["snr"])
        except (ValueError, KeyError, TypeError):
            return
        self._entries[found["mix"]] = entry


def key_of(model: Path | bytes, data: str, settings: str) -> str:
    """SHA-256 of everything that a measurement depends on, hexadecimal. `data`: the digest of the samples."""
    from .. import __version__

    hashed = hashlib.sha256()
    for source in sorted(Path(__file__).parent.rglob("*.py")):  # a version under work changes without its number
        hashed.update(source.read_bytes())
    for part in (__version__, data, settings):
        hashed.update(part.encode() + b"\0")
    if isinstance(model, bytes):
        hashed.update(model)
        return hashed.hexdigest()
    for file in files_of(model):
        with file.open("rb") as stream:
            hashed.update(hashlib.file_digest(stream, "sha256").digest())
    return hashed.hexdigest()
