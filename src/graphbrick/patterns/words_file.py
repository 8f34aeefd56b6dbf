"""The file of words that `graphbrick learn` writes and users correct: its form, checked."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from graphbrick.core.errors import InputError

WORDS = "words.toml"
"""The name of the file, in which users correct what was understood of the language of a graph."""
HEAD, TAIL = "head", "tail"
_HELP = """\
# How questions speak of this graph. `graphbrick learn` wrote this file and reads it again: correct it, and learn again.
# Relations: `tail` is what the tail is to the head («director»), `head` what the head is to the tail («leader»);
# `verb` joins them, its `subject` is "head", "tail" or "" (a state: «located in»), `preposition` follows the verb.
# `tail_questions` are questions about the head that the tail answers («who does @ answer to»; @ is the head), and
# `head_questions` the other way round. `by_model` names what a language model wrote; what you change is yours.
# Classes: their names («film», «movie») matter most. `heads` and `tails` are the relations that members have.
"""


@dataclass
class RelationWords:
    """The English words for a relation; the user can correct every field.

    Attributes:
        tail: What the tail is to the head: «director» in (film, directed by, person).
        head: What the head is to the tail: «leader» in (person, leads, team).
        verb: The verb that joins them, as in a dictionary; "" for none.
        subject: Who does what the verb says: "head" (Ann leads a team), "tail" (a film is directed by Ann), or "" where
            the head is in a state (a town is located in Kenya).
        preposition: What follows the verb: «in» of «works in».
        tail_questions: Questions about the head that the tail answers, such as «who does @ answer to».
        head_questions: Questions about the tail that the head answers. ``@`` is what they are about.
        by_model: What a language model wrote, such as «tail: supervisor».
    """

    tail: list[str] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    verb: str = ""
    subject: str = ""
    preposition: str = ""
    tail_questions: list[str] = field(default_factory=list)
    head_questions: list[str] = field(default_factory=list)
    by_model: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """True if nothing could be read."""
        nouns, questions = self.tail or self.head, self.tail_questions or self.head_questions
        return not (nouns or self.verb or self.preposition or questions)


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


_WORDS = ("names", "tail", "head", "verb", "preposition")
"""Fields that hold words as questions have them; the others hold labels of relations, or are checked by themselves."""


def words_text(relations: Mapping[str, RelationWords], classes: Sequence[EntityClass]) -> str:
    """Return the text of the file."""
    lines = [_HELP]
    for one in classes:
        lines += ["[[class]]", *_lines(one), ""]
    for label, entry in relations.items():
        lines += [f"[relation.{_toml(label)}]", *_lines(entry), ""]
    return "\n".join(lines)


def read_words(file: Path) -> tuple[dict[str, RelationWords], list[EntityClass]]:
    """Return the words of each relation by its label, and the classes of entities.

    Words are stripped and in small letters, as questions are read.

    Raises:
        InputError: The file is not TOML, or a field is unknown, of another type, or empty.
    """
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(
            f"cannot be read ({error}); correct it, or remove it and run graphbrick learn to have it written again",
            file,
            code="words_file.not_readable",
        ) from error
    tables, listed = content.get("relation", {}), content.get("class", [])
    if not isinstance(tables, dict) or not isinstance(listed, list):
        raise InputError("must hold [relation.NAME] tables and [[class]] entries", file, code="words_file.bad_tables")
    relations = {label: _relation(table, f"relation {label}", file) for label, table in tables.items()}
    return relations, [_entry(EntityClass, table, f"class {at}", file) for at, table in enumerate(listed, 1)]


def question_frame(text: str) -> str:
    """Return a question about ``@`` in its usual form; "" unless exactly one word of it is ``@``.

    >>> question_frame("Who is @'s boss?"), question_frame("who leads it")
    ("who is @ 's boss", '')
    """
    pieces = text.strip(" ?").replace("@'s", "@ 's").lower().split()
    return " ".join(pieces) if pieces.count("@") == 1 and not set("{}[]") & set(text) else ""


def _relation(table: object, what: str, file: Path) -> RelationWords:
    entry: RelationWords = _entry(RelationWords, table, what, file)
    if entry.subject not in ("", HEAD, TAIL):
        raise InputError(
            f'{what}: subject must be "head", "tail" or "", got {entry.subject!r}', file, code="words_file.bad_subject"
        )
    for questions in (entry.tail_questions, entry.head_questions):
        for at, text in enumerate(questions):
            questions[at] = question_frame(text)
            if not questions[at]:
                raise InputError(
                    f"{what}: a question must have @ once, as a word of its own, for the entity it is about, and no "
                    f"brackets; got {text!r}; try 'who leads @'",
                    file,
                    code="words_file.bad_question",
                )
    return entry


def _entry(kind: Any, table: object, what: str, file: Path) -> Any:
    """Return the dataclass of a table, checked."""
    if not isinstance(table, dict):
        raise InputError(f"{what} must be a table", file, code="words_file.not_a_table")
    expected = {part.name: part for part in fields(kind)}
    values: dict[str, object] = {}
    for name, value in table.items():
        if name not in expected:
            raise InputError(
                f"{what} has an unknown field {name!r}; it may have {', '.join(expected)}",
                file,
                code="words_file.unknown_field",
                name=name,
            )
        wanted = type(getattr(kind(), name))
        if type(value) is not wanted or (wanted is list and not all(isinstance(item, str) for item in value)):
            shown = "a list of strings" if wanted is list else "true or false" if wanted is bool else "a string"
            raise InputError(
                f"{what}: {name} must be {shown}, got {value!r}", file, code="words_file.bad_field", name=name
            )
        values[name] = value
        if name in _WORDS and isinstance(value, list):
            values[name] = texts = [_word(item) for item in value]
            if "" in texts:
                raise InputError(
                    f"{what}: {name} has an empty text, got {value!r}; remove it",
                    file,
                    code="words_file.empty_text",
                    name=name,
                )
        elif name in _WORDS:
            values[name] = _word(value)
    return kind(**values)


def _word(text: str) -> str:
    return " ".join(text.lower().split())


def _lines(entry: EntityClass | RelationWords) -> list[str]:
    """Return the lines of a class or relation; questions and a model's words only if there are any."""
    values = {part.name: getattr(entry, part.name) for part in fields(entry)}
    rare = ("tail_questions", "head_questions", "by_model")
    return [f"{name} = {_toml(v)}" for name, v in values.items() if v or name not in rare]


def _toml(value: object) -> str:
    """Return a value as TOML, which does not allow the control character U+007F where JSON does."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
