"""Forms in which texts are compared. They differ on purpose, and most of them are stored:

- `fold`: names for linking and search, without case, accents and punctuation; graphs store hashes of it. `name_form` is
  the same, but never empty.
- `fold_name`: keys of entities of documents; accents and signs such as those of «C++» stay, articles go.
- `search_words`: words of passages and questions; as `fold`, with pairs of characters where words have no spaces.
- `caseless`: words of a passage; only case and the variants of a letter are ignored.
- `normalize` and `answer_form`: answers, as published evaluations compare them.
- `letters_of`: names in queries that may be misspelt; without all signs and spaces.

A name is folded into *tokens*. In scripts without spaces between words (Han, kana, Hangul, Thai, Lao, Khmer, Myanmar)
every character is a token, so that a label can be found inside a sentence; their marks are kept. In other scripts
accents and the points of Hebrew and Arabic go, and vowel signs stay. A letter is folded to others if Unicode says so
(«ﬁ», «ß», letters of full width), or if it is a Latin letter that is commonly written so: «æ», «œ», «ø», «ł», «đ», «ð»,
«þ», «ħ», «ŧ», and the «ı» without a dot. «ä» is «a», not «ae». Characters that are not seen (soft hyphens, joiners,
marks of direction) and the stretched line of Arabic do not count; between Arabic letters a non-joiner ends a word.
All apostrophes, hyphens, dashes and spaces end a word.
"""

from __future__ import annotations

import re
import string
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from graphbrick.language.scripts import UNSPACED
from graphbrick.language.stop_words import ALL_ARTICLES, ARTICLES

_HALF_WIDTH = "\uff66-\uff9f"  # kana; the last two are marks of the one before
_BY_CHARACTER = UNSPACED + _HALF_WIDTH
_ONE_UNSPACED = re.compile(f"[{_BY_CHARACTER}]")
_APOSTROPHES = "\u02b9-\u02bf\u02c8\ua78b\ua78c"  # letters by the letter of Unicode, as the ʻokina of Hawaiʻi


def _characters(*blocks: tuple[int, int]) -> str:
    """Return blocks of characters, each from first to last, as they stand in a character class."""
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in blocks)


def marks(*blocks: tuple[int, int]) -> str:
    """Return the marks in blocks of characters, other than those of scripts that are folded by character.

    They are returned as ranges of a character class, which `re` compiles six times as fast as single characters.
    """
    characters = "".join(chr(code) for first, last in blocks for code in range(first, last + 1))
    found = [ord(c) for c in _ONE_UNSPACED.sub("", characters) if unicodedata.category(c)[0] == "M"]
    firsts = [code for before, code in pairwise([-2, *found]) if code != before + 1]
    lasts = [code for code, after in pairwise([*found, -2]) if after != code + 1]
    return _characters(*zip(firsts, lasts, strict=True))


# First and last of characters that are not seen, and the line that stretches Arabic words.
_UNSEEN = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x640, 0x640), (0x180B, 0x180E), (0x200B, 0x200B), (0x200D, 0x200F),
    (0x202A, 0x202E), (0x2060, 0x2064), (0x2066, 0x2069), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xE0100, 0xE01EF),
)  # fmt: skip
# First and last of characters that may be marks: accents and vowel signs that do not end a word.
_MARK_BLOCKS = (
    (0x300, 0x2100), (0xA660, 0xABFF), (0xFB1E, 0xFB1E), (0xFE20, 0xFE2F), (0x10A01, 0x10A3F), (0x11000, 0x11A9F),
)  # fmt: skip
_LETTER = rf"[^\W_{_BY_CHARACTER}{_APOSTROPHES}]"


@lru_cache(maxsize=1)
def _token() -> re.Pattern[str]:
    """Return the expression of a word; between Arabic letters the non-joiner is a space. All marks take 10 ms."""
    inside = rf"(?:[{marks(*_MARK_BLOCKS)}{_characters(*_UNSEEN)}]+|\u200c(?![\u0620-\u06ff]))"
    return re.compile(rf"{_LETTER}+(?:{inside}{_LETTER}*)*|[{UNSPACED}]|[\uff66-\uff9d][\uff9e\uff9f]?")


STROKES = {"ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ı": "i", "æ": "ae", "Æ": "ae"}
"""Letters that people write without the stroke or as two letters, but that Unicode does not decompose."""
_MORE_STROKES = {"œ": "oe", "Œ": "oe", "ð": "d", "Ð": "d", "þ": "th", "Þ": "th", "ħ": "h", "Ħ": "h", "ŧ": "t", "Ŧ": "t"}
# Vowel signs that Unicode gives a place like that of an accent: of Telugu and Tibetan.
_VOWEL_SIGNS = (0x0C55, 0x0C56, *range(0x0F71, 0x0F7E), 0x0F80, 0x0F81)
_DASHES, _SINGLE, _DOUBLE = (
    "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    "\u2018\u2019\u201a\u00b4",
    "\u201c\u201d\u201e\u00ab\u00bb",
)
_ALIKE = {
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_SINGLE, "'"),
    **dict.fromkeys(_DOUBLE, '"'),
    "\u266f": "#",
}
_ASCII_TOKEN = re.compile(r"[A-Za-z0-9]+")

_EDGE = re.compile(r"^[\W_]+|(?<=[^\W_])([+#]{0,2})[\W_]*$")  # its group are signs that stay, as of «C++» and «C#»
_POSSESSIVE = re.compile("'s?$")
# Programs write these signs one way or the other, and put soft hyphens and marks without width into words.
_SIGNS: dict[int, int | None] = {
    **str.maketrans("‘’ʼ‐‑–", "'''---"),
    **dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff")),
}
_LONGEST_NAME = 100  # characters
_REMEMBERED = 1 << 16  # names whose key is not worked out again
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(rf"\b(?:{'|'.join(ARTICLES['english'])})\b")


class Bare(dict[int, int | str | None]):
    """Table for `str.translate` that drops combining characters, apart from the letters it is made with."""

    def __missing__(self, code: int) -> int | None:
        result = self[code] = None if unicodedata.combining(chr(code)) else code
        return result


_GONE = dict.fromkeys(code for first, last in (*_UNSEEN, (0x200C, 0x200C)) for code in range(first, last + 1))
_BARE = Bare({ord(letter): plain for letter, plain in (STROKES | _MORE_STROKES).items()})
_BARE.update({code: code for code in _VOWEL_SIGNS} | _GONE)


class Token(NamedTuple):
    """A folded word and its character offsets [start, end) in the NFC text."""

    text: str
    start: int
    end: int


def nfc(text: str) -> str:
    """Return the text in Unicode form NFC, which token offsets refer to."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold_token(token: str) -> str:
    """Return a word without case and accents; empty if it has no letter or digit.

    >>> fold_token("Élodie"), fold_token("Straße"), fold_token("Tromsø")
    ('elodie', 'strasse', 'tromso')
    """
    if token.isascii():
        return token.lower()
    if _ONE_UNSPACED.match(token):
        return unicodedata.normalize("NFKC", token)
    bare = unicodedata.normalize("NFKD", token).translate(_BARE)
    # Some single characters decompose into several words.
    return "".join(unicodedata.normalize("NFC", bare.casefold()).split())


def tokens(text: str) -> list[Token]:
    """Return the folded words of an NFC text in order, with their offsets.

    >>> [t.text for t in tokens("Kenya's capital, São Tomé: 内罗毕")]
    ['kenya', 's', 'capital', 'sao', 'tome', '内', '罗', '毕']
    """
    if text.isascii():
        return [Token(m.group().lower(), m.start(), m.end()) for m in _ASCII_TOKEN.finditer(text)]
    return [Token(word, m.start(), m.end()) for m in _token().finditer(text) if (word := fold_token(m.group()))]


def fold(text: str) -> str:
    """Return the folded words of a text joined by single spaces; empty if it has no letter or digit.

    >>> fold("  The  Sound—of MUSIC! ")
    'the sound of music'
    """
    if text.isascii():
        return " ".join(_ASCII_TOKEN.findall(text.lower()))
    return " ".join(filter(None, map(fold_token, _token().findall(nfc(text)))))


def search_words(text: str) -> list[str]:
    """Return the folded words of a text for a search by words.

    In scripts without spaces they are the characters and the pairs of neighbours, as few words have one character.

    >>> search_words("São Tomé, 图书馆")
    ['sao', 'tome', '图', '书', '馆', '图书', '书馆']
    """
    if text.isascii() or not _ONE_UNSPACED.search(text):
        return fold(text).split()
    words = tokens(nfc(text))
    neighbours = ((one, other) for one, other in pairwise(words) if one.end == other.start)
    pairs = [f"{one.text}{other.text}" for one, other in neighbours if _is_pair(one.text, other.text)]
    return [word.text for word in words] + pairs


def _is_pair(one: str, other: str) -> bool:
    return bool(_ONE_UNSPACED.match(one) and _ONE_UNSPACED.match(other))


def name_form(name: str) -> str:
    """Return the form under which a name is indexed: folded, or its signs if folding leaves nothing.

    >>> name_form("São Tomé!"), name_form(" !!! "), name_form("\uff0b")
    ('sao tome', '!!!', '+')
    """
    return fold(name) or " ".join(plain_signs(nfc(name).translate(_GONE)).split())


def plain_signs(signs: str) -> str:
    """Return signs with one form for those that look alike, such as dashes and minus; each stays one character.

    >>> plain_signs("\u2212\u2019\uff0b")
    "-'+"
    """
    return signs if signs.isascii() else "".join(map(_plain_sign, signs))


@lru_cache(maxsize=1024)
def _plain_sign(sign: str) -> str:
    wide = unicodedata.normalize("NFKC", sign)
    sign = wide if len(wide) == 1 else sign
    return _ALIKE.get(sign, sign)


@lru_cache(maxsize=_REMEMBERED)
def fold_name(name: str) -> str:
    """Return the key of a name without case, article, possessive or Unicode variants; empty for none.

    Letters of an abbreviation, as in «UN Women», are no article.

    >>> fold_name("The Kenyan  Shilling’s"), fold_name("ＵＮ"), fold_name("UN Women"), fold_name("C++")
    ('kenyan shilling', 'un', 'un women', 'c++')
    """
    words = _EDGE.sub(r"\1", unicodedata.normalize("NFKC", name).translate(_SIGNS)).split()
    while len(words) > 1 and _is_article(words[0], words[1:]):
        words = words[1:]
    key = _POSSESSIVE.sub("", " ".join(words).casefold().replace("i\u0307", "i"))  # of the Turkish İ
    return key if len(key) <= _LONGEST_NAME and any(letter.isalpha() for letter in key) else ""


def _is_article(word: str, rest: list[str]) -> bool:
    """Return whether a name begins with an article; in capitals only if all words are in capitals."""
    folded = word.casefold()
    if folded not in ALL_ARTICLES:
        return False
    is_abbreviation = len(word) > 1 and word.isupper() and folded not in ARTICLES["english"]
    return not is_abbreviation or all(other.isupper() and len(other) > 1 for other in rest)


def caseless(text: str) -> str:
    """Return a text without case, and with one letter for its variants, such as letters of full width.

    >>> caseless("Straße"), caseless("ＵＮ"), caseless("Élodie")
    ('strasse', 'un', 'élodie')
    """
    return unicodedata.normalize("NFKC", text).casefold()


def letters_of(name: str) -> str:
    """Return the letters and digits of a name without case and accents; the name if it has none.

    >>> letters_of("DIRECTED_BY"), letters_of("São Tomé"), letters_of("->")
    ('directedby', 'saotome', '->')
    """
    letters = unicodedata.normalize("NFKD", name).casefold()  # accents become marks of their own, which are no letters
    return "".join(letter for letter in letters if letter.isalnum()) or name


def normalize(text: str) -> str:
    """Return a text as the scorers of RoG and LEGO-GraphRAG normalise it; may be empty.

    The result is in lower case, without ASCII punctuation, without the words a, an and the, and with single spaces.
    Words joined by a hyphen or a slash become one word.

    >>> normalize(" The  Sound of MUSIC! "), normalize("Spider-Man"), normalize("!!!")
    ('sound of music', 'spiderman', '')
    """
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_WITHOUT_PUNCTUATION)).split())


def answer_form(text: str) -> str:
    """Return the form that identifies an answer: normalised, or lower case if that is empty.

    >>> answer_form("The Beatles"), answer_form("The The"), answer_form("???"), answer_form("  ")
    ('beatles', 'the the', '???', '')
    """
    composed = nfc(text)
    return normalize(composed) or " ".join(composed.lower().split())


EDIT_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789 "
"""Characters that a typing error puts into a folded name; a space splits a word."""


def one_edits(folded: str) -> list[str]:
    """Return every text that is one typing error away from a folded name.

    First those with one character inserted, then with one replaced, with one left out, and with two neighbours swapped
    (Damerau, A technique for computer detection and correction of spelling errors, CACM 1964).

    >>> "kenya" in one_edits("kneya"), "spider man" in one_edits("spiderman"), "peru" in one_edits("preu")
    (True, True, True)
    """
    places = range(len(folded))
    texts = [folded[:i] + letter + folded[i:] for i in range(len(folded) + 1) for letter in EDIT_LETTERS]
    texts += [folded[:i] + letter + folded[i + 1 :] for i in places for letter in EDIT_LETTERS]
    texts += [folded[:i] + folded[i + 1 :] for i in places]
    texts += [folded[:i] + folded[i + 1] + folded[i] + folded[i + 2 :] for i in places[:-1]]
    return [" ".join(text.split()) for text in texts]
