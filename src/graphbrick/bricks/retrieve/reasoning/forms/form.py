"""Logical forms as a language model drafts them: s-expressions with names of entities and relations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from graphbrick.language.expressions.expression import Expression

_TOKEN = Expression(r'"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+')
_BARE = Expression(r"\s*(?:JOIN|AND|COUNT)\s")
_DEEPEST = 10


@dataclass(frozen=True, slots=True)
class Named:
    """The entity of a name."""

    name: str


@dataclass(frozen=True, slots=True)
class Join:
    """The entities that have a relation to a set; with ``back``, those that the set has it to.

    Attributes:
        relation: The relation in words.
        back: Whether the relation is followed from the set, from head to tail: ``(JOIN (R relation) X)``.
        of: The set.
    """

    relation: str
    back: bool
    of: Form


@dataclass(frozen=True, slots=True)
class And:
    """The entities that are in both sets."""

    one: Form
    other: Form


@dataclass(frozen=True, slots=True)
class Count:
    """The size of a set; only the outermost part of a form can be one."""

    of: Form


Form: TypeAlias = Named | Join | And | Count


class FormError(ValueError):
    """A draft that is not a logical form; the message says why."""


def read_form(text: str) -> Form:
    """Return the logical form that begins at the first parenthesis of a text.

    What small models write and can mean one thing only is read so: the outermost or the last parentheses may be
    missing, AND may have one part or several, and a name may stand in the parentheses of R.

    Raises:
        FormError: There is none, it breaks off, or has a part that is not known.

    >>> read_form('(JOIN (R currency) (JOIN capital "Nairobi"))')
    Join(relation='currency', back=True, of=Join(relation='capital', back=False, of=Named(name='Nairobi')))
    >>> form_text(read_form('(AND (JOIN (R borders "Kenya"))'))
    '(JOIN (R borders) "Kenya")'
    """
    if _BARE.match(text):
        text = f"({text})"  # small models leave out the outermost parentheses
    start = text.find("(")
    if start < 0:
        raise FormError("there is no parenthesis")
    tokens = _with_names_outside(_TOKEN.findall(text[start:]))
    if tokens[-1] == ")" or tokens[-1].endswith('"'):  # else a name may have been cut
        tokens += [")"] * (tokens.count("(") - tokens.count(")"))
    form, _ = _read(tokens, 0, 0)
    if any(isinstance(part, Count) for part in parts_of(form) if part is not form):
        raise FormError("COUNT is inside of another part")
    return form


def parts_of(form: Form) -> Iterator[Form]:
    """Yield a form and all forms in it, outermost first."""
    yield form
    if isinstance(form, And):
        yield from parts_of(form.one)
        yield from parts_of(form.other)
    elif isinstance(form, Join | Count):
        yield from parts_of(form.of)


def turned(form: Form) -> Iterator[Form]:
    """Yield a form, then with joins turned: the outermost, the next, both, and so on.

    >>> [form_text(found) for found in turned(read_form('(JOIN capital "Kenya")'))]
    ['(JOIN capital "Kenya")', '(JOIN (R capital) "Kenya")']
    """
    joins = sum(isinstance(part, Join) for part in parts_of(form))
    for which in range(2**joins):
        yield _turned(form, [bool(which >> place & 1) for place in range(joins)])


def form_text(form: Form) -> str:
    """Return a form as text.

    >>> form_text(read_form('( COUNT (AND (JOIN directed by "A") (JOIN (R film) "B")))'))
    '(COUNT (AND (JOIN directed by "A") (JOIN (R film) "B")))'
    """
    if isinstance(form, Named):
        return f'"{form.name}"'
    if isinstance(form, And):
        return f"(AND {form_text(form.one)} {form_text(form.other)})"
    if isinstance(form, Count):
        return f"(COUNT {form_text(form.of)})"
    relation = f"(R {form.relation})" if form.back else form.relation
    return f"(JOIN {relation} {form_text(form.of)})"


def _turned(form: Form, turns: list[bool]) -> Form:
    """Return a form with some joins turned; takes the turns from the front of the list."""
    if isinstance(form, Join):
        turn = turns.pop(0)
        return Join(form.relation, form.back != turn, _turned(form.of, turns))
    if isinstance(form, And):
        one = _turned(form.one, turns)
        return And(one, _turned(form.other, turns))
    return Count(_turned(form.of, turns)) if isinstance(form, Count) else form


def _read(tokens: list[str], at: int, depth: int) -> tuple[Form, int]:
    """Return the form that begins at a token, and the place after it."""
    if at >= len(tokens):
        raise FormError("it breaks off")
    if depth > _DEEPEST:
        raise FormError(f"it is nested more than {_DEEPEST} deep")
    token = tokens[at]
    if token != "(":
        if token == ")":
            raise FormError("a part is empty")
        return _bare_name(tokens, at)
    word = tokens[at + 1].upper() if at + 1 < len(tokens) else ""
    form: Form
    if word == "JOIN":
        relation, back, at = _relation(tokens, at + 2)
        of, at = _read(tokens, at, depth + 1)
        form = Join(relation, back, of)
    elif word == "AND":
        form, at = _read(tokens, at + 2, depth + 1)
        while at < len(tokens) and tokens[at] != ")":
            other, at = _read(tokens, at, depth + 1)
            form = And(form, other)
    elif word == "COUNT":
        of, at = _read(tokens, at + 2, depth + 1)
        form = Count(of)
    else:
        raise FormError(f"there is no part {word[:30]!r}; there are JOIN, AND and COUNT")
    return form, _closed(tokens, at)


def _with_names_outside(tokens: list[str]) -> list[str]:
    """Return tokens with names outside of the parentheses of R: ``(R film "A")`` is ``(R film) "A"``."""
    moved = list(tokens)
    for at in range(len(moved) - 1):
        if not moved[at].startswith('"') or moved[at + 1] != ")":
            continue
        begin = at - 1
        while begin > 0 and moved[begin] not in "()" and not moved[begin].startswith('"'):
            begin -= 1
        if moved[begin : begin + 2] == ["(", "R"] and at - begin > 2:
            moved[at], moved[at + 1] = moved[at + 1], moved[at]
    return moved


def _bare_name(tokens: list[str], at: int) -> tuple[Named, int]:
    """Return an entity, in quotes or as the words up to the next parenthesis."""
    if tokens[at].startswith('"'):
        return Named(re.sub(r"\\(.)", r"\1", tokens[at][1:-1])), at + 1
    end = at
    while end < len(tokens) and tokens[end] not in "()":
        end += 1
    return Named(" ".join(tokens[at:end])), end


def _relation(tokens: list[str], at: int) -> tuple[str, bool, int]:
    """Return the relation that begins at a token, whether it is marked with R, and the place after it."""
    if tokens[at : at + 1] == ["("]:
        words, end = [], at + 2
        while end < len(tokens) and tokens[end] not in "()":
            words.append(tokens[end])
            end += 1
        if tokens[at + 1 : at + 2] != ["R"] or not words:
            raise FormError("a relation is neither words nor (R words)")
        return _words(words), True, _closed(tokens, end)
    end = at
    while end < len(tokens) and tokens[end] not in "()" and not (tokens[end].startswith('"') and end > at):
        end += 1
    if tokens[end : end + 1] == [")"]:
        end = at + 1  # (JOIN capital Nairobi): the name has no quotes, so the relation is the first word
    if end == at:
        raise FormError("a JOIN has no relation")
    return _words(tokens[at:end]), False, end


def _words(words: list[str]) -> str:
    return " ".join(word.strip('"') for word in words)


def _closed(tokens: list[str], at: int) -> int:
    if tokens[at : at + 1] != [")"]:
        raise FormError("a parenthesis is not closed" if at >= len(tokens) else f"{tokens[at][:30]!r} is one too many")
    return at + 1
