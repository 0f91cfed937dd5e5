"""The Unicode data that tokenizers have."""

from __future__ import annotations

import unicodedata

import pytest

from onnxlet.build import unicode_data


def test_the_file_is_what_the_script_writes() -> None:
    written = unicode_data.TARGET.read_text(encoding="utf-8")
    if f"from Unicode {unicodedata.unidata_version}." not in written.partition("\n")[0]:
        pytest.skip(f"written from another version of Unicode than this interpreter's, {unicodedata.unidata_version}")
    assert unicode_data.document() == written


def test_runs_give_every_code_point_its_category() -> None:
    runs = list(unicode_data.runs(unicode_data.general_category))
    for (first, value), (behind, _) in zip(runs, [*runs[1:], (unicode_data.LIMIT, -1)], strict=True):
        for code in {first, behind - 1}:
            assert unicode_data.CATEGORIES[value] == unicodedata.category(chr(code))


def test_small_letters() -> None:
    expected = {code: ord(low) for code in range(unicode_data.LIMIT) if len(low := chr(code).lower()) == 1}
    found = {code: code for code in expected}
    for first, last, step, delta in unicode_data.lower_deltas():
        found |= {code: code + delta for code in range(first, last + 1, step)}
    assert found == expected
