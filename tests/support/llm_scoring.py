"""Scorers over a scripted language model, and what it was asked."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from graphbrick import LLM
from graphbrick.core.trace import StageTrace, Trace, record
from graphbrick.models.scorers.llm_listwise import LLMListwiseScorer
from graphbrick.models.scorers.llm_pointwise import LLMPointwiseScorer
from graphbrick.models.scorers.llm_rating import LLMRatingScorer
from graphbrick.models.scorers.llm_scorer import LLMScorer
from graphbrick.testing import Request, ScriptedLLM

TEXTS = ["Kenya -> currency -> Kenyan shilling", "Kenya -> borders -> Uganda", "Kenya", "Uganda"]
QUESTION = "Which currency is used in Kenya?"
KINDS: dict[str, type[LLMScorer]] = {
    "list": LLMListwiseScorer,
    "scores": LLMRatingScorer,
    "yes_no": LLMPointwiseScorer,
}
WORDS = [f"w{i}" for i in range(10)]


def llm(server: ScriptedLLM, **parameters: object) -> LLM:
    """A model that is asked for JSON, and one call after the other, so that replies can be scripted in a row."""
    given = {"timeout": 5.0, "retries": 0, "parallel": 1} | parameters
    return LLM(base_url=server.base_url, **given)  # type: ignore[arg-type]


def rate(scorer: LLMScorer, texts: Sequence[str] = TEXTS, question: str = QUESTION) -> tuple[list[float], StageTrace]:
    with record(Trace(), repr(scorer), "rerank") as entry:
        scores = scorer.score(question, texts)
    assert scores.dtype == np.float64
    return scores.tolist(), entry


def scorer_of(name: str, model: LLM, *, per_call: int) -> LLMScorer:
    return KINDS[name](model, **({} if name == "yes_no" else {"per_call": per_call}))  # type: ignore[arg-type]


def candidates(request: Request) -> dict[str, int]:
    """The candidates of a prompt with their numbers."""
    listed = request.body["messages"][1]["content"].split("Candidates:\n")[1].split("\n\nQuestion: ")[0]
    found = {text: int(number) for number, text in re.findall(r"^([0-9]+)\. (.*)$", listed, re.MULTILINE)}
    assert list(found.values()) == list(range(1, listed.count("\n") + 2))
    return found


def schema_of(request: Request) -> dict[str, object]:
    """The schema that a reply is to keep to."""
    wanted = request.body["response_format"]["json_schema"]
    assert wanted["strict"] is True
    found: dict[str, object] = wanted["schema"]
    return found


class Wants:
    """A model that names those of some texts that are among the candidates, in its order."""

    def __init__(self, *wanted: str) -> None:
        self.wanted = wanted

    def __call__(self, request: Request) -> str:
        shown = candidates(request)
        return ", ".join(str(shown[text]) for text in self.wanted if text in shown) or "NONE"
