"""Which cases cannot work, and whose limit that is: expectations.txt.

One pattern a line, with a kind and the reason; a case that does better than its line says fails.

    export    the exporter refuses the model
    exporter  the exported model is not what the framework computes: onnxruntime gives what onnxlet gives, or refuses it too
    onnxlet   onnxlet refuses the model or gives another result
"""

from __future__ import annotations

import functools
from fnmatch import fnmatchcase
from pathlib import Path

FILE = Path(__file__).with_name("expectations.txt")
KINDS = ("export", "exporter", "onnxlet")


@functools.cache
def _lines() -> list[tuple[str, str, str]]:
    found = []
    for number, line in enumerate(FILE.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.split(None, 2)
        if len(parts) != 3 or parts[1] not in KINDS:
            raise ValueError(
                f"{FILE.name}, line {number}: a case, one of {KINDS} and a reason are needed; got {line!r}"
            )
        found.append((parts[0], parts[1], parts[2]))
    return found


def expected(case: str) -> tuple[str, str] | None:
    """Kind and reason of the first line that matches the case; None: it must pass."""
    return next(((kind, reason) for pattern, kind, reason in _lines() if fnmatchcase(case, pattern)), None)
