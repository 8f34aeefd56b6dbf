"""The table of contents of a PDF."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graphbrick.language.counting import counted
from graphbrick.text.sources.pdf_pages import Page
from graphbrick.text.sources.plain.contents import is_name

_NUMBER = re.compile(r"\A\s*(?:[^\W\d_]{4,12}\s+)?(?:\d{1,3}|[A-Z]|[IVX]{1,5})(?:\.\d{1,3}){0,5}[.:)]?\s+(?=\S)")
_PAGE = re.compile(r"(?P<leaders>(?:\s*[.·…_]){3,}\s*|\s+)(?P<page>\d{1,4}|[ivxlc]{1,7})\s*\Z")
_PAGE_WORD = re.compile(r"\d{1,4}|[ivxlc]{1,7}|[-–/|]")
_BLANK_LINES = re.compile(r"\n{3,}")
_MOST_LINES = 3  # of an entry
_LEAST = 5  # entries of a table of contents without a title
_LEAST_NAMED = 3  # entries below a title
_LEAST_TITLES = 0.3  # share of the entries of one without a title that are titles
_COMPARED = 40  # letters and figures of a title, whose end may stand on the next line
_SHORTEST = 4  # letters of a title
_EDGE = 2  # lines at the top and at the bottom of a page, which all pages may have


class _Entry(NamedTuple):
    first: int
    n: int  # lines
    page: int
    is_title: bool  # which the outline has, or which comes again


def without_contents(pages: Sequence[Page]) -> tuple[list[Page], str]:
    """Return pages without the table of contents, and a note that counts its lines; empty for none.

    Its entries are titles of the outline, or lines that come again later, with the number of a page that does not
    fall; or leaders stand between title and page. Without a heading such as «Contents», some must be titles: a list of
    prices has leaders too. A page that has nothing else is left out.
    """
    lines = [(i, line) for i, page in enumerate(pages) for line in page.text.split("\n")]
    outline = {key for page in pages for _, title in page.entries for key in _keys(title)}
    last = {key: i for i, (_, line) in enumerate(lines) for key in _keys(line)}
    left_out: set[int] = set()
    for run in _runs(lines, outline, last):
        above = next((i for i in range(run[0].first - 1, -1, -1) if lines[i][1].strip()), None)
        is_named = above is not None and is_name(lines[above][1])
        has_titles = sum(entry.is_title for entry in run) >= _LEAST_TITLES * len(run)  # a list of prices has none
        if len(run) >= (_LEAST_NAMED if is_named else _LEAST) and (is_named or has_titles):
            left_out |= {entry.first + i for entry in run for i in range(entry.n)}
            left_out |= {above} if is_named and above is not None else set()
    if not left_out:
        return list(pages), ""
    edges = Counter(_bare(line) for page in pages for line in (page.text.split("\n")[0], page.text.split("\n")[-1]))
    kept: list[Page] = []
    waiting: list[tuple[int, str]] = []  # entries of the outline that lead to pages that are left out
    for number, page in enumerate(pages):
        rest = [line for i, (at, line) in enumerate(lines) if at == number and i not in left_out]
        is_cut = len(rest) <= page.text.count("\n")
        is_bare = all(edges[_bare(line)] > 1 or not _bare(line) for line in rest)
        waiting += page.entries
        if not (is_cut and is_bare):
            text = _BLANK_LINES.sub("\n\n", "\n".join(rest).strip("\n")) if is_cut else page.text
            kept.append(Page(page.number, text, waiting))
            waiting = []
    return kept, f"table of contents left out: {counted(len(left_out), 'line')}"


def _bare(line: str) -> str:
    """Return a line without numbers of pages, as that at the edge of a page."""
    return " ".join(word for word in line.split() if _PAGE_WORD.fullmatch(word) is None)


def _runs(lines: Sequence[tuple[int, str]], outline: set[str], last: dict[str, int]) -> Iterator[list[_Entry]]:
    """Yield the entries that follow each other; lines at the edges of pages may stand between them."""
    run: list[_Entry] = []
    i = 0
    while i < len(lines):
        entry = _entry(lines, i, outline, last)
        if entry is not None and run and entry.page < run[-1].page:
            yield run
            run = []
        if entry is not None:
            run.append(entry)
            i += entry.n
            continue
        if run and lines[i][1].strip() and not _is_at_edge(lines, i):
            yield run
            run = []
        i += 1
    if run:
        yield run


def _is_at_edge(lines: Sequence[tuple[int, str]], i: int) -> bool:
    """Return whether a line is one of the first or last lines of its page."""
    page = lines[i][0]
    near = (i - _EDGE, i + _EDGE)
    return any(not 0 <= j < len(lines) or lines[j][0] != page for j in near)


def _entry(lines: Sequence[tuple[int, str]], i: int, outline: set[str], last: dict[str, int]) -> _Entry | None:
    """Return the entry that begins with a line; None for another line."""
    text = ""
    if is_name(lines[i][1]):
        return None
    for n in range(1, _MOST_LINES + 1):
        if i + n > len(lines) or lines[i + n - 1][0] != lines[i][0] or not lines[i + n - 1][1].strip():
            return None
        text = f"{text} {lines[i + n - 1][1].strip()}".strip()
        match = _PAGE.search(text)
        if match is None:
            continue
        keys = _keys(text[: match.start()])
        is_title = any(key in outline or (len(key) >= _SHORTEST and last.get(key, -1) >= i + n) for key in keys)
        has_leaders = n == 1 and bool(match["leaders"].strip())
        if is_title or has_leaders:
            return _Entry(i, n, int(match["page"]) if match["page"].isdigit() else 0, is_title)
    return None


def _keys(title: str) -> set[str]:
    """Return what titles are compared by: letters and figures, with the number before them and without it."""
    parts = (title, _NUMBER.sub("", title))
    return {"".join(filter(str.isalnum, part.casefold()))[:_COMPARED] for part in parts if any(map(str.isalnum, part))}
