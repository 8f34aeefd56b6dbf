"""Pronouns that stand for nothing in a question, or for what it asks for."""

from __future__ import annotations

from graphbrick.bricks.retrieve.operators.sets import NO_ANTECEDENT, UNREAD_WORDS, CannotPlanError
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import is_plural
from graphbrick.patterns.lexicon import Lexicon

_THEY = Expression(
    r"\bthey (?:do|did|have|are|were|can) (?:not|never)\b|\btheir own [a-z]+ (?:does|do|did|is|has) not\b"
)
_BE_OR_DO = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)"
_ASKED = Expression(rf"(?:which|what|who) (?!{_BE_OR_DO}\b)[a-z]+")  # «what club had the most cards, all its players»
_WORD = Expression(r"[a-z]+")
_AS_SUBJECT = Expression(  # but not «is it true that», «how long does it take», «what time is it»
    rf"\b{_BE_OR_DO} (?P<word>he|she|they|it)\b(?<!time is it)"
    r"(?! (?:true|possible|known|correct|right|the case|that|takes?|costs?|mean|from|to|e\d))"
)
# «Which languages do they speak in e0» speaks of people.
_ANYBODY = Expression(r"\b(?:do|did) they [a-z]+ (?:.+ )?(?:in|at|on)\b.*\be\d")
_OWNED = Expression(r"\b(?P<word>his|her|its|their) (?!own\b)[a-z]+")
_AS_OBJECT = Expression(r"\b(?P<word>him|her|them|hers|theirs)$")
_THERE = Expression(r"(?<!\bin )(?<!\bon )(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bout )\b(?P<word>there)$")
_THAT = Expression(
    r"\b(?:of|in|at|on|from|for|by|with|to|does|did|is|are|was|were) (?P<word>that|this|these|those) [a-z]+"
)
_OF_NAMES = (_AS_SUBJECT, _THERE, _THAT)  # they need a name before them
_OF_THINGS = (_OWNED, _AS_OBJECT)  # they may also stand for what a noun names, or the question asks for


def check_pronouns(text: str) -> None:
    """Raise `CannotPlanError` if «they do not» speaks of an entity that is asked for: «planes that they do not own»."""
    pronoun = _THEY.search(text)
    if pronoun:
        message = f"no rule reads «{pronoun[0]}» after what it speaks of"
        raise CannotPlanError(message, code=UNREAD_WORDS, words=tuple(pronoun[0].split()))


def check_antecedents(text: str, lexicon: Lexicon) -> None:
    """Raise `CannotPlanError` for a pronoun that stands for nothing in the question: «who does he report to».

    It is a question after another one, and would be answered for everybody here.

    Args:
        text: The question, with placeholders for entities.
        lexicon: The words of the graph, whose classes a pronoun may stand for: «services and their owners».
    """
    for kind in () if _ANYBODY.search(text) else (*_OF_NAMES, *_OF_THINGS):
        found = kind.search(text)
        if found is None:
            continue
        before, after = text[: found.start("word")], text[found.end("word") :]
        if MENTION.search(before) or (kind in _OF_THINGS and _names_things(before, lexicon)):
            continue
        if kind is _THAT and not lexicon.classes_in(" ".join(after.split()[:2])):
            continue  # «before that time», «this year»
        message = f"{found['word']!r} stands for something that this question does not name; ask with its name"
        raise CannotPlanError(message, code=NO_ANTECEDENT, words=(found["word"],))


def _names_things(text: str, lexicon: Lexicon) -> bool:
    """Return whether the words before a pronoun name things that it may stand for, or ask for them."""
    is_asked = _ASKED.match(text) is not None
    return is_asked or bool(lexicon.classes_in(text)) or any(map(is_plural, _WORD.findall(text)))
