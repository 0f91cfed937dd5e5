"""Tokenizer and NGramRepeatBlock of com.microsoft against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onnxlet
from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model, run
from tests.ops.test_contrib_attention import Draws

MS: dict[str, Any] = {"domain": "com.microsoft", "oracle": "onnxruntime"}
EXAMPLES = settings(max_examples=25)
LETTERS = st.sampled_from(["a", "b", "A", "1", " ", " ", ",", ".", "-", "ä", "日", "😀"])


@pytest.mark.parametrize(
    "how",
    [
        {"separators": [" "]},
        {"separators": [",", " "]},
        {"separators": ["[ ,]+"]},
        {"separators": [r"\s", "-a"]},
        {"separators": [""]},
        {"tokenexp": "."},
        {"tokenexp": "[a-z]+"},
        {"tokenexp": r"\w+|,"},
    ],
    ids=str,
)
@given(data=st.data())
@EXAMPLES
def test_tokenizer(backend: Prepare, how: dict[str, Any], data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([(1,), (3,), (2, 2)]))
    count = int(np.prod(shape))
    texts = [data.draw(st.text(LETTERS, max_size=12)) for _ in range(count)]
    x = np.array(texts, dtype=object).reshape(shape)
    mark, shortest = data.draw(st.integers(0, 1)), data.draw(st.integers(1, 3))
    more = {"mark": mark, "mincharnum": shortest if how != {"separators": [""]} and how != {"tokenexp": "."} else 1}
    check(backend, "Tokenizer", [x], outputs=[np.str_], pad_value="#", **more, **how, **MS)


@given(data=st.data(), size=st.integers(1, 4))
@EXAMPLES
def test_ngram_repeat_block(backend: Prepare, data: st.DataObject, size: int) -> None:
    d = Draws(data)
    batch, length, tokens = d.one_of(1, 3), d.one_of(1, 2, 5, 12), d.one_of(2, 4)
    ids = d.rng.integers(0, tokens, (batch, length))
    check(backend, "NGramRepeatBlock", [ids, d.normal(batch, tokens)], outputs=[np.float32], ngram_size=size, **MS)


def test_refusals(backend: Prepare) -> None:
    ids, scores = np.array([[1, 1, 9, 1]]), np.zeros((1, 4), np.float32)
    cases: list[tuple[list[Any], dict[str, Any], str]] = [
        ([ids, scores], {"ngram_size": 0}, "ngram_size must be positive; it is 0"),
        (
            [ids[0], scores],
            {"ngram_size": 2},
            r"must be \[batch, length\] and \[batch, tokens\]; their shapes are \[4\]",
        ),
        ([ids, scores], {"ngram_size": 2}, r"token 9 is outside \[0, 3\]"),
    ]
    for inputs, how, text in cases:
        model = make_model("NGramRepeatBlock", inputs, domain="com.microsoft", outputs=[np.float32], **how)
        with pytest.raises(onnxlet.Error, match=text):
            run(backend, model, inputs)
