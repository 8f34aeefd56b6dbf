"""All changes of a graph since it was built, merged; and tables and names with the changes in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from graphbrick.core.cached import once
from graphbrick.graphs.delta_files import Delta, Facts
from graphbrick.graphs.names import NameIndex, NearMatch
from graphbrick.graphs.text import name_form, span_hash, trigrams

Triples = npt.NDArray[np.int32]

_FIRST_ALIAS = 1 << 40  # names that were added since are numbered from here, far above those on disk
_ADVISE = 0.1  # share of the triples from which on folding the changes in is advised


class Texts(Protocol):
    """Texts by index, as `StringTable` and `ChangedTable` give them."""

    def __getitem__(self, index: int) -> str: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True, eq=False)
class Changes:
    """All changes of a graph, merged; empty for a graph as it was built.

    Attributes:
        files: Number of changes.
        added: int32 [triples, 3]: head, relation, tail of triples that were not built in.
        deleted: int32 [triples, 3]: of triples that were.
        entities: Ids of the entities that are new, by key.
        relations: Ids of the new relations, by key.
        facts: What is said about entities since, by id.
        relation_labels: By id.
    """

    files: int = 0
    added: Triples = field(default_factory=lambda: np.empty((0, 3), dtype=np.int32))
    deleted: Triples = field(default_factory=lambda: np.empty((0, 3), dtype=np.int32))
    entities: Mapping[str, int] = field(default_factory=dict)
    relations: Mapping[str, int] = field(default_factory=dict)
    facts: Mapping[int, Facts] = field(default_factory=dict)
    relation_labels: Mapping[int, str] = field(default_factory=dict)

    def advise_compact(self, built: int) -> bool:
        """Tell whether a graph that was built of ``built`` triples has changed so much that it should be compacted."""
        return len(self.added) + len(self.deleted) > _ADVISE * built

    def counts(self, built: int) -> dict[str, int | bool]:
        """Return numbers about the changes of a graph that was built of ``built`` triples."""
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
        """The changes of a graph that was built with so many entities and relations, in the order they were made."""
        if not deltas:
            return cls()
        added, deleted = _net(deltas)
        facts: dict[int, Facts] = {}
        labels: dict[int, str] = {}
        for delta in deltas:
            labels |= delta.relation_labels
            for entity, said in delta.facts.items():
                news = {name: value for name, value in vars(said).items() if value is not None}
                facts[entity] = replace(facts.get(entity, Facts()), **news)
        return cls(
            len(deltas),
            added,
            deleted,
            _numbered((key for delta in deltas for key in delta.entities), n_entities),
            _numbered((key for delta in deltas for key in delta.relations), n_relations),
            facts,
            labels,
        )


@dataclass(frozen=True, eq=False)
class ChangesSince:
    """How much a graph has changed since an earlier version of it.

    Attributes:
        number: Number of changes that the earlier version had.
        n_entities: Number of entities that it had; later ones have higher ids.
        triples: Triples added or deleted since.
        share: Those as a share of the triples that the graph has now.
        renamed: Ids of the entities that may have another label, int64, ascending.
        renamed_relations: Ids of such relations, int64, ascending.
    """

    number: int
    n_entities: int
    triples: int
    share: float
    renamed: npt.NDArray[np.int64]
    renamed_relations: npt.NDArray[np.int64]

    @classmethod
    def of(cls, number: int, deltas: Sequence[Delta], n_entities: int, n_triples: int) -> ChangesSince:
        """Return the changes from ``number`` on of a graph that has so many entities and triples with all of them."""
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


def _net(deltas: Sequence[Delta]) -> tuple[Triples, Triples]:
    """What all changes together add and delete: of each triple the first change says what was, the last what is."""
    parts = [part for delta in deltas for part in (delta.deleted, delta.added)]
    triples = np.concatenate(parts)
    is_added = np.repeat(np.arange(len(parts)) % 2 == 1, [len(part) for part in parts])
    order = np.lexsort((np.arange(len(triples)), *triples.T[::-1]))
    triples, is_added = triples[order], is_added[order]
    differs = np.any(triples[1:] != triples[:-1], axis=1)
    first, last = np.concatenate(([True], differs)), np.concatenate((differs, [True]))
    if not len(triples):
        return triples, triples
    triples, was, is_there = triples[first], ~is_added[first], is_added[last]
    return triples[is_there & ~was], triples[was & ~is_there]


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

    @once
    def _own(self) -> list[tuple[int, str]]:
        """Return (entity, alias) for the entities whose names are in memory."""
        return [(entity, alias) for entity in sorted(self._changed) for alias in self._changed[entity]]

    @once
    def _by_form(self) -> dict[str, list[int]]:
        """Return the names in memory by their folded form, ascending."""
        found: dict[str, list[int]] = {}
        names = [*sorted(self._changed), *range(_FIRST_ALIAS, _FIRST_ALIAS + len(self._own))]
        for name in names:
            found.setdefault(name_form(self.name(name)), []).append(name)
        found.pop("", None)
        return found

    @once
    def _hashes(self) -> npt.NDArray[np.uint64]:
        return np.fromiter(map(span_hash, self._by_form), dtype=np.uint64, count=len(self._by_form))

    @once
    def _by_gram(self) -> dict[int, list[str]]:
        """Return the folded names in memory by their trigrams."""
        found: dict[int, list[str]] = {}
        for form in self._by_form:
            for gram in trigrams(form):
                found.setdefault(gram, []).append(form)
        return found

    @once
    def max_tokens(self) -> int:
        """The number of words of the longest name."""
        return max([self._built.max_tokens, *(form.count(" ") + 1 for form in self._by_form)])

    def name(self, name: int) -> str:
        """The text of a name."""
        if name < len(self._labels):
            return self._labels[name]
        if name >= _FIRST_ALIAS:
            return self._own[name - _FIRST_ALIAS][1]
        return self._built.name(name - self._shift)

    def entity(self, name: int) -> int:
        """The entity a name belongs to."""
        if name < len(self._labels):
            return name
        if name >= _FIRST_ALIAS:
            return self._own[name - _FIRST_ALIAS][0]
        return self._built.entity(name - self._shift)

    def aliases(self, entity: int) -> list[str]:
        """The aliases of an entity, in the order of the source."""
        return list(self._changed[entity]) if entity in self._changed else self._built.aliases(entity)

    def known(self, spans: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Which span hashes may be the hash of a name (a name is then to be compared; see `exact`)."""
        return self._built.known(spans) | np.isin(spans, self._hashes)

    def containing(self, folded: str) -> list[int]:
        """Return the entities whose names contain some words in a row; see `NameIndex.containing`."""
        built = set(self._built.containing(folded)) - set(self._changed)
        forms = [form for form in self._by_form if f" {folded} " in f" {form} "]
        return sorted(built | {self.entity(name) for form in forms for name in self._by_form[form]})

    def exact(self, folded: str) -> list[int]:
        """The ids of all names that fold to this text, ascending."""
        on_disk = (name for name in self._built.exact(folded) if self._built.entity(name) not in self._changed)
        ids = (name if name < self._n_built else name + self._shift for name in on_disk)
        return sorted([*ids, *self._by_form.get(folded, ())])

    def near(self, text: str, n: int, *, min_score: float = 0.0) -> list[NearMatch]:
        """The ``n`` entities whose names are most similar to a text, best first; see `NameIndex.near`."""
        from rapidfuzz import fuzz

        on_disk = self._built.near(text, n + len(self._changed), min_score=min_score)
        best = {match.entity: match for match in on_disk if match.entity not in self._changed}
        folded = name_form(text)
        forms = {form for gram in trigrams(folded) for form in self._by_gram.get(gram, ())} if folded else set()
        for name in sorted(name for form in forms for name in self._by_form[form]):
            score = fuzz.ratio(folded, name_form(self.name(name)), score_cutoff=100 * min_score) / 100
            entity = self.entity(name)
            if score >= min_score and score > 0 and (entity not in best or score > best[entity].score):
                best[entity] = NearMatch(entity, self.name(name), score)
        return sorted(best.values(), key=lambda match: (-match.score, match.entity))[:n]
