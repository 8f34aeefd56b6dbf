"""Documents from PDF and Word files, which are read in a process with limits of time and memory.

Libraries for such files meet input that keeps them busy for ever, or unpacks to more than there is memory. The process
is stopped then, and the file is one that cannot be read.
"""

from __future__ import annotations

import importlib.util
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from typing import IO, Any

from graphbrick.core.errors import InputError, ModelError
from graphbrick.text.documents.document import Document, Heading
from graphbrick.text.sources import office_child, pdf_child, word_child
from graphbrick.text.sources.pdf_pages import Page, joined_pages

SECONDS = 60.0
"""A page or paragraph that takes longer is an error."""

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
    joined = joined_pages(Page(page["page"], page["text"], page["entries"]) for page in pages)
    note = "; ".join(filter(None, (end["note"], joined.note)))
    return Document(address, " ".join(end["title"].split()) or title, joined.text, joined.headings, note)


def _word(address: str, title: str, parts: Iterable[dict[str, Any]]) -> Document:
    """Return the document that the paragraphs of a Word file make."""
    *paragraphs, end = parts
    texts: list[str] = []
    headings: list[Heading] = []
    length = 0
    for part in paragraphs:
        before = part["before"] if texts else ""
        length += len(before)
        headings += [Heading(length + offset, level, name) for offset, level, name in part["headings"]]
        length += len(part["text"])
        texts += [before, part["text"]]
    first = next((heading.title for heading in headings if heading.level == 1), "")
    named = " ".join(end["title"].split()) or first or title
    return Document(address, named, "".join(texts), tuple(headings), end["note"])


def _parts(address: str, data: bytes, suffix: str) -> Generator[dict[str, Any]]:
    """Yield what the process that reads the file says; it is stopped when the caller stops."""
    command = [sys.executable, "-P", office_child.__file__, _READERS[suffix]]
    with tempfile.TemporaryFile() as log:
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env={**os.environ, "PYTHONUTF8": "1"}
        )
        lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threads = [
            threading.Thread(target=_write, args=(child.stdin, data), daemon=True),
            threading.Thread(target=_read, args=(child.stdout, lines), daemon=True),
        ]
        for thread in threads:
            thread.start()
        try:
            while line := lines.get(timeout=SECONDS):
                yield json.loads(line)
            if child.wait(timeout=SECONDS):
                raise InputError(_fault(log, child.returncode), address, code="office.failed")
        except (queue.Empty, subprocess.TimeoutExpired) as error:
            raise InputError(
                f"a page of it takes more than {SECONDS:.0f} s; leave it out or split it",
                address,
                code="office.too_slow",
            ) from error
        finally:
            child.kill()
            child.wait()
            for thread in threads:
                thread.join()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    pipe.close()


def _write(pipe: IO[bytes], data: bytes) -> None:
    """Hand over the content of the file."""
    try:
        pipe.write(data)
        pipe.close()
    except OSError:  # the process has ended; what it wrote tells why
        return


def _read(pipe: IO[bytes], lines: queue.SimpleQueue[bytes]) -> None:
    """Pass on the lines that a process writes, and an empty one at their end."""
    for line in pipe:
        lines.put(line)
    lines.put(b"")


def _fault(log: IO[bytes], code: int) -> str:
    """Return why the process failed, from the last line of its log."""
    log.seek(0)
    last = (log.read().decode("utf-8", "replace").strip().splitlines() or [f"the reader ended with {code}"])[-1]
    if last.startswith("MemoryError") or "memory" in last.lower():
        return f"reading it takes more than {office_child.MEMORY >> 30} GB of memory; split it"
    return f"it is damaged ({last.rpartition('errors.')[2]})"
