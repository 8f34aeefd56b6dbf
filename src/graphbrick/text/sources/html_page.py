"""Documents from web pages: the words of their main part, a line for each block.

Pages say in many ways what is not their text: elements (``nav``, ``footer``), roles, and names of classes. An element
that may be meant otherwise is left out only if it is small or holds mostly links, so that no text is lost.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from graphbrick.core.errors import InputError, ModelError
from graphbrick.language.counting import counted
from graphbrick.text.documents.document import Document, Heading
from graphbrick.text.sources.encodings import decoded

_NOT_TEXT = frozenset(
    ("script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "select", "button", "head")
)
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark output q rp rt ruby s samp small "
    "span strike strong sub sup time tt u var wbr".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

_MENUS = frozenset(("nav", "navigation", "menu", "menubar", "search"))  # elements and roles
_DIALOGS = frozenset(("dialog", "alertdialog"))  # roles
_AROUND = frozenset(("header", "footer", "aside", "form", "banner", "contentinfo", "complementary"))
_INSIDE = frozenset(("main", "article", "blockquote", "figure", "table"))
_BODY = "body"
_MENU_NAME = re.compile(
    r"(?<![a-z])(?:nav(?:bar|igation|links?)?|(?:top|side|main|sub)?-?(?:menu|nav)|sidebar|breadcrumbs?|pager|pagination|"
    r"skip-?links?|site-?(?:header|footer))(?![a-z])",
    re.IGNORECASE,
)
_CONSENT_NAME = re.compile(
    r"(?:cookies?|gdpr|consent|privacy)[-_]?(?:banner|bar|box|notice|pop-?up|consent|law|modal|dialog|overlay|message|"
    r"alert|info|manager|wrapper|container|policy|settings)|onetrust|cookiebot|didomi|cky-consent|cc-(?:window|banner)",
    re.IGNORECASE,
)
_LINKED = 0.6  # share of the letters in links from which an element is a menu
_LARGE = 0.5  # share of the letters of a page from which an element is not around its text
_DEEPEST = 10_000  # elements in each other
_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*)[^<>]*?(/?)>")
_NEVER_NESTED = frozenset(  # without an end, or ended by the next one
    "area base br col embed hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot option "
    "optgroup colgroup rp rt".split()
)
_MOST_MEASURED = 300  # elements, as each may hold all others


def html_document(address: str, title: str, data: bytes) -> Document:
    """Return the words of the main part of a page, a line for each block; a note counts the words that are left out.

    Menus, headers and footers, forms and notices about cookies are left out, and so are scripts, styles and hidden
    elements. A page that has nothing else is read whole.

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
    text, headings, left_out = "", tuple[Heading, ...](), 0
    if tree.body is not None:
        around = _Around(tree)
        text, headings = _lines(tree.body, around)
        left_out = around.left_out
        if not text.strip():
            (text, headings), left_out = _lines(tree.body, None), 0
        elif around.main is not None:
            start, end = around.main
            if end - start >= _LARGE * len(text):
                left_out += len(text.split()) - len(text[start:end].split())
                text = text[start:end].rstrip("\n")
                headings = tuple(
                    Heading(heading.start - start, heading.level, heading.title)
                    for heading in headings
                    if start <= heading.start < end
                )
    if left_out:
        around_it = f"{counted(left_out, 'word')} of menus, headers, footers and the like left out"
        note = f"{note}; {around_it}" if note else around_it
    first = next((heading.title for heading in headings if heading.level == 1), "")
    return Document(address, stated or first or title, text, headings, note)


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


class _Size(NamedTuple):
    letters: int
    linked: int


def _size(element: Any) -> _Size:
    """Return how many letters an element has, and how many of them in links."""
    letters = linked = links = 0
    stack: list[tuple[Any, bool]] = [(element, False)]
    while stack:
        node, is_end = stack.pop()
        if is_end:
            links -= 1
            continue
        tag = node.tag
        if tag == "-text":
            n = len("".join((node.text_content or "").split()))
            letters, linked = letters + n, linked + (n if links else 0)
            continue
        if not _has_text(tag, node.attributes):
            continue
        if tag == "a":
            links += 1
            stack.append((node, True))
        child = node.first_child
        while child is not None:
            stack.append((child, False))
            child = child.next
    return _Size(letters, linked)


class _Around:
    """A test whether an element is around the text of a page: a menu, a header, a footer, a notice about cookies.

    Args:
        tree: The page.

    Attributes:
        depth: Number of elements around the current one that are no menus, such as an article.
        left_out: Number of words that were left out.
        main_element: Identity of the element that says that it is the main part; None for none, or several.
        main: The offsets of the main part in the text.
    """

    def __init__(self, tree: Any) -> None:
        self._letters = len("".join(tree.body.text().split()))
        self._left = _MOST_MEASURED
        self.depth = self.left_out = 0
        self.main: tuple[int, int] | None = None
        parts = (tree.css(selector) for selector in ("main, [role=main]", "article"))
        self.main_element = next((part[0].mem_id for part in parts if len(part) == 1), None)

    def __call__(self, node: Any, attributes: dict[str, str | None]) -> bool:
        """Return whether an element is to be left out."""
        if self._is_around(node, attributes):
            self.left_out += len(_lines(node, None)[0].split())
            return True
        return False

    def _is_around(self, node: Any, attributes: dict[str, str | None]) -> bool:
        tag, role = node.tag, attributes.get("role")
        if tag == "nav" or role == "navigation":
            return True
        names = f"{attributes.get('id') or ''} {attributes.get('class') or ''}" if attributes else ""
        is_consent = role in _DIALOGS or (len(names) > 1 and _CONSENT_NAME.search(names) is not None)
        is_menu = role in _MENUS or tag in _MENUS or (len(names) > 1 and _MENU_NAME.search(names) is not None)
        kinds = {tag, role} & _AROUND
        if not (kinds or is_consent or is_menu) or tag in (_BODY, "main") or not self._left:
            return False
        self._left -= 1
        size = _size(node)
        if not size.letters or size.letters > _LARGE * self._letters:
            return False
        is_linked = size.linked >= _LINKED * size.letters
        if is_consent:
            return True
        if self.depth or "header" in kinds or "banner" in kinds:
            # What stands in an article, such as its date or a footnote, belongs to it; a header may have the title.
            return is_linked or (not self.depth and node.css_first("h1, h2, h3, p") is None)
        if "form" in kinds:
            return node.css_first("h1, h2, h3, p, li, table") is None
        return is_linked or bool(kinds)


def _lines(element: Any, around: _Around | None) -> tuple[str, tuple[Heading, ...]]:
    """Return the text of an element and its headings; no recursion, as pages may be nested thousands of times."""
    writer = _Lines()
    start = 0
    stack: list[tuple[Any, bool]] = [(element, False)]
    while stack:
        node, is_end = stack.pop()
        tag = node.tag
        if is_end:
            writer.close(tag)
            if around is not None:
                is_main = node.mem_id == around.main_element
                around.depth -= is_main or tag in _INSIDE
                if is_main:
                    around.main = start, writer.length
            continue
        if tag == "-text":
            writer.write(node.text_content or "")
            continue
        attributes = node.attributes if tag and tag[0] not in "-_!" else {}
        if not _has_text(tag, attributes) or (around is not None and around(node, attributes)):
            continue
        if tag not in _INLINE:
            writer.open(tag)
            stack.append((node, True))
            if around is not None:
                is_main = node.mem_id == around.main_element
                around.depth += is_main or tag in _INSIDE
                start = writer.length if is_main else start
        children = []
        child = node.first_child
        while child is not None:
            children.append((child, False))
            child = child.next
        stack += reversed(children)
    return writer.finish()


def _has_text(tag: str | None, attributes: dict[str, str | None]) -> bool:
    """Return whether what is in an element is shown as text."""
    if not tag or tag[0] in "-_!" or tag in _NOT_TEXT:
        return False
    return not attributes or not (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _HIDDEN.search(attributes.get("style") or "") is not None
    )


class _Lines:
    """A collector of words into lines, with the places where headings begin.

    Attributes:
        length: Number of characters of the lines that are written.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._words: list[str] = []
        self.length = 0
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
                self._headings.append(Heading(self.length, level, line))
            self._line(line)

    def _line(self, line: str) -> None:
        if line or (self._lines and self._lines[-1]):
            self._lines.append(line)
            self.length += len(line) + 1

    def finish(self) -> tuple[str, tuple[Heading, ...]]:
        """Return the text and its headings."""
        self._cut(0)
        return "\n".join(self._lines).rstrip("\n"), tuple(self._headings)
