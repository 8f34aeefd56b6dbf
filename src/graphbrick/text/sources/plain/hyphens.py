"""Words that are cut at the ends of lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_CUT = re.compile(r"(?:^|[^\w-]|[\d_])(?P<word>(?:[^\W\d_]+-)*[^\W\d_]+)[-‐]\Z")
_REST = re.compile(r"(?P<space>[ \t]*)(?P<word>[^\W\d_]+)(?P<after>\S*)(?P<rest>.*)\Z", re.DOTALL)
_CUT_OVER_LINES = re.compile(r"(?P<first>[^\W\d_]+(?:-[^\W\d_]+)*)[-‐]\n(?P<second>[^\W\d_]+)")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LEAST_LINE = 20  # characters of a line that is full
_LEAST_CUT = 5  # words that are known whole, from which a text is one whose words are cut
_ALONE = frozenset("and or nor to und oder bis et ou y o och eller".split())  # after «two-», «Vor-»


def joined_words(lines: Sequence[str]) -> list[str]:
    """Return lines in which words that were cut at the ends of lines are whole.

    A word is whole without its hyphen if it stands so elsewhere, and with it if it stands so. Any other is whole
    without it, before a small letter, in a text in which most of such words are known.
    """
    cuts = [
        (i, cut, rest)
        for i, (line, after) in enumerate(pairwise(lines))
        if line.endswith(("-", "‐")) and len(line.strip()) >= _LEAST_LINE
        if (cut := _CUT.search(line)) is not None and (rest := _REST.match(after)) is not None
    ]
    if not cuts:
        return list(lines)
    known = {word.casefold() for line in lines for word in _WORD.findall(line)}
    kinds = [_kind(cut["word"], rest["word"], known) for _, cut, rest in cuts]
    is_cut = kinds.count("") >= _LEAST_CUT and 2 * kinds.count("") >= len(kinds)
    whole = list(lines)
    for (i, _, _), kind in zip(cuts, kinds, strict=True):
        rest = _REST.match(whole[i + 1])
        if rest is None or (kind is None and (not is_cut or rest["word"] in _ALONE)):
            continue
        between = kind if kind is not None else "" if rest["word"][0].islower() else "-"
        whole[i] = f"{whole[i][:-1]}{between}{rest['word']}{rest['after']}"
        whole[i + 1] = f"{rest['space']}{rest['rest'].lstrip(' ')}" if rest["rest"].strip() else "\0"
    return [line for line in whole if line != "\0"]


def rejoined(texts: Sequence[str]) -> list[str]:
    """Return texts in which words that were cut at the ends of lines are whole, as in a PDF.

    A compound keeps its hyphen where the texts have it with one elsewhere, and not without, and so does what goes on
    with a capital; all others have none.

    >>> rejoined(["A read-\\nonly port, a harb-\\nour and a North-\\nSouth line.", "It is read-only."])[0]
    'A read-only port, a harbour and a North-South line.'
    """
    known = {word.casefold() for text in texts for word in _WORD.findall(_CUT_OVER_LINES.sub(" ", text))}

    def whole(cut: re.Match[str]) -> str:
        first, second = cut["first"], cut["second"]
        kind = _kind(first, second, known)
        between = kind if second[0].islower() and kind is not None else "" if second[0].islower() else "-"
        return f"{first}{between}{second}"

    return [_CUT_OVER_LINES.sub(whole, text) for text in texts]


def _kind(first: str, second: str, known: set[str]) -> str | None:
    """Return what stands between the parts of a word elsewhere: nothing, or a hyphen; None for nowhere."""
    last = first.rpartition("-")[2]
    if f"{last}{second}".casefold() in known or f"{first}{second}".casefold() in known:
        return ""
    return "-" if f"{first}-{second}".casefold() in known else None
