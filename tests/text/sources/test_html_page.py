"""Web pages: their main part, without loss of text."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import fails

from graphbrick import index
from graphbrick.core.errors import InputError
from graphbrick.text.documents.document import Document
from graphbrick.text.sources.hypertext import html_document

TEXT = "<h1>Harbour</h1><p>Rosa Lund founded the harbour of Galway in 1921, and Peter Hale leads it.</p>"
SHOWN = "Harbour\n\nRosa Lund founded the harbour of Galway in 1921, and Peter Hale leads it."
LINKS = '<ul><li><a href="/">Home</a></li><li><a href="/t">Tickets</a></li><li><a href="/c">Contact</a></li></ul>'


def read(page: str) -> Document:
    return html_document("a.html", "a", page.encode())


@pytest.mark.parametrize(
    "around",
    [
        f"<nav>{LINKS}</nav>",
        "<header><span>The port</span> <a href='/'>Home</a></header>",
        "<footer><p>Imprint. All rights reserved by Fjord Ferries.</p></footer>",
        '<div id="cookie-banner"><p>We use cookies to improve your visit.</p><button>OK</button></div>',
        '<div class="onetrust-pc">Cookies are used here by us.</div>',
        '<div role="dialog"><p>Subscribe to our letter.</p></div>',
        f'<div class="top-menu">{LINKS}</div>',
        f'<div class="main sidebar">Pages: {LINKS}</div>',
        f'<div role="navigation">{LINKS}</div>',
        '<form action="/search"><label>Search the site</label><input></form>',
        '<aside><a href="/b">Read also this</a></aside>',
        '<div><div class="tagline desktoponly">Small. Fast.<br>Choose any three.</div></div>',
        '<div><p id="site-description">The boats of the west</p></div>',
        '<div class="NAVHEADER"><table><tr><th colspan=3>The port<tr><td>Prev<td><td>Next</table></div>',
        '<div class="navfooter"><table><tr><td>Boats of the west<td><a href="/">Home</a><td>Tickets</table></div>',
        "<table><tr><td><a accesskey=p href=a>Boats</a><td><a accesskey=H href=b>Home</a></table>",
        '<p><a rel=prev href=a>Boats</a> · <a rel="next nofollow" href=b>Tickets</a></p>',
        f'<div class="toc"><p><b>Contents</b></p>{LINKS}</div>',
        '<div id="toc"><a href=a>Boats of the west</a> <a href=b>Tickets and prices of all boats, by year</a> '
        "<a href=c>How to reach the harbour by train</a> <a href=d>Imprint</a></div>",  # more than half of the page
    ],
)
@pytest.mark.parametrize(
    "wrapped", ["{}{}", "{}<main>{}</main>", "{}<article>{}</article>", "{}<div role=main>{}</div>"]
)
def test_what_is_around_the_text_is_left_out_and_counted(around: str, wrapped: str) -> None:
    page = read(wrapped.format(around, TEXT))
    assert page.text == SHOWN
    words = len(read(around).text.split())
    assert page.note == f"{words} word{'s' if words > 1 else ''} of menus, headers, footers and the like left out"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (TEXT, SHOWN),
        ('<div class="toc"><h1>Ports</h1><a href=g>Galway</a> <a href=c>Cork</a></div><p>All ports.</p>',
         "Ports\n\nGalway Cork\nAll ports."),  # the page has nothing else
        ("<h2><a class=toc-backref href=#i>Ports</a></h2><p>Galway has boats.</p>", "Ports\n\nGalway has boats."),
        ("<h2 class=toc><a href=#i>Ports</a></h2><p>Galway has boats.</p>", "Ports\n\nGalway has boats."),
        ("<p>Galway is <a rel=next href=a>next to Cork</a>, as the map on <a rel=prev href=b>this page</a> shows it.",
         "Galway is next to Cork, as the map on this page shows it."),
        (f"<form id=aspnetForm>{TEXT}</form>", SHOWN),  # the form holds the page
        (f"<header>{TEXT}</header>", SHOWN),
        (f"<div class=sidebar>{TEXT}</div>", SHOWN),
        (f"<div class=cookie-recipe>{TEXT}</div><p>Bake it.</p>", f"{SHOWN}\n\nBake it."),
        (f"{TEXT}<aside><p>Rosa Lund died in 1970.</p></aside>".replace("<h1>", "<main><h1>") + "</main>",
         f"{SHOWN}\n\nRosa Lund died in 1970."),  # a footnote
        (f"<header><h2>The port of Galway</h2></header>{TEXT}", f"The port of Galway\n\n{SHOWN}"),
        (f"<article>{TEXT}</article><article><p>Alma sails.</p></article>", f"{SHOWN}\n\nAlma sails."),
        (f"<main><p>Welcome.</p></main>{TEXT}", f"Welcome.\n\n{SHOWN}"),  # a main part without the text
        (f"<nav>{LINKS}</nav>", "- Home\n- Tickets\n- Contact"),  # there is nothing else
        (f"<h1>Pages</h1>{LINKS}", "Pages\n\n- Home\n- Tickets\n- Contact"),
        ("<ul class=menu><li>Soup: 4 euro</li><li>Fish: 9 euro</li></ul><p>Open daily.</p>",
         "- Soup: 4 euro\n- Fish: 9 euro\nOpen daily."),  # of a restaurant
        (f"<div><h2>The port</h2><p class=tagline>Old and safe.</p></div>{TEXT}",
         f"The port\n\nOld and safe.\n\n{SHOWN}"),
        (f"<article>{TEXT}<p class=motto>Old and safe.</p></article>", f"{SHOWN}\n\nOld and safe."),
        (f"<form><p>Name of the keeper:</p></form>{TEXT}", f"Name of the keeper:\n\n{SHOWN}"),
    ],
)  # fmt: skip
def test_no_text_is_lost(page: str, text: str) -> None:
    document = read(page)
    assert (document.text, document.note) == (text, "")


@pytest.mark.whole
def test_thousands_of_nested_asides_are_soon_read() -> None:
    assert read("<aside class=sidebar>" * 5000 + "Kenya").text == "Kenya"


def test_notes_of_many_documents_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for i in range(30):
        page = f"<nav>{'Home ' * (i + 1)}</nav>{TEXT.replace('1921', str(1900 + i))}"
        (tmp_path / "docs" / f"{i:02}.html").write_text(page)
    (note,) = index([tmp_path / "docs"], tmp_path / "g.graph").notes
    assert note == (
        f"{tmp_path}/docs/00.html: 1 word of menus, headers, footers and the like left out (and 29 more documents)"
    )


@pytest.mark.whole
def test_a_page_that_is_nested_too_deeply_is_refused_and_a_long_one_is_read():
    with fails("sources.nested_too_deeply", InputError):
        html_document("a.html", "a", b"<div>" * 200_000 + b"hi")
    lines = b"<p>line<br><li>item</li><div class='x'>more</div>" * 20_000
    assert html_document("a.html", "a", lines).text.count("more") == 20_000
