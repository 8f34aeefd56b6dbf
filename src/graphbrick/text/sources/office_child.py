"""Child process of `graphbrick.text.sources.office`: the text of a PDF or Word file, as JSON lines.

The file comes on the standard input. Each line is a part. A page of a PDF has its number as ``page``, a ``text``, and
the ``entries`` of the outline as [level, title]. A paragraph of a Word file has a ``text``, its ``headings`` as
[offset, level, title], and what stands ``before`` it. The last line is ``{"title": ..., "note": ...}``, or
``{"error": ...}``. Nothing of graphbrick is imported, so that it starts at once.
"""

from __future__ import annotations

import io
import json
import logging
import re
import sys
import zipfile
from collections.abc import Iterator
from typing import Any

MEMORY = 2 << 30  # bytes of address space
SECONDS = 3600  # of processor time
MOST_PAGES = 20_000
MOST_UNPACKED = 256 << 20  # bytes of all files in a Word file
MOST_FILES = 10_000
PAGE_LEVEL = 9  # of the heading that a page is; entries of the outline are above it

_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\0": "", "\u00ad": ""})
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐]\n(?=[^\W\d_])")
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
_NO_TITLE = re.compile(r"^\s*$|^untitled|^microsoft word - |\.(docx?|indd|tex|dvi|pdf|rtf|odt|pptx?|qxd)\s*$", re.I)
_HEADING = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_OLE = b"\xd0\xcf\x11\xe0"


class RefusedError(Exception):
    """A file that cannot be read; the message says why."""


def pdf_parts(data: bytes) -> Iterator[dict[str, Any]]:
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


def docx_parts(data: bytes) -> Iterator[dict[str, Any]]:
    """Yield a part for each paragraph and each row of a table, then title and note."""
    if data.startswith(_OLE):
        raise RefusedError("it has a password, or is of Word 97 to 2003; save it as .docx without a password")
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        entries = packed.infolist()
        size = sum(entry.file_size for entry in entries)
        if size > MOST_UNPACKED or len(entries) > MOST_FILES:
            raise RefusedError(
                f"it unpacks to {size / 1e6:,.0f} MB in {len(entries):,} files, the most are "
                f"{MOST_UNPACKED >> 20} MB in {MOST_FILES:,}; split it"
            )
    import docx

    document = docx.Document(io.BytesIO(data))
    title, before, any_text = str(document.core_properties.title or ""), "", False
    for block in document.iter_inner_content():
        if hasattr(block, "rows"):
            lines = list(table_lines(block))
            for i, line in enumerate(lines):
                yield {"headings": [], "text": line, "before": "\n" if i else "\n\n"}
                any_text = True
            before = "\n\n"
            continue
        text = words_of(block._p)
        if not text:
            continue
        style = style_of(block)
        level = _HEADING.match(style)
        is_item = style.startswith("List") or (block._p.pPr is not None and block._p.pPr.numPr is not None)
        if style == "Title" and not title:
            title = text
        yield {
            "headings": [[0, int(level.group(1)), text]] if level else [],
            "text": text,
            "before": "\n" if is_item and before == "item" else "\n\n",
        }
        before, any_text = "item" if is_item else "", True
    if not any_text:
        raise RefusedError("it has no text")
    yield {"title": title.strip(), "note": ""}


def style_of(paragraph: Any) -> str:
    """Return the name of the style of a paragraph, or that of a heading that it is based on."""
    style = paragraph.style
    name = str(getattr(style, "name", None) or "")
    for _ in range(10):
        if style is None or _HEADING.match(str(style.name or "")):
            break
        style = style.base_style
    return name if style is None else str(style.name)


def table_lines(table: Any) -> Iterator[str]:
    """Yield each row of a table, its cells with " | " between them; merged cells count once."""
    for row in table.rows:
        cells = list(dict.fromkeys(cell._tc for cell in row.cells))
        line = " | ".join(words_of(cell) for cell in cells).strip()
        if line.strip(" |"):
            yield line


def words_of(element: Any) -> str:
    """Return the words of a paragraph or cell, without hidden and deleted ones."""
    words: list[str] = []
    stack = [element]
    while stack:
        node = stack.pop()
        tag = node.tag
        if tag == _FALLBACK or tag == f"{_WORD}del" or (tag == f"{_WORD}r" and is_hidden(node)):
            continue
        if tag == f"{_WORD}t":
            words.append(node.text or "")
        elif tag in (f"{_WORD}tab", f"{_WORD}br", f"{_WORD}cr") or tag in (f"{_WORD}p", f"{_WORD}tc"):
            words.append(" ")
        stack.extend(reversed(node))
    return " ".join("".join(words).translate(_LIGATURES).split())


def is_hidden(run: Any) -> bool:
    """Return whether a run of words is hidden."""
    vanish = run.find(f"{_WORD}rPr/{_WORD}vanish")
    return vanish is not None and vanish.get(f"{_WORD}val", "1") not in ("0", "false", "off")


def limit() -> None:
    """Limit memory and processor time, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, SECONDS)):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def main() -> None:
    """Read a file of the kind that is named, and write its parts."""
    limit()
    logging.disable()
    parts = {"pdf": pdf_parts, "docx": docx_parts}[sys.argv[1]]
    try:
        for part in parts(sys.stdin.buffer.read()):
            sys.stdout.write(json.dumps(part) + "\n")
            sys.stdout.flush()
    except RefusedError as refusal:
        sys.stdout.write(json.dumps({"error": str(refusal)}) + "\n")


if __name__ == "__main__":
    main()
