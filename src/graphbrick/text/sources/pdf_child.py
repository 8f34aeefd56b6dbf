"""The pages of a PDF; a part of the child process `graphbrick.text.sources.office_child`."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

MOST_PAGES = 20_000
PAGE_LEVEL = 9  # of the heading that a page is; entries of the outline are above it

_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\0": "", "\u00ad": ""})
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐]\n(?=[^\W\d_])")
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
_NO_TITLE = re.compile(r"^\s*$|^untitled|^microsoft word - |\.(docx?|indd|tex|dvi|pdf|rtf|odt|pptx?|qxd)\s*$", re.I)


class RefusedError(Exception):
    """A file that cannot be read; the message says why."""


def parts(data: bytes) -> Iterator[dict[str, Any]]:
    """Yield a part for each page with text, then title and note."""
    import pypdf
    from pypdf.errors import DependencyError

    reader = pypdf.PdfReader(io.BytesIO(data))
    note = ""
    try:
        if reader.is_encrypted and not reader.decrypt(""):
            raise RefusedError("it is encrypted and needs a password; remove it first (qpdf --decrypt --password=...)")
        pages = len(reader.pages)
    except DependencyError as error:
        raise RefusedError("it is encrypted with AES; to read such files: pip install cryptography") from error
    if pages > MOST_PAGES:
        raise RefusedError(f"it has {pages:,} pages, the most are {MOST_PAGES:,}; split it")
    try:
        above = outline_of(reader)
    except (pypdf.errors.PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        above, note = {}, "its outline is damaged"
    empty: list[int] = []
    waiting: list[tuple[int, str]] = []
    for number, page in enumerate(reader.pages, 1):
        text = tidied(page.extract_text())
        waiting += above.get(number - 1, [])
        if text:
            yield {"page": number, "text": text, "entries": waiting}
            waiting = []
        else:
            empty.append(number)
    if len(empty) == pages:
        raise RefusedError(f"it has no text in {pages:,} pages; if it was scanned, recognise the text first (ocrmypdf)")
    if empty:
        without = f"no text on {numbered(empty)} of {pages:,}, which may be scanned"
        note = "; ".join(filter(None, (note, without)))
    named = reader.metadata.title if reader.metadata is not None else None
    yield {"title": "" if named is None or _NO_TITLE.search(str(named)) else str(named), "note": note}


def numbered(pages: list[int]) -> str:
    """Return numbers of pages as people write them.

    >>> numbered([1]), numbered([1, 3, 4, 5])
    ('page 1', 'pages 1, 3 to 5')
    """
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    texts = [f"{run[0]}" if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    return f"page{'s' if len(pages) > 1 else ''} {', '.join(texts)}"


def outline_of(reader: Any) -> dict[int, list[tuple[int, str]]]:
    """Return level and title of the entries of the outline, in order, by the index of their page."""
    above: dict[int, list[tuple[int, str]]] = {}
    stack: list[tuple[Any, int]] = [(reader.outline, 0)]
    while stack:
        entry, level = stack.pop()
        if isinstance(entry, list):
            stack += [(one, level + 1) for one in reversed(entry)]
            continue
        page = reader.get_destination_page_number(entry)
        title = " ".join(str(entry.title).split())
        if page is not None and page >= 0 and title and level < PAGE_LEVEL:
            above.setdefault(page, []).append((level, title))
    return above


def tidied(text: str) -> str:
    """Return a page's text without ligatures, hyphens at line ends and spaces around lines."""
    text = text.translate(_LIGATURES).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    lines = "\n".join(line.strip() for line in text.splitlines())
    return _BLANK_LINES.sub("\n\n", _HYPHEN.sub(joined_word, lines)).strip()


def joined_word(match: re.Match[str]) -> str:
    """Return what a hyphen at the end of a line becomes: nothing before a small letter, else the hyphen."""
    return "" if match.string[match.end()].islower() else "-"
