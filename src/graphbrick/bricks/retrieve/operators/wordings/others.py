"""Phrases in which another noun than the subject has a value: «which pilots do not fly Boeing planes»."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan, UnreadWordError
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stem, stems

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.parse import Parser

NEGATED = Expression(
    r" (?:that |which |who )?(?:do|does|did|is|are|was|were|has|have|had) (?:not|never)\b(?: any)?"
    r"| (?:never|without|no)\b(?: any)?"
)
"""Words that say that a phrase does not hold, where its object is no entity."""
_COUNTED = Expression(
    r"\b(?:only|both|each|every|at (?:least|most)|most|least|fewest|(?:more|fewer|less) than|exactly|two|three|\d+)\b"
)
_BETWEEN = Expression(r"(?:,|\s|\band\b|\bor\b|\beither\b|\bthe\b|\ban?\b)*")
_BOTH = Expression(r"\bboth $")
_ARTICLE = Expression(r" (?:(?:an?|the|any) )?$")
_OR = Expression(r"\bor\b|\bany\b|,")
_LONGEST = 3  # words of the name of a class


def of_other(parser: Parser, phrase: str, noun: str, condition: str) -> SetPlan | None:
    """Return the subjects of a phrase that do what it says to objects that meet a condition; None for another phrase.

    Args:
        parser: Reads the parts.
        phrase: The phrase without the condition, such as «which doctors do not treat patients».
        noun: Its object, the name of a class, such as «patients».
        condition: The object with the condition, such as «patients under 10» or «Boeing planes».

    Raises:
        CannotPlanError: The condition cannot be read.
    """
    negation = NEGATED.search(phrase)
    outer = parser.rules.partakers(NEGATED.sub("", phrase, count=1))
    parts = outer.parts if isinstance(outer, p.Either) else (outer,)
    of_class = p.Members(parser.resolver.lexicon.class_named(stems(noun)))
    if not all(isinstance(part, Walk) and part.base == of_class for part in parts):
        return None
    inner = parser.set(f"which {condition}")
    walks = tuple(replace(part, base=inner) for part in parts if isinstance(part, Walk))
    some: SetPlan = walks[0] if len(walks) == 1 else p.Either(walks)
    every = tuple(p.Members(walk.classes[-1]) for walk in walks)
    return p.Without(every[0] if len(every) == 1 else p.Either(every), some) if negation else some


class _Said(NamedTuple):
    """A phrase with values side by side.

    Attributes:
        left: The text before them.
        values: The values.
        joined: The text from the first to the last of them.
        noun: The name of a class right after them; "" for none.
        right: The words after that.
        has_more: Whether there are further values.
    """

    left: str
    values: list[str]
    joined: str
    noun: str
    right: list[str]
    has_more: bool

    @classmethod
    def of(cls, parser: Parser, text: str) -> _Said | None:
        """Return a phrase by its first values; None if it has none."""
        terms = parser.conditions.terms(text)
        if not terms:
            return None
        gaps = [_BETWEEN.fullmatch(text[one.end : other.start]) for one, other in pairwise(terms)]
        n = gaps.index(None) + 1 if None in gaps else len(terms)
        begin, end, right = terms[0].start, terms[n - 1].end, text[terms[n - 1].end :].split()
        named = parser.resolver.lexicon.class_named
        size = next((size for size in range(_LONGEST, 0, -1) if named(stems(" ".join(right[:size])))), 0)
        values = [text[one.start : one.end] for one in terms[:n]]
        return cls(text[:begin], values, text[begin:end], " ".join(right[:size]), right[size:], n < len(terms))


def of_value(parser: Parser, text: str) -> SetPlan | None:
    """Read «which pilots fly Boeing planes», «which electricians operate a machine»; None for another phrase.

    Raises:
        CannotPlanError: It counts what has the value, or says that nothing else has.
    """
    said = None if MENTION.search(text) else _Said.of(parser, text)
    if said is None:
        return None
    if not said.noun and not parser.english.lead.sub("", said.left, count=1).strip():
        return _as_subject(parser, said)
    if said.has_more or said.right:
        return None
    return _as_bare_object(parser, said) or _before_object(parser, said)


def _before_object(parser: Parser, said: _Said) -> SetPlan | None:
    """Read «which pilots fly Boeing planes», «fly Boeing and Embraer planes»: the values are those of the object."""
    named, left = parser.resolver.lexicon.classes_in(said.left), _BOTH.sub("", said.left)
    of_class = parser.resolver.lexicon.class_named(stems(said.noun))
    if not of_class or of_class in named or not (named or said.left.startswith("who ")):
        return None
    phrase, counted = f"{left}{said.noun}", _COUNTED.search(left)
    if counted is not None:
        if parser.rules.partakers(_COUNTED.sub("", phrase)) is None:
            return None
        raise UnreadWordError(counted[0])
    if not said.values[1:] or _OR.search(said.left + said.joined):
        return of_other(parser, phrase, said.noun, f"{said.joined} {said.noun}")
    parts = [of_other(parser, phrase, said.noun, f"{value} {said.noun}") for value in said.values]
    return p.Both(tuple(part for part in parts if part)) if all(parts) else None


def _as_bare_object(parser: Parser, said: _Said) -> SetPlan | None:
    """Read «which pilots never flew an Airbus»: the value stands for all that have it, where they are left out."""
    lexicon, noun = parser.resolver.lexicon, ""
    named = lexicon.classes_in(said.left)
    if not said.noun and named and NEGATED.search(said.left):
        noun = _noun_of(parser, said.joined)
    if lexicon.class_named(stems(noun)) in ("", *named):
        return None
    return of_other(parser, f"{_ARTICLE.sub(' ', said.left)}{noun}", noun, f"{said.joined} {noun}")


def _as_subject(parser: Parser, said: _Said) -> SetPlan | None:
    """Read «which electricians operate a machine»: the value stands for all of one class that have it."""
    is_verb = bool(said.right) and any(label[:1] == (stem(said.right[0]),) for label in parser.resolver.labels)
    noun = _noun_of(parser, said.joined) if is_verb else ""
    if not noun:
        return None
    try:
        own = parser.set(f"which {said.joined}")
        return p.Both((own, parser.set(f"{said.left}{noun} {' '.join(said.right)}")))
    except CannotPlanError:
        return None


def _noun_of(parser: Parser, value: str) -> str:
    """Return the name of the one class of all that has a value; "" if there is none."""
    try:
        nouns = parser.joins.nouns(parser.set(f"which {value}"))
    except CannotPlanError:
        return ""
    return nouns[0] if len(nouns) == 1 and nouns[0] != "ones" else ""
