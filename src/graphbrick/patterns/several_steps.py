"""Words of a question that stand for several steps: «granddaughter», «shares an employer with», «together with»."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from graphbrick.language.expressions.expression import Expression
from graphbrick.patterns.text import PLACEHOLDER, words_of

Tagged = list[tuple[str, int | None]]

ALIKE = "\0alike"
"""A word in a question that stands for the way back along the step that the words nearer to the seed speak of."""

_GRAND = Expression(
    r"((?:great[- ]?)*)grand-?"
    r"(child(?:ren)?|kids?|sons?|daughters?|parents?|(?:mo|fa)thers?|mas?|pas?|mums?|moms?|dads?)"
)
_OLDER = ("parent", "mother", "father", "ma", "pa", "mum", "mom", "dad")
_SHORT = {"ma": "mother", "pa": "father"}
_KIN = {
    "mother-in-law": ("spouse", "mother"), "father-in-law": ("spouse", "father"), "parent-in-law": ("spouse", "parent"),
    "brother-in-law": ("spouse", "brother"), "sister-in-law": ("spouse", "sister"), "son-in-law": ("child", "husband"),
    "daughter-in-law": ("child", "wife"), "uncle": ("parent", "brother"), "aunt": ("parent", "sister"),
    "nephew": ("sibling", "son"), "niece": ("sibling", "daughter"), "cousin": ("parent", "sibling", "child"),
}  # fmt: skip
"""Words for relatives, from the person outwards."""
_WORD = Expression(rf"\b(?:{_GRAND.pattern}|[a-z]+-in-law|(?:uncle|aunt|nephew|niece|cousin)s?)\b", re.I)
_IN_LAW = Expression(r"([a-z]+?)(s?)-in-law")
_BEFORE_VERB = frozenset(
    "who whom that which what whoever has have had was were is are be been did does do also".split()
)
_CALLS = frozenset("share shares shared sharing same together alongside in".split())
"""Words that may say that two entities have an end in common; `_place` tells whether they do."""
_AS = ("as", "with", "of", "that")
_MUTUAL = frozenset(
    "share shares shared same common together border borders neighbour neighbor adjacent adjoins touches".split()
)
"""Words of relations that hold both ways."""


def _no_word(word: str) -> bool:
    return False


def unfolded(question: str, known: Callable[[str], bool] = _no_word) -> str:
    """Return a question with relatives as chains: «the granddaughter of X», «the daughter of the child of X».

    Args:
        question: The question.
        known: Whether the graph has a word; such a word stays.

    >>> unfolded("Who is X's grandson?"), unfolded("the great-grandmothers of X")
    ("Who is X's child's son?", 'the mothers of the parent of the parent of X')
    >>> unfolded("whose uncle is X"), unfolded("Who is X's uncle?", {"uncle"}.__contains__)
    ("whose parent's brother is X", "Who is X's uncle?")
    """

    def chain(match: re.Match[str]) -> str:
        word = match[0].lower()
        steps = () if known(word) or known(word.removesuffix("s")) else _steps(word)
        if not steps:
            return match[0]
        owner = question[: match.start()].rstrip().lower()
        if owner.endswith(("'s", "s'", "\u2019s", "s\u2019", " whose", " their", " his", " her")) or owner == "whose":
            return "'s ".join(steps)
        return " of the ".join(reversed(steps))

    return _WORD.sub(chain, question)


def _steps(word: str) -> tuple[str, ...]:
    """Return the steps to a relative, from the person outwards; none for other words."""
    grand = _GRAND.fullmatch(word)
    if grand:
        last = grand[2]
        one = last.removesuffix("s")
        side = "parent" if one in _OLDER else "child"
        last = _SHORT[one] + last[len(one) :] if one in _SHORT else last
        return (*[side] * (1 + grand[1].count("great")), last)
    in_law = _IN_LAW.fullmatch(word)
    if in_law:
        *before, last = _KIN.get(f"{in_law[1]}-in-law", ("",))
        return (*before, last + in_law[2]) if before else ()
    plain = word.removesuffix("s")
    *before, last = _KIN.get(plain, ("",))
    plural = "children" if last == "child" else f"{last}s"
    return (*before, plural if plain != word else last) if before else ()


def with_way_back(tagged: Tagged) -> Tagged:
    """Return the words of a question with `ALIKE` where they say that two entities have an end in common.

    What shares an employer with X is an employee of the employer of X: a step, and the same step back. The word stands
    further from X than those that speak of the step.

    Args:
        tagged: Words, each with the hop it speaks of; see `graphbrick.patterns.text.words_of`.

    >>> [word for word, _ in with_way_back([(word, None) for word in "who shares an employer with X".split()])]
    ['who', '\\x00alike', 'an', 'employer', 'with', 'X']
    """
    words = [word for word, _ in tagged]
    seed = words.index(PLACEHOLDER) if PLACEHOLDER in words else len(words)
    for at, word in enumerate(words):
        place = _place(words, at, seed) if word in _CALLS else None
        if place is not None:
            cut = at + (3 if word == "in" else 1)
            marked: Tagged = [(ALIKE, None)]
            if place <= at:
                article = word == "same" and place > 0 and words[place - 1] == "the"
                return tagged[: place - article] + marked + tagged[place:at] + tagged[cut:]
            return tagged[:at] + tagged[cut:place] + marked + tagged[place:]
    return tagged


def has_way_back(question: str) -> bool:
    """Return whether a masked question asks for what has an end in common with the seed.

    >>> has_way_back("who shares an employer with X"), has_way_back("who is the employer of X")
    (True, False)
    """
    return any(word == ALIKE for word, _ in with_way_back([(word, None) for word in words_of(question)]))


def says_alike(label: str) -> bool:
    """Return whether a relation says by itself that two entities have something in common.

    >>> says_alike("shares border with"), says_alike("employer")
    (True, False)
    """
    return not _MUTUAL.isdisjoint(label.lower().split())


def _place(words: Sequence[str], at: int, seed: int) -> int | None:
    """Return where the way back is said, if a word speaks of one; else None."""
    word, after = words[at], words[at + 1 :]
    if word == "in" and after[:2] == ["common", "with"] and at < seed:
        return _begin(words, at, {"have", "has", "had", "with"})
    if word in ("together", "alongside"):
        if at > seed:
            return at
        is_with = word == "alongside" or after[:1] == ["with"]
        return _begin(words, at, _BEFORE_VERB) if is_with else None
    if word.startswith("shar"):
        is_noun = at > 0 and words[at - 1] in ("'s", "a", "the", "of", "his", "her", "their", "no", "any")
        closes = after.index("with") if "with" in after else -1
        fits = not is_noun and (closes >= 0 or at > seed)
    else:
        closes = next((place for place, other in enumerate(after) if other in _AS), -1)
        fits = word == "same" and (closes >= 0 or (at < seed and after[1:2] == [PLACEHOLDER]))
    if not fits or at < seed:
        return at if fits else None
    return at + 1 + closes if closes >= 0 else len(words)


def _begin(words: Sequence[str], at: int, before: Collection[str]) -> int:
    """Return where the words that belong to the word at a place begin: after the nearest of some words."""
    return next((place + 1 for place in range(at - 1, -1, -1) if words[place] in before), 0)
