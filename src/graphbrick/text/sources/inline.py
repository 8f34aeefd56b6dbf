"""Inline Markdown in few forms: references, elements of HTML and marks of quoted blocks are said plainly."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet

from graphbrick.text.documents.wording import plain_words
from graphbrick.text.sources.hypertext.around import TO_TOP, bare_words
from graphbrick.text.sources.raised import CODE

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]")
_QUOTE = re.compile(r" {0,3}>(?!>>) ?(?: {0,3}>(?!>>) ?){0,20}")
_QUOTE_IN_CODE = re.compile(r" {0,3}> ?")
_DEFINITION = re.compile(
    r"^ {0,3}\[(?!\^)([^\[\]\n]{1,200})\]:[ \t]*\n?[ \t]*<?([^\s<>]+)>?"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*(?:\n|\Z)",
    re.MULTILINE,
)
_INNER = r"(?:[^\[\]\n]|\n(?!\s*\n)|\[[^\[\]\n]*\]){0,400}"
_REFERENCE = re.compile(rf"(?<![\]\\])\[({_INNER})\](?:\[([^\[\]]{{0,200}})\]|(?![\[(:]))")
_LINK = re.compile(r"(?<!<sup>)<a\s(?:[^<>]*?\s)?href=[\"']([^\"'\s()<>]+)[\"'][^<>]*>([^<>\[\]]+)</a>")
_LINK_TO_TOP = re.compile(  # alone on its line
    r"^[ \t]*(?:<[a-z]+[^<>\n]*>)?[(\[*]{0,3}\[([^\[\]\n]{1,40})\]\(#[^()\s]*\)[)\]*]{0,3}(?:</[a-z]+>)?[ \t]*$",
    re.MULTILINE,
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_PICTURE_LINK = re.compile(r"!\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])?")
_CODE_ELEMENT = re.compile(r"<(code|kbd|samp|tt)>([^<>`\n]+)</\1>")
_PICTURE = re.compile(r"<img\s[^<>]*>")
_ALT = re.compile(r"\salt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_ATTRIBUTE = r"\s+[\w:-]+(?:\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=]+))?"
_TAG = re.compile(  # the mark of a note, which is a link in <sup>, stays
    r"(?<!<sup>)<(/?)(a|abbr|b|bdi|bdo|big|center|cite|code|del|details|dfn|div|em|font|h[1-6]|i|ins|kbd|mark|p|picture|q|s|"
    rf"samp|small|span|strike|strong|summary|tt|u|var|br|wbr)((?:{_ATTRIBUTE})*)\s*(/?)>(?!</sup>)"
)
_END_TAG = re.compile(r"</([a-z][a-z0-9]*)>")
_EMPHASIS = re.compile(
    r"(?<![^\s(\[{\"'«„“‘>|*,;:—–-])(?:_(?![_\s])((?:[^_\n`]|\n(?!\s*\n)){1,200}?)(?<![\s_\\])_)(?![\w/])"
)


def plain_inline(text: str) -> str:
    """Return a Markdown text without quotation marks of blocks, elements of HTML and references; code stays.

    A link by reference becomes one with its address, as others have. Definitions that are used so are not repeated.

    >>> plain_inline('> A _minor_ release\\n> of [X][x] <a id="y">Y</a>, <code>z</code>.\\n\\n[x]: /x')
    'A minor release\\nof [X](/x) Y, `z`.\\n\\n'
    """
    text = _without_quote_marks(text)
    text = _outside_code(_LINK, r"[\2](\1)", text)
    text = _outside_code(_LINK_TO_TOP, lambda link: "" if bare_words(link[1]) in TO_TOP else link[0], text)
    text = _outside_code(_CODE_ELEMENT, r"`\2`", text)
    text = _outside_code(_PICTURE, _words_of_picture, text)
    ended = frozenset(_END_TAG.findall(text))
    text = _outside_code(_TAG, lambda tag: _without_tag(tag, ended), text)
    return _outside_code(_EMPHASIS, r"\1", _resolved(text))


def without_comments(text: str) -> tuple[str, int]:
    """Return a Markdown text without comments, and the number of their words; code stays.

    >>> without_comments("A <!-- x y -->port `<!-- z -->`")
    ('A port `<!-- z -->`', 2)
    """
    n_words = 0

    def counted_words(comment: re.Match[str]) -> str:
        nonlocal n_words
        n_words += len(comment[0].removeprefix("<!--").removesuffix("-->").split())
        return ""

    return (_outside_code(_COMMENT, counted_words, text), n_words) if "<!--" in text else (text, 0)


def plain_title(title: str) -> str:
    """Return the words of a heading, with those that stand for its pictures; "" if it has none.

    >>> plain_title("Removed `app.use()` ([#3506](https://example.org/3506))"), plain_title("The _raw_ `_id_`")
    ('Removed app.use() (#3506)', 'The raw _id_')
    """
    title = _outside_code(_PICTURE_LINK, r"\1", title)
    return plain_words(_outside_code(_EMPHASIS, r"\1", title)).replace("`", "").strip()


def _outside_code(pattern: re.Pattern[str], by: str | Callable[[re.Match[str]], str], text: str) -> str:
    """Return a text in which what a pattern finds is replaced, unless it begins in code."""
    parts, start = list[str](), 0
    ends = [match.span() for match in CODE.finditer(text)]
    at = 0
    for match in pattern.finditer(text):
        while at < len(ends) and ends[at][1] <= match.start():
            at += 1
        if at < len(ends) and ends[at][0] <= match.start():
            continue
        parts += [text[start : match.start()], match.expand(by) if isinstance(by, str) else by(match)]
        start = match.end()
    return "".join([*parts, text[start:]])


def _words_of_picture(picture: re.Match[str]) -> str:
    """Return the words that stand for a picture where it cannot be seen; "" for none."""
    alt = _ALT.search(picture[0])
    return (alt[1] or alt[2] or "").strip() if alt else ""


def _without_tag(tag: re.Match[str], ended: AbstractSet[str]) -> str:
    """Return what stands for a tag; one without attributes that none ends is no tag, as in «List<a>»."""
    name = tag[2]
    if name in ("br", "wbr"):
        return " " if name == "br" else ""
    is_alone = not tag[1] and not tag[3] and name not in ended
    return tag[0] if is_alone else ""


def _resolved(text: str) -> str:
    """Return a text whose links by reference have their addresses."""
    if "]:" not in text:
        return text
    addresses: dict[str, str] = {}
    _outside_code(_DEFINITION, lambda match: addresses.setdefault(_key(match[1]), match[2]), text)
    if not addresses:
        return text
    used: set[str] = set()

    def linked(match: re.Match[str]) -> str:
        key = _key(match[2] or match[1])
        if key not in addresses or "(" in addresses[key]:
            return match[0]
        used.add(key)
        return f"[{match[1]}]({addresses[key]})"

    text = _outside_code(_REFERENCE, linked, text)
    return _outside_code(_DEFINITION, lambda match: "" if _key(match[1]) in used else match[0], text)


def _key(name: str) -> str:
    return " ".join(name.split()).casefold()


def _without_quote_marks(text: str) -> str:
    """Return a text without the marks of quoted blocks; a block begins after an empty line."""
    return "\n".join(_unquoted(text.split("\n"))) if ">" in text else text


def _unquoted(lines: list[str]) -> Iterator[str]:
    fence, is_quoted, before, level = "", False, "", 1
    for line in lines:
        mark = (_QUOTE_IN_CODE if fence else _QUOTE).match(line) if is_quoted or not fence else None
        if mark is None:
            if is_quoted and fence:
                fence = ""  # ends with the block
                yield "```"
            is_quoted = False
        else:
            if not is_quoted and before.strip():
                yield ""
            is_quoted = True
            line = line[mark.end() :]
        found = _FENCE.match(line)
        if found is not None and (not fence or found[1].startswith(fence)):
            fence = "" if fence else found[1]
        heading = _HEADING.match(line) if not fence else None
        if heading is not None and not is_quoted:
            level = len(heading[1])
        elif heading is not None and len(heading[1]) <= level:  # it is below the one around its block
            line = f"{'#' * min(level + 1, 6)} {line[heading.end() :]}"
        before = line
        yield line
