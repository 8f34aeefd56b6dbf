"""Flatten the output of readers into plain records; of competing facts, yield the best one so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from graphbrick.graphs.records.blocks import Described, FactBlock, Part, TripleBlock
from graphbrick.graphs.records.rdf_names import local_aliases
from graphbrick.graphs.records.records import (
    DESCRIPTION,
    EdgeRecord,
    EntityRecord,
    RankedFact,
    Record,
    Records,
    RelationRecord,
)
from graphbrick.kernels.strings.ntriples import OTHER

_NO_RANK = 255


def resolved(parts: Iterable[Part], name: Callable[[str], str] | None = None) -> Records:
    """Yield the records of all parts; a later record replaces an earlier one of the same key.

    Of labels that compete, those that do not win are aliases. The names that an IRI gives follow at the end.

    With ``name``, memory grows with the number of keys. A builder takes the parts directly instead.

    Args:
        parts: The output of a reader.
        name: Function from a key to the label of an entity or relation without one; None to use the key itself.
    """
    known = None if name is None else _Known(name)
    for part in parts:
        if isinstance(part, TripleBlock | FactBlock):
            for record in part.records():
                yield from [record] if known is None else known.records(record)
        elif known is not None:
            yield from known.records(part.record if isinstance(part, Described) else part)
        elif not isinstance(part, Described | RankedFact):
            yield part
    if known is not None:
        yield from known.local_names()


class _Known:
    """The best labels so far by key; a relation may take one stated before its first triple."""

    def __init__(self, name: Callable[[str], str]) -> None:
        self._name = name
        self._labels: dict[str, tuple[int, str]] = {}
        self._descriptions: dict[str, int] = {}
        self._relations: set[str] = set()

    def records(self, part: RankedFact | Record) -> Iterator[Record]:
        """Yield the records of a part."""
        if isinstance(part, RankedFact):
            yield from self._fact(part)
        elif isinstance(part, EntityRecord):
            if part.label is not None:
                self._labels[part.key] = (0, part.label)
            else:
                yield from self._sight(part.key)
            yield part
        elif isinstance(part, RelationRecord):
            yield part
        else:
            head, relation, tail = part.triple if isinstance(part, EdgeRecord) else part
            yield from self._sight(head)
            if relation not in self._relations:
                self._relations.add(relation)
                rank, label = self._labels.get(relation, (_NO_RANK, ""))
                yield RelationRecord(relation, label if 0 < rank < _NO_RANK else self._name(relation))
            yield from self._sight(tail)
            yield part

    def _sight(self, key: str) -> Iterator[Record]:
        """Yield a record with the default label when a key is seen for the first time."""
        if key not in self._labels:
            label = self._name(key)
            self._labels[key] = (_NO_RANK, label)
            yield EntityRecord(key, label, may_be_relation=True)

    def _fact(self, fact: RankedFact) -> Iterator[Record]:
        key = fact.key
        if fact.kind == DESCRIPTION:
            yield from self._sight(key)
            if fact.rank < self._descriptions.get(key, _NO_RANK):
                self._descriptions[key] = fact.rank
                yield EntityRecord(key, description=fact.text, may_be_relation=True)
            return
        rank, label = self._labels.get(key, (_NO_RANK, ""))
        if fact.rank < rank:
            self._labels[key] = (fact.rank, fact.text)
            yield EntityRecord(
                key, fact.text, (label,) if rank < _NO_RANK and label != fact.text else (), may_be_relation=True
            )
            if key in self._relations:
                yield RelationRecord(key, fact.text)
        elif fact.text != label:
            yield EntityRecord(key, aliases=(fact.text,), may_be_relation=True)

    def local_names(self) -> Iterator[Record]:
        """Yield the names that IRIs give to entities without a label in the preferred language."""
        for key, (rank, label) in self._labels.items():
            aliases = local_aliases(key, label) if rank >= OTHER else ()
            if aliases:
                yield EntityRecord(key, label if rank == _NO_RANK else None, aliases, may_be_relation=True)
