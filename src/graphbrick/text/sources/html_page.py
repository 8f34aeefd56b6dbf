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
from graphbrick.text.sources.html_lines import Lines

_NOT_TEXT = frozenset(
    ("script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "select", "button", "head")
)
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark output q rp rt ruby s samp small "
    "span strike strong sub sup time tt u var wbr".split()
)
_RAISED = frozenset(("sup", "sub"))
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
_STEPS_NAME = re.compile(r"(?<![a-z])nav-?(?:header|footer|panel)(?![a-z])", re.IGNORECASE)  # as DocBook, Texinfo
_CONTENTS_NAME = re.compile(
    r"(?<![a-z-])(?:toc(?![a-z_-])|table-?of-?contents(?![a-z])|toc[-_]?(?:list|wrapper|container|box|menu)(?![a-z]))",
    re.IGNORECASE,
)
_NOT_CONTENTS = _INLINE | {"h1", "h2", "h3", "h4", "h5", "h6"}  # such as the link of a heading back to the contents
_STEPS = frozenset("prev previous next up home start first last contents toc index".split())  # what rel says
_STEP_KEYS = frozenset("pnuh")  # accesskey
_MOST_STEPS = 24  # links of a page to the ones before and after
_MOST_AROUND_STEPS = 8  # elements around such a link
_SMALL_CONTENTS = 1_000  # letters of a list of contents that may be more than half of a page
_PARAGRAPH = 60  # letters of a paragraph from which a page has more than a list of contents
_CONSENT_NAME = re.compile(
    r"(?:cookies?|gdpr|consent|privacy)[-_]?(?:banner|bar|box|notice|pop-?up|consent|law|modal|dialog|overlay|message|"
    r"alert|info|manager|wrapper|container|policy|settings)|onetrust|cookiebot|didomi|cky-consent|cc-(?:window|banner)",
    re.IGNORECASE,
)
_MOTTO_NAME = re.compile(r"(?<![a-z])(?:tag-?line|slogan|motto|site-?description)(?![a-z])", re.IGNORECASE)
_LONGEST_MOTTO = 100  # letters
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
        around = _Around(tree)
        text, headings = _lines(tree.body, around)
        left_out, hidden, drawn = around.left_out, around.hidden, around.drawn
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


def _n_words(text: str) -> int:
    """Return the number of words with a letter or figure."""
    return sum(any(map(str.isalnum, word)) for word in text.split())


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
        hidden: Number of words that the page hides.
        drawn: Number of words in drawings.
        main_element: Identity of the element that says that it is the main part; None for none, or several.
        main: The offsets of the main part in the text.
    """

    def __init__(self, tree: Any) -> None:
        self._letters = len("".join(tree.body.text().split()))
        self._left = _MOST_MEASURED
        self.depth = self.left_out = self.hidden = self.drawn = 0
        self.main: tuple[int, int] | None = None
        parts = (tree.css(selector) for selector in ("main, [role=main]", "article"))
        self.main_element = next((part[0].mem_id for part in parts if len(part) == 1), None)
        self._body = tree.body
        self._steps = _steps(tree)

    def __call__(self, node: Any, attributes: dict[str, str | None]) -> bool:
        """Return whether an element is to be left out."""
        if self._is_around(node, attributes):
            self.left_out += len(_lines(node, None)[0].split())
            return True
        return False

    def pass_over(self, node: Any) -> None:
        """Count the words of an element that is not shown as text: hidden ones, and those of drawings."""
        is_hidden = node.tag not in _NOT_TEXT
        stack = [node] if is_hidden or node.tag == "svg" else []
        while stack:
            inner = stack.pop()
            if inner.tag == "svg":
                self.drawn += sum(_n_words(text.text()) for text in inner.css("text"))
            elif inner.tag == "-text" and is_hidden:
                self.hidden += _n_words(inner.text_content or "")
            elif inner.tag not in _NOT_TEXT:
                child = inner.first_child
                while child is not None:
                    stack.append(child)
                    child = child.next

    def _is_around(self, node: Any, attributes: dict[str, str | None]) -> bool:
        tag, role = node.tag, attributes.get("role")
        if tag == "nav" or role == "navigation" or node.mem_id in self._steps:
            return True
        names = f"{attributes.get('id') or ''} {attributes.get('class') or ''}" if attributes else ""
        if len(names) > 1 and tag not in (_BODY, "main") and _STEPS_NAME.search(names) is not None:
            return True
        if len(names) > 1 and tag not in (_BODY, "main", *_NOT_CONTENTS) and _CONTENTS_NAME.search(names) is not None:
            return self._is_contents(node)
        is_consent = role in _DIALOGS or (len(names) > 1 and _CONSENT_NAME.search(names) is not None)
        is_menu = role in _MENUS or tag in _MENUS or (len(names) > 1 and _MENU_NAME.search(names) is not None)
        is_motto = len(names) > 1 and _MOTTO_NAME.search(names) is not None
        kinds = {tag, role} & _AROUND
        if not (kinds or is_consent or is_menu or is_motto) or tag in (_BODY, "main") or not self._left:
            return False
        self._left -= 1
        size = _size(node)
        if not size.letters or size.letters > _LARGE * self._letters:
            return False
        is_linked = size.linked >= _LINKED * size.letters
        if is_consent:
            return True
        if is_motto and not self.depth and size.letters <= _LONGEST_MOTTO:
            return node.parent is None or node.parent.css_first("h1, h2, h3") is None  # else it belongs to a title
        if self.depth or "header" in kinds or "banner" in kinds:
            # What stands in an article, such as its date or a footnote, belongs to it; a header may have the title.
            return is_linked or (not self.depth and node.css_first("h1, h2, h3, p") is None)
        if "form" in kinds:
            return node.css_first("h1, h2, h3, p, li, table") is None
        return is_linked or bool(kinds)

    def _is_contents(self, node: Any) -> bool:
        """Return whether an element is a list of contents beside the text of a page, and not all that the page has."""
        if not self._left:
            return False
        self._left -= 1
        size = _size(node)
        if not size.letters or size.linked < _LINKED * size.letters:
            return False
        if size.letters <= _LARGE * self._letters:
            return True
        return size.letters <= _SMALL_CONTENTS and _n_paragraphs(self._body) > _n_paragraphs(node)


def _n_paragraphs(node: Any) -> int:
    """Return the number of paragraphs that are more than a few words."""
    return sum(len("".join(one.text().split())) >= _PARAGRAPH for one in node.css("p"))


def _steps(tree: Any) -> frozenset[int]:
    """Return the identities of elements that have only links to the page before, after, above, or the first one."""
    links = {link.mem_id: link for link in tree.css("a[rel], a[accesskey]") if _is_step(link.attributes)}
    found: set[int] = set()
    seen: set[int] = set()
    if not 1 < len(links) <= _MOST_STEPS:
        return frozenset()
    for link in links.values():
        node = link.parent
        for _ in range(_MOST_AROUND_STEPS):
            if node is None or node.tag in (_BODY, "main", "article") or node.mem_id in seen:
                break
            seen.add(node.mem_id)
            inside = [one.mem_id in links for one in node.css("a[href]")]
            if not all(inside):
                break
            size = _size(node)
            if size.linked < _LINKED * size.letters:
                break
            if len(inside) > 1:
                found.add(node.mem_id)
            node = node.parent
    return frozenset(found)


def _is_step(attributes: dict[str, str | None]) -> bool:
    """Return whether a link leads to the page before or after, by what it says or by its key."""
    key = (attributes.get("accesskey") or "").casefold()
    return not _STEPS.isdisjoint((attributes.get("rel") or "").casefold().split()) or key in _STEP_KEYS


def _lines(element: Any, around: _Around | None) -> tuple[str, tuple[Heading, ...]]:
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
                around.depth -= is_main or tag in _INSIDE
                if is_main:
                    around.main = start, writer.length
            continue
        if tag == "-text":
            writer.write(node.text_content or "")
            continue
        attributes = node.attributes if tag and tag[0] not in "-_!" else {}
        if not _has_text(tag, attributes):
            if around is not None:
                around.pass_over(node)
            continue
        if around is not None and around(node, attributes):
            continue
        if tag in _RAISED:
            if not _is_note_mark(node):
                writer.raise_()
                stack.append((node, True))
        elif tag not in _INLINE:
            writer.open(tag, node)
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


def _is_note_mark(node: Any) -> bool:
    """Return whether a superscript is the mark of a note, which is a link, and no exponent."""
    above = node.parent
    while above is not None and above.tag in _INLINE and above.tag != "a":
        above = above.parent
    is_link = above is not None and above.tag == "a" and above.text().strip() == node.text().strip()
    return is_link or node.css_first("a") is not None


def _has_text(tag: str | None, attributes: dict[str, str | None]) -> bool:
    """Return whether what is in an element is shown as text."""
    if not tag or tag[0] in "-_!" or tag in _NOT_TEXT:
        return False
    return not attributes or not (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _HIDDEN.search(attributes.get("style") or "") is not None
    )
