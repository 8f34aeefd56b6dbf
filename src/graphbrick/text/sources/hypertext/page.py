"""Documents from web pages: the words of their main part, a line for each block.

Pages say in many ways what is not their text: elements (``nav``, ``footer``), roles, and names of classes. An element
that may be meant otherwise is left out only if it is small or holds mostly links, so that no text is lost.
"""

from __future__ import annotations

import re
from typing import Any

from graphbrick.core.errors import InputError, ModelError
from graphbrick.language.counting import counted
from graphbrick.text.documents.document import Document, Heading
from graphbrick.text.sources.encodings import decoded
from graphbrick.text.sources.hypertext.around import INLINE, INSIDE, LARGE, Around, has_text
from graphbrick.text.sources.hypertext.lines import Lines

_RAISED = frozenset(("sup", "sub"))
_PERMALINK_NAME = re.compile(r"(?<![a-z])(?:header-?link|perma-?link|(?:heading-?)?anchor)(?![a-z])", re.IGNORECASE)
_LONGEST_SIGN = 2  # characters, as «🔗» may be two
_DEEPEST = 10_000  # elements in each other
_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*)[^<>]*?(/?)>")
_NEVER_NESTED = frozenset(  # without an end, or ended by the next one
    "area base br col embed hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot option "
    "optgroup colgroup rp rt".split()
)


def html_document(address: str, title: str, data: bytes) -> Document:
    """Return the words of the main part of a page, a line for each block; a note counts the words that are left out.

    Menus, headers and footers, forms and notices about cookies are left out, and so are scripts, styles, hidden
    elements and drawings. A page that has nothing else is read whole.

    Args:
        address: Its path or address.
        title: Its title if it states none.
        data: Its content.

    Raises:
        InputError: Its elements are nested too deeply.
        ModelError: The package selectolax is not installed.
    """
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError as error:
        raise ModelError(
            "HTML needs the package selectolax: pip install 'graphbrick[text]'", code="sources.no_html_package"
        ) from error
    page, note = decoded(data)
    _check_depth(address, page)
    tree = LexborHTMLParser(page)
    named = tree.css_first("title")
    stated = " ".join(named.text().split()) if named is not None else ""
    text, headings, left_out, hidden, drawn = "", tuple[Heading, ...](), 0, 0, 0
    if tree.body is not None:
        around = Around(tree, lambda node: len(_lines(node, None)[0].split()))
        text, headings = _lines(tree.body, around)
        left_out, hidden, drawn = around.left_out, around.hidden, around.drawn
        if not text.strip():
            (text, headings), left_out = _lines(tree.body, None), 0
        elif around.main is not None:
            start, end = around.main
            if end - start >= LARGE * len(text):
                left_out += len(text.split()) - len(text[start:end].split())
                text = text[start:end].rstrip("\n")
                headings = tuple(
                    Heading(heading.start - start, heading.level, heading.title)
                    for heading in headings
                    if start <= heading.start < end
                )
    notes = [
        note,
        f"{counted(left_out, 'word')} of menus, headers, footers and the like left out" if left_out else "",
        f"{counted(hidden, 'word')} that the page hides at first left out" if hidden else "",
        f"{counted(drawn, 'word')} of drawings left out" if drawn else "",
    ]
    first = next((heading.title for heading in headings if heading.level == 1), "")
    return Document(address, stated or first or title, text, headings, "; ".join(filter(None, notes)))


def _check_depth(address: str, page: str) -> None:
    """Raise `InputError` for a page nested so deeply that parsing it takes minutes."""
    if page.count("<") <= _DEEPEST:
        return
    depth = 0
    for end, name, alone in _TAG.findall(page):
        if name.lower() not in _NEVER_NESTED and not alone:
            depth = max(depth - 1, 0) if end else depth + 1
            if depth > _DEEPEST:
                raise InputError(
                    f"its elements are nested more than {_DEEPEST:,} deep; leave it out",
                    address,
                    code="sources.nested_too_deeply",
                )


def _lines(element: Any, around: Around | None) -> tuple[str, tuple[Heading, ...]]:
    """Return the text of an element and its headings; no recursion, as pages may be nested thousands of times."""
    writer = Lines()
    start = 0
    stack: list[tuple[Any, bool]] = [(element, False)]
    while stack:
        node, is_end = stack.pop()
        tag = node.tag
        if is_end and tag in _RAISED:
            writer.lower(tag)
            continue
        if is_end:
            writer.close(tag, node.attributes if tag in ("td", "th") else None)
            if around is not None:
                is_main = node.mem_id == around.main_element
                around.depth -= is_main or tag in INSIDE
                if is_main:
                    around.main = start, writer.length
            continue
        if tag == "-text":
            writer.write(node.text_content or "")
            continue
        attributes = node.attributes if tag and tag[0] not in "-_!" else {}
        if not has_text(tag, attributes):
            if around is not None:
                around.pass_over(node)
            continue
        if (tag == "a" and _is_permalink(node, attributes)) or (around is not None and around(node, attributes)):
            continue
        if tag in _RAISED:
            if not _is_note_mark(node):
                writer.raise_()
                stack.append((node, True))
        elif tag not in INLINE:
            writer.open(tag, node)
            stack.append((node, True))
            if around is not None:
                is_main = node.mem_id == around.main_element
                around.depth += is_main or tag in INSIDE
                start = writer.length if is_main else start
        children = []
        child = node.first_child
        while child is not None:
            children.append((child, False))
            child = child.next
        stack += reversed(children)
    return writer.finish()


def _is_permalink(node: Any, attributes: dict[str, str | None]) -> bool:
    """Return whether a link is only there to be copied, as the sign after a heading."""
    if not (attributes.get("href") or "").startswith("#"):
        return False
    text = node.text().strip()
    named = _PERMALINK_NAME.search(attributes.get("class") or "") is not None
    return text == "¶" or (named and len(text) <= _LONGEST_SIGN and not text.isalnum())


def _is_note_mark(node: Any) -> bool:
    """Return whether a superscript is the mark of a note, which is a link, and no exponent."""
    above = node.parent
    while above is not None and above.tag in INLINE and above.tag != "a":
        above = above.parent
    is_link = above is not None and above.tag == "a" and above.text().strip() == node.text().strip()
    return is_link or node.css_first("a") is not None
