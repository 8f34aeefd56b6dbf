"""Questions to be answered with yes or no, read by rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, UnknownNounError, ValuePlan
from graphbrick.bricks.retrieve.operators.whole.values import Numbers
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.stems import stems
from graphbrick.patterns.lexicon import label_stems

_OF_ALL = Expression(r"(?:average|mean|total|combined|overall|sum of)\b")
_KINDS = ("over", "under", "least", "most")


class Truth:
    """A reader of one question.

    Args:
        parser: Reads its parts.
    """

    def __init__(self, parser: Parser) -> None:
        self.parser, self.place, self.english = parser, parser.place, parser.english

    def read(self, text: str) -> ValuePlan:
        """Return the plan of a question.

        Raises:
            CannotPlanError: No rule reads it, or the graph does not have what it speaks of.
        """
        rules = (
            self._there, self._any, self._all, self._pair, self._more, self._is_best, self._took_part, self._has,
            self._among,
        )  # fmt: skip
        for rule in rules:
            plan = rule(text)
            if plan is not None:
                return plan
        raise CannotPlanError("I do not understand this question for yes or no", code="operators.not_yes_or_no")

    def _class_of(self, *entities: int) -> str:
        return self.parser.resolver.lexicon.classes_of(np.array(entities)).lower() or "ones"

    def _there(self, text: str) -> ValuePlan | None:
        more = self.english.match("is_there_more", text)
        if more:
            verb = f"are {more['how']}" if more["how"] in ("in", "on") else more["how"]
            one, other = (p.Count(self.parser.set(f"which {more['what']} {verb} {more[n]}")) for n in ("one", "other"))
            return p.IsMore(one, other) if more["more"] == "more" else p.IsMore(other, one)
        match = self.english.match("is_there", text)
        return p.IsAny(self.parser.set(f"which {match['base']}")) if match else None

    def _any(self, text: str) -> ValuePlan | None:
        """Read «has anyone from e0 won e1», «does any flight of e0 arrive at e1», «does anything depend on e0»."""
        match = self.english.match("is_any", text)
        if not match or not MENTION.search(match["rest"]):
            return None
        of = "is " if self.english.match("preposition", match["rest"]) else ""
        subject = "who" if match["who"] else f"which {match['noun'] or 'things'}"
        return p.IsAny(self.parser.set(f"{subject} {of}{match['rest']}"))

    def _all(self, text: str) -> ValuePlan | None:
        """Read «are all neighbours of e0 in e1»."""
        match = self.english.match("is_all", text)
        if not match:
            return None
        base = self.parser.set(f"which {match['base']}")
        be = "are " if self.english.match("needs_are", match["rest"]) else ""
        return p.IsAmong(base, self.parser.set(f"which {self.parser.joins.noun(base)} {be}{match['rest']}"))

    def _pair(self, text: str) -> ValuePlan | None:
        """Read «do e0 and e1 share a border», «do e0 and e1 use the same currency»."""
        match = self.english.match("is_pair", text)
        if not match:
            return None
        one, other, rest = self.parser.entity(match["one"]), self.parser.entity(match["other"]), match["rest"]
        if MENTION.search(rest):  # are both e0 and e1 in e2
            be = "are " if text.startswith(("are", "is")) else ""
            return p.IsAmong(p.Listed((one, other)), self.parser.set(f"which {self._class_of(one, other)} {be}{rest}"))
        shares = self.english.match("pair_shares", rest)
        if shares is None:
            raise CannotPlanError(f"no rule reads «{rest}» of two entities", code="operators.unread_pair")
        what = shares["what"].strip() or shares["verb"] or ""
        what = "borders" if self.english.match("meeting", what) else what
        ends = self._ends_of_pair(what, shares["verb"] or "", match["one"], match["other"])
        near = ends[0].run(self.place)
        # «share a border»: each is an end of the other; «share a language»: both have the same end.
        is_mutual = shares["how"] != "same" and self._class_of(*near.tolist()) == self._class_of(one)
        if is_mutual and not self.english.search("of_both", rest):
            return p.IsAmong(p.Listed((other,)), ends[0])
        return p.IsAny(p.Both(tuple(ends)))

    def _ends_of_pair(self, what: str, verb: str, *pair: str) -> list[p.SetPlan]:
        """Return the set of each of two entities, such as «which club does e0 play for»."""
        if verb.strip() and verb != what:
            with suppress(CannotPlanError):  # the verb may say no more than that there is something
                return [self.parser.set(f"which {what} does {one} {verb}") for one in pair]
        return [self.parser.set(f"which {what} does {one} have") for one in pair]

    def _more(self, text: str) -> ValuePlan | None:
        """Read «is e0 larger than e1», «does e0 have more people than e1» and the like."""
        match = self.english.match("is_attribute", text)
        if match:
            is_bound = match["more"] in self.english.bounds
            more = match["more"] if is_bound or match["more"] == "between" else f"{match['more']} than"
            who = match["who"]
            if _OF_ALL.match(match["attr"]):
                return self._of_all(f"what is the {match['attr']} of {who}", f"e0 {more} {match['right']}")
            base = self.parser.listed(who) if MENTION.fullmatch(who) else self.parser.set(f"which {who}")
            phrase = f"e0 {match['attr']} {'more than' if more.endswith(_UP) else more} {match['right']}"
            phrase = phrase.replace(" lower than ", " less than ").replace(" smaller than ", " less than ")
            among = self.parser.comparisons.bounded(base, phrase)
            return None if among is None else p.IsAmong(base, among)
        phrase = self.english.without("auxiliary", text)
        among = self.parser.comparisons.bounded(None, phrase)
        return p.IsAmong(among.base, among) if isinstance(among, p.Within) else None

    def _of_all(self, value: str, comparison: str) -> ValuePlan | None:
        """Read «is the average age of nurses higher than 40»."""
        amount, bounds = Numbers(self.parser).read(value), self.parser.comparisons.stated_bounds(comparison)
        number = self.english.read_amount(bounds.right) if bounds else None
        if (
            not isinstance(amount, ValuePlan)
            or bounds is None
            or number is None
            or number.date
            or self.english.content(number.rest)
        ):
            return None
        return p.Compares(amount, bounds.kind, number.value) if bounds.kind in _KINDS else None

    def _is_best(self, text: str) -> ValuePlan | None:
        """Read «is e0 the largest city in e1», «does e0 have the most neighbours in e1»."""
        superlative, match = self.parser.superlatives.best, self.english.match("is_best", text)
        if match:
            best = superlative(f"which is the {match['best']}") or superlative(f"which {match['best']}")
            return None if best is None else p.IsAmong(self.parser.listed(match["who"]), best)
        match = self.english.match("has_best", text)
        if not match:
            return None
        base = match["base"]
        if MENTION.fullmatch(base):
            base = f"{self._class_of(self.parser.entity(match['who']))} in {base}"
        best = superlative(f"which {base} has the {match['best']} {match['attr']}")
        return None if best is None else p.IsAmong(self.parser.listed(match["who"]), best)

    def _has(self, text: str) -> ValuePlan | None:
        """Read «does e0 have an airport»."""
        at_hand = self.parser.phrasings.is_at_hand(text)
        if at_hand is not None:
            return at_hand
        match = self.english.match("has_any", text)
        return p.IsAny(self.parser.set(f"which {match['what']} does {match['who']} have")) if match else None

    def _took_part(self, text: str) -> ValuePlan | None:
        """Read «has e0 ever won an award»."""
        part = self.parser.rules.took_part(text)
        if part is None:
            return None
        plan = p.IsAmong(p.Listed((part[0],)), part[1])
        return p.Not(plan) if self.english.search("negation", text) else plan

    def _among(self, text: str) -> ValuePlan | None:
        """Read «is e0 the capital of e1», «does e0 border e1»: is one in a set that the rest gives."""
        if len(MENTION.findall(text)) < 2:
            words, known = self.english.content(MENTION.sub(" ", text)), self.parser.resolver.lexicon.words
            unknown = [word for word in words if word not in known and word not in self.english.all_words]
            if unknown:
                raise UnknownNounError(unknown)
            raise CannotPlanError(
                "a question for yes or no needs two entities, or a number to compare with", code="operators.one_entity"
            )
        passive = self.english.match("passive_by", text)
        if passive and not self._is_label(f"{passive['verb']} by"):  # «is e0 owned by e1»: does e1 own e0
            text = f"does {passive['who']} {passive['verb']} {passive['whom']}"
        rest = self.english.without("auxiliary", text)
        negated = bool(self.english.search("negation", rest))
        direct = self._direct(rest)
        if direct is not None:
            direct = self._turned(rest, direct)
            return p.Not(direct) if negated else direct
        reason = CannotPlanError("I do not understand this question for yes or no")
        is_state = text.startswith(("is", "are", "was", "were"))
        for entity, phrase in self._readings(self.english.patterns["emphasis"][0].sub("", rest), is_state=is_state):
            try:
                plan = self._turned(rest, p.IsAmong(p.Listed((entity,)), self.parser.set(phrase)))
            except CannotPlanError as error:
                reason = error
                continue
            return p.Not(plan) if negated else plan
        raise reason

    def _turned(self, rest: str, plan: p.IsAmong) -> p.IsAmong:
        """Return the plan with its relation in the direction of the sentence, as in «does e0 own e1».

        The subject is the head of relations such as `owns` and `part of`, and the tail of `owned by`, unless the
        sentence is passive. Relations that hold both ways, such as `borders`, stay as they are.
        """
        of_noun = _NOUN_OF.fullmatch(rest)
        if of_noun is not None:
            return self._by_noun_of(of_noun, plan)
        match, base = self.english.match("subject_object", rest), plan.base
        if match is None or not isinstance(base, p.Along) or len(base.steps) != 1:
            return plan
        ((relation, forward),) = base.steps
        label = label_stems(self.place.graph.relation_label(relation))
        said = stems(match["verb"])
        shared = set(self.english.content(match["verb"])) & set(label) or set(said) & set(label) - {"by"}
        if not shared or any(word in self.english.symmetric for word in label):
            return plan
        is_head = ("by" in label) == ("by" in said)
        subject, other = (self.parser.entity(match[name]) for name in ("one", "other"))
        if base.start in (subject, other) and (base.start == subject) == (forward == is_head):
            return plan
        return p.IsAmong(p.Listed((other,)), p.Along(subject, ((relation, is_head),)))

    def _by_noun_of(self, said: re.Match[str], plan: p.IsAmong) -> p.IsAmong:
        """Return the plan of «is e0 a part of e1» with its relation in the direction in which the noun names an end."""
        name, place = stems(said["noun"]), self.place
        entity = self.parser.entity(said["other"])
        for number, names in enumerate(self.parser.resolver.lexicon.relations):
            is_tail, is_head = name in names.tail, name in names.head
            if is_tail != is_head and place.graph.relation_label(number) in plan.text(place):
                base = p.Along(entity, ((number, is_tail),))
                return p.IsAmong(p.Listed((self.parser.entity(said["one"]),)), base)
        return plan

    def _is_label(self, words: str) -> bool:
        """Return whether the label of a relation has words in this order, such as «owned by»."""
        graph, wanted = self.place.graph, " ".join(stems(words))
        labels = (" ".join(label_stems(graph.relation_label(number))) for number in range(graph.n_relations))
        return any(re.search(rf"\b{re.escape(wanted)}\b", label) for label in labels)

    def _direct(self, rest: str) -> p.IsAmong | None:
        """Read «is e0 in e1», about an entity without a class, by a relation with this preposition."""
        words = set(stems(MENTION.sub(" ", rest)))
        one, other = (self.parser.entity(mention[0]) for mention in list(MENTION.finditer(rest))[:2])
        if self.english.content(" ".join(words)) or self._class_of(one) != "ones":
            return None
        csr, graph = self.place.graph.csr, self.place.graph
        own = np.unique(csr.relation[csr.row(one, True)]).tolist()
        says = [relation for relation in own if words & set(label_stems(graph.relation_label(relation)))]
        says += [number for number, names in enumerate(self.parser.resolver.lexicon.relations) if words & names.words]
        if says:
            return p.IsAmong(p.Listed((other,)), p.Along(one, ((says[0], True),)))
        preposition = MENTION.sub("", rest).strip()
        raise CannotPlanError(
            f"no relation of {graph.label(one)} says {preposition!r}", code="operators.no_preposition", word=preposition
        )

    def _readings(self, rest: str, *, is_state: bool) -> Iterator[tuple[int, str]]:
        """Yield ways to read a question: an entity, and a phrase for the set that it may be in."""
        english, parser = self.english, self.parser
        starts, ends = english.match("subject_first", rest), english.match("subject_last", rest)
        if starts:
            entity, predicate = (
                parser.entity(starts["who"]),
                english.patterns["article"][0].sub("the ", starts["rest"], 1),
            )
            yield entity, f"which {self._class_of(entity)} {'is ' if is_state else ''}{predicate}"
            if english.match("active", starts["rest"]):
                last = list(MENTION.finditer(rest))[-1][0]
                verb = english.without("filler", re.sub(rf"\b{last}\b", "", starts["rest"]))
                other = parser.entity(last)
                yield other, f"which {self._class_of(other)} does {starts['who']} {re.sub(' +', ' ', verb)}"
            return
        if ends:
            yield parser.entity(ends["who"]), f"what is {ends['rest']}"
        for mention in MENTION.finditer(rest):
            entity = parser.entity(mention[0])
            without = re.sub(rf"\b{mention[0]}\b ?", "", rest)
            yield entity, f"which {self._class_of(entity)} {without}"


_NOUN_OF = Expression(
    r"(?P<one>e\d+) (?:not )?(?:an? |the |one of the )?(?P<noun>[a-z -]+?) of (?:the )?(?P<other>e\d+)"
)
_UP = ("larger than", "bigger than", "greater than", "higher than", "more than")
