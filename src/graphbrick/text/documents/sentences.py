"""The sentences of a text, by rules that hold for many languages.

Marks that end sentences are common to most scripts; the abbreviations are those of European languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from graphbrick.language.expressions.expression import Expression
from graphbrick.language.scripts import HAN, HANGUL, KANA, KHMER, MYANMAR, THAI_AND_LAO

# A token is a word, a sign, or one character of a script without spaces. A word without end, such as encoded data, is
# many tokens, so that no passage is longer than it should be.
TOKEN = Expression(rf"[{THAI_AND_LAO}{MYANMAR}{KHMER}{KANA}{HAN}{HANGUL}]|\w{{1,40}}|[^\w\s]")
_CLOSING = "\"'”’»)\\]"
_END = Expression(
    rf"(?P<mark>[.!?…؟۔።])[.!?…؟{_CLOSING}*_]*(?P<space>\s+)|[。！？｡]+[」』”’）]*|[।॥]\s*|(?P<line>[^\S\n]*\n\s*)"
)
_WORD_BEFORE = Expression(r"[\w.&/§]*\w\Z")
_LOOK_BACK = 30  # characters: no abbreviation is longer
_ITEM = Expression(r"[-*+](?=\s)|[#|>•▪◦–]|\d{1,3}[.)]\s")
_NAME = Expression(  # of a variable, an option
    r"(?=[\w-]{1,40}[._]\w)[^\W\d_][\w.-]{1,80}[ \t]+\S|--?[^\W\d_][\w-]{0,40}[ \t=]"
    r"|[^\W\d_][\w.+-]{1,40}[ \t]+[-–—][ \t]+\S"  # «hp-levels - displays the level of ink»
)
_LINK_OVER_LINES = Expression(r"\[[^\[\]\n]{0,200}\n[^\[\]\n]{0,200}\]\([^()\s]*\)")
_CELLS = Expression(r" \| |(?<=\S)\t+(?=\S)|\A\|.*\|")  # between the cells of a row of a table, which is a line
_CODE_SPAN = Expression(r"`[^`\n]*`")
_SHORT_LINE = 50  # characters: text that goes on in the next line fills its lines
_LEAST_LINE = 20  # characters of a line that goes on where the next one begins with a small letter
_LONGEST_JOINED = 1_000  # characters of a sentence that lines are joined to, so that a list of words stays a list
_PATH_SIGNS = frozenset(">→➔➜▸►⇒/=+&")  # no sentence begins with these, as in «Settings > Options... > Colours»
# No sentence ends with these.
_NEVER_LAST = frozenset(
    # English and German
    "mr mrs ms dr st prof rev hon gen col capt lt sgt sen rep gov pres mt ft messrs vs cf eg ie viz approx appr resp "
    "hr fr dipl ing bzw ca evtl ggf inkl exkl zzgl bspw vgl sog insb einschl gem lt insbes "
    # Russian and Ukrainian
    "см ср напр гр проф акад им тыс млн млрд ул просп див тобто доц вул грн "
    # Polish, Czech and Dutch
    "np tzn tzw tj m.in ul inż płk mjr zob např tzv srov popř příp tzn bijv mevr drs evt "
    # Italian, Portuguese, Spanish and French
    "sig dott dott.ssa prof.ssa avv cfr p.es sr sra srta dra exmo p.ex p.ej ud uds dto dña mme mlle".split()
)
# A number that follows belongs to them.
_BEFORE_NUMBER = frozenset(
    "no nos nr vol vols p pp fig figs eq sec art arts ch chap par para paras cl reg ref app ex tab pt op ed abs abb "
    "bd ziff kap rn rdnr anm az tel hs zi hausnr jan feb mar apr jun jul aug sep sept oct nov dec jän mär mai okt dez "
    "стр рис табл гл разд пп ст вып илл прим тел мал str rys rozdz pkt ust poz obr čís odst př blz afb hfst pag pagg "
    "fasc cap capp tav artt pág págs núm núms fíg tít".split()
)
_AFTER_ORDINAL = Expression(
    r"(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrhundert|Lebensjahr|Weltkrieg|Auflage|Tag|Monat|Woche)"
)


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the range of each sentence or line of a text, without white space around it.

    A sentence goes on before a small letter, after an abbreviation («Dr.», «approx.», «Abs. 2»), and over the ends of
    full lines. Short lines, headings, items of lists and rows of tables are sentences of their own.

    >>> [text[a:b] for text in ["It rained. He left!"] for a, b in sentences(text)]
    ['It rained.', 'He left!']
    """
    return list(sentence_ranges(text, 0, len(text)))


def sentence_ranges(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the sentences between two offsets, as `sentences` does."""
    return trimmed_ranges(text, (start, *_ends(text, start, end), end))


def trimmed_ranges(text: str, bounds: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield the ranges between bounds without white space around them; those without a token are left out."""
    for start, end in pairwise(bounds):
        part = text[start:end]
        first = start + len(part) - len(part.lstrip())
        last = first + len(part.strip())
        if first < last and TOKEN.search(text, first, last):
            yield first, last


def _ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offset after each end of a sentence and the white space behind it."""
    begin = start
    rows: dict[int, bool] = {}  # whether a line is a row of a table, by its first character
    links = [match.span() for match in _LINK_OVER_LINES.finditer(text, start, end)]
    for match in _END.finditer(text, start, end):
        if any(first < match.start() < last for first, last in links):
            continue
        space = match["space"] or match["line"]
        goes_on = match["mark"] is not None and _goes_on(text, match)
        is_end = match["line"] is None and not goes_on
        if is_end and "\n" not in match[0] and _is_in_row(text, match.start(), rows):
            continue
        if is_end or (space and "\n" in space and _line_ends(text, begin, match, space, goes_on=goes_on)):
            begin = match.end()
            yield begin


def _is_in_row(text: str, place: int, rows: dict[int, bool]) -> bool:
    """Return whether a place is in a row of a table: the line above or below has cells too, or is not there.

    Args:
        text: The text.
        place: The place.
        rows: What is known of lines, by their first characters.
    """
    first = text.rfind("\n", 0, place) + 1
    if first not in rows:
        last = _line_end(text, first)
        rows[first] = _has_cells(text[first:last]) and (
            (first == 0) != (last == len(text))
            or (first > 0 and _has_cells(text[text.rfind("\n", 0, first - 1) + 1 : first - 1]))
            or _has_cells(text[last + 1 : _line_end(text, last + 1)])
        )
    return rows[first]


def _is_row_of_names(text: str, head: int, start: int) -> bool:
    """Return whether a line begins with a name, as rows of a table without bars do: so does the one before or after it.

    Args:
        text: The text.
        head: Offset of the line before.
        start: Offset of the line.
    """
    if _NAME.match(text, start) is None:
        return False
    after = _line_end(text, start) + 1
    return _NAME.match(text, head) is not None or _NAME.match(text, after) is not None


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


def _has_cells(line: str) -> bool:
    """Return whether a line has cells, with bars or tabs between them; bars in code are none."""
    return ("|" in line or "\t" in line) and _CELLS.search(_CODE_SPAN.sub("`", line.strip())) is not None


def _goes_on(text: str, match: re.Match[str]) -> bool:
    """Return whether a mark such as a dot stands inside a sentence."""
    after = text[match.end() : match.end() + 1]
    if after.islower() or (after in _PATH_SIGNS and "\n" not in match[0]):
        return True
    if match["mark"] != ".":
        return False
    before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
    found = _WORD_BEFORE.search(before)
    word = found[0].casefold() if found else ""
    if len(word) == 1 and not word.isdigit():  # an initial
        return word.isalpha()
    if word.isdigit():
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip(" \t>*_")
        is_item = line == word and len(word) <= 3
        return is_item or (len(word) <= 2 and bool(_AFTER_ORDINAL.match(text, match.end())))
    parts = word.split(".")
    if len(parts) > 1 and all(len(part) == 1 for part in parts):  # «U.S.», «z.B.»
        return True
    return word in _NEVER_LAST or (word in _BEFORE_NUMBER and (after.isdigit() or after in ("§", "#")))


def _line_ends(text: str, begin: int, match: re.Match[str], space: str, *, goes_on: bool) -> bool:
    """Return whether the end of a line ends a sentence."""
    if space.count("\n") > 1:
        return True
    head = text.rfind("\n", 0, match.start()) + 1
    before = text[head : match.start()]
    if _ITEM.match(text, match.end()) or before.lstrip().startswith(("|", "#")):
        return True
    if _has_cells(before) or _has_cells(text[match.end() : _line_end(text, match.end())]):
        return True
    if _is_row_of_names(text, head, match.end()):
        return True
    if match.end() - head - len(space) >= _SHORT_LINE:
        return False
    is_open = before[-1:].isalpha() or before[-1:] in (",", "-")
    after = text[match.end() : match.end() + 1]
    goes_on = goes_on or (is_open and (after.islower() or after == "("))
    return not (goes_on and len(before) >= _LEAST_LINE and match.start() - begin < _LONGEST_JOINED)
