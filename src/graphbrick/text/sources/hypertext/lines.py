"""The lines of a web page: words of blocks, rows of tables, superscripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from graphbrick.text.documents.document import Heading
from graphbrick.text.sources.hypertext.terms import Sections, is_short_term, is_signature
from graphbrick.text.sources.raised import subscript, superscript

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CELLS = frozenset(("td", "th"))
_LISTS = frozenset(("ul", "ol", "menu", "dir"))
_UNNUMBERED = -1
_MARKS = ("- ", "* ", "• ", "– ")  # that a page writes itself
_RAISED = {"sup": superscript, "sub": subscript}
_LAYOUT = "h1, h2, h3, h4, h5, h6, pre, main, article, section, form"  # what no cell of data holds
_LONGEST_CELL = 1_500  # characters
_SENTENCE = 40  # characters of the only text of a row, from which it is no value of a column
_LEAST_LISTED = 3  # short lines of a cell that are a list
_LONGEST_LISTED = 40  # characters of a line of a list
_MOST_SPANNED = 100  # rows or columns of a cell
_MOST_COLUMNS = 200  # whose cells may cover several rows
_DEEPEST_TABLES = 10  # in each other, of which one may hold data


def is_data_table(table: Any) -> bool:
    """Return whether a table holds data, a line for each row, and is not there to lay out the page."""
    if table.css_first(_LAYOUT) is not None or any(inner.mem_id != table.mem_id for inner in table.css("table")):
        return False
    cells = table.css("td, th")
    return len(cells) > len(table.css("tr")) and all(len(cell.text()) <= _LONGEST_CELL for cell in cells)


class _Cell(NamedTuple):
    """A cell of a table; it covers the columns before ``end``."""

    column: int
    end: int
    text: str


class _Table:
    """The rows of a table that holds data."""

    def __init__(self) -> None:
        self._rows: list[list[_Cell]] = []
        self._covered: dict[int, int] = {}  # rows that a cell above still covers, by column

    def begin_row(self) -> None:
        """Begin a row."""
        self._next_column()  # what cells above cover at the end of the row before
        self._covered = {column: n - 1 for column, n in self._covered.items() if n > 1}
        self._rows.append([])

    def add(self, text: str, columns: int, rows: int) -> None:
        """Add a cell that covers a number of columns and rows."""
        if not self._rows:
            self.begin_row()
        column = self._next_column()
        self._rows[-1].append(_Cell(column, column + columns, text))
        if rows > 1 and column < _MOST_COLUMNS:
            self._covered |= dict.fromkeys(range(column, column + columns), rows)

    def _next_column(self) -> int:
        """Return the column of the next cell of a row, after an empty cell for each one that a cell above covers."""
        row = self._rows[-1] if self._rows else []
        column = row[-1].end if row else 0
        while column in self._covered:
            row.append(_Cell(column, column + 1, ""))
            column += 1
        return column

    def lines(self) -> list[str]:
        """Return the rows, their cells with " | " between them, without columns in which no cell has text.

        An empty cell keeps its place, and so does one that a cell above covers, so that a row that begins with one
        begins with a bar. If it ends with one as well, it has bars around it, as in Markdown. A row that has only a
        sentence, such as an answer below its question, is a line without bars.
        """
        self._next_column()
        filled = {cell.column for row in self._rows for cell in row if cell.text}
        lines = []
        for row in self._rows:
            texts = [cell.text for cell in row if not filled.isdisjoint(range(cell.column, cell.end))]
            if not any(texts):
                continue
            if sum(map(bool, texts)) == 1 and len(text := max(texts)) >= _SENTENCE and text[-1] in ".!?…:。！？":
                texts = [text]
            if len(texts) > 1 and not texts[0] and not texts[-1]:
                texts = ["", *texts, ""]
            lines.append(" ".join(" | ".join(texts).split()))
        return lines


class Lines:
    """A collector of words into lines, with the places where headings begin.

    Attributes:
        length: Number of characters of the lines that are written.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._words: list[str] = []
        self.length = 0
        self._sections = Sections()
        self._preformatted = 0  # depth of <pre>, whose lines and indents stay
        self._raised: list[tuple[int, int]] = []  # numbers of lines and of words before each <sup> and <sub>
        self._table: _Table | None = None  # of data; the lines of its cells are one
        self._cell: list[str] | None = None
        self._tables = 0  # depth of tables
        self._lists: list[int] = []  # the number of the last item of each list around; negative for one without numbers
        self._mark = ""  # of the item that the next line begins
        self._term = ""  # of a definition, that the next line begins
        self._is_term = self._is_signature = False
        self._is_named = False  # the last line is the name of what follows

    def write(self, text: str) -> None:
        """Add text to the current line."""
        self._words.append(text)

    def raise_(self) -> None:
        """Begin a superscript or subscript."""
        self._raised.append((len(self._lines), len(self._words)))

    def lower(self, tag: str) -> None:
        """End a superscript or subscript; one that holds blocks stays as it is."""
        lines, words = self._raised.pop()
        if lines == len(self._lines) and words < len(self._words):
            self._words[words:] = [_RAISED[tag]("".join(self._words[words:]))]

    def open(self, tag: str, node: Any) -> None:
        """Begin a block.

        Args:
            tag: The name of its element.
            node: Its element.
        """
        if self._table is not None:
            self._cut_cell()
            if tag == "tr":
                self._table.begin_row()
            elif tag in _CELLS:
                self._cell = []
            return
        if tag in _CELLS and "".join(self._words).strip():
            self._words.append(" | ")
        elif tag not in _CELLS:
            self._cut(0)
        self._preformatted += tag == "pre"
        if tag == "dl":
            self._end_term()
            self._sections.begin_list()
        elif tag == "dt":
            self._begin_term(node)
        elif tag == "dd":
            self._is_named = False
        elif tag in _LISTS:
            self._lists.append(_first_of(node) - 1 if tag == "ol" else _UNNUMBERED)
        elif tag == "li":
            self._begin_item()
        if tag == "table":
            self._tables += 1
            if self._tables <= _DEEPEST_TABLES and is_data_table(node):
                self._end_term()
                self._table = _Table()

    def close(self, tag: str, attributes: Mapping[str, str | None] | None = None) -> None:
        """End a block.

        Args:
            tag: Its element.
            attributes: Those of a cell, which may cover several columns and rows.
        """
        if self._table is not None:
            self._cut_cell()
            if tag in _CELLS and self._cell is not None:
                columns, rows = (_spanned((attributes or {}).get(name)) for name in ("colspan", "rowspan"))
                self._table.add(_one_line(self._cell, is_head=tag == "th"), columns, rows)
                self._cell = None
            elif tag == "table":
                for line in (*self._table.lines(), ""):  # two tables are two blocks
                    self._line(line)
                self._table = None
                self._tables -= 1
            return
        self._tables -= tag == "table"
        if tag == "dt":
            self._keep_term()
        elif tag == "dl":
            self._cut(0)
            self._end_term()
            self._sections.end_list()
            self._line("")
        elif tag == "li":
            self._cut(0)
            self._mark = ""
        elif tag in _LISTS and self._lists:
            self._lists.pop()
        if tag == "pre":
            self._cut_as_it_is()
            self._preformatted -= 1
            self._line("")
        if tag not in _CELLS:
            self._cut(_HEADINGS.get(tag, 0))
            if tag == "p" or tag in _HEADINGS:
                self._line("")

    def _begin_term(self, node: Any) -> None:
        """Begin a term; several may have one definition."""
        self._is_term, self._is_signature = True, is_signature(node)

    def _keep_term(self) -> None:
        """End a term: it is a heading if a thing is described, else it stands on a line with its definition."""
        term = " ".join("".join(self._words).split())
        self._words.clear()
        self._is_term = False
        if not term:
            return
        start = self.length
        if self._is_signature and not self._is_named and self._sections.described(start, term):
            self._line(term, is_heading=True)
            self._line("")
            self._is_named = True
        elif self._is_named or not is_short_term(term):
            self._line(term)
        else:
            self._term = f"{self._term}, {term}" if self._term else term

    def _end_term(self) -> None:
        """Write a term whose definition begins with no line of text."""
        if self._term:
            term, self._term = self._term.rstrip(": "), ""
            self._line(f"- {term}:")

    def _begin_item(self) -> None:
        """Begin an item of a list; one outside of lists has no mark."""
        if self._lists:
            self._lists[-1] += self._lists[-1] != _UNNUMBERED
            self._mark = "- " if self._lists[-1] == _UNNUMBERED else f"{self._lists[-1]}. "

    def _cut_cell(self) -> None:
        """End a line in a cell, or in a table outside of its cells, such as its caption."""
        if self._cell is None:
            self._cut(0)
            return
        line = " ".join("".join(self._words).split())
        self._words.clear()
        if line:
            self._cell.append(line)

    def _cut_as_it_is(self) -> None:
        """Write the lines of an element in which line breaks and indents count."""
        lines = [line.rstrip() for line in "".join(self._words).expandtabs().strip("\n").split("\n")]
        self._words.clear()
        if any(lines):
            self._end_term()
        for line in lines:
            self._line(line)

    def _cut(self, level: int) -> None:
        if self._preformatted and not level:
            self._cut_as_it_is()
            return
        line = " ".join("".join(self._words).split())
        self._words.clear()
        if not line:
            return
        if level:
            self._end_term()
            self._sections.heading(self.length, level, line)
        elif self._mark and not line.startswith(_MARKS):
            self._end_term()
            line = f"{self._mark}{line}"
        elif self._term and not self._is_term:
            line, self._term = f"- {self._term.rstrip(': ')}: {line}", ""
        self._line(line, is_heading=level > 0)
        self._mark = ""

    def _line(self, line: str, *, is_heading: bool = False) -> None:
        if line and not is_heading:
            self._sections.text(self.length)
        if line or (self._lines and self._lines[-1]):
            self._lines.append(line)
            self.length += len(line) + 1

    def finish(self) -> tuple[str, tuple[Heading, ...]]:
        """Return the text and its headings."""
        self._cut(0)
        self._end_term()
        return "\n".join(self._lines).rstrip("\n"), tuple(self._sections.headings)


def _first_of(node: Any) -> int:
    """Return the number of the first item of a list."""
    return _spanned(node.attributes.get("start"))


def _spanned(stated: str | None) -> int:
    """Return how many columns or rows a cell covers."""
    text = (stated or "").strip()
    return min(max(int(text), 1), _MOST_SPANNED) if text.isascii() and text.isdecimal() and len(text) < 9 else 1


def _one_line(lines: list[str], *, is_head: bool) -> str:
    """Return the lines of a cell as one; short ones that are a list have commas between them.

    >>> _one_line(["INT", "INTEGER", "TINYINT"], is_head=False), _one_line(["Length", "in metres"], is_head=True)
    ('INT, INTEGER, TINYINT', 'Length in metres')
    """
    is_list = (
        not is_head
        and len(lines) >= _LEAST_LISTED
        and all(len(line) <= _LONGEST_LISTED and line[-1] not in ".,;:!?" for line in lines)
        and not any(line[0].islower() for line in lines[1:] if not lines[0][0].islower())
    )
    return (", " if is_list else " ").join(lines)
