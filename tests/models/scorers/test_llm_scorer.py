"""Scores from a language model: what it is asked and how its replies are read."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from faults import fails, told
from llm_scoring import TEXTS, WORDS, Wants, candidates, llm, rate, schema_of, scorer_of

from graphbrick import BM25, LLM, Rerank, ShortestPaths
from graphbrick.models.scorers.llm_listwise import LLMListwiseScorer
from graphbrick.models.scorers.llm_pointwise import LLMPointwiseScorer
from graphbrick.models.scorers.llm_rating import LLMRatingScorer
from graphbrick.models.scorers.llm_scorer import LLMScorer
from graphbrick.testing import Reply, Request, ScriptedLLM, check_brick, tiny_graph


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def test_what_the_model_names_has_scores_by_place_and_all_else_none() -> None:
    with ScriptedLLM(["1, 4, 3"]) as server:
        scores, entry = rate(LLMListwiseScorer(llm(server)))
        assert len(server.requests) == 1
    assert scores == pytest.approx([1, 0, 1 / 3, 2 / 3])
    assert (entry.calls, entry.events, entry.facts) == (1, [], {})
    assert entry.tokens_in > 50


def test_what_the_model_is_told() -> None:
    with ScriptedLLM(["1"]) as server:
        rate(LLMListwiseScorer(llm(server)), ["Kenya\nUganda", "a {b} % 2. c", "", "\u2028x\t y"], "Who\nis it?")
        (request,) = server.requests
    system, user = request.body["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert 'such as {"numbers": [3, 1]}. If no candidate helps, reply {"numbers": []}.' in system["content"]
    assert user["content"] == (
        "Question: Who is it?\n\nCandidates:\n1. Kenya Uganda\n2. a {b} % 2. c\n3. \n4. x y\n\n"
        "Question: Who is it?\nNumbers:"
    )
    assert schema_of(request) == {
        "type": "object",
        "properties": {
            "numbers": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 4}, "maxItems": 4}
        },
        "required": ["numbers"],
        "additionalProperties": False,
    }


def test_without_a_schema_the_model_is_told_to_use_words() -> None:
    with ScriptedLLM(["1", "1: 7\n2: 8"]) as server:
        model = llm(server, structured=False)
        rate(LLMListwiseScorer(model), ["a", "b"])
        rate(LLMRatingScorer(model), ["a", "b"])
        first, second = server.requests
    assert "separated by commas. If no candidate helps, reply NONE." in first.prompt
    assert "one line for every candidate" in second.prompt
    assert "such as\n1: 20\n2: 90\n" in second.prompt
    assert first.prompt.endswith("\nQuestion: Which currency is used in Kenya?\nNumbers:")
    assert second.prompt.endswith("\nScores:")
    assert "JSON" not in first.prompt + second.prompt
    assert "response_format" not in {**first.body, **second.body}


def test_long_candidates_are_cut_with_an_event() -> None:
    with ScriptedLLM(["1"]) as server:
        _, entry = rate(LLMListwiseScorer(llm(server)), ["a" * 1001, "b" * 1000])
        assert len(server.requests[0].prompt) < 3000
        assert f"1. {'a' * 1000}\n2. {'b' * 1000}\n" in server.requests[0].prompt
    assert told(entry.events) == [("reply.texts_cut", {"cut": 1, "longest": 1000})]


@pytest.mark.parametrize(
    ("reply", "expected", "events"),
    [
        ("NONE", [0, 0, 0, 0], 0),
        # Nothing is known of what could not be read, so that a threshold of 0 must not drop it.
        ("I do not know.", [0.5, 0.5, 0.5, 0.5], 1),
        ("", [0.5, 0.5, 0.5, 0.5], 2),
        ("<think>2, 3</think>[4]", [0, 0, 0, 1], 0),
        ("9, 2, 2", [0, 1, 0, 0], 2),
        ("Kenya", [0, 0, 1, 0], 0),
        ('{"numbers": [3]}', [0, 0, 1, 0], 0),
        ('{"numbers": [3, 9, 3]}', [0, 0, 1, 0], 2),
        ('{"numbers": [3, 1', [0, 0, 1, 0], 1),
        ('{"numbers": [', [0.5, 0.5, 0.5, 0.5], 1),
        ('{"numbers": []}', [0, 0, 0, 0], 0),
    ],
)
def test_replies_of_all_kinds(reply: str, expected: list[float], events: int) -> None:
    with ScriptedLLM([reply]) as server:
        scores, entry = rate(LLMListwiseScorer(llm(server)))
    assert scores == expected
    assert len(entry.events) == events
    chose_none = reply in ("NONE", '{"numbers": []}')
    unread = {"unread_replies": 1} if 0.5 in expected else {}
    assert entry.facts == ({"calls_that_chose_none": 1} if chose_none else unread)
    assert entry.calls == 1


def test_no_text_asks_nothing() -> None:
    with ScriptedLLM(["1"]) as server:
        assert rate(LLMListwiseScorer(llm(server)), [])[0] == []
        assert rate(LLMRatingScorer(llm(server)), [])[0] == []
        assert rate(LLMPointwiseScorer(llm(server)), [])[0] == []
        assert rate(LLMListwiseScorer(llm(server), prefilter=BM25()), [])[0] == []
        assert server.requests == []


@pytest.mark.parametrize(("n", "calls"), [(1, 1), (3, 1), (4, 2), (6, 2), (7, 3), (10, 4)])
@pytest.mark.parametrize("reply", ["list", "scores"])
def test_every_candidate_is_put_to_the_model_once(n: int, calls: int, reply: str) -> None:
    with ScriptedLLM(["NONE"]) as server:
        rate(scorer_of(reply, llm(server), per_call=3), WORDS[:n])
        shown = [list(candidates(request)) for request in server.requests]
    assert [text for part in shown for text in part] == WORDS[:n]
    assert len(shown) == calls
    assert max(map(len, shown)) <= 3
    assert max(map(len, shown)) - min(map(len, shown)) <= 1


def test_choices_of_several_calls_are_merged_by_place() -> None:
    # Calls hold w0-w2, w3-w5 and w6-w9 here.
    with ScriptedLLM(["NONE", "2", "NONE"]) as server:
        scores, entry = rate(LLMListwiseScorer(llm(server), per_call=4), WORDS)
    assert (entry.calls, entry.facts) == (3, {"calls_that_chose_none": 2})
    assert scores == [0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
    with ScriptedLLM(["3, 1", "2, 3, 1", "4"]) as server:
        scores, _ = rate(LLMListwiseScorer(llm(server), per_call=4), WORDS)
    best_first = [WORDS[i] for i in np.argsort(-np.array(scores)) if scores[i] > 0]
    assert best_first == ["w2", "w4", "w9", "w0", "w5", "w3"]
    assert sorted(scores)[-6:] == pytest.approx([i / 6 for i in range(1, 7)])


def test_each_round_refines_the_choice_of_the_round_before() -> None:
    shown = []

    def script(request: Request) -> str:
        shown.append(list(candidates(request)))
        wanted = {4: ("w2", "w0", "w4", "w9"), 3: ("w9", "w4", "w0"), 2: ("w4", "w9")}
        return Wants(*wanted[max(2, 4 - max(0, len(shown) - 3))])(request)

    with ScriptedLLM(script) as server:
        scores, entry = rate(LLMListwiseScorer(llm(server), per_call=4, rounds=3), WORDS)
    assert shown[3:] == [["w0", "w2", "w4", "w9"], ["w0", "w4", "w9"]]
    # w2 dropped out in the second round and w0 in the third: a threshold of 0 leaves out both.
    assert scores == pytest.approx([0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5])
    assert entry.events == []


@pytest.mark.parametrize(("rounds", "chosen"), [(1, [3, 2, 1, 0]), (2, [1, 3, 0]), (3, [0, 1])])
def test_candidates_of_one_call_are_put_to_the_model_in_every_round(rounds: int, chosen: list[int]) -> None:
    choices = ["4, 3, 2, 1", "2, 4, 1", "1, 2"]  # each round has numbers of its own: TEXTS 0 to 3, then 0, 1 and 3
    with ScriptedLLM(choices) as server:
        scores, entry = rate(LLMListwiseScorer(llm(server), rounds=rounds))
    assert entry.calls == rounds
    best_first = [int(i) for i in np.argsort(-np.array(scores)) if scores[i] > 0]
    assert best_first == chosen


def test_a_choice_of_one_candidate_ends_the_rounds() -> None:
    with ScriptedLLM(["1, 3", "2", "1"]) as server:
        scores, entry = rate(LLMListwiseScorer(llm(server), rounds=5))
    assert (scores, entry.calls) == ([0, 0, 1, 0], 2)


def test_a_later_round_that_names_none_keeps_the_choice_before() -> None:
    with ScriptedLLM(["1, 3", "NONE"]) as server:
        scores, entry = rate(LLMListwiseScorer(llm(server), rounds=3))
    assert (scores, entry.calls, entry.facts) == ([1, 0, 0.5, 0], 2, {"calls_that_chose_none": 1})


def test_candidates_of_an_unread_call_stay_behind_those_that_its_round_names() -> None:
    # Round 1 names all four in two calls; in round 2 the call with w0 and w1 cannot be read, the other names w3.
    with ScriptedLLM(["1, 2", "1, 2", "I cannot decide.", "2"]) as server:
        scores, entry = rate(LLMListwiseScorer(llm(server), per_call=2, rounds=2), WORDS[:4])
    assert scores == pytest.approx([2 / 3, 1 / 3, 0, 1])
    assert told(entry.events) == [("reply.no_candidate", {})]


def test_rounds_are_at_most_as_many_as_asked_for() -> None:
    def all_of_them(request: Request) -> str:
        return ", ".join(map(str, candidates(request).values()))

    for rounds, calls in ((1, 4), (2, 8), (3, 12)):
        with ScriptedLLM(all_of_them) as server:
            scores, _ = rate(LLMListwiseScorer(llm(server), per_call=3, rounds=rounds), WORDS)
            assert len(server.requests) == calls
        assert sorted(scores) == pytest.approx([i / 10 for i in range(1, 11)])


def test_a_later_round_that_cannot_be_read_keeps_the_choice_before() -> None:
    with ScriptedLLM(["2", "1", "3", "I cannot decide."]) as server:
        scores, entry = rate(LLMListwiseScorer(llm(server), per_call=4, rounds=2), WORDS)
        assert len(server.requests) == 4
    assert [i for i, score in enumerate(scores) if score] == [1, 3, 8]
    assert told(entry.events) == [("reply.no_candidate", {})]


def test_no_choice_in_the_first_round_is_the_end() -> None:
    with ScriptedLLM(["NONE"]) as server:
        scores, entry = rate(LLMListwiseScorer(llm(server), per_call=4, rounds=3), WORDS)
        assert len(server.requests) == 3
    assert scores == [0] * 10
    assert entry.facts == {"calls_that_chose_none": 3}


def test_scores_of_each_candidate() -> None:
    with ScriptedLLM(["1: 100\n2: 25\n3: 0", "1: 60\n2: 150"]) as server:
        scores, entry = rate(LLMRatingScorer(llm(server), per_call=2), TEXTS)
        prompts = [request.prompt for request in server.requests]
        schemas = [schema_of(request) for request in server.requests]
    assert scores == [1, 0.25, 0.6, 1]
    assert all('such as {"1": 20, "2": 90}.' in prompt and prompt.endswith("\nScores:") for prompt in prompts)
    score = {"type": "integer", "minimum": 0, "maximum": 100}
    assert schemas[0] == schemas[1]
    assert schemas[0]["properties"] == {"1": score, "2": score}
    assert (schemas[0]["required"], schemas[0]["additionalProperties"]) == (["1", "2"], False)
    assert told(entry.events) == [
        ("reply.unknown_scores", {"numbers": [3], "n": 2}),
        ("reply.scores_clipped", {"numbers": [2]}),
    ]
    with ScriptedLLM(["I cannot say"]) as server:
        scores, entry = rate(LLMRatingScorer(llm(server)))
    assert scores == [0, 0, 0, 0]
    assert len(entry.events) == 1


def test_a_threshold_of_zero_keeps_what_was_chosen() -> None:
    graph = tiny_graph()
    with ScriptedLLM(Wants("Nairobi <- capital <- Kenya -> currency -> Kenyan shilling")) as server:
        pipeline = ShortestPaths(max_hops=2) >> Rerank(LLMListwiseScorer(llm(server)), n=4)
        run = pipeline.run(graph, "Which currency is used around Nairobi?", seeds=("Nairobi",))
    assert run.evidence is not None
    assert [item.score for item in run.evidence.items] == [1, 0, 0, 0]
    assert run.evidence.items[0].text.endswith("Kenyan shilling")
    assert run.trace.stages[-1].calls == 1


def test_a_fault_of_the_server_is_raised() -> None:
    with ScriptedLLM([Reply("no", status=400)]) as server, fails("server.refused", status=400):
        rate(LLMListwiseScorer(llm(server)))


@pytest.mark.parametrize(
    ("parameters", "code", "values"),
    [
        ({"per_call": 1}, "parameter.not_allowed", {"name": "per_call", "example": "64"}),
        ({"rounds": 0}, "parameter.not_allowed", {"name": "rounds", "example": "1"}),
        ({"prefilter": "BM25"}, "parameter.not_allowed", {"name": "prefilter", "example": "MiniLM()"}),
        ({"prefilter": BM25(), "prefilter_n": 0}, "parameter.not_allowed", {"name": "prefilter_n", "value": "0"}),
        ({"prefilter_n": 9}, "scorer.no_prefilter", {}),
        ({"llm": "gpt"}, "parameter.not_allowed", {"name": "llm", "example": "LLM()"}),
    ],
)
def test_wrong_parameters(parameters: dict[str, object], code: str, values: dict[str, object]) -> None:
    with fails(code, **values):
        LLMListwiseScorer(**({"llm": LLM()} | parameters))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def reader() -> Iterator[ScriptedLLM]:
    """A model that judges a candidate by what it says, not by its place."""

    def script(request: Request) -> str | Reply:
        if request.prompt.endswith("YES or NO:"):
            p = 1 / (1 + len(request.prompt.split("Candidate: ")[1]))
            return Reply("NO", likeliest={"NO": math.log(1 - p), "YES": math.log(p)})
        shown = candidates(request)
        if request.prompt.endswith("Scores:"):
            return "\n".join(f"{number}: {len(text) % 100}" for text, number in shown.items())
        return ", ".join(str(shown[text]) for text in sorted(shown) if "currency" in text) or "NONE"

    with ScriptedLLM(script) as server:
        yield server


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        (LLMListwiseScorer, {}),
        (LLMRatingScorer, {}),
        (LLMPointwiseScorer, {}),
        (LLMListwiseScorer, {"per_call": 5, "rounds": 2}),
        (LLMRatingScorer, {"per_call": 2}),
        (LLMListwiseScorer, {"prefilter": BM25(), "prefilter_n": 3}),
    ],
)
def test_the_contract(reader: ScriptedLLM, kind: type[LLMScorer], parameters: dict[str, object]) -> None:
    check_brick(kind(llm(reader), **parameters), installed=False)  # type: ignore[arg-type]


def test_what_could_not_be_read_stands_below_what_was_chosen() -> None:
    with ScriptedLLM(["2, 1", "What?"]) as server:
        scores, entry = rate(LLMListwiseScorer(llm(server), per_call=2), TEXTS)
    assert scores == [0.5, 1, 0.25, 0.25]
    assert len(entry.events) == 1
