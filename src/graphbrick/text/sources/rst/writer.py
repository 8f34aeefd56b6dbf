"""The text of a tree of docutils: paragraphs, sections, a line for each row of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphbrick.text.documents.document import Heading
from graphbrick.text.sources.raised import subscript, superscript

_SKIPPED = frozenset(
    "target comment substitution_definition pending raw index title_reference_target meta docinfo decoration "
    "transition image".split()
)
_MEMBERS = frozenset(("orphan", "tocdepth", "nosearch", "nocomments"))  # fields for Sphinx alone
_APART = "\n\n"


class Writer:
    """A collector of the blocks of a tree.

    Args:
        fence: Line before and after code; empty for none.

    Attributes:
        bad: Number of places that are no valid reStructuredText, whose text stays as it is.
    """

    def __init__(self, fence: str = "") -> None:
        self._fence = fence
        self._parts: list[str] = []
        self._length = 0
        self._between = ""  # what stands before the next block
        self._headings: list[Heading] = []
        self._is_tight = 0  # depth of what stays one paragraph
        self.bad = 0

    def written(self, document: Any) -> tuple[str, tuple[Heading, ...]]:
        """Return the text of a document and its headings."""
        self._children(document, 0)
        return "".join(self._parts), tuple(self._headings)

    def _write(self, text: str, mark: str = "") -> None:
        """Add a block, with the mark of a list before it."""
        if not text.strip():
            return
        for part in (self._between if self._parts else "", mark, text):
            self._parts.append(part)
            self._length += len(part)
        self._between = "\n" if self._is_tight else _APART

    def _heading(self, title: str, level: int) -> None:
        """Add a line that is a heading."""
        if title:
            self._between = _APART if self._parts else ""
            self._headings.append(Heading(self._length + len(self._between), level, title))
            self._write(title)
            self._between = _APART

    def _children(self, node: Any, level: int) -> None:
        """Write the blocks of a node; those after a described thing are again of the section around it."""
        title, is_after = "", False
        for child in node.children:
            kind = getattr(child, "tagname", "")
            if kind == "title":
                title = inline(child)
            if is_after and title and kind not in _SKIPPED and kind not in ("section", "object_description"):
                self._headings.append(Heading(self._length + len(self._between), max(level, 1), title))
                is_after = False
            self._block(child, level)
            is_after = is_after or kind == "object_description"

    def _tight(self, write: Callable[[], None]) -> None:
        """Write blocks that stay one paragraph."""
        self._is_tight += 1
        write()
        self._is_tight -= 1
        self._between = "\n" if self._is_tight else _APART

    def _block(self, node: Any, level: int) -> None:
        """Write a block; of an unknown kind, its blocks or its words."""
        kind = node.tagname if hasattr(node, "tagname") else "#text"
        match kind:
            case _ if kind in _SKIPPED:
                pass
            case "section":
                self._children(node, level + 1)
            case "title":
                self._heading(inline(node), max(level, 1))
            case "object_description":
                self._object(node, level)
            case "literal_block" | "doctest_block" | "math_block":
                code = node.astext().strip("\n").expandtabs()
                self._write(f"{self._fence}\n{code}\n{self._fence}" if self._fence and code.strip() else code)
            case "bullet_list" | "enumerated_list":
                self._list(node, level)
            case "admonition":
                self._block(node.children[0], level)
                self._between = "\n"
                for child in node.children[1:]:
                    self._block(child, level)
            case "definition_list_item" | "field" | "option_list_item" | "footnote" | "citation":
                self._tight(lambda: self._pair(node, level))
            case "line_block" | "field_list" | "option_list":
                self._tight(lambda: self._children(node, level))
            case "table":
                self._table(node)
            case "system_message":
                self._bad(node)
            case "paragraph" | "line" | "term" | "rubric" | "caption" | "attribution" | "#text" | "subtitle":
                self._write(inline(node))
            case _ if any(hasattr(child, "tagname") and child.tagname in _BLOCKS for child in node.children):
                self._children(node, level)
            case _:
                self._write(inline(node))

    def _object(self, node: Any, level: int) -> None:
        """Write what describes a named thing, as a section."""
        first, *others = node["signatures"]
        self._heading(first, level + 1)
        self._between = "\n" if others else _APART
        for line in others:
            self._write(line)
        self._between = _APART
        self._children(node, level + 1)

    def _list(self, node: Any, level: int) -> None:
        """Write the items of a list, one below the other."""
        is_numbered, first = node.tagname == "enumerated_list", int(node.get("start", 1))
        self._is_tight += 1
        for i, item in enumerate(node.children):
            mark = f"{_number(node, first + i)} " if is_numbered else "- "
            for j, child in enumerate(item.children):
                if j == 0 and getattr(child, "tagname", "") == "paragraph":
                    self._write(inline(child), mark)
                else:
                    self._block(child, level)
        self._is_tight -= 1
        self._between = "\n" if self._is_tight else _APART

    def _pair(self, node: Any, level: int) -> None:
        """Write a name and its text as one paragraph."""
        if node.tagname == "field":
            name, body = inline(node.children[0]), node.children[1]
            if name in _MEMBERS:
                return
            first, *rest = body.children or (None,)
            is_text = getattr(first, "tagname", "") == "paragraph"
            self._write(f"{name}: {inline(first)}" if is_text else f"{name}:")
            for child in rest if is_text else body.children:
                self._block(child, level)
            return
        for child in node.children:
            if child.tagname == "label":
                self._write(f"[{child.astext()}]")
                self._between = " "
            elif child.tagname == "classifier":
                self._between = " : "
                self._write(inline(child))
            elif child.tagname == "option_group":
                self._write(", ".join(" ".join(map(inline, option.children)) for option in child.children))
            else:
                self._block(child, level)

    def _table(self, node: Any) -> None:
        """Write a table, a line for each row."""
        lines = [inline(child) for child in node.children if child.tagname == "title"]
        for row in node.findall(lambda one: getattr(one, "tagname", "") == "row"):
            cells = (" ".join(Writer().written(entry)[0].split()) for entry in row.children)
            lines.append(" ".join(" | ".join(cells).split()))
        self._write("\n".join(line for line in lines if line.strip(" |")))

    def _bad(self, node: Any) -> None:
        """Write the source of what is not valid, so that it is not lost."""
        for child in node.children:
            if child.tagname == "literal_block":
                self.bad += 1
                self._write(child.astext())


_BLOCKS = frozenset(
    "paragraph section title literal_block doctest_block math_block bullet_list enumerated_list definition_list "
    "definition field field_list option_list option_list_item block_quote line_block line table admonition footnote "
    "citation rubric object_description container system_message definition_list_item description topic "
    "compound".split()
)


def _number(node: Any, number: int) -> str:
    """Return the number of an item as its list shows it."""
    kind = node.get("enumtype", "arabic")
    shown = chr(ord("a") + (number - 1) % 26) if kind.endswith("alpha") else str(number)
    return f"{node.get('prefix', '')}{shown.upper() if kind == 'upperalpha' else shown}{node.get('suffix', '.')}"


def inline(node: Any) -> str:
    """Return the words of a block on one line."""
    return " ".join(_words(node).split())


def _words(node: Any) -> str:
    """Return the words of a node, with superscripts and subscripts as plain text."""
    if not hasattr(node, "tagname") or node.tagname == "#text":
        return str(node.astext())
    match node.tagname:
        case "superscript":
            return superscript(node.astext())
        case "subscript":
            return subscript(node.astext())
        case "footnote_reference" | "citation_reference":
            return f"[{node.astext()}]" if node.astext() else ""
        case "image":
            return str(node.get("alt", ""))
        case kind if kind in _SKIPPED and kind != "target":
            return ""
    return "".join(map(_words, node.children))
