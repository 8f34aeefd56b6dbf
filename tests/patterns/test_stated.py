"""Questions that state a relation pattern, and patterns in words."""

from __future__ import annotations

import pytest

from graphbrick import PathAnswer, Patterns
from graphbrick.bricks.link.labels import LinkLabels
from graphbrick.bricks.retrieve.operators.stage import Operators
from graphbrick.core import Query
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord
from graphbrick.models.scorers.bm25 import BM25
from graphbrick.patterns.in_words import InWords
from graphbrick.patterns.stated import stated, stated_text
from graphbrick.patterns.words_file import EntityClass, RelationWords
from graphbrick.testing import tiny_graph

GRAPH = tiny_graph()
WORDS = InWords(
    {
        "BASED_IN": RelationWords(tail=["base"], verb="base", preposition="in"),
        "RESOLVED": RelationWords(verb="resolve", subject="head"),
        "LED_BY": RelationWords(tail=["leader"], verb="lead", subject="tail"),
        "MEMBER_OF": RelationWords(head=["member"]),
        "capital": RelationWords(tail=["capital"]),
        "borders": RelationWords(verb="border", subject="head"),
        "AFFECTED": RelationWords(tail=["affected"]),
    },
    [
        EntityClass(["person"], ["RESOLVED", "MEMBER_OF"], ["LED_BY"]),
        EntityClass(["team"], ["LED_BY", "BASED_IN"], ["MEMBER_OF"]),
        EntityClass(["incident"], ["AFFECTED"], ["RESOLVED"]),
        EntityClass(["country"], ["borders"], ["borders"]),
    ],
    {"borders"},
)


@pytest.mark.parametrize(
    ("steps", "many", "phrase"),
    [
        ([("RESOLVED", False)], False, "person who resolved X"),
        ([("RESOLVED", True)], True, "incidents that X resolved"),
        ([("LED_BY", True)], False, "leader of X"),
        ([("LED_BY", False)], True, "teams that X leads"),
        ([("MEMBER_OF", False)], True, "members of X"),
        ([("MEMBER_OF", True)], True, "teams that X is a member of"),
        ([("BASED_IN", False)], True, "teams based in X"),
        ([("capital", True)], False, "capital of X"),
        ([("capital", False)], False, "thing that X is a capital of"),
        ([("borders", True)], True, "countries that border X"),
        ([("borders", False)], True, "countries that border X"),
        ([("AFFECTED", False)], True, "incidents that affected X"),
        ([("MEMBER_OF", True), ("LED_BY", True)], True, "leaders of teams that X is a member of"),
        ([("CbG", True)], True, "things that X leads to by «CbG»"),
    ],
)
def test_a_pattern_in_words(steps: list[tuple[str, bool]], many: bool, phrase: str) -> None:
    assert WORDS.phrase("X", steps, many=many) == phrase


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of Kenya?",
        "Kenya -> capital -> Nairobi",  # it states an end
        "Kenya -> capitol -> *",
        "Atlantis -> capital -> *",
        "-> capital -> *",
        "Kenya -> capital <- *",
        "Kenya -> *",
        "*",
    ],
)
def test_what_states_no_pattern_is_another_question(text: str) -> None:
    assert stated(GRAPH, text) is None


def test_a_stated_pattern_is_followed_and_nothing_else() -> None:
    pipeline = LinkLabels() >> Operators(Patterns(BM25())) >> PathAnswer(min_confidence=0.9)
    answer = pipeline(GRAPH, "Nairobi  <- capital <- * -> currency -> *")
    assert answer.texts == ("Kenyan shilling",)
    assert [item.text for item in answer.evidence.paths] == [
        "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"
    ]
    assert pipeline(GRAPH, "Nairobi -> capital -> *").texts == ()
    borders = pipeline(GRAPH, Query("Kenya -> borders -> *"), seeds=["Kenya"])
    assert set(borders.texts) == {"Uganda"}
    assert borders.confidence is None  # nothing is guessed


def test_entities_of_one_name_are_told_by_their_keys(tmp_path) -> None:  # type: ignore[no-untyped-def]
    records = [
        EntityRecord("a", "Jordan", (), ()),
        EntityRecord("b", "Jordan", (), ()),
        EdgeRecord("b", "born in", "Amman"),
    ]
    graph = build(records, tmp_path / "jordan.graph")
    text = stated_text(graph, graph.entity("b"), [(0, True)])
    assert text == "Jordan [b] -> born in -> *"
    assert stated(graph, text) == (graph.entity("b"), ((0, True),))
    assert stated(graph, "Jordan -> born in -> *") is None
    pipeline = LinkLabels() >> Operators(Patterns(BM25())) >> PathAnswer()
    assert pipeline(graph, text).texts == ("Amman",)
