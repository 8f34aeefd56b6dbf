"""Phrases that compare with a number, a date or an entity, read by rules: «cities with over 100 people»."""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.dates import Date
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan, UnknownNounError, UnreadWordError
from graphbrick.bricks.retrieve.operators.properties.which_number import in_unit_of_noun
from graphbrick.bricks.retrieve.operators.resolve import Resolver
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.bricks.retrieve.operators.wordings.doers import done_most
from graphbrick.bricks.retrieve.operators.wordings.money import check_currency, scale_said
from graphbrick.bricks.retrieve.operators.wordings.units import check_unit, in_own_unit, is_length, names_by_unit
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import spaced, stems
from graphbrick.patterns.properties.sources import sources_of

Read = Callable[[str], SetPlan]
_IS_DATE = attrgetter("is_date")
_YEARS = Expression(r"[12]\d{3} (?:and|to) [12]\d{3}$")
_FIRST_YEAR = 100  # a smaller number is not compared with dates
_OPPOSITES = {"over": "most", "under": "least", "least": "under", "most": "over"}
# A «not» of the verb before a comparison, not of an earlier clause: «that do not border e0 have more than».
_NOT = Expression(
    r" (?P<word>not|never)(?P<verb>(?: have| be)?(?: (?!(?:have|has|is|are|was|were|that|which|who|e\d+)\b)[a-z-]+)*)$"
)

_SUPERLATIVE = Expression(r"(?<!at )\b(?:most|least|fewest)\b")
_METRES = Expression(r"^(\d[\d.,]*) ?m\b")
_METRES_APART = Expression(r"(?<=\d) m\b(?! people)")  # «2000 m», but not «2m»


class Bounds(NamedTuple):
    """A comparison in a phrase.

    Attributes:
        left: The words before it.
        kind: over, under, least, most, exactly or between.
        names: What its adjective measures.
        words: The words for what is compared that stand inside it.
        right: The words after it.
        is_time: Whether its word is one of time, such as «before».
    """

    left: str
    kind: str
    names: tuple[str, ...]
    words: str
    right: str
    is_time: bool = False


class Comparisons:
    """A reader of comparisons with a number, a date or an entity in the phrases of one question.

    Args:
        resolver: Finds the numbers and dates that words speak of.
        read: Returns the plan of a phrase without the comparison.
        listed: Returns the entities that a text mentions.
    """

    def __init__(self, resolver: Resolver, read: Read, listed: Callable[[str], p.Listed]) -> None:
        self.resolver, self.read, self.listed = resolver, read, listed
        self.place, self.english = resolver.place, resolver.english
        self._comparative = "this number"

    def within(self, text: str) -> SetPlan | None:
        """Return the plan of a comparison or date, such as «cities with over 100 people»; else None.

        Raises:
            CannotPlanError: The graph does not have what it compares.
        """
        in_time = self.english.match("in_time", text)
        dates = self._dates(in_time["when"]) if in_time else []
        if in_time and dates and any(map(_IS_DATE, sources_of(self.place.graph))):
            base, measure = self._base_and_date(in_time["base"], in_time["attr"] or "", f"in {in_time['when']}")
            return _in_any(base, measure, dates)
        done = self._done_in_time(text) or self._gained(text) or self._of_number(text)
        bounds = self._bounds(text)
        if done is not None or bounds is None:
            return done
        both = self._both_bounds(text, bounds)
        if both is not None:
            return both
        match = self.english.match("whose", bounds.left) or self.english.match("link", bounds.left)
        base_text, attribute = (match["base"], match["attr"] or "") if match else self._doer(bounds.left)
        base_text = self.english.without("join_last", base_text)
        if not MENTION.search(base_text) and not self.english.content(base_text):
            return self._bounded(None, bounds, attribute)
        try:
            base = self.read(base_text)
        except UnknownNounError as error:
            return self._bounded(None, bounds, attribute, error)
        return self._bounded(base, bounds, attribute)

    def _both_bounds(self, text: str, bounds: Bounds) -> SetPlan | None:
        """Read two comparisons without «and» between them, as in «films before 1950 with at least 3 songs»."""
        amount = None if bounds.kind == "between" else self.english.read_amount(bounds.right)
        rest = amount.rest if amount else ""
        if not self.english.search("bound", f" {rest}") or not text.endswith(rest):
            return None
        first = self.within(text.removesuffix(rest).strip())
        joined = self.english.match("join", rest)
        rest = rest[joined.end() :].strip() if joined else rest
        return None if first is None else self.bounded(first, f"e0 {rest}")

    def _of_number(self, text: str) -> SetPlan | None:
        """Read «films with a score of 99 or 100»; None if there is no such number."""
        match = self.english.match("of_number", text)
        if match is None:
            return None
        measure: p.Measure | None
        if set(self.english.content(match["base"])) <= self.english.anything and not MENTION.search(match["base"]):
            base, measure = self.resolver.measured(match["attr"], (), match["attr"])
        else:
            base = self.read(self.english.as_question(match["base"]))
            measure = self.resolver.attribute(match["attr"], base)
        numbers = [float(match[name].replace(",", "")) for name in ("right", "other") if match[name]]
        if measure is None or measure.is_date(self.place):
            return None
        parts = tuple(p.compared(base, measure, "exactly", number, np.inf) for number in numbers)
        return parts[0] if len(parts) == 1 else p.Either(parts)

    def _gained(self, text: str) -> SetPlan | None:
        """Read «films that won an award», of which the graph has the number; None for no number."""
        match = self.english.match("gained", text)
        if match is None:
            return None
        base = self.read(self.english.as_question(match["base"]))
        measure = self.resolver.attribute(match["what"], base)
        return None if measure is None or measure.is_date(self.place) else p.Within(base, measure, low=0)

    def _done_in_time(self, text: str) -> SetPlan | None:
        """Read «people who joined in 2020»: a verb that speaks of a property; None if there is none."""
        match = self.english.match("done_in_time", text)
        dates = self._dates(match["when"]) if match else []
        try:
            if match is None or not dates:
                return None
            base, attribute = self._base_and_date(match["base"], match["attr"], match["attr"])
        except CannotPlanError:
            return None
        is_column = isinstance(attribute, p.Attribute) and attribute.source.relation < 0
        return _in_any(base, attribute, dates) if is_column else None

    def _dates(self, text: str) -> list[Date]:
        """Return the dates that a text consists of, such as «2004 or 2007»; none if it has other words."""
        dates, rest = list[Date](), text
        while rest:
            amount = self.english.read_amount(rest)
            if amount is None:
                return []
            dates.append(amount.as_date)
            rest = re.sub(r"^(?:,|,? ?or|,? ?and) (?:in |on |during )?", "", amount.rest)
            if rest and rest == amount.rest:
                return []
        return dates

    def _base_and_date(self, base: str, words: str, wording: str) -> tuple[SetPlan, p.Measure]:
        """Return the set that a text before a date names, and the dates; all that have such a date for «who»."""
        if not MENTION.search(base) and not self.english.content(base):
            every, date = self.resolver.measured(words or "date", (), wording, dates=True)
            if self.english.search("time_order", base) or (
                base.startswith("who") and self.resolver.is_no_person(every)
            ):
                raise UnreadWordError(wording)
            return every, date
        try:
            plan = self.read(base)
        except UnknownNounError as error:
            return self.resolver.taken_for(error, words, (), wording, dates=True)
        return plan, self.resolver.date(words or "date", plan, wording)

    def _doer(self, text: str) -> tuple[str, str]:
        """Return noun phrase and verb of «which people earn», if the graph has a number for the verb."""
        clause = self.english.match("clause", text)
        if clause and self.resolver.has_number(clause["verb"]):  # «which products of e0 cost», «teams that lost»
            return clause["noun"], clause["verb"]
        is_bare = not re.search(r"\b(?:that|which|who|is|are|do|does|not)\b", text)
        match = self.english.match("doer", self.english.as_question(text) if is_bare else text)
        if match is None or MENTION.search(text):
            return text, ""
        noun, verb = self.resolver.noun_and_verb(match["rest"])
        if not verb:  # «who earns», or a noun that the graph does not know
            is_who = match["lead"] in ("who", "which one")
            noun, _, verb = ("", "", match["rest"]) if is_who else match["rest"].rpartition(" ")
            is_class = bool(self.resolver.lexicon.class_named(stems(verb)))  # «orders over 1000»
            verb = verb if self.resolver.has_number(verb) and not is_class else ""
        return (f"which {noun}" if noun else "who", verb) if verb else (text, "")

    def bounded(self, base: SetPlan | None, text: str) -> SetPlan | None:
        """Return the part of a set that a comparison selects, such as «e0 larger than e1»; else None.

        Args:
            base: The set; what stands before the comparison if None.
            text: The comparison and what stands before it.
        """
        bounds = self._bounds(text)
        match = self.english.match("is_who", bounds.left) if bounds else None
        if bounds is None or match is None:
            return None
        who = match["who"]
        base = base or (self.listed(who) if MENTION.fullmatch(who) else self.read(f"which {who}"))
        return self._bounded(base, bounds, self.english.without("has_words", match["attr"] or ""))

    def _bounds(self, text: str) -> Bounds | None:
        """Return the comparison in a phrase, the opposite for «does not earn more than»; else None."""
        bounds = self.stated_bounds(text)
        negated = _NOT.search(bounds.left) if bounds else None
        if bounds is None or negated is None:
            return bounds
        if bounds.kind not in _OPPOSITES:
            raise UnreadWordError(negated["word"])
        left = bounds.left[: negated.start()] + negated["verb"]
        return bounds._replace(left=left, kind=_OPPOSITES[bounds.kind])

    def stated_bounds(self, text: str) -> Bounds | None:
        """Return the comparison in a phrase as it is said; None if there is none."""
        english = self.english
        between = english.search("between", text)
        if between and self._is_between(between):
            return Bounds(text[: between.start()], "between", (), "", between["right"])
        than = english.search("than", text)
        bare = than and than["more"] in ("more", "less", "fewer") and not than["attr"]
        if than and not (bare and english.read_amount(than["right"])):
            comparison = english.comparatives[than["more"]]
            self._comparative = than["more"]
            kind = "over" if comparison.largest else "under"
            return Bounds(text[: than.start()], kind, comparison.names, than["attr"] or "", than["right"])
        plain = english.search("bound", text)
        if plain and english.read_amount(plain["right"]):
            is_time = english.match("time_bound", plain["bound"])
            kind = english.bounds[plain["bound"]]
            return Bounds(text[: plain.start()], kind, (), "", plain["right"], is_time=is_time is not None)
        exact = english.search("exact", text)
        return Bounds(f"{text[: exact.start()]} have", "exactly", (), "", exact["right"]) if exact else None

    def _is_between(self, match: re.Match[str]) -> bool:
        """Return whether «from» begins a stretch, as in «from 1 to 2»; «from 2010 and over 5» has two conditions."""
        amount = self.english.read_amount(match["right"])
        joined = re.match(r"(?:and|to) (?P<upper>.+)", amount.rest) if amount else None
        is_from = match[0].startswith(" from ")
        return amount is not None and (
            not is_from or (joined is not None and self.english.read_amount(joined["upper"]) is not None)
        )

    def _bounded(
        self, base: SetPlan | None, bounds: Bounds, attribute: str, unknown: UnknownNounError | None = None
    ) -> SetPlan | None:
        """Return the part of a set, or of all with such a number, within bounds; None for no number.

        Args:
            base: The set; all that have such a number if None.
            bounds: The comparison; «1.7 m» of a length is metres, and not millions.
            attribute: The words for what is compared.
            unknown: Says that no set has the name that the question gives it.
        """
        words = " ".join(filter(None, (attribute, bounds.words)))
        unread = _SUPERLATIVE.search(bounds.right)
        if unread:
            raise UnreadWordError(unread[0])
        bounds = bounds._replace(right=_METRES_APART.sub(" metres", bounds.right))
        if is_length(bounds.names):
            bounds = bounds._replace(right=_METRES.sub(r"\1 metres", bounds.right))
        amount = self.english.read_amount(bounds.right)
        if amount is None:
            if unknown:
                raise unknown
            return None if base is None else self._bounded_by_entity(base, bounds, words)
        upper, rest, last = None, amount.rest, bounds.right
        if bounds.kind == "between":
            last = rest.partition("and " if "and " in rest else "to ")[2]
            upper = self.english.read_amount(last)
            if upper is None:
                raise CannotPlanError(
                    f"'between' needs two numbers, got {bounds.right!r}", code="operators.between_numbers"
                )
            rest = upper.rest
        searched = self._with_number(bounds, words) if base is None and not unknown else base
        converted, after, unit = self._converted(searched, bounds, words, last)
        rest = re.sub(r"^(?:of|in) ", "", rest if converted is None else after)
        money = self.english.search("money", rest) if converted is None else None
        words = " ".join(filter(None, (words, self.english.without("money", rest) if money else rest))).strip()
        inside = self.english.match("inside", words)
        if inside and isinstance(base, p.Members):
            base, words = self.read(f"which {base.name} in {inside['where']}"), inside["words"]
        base = searched if converted is not None and not inside else base
        if base is not None and converted is not None:
            measure, factor = converted
        else:
            factor = 1.0
            base, measure = self._measured(base, bounds, words, money[0] if money else "", unknown)
            check_unit(self.place.graph, measure.text(self.place), unit)
        if measure.is_date(self.place) and amount.date is None and amount.value < _FIRST_YEAR:
            text = f"{measure.text(self.place)} is a date, so that it cannot be compared with {amount.value:g}"
            raise CannotPlanError(text, code="operators.not_a_year", number=amount.value)
        if measure.is_date(self.place):
            return p.dated(base, measure, bounds.kind, amount.as_date, upper and upper.as_date)
        if amount.date:
            raise CannotPlanError(
                f"{measure.text(self.place)} is not a date, so that it cannot be compared with {amount.date.text}",
                code="operators.not_a_date",
            )
        low = amount.value if upper is None else self.english.same_scale(bounds.right, amount.value, upper.value)
        if converted is None:
            numbers = measure.of(self.place, base.run(self.place))
            factor = 1.0 / scale_said(measure.text(self.place), amount.value, numbers, in_full=bool(money))
        high = np.inf if upper is None else upper.value * factor
        plan = p.compared(base, measure, bounds.kind, low * factor, high)
        if money:
            check_currency(self.resolver, plan, measure, money[0])
        return plan

    def _unsaid(self, words: str, measure: p.Measure) -> bool:
        """Return whether some words say more than the name of a measure."""
        own = set(stems(spaced(measure.text(self.place))))
        return not all(self.english.is_among(word, own) for word in self.english.content(words))

    def _with_number(self, bounds: Bounds, words: str) -> SetPlan | None:
        """Return all that have the number that a comparison without a noun speaks of; None if nothing has it."""
        try:
            return self.resolver.measured(words, bounds.names, words or self._comparative)[0]
        except CannotPlanError:
            return None

    def _converted(
        self, base: SetPlan | None, bounds: Bounds, words: str, text: str
    ) -> tuple[tuple[p.Measure, float] | None, str, str]:
        """Return what an amount in another unit measures, and how many of its own unit that is; what follows; the unit.

        Args:
            base: What is compared.
            bounds: The comparison.
            words: The words for what is compared.
            text: The number and what follows it.
        """
        number = self.english.number.match(text)
        after = text[number.end() :].strip() if number else text
        unit = self.english.match("any_unit", after)
        if unit is None or base is None:
            return None, after, unit["unit"] if unit else ""
        after = after[unit.end() :].strip()
        names = (*filter(None, [words]), *bounds.names)
        converted = in_own_unit(self.resolver, base, unit["unit"], names)
        said = f"{words} {after}".strip()
        inside = self.english.match("inside", said)
        is_said = converted is not None and not self._unsaid(inside["words"] if inside else said, converted[0])
        return converted if is_said else None, after, unit["unit"]

    def _measured(
        self, base: SetPlan | None, bounds: Bounds, words: str, unit: str, unknown: UnknownNounError | None
    ) -> tuple[SetPlan, p.Measure]:
        """Return what is compared, and its measure; the arguments are those of `_bounded`, with the words and unit."""
        wording = words or self._comparative
        if unknown:
            return self.resolver.taken_for(unknown, words, bounds.names, wording)
        if base is None:
            verb = re.fullmatch(r"who (?:has |have |had )?(?P<verb>[a-z]+)", bounds.left)
            done = done_most(self.resolver, verb["verb"], words, by_people=True) if verb else None
            return done or self.resolver.measured(words, bounds.names, wording)
        if bounds.kind == "between" and not unit and _YEARS.match(bounds.right):
            date = self.resolver.only_date(base)
            if date is not None and not words:
                return base, date
            if words and self.resolver.attribute(words, base) is None:  # «winners between 1990 and 1993»
                raise UnreadWordError("between")
        made = self.resolver.date_of_making(words, base) if bounds.is_time and words else None
        if made is not None and self.resolver.attribute(words, base) is None:  # «planes built before 1980»
            return base, made
        names = self.english.comparatives["more recent"].names if bounds.is_time else bounds.names
        of_class = "" if names else self.resolver.lexicon.classes_of(base.run(self.place))
        names = names or names_by_unit(self.english, unit, of_class, bare=not words)
        measure = in_unit_of_noun(self.resolver, base, bounds.names, words)
        return base, measure or self.resolver.measure(words, names, base, wording)

    def _bounded_by_entity(self, base: SetPlan, bounds: Bounds, words: str) -> SetPlan:
        """Read «larger than e1», «more people than e1»."""
        other = self.english.match("that_of", bounds.right)
        than = self.read(other["who"] if other else bounds.right)
        if not isinstance(than, p.Listed | p.Best) and len(than.run(self.place)) > 1:
            than.only(self.place)  # raises the error
        measure = self.resolver.measure(words, bounds.names, base, words or self._comparative)
        value = p.Amount(than, measure).value(self.place)
        low, high = (value, np.inf) if bounds.kind in ("over", "least") else (-np.inf, value)
        return p.Within(base, measure, low, high, includes=bounds.kind in ("least", "most"))


def _in_any(base: SetPlan, measure: p.Measure, dates: list[Date]) -> SetPlan:
    """Return the part of a set whose date is in any of some stretches of time."""
    parts = tuple(p.dated(base, measure, "exactly", date) for date in dates)
    return parts[0] if len(parts) == 1 else p.Either(parts)
