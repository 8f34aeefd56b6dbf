"""Resolution of names: the words that are entities, and the spellings of the same entity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from graphbrick.language.folding import fold_name
from graphbrick.language.stems import without_plural
from graphbrick.text.extract.extraction import Kind
from graphbrick.text.extract.tally import Tally

_ALIASES = 10
_COMMON = 0.1  # a phrase that more of the passages have is no entity
_FEW = 50  # passages up to which that does not count
_REMEMBERED = 1 << 16  # keys whose entity is not worked out again


@dataclass(slots=True)
class Entity:
    """The names, types and descriptions of an entity in the passages.

    Attributes:
        names: How often each spelling occurs.
        types: How often each type was given.
        descriptions: How often each description was given.
    """

    names: dict[str, int] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)
    descriptions: dict[str, int] = field(default_factory=dict)

    def label(self) -> str:
        """Return its most frequent spelling; of several the first in order."""
        return min(self.names, key=lambda name: (-self.names[name], name))

    def aliases(self) -> tuple[str, ...]:
        """Return its other spellings that differ by more than case, most frequent first."""
        label = self.label().casefold()
        others = sorted(self.names, key=lambda name: (-self.names[name], name))
        distinct = {name.casefold(): name for name in reversed(others) if name.casefold() != label}
        return tuple(reversed(distinct.values()))[:_ALIASES]

    def main_types(self) -> tuple[str, ...]:
        """Return its types, most frequent first, without those given less than half as often as the first."""
        ordered = sorted(self.types, key=lambda type_: (-self.types[type_], type_))
        return tuple(type_ for type_ in ordered if 2 * self.types[type_] >= self.types[ordered[0]])


class _Seen(NamedTuple):
    """Counts of the passages with a key, and of those in which it is certainly a name."""

    passages: int
    names: int


class Names:
    """Entities of all passages by key: `count` each passage, `resolve` once, `add` each passage.

    Most phrases occur once and are no entities. Their keys are counted by hash, so that memory grows by some bytes for
    each of them; spellings are kept of entities only.

    Args:
        merges: Keys that a user has merged into others; into themselves to keep them apart.
    """

    def __init__(self, merges: Mapping[str, str]) -> None:
        self._merges = merges
        self._counts = Tally()
        self._name_counts = Tally()
        self._n_passages = 0
        self.entities: dict[str, Entity] = {}
        """The entities by key, in the order in which they were added."""
        self._ids: dict[str, int] = {}
        self._target_of = lru_cache(maxsize=_REMEMBERED)(self._target)

    def count(self, mentions: Iterable[tuple[str, Kind, str]]) -> None:
        """Count the mentions of one passage: name, kind and type."""
        self._n_passages += 1
        is_name: dict[str, bool] = {}
        for name, kind, _ in mentions:
            key = fold_name(name)
            if key:
                is_name[key] = is_name.get(key, False) or kind is Kind.NAME
        self._counts.add([_hashed(key) for key in is_name])
        self._name_counts.add([_hashed(key) for key, certain in is_name.items() if certain])

    def resolve(self) -> None:
        """Close the counts; from now on it is decided which keys are entities, and which of them are the same."""
        self._counts.close()
        self._name_counts.close()

    def add(self, mentions: Iterable[tuple[str, Kind, str]]) -> None:
        """Note how the mentions of one passage spell entities, after `resolve`."""
        for name, _, type_ in mentions:
            key = self.key(name)
            if not key:
                continue
            self.id(key)
            entity = self.entities[key]
            spelling = " ".join(name.split())
            entity.names[spelling] = entity.names.get(spelling, 0) + 1
            if type_:
                entity.types[type_] = entity.types.get(type_, 0) + 1

    def describe(self, name: str, description: str) -> None:
        """Count a description of a name that was added."""
        key = self.key(name)
        if key and description:
            descriptions = self.entities[key].descriptions
            descriptions[description] = descriptions.get(description, 0) + 1

    def key(self, name: str) -> str:
        """Return the key of the entity that a name means, after `resolve`; empty if it is none."""
        key = fold_name(name)
        return self._target_of(key) if key else ""

    def id(self, key: str) -> int:
        """Return the index in `entities` of the entity with a key that `key` returned."""
        number = self._ids.setdefault(key, len(self._ids))
        if number == len(self.entities):
            self.entities[key] = Entity()
        return number

    def _target(self, key: str) -> str:
        """Return the key of the entity that a key belongs to; empty if it is none."""
        met = {key}
        seen = self._seen(key)
        if not seen.passages:
            return ""
        while key in self._merges and self._merges[key] not in met:
            key = self._merges[key]
            met.add(key)
        one = without_plural(key)
        if len(met) > 1 and not {key, one} & self._merges.keys() and self._seen(key).passages:
            return self._target_of(key) or key  # the entity that a name was merged into may be a plural
        if key in self._merges or len(met) > 1:
            return key
        single = self._seen(one) if one != key else _Seen(0, 0)
        if single.passages and not (seen.names and single.names) and self._merges.get(one) != one:
            if one in self._merges:
                return self._target_of(one)
            return one if self._is_entity(one, single) or self._is_entity(key, seen) else ""
        return key if self._is_entity(key, seen) else ""

    def _seen(self, key: str) -> _Seen:
        value = _hashed(key)
        return _Seen(self._counts.count(value), self._name_counts.count(value))

    def _is_entity(self, key: str, seen: _Seen) -> bool:
        if seen.names:
            return True
        is_common = self._n_passages > _FEW and seen.passages > _COMMON * self._n_passages
        is_long_enough = " " in key or not key.isascii()
        return seen.passages > 1 and is_long_enough and not is_common


def _hashed(key: str) -> int:
    """Return a signed 64-bit hash of a key that is the same in every process."""
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little", signed=True)
