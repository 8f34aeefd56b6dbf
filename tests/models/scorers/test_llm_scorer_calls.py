"""Scores from a language model over several calls, behind a pre-filter, and one call a candidate."""

from __future__ import annotations

import json
import math
import threading

import pytest
from faults import fails, told
from llm_scoring import KINDS, TEXTS, WORDS, candidates, llm, rate, scorer_of

from graphbrick import BM25, LLM, Budget, spending
from graphbrick.models.scorers.llm_listwise import LLMListwiseScorer
from graphbrick.models.scorers.llm_pointwise import LLMPointwiseScorer
from graphbrick.models.scorers.llm_rating import LLMRatingScorer
from graphbrick.pipeline.budget import StoppedError
from graphbrick.testing import Reply, Request, ScriptedLLM


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


# Several calls


@pytest.mark.parametrize(("reply", "texts"), [("list", 8), ("scores", 8), ("yes_no", 4)])
def test_the_calls_of_one_scoring_are_in_flight_together(reply: str, texts: int) -> None:
    barrier = threading.Barrier(4, timeout=60)

    def script(request: Request) -> Reply:
        barrier.wait()  # passes only when all four calls are there
        return Reply('{"numbers": [1]}')

    with ScriptedLLM(script) as server:
        _, entry = rate(scorer_of(reply, llm(server, parallel=4), per_call=2), WORDS[:texts])
    assert entry.calls == 4


def test_which_reply_comes_first_does_not_matter() -> None:
    def script(request: Request) -> Reply:
        shown = candidates(request)
        return Reply(json.dumps({"numbers": [2]}), delay=0.3 if "w0" in shown else 0.0)

    with ScriptedLLM(script) as server:
        scores, _ = rate(LLMListwiseScorer(llm(server, parallel=5), per_call=2), WORDS)
    assert scores == pytest.approx([0, 1, 0, 0.8, 0, 0.6, 0, 0.4, 0, 0.2])


def test_prompts_fit_the_context() -> None:
    texts = [f"{'word ' * 40}{i}" for i in range(40)]
    with ScriptedLLM(['{"numbers": []}']) as server:
        model = llm(server, context=1000, max_tokens=100)
        _, entry = rate(LLMListwiseScorer(model), texts)
        assert all(model.context_budget(request.body["messages"]) >= 0 for request in server.requests)
        shown = [list(candidates(request)) for request in server.requests]
    assert [text for part in shown for text in part] == texts
    # No more calls than it takes: two parts together would not fit.
    assert entry.events == []
    assert len(shown) == 3
    assert max(map(len, shown)) - min(map(len, shown)) <= 1


def test_replies_by_scores_fit_the_longest_reply() -> None:
    """Counted as the server would count it if every mark and digit were a token."""
    with ScriptedLLM(
        lambda request: json.dumps({str(i): 100 for i in range(1, len(candidates(request)) + 1)})
    ) as server:
        model = llm(server, max_tokens=90)
        scores, entry = rate(LLMRatingScorer(model), WORDS * 3)
        sizes = [len(candidates(request)) for request in server.requests]
    assert scores == [1] * 30
    assert (sum(sizes), entry.events) == (30, [])
    replies = [json.dumps({str(i): 100 for i in range(1, size + 1)}) for size in sizes]
    assert all(model.tokens([{"role": "user", "content": reply}]) <= 90 for reply in replies)
    assert len(sizes) < 10
    with ScriptedLLM(['{"1": 100}']) as server:
        rate(LLMRatingScorer(llm(server, max_tokens=1)), ["a", "b"])
        assert len(server.requests) == 2


@pytest.mark.parametrize("reply", ["list", "scores", "yes_no"])
def test_a_candidate_that_does_not_fit_is_cut(reply: str) -> None:
    with ScriptedLLM([""]) as server:
        model = llm(server, context=400, max_tokens=50)
        _, entry = rate(KINDS[reply](model), ["1 2 3 4 5 6 7 8 9 0 " * 45, "short"])
        assert all(model.context_budget(request.body["messages"]) >= 0 for request in server.requests)
        assert "1 2 3 4 5 6 7 8 9 0 1" in "".join(request.prompt for request in server.requests)
        assert "short" in server.requests[-1].prompt
    cuts = [values["cut"] for code, values in told(entry.events) if code == "llm.texts_cut_to_context"]
    assert cuts == [1]


@pytest.mark.parametrize("reply", ["list", "scores", "yes_no"])
def test_a_question_that_does_not_fit_is_an_error_before_the_call(reply: str) -> None:
    with ScriptedLLM([""]) as server:
        scorer = KINDS[reply](llm(server, context=300, max_tokens=50))
        with fails("llm.prompt_too_long", context=300, reply=50):
            rate(scorer, ["a", "b"], "Who? " * 300)
        assert server.requests == []


def test_a_budget_stops_between_calls() -> None:
    with ScriptedLLM(["NONE"]) as server, spending(Budget(tokens=700)):
        with pytest.raises(StoppedError):
            rate(LLMListwiseScorer(llm(server), per_call=2), WORDS)
        assert 0 < len(server.requests) < 5


# The pre-filter


def test_the_prefilter_chooses_what_the_model_sees() -> None:
    texts = ["Kenya borders Uganda", "currency of Kenya", "Uganda", "Which currency is used in Kenya", "Nairobi"]
    with ScriptedLLM(['{"numbers": [2]}']) as server:
        scorer = LLMListwiseScorer(llm(server), prefilter=BM25(), prefilter_n=2)
        scores, entry = rate(scorer, texts)
        (request,) = server.requests
    assert list(candidates(request)) == [texts[3], texts[1]]  # best first
    assert scores == [0, 1, 0, 0, 0]
    assert (entry.events, entry.facts) == ([], {"left_out_by_prefilter": 3})


def test_what_cannot_be_read_stands_above_what_was_filtered_out() -> None:
    with ScriptedLLM(["Hm"]) as server:
        scores, _ = rate(LLMListwiseScorer(llm(server), prefilter=BM25(), prefilter_n=1), TEXTS)
    assert scores == [0.5, 0, 0, 0]


def test_few_candidates_are_not_filtered() -> None:
    with ScriptedLLM(["1"]) as server:
        _, entry = rate(LLMListwiseScorer(llm(server), prefilter=BM25(), prefilter_n=4), TEXTS)
        assert list(candidates(server.requests[0])) == TEXTS
    assert entry.facts == {}


# One call a candidate


def likely(**words: float) -> Reply:
    """A reply of which the first word has some probabilities; ``_`` stands for a space."""
    likeliest = {word.replace("_", " "): math.log(p) for word, p in words.items()}
    return Reply(max(words, key=lambda word: words[word]).strip("_"), likeliest=likeliest)


def test_the_probability_of_yes_among_yes_and_no() -> None:
    replies = [
        likely(YES=0.6, NO=0.2, Maybe=0.2),
        likely(No=0.5, _yes=0.05, Yes=0.05, Y=0.05, no=0.02, N=0.08),
        likely(yes=0.9),
        likely(nothing=0.9, NO=0.01),
    ]
    with ScriptedLLM(replies) as server:
        scores, entry = rate(LLMPointwiseScorer(llm(server)))
        assert len(server.requests) == 4
        body = server.requests[0].body
    assert scores == pytest.approx([0.75, 0.15 / 0.75, 1, 0])
    assert entry.events == []
    assert entry.calls == 4
    assert (body["max_tokens"], body["logprobs"], body["top_logprobs"]) == (4, True, 20)
    assert "response_format" not in body
    assert body["messages"][1]["content"] == (
        "Question: Which currency is used in Kenya?\nCandidate: Kenya -> currency -> Kenyan shilling\nYES or NO:"
    )
    # All prompts begin alike, so that a server can keep what it has read.
    assert len({request.prompt.split("Candidate: ")[0] for request in server.requests}) == 1


def test_without_log_probabilities_the_word_counts() -> None:
    with ScriptedLLM(["YES", "No.", "<think>Hm", "It depends"]) as server:
        scores, entry = rate(LLMPointwiseScorer(llm(server)))
    assert scores == [1, 0, 0.5, 0.5]
    assert told(entry.events) == [
        ("reply.only_thoughts", {}),
        ("llm_pointwise.no_logprobs", {"replies": 2, "of": 4}),
        ("llm_pointwise.neither", {"replies": 2, "of": 4}),
    ]
    assert entry.events[-1].endswith("'', 'It depends'")


def test_neither_word_among_the_likeliest_is_an_event() -> None:
    with ScriptedLLM([likely(Perhaps=0.9, Kenya=0.1)]) as server:
        scores, entry = rate(LLMPointwiseScorer(llm(server)))
    assert scores == [0.5] * 4
    assert told(entry.events) == [("llm_pointwise.neither", {"replies": 4, "of": 4})]


def test_a_cut_reply_is_no_event_where_the_first_word_is_all_that_counts() -> None:
    with ScriptedLLM([Reply("YES it is", likeliest={"YES": -0.1, "NO": -3.0}, finish_reason="length")]) as server:
        _, entry = rate(LLMPointwiseScorer(llm(server)))
    assert entry.events == []


def test_only_scores_of_one_candidate_a_call_compare() -> None:
    assert LLMPointwiseScorer(LLM()).comparable
    assert not LLMListwiseScorer(LLM()).comparable
    assert not LLMRatingScorer(LLM()).comparable
    assert not LLMPointwiseScorer(LLM(), prefilter=BM25()).comparable
