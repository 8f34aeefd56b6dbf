"""Build rules: triples to keep, relations that state labels, and a prefix to strip from keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from graphbrick.core.errors import InputError

KEEP, LEAVE_OUT, LABEL_OF = range(3)
"""Results of `Rules.action`: the triples of a relation are kept, left out, or labels of heads."""


@dataclass(frozen=True)
class Rules:
    """Rules for the triples of a source, by relation key. Patterns are shell-style: ``people.*``.

    Args:
        include: Patterns of relations to keep; empty to keep all.
        exclude: Patterns of relations to leave out, even if they are included.
        label_relations: Keys of relations whose triples state the label of their head and are not stored as triples.
        strip: A prefix to remove from all keys that have it, with or without angle brackets around the key.
        facts_make_entities: Whether the graph contains entities that have a label or type, but no triple.

    >>> FREEBASE.action("people.person.profession") == KEEP, FREEBASE.action("common.topic.article") == LEAVE_OUT
    (True, True)
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    label_relations: tuple[str, ...] = ()
    strip: str = ""
    facts_make_entities: bool = True

    def __post_init__(self) -> None:
        for name in ("include", "exclude", "label_relations"):
            values = getattr(self, name)
            if isinstance(values, str) or not all(isinstance(value, str) and value.strip() for value in values):
                text = f"{name} takes texts that are not empty, got {values!r}; try ('people.*',)"
                raise InputError(text, code="rules.bad_pattern", name=name)

    def action(self, relation: str) -> int:
        """Return the action for the triples of a relation: `KEEP`, `LEAVE_OUT` or `LABEL_OF`."""
        if relation in self.label_relations:
            return LABEL_OF
        if any(fnmatchcase(relation, pattern) for pattern in self.exclude):
            return LEAVE_OUT
        if self.include and not any(fnmatchcase(relation, pattern) for pattern in self.include):
            return LEAVE_OUT
        return KEEP

    @property
    def label_iris(self) -> frozenset[str]:
        """The label relations, each with and without the prefix ``strip``."""
        return frozenset(self.label_relations) | {self.strip + relation for relation in self.label_relations}

    def with_patterns(self, include: tuple[str, ...], exclude: tuple[str, ...], labels: tuple[str, ...]) -> Rules:
        """Return these rules with additional include, exclude and label relations."""
        added = {"include": include, "exclude": exclude, "label_relations": labels}
        return replace(self, **{name: getattr(self, name) + values for name, values in added.items()})


FREEBASE = Rules(
    exclude=(
        "type.object.type",
        "type.object.key",
        "type.type.instance",
        "key.*",
        "common.*",
        "freebase.*",
        "kg.object_profile.*",
        "*sameAs*",
        "music.release.*",
        "book.isbn.*",
    ),
    label_relations=("type.object.name",),
    strip="http://rdf.freebase.com/ns/",
    facts_make_entities=False,
)
"""Rules for Freebase as in the report of LEGO-GraphRAG: names become labels, keys are MIDs.

Also left out, although the report does not name them: instances of types (the inverse of ``type.object.type``), keys in
other databases and profiles of the knowledge graph. They say nothing that a question asks, and their values are hubs.
"""

PRESETS = {"freebase": FREEBASE}
"""Preset rules by name."""


def rules_named(preset: str | None) -> Rules:
    """Return the rules of a preset; for None, rules that keep everything.

    Raises:
        InputError: No such preset.
    """
    if preset is None:
        return Rules()
    if preset not in PRESETS:
        text = f"there is no preset {preset!r}; there are {', '.join(PRESETS)}"
        raise InputError(text, code="rules.no_preset", preset=preset, allowed=list(PRESETS))
    return PRESETS[preset]
