"""The paragraphs of a Word file; read by the engine `graphbrick.text.sources.office_child`."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

MOST_UNPACKED = 256 << 20  # bytes of all files in a Word file
MOST_FILES = 10_000

_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\0": "", "\u00ad": ""})
_HEADING = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_DRAWINGS = "{http://schemas.openxmlformats.org/drawingml/2006/"
_DRAWN = {"chart": f"{_DRAWINGS}chart}}chart", "diagram": f"{_DRAWINGS}diagram}}relIds"}
_LEFT_OUT = frozenset((_FALLBACK, f"{_WORD}del", f"{_WORD}moveFrom"))
_SPACES = frozenset(f"{_WORD}{name}" for name in ("tab", "br", "cr", "p", "tc"))
_RAISED = {"superscript": "\2", "subscript": "\3"}  # the marks of `graphbrick.text.sources.raised`; "\4" ends them
_OLE = b"\xd0\xcf\x11\xe0"
_SHORT_NOTE = 120  # characters of a note that stands in its sentence
_SENTENCE_END = re.compile(r"[.!?]\s|[。！？]")
_PAGE_FIELD = re.compile(r"\b(?:NUM|SECTION)?PAGES?\b", re.IGNORECASE)
_ROMAN = {1000: "m", 900: "cm", 500: "d", 400: "cd", 100: "c", 90: "xc", 50: "l", 40: "xl", 10: "x", 9: "ix", 5: "v",
          4: "iv", 1: "i"}  # fmt: skip


class RefusedError(Exception):
    """A file that cannot be read; the message says why."""


def parts(data: bytes) -> Iterator[dict[str, Any]]:
    """Yield a part for each paragraph and each row of a table, then title and note.

    Footnotes and endnotes stand at their place, or after the paragraph if they are long; the headers of a section
    before it, and the footers after it, each text once.
    """
    check(data)
    import docx

    document = docx.Document(io.BytesIO(data))
    unwrap(document.element.body)
    title, before, any_text = str(document.core_properties.title or ""), "", False
    notes, numbering, margins = Notes(document.part), Numbering(document.part), Margins(document)
    sections = list(document.sections)

    def edge(i: int, kind: str) -> Iterator[dict[str, Any]]:
        nonlocal any_text
        for line in margins.lines(sections[i], kind) if i < len(sections) else ():
            any_text = True
            yield {"headings": [], "text": line, "before": "\n\n"}

    section = 0
    yield from edge(0, "header")
    for block in document.iter_inner_content():
        if hasattr(block, "rows"):
            for i, line in enumerate(table_lines(block, notes)):
                yield {"headings": [], "text": line, "before": "\n" if i else "\n\n"}
                any_text = True
            before = "\n\n"
            continue
        number = numbering.next(block)
        text = words_of(block._p, notes)
        style = style_of(block)
        level = _HEADING.match(style)
        if text:
            in_list = block._p.pPr is not None and block._p.pPr.numPr is not None
            is_item = not level and (bool(number) or style.startswith("List") or in_list)
            text = f"{number} {text}" if number else text
            if style == "Title" and not title:
                title = text
            yield {
                "headings": [[0, int(level.group(1)), text]] if level else [],
                "text": "\n".join([text, *notes.waiting()]),
                "before": "\n" if is_item and before == "item" else "\n\n",
            }
            before, any_text = "item" if is_item else "", True
        if block._p.pPr is not None and block._p.pPr.find(f"{_WORD}sectPr") is not None:
            yield from edge(section, "footer")
            section += 1
            yield from edge(section, "header")
    yield from edge(section, "footer")
    if not any_text:
        raise RefusedError("it has no text")
    yield {"title": title.strip(), "note": left_out(document)}


def left_out(document: Any) -> str:
    """Return how many comments, charts and diagrams are not read; empty for none."""
    comments = related(document.part, "comments")
    n = 0 if comments is None else len(comments.findall(f"{_WORD}comment"))
    sizes = {"comment": n} | {name: len(list(document.element.iter(tag))) for name, tag in _DRAWN.items()}
    told = " and ".join(f"{n:,} {name}{'s' if n > 1 else ''}" for name, n in sizes.items() if n)
    return f"{told} left out" if told else ""


def check(data: bytes) -> None:
    """Raise RefusedError for a file of another kind, or one that unpacks to too much."""
    if data.startswith(_OLE):
        raise RefusedError("it has a password, or is of Word 97 to 2003; save it as .docx without a password")
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        entries = packed.infolist()
        size = sum(entry.file_size for entry in entries)
        if size > MOST_UNPACKED or len(entries) > MOST_FILES:
            unpacked = f"it unpacks to {size / 1e6:,.0f} MB in {len(entries):,} files"
            raise RefusedError(f"{unpacked}, the most are {MOST_UNPACKED >> 20} MB in {MOST_FILES:,}; split it")


def unwrap(body: Any) -> None:
    """Replace content controls and custom XML by what they hold, as paragraphs and rows in them are not listed else."""
    for wrapper in list(body.iter(f"{_WORD}sdt", f"{_WORD}customXml")):
        content = wrapper.find(f"{_WORD}sdtContent") if wrapper.tag == f"{_WORD}sdt" else wrapper
        for child in list(content if content is not None else ()):
            if child.tag != f"{_WORD}customXmlPr":
                wrapper.addprevious(child)
        wrapper.getparent().remove(wrapper)


def related(part: Any, kind: str) -> Any:
    """Return the root of the part of a kind that belongs to another, such as "footnotes"; None if there is none."""
    from docx.oxml import parse_xml

    for relation in part.rels.values():
        if relation.reltype.endswith(f"/{kind}") and not relation.is_external:
            target = relation.target_part
            return target.element if hasattr(target, "element") else parse_xml(target.blob)
    return None


def style_of(paragraph: Any) -> str:
    """Return the name of the style of a paragraph, or that of a heading that it is based on."""
    style = paragraph.style
    name, depth = str(getattr(style, "name", None) or ""), 0
    while style is not None and depth < 10 and not _HEADING.match(str(style.name or "")):
        style, depth = style.base_style, depth + 1
    return name if style is None else str(style.name)


def table_lines(table: Any, notes: Notes | None = None) -> Iterator[str]:
    """Yield each row of a table, its cells with " | " between them; merged cells count once."""
    for row in table.rows:
        cells = list(dict.fromkeys(cell._tc for cell in row.cells))
        line = " | ".join(words_of(cell, notes) for cell in cells).strip()
        waiting = notes.waiting() if notes is not None else []
        if line.strip(" |"):
            yield " ".join([line, *waiting])


def words_of(element: Any, notes: Notes | None = None) -> str:
    """Return the words of a paragraph or cell, without hidden and deleted ones; formulas on one line."""
    words: list[str] = []
    stack = [element]
    while stack:
        node = stack.pop()
        tag = node.tag
        if not isinstance(tag, str) or tag in _LEFT_OUT or (tag == f"{_WORD}r" and is_hidden(node)):
            continue
        if tag == f"{_MATH}oMath":
            words.append(formula(node))
            continue
        if tag == f"{_WORD}t":
            align = node.getparent().find(f"{_WORD}rPr/{_WORD}vertAlign")
            mark = "" if align is None else _RAISED.get(align.get(f"{_WORD}val"), "")
            words += [mark, node.text or "", mark and "\4"]
        elif tag in _SPACES:
            words.append(" ")
        elif notes is not None and tag in (f"{_WORD}footnoteReference", f"{_WORD}endnoteReference"):
            words.append(notes.at(tag.removeprefix(_WORD).removesuffix("Reference"), node.get(f"{_WORD}id")))
        stack.extend(reversed(node))
    return " ".join("".join(words).translate(_LIGATURES).split())


def is_hidden(run: Any) -> bool:
    """Return whether a run of words is hidden."""
    vanish = run.find(f"{_WORD}rPr/{_WORD}vanish")
    return vanish is not None and vanish.get(f"{_WORD}val", "1") not in ("0", "false", "off")


class Notes:
    """The footnotes and endnotes of a document."""

    def __init__(self, part: Any) -> None:
        self._texts: dict[tuple[str, str | None], str] = {}
        self._waiting: list[str] = []
        self._n = 0
        for kind in ("footnote", "endnote"):
            root = related(part, f"{kind}s")
            for note in () if root is None else root.findall(f"{_WORD}{kind}"):
                if note.get(f"{_WORD}type", "normal") == "normal":
                    self._texts[kind, note.get(f"{_WORD}id")] = words_of(note)

    def at(self, kind: str, id_: str | None) -> str:
        """Return what stands at the place of a note: a short one itself, of a long one its number."""
        text = self._texts.get((kind, id_), "")
        if not text:
            return ""
        if len(text) <= _SHORT_NOTE and not _SENTENCE_END.search(text):
            return f" [{text}]"
        self._n += 1
        self._waiting.append(f"Note {self._n}: {text}")
        return f" (note {self._n})"

    def waiting(self) -> list[str]:
        """Return the long notes since the last call."""
        waiting, self._waiting = self._waiting, []
        return waiting


class Margins:
    """The headers and footers of a document, of which each line is given once."""

    def __init__(self, document: Any) -> None:
        self._seen: set[str] = set()
        self._has_even = bool(document.settings.odd_and_even_pages_header_footer)

    def lines(self, section: Any, kind: str) -> Iterator[str]:
        """Yield the lines of the headers or footers ("header", "footer") of a section, but for page numbers."""
        names = [kind]
        if section.different_first_page_header_footer:
            names.insert(0, f"first_page_{kind}")
        if self._has_even:
            names.append(f"even_page_{kind}")
        for name in names:
            margin = getattr(section, name)  # that of the section before if it has none
            unwrap(margin._element)
            for block in margin.iter_inner_content():
                lines = list(table_lines(block)) if hasattr(block, "rows") else [words_of(block._p)]
                for line in lines:
                    if line and line not in self._seen and not is_page_number(block._element, line):
                        self._seen.add(line)
                        yield line


def is_page_number(block: Any, text: str) -> bool:
    """Return whether a line of a header is the number of the page, with at most two words such as «Page 1 of 3»."""
    fields = [node.text or "" for node in block.iter(f"{_WORD}instrText")]
    fields += [node.get(f"{_WORD}instr", "") for node in block.iter(f"{_WORD}fldSimple")]
    return any(map(_PAGE_FIELD.search, fields)) and len(re.findall(r"[^\W\d_]+", text)) <= 2


class Numbering:
    """The automatic numbers of the paragraphs of a document, which are counted as Word does."""

    def __init__(self, part: Any) -> None:
        self._levels: dict[str, dict[int, tuple[str, str, int, str]]] = {}  # form, text, start, style
        self._list: dict[str, str] = {}
        self._restarts: dict[tuple[str, int], int] = {}
        self._counts: dict[str, list[int | None]] = {}
        root = related(part, "numbering")
        if root is None:
            return
        for one in root.findall(f"{_WORD}abstractNum"):
            self._levels[one.get(f"{_WORD}abstractNumId", "")] = {
                number_in(level, ".", "ilvl", 0): (
                    value_of(level, "numFmt") or "decimal",
                    value_of(level, "lvlText"),
                    number_in(level, "start", "val", 1),
                    value_of(level, "pStyle"),
                )
                for level in one.findall(f"{_WORD}lvl")
            }
        for one in root.findall(f"{_WORD}num"):
            id_ = one.get(f"{_WORD}numId", "")
            self._list[id_] = value_of(one, "abstractNumId")
            for override in one.findall(f"{_WORD}lvlOverride"):
                if override.find(f"{_WORD}startOverride") is not None:
                    level = number_in(override, ".", "ilvl", 0)
                    self._restarts[id_, level] = number_in(override, "startOverride", "val", 1)

    def next(self, paragraph: Any) -> str:
        """Return the number of the next paragraph; empty if it has none."""
        id_, level = self._place(paragraph)
        levels = self._levels.get(self._list.get(id_, ""), {})
        if level not in levels:
            return ""
        form, text, start, _ = levels[level]
        counts = self._counts.setdefault(self._list[id_], [None] * 9)
        before = counts[level]
        counts[level] = self._restarts.pop((id_, level), start if before is None else before + 1)
        counts[level + 1 :] = [None] * (8 - level)
        if form in ("bullet", "none"):
            return ""

        def shown(match: re.Match[str]) -> str:
            i = int(match.group(1)) - 1
            form, _, start, _ = levels.get(i, ("decimal", "", 1, ""))
            count = counts[i]
            return number_as(form, start if count is None else count)

        return " ".join(re.sub(r"%([1-9])", shown, text).split())

    def _place(self, paragraph: Any) -> tuple[str, int]:
        """Return the list that a paragraph belongs to, and its level there; ("", 0) for none."""
        id_, level = "", None
        places, style = [paragraph._p], paragraph.style
        style_id = getattr(style, "style_id", "")
        while style is not None and len(places) <= 10:
            places.append(style.element)
            style = style.base_style
        for place in places:
            properties = place.find(f"{_WORD}pPr/{_WORD}numPr")
            if properties is not None:
                if level is None and properties.find(f"{_WORD}ilvl") is not None:
                    level = number_in(properties, "ilvl", "val", 0)
                id_ = value_of(properties, "numId")
                if id_:
                    break
        if level is None:
            levels = self._levels.get(self._list.get(id_, ""), {})
            level = next((i for i, (*_, of_style) in levels.items() if of_style and of_style == style_id), 0)
        return id_, min(max(level, 0), 8)


def value_of(element: Any, name: str) -> str:
    """Return the value of a child of an element; empty if there is none."""
    child = element.find(f"{_WORD}{name}")
    return "" if child is None else child.get(f"{_WORD}val", "")


def number_in(element: Any, name: str, attribute: str, default: int) -> int:
    """Return the number in an attribute of a child, or of the element itself (".")."""
    child = element if name == "." else element.find(f"{_WORD}{name}")
    text = "" if child is None else child.get(f"{_WORD}{attribute}", "")
    return int(text) if text.isdecimal() else default


def number_as(form: str, number: int) -> str:
    """Return a number as a list of Word shows it.

    >>> [number_as(form, 28) for form in ("decimal", "lowerLetter", "upperRoman", "decimalZero")]
    ['28', 'bb', 'XXVIII', '28']
    """
    text = str(number)
    if form.endswith("Letter"):
        text = chr(ord("a") + (number - 1) % 26) * min(1 + (number - 1) // 26, 9)
    elif form.endswith("Roman") and number < 4000:
        text = ""
        for value, letters in _ROMAN.items():
            text += letters * (number // value)
            number %= value
    elif form == "decimalZero":
        text = f"{number:02}"
    return text.upper() if form.startswith("upper") else text


def formula(node: Any) -> str:
    """Return a formula on one line: fractions with a slash, powers with ^, indices with _."""
    if not str(node.tag).startswith(_MATH):
        return ""
    kind = node.tag.removeprefix(_MATH)
    if kind == "t":
        return str(node.text or "")

    def part(name: str) -> str:
        child = node.find(f"{_MATH}{name}")
        return "" if child is None else "".join(map(formula, child))

    def sign(name: str, default: str) -> str:
        child = node.find(f"{_MATH}{kind}Pr/{_MATH}{name}")
        return default if child is None else str(child.get(f"{_MATH}val", ""))

    def each(name: str, between: str) -> str:
        return between.join("".join(map(formula, child)) for child in node.findall(f"{_MATH}{name}"))

    base = part("e")
    below, above = grouped("_", part("sub")), grouped("^", part("sup"))
    match kind:
        case "f":
            return f"{grouped('', part('num'))}/{grouped('', part('den'))}"
        case "sSup" | "sSub" | "sSubSup":
            return f"{grouped('', base)}{below}{above}"
        case "nary":
            return f"{sign('chr', '∫')}{below}{above} {base}"
        case "rad":
            degree = part("deg")
            return f"root({degree}, {base})" if degree else f"sqrt({base})"
        case "d":
            return f"{sign('begChr', '(')}{each('e', sign('sepChr', '|'))}{sign('endChr', ')')}"
        case "func":
            return f"{part('fName')} {base}"
        case "limLow" | "limUpp":
            return f"{base}{grouped('_' if kind == 'limLow' else '^', part('lim'))}"
        case "m" | "eqArr":
            return f"[{each('mr', '; ')}]" if kind == "m" else each("e", "; ")
        case "mr":
            return each("e", ", ")
        case _ if kind.endswith("Pr"):
            return ""
    return "".join(map(formula, node))


def grouped(mark: str, text: str) -> str:
    """Return a part of a formula after a mark, in brackets if it is more than a name, a number or a bracket."""
    is_one = re.fullmatch(r"[\w.]+|.|\([^()]*\)", text)
    return "" if not text else f"{mark}{text}" if is_one else f"{mark}({text})"
