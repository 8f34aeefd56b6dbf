"""Superlatives, read by rules: «the largest city», «born first», «who earns the most»."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan, UnknownNounError, UnreadWordError
from graphbrick.bricks.retrieve.operators.resolve import Resolver
from graphbrick.bricks.retrieve.operators.schema.class_graph import class_graph_of
from graphbrick.bricks.retrieve.operators.schema.walks import Walk
from graphbrick.bricks.retrieve.operators.wording import MENTION, Comparison
from graphbrick.bricks.retrieve.operators.wordings.doers import done_most
from graphbrick.language import forms
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stem, stems

Read = Callable[[str], SetPlan]


_BEFORE_NUMBER = Expression(
    r"^(?:is|are|was|were)? ?(?:the )?(?=\d|(?:two|three|four|five|six|seven|eight|nine|ten)\b)"
)


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
        is_count = match["sup"] in ("most", "fewest", "least")
        if match["lead"] is None and (is_count or self.resolver.lexicon.classes_in(words)):
            return None  # «largest order» is no number of orders, and «most goals» asks for who has them
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
        first, _, rest = _BEFORE_NUMBER.sub("", base_text).partition(" ")
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
        first, _, rest = match["left"].partition(" ")
        n = self.english.count_of(first) if rest else 1  # «three teams own the most services»
        noun, verb = self.resolver.noun_and_verb(rest if n > 1 else match["left"])
        if not verb:
            return None
        base = self.read(f"which {noun}")
        verb = re.sub(r"^(?:is|are|was|were) ", "", verb)
        words = re.sub(r"^(?:different|distinct|other) ", "", match["attr"])
        self.resolver.check_measured(words)
        counted = (
            f"{verb} {words}" if self.english.without_objects([stem(verb), *stems(words)]) == [stem(verb)] else words
        )
        measure = self.resolver.attribute(counted, base) or self._number_of_objects(match["left"], words, verb, base)
        return p.Best(base, measure, match["sup"].split()[0] not in ("fewest", "least", "smallest", "lowest"), n=n)

    def _number_of_objects(self, left: str, words: str, verb: str, base: SetPlan) -> p.Degree:
        """Return how many an entity does something to: who manages the most people, not who is managed by them."""
        third = verb.split()[0]
        plain = forms.verb_of(third) if forms.is_installed() and third.endswith("s") else ""
        if plain and not re.search(r"\b(?:is|are|was|were)\b", left):
            with suppress(CannotPlanError):  # a verb that joins both sides alike is read below
                return self.resolver.degree(f"which {words} does e0 {verb.replace(third, plain, 1)}", base)
        try:
            return self.resolver.degree(f"which {words} {verb} e0", base)
        except CannotPlanError:
            only = self._by_only_relation(words, verb, base)
            if only is None:
                raise
            return only

    def _by_only_relation(self, words: str, verb: str, base: SetPlan) -> p.Degree | None:
        """Return the count over the only relation between two classes for a verb that the graph does not know."""
        lexicon, graph = self.resolver.lexicon, self.resolver.place.graph
        name, end = lexicon.classes_of(base.run(self.resolver.place)), lexicon.class_named(stems(words))
        first = verb.split()[0]
        if (
            not end
            or name == end
            or stem(first) in lexicon.words
            or not (forms.is_installed() and forms.verb_of(first))
        ):
            return None
        joins = class_graph_of(graph).joins.get(name, ())
        ways = {(join.relation, join.forward) for join in joins if join.end == end}
        if len(ways) != 1:
            return None
        degree = p.Degree(tuple(ways), of_class=end)
        self.resolver.assumptions[degree] = (
            f"{verb!r} is not a word of this graph; taken for {degree.text(self.resolver.place)}"
        )
        return degree

    def _most_done(self, match: re.Match[str]) -> SetPlan | None:
        """Read «which product weighs the most», «which nurse under 45 earns the most»."""
        plain, parts = "base" not in match.groupdict(), self.resolver.noun_and_verb(match["left"])
        noun, verb = parts if plain else match.group("base", "verb")
        base = self.read(f"which {noun}") if verb else None
        measure: p.Measure | None = self.resolver.attribute(verb, base) if base else None
        if base is not None and measure is None:
            measure = self._times_of(f"which {match['left']}")
        return p.Best(base, measure, match["sup"] == "most") if base and measure else None

    def _times_of(self, phrase: str) -> p.Degree | None:
        """Return how often something was done to each entity, for «which film was rented the most»."""
        try:
            done = self.read(phrase)
        except CannotPlanError:
            return None
        if not isinstance(done, Walk) or not done.is_backward:
            return None
        relation, forward = done.steps[-1]
        return p.Degree(((relation, not forward),))

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
        is_inner = match["verb"] and self.resolver.lexicon.classes_in(match["attr"] or "")
        if is_inner and self._comparison(match["sup"]).names and self.english.match("of_best", text):
            return None  # «who resolved the longest incident»
        self.resolver.check_measured(words)
        comparison, wording = self._comparison(match["sup"]), f"{match['sup']} {match['attr'] or ''}".strip()
        verb, what = (match["verb"], match["attr"] or "") if match["verb"] else (match["attr"] or "", "")
        counts = not comparison.names or not what
        done = done_most(self.resolver, verb, what, by_people=text.startswith("who ")) if counts else None
        base, measure = done or self.resolver.measured(words, comparison.names, wording)
        if text.startswith("who ") and self.resolver.is_no_person(base):
            raise UnknownNounError(self.english.content(words) or [wording])
        rank = self.english.ordinals.get(match["rank"] or "", 1)
        return p.Best(base, measure, comparison.largest, rank, self.english.count_of(match["n"] or ""))
