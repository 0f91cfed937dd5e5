"""How large the engine is: `python size.py FOLDER` prints a table and fails when a flavour is over the budget.

The budget is wasm/size_budget.json, in bytes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# Comes with the wheel alone, beside the others: no page downloads it.
UNLIMITED = "onnxlet-preprocessing"
BUDGET = Path(__file__).resolve().parents[2] / "wasm" / "size_budget.json"


@dataclass(frozen=True)
class Sizes:
    name: str
    raw: int
    gzip: int
    brotli: int | None  # None: the brotli package is not installed


def measure(file: Path) -> Sizes:
    data = file.read_bytes()
    try:
        import brotli
    except ImportError:
        squeezed = None
    else:
        squeezed = len(brotli.compress(data, quality=11))
    return Sizes(file.stem, len(data), len(gzip.compress(data, 9, mtime=0)), squeezed)


def table(rows: Sequence[Sizes]) -> str:
    lines = [f"{'flavour':26} {'raw':>10} {'gzip -9':>10} {'brotli':>10}"]
    for row in rows:
        squeezed = "-" if row.brotli is None else f"{row.brotli:,}"
        lines.append(f"{row.name:26} {row.raw:>10,} {row.gzip:>10,} {squeezed:>10}")
    return "\n".join(lines)


def over_budget(rows: Sequence[Sizes], budget: dict[str, int]) -> list[str]:
    """One sentence per limit that is broken."""
    return [
        f"{row.name}: {actual:,} bytes {kind}, {actual - budget[kind]:,} over the budget of {budget[kind]:,}"
        for row in rows
        for kind, actual in (("raw", row.raw), ("brotli", row.brotli))
        if actual is not None and actual > budget[kind]
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args(arguments).folder
    files = sorted(path for path in folder.glob("onnxlet*.wasm") if not path.name.endswith(".debug.wasm"))
    if not files:
        print(f"no flavours in {folder}")
        return 1
    rows = [measure(file) for file in files]
    print(table(rows))
    budgets: dict[str, dict[str, int]] = json.loads(BUDGET.read_text())
    limited = [row for row in rows if row.name != UNLIMITED]
    problems = [text for row in limited for text in over_budget([row], budgets.get(row.name, budgets["flavour"]))]
    print("\n".join(problems) or "within the budget")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
