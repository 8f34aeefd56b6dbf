"""All changes of a graph since it was built, merged; tables and name indexes that include the changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from graphbrick.core.deferred import cached_property
from graphbrick.core.properties.values import NO_PROPERTIES, Properties
from graphbrick.graphs.records.columns import properties_text
from graphbrick.graphs.store.names import NameIndex, NearMatch, most_similar
from graphbrick.graphs.store.overlay.delta_files import Delta, Facts
from graphbrick.language.folding import name_form
from graphbrick.language.hashing import span_hash, trigrams

Triples = npt.NDArray[np.int32]

_FIRST_ALIAS = 1 << 40  # first id of names added since the build; far above the ids on disk
_ADVISE = 0.1  # share of changed triples from which compaction is advised


class Texts(Protocol):
    """Texts by index; implemented by `StringTable` and `ChangedTable`."""

    def __getitem__(self, index: int) -> str: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True, eq=False)
class Changes:
    """All changes of a graph, merged; empty for a graph as it was built.

    Attributes:
        files: Number of changes.
        added: int32 [triples, 3]: head, relation, tail of the triples added since the build.
        deleted: int32 [triples, 3]: head, relation, tail of the built triples that were deleted.
        entities: Ids of the new entities, by key.
        relations: Ids of the new relations, by key.
        facts: Changed facts about entities, by entity id.
        relation_labels: New labels of relations, by relation id.
        added_properties: The properties of each added triple.
        deleted_properties: The properties of each deleted triple.
    """

    files: int = 0
    added: Triples = field(default_factory=lambda: np.empty((0, 3), dtype=np.int32))
    deleted: Triples = field(default_factory=lambda: np.empty((0, 3), dtype=np.int32))
    entities: Mapping[str, int] = field(default_factory=dict)
    relations: Mapping[str, int] = field(default_factory=dict)
    facts: Mapping[int, Facts] = field(default_factory=dict)
    relation_labels: Mapping[int, str] = field(default_factory=dict)
    added_properties: Sequence[Properties] = ()
    deleted_properties: Sequence[Properties] = ()

    def advise_compact(self, built: int) -> bool:
        """Return whether a graph built from ``built`` triples has changed so much that it should be compacted."""
        return len(self.added) + len(self.deleted) > _ADVISE * built

    def counts(self, built: int) -> dict[str, int | bool]:
        """Return counts of the changes of a graph that was built from ``built`` triples."""
        return {
            "files": self.files,
            "triples_added": len(self.added),
            "triples_deleted": len(self.deleted),
            "entities_added": len(self.entities),
            "entities_described": len(self.facts.keys() - set(self.entities.values())),
            "compact_advised": self.advise_compact(built),
        }

    @classmethod
    def of(cls, deltas: Sequence[Delta], n_entities: int, n_relations: int) -> Changes:
        """Merge changes, oldest first, of a graph built with these numbers of entities and relations."""
        if not deltas:
            return cls()
        added, deleted, properties = _net(deltas)
        facts: dict[int, Facts] = {}
        labels: dict[int, str] = {}
        for delta in deltas:
            labels |= delta.relation_labels
            for entity, changed in delta.facts.items():
                news = {name: value for name, value in vars(changed).items() if value is not None}
                facts[entity] = replace(facts.get(entity, Facts()), **news)
        return cls(
            len(deltas),
            added[:, :3],
            deleted[:, :3],
            _numbered((key for delta in deltas for key in delta.entities), n_entities),
            _numbered((key for delta in deltas for key in delta.relations), n_relations),
            facts,
            labels,
            [properties[number] for number in added[:, 3].tolist()],
            [properties[number] for number in deleted[:, 3].tolist()],
        )


@dataclass(frozen=True, eq=False)
class ChangesSince:
    """Size of the changes of a graph since an earlier version.

    Attributes:
        number: Number of changes that the earlier version had.
        n_entities: Number of entities of the earlier version; newer entities have higher ids.
        triples: Number of triples added or deleted since.
        share: ``triples`` as a share of the current number of triples.
        renamed: Ids of the entities whose label may have changed, int64, ascending.
        renamed_relations: Ids of the relations whose label may have changed, int64, ascending.
    """

    number: int
    n_entities: int
    triples: int
    share: float
    renamed: npt.NDArray[np.int64]
    renamed_relations: npt.NDArray[np.int64]

    @classmethod
    def of(cls, number: int, deltas: Sequence[Delta], n_entities: int, n_triples: int) -> ChangesSince:
        """Return the changes from ``number`` on; ``n_entities`` and ``n_triples`` are the current counts."""
        later = deltas[number:]
        before = n_entities - sum(len(delta.entities) for delta in later)
        triples = sum(len(delta.added) + len(delta.deleted) for delta in later)
        renamed = {
            entity
            for delta in later
            for entity, facts in delta.facts.items()
            if facts.label is not None and entity < before
        }
        relations = {relation for delta in later for relation in delta.relation_labels}
        ids = (np.array(sorted(numbers), dtype=np.int64) for numbers in (renamed, relations))
        return cls(number, before, triples, triples / max(1, n_triples), *ids)

    def __str__(self) -> str:
        when = f"at change {self.number} of the graph" if self.number else "when the graph was built"
        return f"{when}; {self.share:.1%} of the triples have changed since"


def _numbered(keys: Iterable[str], first: int) -> dict[str, int]:
    return {key: number for number, key in enumerate(keys, first)}


def _net(deltas: Sequence[Delta]) -> tuple[Triples, Triples, list[Properties]]:
    """Return the triples that all changes together add and delete, int32 [triples, 4], and a list of properties.

    The fourth column is the number of the triple's properties in the list. The first change of a triple tells whether
    it was there before; the last tells whether it is there now.
    """
    properties: list[Properties] = [NO_PROPERTIES]
    known = {properties_text(NO_PROPERTIES): 0}
    parts = []
    for delta in deltas:
        for rows, own in ((delta.deleted, delta.deleted_properties), (delta.added, delta.added_properties)):
            numbers = np.zeros(len(rows), dtype=np.int32)
            for place, values in enumerate(own):
                numbers[place] = known.setdefault(properties_text(values), len(properties))
                if numbers[place] == len(properties):
                    properties.append(values)
            parts.append(np.column_stack([rows, numbers]))
    triples = np.concatenate(parts)
    is_added = np.repeat(np.arange(len(parts)) % 2 == 1, [len(part) for part in parts])
    order = np.lexsort((np.arange(len(triples)), *triples.T[::-1]))
    triples, is_added = triples[order], is_added[order]
    differs = np.any(triples[1:] != triples[:-1], axis=1)
    first, last = np.concatenate(([True], differs)), np.concatenate((differs, [True]))
    if not len(triples):
        return triples, triples, properties
    triples, was, is_there = triples[first], ~is_added[first], is_added[last]
    return triples[is_there & ~was], triples[was & ~is_there], properties


class ChangedTable:
    """A table of texts on disk with texts replaced and added.

    Args:
        built: The table on disk; None for a table of empty texts.
        size: Length of that table.
        changed: New texts by index; indices from ``size`` on are added entries.
        added: Texts of the added entries that ``changed`` lacks.
    """

    def __init__(self, built: Texts | None, size: int, changed: Mapping[int, str], added: Sequence[str]) -> None:
        self._built, self._size, self._changed, self._added = built, size, changed, added

    def __len__(self) -> int:
        return self._size + len(self._added)

    def __getitem__(self, index: int) -> str:
        text = self._changed.get(index)
        if text is not None:
            return text
        if 0 <= index < self._size:
            return "" if self._built is None else self._built[index]
        if not self._size <= index < len(self):
            raise IndexError(f"string {index} of a table of {len(self)}")
        return self._added[index - self._size]


class ChangedNames:
    """The names of a changed graph, with the methods of `NameIndex`.

    For an entity whose label or aliases have changed, all names on disk are ignored and its present names are held in
    memory. The number of a name that is a label is the entity's id, as on disk.

    Args:
        built: The names on disk.
        n_built: Number of entities when the graph was built.
        labels: The labels of all entities.
        changed: Aliases of the entities whose label or aliases have changed; all new entities are among them.
    """

    def __init__(self, built: NameIndex, n_built: int, labels: Texts, changed: Mapping[int, Sequence[str]]) -> None:
        self._built, self._n_built, self._labels, self._changed = built, n_built, labels, changed
        self._shift = len(labels) - n_built

    @cached_property
    def _own(self) -> list[tuple[int, str]]:
        """Return (entity, alias) for the entities whose names are in memory."""
        return [(entity, alias) for entity in sorted(self._changed) for alias in self._changed[entity]]

    @cached_property
    def _by_form(self) -> dict[str, list[int]]:
        """Return the names in memory by their folded form, ascending."""
        by_form: dict[str, list[int]] = {}
        names = [*sorted(self._changed), *range(_FIRST_ALIAS, _FIRST_ALIAS + len(self._own))]
        for name in names:
            by_form.setdefault(name_form(self.name(name)), []).append(name)
        by_form.pop("", None)
        return by_form

    @cached_property
    def _hashes(self) -> npt.NDArray[np.uint64]:
        return np.fromiter(map(span_hash, self._by_form), dtype=np.uint64, count=len(self._by_form))

    @cached_property
    def _by_gram(self) -> dict[int, list[str]]:
        """Return the folded names in memory by their trigrams."""
        by_gram: dict[int, list[str]] = {}
        for form in self._by_form:
            for gram in trigrams(form):
                by_gram.setdefault(gram, []).append(form)
        return by_gram

    @cached_property
    def max_tokens(self) -> int:
        """Number of words in the longest name."""
        return max([self._built.max_tokens, *(form.count(" ") + 1 for form in self._by_form)])

    def name(self, name: int) -> str:
        """Return the text of a name."""
        if name < len(self._labels):
            return self._labels[name]
        if name >= _FIRST_ALIAS:
            return self._own[name - _FIRST_ALIAS][1]
        return self._built.name(name - self._shift)

    def entity(self, name: int) -> int:
        """Return the entity that a name belongs to."""
        if name < len(self._labels):
            return name
        if name >= _FIRST_ALIAS:
            return self._own[name - _FIRST_ALIAS][0]
        return self._built.entity(name - self._shift)

    def aliases(self, entity: int) -> list[str]:
        """Return the aliases of an entity, in the order of the source."""
        return list(self._changed[entity]) if entity in self._changed else self._built.aliases(entity)

    def known(self, spans: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Return a mask of the span hashes that equal the hash of a name; confirm a match with `exact`."""
        return self._built.known(spans) | np.isin(spans, self._hashes)

    def containing(self, folded: str) -> list[int]:
        """Return the entities whose names contain a word sequence; see `NameIndex.containing`."""
        built = set(self._built.containing(folded)) - set(self._changed)
        forms = [form for form in self._by_form if f" {folded} " in f" {form} "]
        return sorted(built | {self.entity(name) for form in forms for name in self._by_form[form]})

    def exact(self, folded: str) -> list[int]:
        """Return the ids of all names that fold to this text, ascending."""
        on_disk = (name for name in self._built.exact(folded) if self._built.entity(name) not in self._changed)
        ids = (name if name < self._n_built else name + self._shift for name in on_disk)
        return sorted([*ids, *self._by_form.get(folded, ())])

    def near(self, text: str, n: int, *, min_score: float = 0.0) -> list[NearMatch]:
        """Return the ``n`` entities whose names are most similar to a text; see `NameIndex.near`."""
        on_disk = self._built.near(text, n + len(self._changed), min_score=min_score)
        best = {match.entity: match for match in on_disk if match.entity not in self._changed}
        folded = name_form(text)
        forms = {form for gram in trigrams(folded) for form in self._by_gram.get(gram, ())} if folded else set()
        names = sorted(name for form in forms for name in self._by_form[form])
        return most_similar(folded, ((self.entity(name), self.name(name)) for name in names), best, n, min_score)
