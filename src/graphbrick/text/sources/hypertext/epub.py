"""Documents from books (.epub), which are packed web pages."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from html import unescape
from io import BytesIO
from posixpath import dirname, join, normpath
from typing import NamedTuple
from urllib.parse import unquote
from zipfile import BadZipFile, ZipFile

from graphbrick.core.errors import InputError
from graphbrick.text.documents.document import Document, Heading
from graphbrick.text.sources.hypertext.page import html_document

EPUB = (".epub",)
_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_ROOT = re.compile(r"<(?:\w+:)?rootfile\b[^<>]*?\bfull-path\s*=\s*[\"']([^\"'<>]+)")
_ITEM = re.compile(r"<(?:\w+:)?item\s[^<>]*>")
_REFERENCE = re.compile(r"<(?:\w+:)?itemref\s[^<>]*?\bidref\s*=\s*[\"']([^\"'<>]+)")
_ATTRIBUTE = re.compile(r"\b([\w-]+)\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)')")
_TITLE = re.compile(r"<dc:title\b[^<>]*>([^<>]+)<")
_ENCRYPTED = re.compile(r"<(?:\w+:)?CipherReference\b[^<>]*?\bURI\s*=\s*[\"']([^\"'<>]+)")
_EMPTY = re.compile(r"<(title|script|style|textarea|iframe)\b([^<>]*)/>", re.IGNORECASE)  # no end for a page of HTML
_PAGES = ("application/xhtml+xml", "text/html")


class _Part(NamedTuple):
    text: str
    headings: tuple[Heading, ...]
    note: str


def epub_document(address: str, title: str, data: bytes, most: int) -> Document:
    """Return the document of a book: its pages in the order of reading, without its table of contents.

    Args:
        address: Its path or address.
        title: Its title if it states none.
        data: Its content.
        most: Most bytes of its pages, unpacked.

    Raises:
        InputError: It is damaged, protected, too large, or has no pages.
        ModelError: The package for web pages is not installed.
    """
    try:
        with ZipFile(BytesIO(data)) as book:
            package = _package(address, book, most)
            parts = list(_parts(address, book, *package, most))
            named = _TITLE.search(package[1])
    except (BadZipFile, KeyError, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"it is damaged or protected ({error})", address, code="epub.damaged") from error
    texts, headings, length = list[str](), list[Heading](), 0
    for part in parts:
        headings += [Heading(length + one.start, one.level, one.title) for one in part.headings]
        texts.append(part.text)
        length += len(part.text) + 2
    notes = list(dict.fromkeys(part.note for part in parts if part.note))
    note = notes[0] + (f" (and {len(notes) - 1:,} more such notes)" if len(notes) > 1 else "") if notes else ""
    stated = " ".join(unescape(named[1]).split()) if named else ""
    return Document(address, stated or title, "\n\n".join(texts), tuple(headings), note)


def _package(address: str, book: ZipFile, most: int) -> tuple[str, str]:
    """Return the name of the file that lists the pages, and its text.

    Some books are packed with the folder that they were made in.
    """
    containers = sorted((name for name in book.namelist() if name.endswith(_CONTAINER)), key=len)
    listed = _read(address, book, containers[0], most).decode("utf-8", "replace") if containers else ""
    root = _ROOT.search(listed)
    if root is None:
        raise InputError("it is damaged: it names no list of its pages", address, code="epub.no_list")
    name = containers[0].removesuffix(_CONTAINER) + unescape(root[1])
    return name, _read(address, book, name, most).decode("utf-8", "replace")


def _parts(address: str, book: ZipFile, package: str, listing: str, most: int) -> Iterator[_Part]:
    """Yield the pages that have text."""
    items = {}
    for match in _ITEM.finditer(listing):
        facts = {name: unescape(one or other) for name, one, other in _ATTRIBUTE.findall(match[0])}
        is_page = facts.get("media-type") in _PAGES and "nav" not in facts.get("properties", "").split()
        if is_page and "id" in facts and "href" in facts:
            items[facts["id"]] = normpath(join(dirname(package), unquote(facts["href"])))
    names = [items[one] for one in _REFERENCE.findall(listing) if one in items]
    for encryption in filter(lambda name: name.endswith(_ENCRYPTION), book.namelist()):
        listed = _read(address, book, encryption, most).decode("utf-8", "replace")
        folder = encryption.removesuffix(_ENCRYPTION)
        if not {normpath(join(folder, unquote(one))) for one in _ENCRYPTED.findall(listed)}.isdisjoint(names):
            raise InputError("it is protected against copying, so it cannot be read", address, code="epub.protected")
    if not names:
        raise InputError("it has no pages", address, code="epub.no_pages")
    left = most
    for name in names:
        data = _read(address, book, name, left)
        left -= len(data)
        page = html_document(address, "", _EMPTY.sub(r"<\1\2></\1>", data.decode("utf-8-sig", "replace")).encode())
        if page.text.strip():
            yield _Part(page.text, page.headings, page.note)


def _read(address: str, book: ZipFile, name: str, most: int) -> bytes:
    """Return the content of a file of the book."""
    with book.open(name) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise InputError("it has more text than one document may have; split it", address, code="epub.too_large")
    return data
