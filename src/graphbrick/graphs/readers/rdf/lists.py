"""Lists of RDF: a statement whose object is a list becomes one statement about each member.

``:paella :ingredients ( :rice :chicken )`` is written with two nodes without names, the cells of the list, each with
``rdf:first`` and ``rdf:rest``. Nobody asks for a cell. A list is *plain* if all its cells have one first and one rest,
end in ``rdf:nil`` and say nothing else; other cells stay as the file has them. A list in a list counts as its members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, TypeAlias

from graphbrick.graphs.records.rdf_names import TYPE_IRI
from graphbrick.graphs.records.records import LeftOut

FIRST_IRI, REST_IRI, NIL_IRI, LIST_IRI = (
    f"http://www.w3.org/1999/02/22-rdf-syntax-ns#{name}" for name in ("first", "rest", "nil", "List")
)
EMPTY = "statements whose object is an empty list"
_DEPTH = 50  # lists in lists; deeper ones stay cells
Key: TypeAlias = Callable[[Any], str]


class Lists:
    """The lists of one file.

    Args:
        ox: The module pyoxigraph.
        key: Returns the key of a node, the same in each reading.
        left_out: Receives the statements about empty lists.
    """

    def __init__(self, ox: ModuleType, key: Key, left_out: LeftOut) -> None:
        self._ox, self._key, self._left_out = ox, key, left_out
        self._firsts: dict[str, list[Any]] = {}
        self._rests: dict[str, list[Any]] = {}
        self._says_more: set[str] = set()
        self._referred: set[str] = set()  # nodes that a statement leads to; a list that nothing uses stays as it is
        self._plain: dict[str, bool] = {}
        self._open: set[str] = set()  # cells that are being looked at
        self._uses: list[tuple[Any, str, str]] = []

    def __bool__(self) -> bool:
        return bool(self._firsts)

    def note(self, quad: Any) -> None:
        """Take a statement that may be part of a list, or lead to one, before the file is converted."""
        if isinstance(quad.object, self._ox.BlankNode):
            self._referred.add(self._key(quad.object))
        if isinstance(quad.subject, self._ox.BlankNode):
            key, predicate = self._key(quad.subject), quad.predicate.value
            if predicate == FIRST_IRI:
                self._firsts.setdefault(key, []).append(self._lasting(quad.object))
            elif predicate == REST_IRI:
                self._rests.setdefault(key, []).append(self._lasting(quad.object))
            elif predicate != TYPE_IRI or getattr(quad.object, "value", "") != LIST_IRI:
                self._says_more.add(key)

    def takes(self, subject: Any, predicate: str, value: Any) -> bool:
        """Take a statement if it is part of a plain list, or its object is one; return whether it is.

        A statement whose object is a list is kept for `statements`.
        """
        if self and self.is_plain(self._cell(subject)):
            return True
        if isinstance(value, self._ox.NamedNode) and value.value == NIL_IRI and predicate != REST_IRI:
            self._left_out.add(EMPTY, predicate)
            return True
        head = self._cell(value) if self else ""
        if not self.is_plain(head):
            return False
        self._uses.append((subject, predicate, head))
        return True

    def statements(self) -> Iterator[tuple[Any, str, Any, int]]:
        """Yield (subject, predicate, member, position) in the order of the statements taken and of the members."""
        for subject, predicate, head in self._uses:
            for position, member in enumerate(self.members(head) or (), start=1):
                yield subject, predicate, member, position

    def members(self, head: str) -> list[Any] | None:
        """Return the members of a plain list by the key of its first cell; None if it is none."""
        if not self.is_plain(head):
            return None
        members, waiting = list[Any](), [head]
        while waiting:
            cell = waiting.pop()
            first, rest = self._firsts[cell][0], self._rests[cell][0]
            waiting += [self._key(rest)] if isinstance(rest, self._ox.BlankNode) else []
            inner = self._cell(first)
            if self.is_plain(inner):
                waiting.append(inner)
            else:
                members.append(first)
        return members

    def is_plain(self, head: str, depth: int = 0) -> bool:
        """Return whether a cell, by its key, begins a plain list."""
        cell, chain, is_plain = head, list[str](), False
        while cell not in self._plain and cell not in self._open and self._is_cell(cell):
            self._open.add(cell)
            chain.append(cell)
            rest = self._rests[cell][0]
            if not isinstance(rest, self._ox.BlankNode):
                is_plain = isinstance(rest, self._ox.NamedNode) and rest.value == NIL_IRI
                break
            cell = self._key(rest)
        else:
            is_plain = self._plain.get(cell, False)
        for cell in reversed(chain):
            inner = self._cell(self._firsts[cell][0])
            if inner and (depth == _DEPTH or inner in self._open):  # a list in itself
                is_plain = False
            elif inner:
                self.is_plain(inner, depth + 1)
            self._plain[cell] = is_plain
            self._open.discard(cell)
        return self._plain.get(head, False)

    def _is_cell(self, key: str) -> bool:
        one = len(self._firsts.get(key, ())) == len(self._rests.get(key, ())) == 1
        return one and key in self._referred and key not in self._says_more

    def _cell(self, term: Any) -> str:
        """Return the key of a node that may begin a list; empty for other terms."""
        key = self._key(term) if isinstance(term, self._ox.BlankNode) else ""
        return key if key in self._firsts else ""

    def _lasting(self, term: Any) -> Any:
        """Return a term that means the same in the next reading, in which anonymous nodes have other names."""
        return self._ox.BlankNode(self._key(term)[2:]) if isinstance(term, self._ox.BlankNode) else term
