from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails, told

from graphbrick import BM25, LLM, Query, Subgraph
from graphbrick.bricks.retrieve.paths.hops import LLMHops, PatternHops
from graphbrick.core.errors import PipelineError
from graphbrick.core.trace import Trace, record
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.testing import Request, ScriptedLLM, check_brick, tiny_graph


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def query(text: str, *seeds: str) -> Query:
    return Query(text, seeds=tuple(tiny_graph().entity(seed) for seed in seeds))


def ask(reply: str, *, structured: bool = True) -> tuple[int, list[str], Request]:
    with ScriptedLLM([reply]) as server, record(Trace(), "test", "prune") as entry:
        model = LLM(base_url=server.base_url, structured=structured)
        hops = LLMHops(model).hops(query("Who\nis it?", "Kenya"), Subgraph(tiny_graph()))
        (request,) = server.requests
    return hops, entry.events, request


@pytest.mark.parametrize(
    ("reply", "hops"),
    [
        ("1", 1),
        ("2", 2),
        (" 3.\n", 3),
        ("**2**", 2),
        ("2 hops", 2),
        ("2-hop", 2),
        ("Two", 2),
        ("Number: 4", 4),
        ("The capital, then the currency.\n2", 2),
        ("<think>1\n3?</think>2", 2),
        ('{"hops": 2}', 2),
        ('{"hops": "three"}', 3),
        ('```json\n{"hops": 2}\n```', 2),
    ],
)
@pytest.mark.parametrize("structured", [True, False])
def test_the_model_says_how_many(reply: str, hops: int, structured: bool) -> None:
    assert ask(reply, structured=structured)[:2] == (hops, [])


def test_what_the_model_is_told() -> None:
    request = ask("1")[2]
    assert request.prompt.endswith('such as {"hops": 2}.\n\nQuestion: Who is it?\nHops:')
    assert request.body["response_format"]["json_schema"]["schema"] == {
        "type": "object",
        "properties": {"hops": {"type": "integer", "minimum": 1, "maximum": 9}},
        "required": ["hops"],
        "additionalProperties": False,
    }
    request = ask("1", structured=False)[2]
    assert request.prompt.endswith("Reply with that number only.\n\nQuestion: Who is it?\nNumber:")
    assert "response_format" not in request.body


@pytest.mark.parametrize(
    "reply", ["0", "17", "-2", "1.5", "I think that 2 are enough", "nan", "2 or 3", "", '{"hops": 0}', "{}"]
)
def test_a_reply_that_is_no_number_counts_as_one_hop(reply: str) -> None:
    hops, events, _ = ask(reply)
    assert hops == 1
    assert told(events)[-1] == ("hops.unread_reply", {"reply": reply})
    assert len(events) == (1 if reply else 2)


@dataclass(frozen=True, repr=False)
class Likes(Scorer):
    """Gives 1 to texts with a word, else 0.

    Args:
        word: The word.
    """

    word: str = ""

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        assert len(set(texts)) == len(texts)
        return np.array([float(self.word in text.split()) for text in texts])


@pytest.mark.parametrize(
    ("word", "seeds", "max_hops", "hops"),
    [
        ("currency", ("Kenya",), 3, 1),
        ("currency", ("Nairobi",), 3, 2),
        ("currency", ("Kigali",), 3, 3),
        ("currency", ("Kigali",), 2, 1),  # it is too far away: all patterns are equal, and the shortest counts
        ("nothing", ("Kigali",), 3, 1),
        ("currency", ("Kigali", "Kenya"), 3, 1),
        ("currency", (), 3, 1),
    ],
)
def test_the_hops_of_the_best_pattern(word: str, seeds: tuple[str, ...], max_hops: int, hops: int) -> None:
    classifier = PatternHops(Likes(word), max_hops=max_hops)
    assert classifier.hops(query("?", *seeds), Subgraph(tiny_graph())) == hops


def test_patterns_are_those_of_the_subgraph() -> None:
    graph = tiny_graph()
    kenya, shilling = graph.entity("Kenya"), graph.entity("Kenyan shilling")
    nothing = np.empty(0, dtype=np.int32)
    alone = Subgraph(graph, np.array(sorted((kenya, shilling)), dtype=np.int32), nothing)
    assert PatternHops(BM25()).hops(query("Which currency?", "Kenya"), alone) == 1


def test_wrong_parameters() -> None:
    with fails("parameter.not_allowed", PipelineError, brick="LLMHops", name="llm", value="3", example="LLM()"):
        LLMHops(3)  # type: ignore[arg-type]
    with fails("parameter.not_allowed", PipelineError, brick="PatternHops", name="scorer", value="3", example="BM25()"):
        PatternHops(3)  # type: ignore[arg-type]
    with fails("parameter.not_allowed", PipelineError, brick="PatternHops", name="max_hops", value="101", example="3"):
        PatternHops(BM25(), max_hops=101)


def test_the_contract() -> None:
    check_brick(LLMHops(LLM()), installed=False)
    check_brick(PatternHops(BM25()), installed=False)
