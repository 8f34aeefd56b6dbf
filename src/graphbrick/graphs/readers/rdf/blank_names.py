"""Names for nodes of RDF that have none: ``[ :street "Mayor 1" ; :city :valencia ]`` is «Mayor 1, Valencia».

A node with one thing to say names the relation too («amount 12.50»), so that it is no namesake of what it leads to.
What an ontology says of classes reads as in the Manchester syntax: «hasTopping some Cheese», «Dog or Cat», «not Cat».
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from graphbrick.graphs.records.rdf_names import TYPE_IRI, local_name, local_words
from graphbrick.graphs.records.records import LABEL, LeftOut, RankedFact
from graphbrick.kernels.strings.ntriples import OTHER

UNNAMED = "statements of nodes without a name beyond the first 200,000, which show a number instead of a name"
_MOST = 200_000  # nodes, which are held in memory with what they say
_SAID = 8  # statements of a node that are held
_SHOWN = 4  # of them that make its name
_LETTERS = 60  # of one of these
_DEPTH = 3  # nodes without a name in such nodes
_RANK = OTHER + 1
_OWL = "http://www.w3.org/2002/07/owl#"
_PROPERTY, _CLASS = _OWL + "onProperty", _OWL + "onClass"
_JOINED = {_OWL + "unionOf": " or ", _OWL + "intersectionOf": " and ", _OWL + "oneOf": " or "}
_NOT = {_OWL + "complementOf", _OWL + "datatypeComplementOf"}
_RESTRICTIONS = {
    _OWL + name: word
    for name, word in {
        "someValuesFrom": "some", "allValuesFrom": "only", "hasValue": "value", "hasSelf": "self",
        "minCardinality": "min", "maxCardinality": "max", "cardinality": "exactly", "minQualifiedCardinality": "min",
        "maxQualifiedCardinality": "max", "qualifiedCardinality": "exactly",
    }.items()
}  # fmt: skip
_Said: TypeAlias = list[tuple[str, Any]]
_Label: TypeAlias = Callable[[str], str]


class BlankNames:
    """What the nodes without a name of one file say.

    Args:
        labels: The predicates that state a label.
        rank: The rank of a language; the lowest is best.
        left_out: Receives the nodes that are too many.
    """

    def __init__(self, labels: frozenset[str], rank: Callable[[str | None], int], left_out: LeftOut) -> None:
        self._labels, self._rank, self._left_out = labels, rank, left_out
        self._said: dict[str, _Said] = {}

    def take(self, node: str, predicate: str, value: Any) -> None:
        """Take a statement about a node without a name.

        Args:
            node: The key of the node.
            predicate: The IRI.
            value: A literal of pyoxigraph, or the key of another term.
        """
        said = self._said.get(node)
        if said is None:
            if len(self._said) >= _MOST:
                self._left_out.add(UNNAMED, node)
                return
            said = self._said[node] = []
        if predicate in self._labels:
            said.insert(0, (predicate, value))
        elif len(said) < _SAID:
            said.append((predicate, value))

    def iris(self) -> set[str]:
        """Return the IRIs whose labels the names show."""
        shown = {value for said in self._said.values() for _, value in said if isinstance(value, str)}
        return {iri for iri in shown if not iri.startswith("_:")} | {
            predicate for said in self._said.values() if len(said) < _SHOWN for predicate, _ in said
        }

    def records(self, label: _Label) -> Iterator[RankedFact]:
        """Yield the names, which rank below all that the file states.

        Args:
            label: Returns the name of an IRI.
        """
        for node, said in self._said.items():
            if said[0][0] not in self._labels and (name := self._name(node, label, 0)):
                yield RankedFact(node, LABEL, name, _RANK)

    def _name(self, node: str, label: _Label, depth: int) -> str:
        """Return what a node says in a few words; empty if that is nothing."""
        said = self._said.get(node, [])
        if said and said[0][0] in self._labels:
            return self._shown(said[0][1], label, depth)
        named = self._class_name(said, label, depth)
        if named:
            return named
        parts = [(predicate, text) for predicate, text in self._texts(said, label, depth) if predicate != TYPE_IRI]
        texts = list(dict.fromkeys(text for _, text in parts))
        if len(texts) == 1:
            return f"{_words(label(parts[0][0]))} {texts[0]}"
        if texts:
            return ", ".join(texts[:_SHOWN]) + (" …" if len(texts) > _SHOWN or len(said) >= _SAID else "")
        types = [value for predicate, value in said if predicate == TYPE_IRI and isinstance(value, str)]
        return f"unnamed {_words(local_name(types[0]))}" if types else ""

    def _class_name(self, said: _Said, label: _Label, depth: int) -> str:
        """Return how a class of an ontology is written; empty if this is none."""
        texts: dict[str, list[str]] = {}
        for predicate, value in said:
            if predicate.startswith(_OWL):
                texts.setdefault(predicate, []).append(self._shown(value, label, depth, is_part=True))
        for predicate, parts in texts.items():
            if predicate in _JOINED:
                return _JOINED[predicate].join(parts) + (" …" if len(said) >= _SAID else "")
            if predicate in _NOT:
                return f"not {parts[0]}"
            if predicate in _RESTRICTIONS and _PROPERTY in texts:
                of = [] if predicate == _OWL + "hasSelf" else parts[:1]
                return " ".join([texts[_PROPERTY][0], _RESTRICTIONS[predicate], *of, *texts.get(_CLASS, [])[:1]])
        return ""

    def _texts(self, said: _Said, label: _Label, depth: int) -> Iterator[tuple[str, str]]:
        """Yield predicates and texts; of a text in several languages the best one."""
        best: dict[str, int] = {}
        for predicate, value in said:
            if not isinstance(value, str) and value.language:
                best[predicate] = min(self._rank(value.language), best.get(predicate, _RANK))
        for predicate, value in said:
            if isinstance(value, str) or not value.language or self._rank(value.language) == best[predicate]:
                text = self._shown(value, label, depth)
                if text:
                    yield predicate, text

    def _shown(self, value: Any, label: _Label, depth: int, *, is_part: bool = False) -> str:
        if not isinstance(value, str):
            text = str(value.value).strip()
        elif not value.startswith("_:"):
            text = label(value)
        elif depth >= _DEPTH:
            text = "…"
        else:
            text = self._name(value, label, depth + 1)
            text = f"({text})" if is_part and " " in text else text
        return text if len(text) <= _LETTERS or is_part else f"{text[: _LETTERS - 1]}…"


def _words(name: str) -> str:
    return local_words(name).replace("_", " ")
