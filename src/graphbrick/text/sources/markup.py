"""Documents from Markdown."""

from __future__ import annotations

import re

from graphbrick.text.documents.document import Document, Heading
from graphbrick.text.sources.encodings import decoded
from graphbrick.text.sources.inline import plain_inline, plain_title, without_comments
from graphbrick.text.sources.raised import without_tags
from graphbrick.text.sources.rst.myst import Myst

_FRONT = re.compile(r"\A---\n(.*?)\n---[ \t]*\n", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_PICTURE_FIRST = re.compile(r"\s*#[ \t]+\[?!\[")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")


def markdown_document(address: str, title: str, data: bytes) -> Document:
    """Return a Markdown text as it is, without front matter; headings in code blocks are none.

    Roles and directives of MyST are replaced by what they show, and so are elements of HTML and links by reference.
    """
    text, note = decoded(data)
    front = _FRONT.match(text)
    if front is not None:
        text = text[front.end() :]
    myst = Myst(address)
    text, n_words = without_comments(myst.plain(text))
    myst.left_out.comments += n_words
    text = plain_inline(without_tags(text))
    headings = markdown_headings(text)
    named = _FRONT_TITLE.search(front.group(1)) if front is not None else None
    if named is not None:
        title = named.group(1)
    elif headings and (headings[0].level == 1 or _PICTURE_FIRST.match(text)):
        title = headings[0].title
    return Document(address, title, text, headings, "; ".join(filter(None, (note, myst.left_out.note()))))


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
                words = plain_title(atx.group(2))
                headings += [Heading(start, len(atx.group(1)), words)] if words else []  # a picture without words
                before = ""
            elif rule is not None and before.strip():
                words = plain_title(before)
                headings += [Heading(before_start, 1 if "=" in rule.group(1) else 2, words)] if words else []
                before = ""
            else:
                before, before_start = line, start
        start += len(line) + 1
    return tuple(headings)
