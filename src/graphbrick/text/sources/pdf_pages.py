"""The pages of a PDF as one text: without running headers, footers and page numbers, and with whole sentences."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graphbrick.text.documents.document import Heading
from graphbrick.text.documents.sentences import sentence_ranges

_APART = "\n\n"  # between two pages where no sentence goes on
PAGE_LEVEL = 9
"""Level of the heading that a page is; entries of the outline are above it."""

_EDGE = 5  # lines at the top and at the bottom of a page that may be running ones
_NEAR = 2  # pages before and after in which a running line of a chapter stands
_LEAST_FULL = 0.8  # of the width of a page: a line that is as long goes on in the next one
_LEAST_WIDTH = 12  # characters of a line that goes on, as Chinese lines are short
_SHOWN = 3  # running lines that a note names
_NUMBER = re.compile(r"[0-9]{1,6}")
_ROMAN = re.compile(r"[ivxlc]{1,7}")
_AROUND = "-–—[]() \t"  # signs around the number of a page
_PAGE_WORDS = frozenset(
    "page pages pg p of seite seiten s von pagina página páginas pág pag de sur di sida side sid av af strona str z "
    "oldal sivu stránka страница стр из сторінка з 第 页 頁 共 ページ 쪽 페이지 صفحة من".split()
)
_APOSTROPHE = re.compile(r"\\?['’‘`´]")
_TITLE_NUMBER = r"(?:[^\W\d_]{3,12}\s+)?(?:\d{1,3}|[A-Z]|[IVXLC]{1,7})(?:\.\d{1,3}){0,5}[.:)]?\s+"  # «Chapter 3», «A.2»
_TITLE_END = r"\s*[.:]?[ \t]*$"
_NAME = re.compile(r"[^\W\d_]{4}|[\u3040-\u9fff\uac00-\ud7a3]{2}")  # a word that is more than a sign
_OF_PAGES = re.compile(r"(?:\A|[^\d./])\d{1,5} ?/ ?\d{1,5}\Z|\A\d{1,5} ?/ ?\d{1,5}(?![\d./])")
_COUNTED = re.compile(r"#-?\d")
_OFFSET = re.compile(r"#-?\d+")
_WORD = re.compile(r"[^\W\d_]+")
_HYPHEN = re.compile(r"[^\W\d_][-‐]\Z")
_ENDED = re.compile(r"[.!?…؟۔:;。！？｡]['\"”’»)\]」』]*\Z")
_ITEM = re.compile(r"[-*+•▪◦–●‣]|\(?[\w]{1,3}[.)]\s")
_LONGEST_CARRIED = 600  # characters of a page that belong to a sentence of the page before; rows of tables have no end
_LAST_PARAGRAPH = 4_000  # characters before a page break in which a sentence may begin


@dataclass
class Page:
    """A page with text.

    Attributes:
        number: Its number in the file, from 1.
        text: Its lines.
        entries: Level and title of the entries of the outline that lead to it.
    """

    number: int
    text: str
    entries: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True)
class Pages:
    """The text of a PDF.

    Attributes:
        text: The text of all pages.
        headings: Pages and entries of the outline, by place; a page begins with the first sentence that begins on it.
        note: Names and counts the lines that were left out; empty for none.
        n_going_on: Number of pages on which a sentence of the page before goes on.
    """

    text: str
    headings: tuple[Heading, ...]
    note: str
    n_going_on: int


def joined_pages(pages: Iterable[Page], *, joins_words: bool = True) -> Pages:
    """Return the text of pages: running lines once, page numbers not at all, sentences over page breaks whole.

    A running header stays on the first page where it interrupts no sentence, a footer on the last. One with the number
    of the page that repeats the title or the authors on the first page does not.

    Args:
        pages: The pages.
        joins_words: Whether a word with a hyphen at the end of a page is made whole; else the line ends there.
    """
    pages = list(pages)
    note = _without_running_lines(pages)
    parts: list[str] = []
    headings: list[Heading] = []
    length = n_going_on = 0
    for i, page in enumerate(pages):
        carried = 0
        if i:
            between = _between(pages[i - 1].text, page.text)
            if between != _APART and not joins_words:
                between = "\n"
            if between == "":  # in a word, whose hyphen goes
                parts[-1], length = parts[-1][:-1], length - 1
            if between != _APART:
                n_going_on += 1
                carried = _carried(parts[-1], between.strip("-"), page.text)
            parts.append(between.strip("-"))
            length += len(parts[-1])
        headings += [
            Heading(length + start, level, title)
            for start, level, title in page_headings(page.text, page.entries, f"page {page.number}", carried)
        ]
        parts.append(page.text)
        length += len(page.text)
    return Pages("".join(parts), tuple(headings), note, n_going_on)


def page_headings(
    text: str, entries: Sequence[tuple[int, str]], page: str, first: int = 0
) -> list[tuple[int, int, str]]:
    """Return offset, level and title of a page's headings: the page and its outline entries.

    An entry whose words begin no line is at the start of the page.

    Args:
        text: The page.
        entries: Level and title of each entry.
        page: What the page is called.
        first: Offset of the first sentence that begins on the page; a page without one is no heading.
    """
    headings: list[tuple[int, int, str]] = []
    for level, title in entries:
        place = _line_of(title, text)
        headings.append((first if place < 0 else max(first, place), level, title))
    starts = sorted({first, *(heading[0] for heading in headings)})
    # under the entries that begin at the same place
    pages = [(start, PAGE_LEVEL, page) for start in starts if start < len(text)]
    return sorted([*headings, *pages], key=lambda heading: heading[0])


def _line_of(title: str, text: str) -> int:
    """Return where a line begins with a title, which a number may precede; -1 for nowhere.

    A line that ends with the title comes before one that goes on, as a sentence may begin with the same words.

    >>> _line_of("The user's lakes", "The user's lakes are two.\\n2.1. The user’s lakes\\nVictoria.")
    26
    """
    words = r"\s*".join(_APOSTROPHE.sub("['’‘`´]", re.escape(word)) for word in title.split())
    for begin, end in (("", _TITLE_END), (_TITLE_NUMBER, _TITLE_END), ("", ""), (_TITLE_NUMBER, r"\b")):
        flags = re.MULTILINE | re.IGNORECASE if end == _TITLE_END else re.MULTILINE
        match = re.search(f"^{begin}{words}{end}", text, flags)
        if match is not None:
            return match.start()
    return -1


def _between(before: str, after: str) -> str:
    r"""Return what stands between two pages: "\n\n" if no sentence goes on, else "\n", and "" or "-" in a word."""
    lines = before.split("\n")
    last, first = lines[-1].strip(), after.partition("\n")[0].strip()
    if not last or not first or _ENDED.search(last) or _ITEM.match(first):
        return _APART
    if _HYPHEN.search(last) and first[0].isalpha():
        return "" if first[0].islower() else "-"
    if first[0].islower() or last.endswith((",", "(", "–", "，", "、")):
        return "\n"
    widths = sorted(len(line) for line in lines if line)
    width = widths[len(widths) * 3 // 4]
    is_full = len(lines) > _NEAR and len(last) >= max(_LEAST_WIDTH, _LEAST_FULL * width)
    return "\n" if is_full and (first[0].isalnum() or first[0] in '(«„“"') and not first.isupper() else _APART


def _carried(before: str, between: str, after: str) -> int:
    """Return how many characters of a page belong to a sentence that begins on the page before."""
    tail = before[-_LAST_PARAGRAPH:]
    text = tail + between + after[:_LAST_PARAGRAPH]
    border = len(tail) + len(between)
    for start, end in sentence_ranges(text, 0, len(text)):
        if start >= border:
            return 0
        if end > border:
            rest = end - border
            return rest + len(after[rest:]) - len(after[rest:].lstrip()) if rest <= _LONGEST_CARRIED else 0
    return 0


def _without_running_lines(pages: list[Page]) -> str:
    """Take running lines off the pages, but for one of each; return a note of them."""
    cut = [_Cut(page.text.split("\n")) for page in pages]
    numbers = [page.number for page in pages]
    for is_top in (True, False):
        running = _running([one.edge(is_top) for one in cut], numbers)
        for one, of_page in zip(cut, running, strict=True):
            one.peel(of_page, is_top)
    title = _words(cut[0].text) if cut else ""
    breaks = [True, *(_between(one.text, two.text) == _APART for one, two in pairwise(cut)), True]
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    texts = [one.text for one in cut]
    for is_top in (True, False):
        places: dict[str, list[int]] = {}
        for i, one in enumerate(cut):
            for key, line in one.lines[is_top]:
                names.setdefault(key, " ".join(line.split()))
                places.setdefault(key, []).append(i)
        for key, at in reversed(places.items()) if is_top else places.items():
            if _is_counted(key) and all(
                _words(part) in title for part in key.split(",")
            ):  # the title of the file, its authors
                counts[key] += len(at)
                continue
            counts[key] += len(at) - 1
            # A header stays on the first page that begins with a sentence, a footer on the last that ends with one.
            free = [i for i in (at if is_top else reversed(at)) if breaks[i if is_top else i + 1]]
            line = next(line for i in at for one, line in cut[i].lines[is_top] if one == key)
            if free and is_top:
                texts[free[0]] = f"{line}\n{texts[free[0]]}"
            else:
                texts[free[0] if free else -1] += f"\n{line}"
    for page, text in zip(pages, texts, strict=True):
        page.text = text
    return _note(names, +counts, sum(one.is_numbered for one in cut))


def _note(names: Mapping[str, str], counts: Counter[str], n_numbers: int) -> str:
    """Return what was left out in words."""
    notes = []
    if counts:
        shown = ", ".join(f"«{names[key]}» ({count:,})" for key, count in counts.most_common(_SHOWN))
        more = f" and {len(counts) - _SHOWN:,} others" if len(counts) > _SHOWN else ""
        notes.append(f"lines that pages repeat stay once, and were left out elsewhere: {shown}{more}")
    if n_numbers:
        notes.append(f"page numbers left out: {n_numbers:,}")
    return "; ".join(notes)


def _words(text: str) -> str:
    """Return the words of a text in small letters, with spaces between and around them."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _is_counted(key: str) -> bool:
    """Return whether a running line has words and the number of its page."""
    return _COUNTED.search(key) is not None and len(_WORD.findall(key)) > 1


class _Cut:
    """A page whose running lines are apart.

    Attributes:
        lines: The key and words of the running lines at the bottom and at the top, in their order.
        is_numbered: True if a number of the page was left out.
    """

    def __init__(self, lines: list[str]) -> None:
        self._rest = lines
        self.lines: tuple[list[tuple[str, str]], list[tuple[str, str]]] = ([], [])
        self.is_numbered = False

    @property
    def text(self) -> str:
        """The other lines."""
        return "\n".join(self._rest).strip("\n")

    def edge(self, is_top: bool) -> list[str]:
        """Return the lines at the top or bottom, from the edge."""
        return [line for line in self._rest[:: 1 if is_top else -1] if line.strip()][:_EDGE]

    def peel(self, running: Mapping[str, str], is_top: bool) -> None:
        """Take off the running lines at an edge, unless nothing else is on the page and they do not count pages.

        Args:
            running: The key of each running line; empty for the number of the page.
            is_top: True for the top.
        """
        lines = self._rest[:: 1 if is_top else -1]
        n = next((i for i, line in enumerate(lines) if line.strip() and line not in running), len(lines))
        keyed = [(running[line], line) for line in lines[:n] if line.strip()]
        if n == len(lines) and not (keyed and all(_is_counted(key) for key, _ in keyed)):
            return
        self.is_numbered |= any(not key for key, _ in keyed)
        self.lines[is_top].extend([one for one in keyed if one[0]][:: 1 if is_top else -1])
        self._rest = lines[n:][:: 1 if is_top else -1]


def _running(edges: list[list[str]], numbers: list[int]) -> list[dict[str, str]]:
    """Return the running lines at the edge of each page with a key for each; it is empty for a page number.

    A line runs that stands on more than half of all pages, or on three near ones. A number in it may differ if it
    counts the pages.
    """
    places: dict[str, list[int]] = {}  # indices of the pages with a key
    keys = [{line: _keys(line, number) for line in edge} for edge, number in zip(edges, numbers, strict=True)]
    for i, lines in enumerate(keys):
        for key in {key for of_line in lines.values() for key in of_line}:
            places.setdefault(key, []).append(i)
    running: list[dict[str, str]] = [{} for _ in edges]
    for i, lines in enumerate(keys):
        for line, of_line in lines.items():
            for key in of_line:
                if _OFFSET.fullmatch(key) and not _is_page_number(line):
                    continue  # it only tells how other pages are counted
                at = places[key]
                if _is_near(at, i) or (len(at) > 1 and 2 * len(at) > len(edges)):
                    running[i][line] = "" if "#" in key and _is_page_number(line) else key
                    break
    return running


def _is_near(at: Sequence[int], i: int) -> bool:
    """Return whether a page is one of three near ones, also the first or last of those on every other page.

    >>> _is_near([2, 4, 6], 2), _is_near([2, 4, 8], 4)
    (True, False)
    """
    place = bisect_left(at, i)
    firsts = range(max(0, place - _NEAR), min(place, len(at) - _NEAR - 1) + 1)
    return any(at[first + _NEAR] - at[first] <= 2 * _NEAR for first in firsts)


def _keys(line: str, page: int) -> list[str]:
    """Return what a line has in common with those that repeat it: its words, and how a number differs from the page.

    A word and a number are a heading rather than a running line, unless it is a word such as «page», or the number is
    one of a total («Manual 3 / 58»); a whole sentence does not count pages.

    >>> _keys("Page 2  of 3", 2), _keys("Annual report 7", 2)
    (['page 2 of 3', 'page #0 of 3', '#0', 'page 2 of #1', '#1'], ['annual report 7', 'annual report #5', '#5'])
    >>> _keys("Section 2", 2), _keys("- xii -", 14), _keys("7", 2)
    (['section 2'], ['- #-2 -', '#-2'], ['#5'])
    """
    words = " ".join(line.split()).casefold().replace("#", "")
    n_words = len(_WORD.findall(words))
    keys = [words] if n_words > 1 or _NAME.search(words) else []
    roman = _ROMAN.fullmatch(words.strip(_AROUND))
    if roman is not None:
        numbers = [(words.index(roman[0]), roman[0], _roman(roman[0]))]
    elif _is_page_number(line) or _OF_PAGES.search(words) or (n_words > 1 and not _ENDED.search(words)):
        numbers = [(match.start(), match[0], int(match[0])) for match in _NUMBER.finditer(words)][:_EDGE]
    else:
        numbers = []
    for start, figures, value in numbers:
        keys += [f"{words[:start]}#{value - page}{words[start + len(figures) :]}", f"#{value - page}"]
    return list(dict.fromkeys(keys))


def _roman(figures: str) -> int:
    """Return the value of Roman figures."""
    values = [{"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}[letter] for letter in figures]
    return sum(-one if one < two else one for one, two in zip(values, [*values[1:], 0], strict=True))


def _is_page_number(line: str) -> bool:
    """Return whether a line may be the number of a page and nothing else, as «Page 2 of 3» or «- 2 -»."""
    bare = line.casefold().strip(_AROUND)
    is_number = len(_NUMBER.findall(bare)) in (1, 2) and all(word in _PAGE_WORDS for word in _WORD.findall(bare))
    return is_number or _ROMAN.fullmatch(bare) is not None
