"""PDF files for tests."""

from __future__ import annotations

import io
from collections.abc import Iterable

import pypdf

Drawn = tuple[float, float, str]
"""A text and its place: points from the left, and from the bottom, of a page of 600 by 800 points."""


def pdf(*pages: str, title: str = "", outline: dict[int, str] | None = None, password: str | None = None) -> bytes:
    """A PDF file with lines of text on each page."""
    texts = []
    for text in pages:
        lines = "".join(f"({_escaped(line)}) Tj 0 -14 Td " for line in text.split("\n"))
        texts.append(f"BT /F1 12 Tf 50 750 Td {lines}ET" if text else "")
    writer = _writer(texts)
    for number, name in (outline or {}).items():
        writer.add_outline_item(title=name, page_number=number)
    if title:
        writer.add_metadata({"/Title": title})
    if password is not None:
        writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    return _bytes(writer)


def drawn_pdf(*pages: Iterable[Drawn]) -> bytes:
    """A PDF file with texts at places, drawn in this order."""
    return _bytes(
        _writer(
            " ".join(f"BT 1 0 0 1 {x} {y} Tm /F1 12 Tf ({_escaped(text)}) Tj ET" for x, y, text in page)
            for page in pages
        )
    )


def justified_pdf(*pages: str) -> bytes:
    """A PDF file with lines of words whose gaps are narrower than the space of their font, as in justified text."""
    contents = []
    for text in pages:
        lines = (" -250 ".join(f"({_escaped(word)})" for word in line.split(" ")) for line in text.split("\n"))
        contents.append("BT /F1 12 Tf 50 750 Td " + "".join(f"[{line}] TJ 0 -14 Td " for line in lines) + "ET")
    writer = _writer(contents)
    number = pypdf.generic.NumberObject
    for page in writer.pages:
        font = page["/Resources"]["/Font"]["/F1"]  # type: ignore[index]
        for key, value in {
            "/FirstChar": number(32), "/LastChar": number(255),
            "/Widths": pypdf.generic.ArrayObject([number(1000), *[number(500)] * 223]),
        }.items():  # fmt: skip
            font[pypdf.generic.NameObject(key)] = value
    return _bytes(writer)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _writer(contents: Iterable[str]) -> pypdf.PdfWriter:
    writer = pypdf.PdfWriter()
    font = pypdf.generic.DictionaryObject()
    for key, value in {
        "/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica", "/Encoding": "/WinAnsiEncoding",
    }.items():  # fmt: skip
        font[pypdf.generic.NameObject(key)] = pypdf.generic.NameObject(value)
    for content in contents:
        page = writer.add_blank_page(600, 800)
        stream = pypdf.generic.DecodedStreamObject()
        stream.set_data(content.encode("cp1252"))
        fonts = pypdf.generic.DictionaryObject({pypdf.generic.NameObject("/F1"): writer._add_object(font)})
        page[pypdf.generic.NameObject("/Resources")] = pypdf.generic.DictionaryObject(
            {pypdf.generic.NameObject("/Font"): fonts}
        )
        page[pypdf.generic.NameObject("/Contents")] = writer._add_object(stream)
    return writer


def _bytes(writer: pypdf.PdfWriter) -> bytes:
    data = io.BytesIO()
    writer.write(data)
    return data.getvalue()
