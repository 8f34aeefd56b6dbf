"""Questions for the value of a property: «what is the price of X», «when was X born», «is X public»."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import numpy as np

from graphbrick.bricks.retrieve.operators.amounts import HOW, MEANS
from graphbrick.bricks.retrieve.operators.own_dates import BEGINNINGS, EVENTS, PLACES, begins_or_ends
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import (
    Along,
    Amount,
    Attribute,
    Best,
    CannotPlanError,
    Listed,
    Plan,
    SetPlan,
    Through,
)
from graphbrick.bricks.retrieve.operators.properties.codes import code_of
from graphbrick.bricks.retrieve.operators.properties.plans import Holds, TripleValues, Values
from graphbrick.bricks.retrieve.operators.properties.which_number import in_full, told_if_several
from graphbrick.bricks.retrieve.operators.sets import NO_VALUE, no_value
from graphbrick.bricks.retrieve.operators.triples.commonest import all_values, commonest
from graphbrick.bricks.retrieve.operators.triples.verbs import done
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.bricks.retrieve.operators.wordings.units import amounts_first
from graphbrick.core.properties.values import Kind
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import spaced, stem, stems
from graphbrick.patterns.properties.sources import Source, has_columns, sources_of

_SAMPLE, _MOST, _DATES = 20, 1_000, (Kind.DATE, Kind.DATETIME, Kind.INTEGER)  # entities, and triples of each, read
_GENERAL = frozenset(map(stem, "address name level status id code label text".split()))
_TIME = frozenset(map(stem, "date day time year month moment".split()))
_AMOUNT, _IN = Expression(r"(?:least|most) "), Expression(r" (?:in|on|at)$")  # the first stands after «at»
_OTHER_LEAD = Expression(r"(?:is|are|was|were|do|does|did|has|have|had|can|when) ")


class Facts:
    """A reader of questions for the value of a property.

    Args:
        parser: Reads the parts of the question.
    """

    def __init__(self, parser: Parser) -> None:
        self.parser, self.english, self.resolver = parser, parser.english, parser.resolver
        self.place, self.lexicon = parser.place, parser.resolver.lexicon
        self.sources, self.has_properties = sources_of(parser.place.graph), has_columns(parser.place.graph)

    def read(self, text: str) -> Plan | None:
        """Return the plan of a question for a value; None for another question.

        Raises:
            CannotPlanError: It names a property that the entities do not have, or has words that no plan uses.
        """
        rules = (
            partial(commonest, self), partial(all_values, self), partial(code_of, self), self._between, self._since,
            self._when, self._where, self.how_much, self._is, partial(done, self), self._of, self._does, self._beside,
        )  # fmt: skip
        for rule in rules:
            try:
                plan = rule(text)
            except CannotPlanError as error:
                if error.code == NO_VALUE:
                    raise
                continue  # a part of the question is none that this rule reads
            if plan is not None:
                self.parser.check_read(text, plan)
                return plan
        return None

    def said(self, words: Sequence[str], *, kinds: Sequence[Kind] = ()) -> list[Source]:
        """Return the properties that explain all of some stems."""
        are_classes = all(self.lexicon.class_named((word,)) and not self._is_name(word) for word in words)
        if are_classes and (not words or not kinds):
            return []
        sources = [
            source
            for source in self.sources
            if (not kinds or source.kind in kinds or (source.is_date and Kind.DATE in kinds))
            and all(self.english.is_among(word, self.resolver.words_of(source)) for word in words)
        ]
        return sorted(sources, key=lambda source: len(self.resolver.words_of(source) - set(words)))

    def _is_name(self, word: str) -> bool:
        """Return whether a word is the whole name of a property."""
        return any(self.resolver.words_of(source) == {word} for source in self.sources)

    def named(self, phrase: str) -> tuple[list[Source], str]:
        """Return the properties that a noun phrase names, and the part of a date that it asks for."""
        cue = self.english.cues.search(phrase) or phrase in ("number", "count")
        whole = [one for one in self.sources if cue and " " in phrase and set(stems(phrase)) <= set(one.stems)]
        if whole:  # «highest score» of `highest_score`
            return sorted(whole, key=lambda one: len(one.stems)), ""
        if (cue and not self._is_name(stem(phrase))) or re.search(r"\be\d+\b|^(?:in|on|at) ", phrase):
            return [], ""
        sources = self.said(words := self.resolver.words_in(phrase))
        if not sources:  # «email address», «country name»: words that only say what a value is
            sources = self.said([word for word in self.resolver.of_number(words) if word not in _GENERAL])
            for source in sources:
                self.resolver.assume_number(words, source)
        rest = [word for word in words if word not in _TIME]
        dates = self.said(rest, kinds=(Kind.DATE, Kind.DATETIME)) if len(rest) < len(words) else []
        is_year = "year" in words and len(dates) > 0 and not sources
        every = [*sources, *(one for one in dates if one not in sources)]
        return sorted(every, key=lambda one: one.stems != stems(phrase)), "year" if is_year else ""

    def own(self, sources: Sequence[Source], base: SetPlan) -> Source | None:
        """Return the property that most entities of a set have; None if none of them has one of these."""
        entities = base.run(self.place)
        shares = {source: self._share(source, entities) for source in sources}  # the first of equals is the best said
        best = max(shares, key=lambda source: shares[source], default=None)
        return best if best is not None and shares[best] > 0 else None

    def _share(self, source: Source, entities: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
        if not len(entities):
            return 0.0
        return float(np.isin(entities, self.resolver.holding(source).run(self.place)).mean())

    def values(self, sources: Sequence[Source], base: SetPlan, part: str = "") -> Plan | None:
        """Return the plan of the values of the property, of some, that most entities of a set have; else None."""
        return None if (source := self.own(sources, base)) is None else Values(base, source, part)

    def base(self, text: str) -> SetPlan:
        """Return what a text names."""
        parser = self.parser
        return parser.set(text if self.english.match("listed", text) else self.english.as_question(text))

    def _owners(self, text: str, phrase: str) -> SetPlan:
        """Return what a text names, of which a property is asked; an error that ends the question if it is not read."""
        try:
            return self.base(text)
        except CannotPlanError as error:
            raise no_value(text, phrase) from error

    def check(self, text: str) -> None:
        """Raise `CannotPlanError` if a question asks for a property that no rule could read, not for an entity."""
        match = self.english.match("asked_noun", text)
        noun = match["noun"] if match else ""
        is_of_entity = self.lexicon.classes_in(noun) or self.is_relation(noun)
        if match and not is_of_entity and self.said(self.english.content(noun)):
            raise no_value(text[match.end() :].strip(), noun)
        self.parser.check_no_property(text)

    def _missing(self, base: SetPlan, phrase: str) -> CannotPlanError:
        return no_value(base.text(self.place), phrase)

    # The rules

    def _of(self, text: str) -> Plan | None:
        """Read «what is the job title of e0»."""
        match = self.english.match("property_of", text)
        if not match or re.match(r"who (?!is |was |are |were )", text):
            return None
        rest = match["rest"]
        for split in reversed(list(re.finditer(r" (?:of|for|in|at|on|from) ", rest))):  # «date of birth» is one name
            phrase, where = rest[: split.start()], rest[split.end() :]
            is_amount = _AMOUNT.match(where) or self.english.read_amount(where)
            if is_amount or not (MENTION.search(where) or self.english.content(where)):
                continue
            if phrase in ("name", "names") and not MENTION.fullmatch(where):
                return self.base(where)
            sources, part = self.named(phrase)
            is_sum = HOW.get(phrase.split()[0]) == "sum"  # an average is no total
            sources = [one for one in sources if not is_sum or MEANS.isdisjoint(one.stems)]
            if not sources or (sources[0].is_date and text.startswith("who ")):
                continue
            base = self._owners(where, phrase)
            plan = self.values(sources, base, part)
            if plan is None and self.is_relation(phrase):
                return None  # another relation
            if plan is None:
                raise self._missing(base, phrase)
            return plan
        return self._unknown(rest) if match["what"] else None

    def _unknown(self, rest: str) -> Plan | None:
        """Refuse «what is the colour of e0» if no word of the graph is like it."""
        match = self.english.match("noun_of_one", rest)
        words = self.english.content(match["noun"]) if match else []
        if not match or not words or self.is_relation(match["noun"]) or self.english.cues.search(match["noun"]):
            return None
        if any(self.lexicon.class_named((word,)) for word in words):
            return None
        raise self._missing(Listed((self.parser.entity(match["who"]),)), match["noun"])

    def is_relation(self, phrase: str) -> bool:
        """Return whether a word of a phrase speaks of a relation that does not lead to numbers or dates."""
        numeric = {source.relation for source in self.sources}
        words = {*self.english.content(phrase), *stems(phrase)}
        return any(
            self.english.is_among(word, names.words)
            for relation, names in enumerate(self.lexicon.relations)
            if relation not in numeric
            for word in words
        )

    def _does(self, text: str) -> Plan | None:
        """Read «what language is e0 written in», «in which country does e0 work»."""
        match = self.english.match("property_does", text)
        if not match:
            return None
        sources, part = self.named(match["noun"])
        verbs = self.english.content(match["verb"] or "")
        if not sources and verbs and set(stems(match["noun"])) <= _TIME:
            sources, part = self.said(verbs, kinds=(Kind.DATE, Kind.DATETIME, Kind.INTEGER)), ""
            part = "year" if "year" in match["noun"] and any(source.kind != Kind.INTEGER for source in sources) else ""
        if not sources:
            return None
        base = self._owners(match["who"], match["noun"])
        plan = self.values(sources, base, part)
        if plan is None and (
            verbs or self.english.match("preposition_first", text) or _IN.search(match[0]) or match["be"]
        ):
            plan = self._linked_value(sources, base, verbs, part)
        is_class = bool(self.lexicon.classes_in(match["noun"]))  # «territories», beside a property TerritoryId
        if plan is None and not is_class and not self.is_relation(f"{match['noun']} {match['verb'] or ''}"):
            raise self._missing(base, match["noun"])
        return plan

    def _linked_value(self, sources: Sequence[Source], base: SetPlan, verbs: Sequence[str], part: str) -> Plan | None:
        """Return the value that neighbours have, over the relation that a verb names, or over the only one."""
        graph, entities = self.place.graph, base.run(self.place)
        owners = {source: frozenset(self.resolver.holding(source).run(self.place).tolist()) for source in sources}
        steps: dict[tuple[int, bool], Source] = {}
        for start in entities[:_SAMPLE].tolist():
            for triple in self._triples(start):
                head, relation, tail = graph.triple(triple)
                end = tail if head == start else head
                for source in sources:
                    if end in owners[source]:
                        steps[relation, head == start] = source
        names = self.lexicon.relations
        spoken = [step for step in steps if any(self.english.is_among(word, names[step[0]].words) for word in verbs)]
        chosen = spoken if len(spoken) == 1 else list(steps) if len(steps) == 1 and not verbs else []
        if not chosen or not len(entities):
            return None
        along = Along(int(entities[0]), (chosen[0],))
        return Values(along if len(entities) == 1 else Through(base, along), steps[chosen[0]], part)

    def _where(self, text: str) -> Plan | None:
        """Read «where is e0 from», unless a relation has the verb."""
        match = self.english.match("where", text)
        if not match or self.is_relation(match["verb"] or "") or self.lexicon.classes_in(match["verb"] or ""):
            return None
        base = Listed((self.parser.entity(match["who"]),))
        return next(filter(None, (self.values(self.said([word]), base) for word in PLACES)), None)

    def _beside(self, text: str) -> Plan | None:
        """Read «e0 email»."""
        match = self.english.match("noun_beside", text)
        sources, part = self.named(match["noun"]) if match else ([], "")
        if not match or not sources:
            return None
        base = Listed((self.parser.entity(match["who"]),))
        plan = self.values(sources, base, part)
        if plan is None and not self.is_relation(match["noun"]):
            raise self._missing(base, match["noun"])
        return plan

    def _when(self, text: str) -> Plan | None:
        """Read «when was e0 hired», «when did e0 happen»."""
        if not (match := self.english.match("when", text)):
            return None
        is_noun = not match["verb"] and not MENTION.fullmatch(match["who"])  # «when is the birthday of e0»
        if is_noun and (of_noun := self._of(f"what is the {match['who']}")) is not None:
            return of_noun
        base = self._owners(match["who"], "time")
        verbs = self.english.without_objects(self.english.content(match["verb"] or ""))
        said = self.said(verbs, kinds=_DATES) or self.said(verbs[1:], kinds=_DATES)
        sources = [source for source in said if source.is_date]
        plan = None if match["other"] else self.values(in_full(sources, text), base)  # «join e1» is of both
        if isinstance(plan, Values):
            return told_if_several(self.resolver, plan, sources, text)
        own = [source for source in self.sources if source.is_date and self.own([source], base)]
        begun = begins_or_ends(set(verbs), own)
        plain = begun or [source for source in own if source.words <= _TIME]
        if len(plain) == 1 and not match["other"] and (begun or not verbs or set(verbs) & EVENTS):
            return self.resolver.told_if_pair(Values(base, plain[0]), plain[0])
        if not verbs and len(own) == 1:
            return Values(base, own[0])
        if any(any(map(str.isdigit, self.place.graph.label(end))) for end in self._ends(base, verbs)):
            return None  # a year or date that is an entity
        raise self._missing(base, f"known time for {match['verb']!r}" if match["verb"] else "known time")

    def _ends(self, base: SetPlan, verbs: Sequence[str]) -> list[int]:
        """Return some entities that relations with one of some verbs join to a set; of all relations without verbs."""
        graph, names = self.place.graph, self.lexicon.relations
        return [
            end
            for entity in base.run(self.place)[:_SAMPLE].tolist()
            for triple in self._triples(entity)
            for head, relation, tail in [graph.triple(triple)]
            for end in {head, tail} - {entity}
            if not verbs or any(self.english.is_among(word, names[relation].words) for word in verbs)
        ]

    def how_much(self, text: str) -> Plan | None:
        """Read «how much does e0 cost», «how many minutes did e0 last», «how long was e0»."""
        match = self.english.match("how_much", self.english.without("whole_time", text))
        if not match:
            return None
        base, how, verbs = self.base(match["who"]), match["how"], self.english.content(match["verb"] or "")
        numbers = [source for source in self.sources if source.literal is not None and not source.is_date]
        nouns = self.english.content(match["noun"] or "")
        adjective = self.english.comparatives.get(f"more {how}")
        ways = [self.resolver.without_gaining([*nouns, *verbs]), nouns, verbs] if how in ("much", "many", None) else []
        ways = [[stem("cost")]] if how == "much" and not nouns and not verbs else ways
        ways += [self.english.content(name) for name in adjective.names] if adjective else []
        for words in filter(None, ways):
            source = self.own(amounts_first([one for one in self.said(words) if one in numbers]), base)
            if source is not None:
                is_several = len(base.run(self.place)) > 1 and not isinstance(base, Listed)
                if is_several and how not in ("much", "many", None) and not isinstance(base, Best):
                    return Values(base, source, "each")  # «how old are the winners»
                return Amount(base, Attribute(source)) if is_several else Values(base, source)
        if how == "much" and not self.is_relation(f"{match['noun'] or ''} {match['verb'] or ''}"):
            raise self._missing(base, match["verb"] or "amount")
        return None

    def _is(self, text: str) -> Plan | None:
        """Read «is e0 public», «does e0 work remotely», «is the language of e0 go»."""
        match = self.english.match("is_property", text)
        if not match or self.english.match("compared", text):
            return None
        base = self.base(match["who"])
        told = f"{match['noun']} {match['rest']}".strip()
        terms = self.parser.conditions.terms(told)
        if len(terms) != 1 or MENTION.search(told):
            return None
        (term,) = terms
        sources = term.sources
        if match["noun"]:
            sources = tuple(source for source in sources if source in self.said(self.english.content(match["noun"])))
        rest = f"{told[: term.start]} {told[term.end :]}"
        is_not = bool(re.search(r"\b(?:not|never)\b", rest))
        if not sources or self.own(sources, base) is None:
            raise self._missing(base, sources[0].name if sources else match["noun"])
        return Holds(base, sources, term.value, is_not)

    # Properties of triples

    def _between(self, text: str) -> Plan | None:
        """Read «what role did e0 play in e1»: a property of the triples that join two entities."""
        mentions, graph = MENTION.findall(text), self.place.graph
        if len(mentions) != 2 or _OTHER_LEAD.match(text) or self.english.cues.search(re.sub(r"^how much ", "", text)):
            return None
        joined = self.joining(*(self.parser.entities[int(number)] for number in mentions))
        said = self.english.content(text)
        own = {name: stems(spaced(name)) for triple in joined for name in graph.triple_properties(triple)}
        fits = {name: sum(self.english.is_among(word, set(own[name])) for word in said) for name in own}
        best = [name for name in fits if 0 < fits[name] == max(fits.values())]  # «input cost» is no `cost_output`
        return TripleValues(tuple(joined), best[0]) if len(best) == 1 else None

    def joining(self, one: int, other: int) -> list[int]:
        """Return the triples between two entities."""
        one, other = sorted((one, other), key=self.place.graph.degree)
        return [triple for triple in self._triples(one) if other in self.place.graph.triple(triple)[::2]]

    def _triples(self, entity: int) -> list[int]:
        """Return the triples of an entity, at most a thousand each way."""
        graph = self.place.graph
        return [*list(graph.triples_from(entity))[:_MOST], *graph.triples_to(entity)[:_MOST]]

    def _since(self, text: str) -> Plan | None:
        """Read «since when is e0 a member of e1», «when did e0 join e1»."""
        graph = self.place.graph
        match = self.english.match("since_when", text)
        names = {column.name for column in graph.columns if column.of_triples}
        names |= {name for properties in graph.changes.added_properties for name in properties}
        if not match or not names or self.english.search("time_order", text):
            return None
        one, mentions = self.parser.entity(match["who"]), MENTION.findall(match["rest"])
        other = self.parser.entities[int(mentions[0])] if mentions else None
        of_class = next(iter(self.lexicon.classes_in(match["rest"])), "")
        words = {*self.english.content(match["rest"]), *stems(MENTION.sub("", match["rest"]))}
        triples = []
        for triple in self._triples(one):
            head, relation, tail = graph.triple(triple)
            end = tail if head == one else head
            is_spoken = any(self.english.is_among(word, self.lexicon.relations[relation].words) for word in words)
            is_of = end == other if other is not None else of_class in graph.types(end) if of_class else is_spoken
            if is_of and graph.triple_properties(triple):
                triples.append((is_spoken, triple))
        chosen = [triple for spoken, triple in triples if spoken] or [triple for _, triple in triples]
        own = {name for triple in chosen for name in graph.triple_properties(triple)}
        begins = [name for name in own if set(stems(spaced(name))) & BEGINNINGS]
        name = next(iter(sorted(begins) or sorted(own)), None) if begins or len(own) == 1 else None
        if name is not None:
            return TripleValues(tuple(chosen), name)
        if match["lead"] in ("when", "how long"):
            return None
        raise self._missing(Listed((one,)), "time since when this holds")
