"""The words of a graph's relations and the names of its classes, in a file that users can correct."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.classes import inferred_classes, types_of_slots
from graphbrick.learn.english import words
from graphbrick.learn.english.labels import HEAD, TAIL, RelationWords, names_kind_of_tails, read_label

NAMELESS = ("thing", "one", "item")
_HELP = """\
# How questions speak of this graph. `graphbrick learn` wrote this file and reads it again: correct it, and learn again.
# Relations: `tail` is what the tail is to the head («director»), `head` what the head is to the tail («leader»);
# `verb` joins them, its `subject` is "head", "tail" or "" (a state: «located in»), `preposition` follows the verb.
# `tail_questions` are questions about the head that the tail answers («who does @ answer to»; @ is the head), and
# `head_questions` the other way round. `by_model` names what a language model wrote; what you change is yours.
# Classes: their names («film», «movie») matter most. `heads` and `tails` are the relations that members have.
"""


@dataclass
class EntityClass:
    """Entities that take part in the same relations, or have the same type.

    Attributes:
        names: What one of them is called, the usual name first; empty where nobody has said.
        heads: Labels of the relations whose heads they are.
        tails: Labels of the relations whose tails they are.
        person: Whether they are people, so that questions ask «who».
        by_model: The names that a language model wrote.
    """

    names: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    tails: list[str] = field(default_factory=list)
    person: bool = False
    by_model: list[str] = field(default_factory=list)


@dataclass
class Phrasebook:
    """The words of every relation and the names of every class.

    Attributes:
        relations: The words of each relation, by label.
        classes: The classes of entities.
    """

    relations: dict[str, RelationWords]
    classes: list[EntityClass]

    @classmethod
    def of(cls, graph: Graph) -> Phrasebook:
        """Read the relation labels and the types of a graph; without types, classes are inferred."""
        labels = [graph.relation_label(number) for number in range(graph.n_relations)]
        relations = {label: read_label(label) for label in labels}
        types = types_of_slots(graph)
        classes = []
        for name, slots in types.items() or ((None, group) for group in inferred_classes(graph)):
            heads = list(dict.fromkeys(labels[number // 2] for number in slots if number % 2 == 0))
            tails = list(dict.fromkeys(labels[number // 2] for number in slots if number % 2))
            if name is None:
                classes.append(_nameless(heads, tails, relations))
            else:
                classes.append(EntityClass([name.lower()], heads, tails, words.kind_of(name.lower()) == words.PERSON))
        return cls(relations, classes)

    def call(self, relation: str, names: Iterable[str]) -> None:
        """Give names to the class of the heads of a relation, or of its tails for «<-relation».

        Raises:
            InputError: The relation is not in the graph.
        """
        label, is_tail = relation.removeprefix("<-").strip(), relation.startswith("<-")
        chosen = [one for one in self.classes if label in (one.tails if is_tail else one.heads)]
        if not chosen:
            known = ", ".join(sorted(self.relations)[:8])
            raise InputError(f"the graph has no relation {label!r} to name a class by; it has {known}")
        lowered = [name.strip().lower() for name in names if name.strip()]
        for one in chosen[:1]:
            one.names = list(dict.fromkeys([*lowered, *one.names]))
            one.person |= any(words.kind_of(name) == words.PERSON for name in lowered)

    def names(self, label: str, *, head: bool) -> list[str]:
        """Return what the heads or tails of a relation are called, most specific class first; may be empty."""
        chosen = [one for one in self.classes if label in (one.heads if head else one.tails)]
        return list(dict.fromkeys(name for one in chosen for name in one.names))

    def is_person(self, label: str, *, head: bool) -> bool:
        """Whether the heads or tails of a relation are people."""
        return any(one.person for one in self.classes if label in (one.heads if head else one.tails))

    @property
    def unreadable(self) -> list[str]:
        """The relations in whose labels no word was found."""
        return [label for label, entry in self.relations.items() if entry.is_empty]

    def to_toml(self) -> str:
        """Return the text of the file that users correct."""
        lines = [_HELP]
        for one in self.classes:
            lines += ["[[class]]", *_lines(one), ""]
        for label, entry in self.relations.items():
            lines += [f"[relation.{json.dumps(label, ensure_ascii=False)}]", *_lines(entry), ""]
        return "\n".join(lines)

    @classmethod
    def read(cls, file: Path) -> Phrasebook:
        """Read the file.

        Raises:
            InputError: It is not TOML, or a field is unknown or of another type.
        """
        try:
            content = tomllib.loads(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(
                f"cannot be read ({error}); correct it, or remove it to have it written again", file
            ) from error
        relations = content.get("relation", {})
        classes = content.get("class", [])
        if not isinstance(relations, dict) or not isinstance(classes, list):
            raise InputError("must hold [relation.NAME] tables and [[class]] entries", file)
        book = cls(
            {label: _entry(RelationWords, given, f"relation {label}", file) for label, given in relations.items()},
            [_entry(EntityClass, given, f"class {at}", file) for at, given in enumerate(classes, 1)],
        )
        for label, entry in book.relations.items():
            if entry.subject not in ("", HEAD, TAIL):
                raise InputError(f'relation {label}: subject must be "head", "tail" or "", got {entry.subject!r}', file)
            for questions in (entry.tail_questions, entry.head_questions):
                for at, text in enumerate(questions):
                    questions[at] = question_frame(text)
                    if not questions[at]:
                        raise InputError(
                            f"relation {label}: a question must have @ once, as a word of its own, for the entity it "
                            f"is about, and no brackets; got {text!r}; try 'who leads @'",
                            file,
                        )
        return book

    def merged(self, fresh: Phrasebook) -> Phrasebook:
        """Return this book for a graph that has changed: new relations and classes are added, others stay."""
        relations = {label: self.relations.get(label, entry) for label, entry in fresh.relations.items()}
        known = {label for one in self.classes for label in (*one.heads, *one.tails)}
        added = [one for one in fresh.classes if not known.intersection((*one.heads, *one.tails))]
        return Phrasebook(relations, [*self.classes, *added])


def _nameless(heads: list[str], tails: list[str], relations: Mapping[str, RelationWords]) -> EntityClass:
    """Return a class of entities without a type, named by what the relations say of their tails and heads."""
    usual = _usual_names([relations[label].tail for label in heads])
    is_person = usual == ["person"] or _are_people(
        [relations[label] for label in heads], [relations[label] for label in tails]
    )
    # Many nouns of tails are roles («director»); entities that have relations of their own are named only by labels
    # that say what kind of thing the tails are («on album»).
    naming = [label for label in tails if not heads or names_kind_of_tails(label)]
    nouns = [relations[label].tail[0] for label in naming if relations[label].tail]
    return EntityClass(["person"] if is_person else usual or list(dict.fromkeys(nouns)), heads, tails, is_person)


def _are_people(heads: Sequence[RelationWords], tails: Sequence[RelationWords]) -> bool:
    """Whether entities are people, as far as their roles say so.

    An agent noun made from a verb («sailor» of «sails under») is weak: ships sail as well. It counts unless somebody
    does something to the entities that is done to things (`done_to_people` in classes.toml has the others).

    Args:
        heads: The relations that they are heads of.
        tails: The relations that they are tails of.
    """
    roles = [entry for entry in heads if entry.head and _is_role_of_people(entry.head)]
    weak = [entry for entry in roles if entry.subject == HEAD and entry.head[0] in words.agents(entry.verb)]
    if len(roles) > len(weak) or any(entry.tail and _is_role_of_people(entry.tail) for entry in tails):
        return True
    done_to = [entry.verb for entry in heads if entry.subject == TAIL]
    done_to += [entry.verb for entry in tails if entry.subject == HEAD and not entry.preposition]
    return bool(weak) and all(verb in _word_list("done_to_people") for verb in done_to)


def _is_role_of_people(nouns: Sequence[str]) -> bool:
    """Whether a role is for people alone: an employer is a company as well, a parent a whole, and an owner anything."""
    kinds = [words.kind_of(noun) for noun in nouns]
    is_for_all = not _word_list("not_only_people").isdisjoint(nouns)
    return not is_for_all and kinds[0] == words.PERSON and words.GROUP not in kinds and words.PLACE not in kinds


def _usual_names(nouns: Iterable[Sequence[str]]) -> list[str]:
    """Return what entities are usually called that have relations with these nouns; empty if unknown.

    Args:
        nouns: The nouns of each relation.
    """
    relations = [set(of_relation) for of_relation in nouns]
    best, names = 1, list[str]()
    for entry in _classes_file()["class"]:
        sure, has = set(entry["sure"]), {*entry["sure"], *entry["has"]}
        fitting = sum(not has.isdisjoint(relation) for relation in relations)
        if fitting > best and not all(sure.isdisjoint(relation) for relation in relations):
            best, names = fitting, list(entry["names"])
    return names


@lru_cache(maxsize=2)
def _word_list(name: str) -> frozenset[str]:
    return frozenset(_classes_file()[name].split())


@lru_cache(maxsize=1)
def _classes_file() -> dict[str, Any]:
    return tomllib.loads((files("graphbrick.learn.english") / "classes.toml").read_text(encoding="utf-8"))


def question_frame(text: str) -> str:
    """Return a question about ``@`` as questions are written; "" if it does not have one ``@`` as a word of its own.

    >>> question_frame("Who is @'s boss?"), question_frame("who leads it")
    ("who is @ 's boss", '')
    """
    pieces = text.strip(" ?").replace("@'s", "@ 's").lower().split()
    return " ".join(pieces) if pieces.count("@") == 1 and not set("{}[]") & set(text) else ""


def _lines(entry: EntityClass | RelationWords) -> list[str]:
    """Return the lines of a class or relation; questions, and what a model wrote, only where there are any."""
    values = {part.name: getattr(entry, part.name) for part in fields(entry)}
    rare = ("tail_questions", "head_questions", "by_model")
    return [f"{name} = {json.dumps(v, ensure_ascii=False)}" for name, v in values.items() if v or name not in rare]


def _entry(kind: Any, table: object, what: str, file: Path) -> Any:
    """Return the dataclass of a table, checked."""
    if not isinstance(table, dict):
        raise InputError(f"{what} must be a table", file)
    expected = {part.name: part for part in fields(kind)}
    for name, value in table.items():
        if name not in expected:
            raise InputError(f"{what} has an unknown field {name!r}; it may have {', '.join(expected)}", file)
        wanted = type(getattr(kind(), name))
        if type(value) is not wanted or (wanted is list and not all(isinstance(item, str) for item in value)):
            shown = "a list of strings" if wanted is list else "true or false" if wanted is bool else "a string"
            raise InputError(f"{what}: {name} must be {shown}, got {value!r}", file)
    return kind(**table)
