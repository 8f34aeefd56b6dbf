"""What stands around the text of a web page: menus, headers and footers, lists of contents, notices about cookies."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

NOT_TEXT = frozenset(
    ("script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "select", "button", "head")
)
INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark output q rp rt ruby s samp small "
    "span strike strong sub sup time tt u var wbr".split()
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

_MENUS = frozenset(("nav", "navigation", "menu", "menubar", "search"))  # elements and roles
_DIALOGS = frozenset(("dialog", "alertdialog"))  # roles
_AROUND = frozenset(("header", "footer", "aside", "form", "banner", "contentinfo", "complementary"))
INSIDE = frozenset(("main", "article", "blockquote", "figure", "table"))
_BODY = "body"
_MENU_NAME = re.compile(
    r"(?<![a-z])(?:nav(?:bar|igation|links?)?|(?:top|side|main|sub)?-?(?:menu|nav)|sidebar|breadcrumbs?|pager|pagination|"
    r"skip-?links?|site-?(?:header|footer))(?![a-z])",
    re.IGNORECASE,
)
_STEPS_NAME = re.compile(r"(?<![a-z])nav-?(?:header|footer|panel)(?![a-z])", re.IGNORECASE)  # as DocBook, Texinfo
_CONTENTS_NAME = re.compile(
    r"(?<![a-z-])(?:toc(?![a-z_-])|table-?of-?contents(?![a-z])|toc[-_]?(?:list|wrapper|container|box|menu)(?![a-z])|"
    r"toctree-wrapper|see-?also(?![a-z]))",
    re.IGNORECASE,
)
_ADMONITION_TITLE = ".admonition-title"
_LISTS = frozenset(("ul", "ol", "dl", "menu"))
_MOST_LINKS = 20_000  # of lists, as each may hold all others
_LEAST_ENTRIES = 3  # of a list of contents without a name
TO_TOP = frozenset(
    (
        "back to top|back to the top|go to top|to top|to the top|top|top of page|return to top|back to contents|"
        "nach oben|zum seitenanfang|seitenanfang|zurück nach oben|haut de page|retour en haut|haut|arriba|"
        "volver arriba|ir arriba|torna su|torna all'inizio|voltar ao topo|topo|terug naar boven|naar boven|do góry|"
        "nahoru|наверх|в начало|к началу|вгору|нагору|回到顶部|返回顶部|回頂端|トップへ戻る|ページトップへ|↑|⇧|▲|^"
    ).split("|")
)
_MOST_AROUND_TOP = 3  # elements around a link to the top
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_NOT_CONTENTS = INLINE | _HEADINGS  # such as the link of a heading back to the contents
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
LARGE = 0.5  # share of the letters of a page from which an element is not around its text
_MOST_MEASURED = 300  # elements, as each may hold all others


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
        if not has_text(tag, node.attributes):
            continue
        if tag == "a":
            links += 1
            stack.append((node, True))
        child = node.first_child
        while child is not None:
            stack.append((child, False))
            child = child.next
    return _Size(letters, linked)


class Around:
    """A test whether an element is around the text of a page: a menu, a header, a footer, a notice about cookies.

    Args:
        tree: The page.
        n_words: Returns the number of words of an element.

    Attributes:
        depth: Number of elements around the current one that are no menus, such as an article.
        left_out: Number of words that were left out.
        hidden: Number of words that the page hides.
        drawn: Number of words in drawings.
        main_element: Identity of the element that says that it is the main part; None for none, or several.
        main: The offsets of the main part in the text.
    """

    def __init__(self, tree: Any, n_words: Callable[[Any], int]) -> None:
        self._n_words = n_words
        self._letters = len("".join(tree.body.text().split()))
        self._left, self._links_left = _MOST_MEASURED, _MOST_LINKS
        self.depth = self.left_out = self.hidden = self.drawn = 0
        self.main: tuple[int, int] | None = None
        parts = (tree.css(selector) for selector in ("main, [role=main]", "article"))
        self.main_element = next((part[0].mem_id for part in parts if len(part) == 1), None)
        self._body = tree.body
        self._steps = _steps(tree) | _links_to_top(tree) | self._lines_of_contents(tree)

    def __call__(self, node: Any, attributes: dict[str, str | None]) -> bool:
        """Return whether an element is to be left out."""
        if self._is_around(node, attributes):
            self.left_out += self._n_words(node)
            return True
        return False

    def pass_over(self, node: Any) -> None:
        """Count the words of an element that is not shown as text: hidden ones, and those of drawings."""
        is_hidden = node.tag not in NOT_TEXT
        stack = [node] if is_hidden or node.tag == "svg" else []
        while stack:
            inner = stack.pop()
            if inner.tag == "svg":
                self.drawn += sum(_n_words(text.text()) for text in inner.css("text"))
            elif inner.tag == "-text" and is_hidden:
                self.hidden += _n_words(inner.text_content or "")
            elif inner.tag not in NOT_TEXT:
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
        if tag in _LISTS and self._links_left > 0:
            links = [link.attributes.get("href") or "" for link in node.css("a[href]")]
            self._links_left -= 1 + len(links)
            if _lead_into_page(links):
                return self._is_contents(node)
        is_consent = role in _DIALOGS or (len(names) > 1 and _CONSENT_NAME.search(names) is not None)
        is_menu = role in _MENUS or tag in _MENUS or (len(names) > 1 and _MENU_NAME.search(names) is not None)
        is_motto = len(names) > 1 and _MOTTO_NAME.search(names) is not None
        kinds = {tag, role} & _AROUND
        if not (kinds or is_consent or is_menu or is_motto) or tag in (_BODY, "main") or not self._left:
            return False
        self._left -= 1
        size = _size(node)
        if not size.letters or size.letters > LARGE * self._letters:
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

    def _lines_of_contents(self, tree: Any) -> frozenset[int]:
        """Return the identities of links into the page that stand one below the other, as in a list of contents."""
        found: set[int] = set()
        letters = 0
        for run in _lines_of_links(tree):
            if _lead_into_page([link.attributes.get("href") or "" for link in run]):
                found.update(link.mem_id for link in run)
                letters += sum(_size(link).letters for link in run)
        return frozenset(found) if letters <= LARGE * self._letters else frozenset()

    def _is_contents(self, node: Any) -> bool:
        """Return whether an element is a list of contents beside the text of a page, and not all that the page has."""
        if not self._left:
            return False
        self._left -= 1
        size = _size(node)
        title = node.css_first(_ADMONITION_TITLE)
        letters = size.letters - (len("".join(title.text().split())) if title is not None else 0)
        if not size.letters or size.linked < _LINKED * letters:
            return False
        if size.letters <= LARGE * self._letters:
            return True
        return size.letters <= _SMALL_CONTENTS and _n_paragraphs(self._body) > _n_paragraphs(node)


def _lead_into_page(links: Sequence[str]) -> bool:
    """Return whether all links of a list lead to places in the page, as those of a list of contents."""
    return len(links) >= _LEAST_ENTRIES and all(link.startswith("#") and len(link) > 1 for link in links)


def _lines_of_links(tree: Any) -> list[list[Any]]:
    """Return links that stand beside each other with nothing between them but the end of a line (``<br>``)."""
    runs: list[list[Any]] = []
    for end in tree.css("br"):
        link, following = _beside(end, "prev"), _beside(end, "next")
        if link is None or link.tag != "a":
            continue
        if not runs or runs[-1][-1].mem_id != link.mem_id:
            runs.append([link])
        if following is not None and following.tag == "a":
            runs[-1].append(following)
    return runs


def _beside(node: Any, way: str) -> Any:
    """Return the element or the words before or after an element, without white space between them."""
    node = getattr(node, way)
    while node is not None and node.tag == "-text" and not (node.text_content or "").strip():
        node = getattr(node, way)
    return node


def _links_to_top(tree: Any) -> frozenset[int]:
    """Return the identities of elements that have only a link to the top of the page."""
    found: set[int] = set()
    for link in tree.css('a[href^="#"]'):
        words = link.text()
        if len(words) > _LONGEST_MOTTO or bare_words(words) not in TO_TOP:
            continue
        node, block = link, link.parent
        while block is not None and block.tag in INLINE:
            block = block.parent
        if block is not None and block.tag in _HEADINGS:
            found.add(link.mem_id)
        for _ in range(_MOST_AROUND_TOP):
            node = node.parent
            if node is None or node.tag == _BODY or bare_words(node.text()) != bare_words(words):
                break
            found.add(node.mem_id)
    return frozenset(found)


def bare_words(text: str) -> str:
    """Return words in small letters without the signs around them."""
    words = " ".join(text.split()).casefold()
    return words.strip("()[]{}<>.:|-–—↑⇧▲^ \u00a0") or words


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


def has_text(tag: str | None, attributes: dict[str, str | None]) -> bool:
    """Return whether what is in an element is shown as text."""
    if not tag or tag[0] in "-_!" or tag in NOT_TEXT:
        return False
    return not attributes or not (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or _HIDDEN.search(attributes.get("style") or "") is not None
    )
