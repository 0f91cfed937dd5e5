"""python level_symbols.py NM LEVEL OBJECT...: fails where objects compiled for one level of a machine define a function that other objects may have, too.

Of an inline function that several objects define, the linker keeps one copy. Code for machines that have AVX2 must not be
taken for everybody's: the kernels of a level keep theirs in a namespace of its name (core/base/level.h).
"""

from __future__ import annotations

import subprocess
import sys

_SHARED = frozenset("uvVwW")  # what nm says of symbols that may be defined more than once


def shared(listing: str, level: str) -> list[str]:
    """The names, mangled, of shared definitions outside the level's namespace, from what `nm` prints."""
    rows = [line.split() for line in listing.splitlines()]
    return sorted(
        {row[2] for row in rows if len(row) == 3 and row[1] in _SHARED and f"{len(level)}{level}" not in row[2]}
    )


def main(nm: str, level: str, *objects: str) -> int:
    listing = subprocess.run([nm, *objects], capture_output=True, text=True, check=True).stdout
    found = shared(listing, level)
    for name in found:
        sys.stderr.write(
            f"error: kernels of the level '{level}' define {name}, which is not theirs alone: put it into a namespace onnxlet::ONNXLET_LEVEL\n"
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
