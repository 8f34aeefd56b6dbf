"""The rows of tables in a text: their cells, and the header that names their columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphbrick.core import Item
from graphbrick.graphs.corpus import TextGraph
from graphbrick.language.expressions.expression import Expression
from graphbrick.text.documents.sentences import sentences
from graphbrick.text.documents.wording import plain_words

RULE = Expression(r"^[\s|:=_*+~-]+$")
"""A line of signs, as that under the header of a table in Markdown."""

_LONGEST_NAME = 40  # characters of the name of a column
_FAR = 50  # passages of one table
_CELLS = Expression(r"\s*\|\s*|\t+")
_NEXT_LINE = Expression(r"\n[ \t]*")  # tabs at the beginning of a line are its indent
_BLANK = Expression(r"\n[ \t]*\n")
_SIGNS = Expression(r"[-+*./\\_=<>@#$%&\[\](){}0]")  # of the keys, options and dates of a column


class Table:
    """The table that the rows of a passage belong to.

    Args:
        text: The passage.
        header: The header of the table that the passage goes on with, empty for none; None if it goes on with no table.

    Attributes:
        header: The names of the columns; empty for none.
    """

    def __init__(self, text: str, header: list[str] | None) -> None:
        self._text, self.header = text, header or []
        self._end = 0 if header is not None else -1  # after the last row; -1 before the first
        self._others = 0  # lines since the last row

    def row(self, cells: list[str], start: int, end: int) -> str:
        """Return a row with the names of its columns; the first one of a table may be its header.

        Args:
            cells: Its cells; empty for a line that is no row.
            start: The offset of its first character.
            end: The offset after its last character.
        """
        if not cells:
            self._others += 1
            return ""
        if self._end < 0 or not is_one_table(self._text, self._end, start, self._others):
            following = next(
                (line for line in self._text[end:].split("\n") if line.strip() and not RULE.match(line)), ""
            )
            is_named = is_header(cells, cells_of(following.strip())) or _is_over_rule(self._text, end)
            self.header = cells if is_named else []
        self._end, self._others = end, 0
        return _row(cells, self.header)


def is_one_table(text: str, end: int, start: int, n_lines: int) -> bool:
    """Return whether two rows are of one table: no blank line is between them, and at most one line that is no row.

    Args:
        text: The text.
        end: The offset after the first row.
        start: The offset of the second row.
        n_lines: Number of lines between them.
    """
    return n_lines <= 1 and not _BLANK.search(text, end, start)


def header_above(item: Item) -> list[str] | None:
    """Return the header of the table that a passage goes on with, empty if it has none; None if it begins the table."""
    graph = item.graph
    place = next((place for place in item.citations if place.document and place.start is not None), None)
    if not isinstance(graph, TextGraph) or place is None or place.end is None:
        return None
    passage = graph.passage_at(place.document, place.start or 0, place.end)
    for before in range(passage - 1, max(passage - 1 - _FAR, -1), -1) if passage is not None else ():
        text, of, *_ = graph.passage(before)
        rows = _last_rows(text)
        if of != place.document or not rows:
            return None if before == (passage or 0) - 1 else []
        if rows[0][1] > 0 or before == 0:
            first, _, end = rows[0]
            is_named = is_header(first, rows[1][0] if len(rows) > 1 else []) or _is_over_rule(text, end)
            return first if is_named else []
    return None


def _last_rows(text: str) -> list[tuple[list[str], int, int]]:
    """Return cells, start and end of each row of the table that a text ends with."""
    rows: list[tuple[list[str], int, int]] = []
    others = 0
    for start, end in reversed([one for one in sentences(text) if not RULE.match(text[slice(*one)])]):
        cells = cells_of(text[start:end])
        if not cells:
            others += 1
            continue
        if not is_one_table(text, end, rows[0][1] if rows else len(text), others):
            break
        rows.insert(0, (cells, start, end))
        others = 0
    return rows


def cells_of(line: str) -> list[str]:
    """Return the cells of a row of a table; none for other lines.

    Bars around a row are no cells, as in Markdown; a bar at one end only stands beside an empty cell.

    >>> cells_of("| Galway | 7 |"), cells_of("| Galway | 7"), cells_of("Galway | 7 |")
    (['Galway', '7'], ['', 'Galway', '7'], ['Galway', '7', ''])
    >>> cells_of("a bug of\\n\\tthe lock")
    []
    """
    line = _NEXT_LINE.sub(" ", line.strip("\n"))
    is_row = line.startswith("|") and line.count("|") > 2
    if not is_row and line.count("\t") < 1 and f" {line} ".count(" | ") < 1:
        return []
    inner = line.strip()
    if len(inner) > 1 and inner.startswith("|") and inner.endswith("|"):
        inner = inner[1:-1]
    cells = [plain_words(cell) for cell in _CELLS.split(inner)]
    return cells if len(cells) > 1 else []


def _is_over_rule(text: str, end: int) -> bool:
    """Return whether the next line is a rule, as that under the header of a table in Markdown."""
    following = text[end:].lstrip().partition("\n")[0]
    return bool(RULE.match(following)) and "-" in following


def is_header(cells: Sequence[str], following: Sequence[str]) -> bool:
    """Return whether the first row of a table has the names of its columns, and is no row of a table without names.

    A first cell with the signs of the one below it is such as that, and no name.

    >>> is_header(["Ship", "Passengers"], []), is_header(["3.0.0", "2020-07-07"], []), is_header(["i", "It is."], [])
    (True, False, False)
    >>> is_header(["Key", "Action"], ["Ctrl+A", "Select all"]), is_header(["Ctrl+A", "Select all"], ["Ctrl+B", "Bold"])
    (True, False)
    """
    signs, below = (set(_SIGNS.findall(re.sub(r"\d", "0", "".join(row[:1])))) for row in (cells, following))
    if signs and signs == below:
        return False
    named = cells if cells[0] else cells[1:]  # the column of the names of rows may have none
    has_names = all(any(map(str.isalpha, cell)) and len(cell) <= _LONGEST_NAME for cell in named)
    numbers = sum(any(map(str.isdigit, cell)) for cell in cells)
    return has_names and 2 * numbers < len(cells) and not any(cell.endswith(".") for cell in cells)


def _row(cells: Sequence[str], header: Sequence[str]) -> str:
    """Return a row with the names of its columns; the header itself as it is.

    >>> _row(["Nordlys", "300"], ["Ship", "Passengers"])
    'Ship: Nordlys; Passengers: 300'
    """
    if list(cells) == list(header) or len(cells) != len(header):
        return " | ".join(cells)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(header, cells, strict=True) if cell)
