"""Text as an input: through a tokenizer.json to tokens, and how alike texts are."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from tokenizers import BertWordPieceTokenizer

from tests.bundle.pages import drop
from tests.playground import models
from tests.playground.conftest import BOTH_WIDTHS, Visit, choose_file, is_fine, open_run, refused, run, saved

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "dog", "sleeps", "##s", "café", "cafe", "."]
TEXTS = ["The cat sleeps.", "the dogs", "A Café"]
TABLE = np.random.default_rng(0).standard_normal((len(WORDS), 8)).astype(np.float32)


@pytest.fixture(scope="session")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> BertWordPieceTokenizer:
    vocabulary = tmp_path_factory.mktemp("words") / "vocab.txt"
    vocabulary.write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return BertWordPieceTokenizer(str(vocabulary), lowercase=True)


def encoded(tokenizer: BertWordPieceTokenizer, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Ids and mask, filled up with zeros."""
    rows = [tokenizer.encode(text).ids for text in texts]
    longest = max(map(len, rows))
    ids = np.array([row + [0] * (longest - len(row)) for row in rows])
    return ids, np.array([[1] * len(row) + [0] * (longest - len(row)) for row in rows])


def likeness(tokenizer: BertWordPieceTokenizer, texts: Sequence[str]) -> np.ndarray:
    vectors = np.stack([TABLE[tokenizer.encode(text).ids].mean(0) for text in texts])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors @ vectors.T


def description(tokenizer: BertWordPieceTokenizer, length: int = 64) -> bytes:
    """tokenizer.json as some are saved: filled up to a length that the page does not need."""
    tokenizer.enable_padding(length=length)
    text = tokenizer.to_str()
    tokenizer.no_padding()
    return text.encode()


def matrix(page: Page) -> np.ndarray:
    rows = page.locator(".similarity tbody tr").all()
    return np.array([[float(text) for text in row.locator("td").all_inner_texts()] for row in rows])


def array(page: Page, name: str) -> np.ndarray:
    return np.asarray(np.load(io.BytesIO(saved(page, f"Save {name} as .npy"))))


def write(page: Page, text: str) -> None:
    page.get_by_text("Text", exact=True).first.click()
    page.get_by_label("Text for input_ids").fill(text)


@BOTH_WIDTHS
def test_sentences_are_compared(visit: Visit, tokenizer: BertWordPieceTokenizer, viewport: dict[str, int]) -> None:
    def work(page: Page) -> None:
        open_run(page, models.embedder(TABLE))
        write(page, "\n".join(TEXTS))
        expect(page.locator(".input-card", has_text="attention_mask")).to_contain_text("Filled along with input_ids.")
        choose_file(page, "numbers", "tokenizer.json", description(tokenizer))
        expect(page.locator(".input-card").first).to_contain_text("Words become numbers by tokenizer.json")
        run(page)
        np.testing.assert_allclose(matrix(page), likeness(tokenizer, TEXTS), atol=1e-4)
        ids, mask = encoded(tokenizer, TEXTS)
        np.testing.assert_array_equal(array(page, "vectors"), TABLE[ids])
        np.testing.assert_array_equal(array(page, "counted"), mask)  # the types are zeros
        is_fine(page)

    visit(work, viewport=viewport, accept_downloads=True, bypass_csp=True)


def test_a_tokenizer_is_dropped_anywhere(visit: Visit, tokenizer: BertWordPieceTokenizer) -> None:
    def work(page: Page) -> None:
        open_run(page, models.embedder(TABLE))
        write(page, "the cat")
        refused(page, """Input "input_ids" takes the numbers of tokens: drop the model's tokenizer.json, which makes""")
        drop(page, "main", "my-tokenizer.json", "application/json", description(tokenizer))
        expect(page.locator(".input-card").first).to_contain_text("Words become numbers by my-tokenizer.json")
        run(page)
        np.testing.assert_array_equal(array(page, "vectors"), TABLE[[[2, 5, 6, 3]]])

    visit(work, accept_downloads=True)


def test_a_model_of_fixed_sizes(visit: Visit, tokenizer: BertWordPieceTokenizer) -> None:
    """Rows are filled up, or cut."""

    def work(page: Page) -> None:
        for length, expected in ((6, [2, 5, 6, 3, 0, 0]), (3, [2, 5, 6])):
            open_run(page, models.embedder(TABLE, batch=1, length=length))
            write(page, "the cat")
            choose_file(page, "numbers", "tokenizer.json", description(tokenizer))
            run(page)
            np.testing.assert_array_equal(array(page, "vectors"), TABLE[[expected]])
            np.testing.assert_array_equal(array(page, "counted"), [[1 if each else 0 for each in expected]])
            page.get_by_role("button", name="start again").click()

    visit(work, accept_downloads=True)


def test_what_is_no_text_or_tokenizer_is_explained(visit: Visit, tokenizer: BertWordPieceTokenizer) -> None:
    def work(page: Page) -> None:
        open_run(page, models.embedder(TABLE, batch=1))
        write(page, "the cat")
        for content in (b"{", b'{"model": {}}', b"null"):
            choose_file(page, "numbers", "other.json", content)
            expect(page.locator(".input-card").first).to_contain_text("by other.json")
            refused(page, "other.json is not the tokenizer.json of the tokenizers library")
        choose_file(page, "numbers", "odd.json", b'{"model": {"type": "Magic"}}')
        refused(page, "Magic")
        choose_file(page, "numbers", "tokenizer.json", description(tokenizer))
        write(page, " \n")
        refused(page, 'Write a text for input "input_ids" first.')
        write(page, "the cat\nthe dog")
        refused(page, 'Input "input_ids" takes one text, a line each.')
        write(page, "the dog")
        run(page)
        page.get_by_role("button", name="start again").click()
        open_run(page, models.embedder(TABLE, batch=3))
        write(page, "the cat")
        choose_file(page, "numbers", "tokenizer.json", description(tokenizer))
        write(page, "the cat\nthe dog")
        refused(page, 'Input "input_ids" takes 3 texts, a line each.')

    visit(work)
