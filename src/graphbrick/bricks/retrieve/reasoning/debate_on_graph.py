"""Debate on Graph: after each step, a debate of three roles makes the question shorter by that step."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphbrick.bricks.retrieve.paths.beam import Partial
from graphbrick.bricks.retrieve.reasoning.asking import PROMPTS
from graphbrick.bricks.retrieve.reasoning.facts import picked_facts
from graphbrick.bricks.retrieve.reasoning.moves import starts, text_of
from graphbrick.bricks.retrieve.reasoning.rounds import Rounds
from graphbrick.core import Evidence, Query, Subgraph
from graphbrick.core.graph import DIRECTIONS
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.language.expressions.expression import Expression
from graphbrick.language.folding import fold
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.enough import is_enough
from graphbrick.models.llm.replies.replies import one_line, shown, unreadable, without_fences
from graphbrick.pipeline import RetrieveStage

_FACTS = 20  # shown to a debate
_LONGEST = 300  # characters of a question
_LABEL = Expression(r"^(?:[\w ,'-]{0,60}\bquestion\b[\w ]{0,20}|answer|q)\s*:\s*", re.IGNORECASE)
_QUOTES = "\"'`* “”„‘’«»"


@dataclass(frozen=True, repr=False)
class DebateOnGraph(RetrieveStage):
    """Facts that a language model picks step by step, while a debate shortens the question.

    In each round the model picks any number of relations from the entities that the last round reached, sees the facts
    of all rounds, and says whether they answer the question. If not, three roles speak in turn: the first writes the
    question that is left, the second names its faults, the third gives it its final words. The entities reached are the
    next ones. The gold answer plays no part, as it does in the released script.

    A reply without relations ends the search with what there is, which is an event. Any line that the third role
    writes is the question, without a label and quotes, and with or without a question mark. If there is none, or only
    longer ones than 300 characters, the question stays as it is, which is an event too.

    Args:
        llm: The language model, such as LLM().
        rounds: Steps, from 1 to 10.
        triples: Most facts of a relation, at least 1; more are left out, which is an event. So are more than about 100
            facts of a round.
        direction: "out" (along triples) as published, "in" or "both".
        if_never_enough: What to give if the model does not find the facts to be enough after the last round: "keep" for
            the facts, "drop" for no evidence, so that `FromModel` answers from the model's knowledge, as published.

    Returns:
        The facts as paths from the seeds, those of the last round first, each round by the order of the relations in
        the reply, then of the graph.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time.
    """

    paper = "Ma et al., Debate on Graph (DoG), AAAI 2025"

    llm: ChatModel = parameter(example="LLM()")
    rounds: int = parameter(3, at_least=1, at_most=10, search=(2, 3, 4))
    triples: int = parameter(30, at_least=1)
    direction: str = parameter("out", choices=DIRECTIONS)
    if_never_enough: str = parameter("keep", choices=("keep", "drop"))

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the facts of all rounds."""
        rounds, question = Rounds(subgraph), query.text

        def onward(reached: list[Partial]) -> list[Partial]:
            nonlocal question
            question = self._shorter(question, [text_of(subgraph, path) for path in reached])
            return reached

        def step(ends: list[Partial]) -> list[Partial]:
            return ends and picked_facts(
                self.llm, "choose_relations", question, subgraph, ends, direction=self.direction, triples=self.triples
            )

        seeds = starts(query, subgraph)
        rounds.walk(seeds, self.rounds, step, lambda: is_enough(self.llm, question, rounds.texts()), onward)
        is_dropped = rounds.end("facts") and self.if_never_enough == "drop"
        return Evidence() if is_dropped else rounds.evidence(repr(self))

    def _shorter(self, question: str, facts: list[str]) -> str:
        """Return the question that a debate leaves to be answered; the same, with an event, if it leaves none."""
        values = {"question": question}
        for role, name in (("debate_shorten", "draft"), ("debate_check", "remarks"), ("debate_write", "final")):
            request = PROMPTS.request(self.llm, role, facts[:_FACTS], schema=None, **values).request
            reply = without_fences(self.llm.ask_all([request])[0].text)
            values[name] = one_line(reply)
        final = _question(reply)
        if not final:
            unreadable(
                f"the debate ended without a question, so the question stays as it was: {shown(reply)}",
                "debate_on_graph.no_question",
            )
            return question
        event(f"the question became: {final}", "debate_on_graph.question", question=final)
        return final


def _question(reply: str) -> str:
    """Return the first line that ends with a question mark, or else the first; empty for none."""
    lines = (_LABEL.sub("", one_line(line).strip(_QUOTES)).strip(_QUOTES) for line in reply.splitlines())
    usable = [line for line in lines if line and len(line) <= _LONGEST and fold(line) != "none"]
    return next((line for line in usable if line.endswith("?")), usable[0] if usable else "")
