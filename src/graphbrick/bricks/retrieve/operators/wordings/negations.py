"""Phrases that say what does not hold, read by rules: «neither ... nor», «but not e1», «without an airport»."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, SetPlan, UnreadWordError
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.language.expressions.expression import Expression
from graphbrick.patterns.properties.sources import has_columns

if TYPE_CHECKING:
    from graphbrick.bricks.retrieve.operators.parse import Parser

_NO_OBJECT = Expression(
    r"(?P<left>.+?)(?: (?:that|which|who))? "
    r"(?P<verb>(?:(?:is|are|was|were) )?(?!(?:have|has|with|are|is|do|does)\b)[a-z]+"
    r"(?: (?:for|in|on|at|by|to|from|with))?) no (?P<rest>(?!(?:longer|one|more|less|fewer|later|earlier)\b)[a-z].*)"
)
_OBJECT_OF = Expression(
    r"(?P<base>(?:which |what )?[a-z].*?) (?:where|that|which) (?P<who>(?:the )?e\d+)(?: (?P<do>does|do|did))?"
)
ONLY = Expression(r"(?<!\bthe )(?<!\bnot )\bonly (?:[a-z]+ ){0,3}(?:the )?e\d+\b")
"""«Only» before an entity, but not «the only»."""
_UNKNOWN_REST = "operators.unknown_rest"


class Negations:
    """A reader of the phrases of one question.

    Args:
        parser: Reads their parts.
    """

    def __init__(self, parser: Parser) -> None:
        self.parser, self.english, self.resolver = parser, parser.english, parser.resolver
        self.place = parser.place

    def neither(self, text: str) -> SetPlan | None:
        """Read «that neither border e0 nor use e1», «won neither e0 nor e1»: a set without two others."""
        match, english = self.english.match("neither", text), self.english
        if not match:
            return None
        base, one, (other, _, further) = match["base"], match["one"], match["other"].partition(", ")
        verb = ""
        if english.match("same_verb", one):
            noun, verb = self.resolver.noun_and_verb(self.english.lead.sub("", base, count=1).strip())
            base, verb = f"which {noun}", f"{verb} "
        whole = self.parser.set(base)
        if further:  # «neither from the USA nor from Germany, in London»
            whole = p.Both((whole, self.parser.joins.further(whole, further)))
        start = f"which {self.parser.joins.noun(whole)} {verb}"
        mention = MENTION.search(one)
        about = start + (one[: mention.end()] if mention else one)
        first = self._of_any(about, one) if verb else self.parser.set(start + one)
        second = self._of_any(about, other) if english.match("same_verb", other) else self.parser.set(start + other)
        return p.Without(whole, p.Either((first, second)))

    def lacking(self, text: str) -> SetPlan | None:
        """Read «where e0 is not spoken», «border e0 but not e1», «with no airports».

        Raises:
            CannotPlanError: The graph does not have what the phrase speaks of.
        """
        english = self.english
        match = english.match("where_not", text)
        if match:
            base = self.parser.set(match["base"])
            positive = f"which {self.parser.joins.noun(base)} where {match['what']} {match['be']} {match['rest']}"
            return p.Without(base, self.parser.set(positive))
        match = english.match("but_not", text)
        if match:  # «border e0 but not e1»: the same phrase about another entity
            return p.Without(self.parser.set(match["base"]), self._of_any(match["base"], match["other"]))
        match = english.match("none", text)
        if match:
            base = self.parser.set(match["base"])
            if MENTION.search(match["what"]):
                return p.Without(base, self.parser.set(f"which {self.parser.joins.noun(base)} have {match['what']}"))
            return self._with_none(base, match["what"])
        return None

    def _with_none(self, base: SetPlan, words: str) -> SetPlan:
        """Return the part of a set of which nothing can be counted as some words say.

        Raises:
            UnreadWordError: The set was selected by the relation that it is not to have: «that e0 has no support for».
        """
        degree = self.resolver.degree(words, base)
        plan = p.Within(base, degree, 0, 0, includes=True)
        labels = {self.place.graph.relation_label(relation) for relation, _ in degree.steps}
        if any(f" {label} " in base.text(self.place) for label in labels) and not len(plan.run(self.place)):
            raise UnreadWordError(words)
        return plan

    def only_one(self, text: str) -> SetPlan | None:
        """Read «parts only supplied by e0»: those that the relation joins to nothing else.

        Raises:
            UnreadWordError: It is said of more than one relation.
        """
        if not ONLY.search(text) or len(MENTION.findall(text)) != 1:
            return None
        plan = self.parser.set(re.sub(r"\bonly ", "", text))
        if not isinstance(plan, p.Along) or len(plan.steps) != 1:
            raise UnreadWordError("only")
        ((relation, forward),) = plan.steps
        return p.Within(plan, p.Degree(((relation, not forward),)), 1, 1, includes=True)

    def no_object(self, text: str) -> SetPlan | None:
        """Read «work for no airline», «had no faults»: a set without the entities that do it to something."""
        match = _NO_OBJECT.fullmatch(text)
        if match is None or MENTION.search(match["rest"]):
            return None
        left, positive = match["left"], f"{match['verb']} {match['rest']}"
        if left == "who":
            return self.parser.rules.lacking("who", positive)
        return p.Without(self.parser.set(left), self.parser.set(f"{left} {positive}"))

    def dated(self, text: str) -> SetPlan | None:
        """Read «were not hired in 2004»: a set without what the rest selects, for a rest with a time or number."""
        match = self.english.match("not_dated", text)
        base = match["base"] if match else ""
        if match is None or MENTION.search(text) or not self.english.content(base):
            return None
        if self.parser.conditions.terms(match["rest"]) and has_columns(self.place.graph):
            return None
        whole = self.parser.set(self.english.as_question(base))
        return p.Without(
            whole, self.parser.set(f"which {self.parser.joins.noun(whole)} {match['be'] or ''}{match['rest']}")
        )

    def negated(self, text: str) -> SetPlan | None:
        """Read «do not use e1»: a set without the entities that the rest of the phrase selects."""
        match = self.english.match("not", text)
        if not match:
            return None
        rest = match["rest"]
        if rest == "have":  # by a relation that nothing names
            raise UnreadWordError(rest)
        if not MENTION.search(match["base"]) and not self.english.content(match["base"]):
            # «who does not work at e0»: all that have the relation to anything, without those
            other = self.parser.set(f"which ones {rest}") if MENTION.search(rest) else None
            if not isinstance(other, p.Along) or len(other.steps) != 1:
                is_who = other is not None and match["base"] == "who"
                return self.parser.rules.lacking("who", rest) if is_who else None
            ((relation, forward),) = other.steps
            return p.Without(p.Having(relation, not forward), other)
        if re.match(r"where (?:in|on|at|within|inside) ", match["base"]):
            return None  # «where in e0», not where e0 is
        object_of = _OBJECT_OF.fullmatch(match["base"])
        if object_of is not None and not MENTION.search(rest):  # «stops of e0 where e1 does not stop»
            whole = self.parser.set(object_of["base"])
            done = f"which {self.parser.joins.noun(whole)} {object_of['do'] or 'does'} {object_of['who']} {rest}"
            return p.Without(whole, self.parser.set(done))
        base = self.parser.set(match["base"])
        if self.english.match("more_of", rest):
            return None
        if MENTION.search(match["base"]):  # «managed e0 but never played for them»
            rest = self.english.patterns["pronoun"][0].sub(f"e{MENTION.findall(match['base'])[-1]}", rest)
        bare = MENTION.fullmatch(rest)
        if bare and self.parser.entity(rest) not in base.run(self.place):  # «are not Brazilian»
            other = self.parser.conditions.linked(p.Listed((self.parser.entity(rest),)), base.run(self.place), set())
            if other is None:
                raise CannotPlanError(f"nothing in this graph says what is «not {rest}»", code=_UNKNOWN_REST)
            return p.Without(base, other)
        same = self.english.match("same_subject", match["base"])
        if same and not MENTION.search(rest):  # «did e0 manage but not play for»
            return p.Without(base, self.parser.set(f"{same['subject']} {rest}"))
        if MENTION.search(rest):
            try:
                other = self.parser.set(f"which {self.parser.joins.noun(base)} {rest}")
            except CannotPlanError:
                other = self.parser.set(f"which {self.parser.joins.noun(base)} are {rest}")
            return p.Without(base, self.parser.rules.of_all_named(other))
        words = re.sub(r"^\w+ (?:any |an? )?", "", rest) if self.english.match("verb_of_none", rest) else rest
        try:
            return self._with_none(base, words)
        except CannotPlanError:
            if words != rest:
                raise
        raise CannotPlanError(f"nothing in this graph says what is «not {rest}»", code=_UNKNOWN_REST)

    def _of_any(self, phrase: str, listed: str) -> SetPlan:
        """Return what a phrase about one entity selects if it is about any of some others."""
        if not MENTION.search(phrase) or not MENTION.search(listed):
            raise CannotPlanError(f"«{phrase}» and «{listed}» name nothing", code=_UNKNOWN_REST)
        last = list(MENTION.finditer(phrase))[-1]
        before, after = phrase[: last.start()], phrase[last.end() :]
        parts = tuple(self.parser.set(f"{before}e{number}{after}") for number in MENTION.findall(listed))
        return parts[0] if len(parts) == 1 else p.Either(parts)
