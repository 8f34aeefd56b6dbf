"""Documents from PDF and Word files, which are read in a process with limits of time and memory.

Libraries for such files meet input that keeps them busy for ever, or unpacks to more than there is memory. The process
is stopped then, and the file is one that cannot be read.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError, ModelError
from graphbrick.core.workers import Worker, WorkerFault
from graphbrick.text.documents.document import Document, Heading
from graphbrick.text.sources import office_child, pdf_child, word_child
from graphbrick.text.sources.pdf_contents import without_contents
from graphbrick.text.sources.pdf_pages import Page, joined_pages
from graphbrick.text.sources.plain.hyphens import rejoined
from graphbrick.text.sources.raised import without_marks

SECONDS = 60.0
"""A page or paragraph that takes longer is an error."""
MEMORY = 2 << 30
"""Bytes that reading a file may take."""
_LONGEST = 300  # characters of what a library says

_PACKAGES = {".pdf": ("pypdf", "pypdf", "PDF"), ".docx": ("docx", "python-docx", "Word")}
_READERS = {".pdf": pdf_child.__file__, ".docx": word_child.__file__}
OFFICE = tuple(_PACKAGES)
"""Suffixes of the files that are read here."""


def office_document(address: str, title: str, data: bytes, suffix: str, most: int) -> Document:
    """Return the document of a PDF or Word file.

    The pages of a PDF are sections, under the entries of its outline, without what every page repeats. Headings of a
    Word file give sections, and each row of a table is a line.

    Args:
        address: Its path or address.
        title: Its title if it states none.
        data: Its content.
        suffix: ".pdf" or ".docx".
        most: Most characters of text.

    Raises:
        InputError: It is encrypted, damaged, without text, or takes too much time or memory.
        ModelError: The package for such files is not installed.
    """
    module, package, kind = _PACKAGES[suffix]
    if importlib.util.find_spec(module) is None:
        raise ModelError(
            f"{kind} files need the package {package}: pip install 'graphbrick[text]'",
            code="office.no_package",
            package=package,
        )
    make = _pdf if suffix == ".pdf" else _word
    with closing(_parts(address, data, suffix)) as parts:
        return make(address, title, _checked(address, parts, most))


def _checked(address: str, parts: Iterable[dict[str, Any]], most: int) -> Iterator[dict[str, Any]]:
    """Yield the parts to the last one, which has title and note; raise InputError for what they say is wrong."""
    length = 0
    for part in parts:
        if "error" in part:
            raise InputError(part["error"], address, code="office.refused")
        yield part
        if "title" in part:
            return
        length += len(part["text"])
        if length > most:
            raise InputError(
                f"it has more than {most >> 20} million characters, the most for one document",
                address,
                code="office.too_long",
            )
    raise InputError("it is damaged: its end is missing", address, code="office.damaged")


def _pdf(address: str, title: str, parts: Iterable[dict[str, Any]]) -> Document:
    """Return the document that the pages of a PDF make."""
    *pages, end = parts
    texts = rejoined([page["text"] for page in pages])
    made, contents = without_contents(
        [Page(page["page"], text, page["entries"]) for page, text in zip(pages, texts, strict=True)]
    )
    joined = joined_pages(made)
    note = "; ".join(filter(None, (end["note"], contents, joined.note)))
    return Document(address, " ".join(end["title"].split()) or title, joined.text, joined.headings, note)


def _word(address: str, title: str, parts: Iterable[dict[str, Any]]) -> Document:
    """Return the document that the paragraphs of a Word file make."""
    *paragraphs, end = parts
    texts: list[str] = []
    headings: list[Heading] = []
    length = 0
    for part in paragraphs:
        before = part["before"] if texts else ""
        text = without_marks(part["text"])
        length += len(before)
        headings += [Heading(length + offset, level, without_marks(name)) for offset, level, name in part["headings"]]
        length += len(text)
        texts += [before, text]
    first = next((heading.title for heading in headings if heading.level == 1), "")
    named = " ".join(without_marks(end["title"]).split()) or first or title
    return Document(address, named, "".join(texts), tuple(headings), end["note"])


def _parts(address: str, data: bytes, suffix: str) -> Generator[dict[str, Any]]:
    """Yield the parts that a process reads; it is stopped when the caller stops."""
    try:
        worker = Worker(Path(office_child.__file__), {"reader": _READERS[suffix]}, MEMORY)
        with closing(worker):
            part = worker.ask(data, SECONDS)
            while part is not None:
                yield part
                part = worker.ask(None, SECONDS)
    except WorkerFault as fault:
        if fault.kind == "time":
            text = f"a page of it takes more than {SECONDS:.0f} s; leave it out or split it"
            raise InputError(text, address, code="office.too_slow") from fault
        if fault.kind == "memory":
            text = f"reading it takes more than {MEMORY >> 30} GB of memory; split it"
        else:
            text = f"it is damaged ({' '.join(fault.reason.split())[:_LONGEST]})"
        raise InputError(text, address, code="office.failed") from fault
