"""Phrases in which another noun than the subject has a value: «which pilots do not fly Boeing planes»."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan, UnreadWordError
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.language.stems import stem, stems

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.parse import Parser

NEGATED = re.compile(
    r" (?:that |which |who )?(?:do|does|did|is|are|was|were|has|have|had) (?:not|never)\b(?: any)?"
    r"| (?:never|without|no)\b(?: any)?"
)
"""Words that say that a phrase does not hold, where its object is no entity."""
_COUNTED = re.compile(
    r"\b(?:only|both|each|every|most|least|fewest|more than|fewer than|less than|exactly|at|two|three|\d+)\b"
)
_BETWEEN = re.compile(r"(?:,|\s|\band\b|\bor\b|\beither\b|\bthe\b|\ban?\b)*")
_BOTH = re.compile(r"\bboth $")
_ARTICLE = re.compile(r" (?:(?:an?|the|any) )?$")
_OR = re.compile(r"\bor\b|\bany\b|,")
_LONGEST = 3  # words of the name of a class


def of_other(parser: Parser, phrase: str, noun: str, condition: str) -> SetPlan | None:
    """Return what the classes of a phrase have to do with the part of its last class that a condition selects.

    Args:
        parser: Reads the parts.
        phrase: The phrase without the condition, such as «which doctors do not treat patients».
        noun: The last class in it.
        condition: What selects its entities, such as «under 10»; before the noun if it ends with it.

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


def of_value(parser: Parser, text: str) -> SetPlan | None:
    """Read «which pilots fly Boeing planes», «which electricians operate a machine»; None for another phrase.

    Raises:
        CannotPlanError: It counts what has the value, or says that nothing else has.
    """
    terms = parser.conditions.terms(text)
    if not terms or MENTION.search(text):
        return None
    gaps = [_BETWEEN.fullmatch(text[one.end : other.start]) for one, other in pairwise(terms)]
    joined = gaps.index(None) + 1 if None in gaps else len(terms)  # values side by side
    end = terms[joined - 1].end
    left, value, right = text[: terms[0].start], text[terms[0].start : end], text[end:].split()
    lexicon = parser.resolver.lexicon
    size = next((size for size in range(_LONGEST, 0, -1) if lexicon.class_named(stems(" ".join(right[:size])))), 0)
    noun, after = " ".join(right[:size]), " ".join(right[size:])
    subject = parser.english.lead.sub("", left, count=1).strip()
    if not subject and not size:
        return _as_subject(parser, left, value, right)
    if joined < len(terms):
        return None
    named = lexicon.classes_in(left)
    if not size and not right and named and NEGATED.search(left):  # «never flew an Airbus»
        of_holders = _noun_of(parser, value)
        if lexicon.class_named(stems(of_holders)) not in ("", *named):
            return of_other(parser, f"{_ARTICLE.sub(' ', left)}{of_holders}", of_holders, f"{value} {of_holders}")
    if not size or not (named or left.startswith("who ")) or lexicon.class_named(stems(noun)) in named or after:
        return None
    counted = _COUNTED.search(_BOTH.sub("", left))
    phrase = f"{_BOTH.sub('', left)}{noun}"
    if counted is not None:
        if parser.rules.partakers(f"{_COUNTED.sub('', phrase)}") is None:
            return None
        raise UnreadWordError(counted[0])
    if terms[1:] and not _OR.search(left + value):  # «fly Boeing and Embraer planes»
        parts = [of_other(parser, phrase, noun, f"{text[one.start : one.end]} {noun}") for one in terms]
        return p.Both(tuple(part for part in parts if part)) if all(parts) else None
    return of_other(parser, phrase, noun, f"{value} {noun}")


def _as_subject(parser: Parser, left: str, value: str, right: list[str]) -> SetPlan | None:
    """Read «which electricians operate a machine»: the value stands for all of one class that have it."""
    is_verb = bool(right) and any(label[:1] == (stem(right[0]),) for label in parser.resolver.labels)
    if not is_verb:
        return None
    noun = _noun_of(parser, value)
    try:
        holders = parser.set(f"which {value}")
        return p.Both((holders, parser.set(f"{left}{noun} {' '.join(right)}"))) if noun else None
    except CannotPlanError:
        return None


def _noun_of(parser: Parser, value: str) -> str:
    """Return the name of the one class of all that has a value; "" if there is none."""
    try:
        nouns = parser.joins.nouns(parser.set(f"which {value}"))
    except CannotPlanError:
        return ""
    return nouns[0] if len(nouns) == 1 and nouns[0] != "ones" else ""
