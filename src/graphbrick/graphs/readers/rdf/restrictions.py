"""What an ontology says that all members of a class have, as triples of the class.

``:Margherita rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :hasTopping ; owl:someValuesFrom :Tomato ]`` is
``:Margherita :hasTopping :Tomato``, as OBO files write it and editors of ontologies draw it; ``owl:hasValue`` likewise.
A restriction is *plain* if it says no more than that, of one node with a name or a value, and only classes that are
below it, or members of it, refer to it. Others («only», «at least 2») stay nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from graphbrick.graphs.records.rdf_names import TYPE_IRI
from graphbrick.graphs.records.records import LeftOut

READ = "restrictions of an ontology that became triples of the classes below them («Margherita has topping Tomato»)"
_OWL = "http://www.w3.org/2002/07/owl#"
_PROPERTY, _RESTRICTION = _OWL + "onProperty", _OWL + "Restriction"
_VALUES = {_OWL + "someValuesFrom", _OWL + "hasValue"}
_BELOW = {"http://www.w3.org/2000/01/rdf-schema#subClassOf", TYPE_IRI}


class Restrictions:
    """The plain restrictions of one file.

    Args:
        ox: The module pyoxigraph.
        key: Returns the key of a node, the same in each reading.
        left_out: Receives the number of restrictions that became triples.
    """

    def __init__(self, ox: ModuleType, key: Callable[[Any], str], left_out: LeftOut) -> None:
        self._ox, self._key, self._left_out = ox, key, left_out
        self._properties: dict[str, str] = {}
        self._values: dict[str, Any] = {}
        self._others: set[str] = set()
        self._used: set[str] = set()  # restrictions that nothing is below stay as they are

    def __bool__(self) -> bool:
        return bool(self._properties)

    def note(self, quad: Any) -> None:
        """Take a statement that may be part of a restriction, or refer to one, before the file is converted."""
        predicate, value = quad.predicate.value, quad.object
        if isinstance(value, self._ox.BlankNode):
            (self._used if predicate in _BELOW else self._others).add(self._key(value))
        if not isinstance(quad.subject, self._ox.BlankNode):
            return
        key = self._key(quad.subject)
        if predicate == _PROPERTY and isinstance(value, self._ox.NamedNode) and key not in self._properties:
            self._properties[key] = value.value
        elif predicate in _VALUES and not isinstance(value, self._ox.BlankNode) and key not in self._values:
            self._values[key] = value
        elif predicate != TYPE_IRI or getattr(value, "value", "") != _RESTRICTION:
            self._others.add(key)

    def takes(self, subject: Any) -> bool:
        """Return whether a statement is part of a plain restriction."""
        return isinstance(subject, self._ox.BlankNode) and self._is_plain(self._key(subject))

    def read(self, predicate: str, value: Any) -> tuple[str, Any] | None:
        """Return the predicate and value of the restriction that something is below; None for other statements."""
        key = self._key(value) if self and predicate in _BELOW and isinstance(value, self._ox.BlankNode) else ""
        if not key or not self._is_plain(key):
            return None
        self._left_out.add(READ, self._properties[key])
        return self._properties[key], self._values[key]

    def _is_plain(self, key: str) -> bool:
        is_whole = key in self._properties and key in self._values
        return is_whole and key in self._used and key not in self._others
