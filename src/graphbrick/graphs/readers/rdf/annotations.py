"""Statements about statements (RDF 1.2): they become properties of triples.

``<< :a :knows :b >> :since 2019`` and ``:a :knows :b {| :since 2019 |}`` both name the triple by a node (a *reifier*),
and state properties of that node. Each node is one triple with properties; anonymous nodes for the same triple are one
while their properties have different names. A triple that has properties counts as stated. Its plain form is left out
then, so that the graph has it once; it stays if a node with a name but without properties stands for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from graphbrick.core.properties.values import Scalar, kind_of, value_text
from graphbrick.graphs.records.rdf_names import one_value, rdf_value
from graphbrick.graphs.records.records import EdgeRecord, LeftOut, TripleRecord

_Stated = dict[str, list[Any]]


class Annotations:
    """The annotated triples of one file, and what is stated about each.

    Attributes:
        is_noted: Whether the file was read once to note the triples.

    Args:
        left_out: Receives what a property cannot express.
    """

    def __init__(self, left_out: LeftOut) -> None:
        self.is_noted = False
        self._left_out = left_out
        self._triples: dict[str, dict[TripleRecord, None]] = {}
        self._stated: dict[str, _Stated] = {}
        self._is_stated: dict[TripleRecord, bool] = {}

    def holds_back(self, triple: TripleRecord) -> bool:
        """Return whether a triple that the file states is annotated, so that `records` yields it."""
        if triple not in self._is_stated:
            return False
        self._is_stated[triple] = True
        return True

    def note(self, reifier: str | None, triple: TripleRecord) -> None:
        """Take the triple that a node stands for; None is a node whose name changes with each reading."""
        self.is_noted = True
        self._is_stated.setdefault(triple, False)
        if reifier is not None:
            self._triples.setdefault(reifier, {})[triple] = None

    def takes(self, subject: str, predicate: str, value: Any) -> bool:
        """Take a statement if its subject stands for a triple; return whether it does.

        Args:
            subject: The key of the subject.
            predicate: The IRI.
            value: A literal of pyoxigraph, or the key of another term.
        """
        if isinstance(value, str) and value in self._triples and subject not in self._triples:
            self._left_out.add("statements about statements that are not properties of a triple", predicate)
            return True
        if subject not in self._triples:
            return False
        if isinstance(value, str) and value.startswith("_:"):
            self._left_out.add("properties of triples whose value has no name", predicate)
            return True
        self._stated.setdefault(subject, {}).setdefault(predicate, []).append(value)
        return True

    def iris(self) -> set[str]:
        """Return the IRIs whose names the records show: predicates and values."""
        names = {predicate for stated in self._stated.values() for predicate in stated}
        values = (value for stated in self._stated.values() for row in stated.values() for value in row)
        return names | {value for value in values if isinstance(value, str)}

    def records(self, label: Callable[[str], str], facts: Collection[str]) -> Iterator[EdgeRecord]:
        """Yield the triples with their properties.

        Args:
            label: Returns the name of an IRI.
            facts: Predicates that state facts about entities and not triples, which cannot have properties.
        """
        named: dict[TripleRecord, list[_Stated]] = {triple: [] for triple in self._is_stated}
        anonymous: dict[TripleRecord, list[_Stated]] = {triple: [] for triple in self._is_stated}
        for reifier, triples in self._triples.items():
            stated = self._stated.get(reifier, {})
            for triple in triples:
                if not reifier.startswith("_:"):
                    if stated or self._is_stated[triple]:
                        named[triple].append(stated)
                elif stated:
                    _join(anonymous[triple], stated)
        for triple, groups in named.items():
            groups += anonymous[triple]
            head, relation, tail = triple
            if relation in facts:
                self._left_out.add("properties of labels and types", relation, sum(map(len, groups)))
            elif head in self._triples or tail in self._triples:
                self._left_out.add("properties of properties", relation)
            elif groups or self._is_stated[triple]:
                yield from (EdgeRecord(*triple, _properties(stated, label)) for stated in groups or [{}])
            else:
                self._left_out.add("statements that are only named", " ".join(triple))


def _join(groups: list[_Stated], stated: _Stated) -> None:
    """Add properties to the first group that has none of their names, or else as a group."""
    for group in groups:
        if not group.keys() & stated.keys():
            group.update(stated)
            return
    groups.append(dict(stated))


def _properties(stated: _Stated, label: Callable[[str], str]) -> dict[str, Any]:
    values: dict[str, list[Scalar]] = {}
    for predicate, terms in stated.items():
        rows = (label(term) if isinstance(term, str) else rdf_value(term.value, term.datatype.value) for term in terms)
        values.setdefault(label(predicate), []).extend(rows)
    for name, several in values.items():
        if len(set(map(kind_of, several))) > 1:  # a list has one kind
            values[name] = list(map(value_text, several))
    return {name: one_value(several) for name, several in values.items()}
