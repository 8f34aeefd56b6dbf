"""Answers from a language model's own knowledge, which are flagged as such."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graphbrick.core import Answer, Evidence, Query
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.language.expressions.expression import Expression
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.prompt_files import PromptFiles
from graphbrick.models.llm.replies.json_replies import json_list, json_object
from graphbrick.models.llm.replies.replies import parts_of, read_names, shown
from graphbrick.pipeline import GenerateStage
from graphbrick.pipeline.run import Level

_MOST = 10  # names in a reply
_LONGEST = 200  # characters of a name; more is prose
_NO_NAME = Expression(r"(?:[A-Z]\.)+[A-Z]?|(?:Jr|Sr|Inc|Ltd|Co|The|A|An|[IVX]+)\.?")  # as in «Washington, D.C.»
_SCHEMA = json_object(names=json_list({"type": "string"}, _MOST))
_PROMPTS = PromptFiles("graphbrick.bricks.generate")


@dataclass(frozen=True, repr=False)
class FromModel(GenerateStage):
    """Answers that a language model knows by itself, where the graph gives none.

    The model sees the question only. The answer is flagged (`Answer.from_model`), has no support, and is an event.
    Alone, this brick shows what a model knows without the graph, and needs no stage before it. With ``first`` it is the
    last resort of systems such as Think-on-Graph: it is asked only if that stage gives no answer.

    Args:
        llm: The language model, such as LLM().
        first: A generate stage that answers from the evidence, such as Generate(LLM()); None for none.

    Returns:
        Distinct answers in the order of the reply; none if the model does not know.

    Raises:
        ModelError: The server is away, refuses, or does not answer in time.

    Example:
        >>> from graphbrick import LLM
        >>> from graphbrick.testing import ScriptedLLM, tiny_graph
        >>> with ScriptedLLM(["Kenyan shilling"]) as server:
        ...     answer = FromModel(LLM(base_url=server.base_url))(tiny_graph(), "Which currency is used in Kenya?")
        >>> answer.texts, answer.from_model
        (('Kenyan shilling',), True)
    """

    paper = "Sun et al., Think-on-Graph, ICLR 2024 (answers from the model's own knowledge)"

    llm: ChatModel = parameter(example="LLM()")
    first: GenerateStage | None = parameter(None, example="Generate(LLM())")

    @property
    def accepts(self) -> frozenset[Level]:
        """Anything, unless another generate stage reads evidence first."""
        return frozenset({Level.QUERY, Level.SUBGRAPH, Level.EVIDENCE}) if self.first is None else super().accepts

    def generate(self, query: Query, evidence: Evidence) -> Answer:
        """Return the answer of the first stage, or else that of the model's own knowledge."""
        if self.first is not None:
            answer = self.first.generate(query, evidence)
            if answer.texts or answer.withheld:
                return answer
        prompt = _PROMPTS.request(self.llm, "from_model", schema=_SCHEMA, question=query.text)
        text = self.llm.ask_all([prompt.request])[0].text
        names = _listed(read_names(text) or [])
        answers = [name for name in names if len(name) <= _LONGEST][:_MOST]
        if not answers:
            event(f"no answer: asked for what it knows itself, the model replied {shown(text)}", "from_model.no_answer")
            return Answer(from_model=True)
        if len(answers) < len(names):
            event(
                f"of {len(names)} names the first {_MOST} of at most {_LONGEST} characters were taken: {shown(text)}",
                "from_model.too_many_names",
                n=len(names),
            )
        event(f"{self.llm.model} answered from its own knowledge, not from the graph", "from_model.own_knowledge")
        return Answer(tuple(answers), (None,) * len(answers), Evidence(), ((),) * len(answers), from_model=True)


def _listed(names: Sequence[str]) -> list[str]:
    """Return the names of a single line with commas as several: small models write all on one line."""
    if len(names) != 1 or not re.search(r"[,;]\s", names[0]):
        return list(names)
    parts = parts_of(names[0])
    return list(names) if any(map(_NO_NAME.fullmatch, parts)) else list(dict.fromkeys(parts))
