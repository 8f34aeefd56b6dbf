"""Judges by the text that names them on the command line."""

from __future__ import annotations

import pytest
from faults import fails

from graphbrick import LLM
from graphbrick.core.errors import InputError
from graphbrick.judge.judges.likelihood import LikelihoodJudge
from graphbrick.judge.judges.named import judge_of
from graphbrick.judge.judges.rubric import RubricJudge


def test_a_model_is_asked_by_a_rubric() -> None:
    assert judge_of("small", LLM) == RubricJudge(LLM("small"))
    assert judge_of(" one-word: small", LLM) == RubricJudge(LLM("small"), reasons=False)


def test_a_model_reads_the_likelihood_of_the_question() -> None:
    judge = judge_of("likelihood: small", LLM)
    assert judge == LikelihoodJudge(LLM("small"))
    assert judge.identity != LikelihoodJudge(LLM("small"), tokens=100).identity
    assert judge.identity == LikelihoodJudge(LLM("small", parallel=9)).identity


@pytest.mark.parametrize("text", ["", "one-word:", "likelihood:"])
def test_a_text_that_names_no_judge(text: str) -> None:
    with fails("named.not_a_judge", InputError, name=text):
        judge_of(text, LLM)
