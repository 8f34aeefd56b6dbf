"""Questions that compare named things by what is counted or measured of each: «who won more games, e0 or e1»."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Place, Plan, SetPlan, ValuePlan
from graphbrick.bricks.retrieve.operators.properties.plans import Values
from graphbrick.bricks.retrieve.operators.sets import Ints
from graphbrick.bricks.retrieve.operators.triples.counts import Counts
from graphbrick.bricks.retrieve.operators.whole.values import Numbers
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.core.items import Item
from graphbrick.language import forms
from graphbrick.patterns.properties.sources import has_columns, has_triple_properties

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.parse import Parser

_HAVE = ("has", "have", "had", "own", "owns", "got", "")
_BE = ("is", "are", "was", "were")


@dataclass(frozen=True)
class MostOf(SetPlan):
    """Those of some named entities whose number is the largest, or smallest; all of them if the numbers are equal.

    Attributes:
        entities: The entities.
        values: The number of each.
        largest: Whether the largest wins.
    """

    entities: tuple[int, ...]
    values: tuple[ValuePlan, ...]
    largest: bool = True

    def text(self, place: Place) -> str:
        """Return the plan as people read it."""
        return f"{'largest' if self.largest else 'smallest'} of: {' | '.join(one.text(place) for one in self.values)}"

    def _run(self, place: Place) -> Ints:
        values = np.array([float(one.value(place)) for one in self.values])
        best = values.max() if self.largest else values.min()
        chosen: Ints = np.array(self.entities, dtype=np.int64)[values == best]
        return chosen

    def proofs(self, place: Place, entities: Ints) -> list[Item]:
        """Return what shows the numbers."""
        items: list[Item] = []
        for one in self.values:
            base = getattr(one, "base", None)
            if isinstance(base, SetPlan):
                items += base.proofs(place, base.run(place))
        return items


class Choices:
    """A reader of one question.

    Args:
        parser: Reads its parts.
    """

    def __init__(self, parser: Parser) -> None:
        self.parser, self.english, self.place = parser, parser.english, parser.place

    def read(self, text: str) -> Plan | None:
        """Return the plan of a question that compares named things by numbers of each; None for another question.

        Raises:
            CannotPlanError: It is one, and a number of one of them cannot be worked out.
        """
        truth = self._is_more(text)
        if truth is not None:
            return truth
        text = self._list_last(text)
        match = self.english.match("choice_of_more", text)
        if match is not None and match["verb"] in _BE and f"more {match['what']}" in self.english.comparatives:
            return None  # «is more expensive»: another rule knows what it measures
        if match is not None:
            sides = [self._phrase(match, f"e{number}") for number in MENTION.findall(match["list"])]
        elif match := self.english.match("choice_of_sides", text):
            sides = [self._phrase(match, match[name]) for name in ("one", "other")]
        else:
            return None
        values = self._values(sides)
        entities = tuple(self.parser.entity(f"e{number}") for number in MENTION.findall(match["list"]))
        if values is None:
            return None
        return MostOf(entities, values, largest=self._is_up(match))

    def _is_up(self, match: re.Match[str]) -> bool:
        return match["more"] in ("more", "most", "the most")

    def _list_last(self, text: str) -> str:
        """Return a question with the named things at its end: «between e0 and e1, who has more», «did e0 or e1 win»."""
        first = self.english.match("choice_first", text)
        if first:
            return f"{first['rest']}, {first['list']}"
        inside = self.english.match("choice_inside", text)
        return f"which {inside['rest']}, {inside['list']}" if inside else text

    def _phrase(self, match: re.Match[str], who: str) -> str:
        """Return the question for the number of one of the things."""
        what, groups = (match["what"] or "").strip(), match.groupdict()
        verb = (groups.get("verb") or "").strip()
        if "one" in groups:  # «more albums by e0»: the thing with its preposition
            side = who if " " in who else f"{match['how'] or 'of'} {who}"
            return f"how many {what} {verb} {side}" if verb and verb not in _BE else f"how many {what} are {side}"
        head, *after = verb.split() or [""]
        if what == "money" and head in ("makes", "make", "made", "gets", "get", "got"):
            return f"how much did {who} earn"
        if not what and head in _BE and after:
            return f"how much did {who} {' '.join(after)}"
        if not what:
            return f"how much did {who} {self._base(head)} {' '.join(after)}".strip()
        if head in _HAVE:
            return f"how many {what} does {who} have"
        if head in _BE:
            return f"how many {what} {head} {' '.join([*after, who])}"
        return " ".join(["how many", what, "did", who, self._base(head), *after])

    @staticmethod
    def _base(verb: str) -> str:
        """Return the dictionary form of a verb: won, win."""
        return (forms.verb_of(verb) or verb) if forms.is_installed() else verb

    def _is_more(self, text: str) -> Plan | None:
        """Read «did e0 win more games than e1»."""
        match = self.english.match("is_more_of", text)
        if match is None:
            return None
        values = self._values([self._phrase(match, match[name]) for name in ("who", "than")])
        if values is None:
            return None
        return p.IsMore(*(values if self._is_up(match) else values[::-1]))

    def _values(self, questions: Sequence[str]) -> tuple[ValuePlan, ...] | None:
        """Return the numbers of things that one plan gives for all of them; None if there are none."""
        values = [self._value(question) for question in questions]
        if any(one is None for one in values):
            return None
        numbers = tuple(one for one in values if one is not None)
        texts = [self._unnamed(one.text(self.place), asked) for one, asked in zip(numbers, questions, strict=True)]
        return numbers if len(set(texts)) == 1 else None

    def _unnamed(self, text: str, question: str) -> str:
        """Return the text of a plan without the name of its thing."""
        labels = {self.place.graph.label(self.parser.entity(f"e{number}")) for number in MENTION.findall(question)}
        for label in sorted(labels, key=len, reverse=True):
            text = text.replace(label, "*")
        return text.removeprefix("sum of ")  # of one thing it is the number itself

    def _value(self, question: str) -> ValuePlan | None:
        """Return the plan of a question for a number; None if there is none."""
        graph = self.place.graph
        readers: list[Callable[[str], Plan | None]] = [self._own] if has_columns(graph) else []
        if has_columns(graph) or has_triple_properties(graph):
            counts = Counts(self.parser)
            readers += [counts.count, counts.amount]
        for read in (*readers, Numbers(self.parser).read):
            try:
                plan = read(question)
            except CannotPlanError:
                continue
            if isinstance(plan, ValuePlan) and not self._counts_one(plan):
                return plan
        return None

    @staticmethod
    def _counts_one(plan: ValuePlan) -> bool:
        """Return whether a plan counts a named entity: «how much jazz» is not how often Jazz is an answer."""
        parts = getattr(getattr(plan, "base", None), "parts", ())
        return isinstance(plan, p.Count) and any(isinstance(part, p.Listed) for part in parts)

    def _own(self, question: str) -> ValuePlan | None:
        """Return the plan of a property of a thing itself, such as its wins."""
        from graphbrick.bricks.retrieve.operators.facts import Facts

        plan = Facts(self.parser).how_much(question)
        if not isinstance(plan, Values) or plan.source.literal is None:
            return None
        self.parser.check_read(question, plan)
        return p.Amount(plan.base, p.Attribute(plan.source))
