"""Judges by a language model: llama.cpp says what torch says, of a tuned model and of the likelihood of a question."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from graphbrick import LocalLLM
from graphbrick.core.errors import InputError
from graphbrick.judge.judges.likelihood import LikelihoodJudge
from graphbrick.judge.judges.trained import open_judge
from graphbrick.judge.judges.tuned_model import TunedModelJudge
from graphbrick.judge.synthetic.rows import OWN, Row
from graphbrick.judge.verdicts import Case, Label
from graphbrick.models.store import fetched
from graphbrick.study.statistics.agreement import auc

pytestmark = pytest.mark.models
RELEVANCE = Label.CONTEXT_RELEVANCE


@pytest.fixture(autouse=True)
def packages() -> None:
    for name in ("torch", "peft", "transformers", "gguf", "xllamacpp"):
        pytest.importorskip(name)
    if fetched("smollm2-135m") is None:
        pytest.skip("run graphbrick models fetch smollm2-135m")


def colours(n: int) -> list[Row]:
    """Return questions about colours, with a passage that says the colour and one that says the size."""
    things, made = ("house", "boat", "car", "dog"), list[Row]()
    for i in range(n):
        thing, question = things[i % 4], f"What colour is the {things[i % 4]} of Person{i}?"
        made.append(Row(RELEVANCE, 1, OWN, Case(question, (f"The {thing} of Person{i} is red.",)), question))
        made.append(Row(RELEVANCE, 0, "retrieved", Case(question, (f"The {thing} of Person{i} is big.",)), question))
    return made


def test_it_learns_and_llama_cpp_says_the_same(tmp_path: Path) -> None:
    from graphbrick.judge.training.judge_llm import JudgeSettings, encoded, probabilities, train_judge_llm
    from graphbrick.learn.train.llms.llm_fit import open_base

    how = JudgeSettings(epochs=4, batch_size=4, learning_rate=2e-3, rank=4, alpha=8, tokens=200, context=1024)
    report = train_judge_llm(colours(20), tmp_path / "judge", base="smollm2-135m", settings=how)[RELEVANCE]
    assert (report.rows, report.questions) == (40, 20)
    assert report.auc > 0.9
    judge = open_judge(tmp_path / "judge")
    assert isinstance(judge, TunedModelJudge)
    rows = colours(40)[40:]
    base = open_base(str(tmp_path / "judge" / "model.gguf"), "cpu")
    trained = probabilities(base, base.model, encoded(base, judge.rubric, rows, how)[1])
    served = [verdict.probability for verdict in judge.rubric.rate(RELEVANCE, [row.case for row in rows])]
    assert served == pytest.approx(trained.tolist(), abs=0.1)  # llama.cpp rounds what layers give to 8 bits
    said = [verdict.probability for verdict in judge.rate(RELEVANCE, [row.case for row in rows])]
    order = auc(np.array([row.value for row in rows]), np.array(said))
    assert order is not None
    assert order.value > 0.8  # a tuned model of 135 million parameters is wrong now and then
    about = json.loads((tmp_path / "judge" / "judge.json").read_text())
    assert about["report"]["settings"]["rank"] == 4
    assert sorted(file.name for file in (tmp_path / "judge").iterdir()) == ["adapter", "judge.json", "model.gguf"]


def test_too_few_questions(tmp_path: Path) -> None:
    from graphbrick.judge.training.judge_llm import train_judge_llm

    with pytest.raises(InputError, match="no label has 20 questions with right and wrong rows; make more data"):
        train_judge_llm(colours(19), tmp_path / "judge", base="smollm2-135m")
    assert not (tmp_path / "judge").exists()


def test_the_likelihood_of_a_question_is_that_of_the_model() -> None:
    from graphbrick.learn.train.llms.llm_examples import Lesson
    from graphbrick.learn.train.llms.llm_fit import Tokens, encode, open_base, reply_losses

    question, texts = (
        "What is the currency of Kenya?",
        ("The shilling is the currency of Kenya.", "It rains today.", ""),
    )
    base = open_base("smollm2-135m", "cpu")
    asked = [
        Lesson("", ({"role": "user", "content": f"{text}\n\nWrite a question that this text answers."},), question)
        for text in texts
    ]
    encoded = [tokens for tokens in encode(base, asked, context=1024, longest=100)[0] if tokens is not None]
    whole = [Tokens(tokens.ids[:-1], tokens.prompt) for tokens in encoded]  # without the end of the reply
    losses = reply_losses(base.model, whole) / [len(tokens.ids) - tokens.prompt for tokens in whole]
    judge = LikelihoodJudge(LocalLLM("smollm2-135m", context=1024))
    gains = dict(judge.gains(RELEVANCE, [Case(question, (text,)) for text in texts[:2]]))
    assert gains == pytest.approx({0: losses[2] - losses[0], 1: losses[2] - losses[1]}, abs=0.1)
    assert gains[0] > 1 > 0 > gains[1]
