"""HfJsonTokenizer and BertTokenizer of onnxruntime-extensions against the package `tokenizers`."""

from __future__ import annotations

import functools
import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sentencepiece
import tokenizers
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

import onnxlet
from tests.conformance.backends import Prepare
from tests.ops.harness import make_model, run
from tests.ops.preprocessing.texts import TEXTS, TEXTS_UNSEEN

DOMAIN = "ai.onnx.contrib"
SPECIAL = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]", "<s>", "</s>", "<mask>"]


def encode(backend: Prepare, tokenizer: Tokenizer | str, texts: Any, **more: Any) -> list[np.ndarray]:
    text = tokenizer if isinstance(tokenizer, str) else tokenizer.to_str()
    x = np.array(texts, dtype=object)
    model = make_model(
        "HfJsonTokenizer", [x], outputs=[np.int64, np.int64], domain=DOMAIN, tokenizer_config=text, **more
    )
    return [np.asarray(y) for y in run(backend, model, [x])]


def same_as_tokenizers(backend: Prepare, tokenizer: Tokenizer, texts: list[str]) -> None:
    """One call with all texts, and the ids of each."""
    ids, mask = encode(backend, tokenizer, texts)
    for text, row, known in zip(texts, ids, mask, strict=True):
        expected = [i for i, m in _pairs(tokenizer.encode(text)) if m]
        assert row[known == 1].tolist() == expected, text


def _pairs(encoding: tokenizers.Encoding) -> Any:
    return zip(encoding.ids, encoding.attention_mask, strict=True)


@functools.cache
def word_piece(**how: Any) -> Tokenizer:
    """Trained on the texts, so that words are cut everywhere."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(**how)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=400, special_tokens=SPECIAL, show_progress=False)
    tokenizer.train_from_iterator(TEXTS * 2, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return tokenizer


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"lowercase": False},
        {"lowercase": True, "strip_accents": False},
        {"clean_text": False},
        {"handle_chinese_chars": False, "strip_accents": True, "lowercase": False},
    ],
    ids=str,
)
def test_bert(backend: Prepare, how: dict[str, Any]) -> None:
    same_as_tokenizers(backend, word_piece(**how), TEXTS)


NORMALIZERS: dict[str, Any] = {
    "nfc": normalizers.NFC(),
    "nfd": normalizers.NFD(),
    "nfkc": normalizers.NFKC(),
    "nfkd": normalizers.NFKD(),
    "lowercase": normalizers.Lowercase(),
    "accents": normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
    "strip": normalizers.Strip(left=True, right=True),
    "strip left": normalizers.Strip(left=True, right=False),
    "replace": normalizers.Replace("a", "<->"),
    "replace a pattern": normalizers.Replace(Regex(r"\s{2,}|[\n\r\t]"), " "),
    "prepend": normalizers.Prepend("▁"),
    "llama": normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
}
# How well-known families split, and the rest of the syntax.
PATTERNS = {
    "llama 3": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
    r"\s*[\r\n]+|\s+(?!\S)|\s+",
    "qwen 2": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
    r"\s+(?!\S)|\s+",
    "gpt 4": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|"
    r"\s+(?!\S)|\s+",
    "gpt 4o": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "clip": r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    "deepseek": r"\p{N}{1,3}|[一-龥\u0800-一가-퟿]+",
    "counted": r"(?:ab|[b-y]{2}){1,2}?x|\w{3,4}?e",
    "ends": r"^\s+|\s+$|\S(?=[,.])",
    "alternatives": r"the|th|t|(?:o(?:v|w)e?)+|\x41\x{6d}|[\]\-a^]|\d\D|\W\S",
}
PRE_TOKENIZERS: dict[str, Any] = {
    "whitespace": pre_tokenizers.Whitespace(),
    "whitespace split": pre_tokenizers.WhitespaceSplit(),
    "bert": pre_tokenizers.BertPreTokenizer(),
    "punctuation": pre_tokenizers.Punctuation(),
    "punctuation merged": pre_tokenizers.Punctuation("merged_with_previous"),
    "punctuation next": pre_tokenizers.Punctuation("merged_with_next"),
    "punctuation runs": pre_tokenizers.Punctuation("contiguous"),
    "punctuation removed": pre_tokenizers.Punctuation("removed"),
    "digits": pre_tokenizers.Digits(individual_digits=False),
    "each digit": pre_tokenizers.Digits(individual_digits=True),
    "metaspace": pre_tokenizers.Metaspace(),
    "metaspace first": pre_tokenizers.Metaspace(prepend_scheme="first"),
    "metaspace never": pre_tokenizers.Metaspace(prepend_scheme="never", split=False),
    "bytes": pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False),
    "bytes of GPT-2": pre_tokenizers.ByteLevel(add_prefix_space=False),
    "bytes of GPT-2 with a space": pre_tokenizers.ByteLevel(add_prefix_space=True),
    "split": pre_tokenizers.Split("an", "isolated"),
    **{name: pre_tokenizers.Split(Regex(pattern), "isolated") for name, pattern in PATTERNS.items()},
    "pattern removed": pre_tokenizers.Split(Regex(r"\s+|[aeiou]"), "removed"),
    "pattern kept": pre_tokenizers.Split(Regex(r"\w+"), "removed", invert=True),
    "pattern with next": pre_tokenizers.Split(Regex("e"), "merged_with_next"),
    "pattern with previous": pre_tokenizers.Split(Regex("[^a]"), "merged_with_previous"),
    "split inverted": pre_tokenizers.Split("e", "removed", invert=True),
    "delimiter": pre_tokenizers.CharDelimiterSplit("e"),
    "sequence": pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(True)]),
}


def words_of(tokenizer: Tokenizer, texts: list[str]) -> list[list[str]]:
    """The words that a tokenizer's own normalizer and pre-tokenizer make of the texts."""
    normalizer, splitter = tokenizer.normalizer, tokenizer.pre_tokenizer
    texts = [normalizer.normalize_str(text) if normalizer else text for text in texts]
    return [[word for word, _ in splitter.pre_tokenize_str(text)] if splitter else [text] for text in texts]


def whole_words(normalizer: Any, splitter: Any, texts: list[str] = TEXTS) -> Tokenizer:
    """A WordPiece model whose tokens are the words themselves: ids tell words apart."""
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, splitter
    words = sorted({word for line in words_of(tokenizer, texts) for word in line})
    vocab = {"[UNK]": 0, **{word: i + 1 for i, word in enumerate(words)}}
    tokenizer.model = models.WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=1000)
    return tokenizer


@pytest.mark.parametrize("name", NORMALIZERS)
def test_normalizers(backend: Prepare, name: str) -> None:
    same_as_tokenizers(backend, whole_words(NORMALIZERS[name], None), TEXTS)


def test_a_precompiled_map_of_characters(backend: Prepare) -> None:
    """The one of T5, XLM-R and others, which SentencePiece writes into every model."""
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS), model_writer=file, vocab_size=700, hard_vocab_limit=False, minloglevel=2
    )
    messages: Any = sentencepiece_model_pb2  # made when it is imported
    spec = messages.ModelProto.FromString(file.getvalue()).normalizer_spec
    assert spec.name == "nmt_nfkc"
    normalizer = normalizers.Precompiled(spec.precompiled_charsmap)
    same_as_tokenizers(backend, whole_words(normalizer, None), TEXTS)
    marks = [
        "e\u0301",
        "e\u0301\u0323",
        "\r\n",
        "a\u200db",
        "\u0301x",
        "か\u3099",
        "ｶﾞ",
        "한",
        "ﬁ\u0301",
        "\u200f\u0301",
    ]
    same_as_tokenizers(backend, whole_words(normalizer, None, marks), marks)


@pytest.mark.parametrize("name", PRE_TOKENIZERS)
def test_pre_tokenizers(backend: Prepare, name: str) -> None:
    same_as_tokenizers(backend, whole_words(None, PRE_TOKENIZERS[name]), TEXTS)


def train(model: Any, trainer: Any, **parts: Any) -> Tokenizer:
    tokenizer = Tokenizer(model)
    for name, part in parts.items():
        setattr(tokenizer, name, part)
    tokenizer.train_from_iterator(TEXTS * 2, trainer)
    return tokenizer


@functools.cache
def byte_level_bpe(**how: Any) -> Tokenizer:
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=700, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    splitter = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return train(models.BPE(**how), trainer, pre_tokenizer=splitter)


def test_byte_level_bpe(backend: Prepare) -> None:
    same_as_tokenizers(backend, byte_level_bpe(), TEXTS + TEXTS_UNSEEN)
    whole = json.loads(byte_level_bpe().to_str())
    whole["model"]["ignore_merges"] = True
    whole["model"]["vocab"]["Ġquick"] = 5000
    same_as_tokenizers(backend, Tokenizer.from_str(json.dumps(whole)), TEXTS)


def test_bpe_of_older_files(backend: Prepare) -> None:
    document = json.loads(byte_level_bpe().to_str())
    document["model"]["merges"] = [" ".join(pair) for pair in document["model"]["merges"]]
    ids, _ = encode(backend, json.dumps(document), [TEXTS[3]])
    assert ids[0].tolist() == byte_level_bpe().encode(TEXTS[3]).ids


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"unk_token": "[UNK]"},
        {"unk_token": "[UNK]", "fuse_unk": True},
        {"unk_token": "[UNK]", "end_of_word_suffix": "</w>"},
        {"unk_token": "[UNK]", "continuing_subword_prefix": "##"},
    ],
    ids=str,
)
def test_bpe_of_characters(backend: Prepare, how: dict[str, Any]) -> None:
    decoration = {name: how[name] for name in ("end_of_word_suffix", "continuing_subword_prefix") if name in how}
    trainer = trainers.BpeTrainer(vocab_size=500, special_tokens=SPECIAL, show_progress=False, **decoration)
    tokenizer = train(models.BPE(**how), trainer, pre_tokenizer=pre_tokenizers.Whitespace())
    same_as_tokenizers(backend, tokenizer, TEXTS + TEXTS_UNSEEN)


def with_bytes(tokenizer: Tokenizer) -> Tokenizer:
    """The same with a token for every byte, which unknown characters fall back to, as in Llama 2."""
    document = json.loads(tokenizer.to_str())
    names = [f"<0x{byte:02X}>" for byte in range(256)]
    vocab = document["model"]["vocab"]
    if isinstance(vocab, dict):
        vocab.update({name: len(vocab) + i for i, name in enumerate(names)})
    else:
        vocab += [[name, -20.0] for name in names]
    document["model"]["byte_fallback"] = True
    return Tokenizer.from_str(json.dumps(document))


def test_bpe_falls_back_to_bytes(backend: Prepare) -> None:
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=SPECIAL, show_progress=False, limit_alphabet=60)
    tokenizer = train(models.BPE(unk_token="[UNK]", fuse_unk=True), trainer, normalizer=NORMALIZERS["llama"])
    same_as_tokenizers(backend, tokenizer, TEXTS)
    same_as_tokenizers(backend, with_bytes(tokenizer), TEXTS + TEXTS_UNSEEN)


@pytest.mark.parametrize("byte_fallback", [False, True])
def test_unigram(backend: Prepare, byte_fallback: bool) -> None:
    trainer = trainers.UnigramTrainer(vocab_size=700, special_tokens=SPECIAL, unk_token="[UNK]", show_progress=False)
    for splitter in (pre_tokenizers.Metaspace(), pre_tokenizers.Whitespace()):
        tokenizer = train(models.Unigram(), trainer, normalizer=normalizers.NFKC(), pre_tokenizer=splitter)
        tokenizer = with_bytes(tokenizer) if byte_fallback else tokenizer
        same_as_tokenizers(backend, tokenizer, TEXTS + TEXTS_UNSEEN)


def test_a_pattern_that_takes_too_long_is_an_error(backend: Prepare) -> None:
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    document = json.loads(tokenizer.to_str()) | {"pre_tokenizer": split_at("(?:a|aa|aaa)+b")}
    words = "takes too many steps on a text of 200 characters"
    with pytest.raises(onnxlet.Fail, match=words):
        encode(backend, json.dumps(document), ["a" * 200])


def test_added_tokens(backend: Prepare) -> None:
    tokenizer = Tokenizer.from_str(word_piece().to_str())
    tokenizer.add_tokens(
        [
            AddedToken("fox", single_word=True, normalized=False),
            AddedToken("LAZY", normalized=True),
            AddedToken("lazy dog", normalized=True),
            AddedToken("ox", normalized=False),
        ]
    )
    tokenizer.add_special_tokens([AddedToken("<x>", lstrip=True, rstrip=True), AddedToken("<y>", single_word=True)])
    texts = ["a fox, foxes", "the lazy dog lazy lAzY", "a  <x>  b<x>c <x>", "a<y>b <y> c", "<x>", "ox<x>ox"]
    same_as_tokenizers(backend, tokenizer, TEXTS + texts)


@pytest.mark.parametrize("direction", ["left", "right"])
def test_truncation_and_padding(backend: Prepare, direction: str) -> None:
    tokenizer = Tokenizer.from_str(word_piece().to_str())
    tokenizer.enable_truncation(9, direction=direction)
    tokenizer.enable_padding(direction=direction, pad_id=3, pad_token="[PAD]", pad_to_multiple_of=4)
    for texts in (TEXTS, TEXTS[:2], ["a"]):
        expected = tokenizer.encode_batch(texts)
        ids, mask = encode(backend, tokenizer, texts)
        assert ids.tolist() == [e.ids for e in expected]
        assert mask.tolist() == [e.attention_mask for e in expected]
    tokenizer.enable_padding(length=6, pad_id=3)
    ids, mask = encode(backend, tokenizer, ["a"])
    assert ids.tolist() == [tokenizer.encode("a").ids]
    assert mask.tolist() == [tokenizer.encode("a").attention_mask]


@pytest.mark.parametrize(
    "processor",
    [
        processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1)),
        processors.RobertaProcessing(("</s>", 6), ("<s>", 5)),
        processors.Sequence([processors.ByteLevel(trim_offsets=False), processors.BertProcessing(("b", 2), ("a", 1))]),
    ],
    ids=lambda p: type(p).__name__,
)
def test_post_processors(backend: Prepare, processor: Any) -> None:
    tokenizer = Tokenizer.from_str(word_piece().to_str())
    tokenizer.post_processor = processor
    same_as_tokenizers(backend, tokenizer, TEXTS)


def test_shapes(backend: Prepare) -> None:
    ids, mask = encode(backend, word_piece(), [["a", "b c d"], ["", "e"]])
    assert ids.shape == mask.shape == (2, 2, 5)
    assert mask.sum(axis=-1).tolist() == [[3, 5], [2, 3]]
    assert encode(backend, word_piece(), "a")[0].shape == (3,)
    assert encode(backend, word_piece(), np.zeros((0,), object))[0].shape == (0, 0)


def test_the_token_that_fills_is_named_by_tokenizer_config(backend: Prepare) -> None:
    x = np.array(["a", "b c"], dtype=object)
    for token in ("[PAD]", {"content": "[PAD]"}):
        config = json.dumps({"pad_token": token})
        ids, mask = encode(backend, config, x, tokenizer_vocab=word_piece().to_str())
        assert ids[0][mask[0] == 0].tolist() == [3]


BPE: dict[str, Any] = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}


def split_at(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def changed(change: Callable[[dict[str, Any]], Any]) -> str:
    document = json.loads(word_piece().to_str())
    change(document)
    return json.dumps(document)


REFUSALS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "map of characters": (
        lambda d: d.update(normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
        "precompiled_charsmap of tokenizer.json is of 3 bytes, with a trie of 0",
    ),
    "no base64": (
        lambda d: d.update(normalizer={"type": "Precompiled", "precompiled_charsmap": "A*"}),
        "precompiled_charsmap of tokenizer.json is not base64",
    ),
    "normalizer": (lambda d: d.update(normalizer={"type": "Precompiled2"}), 'a normalizer of type "Precompiled2"'),
    "pre-tokenizer": (lambda d: d.update(pre_tokenizer={"type": "Odd"}), 'a pre-tokenizer of type "Odd"'),
    "model": (lambda d: d["model"].update(type="Odd"), 'a model of type "Odd"'),
    "post-processor": (lambda d: d.update(post_processor={"type": "Odd"}), 'a post-processor of type "Odd"'),
    "unknown token": (lambda d: d["model"].update(unk_token="nobody"), "lacks its unk_token nobody"),
    "merge": (lambda d: d.update(model=BPE | {"merges": [["a", "c"]]}), 'not in its vocabulary: "a" and "c"'),
    "half a merge": (lambda d: d.update(model=BPE | {"merges": ["a"]}), "merge 0 of tokenizer.json is no pair"),
    "dropout": (lambda d: d.update(model=BPE | {"dropout": 0.1}), "a BPE model with dropout is not supported"),
    "score": (
        lambda d: d.update(model={"type": "Unigram", "unk_id": 0, "vocab": [["a"]]}),
        "entry 0 of the vocabulary",
    ),
    "no unknown": (lambda d: d.update(model={"type": "Unigram", "vocab": [["a", 0]]}), "without unk_id"),
    "group": (lambda d: d.update(pre_tokenizer=split_at("(?<=a)b")), "this kind of group is unknown, at byte 2"),
    "open": (lambda d: d.update(pre_tokenizer=split_at("a[b")), r"a \[ is not closed, at byte 3"),
    "property": (lambda d: d.update(pre_tokenizer=split_at(r"\p{Han}")), "this property is unknown, at byte 3"),
    "nothing": (lambda d: d.update(pre_tokenizer=split_at("(?:a?)*")), "what may match nothing is repeated"),
    "id": (lambda d: d["model"]["vocab"].update(z="1"), 'the id of "z" in the vocabulary'),
    "kind": (
        lambda d: d["normalizer"].update(lowercase=1),
        'member "lowercase" of tokenizer.json must be true or false',
    ),
    "no model": (lambda d: d.pop("model"), 'no member "model"'),
    "length": (lambda d: d.update(truncation={"max_length": 1}), "truncation to 1 tokens leaves no room for the 2"),
    "direction": (lambda d: d.update(truncation={"direction": "Up"}), 'must be Left or Right; it is "Up"'),
    "template": (lambda d: d["post_processor"].update(special_tokens={}), r'names the token "\[CLS\]" without id'),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_is_not_known_is_refused_when_the_model_is_loaded(backend: Prepare, name: str) -> None:
    change, words = REFUSALS[name]
    with pytest.raises((onnxlet.NotImplemented, onnxlet.InvalidGraph), match=words):
        encode(backend, changed(change), ["a"])


def test_damaged_json_says_where(backend: Prepare) -> None:
    with pytest.raises(onnxlet.InvalidArgument, match=r"tokenizer\.json is not JSON: a string has no end at character"):
        encode(backend, word_piece().to_str()[:100], ["a"])


# ---- BertTokenizer ----


def bert_tokenizer(backend: Prepare, texts: list[str], **more: Any) -> list[list[int]]:
    x = np.array(texts, dtype=object)
    vocab = word_piece().get_vocab()
    lines = "\n".join(sorted(vocab, key=lambda token: vocab[token]))
    outputs = [np.int64] * 3
    model = make_model("BertTokenizer", [x], outputs=outputs, domain=DOMAIN, vocab_file=lines, **more)
    return [np.asarray(y).tolist() for y in run(backend, model, [x])]


# The operator knows no special tokens in the text.
@pytest.mark.parametrize("text", [text for text in TEXTS if "[SEP]" not in text])
def test_bert_tokenizer(backend: Prepare, text: str) -> None:
    expected = word_piece().encode(text)
    assert bert_tokenizer(backend, [text], strip_accents=1) == [
        expected.ids,
        expected.type_ids,
        expected.attention_mask,
    ]


def test_bert_tokenizer_of_a_pair(backend: Prepare) -> None:
    first, second = TEXTS[2], TEXTS[3]
    expected = word_piece().encode(first, second)
    assert bert_tokenizer(backend, [first, second], strip_accents=1)[:2] == [expected.ids, expected.type_ids]
    ids, others = (word_piece().encode(text, add_special_tokens=False).ids for text in (first, second))
    assert bert_tokenizer(backend, [first, second], max_length=12)[0] == [1, *ids[:5], 2, *others[:4], 2]
    assert bert_tokenizer(backend, [first, "a"], max_length=6)[0] == [1, *ids[:2], 2, word_piece().token_to_id("a"), 2]
    assert bert_tokenizer(backend, ["", second]) == bert_tokenizer(backend, [second])


def test_bert_tokenizer_refusals(backend: Prepare) -> None:
    with pytest.raises(onnxlet.InvalidGraph, match="vocab_file lacks the token nobody"):
        bert_tokenizer(backend, ["a"], unk_token="nobody")
    with pytest.raises(
        onnxlet.NotImplemented, match="truncation_strategy_name must be longest_first; it is only_first"
    ):
        bert_tokenizer(backend, ["a"], truncation_strategy_name="only_first")
    with pytest.raises(onnxlet.Fail, match=r"text must be one or two strings; it has shape \[3\]"):
        bert_tokenizer(backend, ["a", "b", "c"])
