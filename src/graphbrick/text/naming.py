"""Which words are the same entity, and which are entities at all."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from graphbrick.text.extraction import Kind

_ARTICLES = frozenset("the a an der die das ein eine le la les un une el los las il lo gli het een de o os as".split())
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")
_POSSESSIVE = re.compile(r"['’]s?$")
_LONGEST = 100  # characters
_ALIASES = 10
_COMMON = 0.1  # a phrase that more of the passages have is no entity
_FEW = 50  # passages up to which that does not count


def fold_name(name: str) -> str:
    """Return the key of a name: no case, no article, no possessive, one form of Unicode; empty for no name.

    >>> fold_name("The Kenyan  Shilling’s"), fold_name("ＵＮ")
    ('kenyan shilling', 'un')
    """
    words = _EDGE.sub("", unicodedata.normalize("NFKC", name).casefold()).split()
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    key = _POSSESSIVE.sub("", " ".join(words))
    return key if len(key) <= _LONGEST and any(letter.isalpha() for letter in key) else ""


def singular(key: str) -> str:
    """Return a key with its last word in the singular, by the rules of English; the same if it is no plural.

    >>> singular("great lakes"), singular("cities"), singular("glass")
    ('great lake', 'city', 'glass')
    """
    if len(key) < 4 or not key.endswith("s") or key.endswith(("ss", "us", "is")):
        return key
    if key.endswith("ies") and len(key) > 4:
        return f"{key[:-3]}y"
    return key[:-2] if key.endswith(("ches", "shes", "xes", "sses")) else key[:-1]


@dataclass
class Entity:
    """What the passages say of one key.

    Attributes:
        names: How often each spelling occurs.
        types: How often each type was given.
        descriptions: How often each description was given.
        passages: Number of passages that mention it.
        is_name: Whether it is certainly a name somewhere.
    """

    names: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    descriptions: Counter[str] = field(default_factory=Counter)
    passages: int = 0
    is_name: bool = False

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


class Names:
    """The entities of all passages by key. Add every passage, then call `resolve` once.

    Args:
        merges: Keys that a user has merged into others; into themselves to keep them apart.
    """

    def __init__(self, merges: Mapping[str, str]) -> None:
        self._merges = merges
        self._seen: defaultdict[str, Entity] = defaultdict(Entity)
        self._n_passages = 0
        self.entities: dict[str, Entity] = {}
        """The entities by key, after `resolve`."""
        self._key: dict[str, str] = {}

    def add(self, mentions: Iterable[tuple[str, Kind, str]]) -> None:
        """Count the mentions of one passage: name, kind and type."""
        self._n_passages += 1
        keys = set()
        for name, kind, type_ in mentions:
            key = fold_name(name)
            if not key:
                continue
            entity = self._seen[key]
            entity.names[" ".join(name.split())] += 1
            if type_:
                entity.types[type_] += 1
            entity.is_name |= kind is Kind.NAME
            keys.add(key)
        for key in keys:
            self._seen[key].passages += 1

    def describe(self, name: str, description: str) -> None:
        """Count a description of a name that was added."""
        key = fold_name(name)
        if key and description:
            self._seen[key].descriptions[description] += 1

    def resolve(self) -> None:
        """Decide which keys are entities, and which of them are the same."""
        for key in sorted(self._seen):
            target = self._target(key)
            if not target:
                continue
            self._key[key] = target
            entity, other = self.entities.setdefault(target, Entity()), self._seen[key]
            entity.names.update(other.names)
            entity.types.update(other.types)
            entity.descriptions.update(other.descriptions)
            entity.passages += other.passages
            entity.is_name |= other.is_name

    def key(self, name: str) -> str:
        """Return the key of the entity that a name means, after `resolve`; empty if it is none."""
        return self._key.get(fold_name(name), "")

    def _target(self, key: str) -> str:
        """Return the key of the entity that a key belongs to; empty if it is none."""
        met = {key}
        while key in self._merges and self._merges[key] not in met:
            key = self._merges[key]
            met.add(key)
        if key in self._merges or len(met) > 1:
            return key
        one = singular(key)
        if one != key and one in self._seen and not (self._seen[key].is_name and self._seen[one].is_name):
            return one if one in self._merges or self._is_entity(one) or self._is_entity(key) else ""
        return key if self._is_entity(key) else ""

    def _is_entity(self, key: str) -> bool:
        entity = self._seen[key]
        if entity.is_name:
            return True
        is_common = self._n_passages > _FEW and entity.passages > _COMMON * self._n_passages
        is_long_enough = " " in key or not key.isascii()
        return entity.passages > 1 and is_long_enough and not is_common
