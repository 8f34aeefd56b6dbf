from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphbrick.language.folding import (
    extend_span,
    fold,
    hash64,
    nfc,
    span_hash,
    token_hashes,
    tokens,
    trigrams,
)

NAMES = [
    # case, punctuation, apostrophes
    ("The Sound of Music", "the sound of music"),
    ("  The  Sound—of\tMUSIC! ", "the sound of music"),
    ("Kenya's", "kenya s"),
    ("Kenya’s", "kenya s"),
    ("O'Neill", "o neill"),
    ("snake_case-name", "snake case name"),
    ("AC/DC (band)", "ac dc band"),
    ("8½", "81⁄2"),
    ("U.S.A.", "u s a"),
    ("", ""),
    ("?!…—_", ""),
    # accents, and letters that fold to others
    ("Élodie", "elodie"),
    ("São Tomé", "sao tome"),
    ("Straße", "strasse"),
    ("STRASSE", "strasse"),
    ("GROẞ", "gross"),
    ("İstanbul", "istanbul"),
    ("Diyarbakır", "diyarbakir"),  # a dot less is no other name
    ("Ångström", "angstrom"),
    ("Ａｌｐｈａ", "alpha"),
    ("ﬁnal", "final"),
    ("ΑΘΉΝΑ", "αθηνα"),
    ("Σίσυφος", "σισυφοσ"),
    ("Москва́", "москва"),
    ("Йошкар", "иошкар"),
    # accents that have no ready-made letter stay part of the word
    ("Ọ̀ṣun", "osun"),
    ("m̂a", "ma"),
    ("ɔ̃ɲɔ", "ɔɲɔ"),
    # scripts with vowel signs
    ("हिन्दी", "हिनदी"),
    ("தமிழ்", "தமிழ"),
    ("שָׁלוֹם", "שלום"),
    ("مُحَمَّد", "محمد"),
    # scripts without spaces: a token a character, marks kept
    ("内罗毕", "内 罗 毕"),
    ("内罗毕capital", "内 罗 毕 capital"),
    ("ガッツ", "ガ ッ ツ"),
    ("カッツ", "カ ッ ツ"),
    ("서울", "서 울"),
    ("กุ้ง", "ก ุ ้ ง"),
    ("東京, 2020年", "東 京 2020 年"),
    ("\U00020bb7野家", "\U00020bb7 野 家"),
    # one character that stands for several words
    ("\ufdfa", "صلىاللهعليهوسلم"),
]


@pytest.mark.parametrize(("name", "folded"), NAMES)
def test_fold(name: str, folded: str) -> None:
    assert fold(name) == folded


@pytest.mark.parametrize("name", [name for name, _ in NAMES])
def test_composed_and_decomposed_fold_alike(name: str) -> None:
    assert fold(unicodedata.normalize("NFD", name)) == fold(unicodedata.normalize("NFC", name)) == fold(name)


@pytest.mark.parametrize(
    ("one", "other"), [("ガ", "カ"), ("ปู", "ปี"), ("The Hours", "Hours The"), ("12", "1 2"), ("大阪", "阪大")]
)
def test_what_is_not_the_same(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def test_tokens_know_where_they_stand() -> None:
    text = nfc("Is Sa\u0303o Tome\u0301's capital 内罗毕, or กุ้ง?")
    surfaces = [text[token.start : token.end] for token in tokens(text)]
    assert surfaces == ["Is", "São", "Tomé", "s", "capital", "内", "罗", "毕", "or", "ก", "ุ", "้", "ง"]


def test_a_word_of_marks_only_is_no_token() -> None:
    assert tokens("ﾞ a") == tokens("  a")  # the mark of a half-width kana alone


def rolling(words: list[str]) -> int:
    span = np.zeros(1, dtype=np.uint64)
    for value in token_hashes(words):
        span = extend_span(span, np.array([value]))
    return int(span[0])


ANY_TEXT = st.text(st.characters(), max_size=30)
LETTERS = st.text(st.sampled_from("aA éÉßİıœ'’-_.½ﬁｶﾞガกุ้內서हि\u0301\u0300\u0323\u3099\ufdfa\u037aŉ\ud800"), max_size=12)


@given(text=ANY_TEXT | LETTERS)
@example(text="กุ้ง")
@example(text="\ufdfa")
def test_tokens_fold_and_hashes_agree(text: str) -> None:
    words = [token.text for token in tokens(nfc(text))]
    folded = fold(text)
    assert " ".join(words) == folded
    assert folded.split() == folded.split(" ") == words or not words
    assert all(words)
    assert span_hash(folded) == rolling(words)


@given(text=ANY_TEXT | LETTERS)
def test_tokens_are_in_order_and_do_not_overlap(text: str) -> None:
    composed = nfc(text)
    ends = [0]
    for token in tokens(composed):
        assert ends[-1] <= token.start < token.end <= len(composed)
        ends.append(token.end)


@given(text=ANY_TEXT | LETTERS)
def test_the_form_of_the_text_does_not_count(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)) == fold(text)


@given(words=st.lists(st.text(min_size=1, max_size=5).filter(lambda w: w.split() == [w]), max_size=6))
def test_span_hash_is_the_rolling_hash(words: list[str]) -> None:
    assert span_hash(" ".join(words)) == rolling(words)


def test_extend_span_goes_element_by_element() -> None:
    words = ["the", "sound", "of", "music", "the", "sound"]
    hashes = token_hashes(words)
    spans = np.zeros(len(words), dtype=np.uint64)
    for length in (1, 2, 3):
        starts = len(words) - length + 1
        spans = extend_span(spans[:starts], hashes[length - 1 :])
        assert spans.tolist() == [span_hash(" ".join(words[i : i + length])) for i in range(starts)]


def test_span_hash_knows_the_order() -> None:
    assert len({span_hash(text) for text in ("a b", "b a", "ab", "a", "b", "a a", "")}) == 7
    assert span_hash("") == 0


def test_hashes_are_the_same_everywhere() -> None:
    # They are stored on disk: another value means that no graph built before is readable.
    assert hash64("Kenya") == 0xB82AB87129D2D374
    assert hash64("Zoë \ud800") == 0x74C36A8839786C1D
    assert span_hash("sao tome") == 0x575DB2B295271389


def packed(gram: str) -> int:
    first, second, third = map(ord, gram)
    return (first << 42) | (second << 21) | third


def test_trigrams() -> None:
    assert trigrams("peru") == {packed(" pe"), packed("per"), packed("eru"), packed("ru ")}
    assert trigrams("a b") == {packed(" a "), packed("a b"), packed(" b ")}
    assert len(trigrams("aaaa")) == 3  # each once
    assert trigrams("") == set()
    assert all(0 <= gram < 2**63 for gram in trigrams("\U0010ffff" * 4))
