"""Of which of two there are more: «are there more customers in Germany than in France», «more welders or painters»."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.grammar.small_words import PLACED, WITH
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Place, Plan
from graphbrick.bricks.retrieve.operators.sets import UNREAD_WORDS, Shown, TextPlan
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.core.items import Item
from graphbrick.language.expressions.expression import Expression
from graphbrick.patterns.properties.sources import words_of_values
from graphbrick.patterns.properties.terms import terms_in

_MORE = Expression(
    r"(?:(?P<be>are|were|is|was)(?: there)?|(?P<do>do|does|did)) (?P<more>more|fewer|less) (?P<left>(?!than\b).+?)"
    r",? (?P<how>than|or)(?: (?:are|were) there)? (?P<right>.+)$"
)
_HOW_MANY_MORE = Expression(
    r"how many (?P<more>more|fewer|less) (?P<left>(?!than\b).+? (?:are|were) .+?) than(?: (?:are|were)(?: there)?)? "
    r"(?P<right>.+)$"
)
_BE = Expression(r" (?:are|were)(?: there)?(?= )")
_MORE_AT_ALL = Expression(r"(?:are|were|is|was|do|does|did) (?:there )?(?:more|fewer|less) (?!than\b)")
_WE_HAVE = Expression(r"(?:do|did) (?:we|you|they) have (?=(?:more|fewer|less) (?!than\b))")
_WHICH_HAS = Expression(
    r"(?:which|what) (?P<noun>[a-z ]+?) (?:has|have|had|gets|got) (?P<more>more|fewer|less) (?P<what>.+?)[,:]? "
    r"(?P<one>(?!e\d)[^ ,]+(?: [^ ,]+)?) or (?P<other>(?!e\d)[^,]+)$"
)
_HOW = ("in", "of", "from", "with {noun}")
_BEGINS = (*PLACED, *WITH, "that", "who", "which", "whose")
_PROVEN = 20  # of each of the two that are shown


@dataclass(frozen=True)
class MoreOf(TextPlan):
    """The name of that of two sets which has more members, or fewer; both names if they have as many."""

    counts: tuple[p.Count, ...]
    names: tuple[Shown, ...]
    largest: bool = True

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"{'largest' if self.largest else 'smallest'} of: {' | '.join(one.text(place) for one in self.counts)}"

    def shown(self, place: Place) -> list[Shown]:
        """Return the names."""
        numbers = [one.value(place) for one in self.counts]
        best = (max if self.largest else min)(numbers)
        return [name for name, number in zip(self.names, numbers, strict=True) if number == best]

    def proofs(self, place: Place) -> list[Item]:
        """Return what shows the members of both."""
        return [item for one in self.counts for item in one.base.proofs(place, one.base.run(place)[:_PROVEN])]


def asks_for_more(text: str) -> bool:
    """Return whether a question asks if there are more of something, which no answer may leave out."""
    return bool(_MORE_AT_ALL.match(text) or _WE_HAVE.match(text) or _WHICH_HAS.match(text))


def check_more(text: str) -> None:
    """Raise `CannotPlanError` for a question that asks for more of something, which no plan answered."""
    if asks_for_more(text):
        message = "«more» compares two, and what these are is not clear here"
        raise CannotPlanError(message, code=UNREAD_WORDS, words=("more",))


def more_of(parser: Parser, text: str, read: Callable[[Parser, str], Plan | None]) -> Plan | None:
    """Return the plan of a question of which of two there are more; None if one of them cannot be counted.

    Args:
        parser: Knows the graph.
        text: The question, with placeholders; see `asks_for_more`.
        read: Reads a question by the grammar.
    """
    choice = _WHICH_HAS.match(text)
    if choice is not None:  # «which country has more customers, Germany or France»
        hows = (how.format(noun=choice["noun"]) for how in _HOW)
        texts = (
            f"are there {choice['more']} {choice['what']} {how} {choice['one']} or {how} {choice['other']}"
            for how in hows
        )
        return next(filter(None, (more_of(parser, one, read) for one in texts)), None)
    how_many = _HOW_MANY_MORE.match(text)
    match = how_many or _MORE.match(_WE_HAVE.sub("are there ", text))
    if match is None:
        return None
    is_state = how_many is not None or match["be"]

    def count(what: str) -> p.Count | None:
        plan = read(parser, f"how many {what} are there" if is_state else f"how many {what}")
        return plan if isinstance(plan, p.Count) else _counted(parser, what)

    left, right = _BE.sub("", match["left"], count=1).split(), match["right"].split()
    right = [*right[:-1], left[-1]] if right[-1] == "ones" else right
    is_noun_last = len(right) > 1 and right[0] not in _BEGINS  # «Italian than German suppliers»
    lefts = (" ".join([*left, right[-1]]), " ".join(left)) if is_noun_last else (" ".join(left),)
    one = next(filter(None, map(count, lefts)), None)
    other = next(filter(None, map(count, _rights(left, right))), None) if one else None
    if one is None or other is None:
        return None
    largest = match["more"] == "more"
    if how_many is not None:
        return p.Difference(*((one, other) if largest else (other, one)))
    if match["how"] == "than":
        return p.IsMore(*((one, other) if largest else (other, one)))
    return MoreOf((one, other), (_name(parser, match["left"]), _name(parser, match["right"])), largest)


def _counted(parser: Parser, what: str) -> p.Count | None:
    """Return the count of what a noun phrase with a name means, where other rules than the grammar read it."""
    if not MENTION.search(what):
        return None
    try:
        return p.Count(parser.set(f"which {what}"))
    except CannotPlanError:
        return None


def _rights(left: list[str], right: list[str]) -> Iterator[str]:
    """Yield what the second of the two may be: «(customers) in France», «(customers in) France», «suppliers»."""
    places = [at for at in range(len(left) - 1, 0, -1) if left[at] in _BEGINS]
    if right[0] in _BEGINS:
        yield from (" ".join([*left[:at], *right]) for at in places)
        yield from (" ".join([*left[:size], *right]) for size in range(1, len(left) + 1))
        return
    yield from (" ".join([*left[: at + 1], *right]) for at in places)
    yield " ".join(right)
    yield from (" ".join([*right, *left[-size:]]) for size in range(1, len(left)))  # «Italian (suppliers)»


def _name(parser: Parser, text: str) -> Shown:
    """Return what tells one of the two from the other: an entity, a value, else the words."""
    mention = MENTION.search(text)
    if mention:
        entity = parser.entity(mention[0])
        return Shown(parser.place.graph.label(entity), entity)
    terms = terms_in(parser.place.graph, text) if words_of_values(parser.place.graph) else []
    return Shown(str(terms[-1].value) if terms and isinstance(terms[-1].value, str) else text)
