"""Strings, and counts of n-grams."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.ops.properties.registry import Draw, Sample, prop
from tests.ops.strategies import kind_of

WORDS = (
    "",
    "a",
    "A b",
    " lead",
    "trail ",
    "a,b,,c",
    "x--y",
    "Ünï",
    "日本 語",
    "UPPER",
    "monday",
    "12.5",
    "a@b.com",
    "\t tab",
    ",",
)


def words(d: Draw, shape: Any = None) -> np.ndarray:
    shape = d.shape(0, 3) if shape is None else shape
    return np.asarray(d.rng().choice(np.array(WORDS, object), shape)).astype(object)


@prop("StringConcat")
def string_concat(d: Draw) -> Sample:
    left, right = d.broadcastable(2, 3)
    a, b = words(d, left), words(d, right)
    return Sample([a, b], answer=[np.asarray(a + b, object)])


@prop("StringSplit")
def string_split(d: Draw) -> Sample:
    x = words(d)
    attributes: dict[str, Any] = {}
    delimiter = d.attribute("delimiter", st.sampled_from([",", "--", " ", ""]), attributes)
    limit = d.attribute("maxsplit", st.integers(0, 3), attributes)
    parts = [text.split(delimiter or None, -1 if limit is None else limit) for text in x.ravel()]
    width = max(map(len, parts), default=0)
    counts = np.array([len(p) for p in parts], np.int64).reshape(x.shape)
    want = np.array([p + [""] * (width - len(p)) for p in parts], object).reshape(*x.shape, width)
    return Sample([x], attributes, [want, counts])


@prop("StringNormalizer")
def string_normalizer(d: Draw) -> Sample:
    x = words(d, d.choice([(d.integer(1, 6),), (1, d.integer(1, 6))]))
    attributes: dict[str, Any] = {}
    stop = d.attribute("stopwords", st.sampled_from([["monday"], ["MONDAY", "a"], ["upper", ","]]), attributes) or []
    exact = d.attribute("is_case_sensitive", st.integers(0, 1), attributes)
    action = d.attribute("case_change_action", st.sampled_from(["NONE", "LOWER", "UPPER"]), attributes)
    lowered = {w.lower() for w in stop}
    kept = [w for w in x.ravel() if not (w in stop if exact else w.lower() in lowered)]
    if action != "NONE":
        kept = [w.lower() if action == "LOWER" else w.upper() for w in kept]
    kept = kept or [""]
    return Sample([x], attributes, [np.array(kept, object).reshape((1, -1) if x.ndim == 2 else (-1,))])


PATTERNS = (
    r"[a-z]+",
    r".*",
    r"(\w+)@(\w+)\.com",
    r"\d+(\.\d+)?",
    r"a|A b",
    r"[^,]*",
    r"(a|b|,)+",
    r"\s.*",
    r"x-{2}y",
    r"",
)


@prop("RegexFullMatch")
def regex_full_match(d: Draw) -> Sample:
    x = words(d)
    pattern = d.choice(PATTERNS)
    want = np.array([re.fullmatch(pattern, text, re.ASCII) is not None for text in x.ravel()], bool).reshape(x.shape)
    return Sample([x], {"pattern": pattern}, [want])


@prop("TfIdfVectorizer")
def tfidf(d: Draw) -> Sample:
    """Counts n-grams whose elements are at most max_skip_count apart."""
    dtype = d.dtype("T")
    rng = d.rng()
    grams = [sorted({tuple(map(int, rng.integers(0, 4, n))) for _ in range(3)}) for n in (1, 2, 3)]
    low = d.integer(1, 3)
    high = d.integer(low, 3)
    skips = d.integer(0, 2)
    flat = [gram for group in grams for gram in group]
    starts = np.cumsum([0] + [len(g) * (i + 1) for i, g in enumerate(grams)])[:3].tolist()
    indexes = rng.permutation(len(flat)).tolist()
    mode = d.choice(["TF", "IDF", "TFIDF"])
    attributes: dict[str, Any] = {
        "mode": mode,
        "min_gram_length": low,
        "max_gram_length": high,
        "max_skip_count": skips,
        "ngram_counts": starts,
        "ngram_indexes": indexes,
    }
    pool = [v for gram in flat for v in gram]
    text = kind_of(dtype) == "O"
    attributes["pool_strings" if text else "pool_int64s"] = [f"w{v}" for v in pool] if text else pool
    weights = rng.random(len(flat)).astype(np.float32) if d.flag() else None
    if weights is not None:
        attributes["weights"] = weights.tolist()
    x = rng.integers(0, 5, d.choice([(7,), (2, 6), (1, 1)]))
    rows = np.atleast_2d(x)
    counts = np.zeros((len(rows), len(flat)), np.float64)
    for r, row in enumerate(rows):
        for k, gram in enumerate(flat):
            n = len(gram)
            if not low <= n <= high:
                continue
            for distance in range(1, (skips if n > 1 else 0) + 2):
                for start in range(len(row) - distance * (n - 1)):
                    counts[r, k] += all(row[start + distance * j] == gram[j] for j in range(n))
    scale = np.ones(len(flat)) if weights is None else weights.astype(np.float64)
    value = {"TF": counts, "IDF": (counts > 0) * scale, "TFIDF": counts * scale}[mode]
    want = np.zeros_like(value)
    want[:, indexes] = value
    given = np.array([f"w{v}" for v in x.ravel()], object).reshape(x.shape) if text else x.astype(dtype)
    return Sample([given], attributes, [want.reshape(len(flat) if x.ndim == 1 else want.shape).astype(np.float32)])
