"""The parts of all report pages: figures, sections, and the page as one file without network."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from graphbrick.core import __version__
from graphbrick.core.files.replacing import replacing
from graphbrick.study.report.markup import environment, macro
from graphbrick.study.report.tables import Table, table_html

_DATA = "\0data\0"  # marks the place of the data


class Figure(NamedTuple):
    """A part of a section: a chart, a table, or facts.

    Attributes:
        content: Its markup.
        title: Its title; empty for none.
        note: A sentence below the title.
        folded: Whether the reader has to unfold it.
        unfolded: Whether a folded one is open at first.
    """

    content: Markup
    title: str = ""
    note: str = ""
    folded: bool = False
    unfolded: bool = False


class Section(NamedTuple):
    """A section of a report page.

    Attributes:
        key: Its id in the page.
        title: Its title.
        texts: Paragraphs before its figures.
        figures: Its figures.
        pair: Whether figures are side by side.
    """

    key: str
    title: str
    texts: Sequence[str]
    figures: Sequence[Figure] = ()
    pair: bool = False


def table_figure(
    table: Table, title: str = "", note: str = "", *, folded: bool = False, unfolded: bool = False
) -> Figure:
    """Return a table as a part of a section."""
    return Figure(table_html(table), title, note, folded, unfolded)


def paragraphs(lines: Sequence[str]) -> Markup:
    """Return texts of a graph, a model or a file, a paragraph each."""
    return macro("parts.html", "paragraphs", lines)


@dataclass(frozen=True)
class Page:
    """A report page.

    Attributes:
        title: Its title.
        headline: The result in a sentence or two.
        cards: Large and small text of the cards at the top.
        notes: Notes to read first.
        sections: Its sections.
        source: Name of what the figures are from.
    """

    title: str
    headline: str
    cards: Sequence[tuple[str, str]]
    notes: Sequence[str]
    sections: Sequence[Section]
    source: str

    def html(self, data: str = "") -> str:
        """Return the page; ``data`` is what the browser of questions reads."""
        style, script = _template("style.css"), _template("script.js")
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        page = environment().get_template("page.html").render(
            page=self, script_hash=f"sha256-{digest}", version=__version__, style=Markup(style), script=Markup(script),
            written=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"), data=Markup(data),
        )  # fmt: skip
        return page.lstrip()

    def pieces(self, data: Iterable[str]) -> Iterator[str]:
        """Yield the page piece by piece, with blocks of data that do not fit in memory at once."""
        before, after = self.html(_DATA).split(_DATA)
        yield before
        for block in data:
            yield block + "\n"
        yield after

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the page; return the file.

        Raises:
            OSError: It cannot be written.
        """
        file, text = Path(path), self.html()
        with replacing(file) as out:
            out.write(text)
        return file


def _template(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text("utf-8")
