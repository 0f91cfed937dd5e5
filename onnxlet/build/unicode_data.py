"""Writes core/tokenizers/unicode_data.inc from Python's unicodedata: `python -m onnxlet.build.unicode_data`.

The file is kept in the repository, because what it holds depends on the version of Unicode that the interpreter knows,
and an engine must not depend on the interpreter that builds it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

TARGET = Path(__file__).parents[2] / "core" / "tokenizers" / "unicode_data.inc"
LIMIT = 0x110000
HANGUL = range(0xAC00, 0xD7A4)  # composed and decomposed by arithmetic
# In the order of kCategories in unicode_data.cc.
# fmt: off
CATEGORIES = (
    "Cc", "Cf", "Cn", "Co", "Cs",
    "Ll", "Lm", "Lo", "Lt", "Lu",
    "Mc", "Me", "Mn",
    "Nd", "Nl", "No",
    "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps",
    "Sc", "Sk", "Sm", "So",
    "Zl", "Zp", "Zs",
)
# fmt: on
PER_LINE = 12


def general_category(code: int) -> int:
    return CATEGORIES.index(unicodedata.category(chr(code)))


def runs(value: Callable[[int], int]) -> Iterator[tuple[int, int]]:
    """Where each run of code points with an equal value begins, and the value."""
    previous = None
    for code in range(LIMIT):
        current = value(code)
        if current != previous:
            yield code, current
            previous = current


def lower_deltas() -> Iterator[tuple[int, int, int, int]]:
    """Runs (first, last, step, delta) of letters whose small letter lies at the same distance."""
    run: list[int] = []
    for code in range(LIMIT):
        low = chr(code).lower()
        if len(low) != 1 or ord(low) == code:
            continue
        delta = ord(low) - code
        if run and delta == run[3]:
            step = code - run[1]
            if step <= 2 and (run[0] == run[1] or step == run[2]):
                run[1], run[2] = code, step
                continue
        if run:
            yield run[0], run[1], run[2], run[3]
        run = [code, code, 1, delta]
    yield run[0], run[1], run[2], run[3]


def decompositions(compatible: bool) -> Iterator[tuple[int, str]]:
    """Full decompositions: canonical ones, or those that only the compatible forms have."""
    for code in range(LIMIT):
        char = chr(code)
        canonical = unicodedata.normalize("NFD", char)
        if code in HANGUL:
            continue
        if not compatible and canonical != char:
            yield code, canonical
        if compatible and (full := unicodedata.normalize("NFKD", char)) != canonical:
            yield code, full


def compositions() -> Iterator[tuple[int, int, int]]:
    """(first, second, composed), sorted."""
    pairs = []
    for code in range(LIMIT):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) != 2 or parts[0].startswith("<") or unicodedata.normalize("NFC", chr(code)) != chr(code):
            continue
        pairs.append((int(parts[0], 16), int(parts[1], 16), code))
    return iter(sorted(pairs))


def array(kind: str, name: str, values: Iterable[int]) -> str:
    items = [f"{value:#x}" if value >= 0 else str(value) for value in values]
    lines = [", ".join(items[i : i + PER_LINE]) for i in range(0, len(items), PER_LINE)]
    return f"constexpr {kind} {name}[] = {{\n    " + ",\n    ".join(lines) + "};\n"


def decomposition_arrays(prefix: str, compatible: bool) -> str:
    keys, ends, pool = [], [], []
    for code, text in decompositions(compatible):
        units = text.encode("utf-16-le")
        pool += [int.from_bytes(units[i : i + 2], "little") for i in range(0, len(units), 2)]
        keys.append(code)
        ends.append(len(pool))
    return "".join(
        [
            array("uint32_t", f"k{prefix}Keys", keys),
            array("uint16_t", f"k{prefix}Ends", ends),
            array("uint16_t", f"k{prefix}Units", pool),
        ]
    )


def document() -> str:
    lower = [number for run in lower_deltas() for number in run]
    return "\n".join(
        [
            f"// Written by onnxlet/build/unicode_data.py from Unicode {unicodedata.unidata_version}. Not edited by hand.",
            "// clang-format off",
            "// Code point << 8 | general category, at the begin of every run.",
            array("uint32_t", "kCategoryRuns", (code << 8 | value for code, value in runs(general_category))),
            "// The same with the canonical combining class.",
            array(
                "uint32_t",
                "kCombiningRuns",
                (code << 8 | value for code, value in runs(lambda code: unicodedata.combining(chr(code)))),
            ),
            "// Letters that have a small letter: first, last, step, delta.",
            array("int32_t", "kLowerRuns", lower),
            "// Full decompositions in UTF-16: sorted code points, where each ends among the units, the units.",
            decomposition_arrays("Canonical", compatible=False),
            decomposition_arrays("Compatible", compatible=True),
            "// Primary composites: first, second, composed; sorted.",
            array("uint32_t", "kCompositions", (number for triple in compositions() for number in triple)),
            "// clang-format on",
            "",
        ]
    )


if __name__ == "__main__":
    TARGET.write_text(document(), encoding="utf-8")
