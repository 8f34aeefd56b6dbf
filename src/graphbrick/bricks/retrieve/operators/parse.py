"""Phrases that ask for entities, read by rules: superlatives, filters, differences, intersections."""

from __future__ import annotations

import re
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan, UnknownNounError, UnreadWordError
from graphbrick.bricks.retrieve.operators.question import Question
from graphbrick.bricks.retrieve.operators.resolve import Resolver
from graphbrick.bricks.retrieve.operators.superlatives import Superlatives
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.graphs.store.literals import literal_types
from graphbrick.language.stems import WORD, stem, stems

_IS_DATE = attrgetter("is_date")
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
    """

    left: str
    kind: str
    names: tuple[str, ...]
    words: str
    right: str


class Parser:
    """A reader of the phrases of one question that ask for entities.

    Args:
        resolver: Finds the patterns of plain phrases.
        question: The question.

    Attributes:
        entities: What `e0`, `e1`, ... stand for; grows when a part of the question is answered first.
    """

    def __init__(self, resolver: Resolver, question: Question) -> None:
        self.resolver, self.question, self.entities = resolver, question, list(question.entities)
        self.place, self.english = resolver.place, resolver.english
        self.superlatives = Superlatives(resolver, self.set)
        self._comparative = "this number"

    def entity(self, mention: str) -> int:
        """Return the entity that a placeholder stands for."""
        return self.entities[int(mention[1:])]

    def with_names(self, text: str) -> str:
        """Return a text with the labels of entities for their placeholders, and words of the question for stems."""
        labels = {f"e{i}": self.place.graph.label(entity) for i, entity in enumerate(self.entities)}
        words = {stem(word): word for word in WORD.findall(self.question.text)}
        text = re.sub(r"'([^\W_]+)'", lambda match: f"'{words.get(match[1], match[1])}'", text)
        return MENTION.sub(lambda match: labels.get(match[0], match[0]), text)

    def listed(self, text: str) -> p.Listed:
        """Return the entities that a text mentions."""
        return p.Listed(tuple(self.entities[int(number)] for number in MENTION.findall(text)))

    def noun(self, base: SetPlan) -> str:
        """Return a noun for the entities of a set, for a phrase about them."""
        if isinstance(base, p.Members):
            return base.name
        return self.resolver.lexicon.classes_of(base.run(self.place)) or "ones"

    def set(self, text: str) -> SetPlan:
        """Return the plan of a phrase that asks for entities, such as «which cities in e0 have more than ...».

        Raises:
            CannotPlanError: The graph does not have what the phrase speaks of.
        """
        text = self.english.without("everywhere", text)
        rules = (
            self._listed, self._except, self.best, self._within, self._lacking, self._of_best, self._shared,
            self._joined,
        )  # fmt: skip
        for rule in rules:
            plan = rule(text)
            if plan is not None:
                return plan
        mentions = MENTION.findall(text)
        return self.resolver.along(text, self.entities[int(mentions[0])]) if mentions else self._members(text)

    def _listed(self, text: str) -> SetPlan | None:
        match = self.english.match("listed", text)
        if not match or (match["noun"] and not self._is_noun(match["noun"])):
            return None  # «who plays both e0 and e1» is no list
        return self.listed(match["list"])

    def _is_noun(self, word: str) -> bool:
        """Return whether a word names a class, or anything."""
        names = (stems(word), *self.english.near.get(stem(word), ()))
        return stem(word) in self.english.anything or any(map(self.resolver.lexicon.class_named, names))

    def _members(self, text: str) -> SetPlan:
        """Return a class, such as «countries are there»."""
        lexicon, words = self.resolver.lexicon, self.english.content(text)
        match = self.english.match("some", text)
        if match and lexicon.classes_in(match["base"]):
            base = self.set(match["base"])
            return p.Within(base, self.resolver.degree(match["what"], base), low=0)
        near_classes = (lexicon.class_named(name) for word in words for name in self.english.near.get(word, ()))
        name = next(iter(lexicon.classes_in(text) or filter(None, near_classes)), None)
        called = self.resolver.called(words[0]) if name is None and len(words) == 1 else None
        if called is not None:
            return called
        if name is None:
            raise UnknownNounError(words or [text])
        of_class = set(stems(name))
        others = [word for word in words if not self.english.is_among(word, of_class)]
        if others:
            raise CannotPlanError(
                f"nothing in this graph speaks of {' '.join(map(repr, others))} of every {name}",
                code="operators.not_of_every",
            )
        return p.Members(name)

    def _except(self, text: str) -> SetPlan | None:
        match = self.english.match("except", text)
        return p.Without(self.set(match["base"]), self.listed(match["other"])) if match else None

    def best(self, text: str) -> SetPlan | None:
        """Return the plan of a phrase with a superlative; see `Superlatives.best`."""
        return self.superlatives.best(text)

    def _of_best(self, text: str) -> SetPlan | None:
        """Read «the capital of the largest country in e0»: the inner superlative is answered first."""
        match = self.english.match("of_best", text)
        if not match or MENTION.search(match["front"]):
            return None
        inner = self.best(f"which is {match['inner']}") or self.best(match["inner"])
        if inner is None:
            return None
        self.entities.append(inner.only(self.place))
        return self.set(f"{match['front']} e{len(self.entities) - 1}")

    # Filters

    def _within(self, text: str) -> SetPlan | None:
        in_time = self.english.match("in_time", text)
        when = self.english.read_amount(in_time["when"]) if in_time else None
        if in_time and when and not when.rest and any(map(_IS_DATE, literal_types(self.place.graph).values())):
            base, measure = self._base_and_date(in_time["base"], in_time["attr"] or "date", f"in {in_time['when']}")
            return p.dated(base, measure, "exactly", when.as_date)
        bounds = self._bounds(text)
        if bounds is None:
            return None
        match = self.english.match("whose", bounds.left) or self.english.match("link", bounds.left)
        base_text, attribute = (match["base"], match["attr"] or "") if match else self._doer(bounds.left)
        if not MENTION.search(base_text) and not self.english.content(base_text):
            return self._bounded(None, bounds, attribute)
        try:
            base = self.set(base_text)
        except UnknownNounError as error:
            return self._bounded(None, bounds, attribute, error)
        return self._bounded(base, bounds, attribute)

    def _base_and_date(self, base: str, words: str, wording: str) -> tuple[SetPlan, p.Measure]:
        """Return the set that a text before a date names, and the dates; all that have such a date for «who»."""
        if not MENTION.search(base) and not self.english.content(base):
            return self.resolver.measured(words, (), wording, dates=True)
        try:
            plan = self.set(base)
        except UnknownNounError as error:
            return self.resolver.taken_for(error, words, (), wording, dates=True)
        return plan, self.resolver.date(words, plan, wording)

    def _doer(self, text: str) -> tuple[str, str]:
        """Return noun phrase and verb of «which people earn», if the graph has a number for the verb."""
        match = self.english.match("doer", text)
        if match is None or MENTION.search(text):
            return text, ""
        noun, verb = self.resolver.noun_and_verb(match["rest"])
        if not verb:  # «who earns», or a noun that the graph does not know
            is_who = match["lead"] in ("who", "which one")
            noun, _, verb = ("", "", match["rest"]) if is_who else match["rest"].rpartition(" ")
            if not self.resolver.has_number(verb):
                return text, ""
        return (f"which {noun}" if noun else "who", verb) if verb else (text, "")

    def bounded(self, base: SetPlan | None, text: str) -> SetPlan | None:
        """Return the part of a set that a comparison selects, such as «e0 larger than e1»; None if there is none.

        Args:
            base: The set; what stands before the comparison if None.
            text: The comparison and what stands before it.
        """
        bounds = self._bounds(text)
        match = self.english.match("is_who", bounds.left) if bounds else None
        if bounds is None or match is None:
            return None
        who = match["who"]
        base = base or (self.listed(who) if MENTION.fullmatch(who) else self.set(f"which {who}"))
        return self._bounded(base, bounds, self.english.without("has_words", match["attr"] or ""))

    def _bounds(self, text: str) -> _Bounds | None:
        """Return the comparison in a phrase, reversed for «does not earn more than»; None for none."""
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
            return _Bounds(text[: plain.start()], english.bounds[plain["bound"]], (), "", plain["right"])
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
        words = " ".join(filter(None, (words, re.sub(r"^(?:of|in) ", "", rest)))).strip()
        inside = self.english.match("inside", words)
        if inside and isinstance(base, p.Members):
            base, words = self.set(f"which {base.name} in {inside['where']}"), inside["words"]
        wording = words or self._comparative
        if unknown:
            base, measure = self.resolver.taken_for(unknown, words, bounds.names, wording)
        elif base is None:
            base, measure = self.resolver.measured(words, bounds.names, wording)
        else:
            measure = self.resolver.measure(words, bounds.names, base, wording)
        if measure.is_date(self.place):
            return p.dated(base, measure, bounds.kind, amount.as_date, upper and upper.as_date)
        if amount.date:
            raise CannotPlanError(
                f"{measure.text(self.place)} is not a date, so that it cannot be compared with {amount.date.text}",
                code="operators.not_a_date",
            )
        low = amount.value if upper is None else self._same_scale(bounds.right, amount.value, upper.value)
        return p.compared(base, measure, bounds.kind, low, np.inf if upper is None else upper.value)

    def _bounded_by_entity(self, base: SetPlan, bounds: _Bounds, words: str) -> SetPlan:
        """Read «larger than e1», «more people than e1»."""
        other = self.english.match("that_of", bounds.right)
        than = self.set(other["who"] if other else bounds.right)
        if not isinstance(than, p.Listed | p.Best) and len(than.run(self.place)) > 1:
            than.only(self.place)  # raises the error
        measure = self.resolver.measure(words, bounds.names, base, words or self._comparative)
        value = p.Amount(than, measure).value(self.place)
        low, high = (value, np.inf) if bounds.kind in ("over", "least") else (-np.inf, value)
        return p.Within(base, measure, low, high, includes=bounds.kind in ("least", "most"))

    def _same_scale(self, text: str, low: float, high: float) -> float:
        """Read «between 1 and 2 million» as one million to two million."""
        first = re.split(r" (?:and|to) ", text)[0]
        if any(word in self.english.scales for word in first.split()):
            return low
        scales = self.english.scales.items()
        factor = next((scale for word, scale in scales if re.search(rf"\b{word}\b", text)), 1.0)
        return low if low * factor > high else low * factor

    # Differences, intersections

    def _lacking(self, text: str) -> SetPlan | None:
        english = self.english
        match = english.match("where_not", text)
        if match:
            base = self.set(match["base"])
            positive = f"which {self.noun(base)} where {match['what']} {match['be']} {match['rest']}"
            return p.Without(base, self.set(positive))
        match = english.match("but_not", text)
        if match:  # «border e0 but not e1»: the same phrase about another entity
            return p.Without(self.set(match["base"]), self.set(MENTION.sub(match["other"], match["base"])))
        match = english.match("none", text)
        if match:
            base = self.set(match["base"])
            if MENTION.search(match["what"]):
                return p.Without(base, self.set(f"which {self.noun(base)} have {match['what']}"))
            return p.Within(base, self.resolver.degree(match["what"], base), 0, 0, includes=True)
        match = english.match("not", text)
        if not match:
            return None
        if not MENTION.search(match["base"]) and not english.content(match["base"]):
            return self._all_but(match["rest"])
        return self._without(self.set(match["base"]), match["rest"])

    def _all_but(self, rest: str) -> SetPlan | None:
        """Read «who does not work at e0»: all that have the relation to anything, without those."""
        other = self.set(f"which ones {rest}") if MENTION.search(rest) else None
        if not isinstance(other, p.Along) or len(other.steps) != 1:
            return None
        ((relation, forward),) = other.steps
        return p.Without(p.Having(relation, not forward), other)

    def _without(self, base: SetPlan, rest: str) -> SetPlan | None:
        """Return a set without the entities that the rest of the phrase selects: «do not use e1»."""
        if self.english.match("more_of", rest):
            return None
        if MENTION.search(rest):
            try:
                other = self.set(f"which {self.noun(base)} {rest}")
            except CannotPlanError:
                other = self.set(f"which {self.noun(base)} are {rest}")
            return p.Without(base, other)
        if self.english.match("verb_of_none", rest):
            words = re.sub(r"^\w+ (?:any |an? )?", "", rest)
            return p.Within(base, self.resolver.degree(words, base), 0, 0, includes=True)
        raise CannotPlanError(f"nothing in this graph says what is «not {rest}»", code="operators.unknown_rest")

    def _shared(self, text: str) -> SetPlan | None:
        """Read «which countries border both e0 and e1»: the same phrase about several entities."""
        english = self.english
        match = english.search("coordinated", text)
        if not match:
            return None
        rest = english.without("in_common", f"{text[match.end() :]} ")
        rest = f" {rest}" if rest else ""
        before = re.sub(r"\bdo $", "does ", re.sub(r"\b(?:common|shared|mutual|same) ", "", text[: match.start()]))
        if english.match("all_share", rest) and not english.content(rest.replace("share", "")):
            rest = " have"
        phrases = (f"{before}{match['word'] or ''}e{number}{rest}" for number in MENTION.findall(match["list"]))
        parts = tuple(self.set(phrase) for phrase in phrases)
        both = p.Both(parts)
        either = re.search(r"\bor\b|either", match[0])
        if either or (not english.search("shared_words", text) and not len(both.run(self.place))):
            return p.Either(parts)
        return both

    def _joined(self, text: str) -> SetPlan | None:
        """Read «which countries in e0 use e1»: a phrase about one entity, then one about another."""
        mentions = list(MENTION.finditer(text))
        if len(mentions) < 2:
            return None
        english = self.english
        first, rest = text[: mentions[0].end()], text[mentions[0].end() :].strip()
        joined = english.match("join", rest)
        second = rest[joined.end() :].strip() if joined else rest
        if english.match("bare_copula", first) or not second:
            return None
        if re.search(r" (?:where|in which) e\d+$", first):  # «where e0 is spoken» goes on after the name
            passive, where = english.match("passive", second), english.match("where_clause", second)
            if passive:
                return self._split(f"{first} {passive['verb']}", f"are in {passive['where']}")
            if where:
                return self._split(f"{first} {where['verb']}", where["next"])
        return self._split(first, second)

    def _split(self, first: str, second: str) -> SetPlan:
        base = self.set(first)
        joined = self.english.match("join", second)
        return p.Both(
            (base, self.set(f"which {self.noun(base)} {second[joined.end() :].strip() if joined else second}"))
        )
