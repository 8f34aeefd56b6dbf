"""Choose the roles of the fields of nodes and edges: names, types, relations and others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from graphbrick.core.properties.values import Value, value_text
from graphbrick.graphs.readers.fields import own_list, several_of
from graphbrick.graphs.records.records import EntityRecord

NAMES = ("label", "name", "title", "caption", "preflabel", "preferred_label")
TYPES = ("types", "labels", "labelv", "type", "kind", "category", "node_type", "entity_type", "entitytype")
DESCRIPTIONS = ("description", "desc", "definition", "comment", "abstract")
ALIASES = ("aliases", "alias", "synonyms", "synonym", "alternate_names", "altlabel")
RELATIONS = (
    *("relation", "labele", "relationship", "predicate", "interaction", "kind", "label", "type", "rel", "edge_type"),
    *("relation_type", "relationtype", "caption"),
)
UNNAMED = "related to"
"""The relation of an edge that does not name one."""

_DIRECTIONS = {"directed", "undirected", "mutual"}


@lru_cache(1 << 12)
def plain(name: str) -> str:
    """Return the name of a field in the spelling of the role tables.

    >>> plain("Edge Type"), plain("prefLabel")
    ('edge_type', 'preflabel')
    """
    return re.sub(r"[ -]", "_", name.strip().casefold())


def several(value: Value) -> tuple[str, ...]:
    """Return the texts of a list, or of a text whose parts `several_of` separates."""
    return tuple(map(value_text, value)) if isinstance(value, tuple) else several_of(value_text(value))


def is_text(value: Value | None) -> bool:
    """Return whether a value is a text or a list of texts."""
    return isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(item, str) for item in value))


@dataclass(frozen=True)
class NodeRoles:
    """The plain names of the fields of nodes by role; of each role the first that a node has is used.

    Attributes:
        names: Fields of the label.
        types: Fields of types.
        descriptions: Fields of the description.
        aliases: Fields of aliases.
        other_names: Fields of ``names`` that are aliases where another one is the label.
        is_ours: Whether an export of this package wrote the file, whose lists are separated by semicolons alone.
    """

    names: tuple[str, ...] = NAMES
    types: tuple[str, ...] = TYPES
    descriptions: tuple[str, ...] = DESCRIPTIONS
    aliases: tuple[str, ...] = ALIASES
    other_names: frozenset[str] = frozenset()
    is_ours: bool = False

    @classmethod
    def of_ours(cls) -> NodeRoles:
        """Return the roles of an export of this package."""
        return cls(("label",), ("types",), ("description",), ("aliases",), is_ours=True)

    @classmethod
    def of(cls, nodes: Iterable[dict[str, Value]], name: str | None = None, type_: str | None = None) -> NodeRoles:
        """Choose the roles from the fields of nodes.

        The name is the field whose values repeat least; among equals, the first of `NAMES`. A ``label`` that repeats
        beside a better name is the type.

        Args:
            nodes: The fields of the first nodes.
            name: The field of names, if the user states it.
            type_: The field of types, if the user states it.
        """
        chosen = cls._chosen(nodes)
        if name is not None:
            chosen = replace(chosen, names=(plain(name),), other_names=frozenset())
        return chosen if type_ is None else replace(chosen, types=(plain(type_),))

    @classmethod
    def _chosen(cls, nodes: Iterable[dict[str, Value]]) -> NodeRoles:
        texts: dict[str, Counter[str]] = {}
        others: set[str] = set()
        for fields in nodes:
            for name, value in fields.items():
                role = plain(name)
                if role in NAMES and not isinstance(value, tuple):
                    texts.setdefault(role, Counter())[value_text(value)] += 1
                elif role in NAMES or is_text(value):
                    others.add(role)
        if not texts and not others:
            return cls()
        names = sorted(texts, key=lambda role: (-len(texts[role]), NAMES.index(role)))
        repeated = {role for role in names[1:] if len(texts[role]) < texts[role].total()}
        types = tuple(role for role in TYPES if role in others)[:1]
        if "label" in repeated:
            names.remove("label")
            types = types or ("label",)
        return cls(
            tuple(names),
            types,
            tuple(role for role in DESCRIPTIONS if role in others)[:1],
            tuple(role for role in ALIASES if role in others)[:1],
            frozenset(names) - repeated - {"title"},
        )

    def record(self, key: str, fields: dict[str, Value]) -> EntityRecord:
        """Return the entity of a node."""
        roles = {plain(name): name for name in reversed(fields)}
        names = [roles[role] for role in self.names if role in roles and not isinstance(fields[roles[role]], tuple)]
        types, description, aliases = (
            next((roles[role] for role in wanted if role in roles and is_text(fields[roles[role]])), None)
            for wanted in (self.types, self.descriptions, self.aliases)
        )
        label = value_text(fields[names[0]]) if names else None
        others = [name for name in names[1:] if plain(name) in self.other_names]
        more = [value_text(fields[name]) for name in others] + [*(self._several(fields[aliases]) if aliases else ())]
        used = {*names[:1], *others, types, description, aliases}
        return EntityRecord(
            key,
            label,
            tuple(dict.fromkeys(text for text in more if text != label)),
            self._several(fields[types]) if types else (),
            value_text(fields[description]) if description else None,
            {name: value for name, value in fields.items() if name not in used},
        )

    def _several(self, value: Value) -> tuple[str, ...]:
        return own_list(value) if self.is_ours and isinstance(value, str) else several(value)

    def described(self, nodes: Iterable[dict[str, Value]]) -> str:
        """Return in one line how the fields of nodes are read; empty if there are no nodes."""
        roles: dict[str, str] = {}
        count = 0
        for fields in nodes:
            roles.update({plain(name): name for name in fields})
            count += 1
        if not count:
            return ""
        chosen = {"name": self.names, "type": self.types, "description": self.descriptions, "aliases": self.aliases}
        used = {role: next((roles[name] for name in names if name in roles), "") for role, names in chosen.items()}
        shown = ["key id", *(f"{role} {name}" for role, name in used.items() if name)]
        return f"nodes: {', '.join(shown)}{_properties(set(roles.values()) - set(used.values()))}"


def _properties(names: set[str]) -> str:
    if not names:
        return ""
    shown = ", ".join(sorted(names)[:10]) + (", ..." if len(names) > 10 else "")
    return f", {len(names)} {'property' if len(names) == 1 else 'properties'} ({shown})"


@dataclass
class EdgeRoles:
    """The plain names of the fields of edges that may name the relation, best first.

    Attributes:
        relations: Fields of the relation.
        has_labels: Whether ``label`` is the label of the relation that another field names.
        unnamed: The relation of edges that do not name one.
    """

    relations: tuple[str, ...] = RELATIONS
    has_labels: bool = False
    unnamed: str = UNNAMED
    _labels: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_ours(cls) -> EdgeRoles:
        """Return the roles of an export of this package."""
        return cls(("relation",), has_labels=True)

    @classmethod
    def of(cls, edges: Iterable[dict[str, Value]], unnamed: str = UNNAMED) -> EdgeRoles:
        """Choose the roles from the fields of edges: the first of `RELATIONS` that has texts.

        Where ``relation`` names the relation and each one has a single ``label``, that is its label.
        """
        present: set[str] = set()
        labels: dict[str, set[str]] = {}
        for fields in edges:
            roles = {plain(name): value for name, value in fields.items() if _names_relation(name, value)}
            present.update(roles)
            if "relation" in roles and "label" in roles:
                labels.setdefault(value_text(roles["relation"]), set()).add(value_text(roles["label"]))
        relations = tuple(role for role in RELATIONS if role in present)
        has_labels = bool(labels) and all(len(texts) == 1 for texts in labels.values())
        return cls(relations or RELATIONS, has_labels, unnamed)

    def taken(self, fields: dict[str, Value]) -> tuple[str, str | None, dict[str, Value]]:
        """Return the relation of an edge or an empty text, its label if that is new, and its properties."""
        roles = {plain(name): name for name in reversed(fields) if _names_relation(name, fields[name])}
        chosen = next((roles[role] for role in self.relations if role in roles), None)
        if chosen is None:
            return "", None, dict(fields)
        relation, label = value_text(fields[chosen]), None
        used = {chosen}
        if self._has_label(chosen, roles):
            text = value_text(fields[roles["label"]])
            if relation not in self._labels:
                self._labels[relation] = label = text
            if self._labels[relation] == text:
                used.add(roles["label"])
        return relation, label, {name: value for name, value in fields.items() if name not in used}

    def described(self, edges: Iterable[tuple[str, dict[str, Value]]]) -> str:
        """Return in one line how edges are read; empty if there are none.

        Args:
            edges: The relation that each edge states apart from its fields, or an empty text; and its fields.
        """
        chosen: set[str] = set()
        labels: set[str] = set()
        properties: set[str] = set()
        count = 0
        for stated, fields in edges:
            roles = {plain(name): name for name in reversed(fields) if _names_relation(name, fields[name])}
            relation = next((roles[role] for role in self.relations if role in roles), None)
            count += 1
            properties.update(fields)
            if stated:
                chosen.add("as each edge states it")
            elif relation is not None:
                chosen.add(relation)
                labels |= {roles["label"]} if self._has_label(relation, roles) else set()
        if not count:
            return ""
        named = f"relation {', '.join(sorted(chosen)) or repr(self.unnamed)}"
        named += f", its name {', '.join(sorted(labels))}" if labels else ""
        return f"edges: {named}{_properties(properties - chosen - labels)}"

    def _has_label(self, relation: str, roles: dict[str, str]) -> bool:
        """Return whether ``label`` is the name of a relation, which the field ``relation`` gives."""
        return self.has_labels and plain(relation) == "relation" and "label" in roles


def _names_relation(name: str, value: Value) -> bool:
    return isinstance(value, str) and not (value.casefold() in _DIRECTIONS and plain(name) == "type")
