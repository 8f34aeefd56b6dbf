"""The judge by the likelihood of the question: what the server is asked, and what its probabilities mean."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import pytest
from faults import fails, told

from graphbrick import LLM
from graphbrick.core.errors import ModelError
from graphbrick.core.trace import Trace, record
from graphbrick.judge.judges.likelihood import LikelihoodJudge
from graphbrick.judge.verdicts import Case, Label, Verdict
from graphbrick.testing import Reply, ScriptedLLM
from graphbrick.testing.llm_server import Request

RELEVANCE = Label.CONTEXT_RELEVANCE
QUESTION = "Who founded it?"
TOKENS = Reply(body=json.dumps({"tokens": [5, 6, 7]}))


def written(*logprobs: float, text: str = QUESTION) -> Reply:
    """A reply of the question as one token a word, and the token that ends it."""
    words = [word if place == 0 else f" {word}" for place, word in enumerate(text.split())]
    tokens = [(word, {word: value, "other": -0.01}) for word, value in zip(words, logprobs, strict=True)]
    return Reply(text, tokens=[*tokens, ("", {"": -0.5})])


def server(reply: Callable[[Request], Reply], tokens: Reply = TOKENS) -> ScriptedLLM:
    return ScriptedLLM(lambda request: tokens if request.path.endswith("/tokenize") else reply(request))


def by_evidence(request: Request) -> Reply:
    return written(-1.0, -0.5, -0.3) if "Alm" in request.prompt else written(-2.0, -1.5, -1.3)


def test_the_gain_is_what_evidence_adds_to_the_likelihood_of_the_question() -> None:
    cases = [Case(QUESTION, ("It was founded by Ada Alm.", "It burnt.")), Case(QUESTION, ("It is red.",))]
    with server(by_evidence) as llm:
        judge = LikelihoodJudge(LLM(base_url=llm.base_url))
        assert dict(judge.gains(RELEVANCE, cases)) == pytest.approx({0: 1.0, 1: 0.0})
        verdicts = judge.rate(RELEVANCE, cases)
    assert [verdict.probability for verdict in verdicts] == pytest.approx(
        [1 / (1 + math.exp(-0.8)), 1 / (1 + math.exp(1.0))]
    )
    assert verdicts[0].reason == "gain +1.00 nats a token"


def test_the_question_is_prescribed_token_by_token_and_asked_once_without_evidence() -> None:
    cases = [Case(f"  {QUESTION}", ("It was founded by Ada Alm.", "It burnt.")), Case(QUESTION, ("It is red.",))]
    with server(by_evidence) as llm:
        LikelihoodJudge(LLM(base_url=llm.base_url)).rate(RELEVANCE, cases)
    cut, *asked = llm.requests
    assert cut.path == "/tokenize"
    assert cut.body == {"content": QUESTION, "add_special": False, "parse_special": False}
    assert {request.body["grammar"] for request in asked} == {"root ::= <[5]> <[6]> <[7]>"}
    assert {request.body["top_logprobs"] for request in asked} == {1}
    prompts = [request.body["messages"][0]["content"] for request in asked]
    end = "\n\nWrite a question that this text answers."
    assert prompts[0] == end
    assert sorted(prompts[1:]) == sorted([f"It was founded by Ada Alm.\n\nIt burnt.{end}", f"It is red.{end}"])


def test_a_token_that_the_server_finds_impossible_is_no_overflow() -> None:
    def reply(request: Request) -> Reply:
        # Servers write -9999 for a token that is too unlikely to compute.
        return written(-1.0, -9999.0, -0.3) if "burnt" in request.prompt else written(-1.0, -1.5, -0.3)

    with server(reply) as llm:
        verdicts = LikelihoodJudge(LLM(base_url=llm.base_url)).rate(RELEVANCE, [Case(QUESTION, ("It burnt.",))])
    assert [verdict.probability for verdict in verdicts] == [0.0]


def test_nobody_is_asked_where_there_is_nothing_to_read() -> None:
    with server(by_evidence) as llm:
        verdicts = LikelihoodJudge(LLM(base_url=llm.base_url)).rate(
            RELEVANCE, [Case(QUESTION, (" ",)), Case(" ", ("a",))]
        )
    assert verdicts == [Verdict(0.0, "no evidence"), Verdict(0.0, "no question")]
    assert llm.requests == []


def test_a_long_question_and_long_evidence_are_cut() -> None:
    many = Reply(body=json.dumps({"tokens": list(range(100))}))
    question = "Who founded it and when did it burn down after that?"
    cut = Reply("Who founded it", tokens=[("Who", {"Who": -1.0})], finish_reason="length")
    with server(lambda request: cut, many) as llm, record(Trace(), "judge", "judge") as entry:
        judge = LikelihoodJudge(LLM(base_url=llm.base_url, max_tokens=3), tokens=10)
        assert dict(judge.gains(RELEVANCE, [Case(question, ("word " * 500,))])) == {0: 0.0}
    assert {request.body["grammar"] for request in llm.requests[1:]} == {"root ::= <[0]> <[1]> <[2]>"}
    assert len(llm.requests[-1].body["messages"][0]["content"]) < 150
    assert any(code == "judge_asking.cut" for code, _ in told(entry.events))


def test_a_server_without_grammars_is_found_out() -> None:
    with server(lambda request: Reply("It was Ada Alm.")) as llm:
        judge = LikelihoodJudge(LLM(base_url=llm.base_url))
        with fails("likelihood.unfit_server", ModelError) as caught:
            judge.rate(RELEVANCE, [Case(QUESTION, ("a",))])
    assert "does not obey grammars" in str(caught.value.values["fault"])


def test_a_server_without_log_probabilities_is_found_out() -> None:
    with server(lambda request: Reply(QUESTION)) as llm:
        judge = LikelihoodJudge(LLM(base_url=llm.base_url))
        with fails("likelihood.unfit_server", ModelError, fault="the server gives no log probabilities"):
            judge.rate(RELEVANCE, [Case(QUESTION, ("a",))])


@pytest.mark.parametrize(
    "tokens",
    [
        Reply("not found", status=404),
        Reply(body=json.dumps({"tokens": ["a"]})),
        Reply(body=json.dumps({"tokens": None})),
        Reply(body=json.dumps([1])),
        Reply(body="<html>", content_type="text/html"),
    ],
)
def test_a_server_that_does_not_tell_tokens_is_found_out(tokens: Reply) -> None:
    with server(by_evidence, tokens) as llm:
        judge = LikelihoodJudge(LLM(base_url=llm.base_url, retries=0))
        with pytest.raises(
            ModelError, match=r"does not tell how it cuts texts into tokens at http://.*/tokenize; use Loc"
        ):
            judge.rate(RELEVANCE, [Case(QUESTION, ("a",))])


def test_a_prompt_that_is_refused_costs_one_verdict() -> None:
    def reply(request: Request) -> Reply:
        return Reply("too long", status=400) if "burnt" in request.prompt else by_evidence(request)

    with server(reply) as llm:
        judge = LikelihoodJudge(LLM(base_url=llm.base_url))
        first, second = judge.rate(RELEVANCE, [Case(QUESTION, ("It burnt.",)), Case(QUESTION, ("Ada Alm.",))])
    assert first.probability is None
    assert "the model failed" in first.reason
    assert second.probability == pytest.approx(1 / (1 + math.exp(-0.8)))


def test_a_question_that_the_server_changes_costs_one_verdict() -> None:
    def reply(request: Request) -> Reply:
        return written(-1.0, text="no") if request.body["grammar"].endswith("<[9]>") else by_evidence(request)

    def tokens(request: Request) -> Reply:
        return Reply(body=json.dumps({"tokens": [9]})) if "<think>" in request.body["content"] else TOKENS

    with ScriptedLLM(lambda request: (tokens if request.path == "/tokenize" else reply)(request)) as llm:
        cases = [Case("<think>", ("Ada Alm.",)), Case(QUESTION, ("Ada Alm.",))]
        changed, right = LikelihoodJudge(LLM(base_url=llm.base_url)).rate(RELEVANCE, cases)
    assert changed.probability is None
    assert "it was to write" in changed.reason
    assert right.probability == pytest.approx(1 / (1 + math.exp(-0.8)))


def test_other_labels_and_parameters_out_of_range() -> None:
    judge = LikelihoodJudge(LLM())
    assert judge.labels == {RELEVANCE}
    with pytest.raises(ValueError, match="judges context_relevance, not correctness"):
        judge.rate(Label.CORRECTNESS, [])
    with pytest.raises(ValueError, match="tokens must be at least 1, got 0"):
        LikelihoodJudge(LLM(), tokens=0)
    assert judge.rate(RELEVANCE, []) == []
