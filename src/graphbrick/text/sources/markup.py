"""Documents from the bytes of one file: plain text, Markdown, HTML."""

from __future__ import annotations

import re
from typing import Any

from graphbrick.core.errors import ModelError
from graphbrick.text.documents.document import Document, Heading
from graphbrick.text.sources.encodings import decoded

_FRONT = re.compile(r"\A---\n(.*?)\n---[ \t]*\n", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")

_NOT_TEXT = frozenset(
    ("script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "select", "button", "head")
)
_AROUND = frozenset(("nav", "footer", "aside", "form"))
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark output q rp rt ruby s samp small "
    "span strike strong sub sup time tt u var wbr".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def plain_document(address: str, title: str, data: bytes) -> Document:
    """Return a plain text as it is."""
    text, note = decoded(data)
    return Document(address, title, text, (), note)


def markdown_document(address: str, title: str, data: bytes) -> Document:
    """Return a Markdown text as it is, without front matter; headings in code blocks are none."""
    text, note = decoded(data)
    front = _FRONT.match(text)
    if front is not None:
        text = text[front.end() :]
    headings = markdown_headings(text)
    named = _FRONT_TITLE.search(front.group(1)) if front is not None else None
    if named is not None:
        title = named.group(1)
    elif headings and headings[0].level == 1:
        title = headings[0].title
    return Document(address, title, text, headings, note)


def markdown_headings(text: str) -> tuple[Heading, ...]:
    """Return the headings of a Markdown text, but for those in code blocks."""
    headings = []
    fence, before, before_start, start = "", "", 0, 0
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark is not None and mark.group(1).startswith(fence):
                fence = ""
            before = ""
        elif mark is not None:
            fence, before = mark.group(1), ""
        else:
            atx, rule = _ATX.match(line), _UNDERLINE.match(line)
            if atx is not None:
                headings.append(Heading(start, len(atx.group(1)), atx.group(2).strip()))
                before = ""
            elif rule is not None and before.strip():
                headings.append(Heading(before_start, 1 if "=" in rule.group(1) else 2, before.strip()))
                before = ""
            else:
                before, before_start = line, start
        start += len(line) + 1
    return tuple(headings)


def html_document(address: str, title: str, data: bytes, *, whole: bool = True) -> Document:
    """Return the words of a page, a line for each block; scripts, styles and hidden elements are left out.

    Args:
        address: Its path or address.
        title: Its title if it states none.
        data: Its content.
        whole: False for the main part of the page only, without menus, forms and footers.

    Raises:
        ModelError: The package selectolax is not installed.
    """
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError as error:
        raise ModelError(
            "HTML needs the package selectolax: pip install 'graphbrick[text]'", code="sources.no_html_package"
        ) from error
    page, note = decoded(data)
    tree = LexborHTMLParser(page)
    named = tree.css_first("title")
    stated = " ".join(named.text().split()) if named is not None else ""
    writer = _Lines()
    body = (None if whole else tree.css_first("main, [role=main]") or tree.css_first("article")) or tree.body
    if body is not None:
        _write(body, writer, _NOT_TEXT if whole else _NOT_TEXT | _AROUND)
    text, headings = writer.finish()
    first = next((heading.title for heading in headings if heading.level == 1), "")
    return Document(address, stated or first or title, text, headings, note)


def _write(body: Any, writer: _Lines, left_out: frozenset[str]) -> None:
    """Write the text of an element; no recursion, as pages may be nested thousands of times."""
    stack: list[tuple[Any, bool]] = [(body, False)]
    while stack:
        node, is_end = stack.pop()
        if is_end:
            writer.close(node.tag)
            continue
        tag = node.tag
        if tag == "-text":
            writer.write(node.text_content or "")
            continue
        if not tag or tag[0] in "-_!" or tag in left_out or _is_hidden(node):
            continue
        if tag not in _INLINE:
            writer.open(tag)
            stack.append((node, True))
        children = []
        child = node.first_child
        while child is not None:
            children.append((child, False))
            child = child.next
        stack += reversed(children)


def _is_hidden(node: Any) -> bool:
    attributes = node.attributes
    return bool(attributes) and (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _HIDDEN.search(attributes.get("style") or "") is not None
    )


class _Lines:
    """A collector of words into lines, with the places where headings begin."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._words: list[str] = []
        self._length = 0
        self._headings: list[Heading] = []
        self._preformatted = 0  # depth of <pre>, whose lines and indents stay

    def write(self, text: str) -> None:
        """Add text to the current line."""
        self._words.append(text)

    def open(self, tag: str) -> None:
        """Begin a block."""
        if tag in ("td", "th") and "".join(self._words).strip():
            self._words.append(" | ")
        elif tag not in ("td", "th"):
            self._cut(0)
        self._preformatted += tag == "pre"

    def close(self, tag: str) -> None:
        """End a block."""
        if tag == "pre":
            self._cut_as_it_is()
            self._preformatted -= 1
            self._line("")
        if tag not in ("td", "th"):
            self._cut(_HEADINGS.get(tag, 0))
            if tag == "p" or tag in _HEADINGS:
                self._line("")

    def _cut_as_it_is(self) -> None:
        """Write the lines of an element in which line breaks and indents count."""
        lines = [line.rstrip() for line in "".join(self._words).expandtabs().strip("\n").split("\n")]
        self._words.clear()
        for line in lines:
            self._line(line)

    def _cut(self, level: int) -> None:
        if self._preformatted and not level:
            self._cut_as_it_is()
            return
        line = " ".join("".join(self._words).split())
        self._words.clear()
        if line:
            if level:
                self._headings.append(Heading(self._length, level, line))
            self._line(line)

    def _line(self, line: str) -> None:
        if line or (self._lines and self._lines[-1]):
            self._lines.append(line)
            self._length += len(line) + 1

    def finish(self) -> tuple[str, tuple[Heading, ...]]:
        """Return the text and its headings."""
        self._cut(0)
        return "\n".join(self._lines).rstrip("\n"), tuple(self._headings)
