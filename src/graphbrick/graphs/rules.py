"""Which triples of a source become triples of the graph, which are labels, and what keys lose."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from graphbrick.core.errors import InputError

KEEP, LEAVE_OUT, LABEL_OF = range(3)
"""What `Rules.action` says of a relation: its triples are kept, left out, or labels of their heads."""


@dataclass(frozen=True)
class Rules:
    """Which triples to keep, by the key of their relation. Patterns are those of file names: ``people.*``.

    Args:
        include: Patterns of the relations to keep; empty for all.
        exclude: Patterns of the relations to leave out, also of those that are included.
        label_relations: Keys of relations whose triples are labels of their heads, not triples.
        strip: A beginning that all keys lose where they have it, with or without angle brackets around the key.
        facts_make_entities: Whether an entity that has a label or type, but no triple, is in the graph.

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
                raise InputError(f"{name} takes texts that are not empty, got {values!r}; try ('people.*',)")

    def action(self, relation: str) -> int:
        """What becomes of the triples of a relation."""
        if relation in self.label_relations:
            return LABEL_OF
        if any(fnmatchcase(relation, pattern) for pattern in self.exclude):
            return LEAVE_OUT
        if self.include and not any(fnmatchcase(relation, pattern) for pattern in self.include):
            return LEAVE_OUT
        return KEEP

    @property
    def label_iris(self) -> frozenset[str]:
        """The label relations as RDF may spell them."""
        return frozenset(self.label_relations) | {self.strip + relation for relation in self.label_relations}

    def with_patterns(self, include: tuple[str, ...], exclude: tuple[str, ...], labels: tuple[str, ...]) -> Rules:
        """These rules and some more."""
        return Rules(
            self.include + include,
            self.exclude + exclude,
            self.label_relations + labels,
            self.strip,
            self.facts_make_entities,
        )


FREEBASE = Rules(
    exclude=("type.object.type", "common.*", "freebase.*", "*sameAs*", "music.release.*", "book.isbn.*"),
    label_relations=("type.object.name",),
    strip="http://rdf.freebase.com/ns/",
    facts_make_entities=False,
)
"""What the technical report of LEGO-GraphRAG leaves out of Freebase; names become labels, keys are plain MIDs."""

PRESETS = {"freebase": FREEBASE}
"""Rules by name."""


def rules_named(preset: str | None) -> Rules:
    """The rules of a preset; those that keep everything where there is no name.

    Raises:
        InputError: No such preset.
    """
    if preset is None:
        return Rules()
    if preset not in PRESETS:
        raise InputError(f"there is no preset {preset!r}; there are {', '.join(PRESETS)}")
    return PRESETS[preset]
