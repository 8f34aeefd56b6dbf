"""Words of a question that learned patterns do not read."""

from __future__ import annotations

import pytest

from graphbrick import Graph, LinkLabels, Patterns, PatternScorer, Query, Subgraph
from graphbrick.core.trace import Event, Trace, record
from graphbrick.learn.learned import learned_pipeline, learned_place
from graphbrick.learn.learning import LearnReport
from graphbrick.patterns.english.usual import roots, synonyms, usual_words
from graphbrick.patterns.lexicon import lexicon_of
from graphbrick.patterns.model.confidence import Calibration
from graphbrick.patterns.model.folder import load
from graphbrick.patterns.model.unread import unread
from graphbrick.patterns.unknown_words import WordReader
from graphbrick.testing import tiny_graph


def _unread(graph: Graph, text: str) -> tuple[list[str], float]:
    """Return the words that the best pattern of a question leaves unread, and the share of confidence that is left."""
    place = str(learned_place(graph))
    model, stage = load(place), Patterns(PatternScorer(place))
    assert model.calibration is not None
    readings = stage.readings(LinkLabels(words=place).link(graph, Query(text)), Subgraph(graph))
    return tuple(unread(model, model.calibration, text, readings[0]))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("question", "words", "share"),
    [
        ("Who married Ada Marsh?", ["married"], 0.15),
        ("Which award did Ada Marsh win?", ["award", "win"], 0.15),
        ("What is the weather in Finance?", ["weather"], 0.3),
        ("Who works in Team 1 expectancy?", ["expectancy"], 0.5),
    ],
)
def test_words_that_nothing_reads_lower_the_confidence(
    learned: tuple[Graph, LearnReport], question: str, words: list[str], share: float
) -> None:
    found, left = _unread(learned[0], question)
    assert set(words) <= set(found)
    assert left == share


@pytest.mark.parametrize(
    "question",
    [
        "Who works in Team 1?",
        "Who is working in Team 1?",  # another form
        "Who leads Finance?",
        "Who is the leader of Finance?",
        "Who is the supervisor of Ben Okoro?",  # written by learn
        "Who heads Finance?",  # a synonym
        "Who leads it, and I mean Finance?",
    ],
)
def test_words_of_the_graph_their_forms_and_synonyms_are_read(
    learned: tuple[Graph, LearnReport], question: str
) -> None:
    assert _unread(learned[0], question) == ([], 1.0)


def test_a_further_word_matters_less_where_others_say_every_hop(learned: tuple[Graph, LearnReport]) -> None:
    """«Who leads the award of Finance» speaks of leaders, whatever the award is."""
    found, left = _unread(learned[0], "Who leads the award of Finance?")
    assert (found, left) == (["award"], 0.5)


def test_words_of_given_questions_are_read(learned: tuple[Graph, LearnReport]) -> None:
    place = str(learned_place(learned[0]))
    model, text = load(place), "Who married Ada Marsh?"
    stage = Patterns(PatternScorer(place))
    assert model.calibration is not None
    heard = Calibration.from_dict(model.calibration.to_dict() | {"heard": ["who", "married"]})
    readings = stage.readings(LinkLabels(words=place).link(learned[0], Query(text)), Subgraph(learned[0]))
    assert unread(model, heard, text, readings[0]) == ([], 1.0)
    assert Calibration.from_dict(heard.to_dict()).heard == {"who", "married"}


def test_a_question_about_a_relation_that_the_graph_never_had_is_refused(learned: tuple[Graph, LearnReport]) -> None:
    pipeline = learned_pipeline(learned[0])
    assert pipeline is not None
    run = pipeline.run(learned[0], "Who married Ada Marsh?")
    assert run.answer is not None
    assert run.answer.texts == ()
    told = next(one for one in run.trace.events if isinstance(one, Event) and one.code == "pattern_scorer.not_read")
    assert told.values["words"] == ["married"]


def test_a_model_without_calibration_has_no_confidence_and_tells_nothing(learned: tuple[Graph, LearnReport]) -> None:
    trace, scorer = Trace(), PatternScorer(str(learned_place(learned[0])))
    with record(trace, "stage", "retrieve"):
        assert scorer.confidence("Who married Ada Marsh?", list) is None  # no readings
    assert not trace.events


def test_a_word_inside_a_usual_name_is_no_typing_error() -> None:
    lexicon = lexicon_of(tiny_graph())
    reader = WordReader(lexicon, asking=frozenset({"later"}))
    assert [one.read_as for one in reader.misspelt(["latter", "lateer"])] == ["later"]
    assert reader.misspelt(["alma", "mater"]) == []


def test_usual_relations_have_their_words() -> None:
    usual = usual_words()
    assert {"writer", "write", "compose", "spouse", "marry", "religion"} <= usual
    assert not usual & {"make", "kind", "weather", "speak"}
    assert roots("wrote") & roots("writers")
    assert not roots("wrote") & roots("directors")
    assert "purchase" in synonyms("bought")
