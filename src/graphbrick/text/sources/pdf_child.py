"""The pages of a PDF; read by the engine `graphbrick.text.sources.office_child`."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

MOST_PAGES = 20_000
PAGE_LEVEL = 9  # of the heading that a page is; entries of the outline are above it

_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\0": "", "\u00ad": ""})
_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
_NO_TITLE = re.compile(r"^\s*$|^untitled|^microsoft word - |\.(docx?|indd|tex|dvi|pdf|rtf|odt|pptx?|qxd)\s*$", re.I)


_LEAST_ROWS = 3  # of a block of columns
_NEAR = 2.0  # points between the beginnings of lines that are below one another
_LEADING = 1.7  # times the usual distance of lines, from which a block ends
_GOES_ON = 0.4  # share of the lines of a column that go on with a small letter
_FULL = 0.8  # of the longest line of a column: a line is full if it were longer with the next word
_MOST_FULL = 0.7  # share of the lines of a column that are full, or end a sentence
_SENTENCE_END = re.compile(r"[.!?][\"'”’)]?$")
_LONGEST_WORD = 25  # letters; longer words are rare in any language
_NO_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")
_NOT_PROSE = re.compile(r"[\d/\\@_=<>{}|#~^*+&%$]|\.\.|…")  # signs of addresses, code and leaders
_JOINTS = re.compile(r"[._:-]")  # between the parts of a name
_LEAST_GLUED = 0.02  # share of the letters of a page in words that are too long, from which another reader is asked
_MOST_GLUED = 0.1  # share from which a note says that words run together
_FEW_GLUED = 2  # words, with which a note says so
_MOST_PLACES = 20  # of a line on a page
_OTHER_HYPHENS = str.maketrans({"\ufffe": "-", "\x02": "-"})
_INNER_END = re.compile(r"[^\W\d_]{3}[.!?][\"'”’)]?\s+\S")  # of a sentence, before another in the same line


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
    spacing = Spacing(data)
    waiting: list[tuple[int, str]] = []
    for number, page in enumerate(reader.pages, 1):
        pieces: list[Piece] = []
        page.extract_text(visitor_text=partial(keep_piece, pieces))
        text = tidied(spacing.mended(in_columns(pieces), number))
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
    note = "; ".join(filter(None, (note, spacing.note())))
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
    """Return a page's text without ligatures and spaces around lines."""
    text = text.translate(_LIGATURES).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    lines = "\n".join(line.strip() for line in text.splitlines())
    return _BLANK_LINES.sub("\n\n", lines).strip()


class Spacing:
    """A reader of the spaces that justified text lacks, as its gaps are narrower than pypdf expects.

    Args:
        data: The file.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._file: Any = None  # as pypdfium2 reads it; () if it cannot
        self._has_other = True
        self._mended: list[int] = []
        self._glued: list[int] = []

    def mended(self, text: str, number: int) -> str:
        """Return the text of a page; where words run together, with the spaces that pypdfium2 finds."""
        if glued_share(text, 1) < _LEAST_GLUED:
            return text
        text = text.translate(_LIGATURES)
        spaced = respaced(text, self._read(number).translate(_LIGATURES).translate(_OTHER_HYPHENS))
        if spaced != text:
            self._mended.append(number)
        if glued_share(spaced, _FEW_GLUED) >= _MOST_GLUED:
            self._glued.append(number)
        return spaced

    def _read(self, number: int) -> str:
        """Return a page as pypdfium2 reads it; empty if it is not installed, or cannot read the file."""
        if self._file is None and self._has_other:
            try:
                from pypdfium2 import PdfDocument

                self._file = PdfDocument(self._data)
            except ImportError:
                self._has_other = False
            except RuntimeError:  # of pypdfium2
                self._file = ()
        try:
            return str(self._file[number - 1].get_textpage().get_text_range()) if self._file else ""
        except (RuntimeError, IndexError):
            return ""

    def note(self) -> str:
        """Return what was done, and what could not be; empty for nothing."""
        notes = []
        if self._mended:
            notes.append(f"words that ran together on {numbered(self._mended)} were taken apart")
        if self._glued:
            hint = "" if self._has_other else " (to take them apart: pip install pypdfium2)"
            notes.append(f"words run together on {numbered(self._glued)}, so that they are hard to find{hint}")
        return "; ".join(notes)


def glued_share(text: str, least: int) -> float:
    """Return the share of the letters of a page in words too long to be one; 0 for less than ``least`` such words."""
    words = text.split()
    glued = [
        word
        for word in words
        if max(sum(map(str.isalpha, part)) for part in _JOINTS.split(word)) > _LONGEST_WORD
        and not _NOT_PROSE.search(word)
        and not _NO_SPACES.search(word)
    ]
    return sum(map(len, glued)) / sum(map(len, words)) if len(glued) >= least else 0.0


def respaced(text: str, other: str) -> str:
    """Return a text with the spaces that it has, and those of another reading of the same page.

    >>> respaced("Lesoutils sont\\nindispensables", "Les outils sont indispensables")
    'Les outils sont\\nindispensables'
    """
    words = other.split()
    bare = "".join(words)
    begins = set(accumulate(map(len, words)))
    return "\n".join(
        whole
        if (whole := spaced_as(line, bare, begins)) is not None
        else " ".join(spaced_as(word, bare, begins) or word for word in line.split(" "))
        for line in text.split("\n")
    )


def spaced_as(text: str, bare: str, begins: set[int]) -> str | None:
    """Return a line or word with the spaces that it has wherever it stands in another text; None if it is not there.

    Args:
        text: The line or word.
        bare: The other text without spaces.
        begins: The offsets in it before which a space stands.
    """
    letters = "".join(text.split())
    places: list[set[int]] = []
    at = bare.find(letters) if letters else -1
    while at >= 0 and len(places) < _MOST_PLACES:
        places.append({begin - at for begin in range(at + 1, at + len(letters)) if begin in begins})
        at = bare.find(letters, at + 1)
    if not places:
        return None
    spaces = set.intersection(*places) | set(accumulate(map(len, text.split())))
    return "".join(f" {letter}" if i in spaces else letter for i, letter in enumerate(letters))


class Piece(NamedTuple):
    """A piece of text with the place of its beginning on the page, in points, and the size of its letters."""

    text: str
    x: float
    y: float
    size: float


def keep_piece(pieces: list[Piece], text: str, page: list[float], line: list[float], _: object, size: float) -> None:
    """Add a piece of text that is drawn, with its place by the matrices of the page and the line."""
    x = line[4] * page[0] + line[5] * page[2] + page[4]
    y = line[4] * page[1] + line[5] * page[3] + page[5]
    pieces.append(Piece(text, x, y, abs(size * page[3]) or 1.0))


def in_columns(pieces: Sequence[Piece]) -> str:
    """Return the text of a page in the order in which it is drawn, but for columns of text that are drawn row by row.

    They are read one after another. Columns are lines that begin at the same places in three or more rows, and whose
    sentences go on in the next row; a table, whose rows belong together, stays as it is.
    """
    rows: list[list[int]] = []
    for i, piece in enumerate(pieces):
        if piece.text.strip():
            last = pieces[rows[-1][-1]] if rows else None
            if last is not None and abs(last.y - piece.y) < 0.4 * piece.size and piece.x > last.x:
                rows[-1].append(i)
            else:
                rows.append([i])
    starts = Counter(round(pieces[i].x / _NEAR) for row in rows for i in row[1:])
    common = [place * _NEAR for place, _ in starts.items() if starts[place] + starts[place + 1] >= _LEAST_ROWS]
    texts = [piece.text for piece in pieces]
    if common:
        for block in blocks_of(pieces, rows, common):
            text = columns_read(pieces, block, common)
            if text:
                begin, end = block[0][0], block[-1][-1]
                texts[begin : end + 1] = [f"{text}\n", *[""] * (end - begin)]
    return "".join(texts)


def blocks_of(pieces: Sequence[Piece], rows: list[list[int]], common: list[float]) -> Iterator[list[list[int]]]:
    """Yield runs of rows in which most have a piece that begins where others do; each is a list of indices."""
    block: list[list[int]] = []
    step = 0.0
    for row in rows:
        head = pieces[row[0]]
        is_wide = any(abs(pieces[i].x - x) <= _NEAR for i in row[1:] for x in common)
        below = pieces[block[-1][0]].y - head.y if block else 0.0
        is_near = bool(block) and 0 < below <= _LEADING * (step or 2 * head.size)
        is_part = is_wide or (is_near and any(abs(head.x - pieces[i].x) <= _NEAR for i in block[0]))
        if block and not (is_near and is_part):
            yield block
            block, step = [], 0.0
        if is_part:
            step = below if block and not step else step
            block.append(row)
    if block:
        yield block


def columns_read(pieces: Sequence[Piece], block: list[list[int]], common: list[float]) -> str:
    """Return the text of a block column by column; empty if it is a table, or not in columns."""
    counts = {x: sum(any(abs(pieces[i].x - x) <= _NEAR for i in row[1:]) for row in block) for x in common}
    begins = [min(pieces[row[0]].x for row in block)]
    for x in sorted(x for x, count in counts.items() if count >= max(_LEAST_ROWS, len(block) / 4)):
        if x > begins[-1] + 2 * _NEAR:
            begins.append(x)
    columns: list[list[str]] = [[] for _ in begins]
    for row in block:
        cells = [""] * len(begins)
        for i in row:
            piece = pieces[i]
            column = sum(piece.x >= begin - _NEAR for begin in begins) - 1
            cells[column] += piece.text.replace("\n", " ") if cells[column] else piece.text.strip()
        for lines, cell in zip(columns, cells, strict=True):
            if cell.strip():
                lines.append(cell.strip())
    has_sentences = any(_INNER_END.search(line) for lines in columns for line in lines)
    if len(columns) < 2 or not has_sentences or not all(map(is_prose, columns)):
        return ""
    text = ""
    for lines in columns:
        text += ("" if not text else "\n" if lines[0][0].islower() else "\n\n") + "\n".join(lines)
    return text


def is_prose(lines: list[str]) -> bool:
    """Return whether the lines of a column are sentences that go on from line to line, and not cells of a table."""
    if len(lines) < _LEAST_ROWS:
        return False
    going_on = sum(line[0].islower() for line in lines[1:])
    longest = max(map(len, lines))
    full = sum(
        len(f"{line} {after.split()[0]}") >= _FULL * longest or bool(_SENTENCE_END.search(line))
        for line, after in pairwise(lines)
    )
    return going_on >= _GOES_ON * (len(lines) - 1) and full >= _MOST_FULL * (len(lines) - 1)
