"""Books (.epub)."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from graphbrick.core.errors import InputError
from graphbrick.text import sources
from graphbrick.text.documents.document import Document
from graphbrick.text.sources import documents_in, files_of
from graphbrick.text.sources.tables import SourceOptions

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/a.opf" media-type="x"/></rootfiles></container>'
PACKAGE = """<package><metadata><dc:title id="t">Ships &amp; ports</dc:title></metadata><manifest>
<item id="toc" href="toc.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="two" media-type="application/xhtml+xml" href="text/part%20two.xhtml"/>
<item id="one" href='text/one.xhtml' media-type='application/xhtml+xml'/>
<item id="c" href="c.css" media-type="text/css"/>
</manifest><spine><itemref idref="toc"/><itemref idref="one"/><itemref idref="two"/></spine></package>"""
FILES = {
    "META-INF/container.xml": CONTAINER,
    "OEBPS/a.opf": PACKAGE,
    "OEBPS/toc.xhtml": "<html><body><p>Contents of this book</p></body></html>",
    "OEBPS/text/one.xhtml": "<html><head><title/></head><body><h1>Ships</h1><p>The ship is old.</p></body></html>",
    "OEBPS/text/part two.xhtml": "<html><body><h1>Ports</h1><p>The port is new.</p></body></html>",
}


def book(folder: Path, files: dict[str, str], prefix: str = "") -> Path:
    with ZipFile(folder / "ships.epub", "w") as packed:
        for name, text in files.items():
            packed.writestr(f"{prefix}{name}", text)
    return folder / "ships.epub"


def only(file: Path) -> Document:
    (document,) = documents_in(file, SourceOptions())
    return document


@pytest.mark.parametrize("prefix", ["", "made/"])
def test_a_book_is_one_document_in_the_order_of_reading(tmp_path: Path, prefix: str) -> None:
    file = book(tmp_path, FILES, prefix)
    assert files_of(tmp_path) == ([file], [])
    read = only(file)
    assert read.title == "Ships & ports"
    assert read.text == "Ships\n\nThe ship is old.\n\nPorts\n\nThe port is new."
    assert [(one.title, read.text[one.start :][:5]) for one in read.headings] == [
        ("Ships", "Ships"),
        ("Ports", "Ports"),
    ]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a.txt": "x"}, "no list of its pages"),
        ({**FILES, "OEBPS/a.opf": "<package/>"}, "no pages"),
        ({name: text for name, text in FILES.items() if "one" not in name}, "damaged"),
        (
            {**FILES, "META-INF/encryption.xml": '<enc:CipherReference URI="OEBPS/text/one.xhtml"/>'},
            "protected against copying",
        ),
    ],
)
def test_books_that_cannot_be_read(tmp_path: Path, files: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        only(book(tmp_path, files))


def test_encrypted_fonts_do_not_matter(tmp_path: Path) -> None:
    fonts = '<enc:CipherReference URI="OEBPS/fonts/a.otf"/>'
    assert "The ship is old." in only(book(tmp_path, {**FILES, "META-INF/encryption.xml": fonts})).text


def test_damaged_and_large_books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = book(tmp_path, FILES)
    packed = file.read_bytes()
    file.write_bytes(packed[:-40])
    with pytest.raises(InputError, match="damaged"):
        only(file)
    file.write_bytes(packed)
    monkeypatch.setattr(sources, "MOST_BYTES", len(packed))
    large = {**FILES, "OEBPS/text/one.xhtml": f"<html><body><p>{'x ' * len(packed)}</p></body></html>"}
    with ZipFile(file, "w", compression=8) as again:
        for name, text in large.items():
            again.writestr(name, text)
    with pytest.raises(InputError, match="more text than one document may have"):
        only(file)
