"""Folding as it was when older graph folders were built; their indexes of names hold hashes of these forms.

It differs from `graphbrick.language.folding` in rare characters only, such as soft hyphens and «œ».
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from graphbrick.language.folding import STROKES, Bare, Token, marks, nfc
from graphbrick.language.scripts import UNSPACED

_ONE_UNSPACED = re.compile(f"[{UNSPACED}]")
_BARE = Bare({ord(letter): plain for letter, plain in STROKES.items()})


@cache
def _token() -> re.Pattern[str]:
    """Return the pattern of a word; it is rarely needed."""
    return re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])[^\W_][{marks((0x300, 0x2100))}]*)+")


def _fold_token(token: str) -> str:
    if _ONE_UNSPACED.fullmatch(token):
        return unicodedata.normalize("NFKC", token)
    bare = unicodedata.normalize("NFKD", token).translate(_BARE)
    return "".join(unicodedata.normalize("NFC", bare.casefold()).split())


def tokens_before(text: str) -> list[Token]:
    """Return the folded words of an NFC text in order, with their offsets."""
    folded = ((_fold_token(m.group()), m) for m in _token().finditer(text))
    return [Token(word, m.start(), m.end()) for word, m in folded if word]


def form_before(name: str) -> str:
    """Return the form under which a name was indexed.

    >>> form_before("ho\u00adnig"), form_before("Œuvre")
    ('ho nig', 'œuvre')
    """
    text = nfc(name)
    return " ".join(word for word, _, _ in tokens_before(text)) or " ".join(text.split())
