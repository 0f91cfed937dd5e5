"""Which cases are expected to fail, and why: expected_failures.txt.

One per line: the case, the engines it fails on as patterns separated by commas, and the reason:

    node/test_resize_upsample_sizes_cubic  *  NOT_IMPLEMENTED: cubic mode
"""

from __future__ import annotations

import functools
from fnmatch import fnmatch
from pathlib import Path

FILE = Path(__file__).with_name("expected_failures.txt")


@functools.cache
def _lines() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for number, line in enumerate(FILE.read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            parts = line.split(None, 2)
            if len(parts) != 3:
                raise ValueError(
                    f"{FILE.name}, line {number}: a case, engines and a reason are needed; the line is {line!r}"
                )
            found.setdefault(parts[0], []).append((parts[1], parts[2]))
    return found


def expected_failure(case: str, engine: str) -> str | None:
    """The reason why `case` ("suite/name") fails on `engine`; None when it must pass."""
    for engines, reason in _lines().get(case, []):
        if any(fnmatch(engine, pattern) for pattern in engines.split(",")):
            return reason
    return None


def listed_cases() -> set[str]:
    return set(_lines())
