"""python -m bench.engine_sizes [MODEL...] [--write]: how large engines and programs trimmed to models are, all of the tests'
models without names.

--write puts the table into docs/edge.md.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from onnxlet.build.size import measure
from onnxlet.bundle import engines, needs
from onnxlet.hosts import flavours
from tests.bundle.trimming import CASES
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "edge.md"
BEGIN, END = "<!-- sizes: python -m bench.engine_sizes --write -->", "<!-- end of sizes -->"


def table(names: Sequence[str]) -> str:
    """Markdown: raw bytes and brotli of the engine for each model, and of the whole one; bytes of the native program, which
    has the engine, and not the model, inside."""
    lines = ["| model | operators | kB | brotli, kB | native x86_64, kB |", "|---|---:|---:|---:|---:|"]
    lines.append(_row("the whole engine", "", flavours.engine_dir() / flavours.BY_NAME["simd"].file, ""))
    for name in names:
        needed = needs.of(CASES[name][0]())
        operators = str(len({row[:2] for row in needed.operators}))
        native = engines.build(needed, "native-x86_64").stat().st_size
        lines.append(_row(name, operators, engines.build(needed, "simd"), f"{native / 1000:.0f}"))
    return "\n".join(lines)


def _row(name: str, operators: str, engine: Path, native: str) -> str:
    size = measure(engine)
    squeezed = "" if size.brotli is None else f"{size.brotli / 1000:.0f}"
    return f"| {name} | {operators} | {size.raw / 1000:.0f} | {squeezed} | {native} |"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--write", action="store_true", help="put the table into docs/edge.md")
    options = parser.parse_args(arguments)
    text = table(options.models or [*CASES])
    print(text)
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        made = re.sub(f"(?<={BEGIN}\n).*?(?={END})", f"\n{text}\n\n", page, flags=re.DOTALL)
        PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
