"""Phrases that compare, read by rules: «the largest city», «cities with over 100 people»."""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan, UnknownNounError, UnreadWordError
from graphbrick.bricks.retrieve.operators.resolve import Resolver
from graphbrick.bricks.retrieve.operators.wording import MENTION, Comparison
from graphbrick.language.stems import WORD, spaced, stem, stems
from graphbrick.patterns.properties.sources import sources_of

Read = Callable[[str], SetPlan]
_IS_DATE = attrgetter("is_date")
_MONEY = ("price", "cost", "fee", "salary", "budget", "total", "amount", "age")
_OPPOSITES = {"over": "most", "under": "least", "least": "under", "most": "over"}
# A «not» of the verb before a comparison, not of an earlier clause: «that do not border e0 have more than».
_NOT = re.compile(
    r" (?P<word>not|never)(?P<verb>(?: have| be)?(?: (?!(?:have|has|is|are|was|were|that|which|who|e\d+)\b)[a-z-]+)*)$"
)


class _Bounds(NamedTuple):
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


class Superlatives:
    """A reader of superlatives in one question, such as «the largest city», «born first».

    Args:
        resolver: Finds the numbers and dates that words speak of.
        read: Returns the plan of a phrase without the superlative, such as «which cities in e0».
    """

    def __init__(self, resolver: Resolver, read: Read) -> None:
        self.resolver, self.read, self.english = resolver, read, resolver.english

    def best(self, text: str) -> SetPlan | None:
        """Return the plan of a superlative, such as «which is the largest city in e0»; else None.

        Raises:
            CannotPlanError: The graph does not have what it compares.
        """
        negated = self.english.search("negated_best", text)
        if negated:
            raise UnreadWordError(negated["word"])
        if text.endswith(" most recently"):
            return self._first(text)
        text = self.english.without("in_one_season", text) if self.english.search("in_one_season", text) else text
        for pattern in self.english.patterns["best"]:
            match = pattern.match(text)
            if match and not self.english.match("not_a_noun", match["base"]):
                return self._ranked(match)
        return self._most_of(text) or self._first(text) or self._of_any(text)

    def value(self, text: str) -> p.Amount | None:
        """Return the plan of «what is the highest salary», which asks for the number itself; else None."""
        match = self.english.match("best_value", text)
        if not match:
            return None
        words, where, rank = match["attr"], match["where"], self.english.ordinals.get(match["rank"] or "", 1)
        if match["n"] and self.english.count_of(match["n"]) > 1:
            return None  # several values are not one
        try:
            if where is None:
                base, measure = self.resolver.measured(words, (), words)
            else:
                base = self.read(self.english.as_question(where))
                measure = self.resolver.measure(words, (), base, words)
        except CannotPlanError:
            return None  # «the largest city»: not a number
        if not isinstance(measure, p.Attribute):
            return None
        return p.Amount(p.Best(base, measure, self._comparison(match["sup"]).largest, rank), measure)

    def _comparison(self, superlative: str) -> Comparison:
        return self.english.superlatives[superlative]

    def _ranked(self, match: re.Match[str]) -> SetPlan:
        base_text, words = self._base_and_attribute(match["base"], match["attr"] or "")
        first, _, rest = base_text.partition(" ")
        several = rest and (first.isdecimal() or self.english.count_of(first) > 1)
        comparison, wording = self._comparison(match["sup"]), f"{match['sup']} {words}".strip()
        if not words and rest and not several and self._rates(first):
            base_text, words = rest, first
        try:
            base = self.read(self.english.as_question(rest if several else base_text))
        except UnknownNounError as error:
            base, measure = self.resolver.taken_for(error, words, comparison.names, wording)
        else:
            if "distance" not in comparison.names:
                self.resolver.check_measured(words)
            measure = self.resolver.measure(words, comparison.names, base, wording)
        n = self.english.count_of(first if several else match["n"] or "")
        return p.Best(base, measure, comparison.largest, self.english.ordinals.get(match["rank"] or "", 1), n)

    def _rates(self, word: str) -> bool:
        """Return whether a word speaks of a number: «the highest rated film», «the lowest tier service»."""
        is_class = bool(self.resolver.lexicon.class_named(stems(word)))
        return not is_class and not MENTION.search(word) and self.resolver.has_number(word)

    def _base_and_attribute(self, base: str, words: str) -> tuple[str, str]:
        """Move «in e0» and «among the neighbours of e0» from the end of the measure to the entities compared."""
        place = self.english.match("of_all", words)
        if not place or MENTION.search(base):
            return base, words
        where, how, attribute = place["where"], place["how"], place["attr"] or ""
        if not MENTION.search(where) and how in ("in", "on"):
            return base, words
        if MENTION.fullmatch(where):
            return f"{base} {'in' if how == 'from' else how} {where}", attribute
        return where, attribute

    def _most_of(self, text: str) -> SetPlan | None:
        """Read «which country borders the most countries», «which language is spoken in the most countries»."""
        done = self.english.match("most_done", text)
        if done:
            return self._most_done(done)
        match = self.english.match("most_of", text)
        if not match or f"most {match['attr'].split()[0]}" in self.english.superlatives:
            return None
        noun, verb = self.resolver.noun_and_verb(match["left"])
        if not verb:
            return None
        base = self.read(f"which {noun}")
        verb = re.sub(r"^(?:is|are|was|were) ", "", verb)
        words = re.sub(r"^(?:different|distinct|other) ", "", match["attr"])
        self.resolver.check_measured(words)
        counted = (
            f"{verb} {words}" if self.english.without_objects([stem(verb), *stems(words)]) == [stem(verb)] else words
        )
        measure = self.resolver.attribute(counted, base) or self.resolver.degree(f"which {words} {verb} e0", base)
        return p.Best(base, measure, match["sup"].split()[0] not in ("fewest", "least", "smallest", "lowest"))

    def _most_done(self, match: re.Match[str]) -> SetPlan | None:
        """Read «which product weighs the most»."""
        noun, verb = self.resolver.noun_and_verb(match["left"])
        base = self.read(f"which {noun}") if verb else None
        measure = self.resolver.attribute(verb, base) if base else None
        return p.Best(base, measure, match["sup"] == "most") if base and measure else None

    def _first(self, text: str) -> SetPlan | None:
        """Read «which team was founded first», «who was born last»."""
        match = self.english.match("first", text)
        if not match:
            return None
        largest = match["when"] in ("last", "latest", "most recently")
        if self.english.content(match["base"]) or MENTION.search(match["base"]):
            try:
                base = self.read(match["base"])
            except UnknownNounError as error:
                return p.Best(*self.resolver.taken_for(error, match["attr"], (), match["when"], dates=True), largest)
            return p.Best(base, self.resolver.date(match["attr"], base, match["when"]), largest)
        base, measure = self.resolver.measured(match["attr"], (), match["when"], dates=True)
        return p.Best(base, measure, largest)

    def _of_any(self, text: str) -> SetPlan | None:
        """Read «who has the lowest salary», «who earns the most», «who is the oldest»."""
        match = self.english.match("best_of_any", text)
        if not match:
            return None
        words = " ".join(filter(None, (match["verb"], match["attr"])))
        self.resolver.check_measured(words)
        comparison, wording = self._comparison(match["sup"]), f"{match['sup']} {match['attr'] or ''}".strip()
        verb, what = (match["verb"], match["attr"] or "") if match["verb"] else (match["attr"] or "", "")
        done = self.resolver.done_most(verb, what, by_people=text.startswith("who "))
        base, measure = done or self.resolver.measured(words, comparison.names, wording)
        rank = self.english.ordinals.get(match["rank"] or "", 1)
        return p.Best(base, measure, comparison.largest, rank, self.english.count_of(match["n"] or ""))


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
        when = self.english.read_amount(in_time["when"]) if in_time else None
        if in_time and when and not when.rest and any(map(_IS_DATE, sources_of(self.place.graph))):
            base, measure = self._base_and_date(in_time["base"], in_time["attr"] or "", f"in {in_time['when']}")
            return p.dated(base, measure, "exactly", when.as_date)
        done, bounds = self._done_in_time(text), self._bounds(text)
        if done is not None or bounds is None:
            return done
        match = self.english.match("whose", bounds.left) or self.english.match("link", bounds.left)
        base_text, attribute = (match["base"], match["attr"] or "") if match else self._doer(bounds.left)
        if not MENTION.search(base_text) and not self.english.content(base_text):
            return self._bounded(None, bounds, attribute)
        try:
            base = self.read(base_text)
        except UnknownNounError as error:
            return self._bounded(None, bounds, attribute, error)
        return self._bounded(base, bounds, attribute)

    def _done_in_time(self, text: str) -> SetPlan | None:
        """Read «people who joined in 2020»: a verb that speaks of a property; None if there is none."""
        match = self.english.match("done_in_time", text)
        when = self.english.read_amount(match["when"]) if match else None
        try:
            if match is None or when is None or when.rest:
                return None
            base, attribute = self._base_and_date(match["base"], match["attr"], match["attr"])
        except CannotPlanError:
            return None
        is_column = isinstance(attribute, p.Attribute) and attribute.source.relation < 0
        return p.dated(base, attribute, "exactly", when.as_date) if is_column else None

    def _base_and_date(self, base: str, words: str, wording: str) -> tuple[SetPlan, p.Measure]:
        """Return the set that a text before a date names, and the dates; all that have such a date for «who»."""
        if not MENTION.search(base) and not self.english.content(base):
            return self.resolver.measured(words or "date", (), wording, dates=True)
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
            verb = verb if self.resolver.has_number(verb) else ""
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

    def _bounds(self, text: str) -> _Bounds | None:
        """Return the comparison in a phrase, the opposite for «does not earn more than»; else None."""
        bounds = self._stated_bounds(text)
        negated = _NOT.search(bounds.left) if bounds else None
        if bounds is None or negated is None:
            return bounds
        if bounds.kind not in _OPPOSITES:
            raise UnreadWordError(negated["word"])
        left = bounds.left[: negated.start()] + negated["verb"]
        return bounds._replace(left=left, kind=_OPPOSITES[bounds.kind])

    def _stated_bounds(self, text: str) -> _Bounds | None:
        english = self.english
        between = english.search("between", text)
        if between and english.read_amount(between["right"]):
            return _Bounds(text[: between.start()], "between", (), "", between["right"])
        than = english.search("than", text)
        bare = than and than["more"] in ("more", "less", "fewer") and not than["attr"]
        if than and not (bare and english.read_amount(than["right"])):
            comparison = english.comparatives[than["more"]]
            self._comparative = than["more"]
            kind = "over" if comparison.largest else "under"
            return _Bounds(text[: than.start()], kind, comparison.names, than["attr"] or "", than["right"])
        plain = english.search("bound", text)
        if plain and english.read_amount(plain["right"]):
            is_time = english.match("time_bound", plain["bound"])
            kind = english.bounds[plain["bound"]]
            return _Bounds(text[: plain.start()], kind, (), "", plain["right"], is_time=is_time is not None)
        exact = english.search("exact", text)
        return _Bounds(f"{text[: exact.start()]} have", "exactly", (), "", exact["right"]) if exact else None

    def _bounded(
        self, base: SetPlan | None, bounds: _Bounds, attribute: str, unknown: UnknownNounError | None = None
    ) -> SetPlan | None:
        """Return the part of a set, or of all with such a number, within bounds; None for no number.

        Args:
            base: The set; all that have such a number if None.
            bounds: The comparison.
            attribute: The words for what is compared.
            unknown: Says that no set has the name that the question gives it.
        """
        words = " ".join(filter(None, (attribute, bounds.words)))
        amount = self.english.read_amount(bounds.right)
        if amount is None:
            if unknown:
                raise unknown
            return None if base is None else self._bounded_by_entity(base, bounds, words)
        upper, rest = None, amount.rest
        if bounds.kind == "between":
            upper = self.english.read_amount(rest.partition("and " if "and " in rest else "to ")[2])
            if upper is None:
                raise CannotPlanError(
                    f"'between' needs two numbers, got {bounds.right!r}", code="operators.between_numbers"
                )
            rest = upper.rest
        rest = re.sub(r"^(?:of|in) ", "", rest)
        money = self.english.search("money", rest)
        rest = self.english.without("money", rest)
        words = " ".join(filter(None, (words, rest))).strip()
        inside = self.english.match("inside", words)
        if inside and isinstance(base, p.Members):
            base, words = self.read(f"which {base.name} in {inside['where']}"), inside["words"]
        wording = words or self._comparative
        if unknown:
            base, measure = self.resolver.taken_for(unknown, words, bounds.names, wording)
        elif base is None:
            base, measure = self.resolver.measured(words, bounds.names, wording)
        else:
            names = self.english.comparatives["more recent"].names if bounds.is_time else bounds.names
            names = names or (_MONEY if self.english.search("money", bounds.right) or not words else ())
            measure = self.resolver.measure(words, names, base, wording)
        if measure.is_date(self.place):
            return p.dated(base, measure, bounds.kind, amount.as_date, upper and upper.as_date)
        if amount.date:
            raise CannotPlanError(
                f"{measure.text(self.place)} is not a date, so that it cannot be compared with {amount.date.text}",
                code="operators.not_a_date",
            )
        low = amount.value if upper is None else self.english.same_scale(bounds.right, amount.value, upper.value)
        plan = p.compared(base, measure, bounds.kind, low, np.inf if upper is None else upper.value)
        if money:
            self._check_currency(plan, measure, money[0])
        return plan

    def _check_currency(self, plan: SetPlan, measure: p.Measure, word: str) -> None:
        """Record the assumption that a number is in a currency; refuse one that is not that of the graph."""
        currencies, name = self.english.currencies, measure.text(self.place)
        units = [measure.unit(self.place), *WORD.findall(spaced(name).lower())]
        own = next((currencies[unit] for unit in units if unit in currencies), "")
        if own and own != currencies.get(word, own):
            raise CannotPlanError(
                f"{name} is in {own}, not in {word}", code="operators.other_currency", own=own, word=word
            )
        if word not in units and not (own and word in currencies):
            self.resolver.assumptions[plan] = f"{word!r} is not in this graph; {name} is compared as it is"

    def _bounded_by_entity(self, base: SetPlan, bounds: _Bounds, words: str) -> SetPlan:
        """Read «larger than e1», «more people than e1»."""
        other = self.english.match("that_of", bounds.right)
        than = self.read(other["who"] if other else bounds.right)
        if not isinstance(than, p.Listed | p.Best) and len(than.run(self.place)) > 1:
            than.only(self.place)  # raises the error
        measure = self.resolver.measure(words, bounds.names, base, words or self._comparative)
        value = p.Amount(than, measure).value(self.place)
        low, high = (value, np.inf) if bounds.kind in ("over", "least") else (-np.inf, value)
        return p.Within(base, measure, low, high, includes=bounds.kind in ("least", "most"))
