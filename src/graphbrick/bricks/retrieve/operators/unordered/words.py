"""The words of a question that a plan leaves out."""

from __future__ import annotations

from dataclasses import dataclass

from graphbrick.bricks.retrieve.operators.grammar.links import GENERAL, PARTICLES
from graphbrick.bricks.retrieve.operators.grammar.small_words import AUXILIARIES, HAPPENS, LIGHT, MOVES
from graphbrick.bricks.retrieve.operators.plan import Members, Plan
from graphbrick.bricks.retrieve.operators.unordered.attempt import Attempt
from graphbrick.bricks.retrieve.operators.unordered.parts import How, OfClass, OfProperty
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.language.stems import stem
from graphbrick.language.stop_words import FUNCTION_WORDS
from graphbrick.patterns.lexicon import SMALL

_TELLING = frozenset(
    "not no never without except excluding only neither nor none nobody nothing each per every both or than more less "
    "fewer same other another else difference percentage share proportion compared if why unless instead most least "
    "fewest best worst again their its his her versus vs besides apart outside times often frequently half almost "
    "first last too enough how many whose share shares about before after until since yet still already ago "
    "exactly".split()
)
"""Words that change what is asked, so that a plan must not leave them out."""
_FILLING = frozenset((*FUNCTION_WORDS, *(
    "please list show name give find tell me us we you they i all any some there currently now altogether "
    "recorded registered record known exist exists go goes went come comes came data has had have been "
    "kind kinds type types sort sorts , -".split()
))) - _TELLING  # fmt: skip
_FIGURES = frozenset(
    "charge charges cost costs fee fees value values amount amounts figure figures number level".split()
)
"""Words beside the name of a number that say no more: «freight charges»."""
_NEUTRAL = (
    HAPPENS
    | MOVES
    | GENERAL
    | frozenset(map(stem, (*LIGHT, *"made leave left arrive scheduled listed stored kept".split())))
)
"""Stems of verbs that say no more than what they join."""
_BEFORE_VERB = AUXILIARIES | frozenset("that who which we you they i been be to not".split())


@dataclass(frozen=True)
class Found:
    """A reading of a question.

    Attributes:
        plan: The plan.
        left_out: The words that it does not use.
        size: How many relations it follows.
    """

    plan: Plan
    left_out: tuple[str, ...]
    size: int

    @property
    def may_be_near(self) -> bool:
        """True if the question without the words that are left out is not another one, and says something."""
        is_whole = isinstance(getattr(self.plan, "base", self.plan), Members)
        return _TELLING.isdisjoint(self.left_out) and not is_whole and not any(map(MENTION.fullmatch, self.left_out))


def checked(attempt: Attempt, plan: Plan) -> Found:
    """Return a plan with the words of a question that it leaves out."""
    tokens, lexicon = attempt.tokens, attempt.links.lexicon
    said = {word for relation in attempt.relations for word in attempt.links.labels[relation]} - SMALL
    said |= {word for relation in attempt.relations for word in lexicon.relations[relation].words}
    is_among, left_out = attempt.questions.english.is_among, list[str]()
    for at in range(len(tokens)):
        word = tokens.word(at)
        if at in attempt.used or (word in _FILLING and not word.isdecimal()):
            continue
        is_beside = any(isinstance(one, OfProperty | How) and at in (one.start - 1, one.end) for one in attempt.parts)
        if word in _FIGURES and is_beside:
            continue
        if word in _TELLING or not (
            any(is_among(form, said) for form in tokens.verb_stems(at)) or _is_neutral_verb(attempt, at)
        ):
            left_out.append(word)
    return Found(plan, tuple(left_out), len(attempt.relations))


def _is_neutral_verb(attempt: Attempt, at: int) -> bool:
    """Return whether a word is a verb that says no more than what it joins: «flights (left) on 8 May»."""
    tokens, word = attempt.tokens, attempt.tokens.word(at)
    is_done = tokens.word(0) == "who" and tokens.past(1, AUXILIARIES | {"been", "being"}) == at
    if not _NEUTRAL & tokens.verb_stems(at) or is_done:
        return False  # «who makes e0» is not who takes it, «who was driving e0» not who owns it
    english, relations = attempt.questions.english, attempt.links.lexicon.relations
    spoken = (one for one in tokens.verb_stems(at) if one in english.near and one not in english.plain)
    if any(english.is_among(one, names.words) for one in spoken for names in relations):
        return False  # of another relation, as «made» is of PRODUCES
    part = next((one for one in attempt.parts if one.end == at), None)
    if part is None and tokens.word(at - 1) not in _BEFORE_VERB:
        return False
    after = next((one for one in attempt.parts if one.start == at + 1), None)
    if tokens.is_one_of(at + 1, ("of",)) or (isinstance(after, OfClass) and not word.endswith(("ed", "ing"))):
        return False
    is_last = at + 1 + tokens.is_one_of(at + 1, PARTICLES) >= len(tokens)
    return not is_last or (part is not None and not isinstance(part, OfClass))
