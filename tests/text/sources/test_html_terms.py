"""Lists of definitions, described things, lists of contents and links to the top of web pages."""

from __future__ import annotations

import pytest

from graphbrick.text.documents.document import Document
from graphbrick.text.sources.hypertext import html_document


def read(body: str) -> Document:
    return html_document("a.html", "a", f"<html><body>{body}</body></html>".encode())


def signature(name: str) -> str:
    return f"<dt class='sig'><span class='descname'>{name}</span><a class='headerlink' href='#{name}'>¶</a></dt>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            "<dl><dt>DAEMON<dd><p>Of the system.</p><p>It is old.</p><dt>USER:<dt>MAIL<dd>Of users.</dl>",
            "- DAEMON: Of the system.\n\nIt is old.\n\n- USER:, MAIL: Of users.",
        ),
        ("<dl><dt>Ports<dd><ul><li>Galway<li>Cork</ul></dl>End", "- Ports:\n- Galway\n- Cork\n\nEnd"),
        ("<dl><dt>Code<dd><pre>a\n  b</pre></dl>", "- Code:\na\n  b"),
        ("<dl><dt>Boats<dd><table><tr><th>a<th>b<tr><td>1<td>2</table></dl>", "- Boats:\na | b\n1 | 2"),
        ("<dl><dt>Is it open?<dd>It is.<dt>Lone</dl>", "Is it open?\nIt is.\n- Lone:"),
        ("<dl><dt><h2>Port</h2><dd>Old.</dl>", "Port\n\nOld."),
        ("<dl><dd>Old.</dl><dl></dl></dl>", "Old."),
        ("<ol start=3><li>a<ul><li>b</ul><li><p>c</p></ol><li>d", "3. a\n- b\n4. c\n\nd"),
        ("<ul><li><li>• a<li><h3>T</h3><p>b</p></ul>", "• a\nT\n\nb"),
    ],
)
def test_terms_stand_with_their_definitions_and_items_have_marks(body: str, text: str) -> None:
    assert read(body).text == text


def test_what_is_described_is_a_section() -> None:
    things = f"<dl>{signature('LogFile')}<dd><p>A file.</p><dl>{signature('inner')}<dd>In it.</dl><p>Old.</p></dd></dl>"
    page = read(
        f"<h1>Keeper</h1><h2>Options</h2>{things}<dl>{signature('PIN')}{signature('Pin')}<dd>x</dl><p>After.</p><h2>End</h2>"
    )
    assert page.text.split("\n\n") == [
        *("Keeper", "Options", "LogFile", "A file.", "inner", "In it.", "Old.", "PIN", "Pin\nx", "After.", "End")
    ]
    found = [(one.level, one.title, page.text[one.start :].partition("\n")[0]) for one in page.headings]
    assert found == [
        (1, "Keeper", "Keeper"),
        (2, "Options", "Options"),
        (3, "LogFile", "LogFile"),
        (4, "inner", "inner"),
        (3, "LogFile", "Old."),
        (3, "PIN", "PIN"),
        (2, "Options", "After."),
        (2, "End", "End"),
    ]
    assert read(f"<dl>{signature('LogFile')}<dd>A file.</dl>End").text == "- LogFile: A file.\n\nEnd"


TEXT = f"<h1>Port</h1><p>{'The port of Galway is old. ' * 9}</p>"
SHOWN = f"Port\n\n{('The port of Galway is old. ' * 9).strip()}"


@pytest.mark.parametrize(
    "around",
    [
        "<dl><dt>1. <a href=#a>Port</a></dt><dt>2. <a href=#b>Town</a></dt><dt><a href=#c>Ships</a></dt></dl>",
        "<ul><li><a href=#a>Port</a><li><a href=#b>Town</a><ul><li><a href=#c>Ships</a></ul></ul>",
        "<div class='admonition seealso'><p class=admonition-title>See also<p><a href=a.html>Ships</a></div>",
        "<a href=#a>Port</a><br/>\n<a href=#b>Town</a><br/><a href=#c>Ships</a><br/>",
        "<div class='toctree-wrapper compound'><ul><li><a href=a.html>Ships</a></ul></div>",
        "<p class=back><a href='#top'>(наверх)</a></p>",
        "<p>[<a href='#'>Back to top</a>]</p>",
        "<div><a href='#top'>↑ nach oben</a></div>",
        "<a class=anchor href='#top'>🔗</a>",
        "<table><tr><td><a href='#top'><b>Top</b></a></table>",
    ],
)
def test_lists_of_contents_and_links_to_the_top_are_left_out(around: str) -> None:
    assert read(f"{TEXT}{around}").text == SHOWN


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            "<ul><li><a href=#a>Port</a><li><a href=#b>Town</a><li><a href=b.html>Ships</a></ul>",
            "- Port\n- Town\n- Ships",
        ),
        ("<div class=seealso><p>The port is described in <a href=a.html>it</a>.</div>", "The port is described in it."),
        ("<p><a href=#a>Port</a><br>in the west<br><a href=#b>Town</a>", "Port\nin the west\nTown"),
        ("<a href=#a>Port</a>, <a href=#b>Town</a>, <a href=#c>Ships</a>", "Port, Town, Ships"),
        ("<p>Go <a href='#top'>back to top</a> of the ship.</p>", "Go back to top of the ship."),
        ("<p><a href='#1'>1</a> <a href='#notes'>the notes</a></p>", "1 the notes"),
    ],
)
def test_other_links_stay(body: str, text: str) -> None:
    assert read(f"{TEXT}{body}").text == f"{SHOWN}\n\n{text}"
