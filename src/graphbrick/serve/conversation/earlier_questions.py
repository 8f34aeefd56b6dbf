"""Earlier questions asked again: a reply shows only some of the answers, a later question may speak of all of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from graphbrick.bricks.generate.generate import Generate
from graphbrick.bricks.retrieve.operators.stage import Operators
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.items import ANSWER
from graphbrick.core.trace import Trace, record
from graphbrick.models.llm.chat import ChatModel
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.beginning import begin
from graphbrick.pipeline.composition import Sequence, parts_within, stages_of
from graphbrick.pipeline.interpreter import execute

_COUNT = "count of: "
_AMONG = " among: "
_CHOICE = re.compile(r"(?:\d+ )?(?:largest|smallest)\b")  # chosen before a condition holds, it would be another
_LAST_CLASS = re.compile(r"(?<=[→←] )[^→←|()]+$")


@dataclass(frozen=True)
class Result:
    """What a question has as its answer.

    Attributes:
        texts: The answers.
        entities: Those that are entities.
        plan: How they were found, as people read it; empty if no plan is told.
        confidence: The probability that the first is right; None if it is not estimated.
    """

    texts: tuple[str, ...]
    entities: tuple[int, ...]
    plan: str
    confidence: float | None = None

    @property
    def is_count(self) -> bool:
        """Return whether the answer is a number of things."""
        return self.plan.startswith(_COUNT)

    @property
    def counted(self) -> str:
        """The plan of the things themselves: of those counted if the answer is a number."""
        return self.plan.removeprefix(_COUNT)

    def is_about(self, former: Result) -> bool:
        """Return whether the answer speaks of all the answers of another question, and of nothing else.

        >>> former = Result(("20",), (), "count of: date in 2023 among: every Incident")
        >>> Result(("7",), (), "count of: date in 2023 among: severity 1 among: every Incident").is_about(former)
        True
        >>> Result(("12",), (), "count of: severity 1 among: every Incident").is_about(former)
        False
        """
        if not former.plan or not self.texts:
            return False
        plan = former.counted
        return any(one in self.plan or _has_conditions(self.counted, one) for one in (plan, _LAST_CLASS.sub("*", plan)))


def _has_conditions(plan: str, former: str) -> bool:
    """Return whether a plan has all conditions of another one, in any order that means the same."""
    own, others = plan.split(_AMONG), former.split(_AMONG)
    if own[-1] != others[-1] or not set(own).issuperset(others):
        return False
    first = min(own.index(one) for one in others)
    return not any(_CHOICE.match(one) for one in own[first:] if one not in others)


Ask = Callable[[str], Result | None]


def asker(graph: Any, pipeline: Pipeline) -> Ask | None:
    """Return a function that answers a question with the rules of a pipeline; None if it has none without a model.

    It returns None for a question that cannot be answered. Each question is asked once.
    """
    rules = without_model(pipeline)
    if rules is None:
        return None
    known: dict[str, Result | None] = {}

    def ask(question: str) -> Result | None:
        if question not in known:
            known[question] = _result(graph, rules, question)
        return known[question]

    return ask


def without_model(pipeline: Pipeline) -> Pipeline | None:
    """Return the part of a pipeline that answers before its language model does; None if there is none."""
    if not has_model(pipeline):
        return pipeline
    stages = [
        replace(one, llm=None, reasons=False) if isinstance(one, Operators) else one for one in stages_of(pipeline)
    ]
    last = stages[-1]
    if isinstance(last, Generate) and last.first is not None:
        stages[-1] = last.first
    rules = stages[0] if len(stages) == 1 else Sequence(tuple(stages))
    return None if has_model(rules) else rules


def has_model(pipeline: Pipeline) -> bool:
    """Return whether a language model is a part of a pipeline."""
    return any(isinstance(part, ChatModel) for part in parts_within(pipeline))


def _result(graph: Any, pipeline: Pipeline, question: str) -> Result | None:
    try:
        with record(Trace(), "earlier question", "step"):  # its events say nothing about the answer
            run = execute(pipeline, begin(pipeline, graph, question))
    except GraphbrickError:
        return None
    if run.answer is None or run.stopped is not None or not run.answer.texts:
        return None
    items = run.answer.evidence.items
    used = dict.fromkeys(i for support in run.answer.support for i in support)
    plans = [getattr(items[i], "values", ("", ""))[1] for i in used if getattr(items[i], "columns", ()) == ANSWER]
    entities = tuple(dict.fromkeys(entity for entity in run.answer.entities if entity is not None))
    return Result(tuple(run.answer.texts), entities, str(plans[0]) if plans else "", run.answer.confidence)
