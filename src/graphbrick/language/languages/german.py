"""What German words share with their other forms."""

from __future__ import annotations

from functools import lru_cache

from graphbrick.language.expressions.expression import Expression

_GERMAN_ENDINGS = (
    "ungen", "ung", "heit", "lich", "isch", "bar", "et", "en", "er", "em", "es", "st", "e", "n", "s", "t",
)  # fmt: skip
_SHORTEST_GERMAN = 4  # letters
_PARTICIPLE = Expression(
    r"^(ab|an|auf|aus|ein|um|vor|zu|frei|mit|nach|weg|los|bei|be|ver|(?=ge\w{5}))ge(?=\w{3})"
)  # «ab-ge-schalt»


@lru_cache(maxsize=65_536)
def german_root(word: str) -> str:
    """Return the part that a folded German word shares with its other forms and with derived nouns.

    >>> german_root("abgeschaltet") == german_root("abschalten"), german_root("anmeldungen") == german_root("anmelden")
    (True, True)
    >>> german_root("freigegeben"), german_root("gebuhren"), german_root("offnungszeiten")
    ('freigeb', 'gebuhr', 'offnungszeit')
    """
    for ending in _GERMAN_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_GERMAN:
            word = word[: -len(ending)]
            break
    return _PARTICIPLE.sub(r"\1", word)
