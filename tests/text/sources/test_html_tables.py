"""Tables of web pages: a line for each row, and what a page hides."""

from __future__ import annotations

import pytest

from graphbrick.core import Citation, Passage
from graphbrick.text.documents.quotable import quotable
from graphbrick.text.sources.hypertext import html_document


def read(page: str) -> str:
    return html_document("a.html", "a", page.encode()).text


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ("<tr><td></td><td width=9></td><td></td></tr><tr><td>%j<td><td>day\nof year<tr><td>%H<td><td>hour",
         "%j | day of year\n%H | hour"),  # a spacer
        ("<tr><th>Port<th><th>Boats<tr><td>Galway<td>&nbsp;<td>7", "Port | Boats\nGalway | 7"),
        ("<tr><th>Port<th>Since<th>Boats<tr><td>Galway<td><td>7<tr><td>Cork<td>1921<td>",
         "Port | Since | Boats\nGalway | | 7\nCork | 1921 |"),  # it is empty in one row only
        ("<tr><th colspan=2>Port<th>Boats<tr><td>Galway<td>old<td>7", "Port | Boats\nGalway | old | 7"),
        ("<tr><td rowspan=2>Galway<td><td>7<tr><td><td>8", "Galway | 7\n| 8"),
        ("<tr><td>Galway<td rowspan=2>7<tr><td>Cork<tr><td>Cobh<td>1", "Galway | 7\nCork |\nCobh | 1"),
        ("<tr><th>Port<th>Since<th>Boats<tr><td>Galway<td>1900<td>7<tr><td>&nbsp;<td>1921<td>8<tr><td><td>1930<td>",
         "Port | Since | Boats\nGalway | 1900 | 7\n| 1921 | 8\n| | 1930 | |"),  # bars around if both ends are empty
        ("<tr><td>1.<td>Who leads it?<tr><td><td>Rosa Lund has led the harbour since 1921.",
         "1. | Who leads it?\nRosa Lund has led the harbour since 1921."),  # an answer is no value of a column
        ("<tr><th>Names<br>of types<th>Kind<tr><td>INT<br>TINYINT<br>INT8<td>INTEGER",
         "Names of types | Kind\nINT, TINYINT, INT8 | INTEGER"),
        ("<tr><td>Keeper<td><p>Rosa Lund leads it.</p><p>She lives in Galway.</p>",
         "Keeper | Rosa Lund leads it. She lives in Galway."),
        ("<tr><td>Ports<td><ul><li>Galway<li>Cork<li>Cobh</ul>", "Ports | Galway, Cork, Cobh"),
        ("<caption>The ports</caption><thead><tr><th>Port<th>Boats</thead><tbody><tr><td>Galway<td>7",
         "The ports\nPort | Boats\nGalway | 7"),
        ("<tr><td>Galway<td><pre>a\n  b</pre>", "Galway |\na\n  b"),  # code stays as it is
        ("<tr><td><h2>Ports</h2><p>Galway.</p><td><p>Cork.</p>", "Ports\n\nGalway.\n\nCork."),  # lays out the page
        (f"<tr><td><p>{'Galway. ' * 300}</p><p>End.</p><td>x", f"{('Galway. ' * 300).strip()}\n\nEnd.\n\nx"),
        ("<tr><td><p>One.</p><p>Two.</p>", "One.\n\nTwo."),  # a single cell is a box around text
        ("<tr><td>x<td><table><tr><td>INT<br>INT8<br>INT9<td>1</table>", "x |\nINT, INT8, INT9 | 1"),
        ("<tr><td colspan=a>x<td rowspan=0>y", "x | y"),
    ],
)  # fmt: skip
def test_a_row_is_a_line(rows: str, text: str) -> None:
    assert read(f"<table>{rows}</table>") == text


def test_a_row_that_begins_with_an_empty_cell_is_shown_under_the_right_headers() -> None:
    rows = "<tr><th>Port<th>Since<th>Boats<tr><td>Galway<td>1900<td>7<tr><td>&nbsp;<td>1921<td>8<tr><td><td>1930<td>"
    passage = Passage(read(f"<table>{rows}</table>"), (Citation("a.html"),))
    assert [one.text for one in quotable((passage,))] == [
        "Port | Since | Boats", "Port: Galway; Since: 1900; Boats: 7", "Since: 1921; Boats: 8", "Since: 1930",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("hidden", "note"),
    [
        ('<div id=x1 style="display:none;"><p>The upsert clause</p></div>', "3 words that the page hides at first"),
        ("<p hidden>Only one</p>", "2 words that the page hides at first"),
        ("<span aria-hidden=true>Galway ¶</span>", "1 word that the page hides at first"),
        ("<svg><title>Drawn</title><text>ON CONFLICT</text><text>SET</text></svg>", "3 words of drawings"),
        ("<p hidden>one<style>p {color: red}</style><svg><text>two</text></svg></p>",
         "1 word that the page hides at first left out; 1 word of drawings"),
        ("<script>hide()</script><a aria-hidden=true>¶</a>", ""),
    ],
)  # fmt: skip
def test_what_is_hidden_is_counted(hidden: str, note: str) -> None:
    page = html_document("a.html", "a", f"<h1>Ports</h1><p>Galway.</p>{hidden}".encode())
    assert page.text == "Ports\n\nGalway."
    assert page.note == (f"{note} left out" if note else "")
