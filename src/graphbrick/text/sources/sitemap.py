"""The pages of a sitemap, fetched politely and kept; only what has changed is fetched again."""

from __future__ import annotations

import gzip
import io
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urldefrag, urlsplit
from xml.parsers import expat

from graphbrick.core.errors import InputError
from graphbrick.graphs.readers.streams import open_source, unpacked_name
from graphbrick.language.counting import counted
from graphbrick.text.documents.document import Document
from graphbrick.text.sources.hypertext import html_document
from graphbrick.text.sources.markup import markdown_document
from graphbrick.text.sources.office import office_document
from graphbrick.text.sources.plain import plain_document
from graphbrick.text.sources.web import MOST_BYTES, Client, FetchError, host_of

MOST_SITEMAP = 50 << 20  # bytes unpacked, as the protocol says
MOST_SITEMAPS = 500  # files, in an index and the indexes in it
MOST_DEPTH = 4
PAGES = "pages.sqlite"
_UNREACHABLE = 5  # pages in a row that cannot be reached, after which no more are tried
_GZIP = b"\x1f\x8b"
_TYPES = {
    "text/html": html_document,
    "application/xhtml+xml": html_document,
    "text/plain": plain_document,
    "text/markdown": markdown_document,
}
_PDF = "application/pdf"
_TABLE = """CREATE TABLE IF NOT EXISTS pages (sitemap TEXT, url TEXT, run INTEGER, lastmod TEXT, etag TEXT,
    modified TEXT, type TEXT, body BLOB, PRIMARY KEY (sitemap, url)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS runs (sitemap TEXT PRIMARY KEY, run INTEGER, done INTEGER) WITHOUT ROWID"""


@dataclass(frozen=True)
class Sitemap:
    """A source of `graphbrick.index`: the pages that a sitemap lists.

    Pages are fetched one after another, those of the sitemap's host only, and as its robots.txt allows. Those that were
    fetched are asked for again only if they may have changed (lastmod, ETag, Last-Modified).

    Args:
        address: Address or path of a sitemap or an index of sitemaps (XML, or a line for each address; also .gz).
        rate: Most requests a second, above 0 to 100.
        pages: Most pages, at least 1: the first ones that are listed.
    """

    address: str
    rate: float = 1.0
    pages: int = 1000

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 100:
            raise InputError(
                f"the rate is above 0 to 100 requests a second, got {self.rate}; try 1",
                code="sitemap.bad_rate",
                rate=self.rate,
            )
        if self.pages < 1:
            raise InputError(
                f"the number of pages is at least 1, got {self.pages}", code="sitemap.bad_pages", pages=self.pages
            )

    @property
    def is_file(self) -> bool:
        """True if it is a file, not an address."""
        return not is_address(self.address)

    @property
    def name(self) -> str:
        """Its address, or the absolute path of its file."""
        return str(Path(self.address).absolute()) if self.is_file else self.address


class Page(NamedTuple):
    """A page of a sitemap.

    Attributes:
        url: Its address.
        type: Its content type, in lower case.
        body: Its content; None if it could not be fetched.
        problem: Why it could not be fetched; empty if it was.
        is_gone: Whether the server says that there is no such page.
    """

    url: str
    type: str = ""
    body: bytes | None = None
    problem: str = ""
    is_gone: bool = False


def is_address(source: str) -> bool:
    """Return whether a source is an address, not a path."""
    return source.lower().startswith(("http://", "https://"))


def is_sitemap_file(file: Path) -> bool:
    """Return whether the name of a file is that of a sitemap."""
    return unpacked_name(file).endswith(".xml")


def pages_of(sitemap: Sitemap, folder: Path, note: Callable[[str], object] = lambda text: None) -> Iterator[Page]:
    """Yield the pages of a sitemap in order, from a folder; an interrupted run is continued.

    Args:
        sitemap: The sitemap.
        folder: Where pages are kept.
        note: Called with what a user should know.

    Raises:
        InputError: The sitemap cannot be read, lists no page, or the server cannot be reached any more.
    """
    home = "" if sitemap.is_file else host_of(sitemap.address)
    client = Client(sitemap.rate, home, only_home=not sitemap.is_file)
    listing = _Listing(sitemap, client)
    listed = listing.run()
    if listing.is_cut:
        note(
            f"{sitemap.name} lists more than {counted(sitemap.pages, 'page')}, and only these are read; --pages "
            "(pages) takes more"
        )
    with closing(sqlite3.connect(folder / PAGES, isolation_level=None)) as database:
        database.execute("PRAGMA secure_delete = ON")
        for statement in _TABLE.split(";"):
            database.execute(statement)
        run = _begun(database, sitemap.name)
        lost = 0
        for url, lastmod in listed.items():
            page = _page(database, client, sitemap.name, run, url, lastmod)
            lost = lost + 1 if page.problem.startswith("the server cannot be reached") else 0
            if lost == _UNREACHABLE:
                raise InputError(
                    f"{page.url}: {page.problem}; run the command again to go on",
                    sitemap.address,
                    code="sitemap.server_gone",
                )
            yield page
        database.execute("DELETE FROM pages WHERE sitemap = ? AND run != ?", (sitemap.name, run))
        database.execute("UPDATE runs SET done = 1 WHERE sitemap = ?", (sitemap.name,))


def forget_pages(folder: Path, name: str, urls: Iterable[str]) -> None:
    """Remove the pages of a sitemap, and those with addresses, from the folder where pages are kept."""
    if not (folder / PAGES).is_file():
        return
    with closing(sqlite3.connect(folder / PAGES, isolation_level=None)) as database:
        database.execute("PRAGMA secure_delete = ON")
        for table in ("pages", "runs"):
            database.execute(f"DELETE FROM {table} WHERE sitemap = ?", (name,))
        database.executemany("DELETE FROM pages WHERE url = ?", [(url,) for url in urls])


def _begun(database: sqlite3.Connection, name: str) -> int:
    """Return the number of this run: that of the last one if it was interrupted."""
    row = database.execute("SELECT run, done FROM runs WHERE sitemap = ?", (name,)).fetchone()
    run = 1 if row is None else int(row[0]) + int(row[1])
    database.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, 0)", (name, run))
    return run


def _page(database: sqlite3.Connection, client: Client, sitemap: str, run: int, url: str, lastmod: str) -> Page:
    """Return a page, as it was kept if it has not changed since."""
    row = database.execute(
        "SELECT run, lastmod, etag, modified, type, body FROM pages WHERE sitemap = ? AND url = ?", (sitemap, url)
    ).fetchone()
    conditions: dict[str, str] = {}
    if row is not None:
        if row[0] == run or (lastmod and lastmod == row[1]):
            database.execute("UPDATE pages SET run = ? WHERE sitemap = ? AND url = ?", (run, sitemap, url))
            return Page(url, row[4], zlib.decompress(row[5]))
        conditions = {"If-None-Match": row[2]} if row[2] else {"If-Modified-Since": row[3]} if row[3] else {}
    try:
        answer = client.get(url, conditions)
    except FetchError as error:
        is_gone = error.status in (404, 410)
        if row is not None and not is_gone:  # what is known of it stays
            database.execute("UPDATE pages SET run = ? WHERE sitemap = ? AND url = ?", (run, sitemap, url))
        return Page(url, problem=str(error), is_gone=is_gone)
    if row is not None and answer.status == 304:
        database.execute(
            "UPDATE pages SET run = ?, lastmod = ? WHERE sitemap = ? AND url = ?", (run, lastmod, sitemap, url)
        )
        return Page(url, row[4], zlib.decompress(row[5]))
    type_ = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    marks = (answer.headers.get("etag", ""), answer.headers.get("last-modified", ""))
    values = (sitemap, url, run, lastmod, *marks, type_, zlib.compress(answer.body))
    database.execute("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    return Page(url, type_, answer.body)


def page_document(page: Page) -> Document:
    """Return the document of a page; its address is the URL. Menus and footers of HTML are left out.

    Raises:
        InputError: It is of another kind, or has no text.
    """
    data = page.body or b""
    title = unquote(urlsplit(page.url).path).rstrip("/").rpartition("/")[2].partition(".")[0]
    title = " ".join(title.replace("-", " ").replace("_", " ").split()) or host_of(page.url)
    if page.type == _PDF:
        return office_document(page.url, title, data, ".pdf", MOST_BYTES)
    if page.type not in _TYPES:
        raise InputError(
            f"pages of type {page.type or 'unknown'} are not read", page.url, code="sitemap.other_type", type=page.type
        )
    if b"\0" in data:
        raise InputError("it is binary, not text", page.url, code="sitemap.binary")
    document = _TYPES[page.type](page.url, title, data)
    if not document.text.strip():
        raise InputError("it has no text", page.url, code="sitemap.no_text")
    return document


@dataclass
class _Listing:
    """A reader of a sitemap, and of the sitemaps that it names."""

    sitemap: Sitemap
    client: Client
    pages: dict[str, str] = field(default_factory=dict)  # lastmod by address
    is_cut: bool = False  # whether it lists more pages

    def run(self) -> dict[str, str]:
        """Return the addresses of the pages, and the times of their last changes as they are stated."""
        waiting, seen = [(self.sitemap.name, 0)], {self.sitemap.name}
        while waiting and len(self.pages) < self.sitemap.pages:
            address, depth = waiting.pop(0)
            for inner in self._read(address):
                if inner not in seen:
                    if depth == MOST_DEPTH or len(seen) == MOST_SITEMAPS:
                        raise InputError(
                            f"it names more than {MOST_SITEMAPS} sitemaps, or they name others more than {MOST_DEPTH} "
                            "times; index a sitemap that lists pages",
                            self.sitemap.address,
                            code="sitemap.too_many_sitemaps",
                        )
                    seen.add(inner)
                    waiting.append((inner, depth + 1))
        self.is_cut |= bool(waiting)
        if not self.pages:
            raise InputError("it lists no page", self.sitemap.address, code="sitemap.no_page")
        return self.pages

    def _read(self, address: str) -> list[str]:
        """Add the pages of a sitemap, and return the sitemaps that it names."""
        if is_address(address):
            try:
                data = self.client.get(address, most=MOST_SITEMAP).body
            except FetchError as error:
                raise InputError(str(error), address, code="sitemap.not_fetched", status=error.status) from error
        else:
            with open_source(Path(address)) as stream:
                data = stream.read(MOST_SITEMAP + 1)
        if data.startswith(_GZIP):
            data = _unpacked(data, address)
        if len(data) > MOST_SITEMAP:
            raise InputError(f"the sitemap has more than {MOST_SITEMAP >> 20} MB", address, code="sitemap.too_large")
        if not data.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
            for line in data.decode("utf-8-sig", "replace").splitlines():
                self._add(line, "")
            return []
        return self._parse(data, address)

    def _add(self, url: str, lastmod: str) -> None:
        url = urldefrag(url.strip())[0]
        if not is_address(url) or url in self.pages:
            return
        if len(self.pages) < self.sitemap.pages:
            self.pages[url] = lastmod.strip()
        else:
            self.is_cut = True

    def _parse(self, data: bytes, address: str) -> list[str]:
        """Add the pages of an XML sitemap, and return the sitemaps that it names. Entities are refused."""
        inner: list[str] = []
        fields: dict[str, str] = {}
        text: list[str] = []

        def start(name: str, _: dict[str, str]) -> None:
            text.clear()
            if _local(name) in ("url", "sitemap"):
                fields.clear()

        def end(name: str) -> None:
            local = _local(name)
            if local in ("loc", "lastmod"):
                fields.setdefault(local, "".join(text))
            elif local == "url":
                self._add(fields.get("loc", ""), fields.get("lastmod", ""))
            elif local == "sitemap" and is_address(fields.get("loc", "").strip()) and len(inner) < MOST_SITEMAPS:
                inner.append(fields["loc"].strip())
            text.clear()

        def refuse(*_: object) -> None:
            raise InputError(
                "the sitemap defines entities, which is not allowed in one", address, code="sitemap.entities"
            )

        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text.append
        parser.EntityDeclHandler = refuse
        try:
            parser.Parse(data, True)
        except (expat.ExpatError, LookupError, ValueError) as error:  # the last two by unknown encodings
            raise InputError(f"it is not a sitemap ({error})", address, code="sitemap.not_xml") from error
        return inner


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()


def _unpacked(data: bytes, address: str) -> bytes:
    """Return gzip data unpacked, up to one byte more than is allowed."""
    try:
        with gzip.open(io.BytesIO(data)) as stream:
            return stream.read(MOST_SITEMAP + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"the gzip data of the sitemap are damaged ({error})", address, code="sitemap.damaged_gzip"
        ) from error
