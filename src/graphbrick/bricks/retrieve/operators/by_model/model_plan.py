"""Plans that a language model writes for questions whose operator the rules recognize but cannot plan.

Steps and the references to earlier ones, «#1», are those of question decompositions: Wolfson et al., Break It Down,
TACL 2020. The model sees the words of the graph, not its facts; it never answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from graphbrick.bricks.retrieve.operators import plan as p
from graphbrick.bricks.retrieve.operators.by_model.model_request import MOST_STEPS, OPERATORS, request
from graphbrick.bricks.retrieve.operators.dates import of_year
from graphbrick.bricks.retrieve.operators.parse import Parser
from graphbrick.bricks.retrieve.operators.plan import CannotPlanError, Plan, SetPlan
from graphbrick.bricks.retrieve.operators.question import tidy
from graphbrick.bricks.retrieve.operators.wording import MENTION
from graphbrick.language.expressions.expression import Expression
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.replies.replies import read_object, shown

_LONGEST = 300  # characters of a sub-question
_HIGHEST = 1e300  # numbers above it, and NaN, are refused
_RESULT = Expression(r"#(\d{1,2})\b")
_KINDS = {"more_than": "over", "less_than": "under", "at_least": "least", "at_most": "most", "between": "between"}


def plan_by_model(llm: ChatModel, parser: Parser, question: str) -> Plan:
    """Return the plan that a model writes for a question.

    Args:
        llm: The model.
        parser: Reads the sub-questions, with the entities of the question.
        question: The question with placeholders for its entities.

    Raises:
        CannotPlanError: The model says that there is no plan, or its reply is not one that the graph explains.
    """
    return _Reader(parser).read(llm.ask_all([request(llm, parser, question)])[0].text)


class _Reader:
    """A builder of the plan of one reply; it raises `CannotPlanError` for anything that it cannot read."""

    def __init__(self, parser: Parser) -> None:
        self._parser, self._n_entities = parser, len(parser.entities)
        self._results: list[Plan] = []
        self._used_entities, self._used_results = set[int](), set[int]()

    def read(self, reply: str) -> Plan:
        """Return the plan of a reply: the last of its steps."""
        value = read_object(reply)
        steps = None if value is None else value["steps"] if set(value) == {"steps"} else [value]
        if not isinstance(steps, list) or not 0 < len(steps) <= MOST_STEPS:
            raise CannotPlanError(
                f"no plan could be read out of the reply {shown(reply)}", code="model_plan.unread_reply"
            )
        for step in steps:
            self._results.append(self._step(step))
        unused = set(range(1, len(steps))) - self._used_results
        if unused:
            raise CannotPlanError(
                f"its plan does not use its step #{min(unused)}: {shown(reply)}",
                code="model_plan.unused_step",
                step=min(unused),
            )
        left_out = [f"e{i}" for i in range(self._n_entities) if i not in self._used_entities]
        if left_out:
            raise CannotPlanError(
                f"its plan leaves out {', '.join(left_out)}", code="model_plan.left_out", names=tuple(left_out)
            )
        return self._results[-1]

    def _step(self, step: object) -> Plan:
        if not isinstance(step, Mapping):
            raise CannotPlanError(
                f"its plan has a step that is not a JSON object: {shown(str(step))}", code="model_plan.bad_step"
            )
        name = str(step.get("operator"))
        if name == "cannot":
            raise CannotPlanError("it finds no plan in the words of this graph", code="model_plan.no_plan")
        if name not in OPERATORS:
            raise CannotPlanError(
                f"its plan has the operator {name[:80]!r}; there are {', '.join(OPERATORS)}",
                code="model_plan.bad_operator",
                operator=name,
            )
        takes, unknown = OPERATORS[name], set(step) - {"operator", "sets", "attribute", "numbers"}
        sets, attribute, numbers = step.get("sets"), step.get("attribute", ""), step.get("numbers", [])
        if (
            unknown or not isinstance(sets, list) or not isinstance(attribute, str) or not isinstance(numbers, list)
            or not all(isinstance(phrase, str) and len(phrase) <= _LONGEST for phrase in sets)
            or not all(map(_is_number, numbers)) or bool(attribute.strip()) != takes.attribute
            or not takes.sets[0] <= len(sets) <= takes.sets[1]
            or not takes.numbers[0] <= len(numbers) <= takes.numbers[1]
        ):  # fmt: skip
            raise CannotPlanError(
                f"its plan has a step with what {name} does not take: {shown(str(dict(step)))}",
                code="model_plan.bad_input",
                operator=name,
            )
        return self._built(name, [self._set(phrase) for phrase in sets], attribute, numbers)

    def _built(self, name: str, sets: list[SetPlan], attribute: str, numbers: list[float]) -> Plan:
        base, place = sets[0], self._parser.place
        if name == "count":
            return p.Count(base)
        if name == "yes_no":
            return p.IsAny(base) if len(sets) == 1 else p.IsAmong(*sets)
        if name == "without":
            return p.Without(*sets)
        if name in ("both", "either"):
            return (p.Both if name == "both" else p.Either)(tuple(sets))
        words = self._placed(attribute)
        self._parser.resolver.check_measured(words)
        measure = self._parser.resolver.measure(words, (), base, attribute)
        if name in ("sum", "mean"):
            return p.Amount(base, measure, "mean" if name == "mean" else "sum")
        if name in ("most", "least"):
            n = numbers[0] if numbers else 1
            if n < 1 or n % 1:
                raise CannotPlanError(f"its plan wants the first {n:g} things", code="model_plan.bad_number", n=n)
            return p.Best(base, measure, name == "most", n=int(n))
        if len(sets) == 2:
            numbers = [*numbers, p.Amount(p.Listed((sets[1].only(place),)), measure).value(place)]
        if len(numbers) != 1 + (name == "between") or numbers != sorted(numbers):
            raise CannotPlanError(
                f"its plan compares {attribute!r} with the numbers {numbers}", code="model_plan.bad_comparison"
            )
        if len(sets) == 2:
            return p.Within(base, measure, *((numbers[0], np.inf) if name == "more_than" else (-np.inf, numbers[0])))
        if measure.is_date(place):
            return p.dated(base, measure, _KINDS[name], *map(of_year, numbers))
        return p.compared(base, measure, _KINDS[name], *numbers)

    def _set(self, phrase: str) -> SetPlan:
        whole = _RESULT.fullmatch(phrase.strip())
        if whole:
            return self._result(int(whole[1]))
        text = self._placed(phrase)
        mentions = {int(number) for number in MENTION.findall(text)}
        if mentions and max(mentions) >= self._n_entities:
            raise CannotPlanError(
                f"its plan names e{max(mentions)}, which the question does not",
                code="model_plan.unknown_name",
                name=f"e{max(mentions)}",
            )
        self._used_entities |= mentions
        return self._parser.set(self._parser.english.as_question(_RESULT.sub(self._result_as_entity, text)))

    def _placed(self, text: str) -> str:
        """Return a text in the form of questions, with placeholders for names of entities."""
        graph, entities = self._parser.place.graph, self._parser.entities[: self._n_entities]
        for i in sorted(range(len(entities)), key=lambda i: -len(graph.label(entities[i]))):
            name = graph.label(entities[i])
            if name:
                text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", f"e{i}", text, flags=re.IGNORECASE)
        return tidy(text.lower())

    def _result(self, number: int) -> SetPlan:
        """Return the set that an earlier step gives."""
        result = self._results[number - 1] if 0 < number <= len(self._results) else None
        if not isinstance(result, SetPlan):
            raise CannotPlanError(
                f"its plan uses #{number}, which is not an earlier step that gives entities",
                code="model_plan.no_earlier_step",
                step=number,
            )
        self._used_results.add(number)
        return result

    def _result_as_entity(self, match: re.Match[str]) -> str:
        """Return a placeholder for the one entity that an earlier step gives."""
        self._parser.entities.append(self._result(int(match[1])).only(self._parser.place))
        return f"e{len(self._parser.entities) - 1}"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _HIGHEST
