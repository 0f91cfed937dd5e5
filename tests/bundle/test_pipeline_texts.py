"""Steps of a pipeline with texts, against the tokenizers library and plain loops."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import BertWordPieceTokenizer, Tokenizer, models, pre_tokenizers, processors, trainers

from onnxlet import InferenceSession
from onnxlet.bundle import Input, pipeline
from onnxlet.bundle.pipeline import compose
from tests.bundle.composing import FLOAT, INT64, composed, numbers, run, save_identity, softmax

INT32 = TensorProto.INT32
WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "the",
    "cat",
    "##s",
    "sat",
    "on",
    "mat",
    "un",
    "##want",
    "##ed",
    "caf",
    "##e",
    "naive",
    "!",
    ",",
    ".",
    "日",
    "本",
]
TEXTS = ("The cats sat on the mat.", "unwanted café, naïve!", "日本 cat", "", "zebra " * 12)


def words(text: str) -> np.ndarray:
    return np.array([text], object)


# ---- tokens ----

TOKENS = (("input_ids", INT32, (1, None)), ("attention_mask", INT64, ("b", "n")), ("token_type_ids", INT64, (1, "n")))


@pytest.mark.parametrize("max_length", [None, 6])
@pytest.mark.parametrize("pair", [False, True])
def test_pieces_of_words(tmp_path: Path, engine: str, max_length: int | None, pair: bool) -> None:
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    oracle = BertWordPieceTokenizer(str(tmp_path / "vocab.txt"), lowercase=True)
    text = '[inputs.question]\nkind = "text"\ntokenizer = "vocab.txt"\n'
    if max_length:
        oracle.enable_truncation(max_length)
        text += f"max_length = {max_length}\n"
    if pair:
        text += 'pair = "passage"\n'
    application = composed(tmp_path, text, *TOKENS)
    names = ["question", "passage"] if pair else ["question"]
    assert application.interface.inputs == tuple(Input(name, "text", "string", (1,)) for name in names)
    for given in [("the cat sat on", "un"), ("mat", "the unwanted cats sat")] if pair else [(each,) for each in TEXTS]:
        found = run(application, engine, **{name: words(each) for name, each in zip(names, given, strict=True)})
        encoded = oracle.encode(*given)
        assert found["input_ids_out"].dtype == np.int32
        assert found["input_ids_out"].tolist() == [encoded.ids]
        assert found["attention_mask_out"].tolist() == [encoded.attention_mask]
        assert found["token_type_ids_out"].tolist() == [encoded.type_ids]


@pytest.mark.parametrize("max_length", [None, 5])
def test_tokenizer_json(tmp_path: Path, engine: str, max_length: int | None) -> None:
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    tokenizer = BertWordPieceTokenizer(str(tmp_path / "vocab.txt"), lowercase=True)
    tokenizer.enable_padding(length=64)  # which one text does not need
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    tokenizer.no_padding()
    text = '[inputs.sentence]\nkind = "text"\ntokenizer = "tokenizer.json"\n'
    if max_length:
        tokenizer.enable_truncation(max_length)
        text += f"max_length = {max_length}\n"
    application = composed(tmp_path, text, *TOKENS)
    for each in TEXTS:
        found, encoded = run(application, engine, sentence=words(each)), tokenizer.encode(each)
        assert found["input_ids_out"].tolist() == [encoded.ids]
        assert found["attention_mask_out"].tolist() == [encoded.attention_mask]
        assert found["token_type_ids_out"].tolist() == [[0] * len(encoded.ids)]


def test_pairs_of_bytes(tmp_path: Path, engine: str) -> None:
    """As GPT-2's."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=320, initial_alphabet=alphabet, special_tokens=["<s>", "</s>"], show_progress=False
    )
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    tokenizer.enable_truncation(20)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    application = composed(tmp_path, '[inputs.sentence]\nkind = "text"\ntokenizer = "tokenizer.json"', *TOKENS)
    for each in TEXTS:
        found = run(application, engine, sentence=words(each))
        assert found["input_ids_out"].tolist() == [tokenizer.encode(each).ids]


def save_embedder(path: Path, table: np.ndarray) -> Path:
    """A row of the table for each token."""
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["last"])],
        "g",
        [helper.make_tensor_value_info(name, INT64, ["b", "n"]) for name in ("input_ids", "attention_mask")],
        [helper.make_tensor_value_info("last", FLOAT, ["b", "n", table.shape[1]])],
        [numpy_helper.from_array(table, "table")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def test_the_nearest_sentences(tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "InferenceSession", partial(InferenceSession, _engine=engine))
    (tmp_path / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    tokenizer = BertWordPieceTokenizer(str(tmp_path / "vocab.txt"), lowercase=True)
    table = numbers(len(WORDS), 8)

    def vector(sentence: str) -> np.ndarray:
        mean = table[tokenizer.encode(sentence).ids].mean(0)
        return mean / np.linalg.norm(mean)

    sentences = ["the unwanted mat", "naive café", "cats sat on the mat", "日本"]
    (tmp_path / "p.toml").write_text(
        '[inputs.sentence]\nkind = "text"\ntokenizer = "vocab.txt"\n'
        f'[outputs.nearest]\nkind = "embedding"\ncompare = {sentences}\ntop = 2',
        encoding="utf-8",
    )
    application = compose(save_embedder(tmp_path / "m.onnx", table), tmp_path / "p.toml")
    likeness = np.stack([vector(sentence) for sentence in sentences]) @ vector("the cat sat on the mat")
    order = np.argsort(-likeness)[:2]
    assert order[0] == 2
    found = run(application, engine, sentence=words("the cat sat on the mat"))
    assert found["nearest"].tolist() == [sentences[at] for at in order]
    np.testing.assert_allclose(found["nearest_scores"], likeness[order], atol=1e-6)


# ---- characters ----


def read(probabilities: np.ndarray, characters: Sequence[str], blank: int) -> tuple[str, float]:
    """Best path decoding, step by step; `characters` has one for each class."""
    text, scores, last = "", [], blank
    for step in probabilities:
        best = int(step.argmax())
        if best not in (blank, last):
            text, scores = text + characters[best], [*scores, step[best]]
        last = best
    return text, float(np.mean(scores)) if scores else 0.0


@pytest.mark.parametrize(
    ("keys", "characters", "blank"),
    [
        ('characters = ["a", "b", "Ö"]', ["", "a", "b", "Ö"], 0),
        ('characters = ["a", "b", "Ö"]\nblank = 3', ["a", "b", "Ö", ""], 3),
        ('characters = ["a", "-", "b", "Ö"]\nblank = 1\nblank_listed = true', ["a", "-", "b", "Ö"], 1),
        ('characters = "letters.txt"\nspace = true', ["", "a", "日", " "], 0),
        ('metadata = "letters"\nspace = true', ["", "x", "y", " "], 0),
    ],
)
def test_characters(tmp_path: Path, engine: str, keys: str, characters: list[str], blank: int) -> None:
    (tmp_path / "letters.txt").write_text("a\n日\n", encoding="utf-8")
    (tmp_path / "p.toml").write_text(f'[outputs.text]\nkind = "text"\n{keys}', encoding="utf-8")
    path = save_identity(tmp_path / "m.onnx", ("x", FLOAT, (1, None, 4)))
    model = onnx.load(path)
    helper.set_model_props(model, {"letters": "x\ny"})
    onnx.save(model, path)
    application = compose(path, tmp_path / "p.toml")
    for seed, steps in enumerate((1, 2, 31, 31, 0)):
        x = softmax(numbers(1, steps, 4, seed=seed) * 3)
        found = run(application, engine, x=x)
        text, score = read(x[0], characters, blank)
        assert found["text"].tolist() == [text]
        np.testing.assert_allclose(found["text_scores"], [score], rtol=1e-6)
