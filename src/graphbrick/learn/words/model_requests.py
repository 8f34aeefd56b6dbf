"""Requests to a language model about relations and classes of a graph, and the reading of its replies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphbrick.core.trace import event
from graphbrick.models.llm.messages import Request
from graphbrick.models.llm.replies.json_replies import json_list, json_object, only_list, whole_number
from graphbrick.models.llm.replies.replies import opened, shown
from graphbrick.patterns.words_file import HEAD, TAIL

TAIL_QUESTIONS, HEAD_QUESTIONS, NAMES = "tail_questions", "head_questions", "names"
RELATION_TOKENS = 80  # of a reply about one relation
_MOST_NOUNS, _LONGEST = 3, 200  # nouns of one end; characters of a text

_WORDS_OF_RELATIONS = """You write the words that people use for the relations of a graph. Every relation has an \
example with a first and a second thing. second: common nouns for the second thing, that fill the blank. first: common \
nouns for the first thing. Nouns are in the singular and without names; give 1 to 3, or none if none fits. ask_second: \
a short question about the first thing, whose answer is the second. ask_first: a short question about the second \
thing, whose answer is the first. Write English. Reply with JSON."""
_EXAMPLE: tuple[tuple[Any, ...], ...] = (
    ("lives_in", "Emma Stone", "Oslo", ["home", "residence"], ["resident", "inhabitant"], "Where does Emma Stone live?",
     "Who lives in Oslo?"),
    ("has_ingredient", "Pancake", "flour", ["ingredient", "component"], [], "What is Pancake made of?",
     "Which dishes contain flour?"),
    ("founded by", "Hague Choir", "Ann Lee", ["founder", "creator"], ["foundation"], "Who founded Hague Choir?",
     "What did Ann Lee found?"),
)  # fmt: skip
_NAMES_OF_CLASS = """You name a class of things by some of its members and the relations they have. Give 1 to 3 common \
nouns in the singular for what each of them is, the usual one first. Write English. Reply with JSON."""

_TEXT = {"type": "string"}
_KEYS = ("second", "first", "ask_second", "ask_first")
_FIELDS = (TAIL, HEAD, TAIL_QUESTIONS, HEAD_QUESTIONS)
_REVERSED = (HEAD, TAIL, HEAD_QUESTIONS, TAIL_QUESTIONS)


class Pair(NamedTuple):
    """Labels of the head and the tail of a triple."""

    head: str
    tail: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation with two of its triples.

    Attributes:
        label: Its label.
        name: The label as it is shown.
        shown: The triple that the model sees.
        shown_reversed: The triple that it sees from the tail; the same one if there is no other.
        is_symmetric: Whether most triples are there in both directions, so that words fit both ends.
    """

    label: str
    name: str
    shown: Pair
    shown_reversed: Pair
    is_symmetric: bool = False


@dataclass(frozen=True, slots=True)
class Class:
    """A class of entities with some of its members.

    Attributes:
        at: Its index in the phrasebook.
        relations: Relations of its members as they are shown.
        members: Labels of some members.
        other_members: Labels of others; the same ones if there are none.
    """

    at: int
    relations: tuple[str, ...]
    members: tuple[str, ...]
    other_members: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the class in reports."""
        return f"the class of {self.members[0]}"


class Proposal(NamedTuple):
    """A text that the model proposes.

    Attributes:
        about: The relation or class.
        field: Where it belongs: a field of `RelationWords` or `EntityClass`.
        text: The text; in questions ``@`` stands for the entity that is known.
    """

    about: Relation | Class
    field: str
    text: str


def request(group: Sequence[Relation] | Class, *, is_reversed: bool) -> Request:
    """Return the request for the words of some relations, or for the names of a class.

    Args:
        group: The relations or the class.
        is_reversed: Whether to show triples from their tail, and other triples or members.
    """
    if isinstance(group, Class):
        members = group.other_members if is_reversed else group.members
        prompt = f"Members: {'; '.join(members)}\nRelations: {'; '.join(group.relations)}"
        example = "Members: Emma Stone; Ann Lee\nRelations: lives in; plays in"
        schema = json_object(names=json_list(_TEXT, _MOST_NOUNS))
        return _request(_NAMES_OF_CLASS, example, '{"names": ["person"]}', prompt, schema)
    entry = json_object(
        number=whole_number(1, len(group)),
        second=json_list(_TEXT, _MOST_NOUNS), first=json_list(_TEXT, _MOST_NOUNS), ask_second=_TEXT, ask_first=_TEXT,
    )  # fmt: skip
    lines, replies = [], []
    for number, (name, head, tail, *texts) in enumerate(_EXAMPLE, 1):
        lines.append(_line(number, name, Pair(head, tail), is_reversed))
        keys = ("first", "second", "ask_first", "ask_second") if is_reversed else _KEYS
        by_key = dict(zip(keys, texts, strict=True))
        replies.append({"number": number, **{key: by_key[key] for key in _KEYS}})
    pairs = [one.shown_reversed if is_reversed else one.shown for one in group]
    named = enumerate(zip(group, pairs, strict=True), 1)
    prompt = "\n".join(_line(number, one.name, pair, is_reversed) for number, (one, pair) in named)
    schema = json_object(relations=json_list(entry, len(group)))
    return _request(_WORDS_OF_RELATIONS, "\n".join(lines), json.dumps({"relations": replies}), prompt, schema)


def read_proposals(reply: str, group: Sequence[Relation] | Class, *, is_reversed: bool) -> list[Proposal] | None:
    """Return the proposals of a reply, unchecked; None if unreadable. Odd entries are events."""
    _, value = opened(reply)
    listed = only_list(value)
    if listed is None:
        event(f"no words could be read out of the reply {shown(reply)}", "model_words.unread_reply")
        return None
    if isinstance(group, Class):
        return [Proposal(group, NAMES, text[:_LONGEST]) for text in listed if isinstance(text, str)]
    proposals, numbers = list[Proposal](), set[int]()
    for entry in listed:
        number = entry.get("number") if isinstance(entry, dict) else None
        if not isinstance(number, int) or not 1 <= number <= len(group) or number in numbers:
            event(
                f"the reply speaks of the relation {number!r}, but 1 to {len(group)} are wanted: {shown(reply)}",
                "model_words.unknown_number",
                number=number,
            )
            continue
        numbers.add(number)
        for key, field in zip(_KEYS, _REVERSED if is_reversed else _FIELDS, strict=True):
            texts = entry.get(key)
            texts = [texts] if isinstance(texts, str) else texts if isinstance(texts, list) else []
            usable = [text[:_LONGEST] for text in texts[:_MOST_NOUNS] if isinstance(text, str) and text.strip()]
            proposals += [Proposal(group[number - 1], field, text) for text in usable]
    if len(numbers) < len(group):
        event(
            f"the reply has no words for {len(group) - len(numbers)} of {len(group)} relations: {shown(reply)}",
            "model_words.missing_relations",
            n=len(group) - len(numbers),
            total=len(group),
        )
    return proposals


def _line(number: int, name: str, pair: Pair, is_reversed: bool) -> str:
    first, second, arrow = (pair.tail, pair.head, "<-") if is_reversed else (pair.head, pair.tail, "->")
    blanks = f"second: {second} is the ___ of {first}. first: {first} is the ___ of {second}."
    return f"{number}. {name}: {first} {arrow} {second}\n{blanks}"


def _request(instruction: str, example: str, reply: str, prompt: str, schema: dict[str, object]) -> Request:
    """Return a request with one example before it: small models do not follow instructions alone."""
    turns = (("system", instruction), ("user", example), ("assistant", reply), ("user", prompt))
    return Request([{"role": role, "content": text} for role, text in turns], schema)
