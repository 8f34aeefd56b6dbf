"""Superscripts and subscripts as plain text, so that 2 to the power of 64 is not read as the number 264."""

from __future__ import annotations

import re

SUPERSCRIPT, SUBSCRIPT, MARK_END = "\2", "\3", "\4"
"""Marks around a raised or lowered part of a text; no file of markup may hold them."""

_SUPERSCRIPTS = str.maketrans("0123456789+-−–=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿⁱ")
_SUBSCRIPTS = str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
# Ends of ordinal numbers and abbreviations, which are words without a raise: «1st», «XXe», «no», «Mlle», «TM».
_WORD_ENDS = frozenset(
    "st nd rd th er ers re res ère ères e es eme ème èmes ieme ième nde o os a as te ste me mes lle lles gr tm sm "
    "ª º".split()
)
_LONGEST = 24  # characters; what is longer is small print
_INNER = f"[^{SUPERSCRIPT}{SUBSCRIPT}{MARK_END}]*"
_MARKED = re.compile(f"([{SUPERSCRIPT}{SUBSCRIPT}])({_INNER}){MARK_END}")
_TOUCHING = re.compile(f"([{SUPERSCRIPT}{SUBSCRIPT}])({_INNER}){MARK_END}\\1")
_TAG = re.compile(r"<(su[pb])(?:\s[^<>]*)?>([^<>\n]{1,80})</\1>", re.IGNORECASE)
CODE = re.compile(
    r"^ {0,3}(```+|~~~+)[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)|(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)\2(?!`)",
    re.MULTILINE | re.DOTALL,
)
"""Code in a Markdown text: blocks between fences, and spans."""


def superscript(text: str) -> str:
    """Return a superscript as plain text.

    >>> superscript("64"), superscript("31-1"), superscript("th"), superscript("k+1"), superscript("*")
    ('⁶⁴', '³¹⁻¹', 'th', '^(k+1)', '*')
    """
    return _plain(text, _SUPERSCRIPTS, "^", _WORD_ENDS)


def subscript(text: str) -> str:
    """Return a subscript as plain text.

    >>> subscript("2"), subscript("max")
    ('₂', '_(max)')
    """
    return _plain(text, _SUBSCRIPTS, "_", frozenset())


def _plain(text: str, signs: dict[int, int], mark: str, words: frozenset[str]) -> str:
    """Return a part in raised or lowered signs if all have one, else in brackets after a mark."""
    inner = text.strip()
    if not any(sign.isalnum() for sign in inner) or inner[0] in "[*†‡" or len(inner) > _LONGEST:
        return text  # a sign such as ®, a mark of a note, or small print
    if inner.strip(".").casefold() in words:
        return text
    plain = inner.replace(" ", "").translate(signs) if all(ord(sign) in signs for sign in inner if sign != " ") else ""
    around = text.partition(inner)
    return f"{around[0]}{plain or f'{mark}({inner})'}{around[2]}"


def without_marks(text: str) -> str:
    """Return a text with its marked parts as plain text; parts that touch are one.

    >>> without_marks(f"2{SUPERSCRIPT}6{MARK_END}{SUPERSCRIPT}4{MARK_END}")
    '2⁶⁴'
    """
    return _replaced(_MARKED, SUPERSCRIPT, _replaced(_TOUCHING, "", text)) if MARK_END in text else text


def without_tags(text: str) -> str:
    """Return a Markdown text with ``<sup>`` and ``<sub>`` as plain text, but for code and what holds other elements.

    >>> without_tags("2<sup>64</sup>, H<sub>2</sub>O, `a<sup>2</sup>`, see<sup><a href='#fn1'>1</a></sup>")
    "2⁶⁴, H₂O, `a<sup>2</sup>`, see<sup><a href='#fn1'>1</a></sup>"
    """
    if "</su" not in text.casefold():
        return text
    parts, start = [], 0
    for code in CODE.finditer(text):
        parts += [_replaced(_TAG, "sup", text[start : code.start()]), code[0]]
        start = code.end()
    return "".join([*parts, _replaced(_TAG, "sup", text[start:])])


def _replaced(pattern: re.Pattern[str], raise_: str, text: str) -> str:
    """Return a text in which what a pattern finds is plain, the inner parts first.

    Args:
        pattern: Its groups are what begins a part, and the part.
        raise_: What begins a superscript; empty to join parts that touch.
        text: The text.
    """
    before = ""
    while text != before:
        before = text
        if raise_:
            text = pattern.sub(lambda m: (superscript if m[1].casefold() == raise_ else subscript)(m[2]), text)
        else:
            text = pattern.sub(r"\1\2", text)
    return text
