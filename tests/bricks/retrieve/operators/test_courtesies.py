"""Questions that go on from what was said before: «Thanks! And which ...»."""

from __future__ import annotations

import pytest

from graphbrick import EntityRecord
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.language.courtesy import without_courtesy
from graphbrick.learn.default import DEFAULT_PIPELINE
from graphbrick.pipeline.parsing import parse


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    films = {
        "Hello, Tomorrow": ("Ida Falk", 2004),
        "Great, Said the Fox": ("Omar Reid", 2006),
        "Red Orchard": ("Ida Falk", 2006),
    }
    records = [
        part
        for name, (person, year) in films.items()
        for part in (
            EntityRecord(name, types=("film",), properties={"year": year, "language": "Norwegian"}),
            (name, "directed by", person),
        )
    ]
    return build(records, tmp_path_factory.mktemp("films") / "films.graph")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Thanks! Which Norwegian films are from 2004?", {"Hello, Tomorrow"}),
        ("Great, thank you. Now which Norwegian films are from 2004?", {"Hello, Tomorrow"}),
        ("Nice, how many films are there?", {"3"}),
        ("thank you, and who directed Red Orchard?", {"Ida Falk"}),
        ("Good morning! Who directed Red Orchard?", {"Ida Falk"}),
        ("Hello, Tomorrow was directed by whom?", {"Ida Falk"}),
        ("Great, Said the Fox was directed by whom?", {"Omar Reid"}),
    ],
)
def test_words_of_courtesy_are_no_part_of_a_question_but_of_a_name(
    films: Graph, question: str, answers: set[str]
) -> None:
    assert set(parse(str(DEFAULT_PIPELINE))(films, question).texts) == answers


@pytest.mark.parametrize(
    "text",
    ["Great Western is based where?", "Nice is in which country?", "Now You See Me was made when?", "Thanks"],
)
def test_words_without_a_pause_after_them_stay(text: str) -> None:
    assert without_courtesy(text) == text


def test_what_a_question_is_asked_for_is_told_and_left_out_unless_it_has_a_name(films: Graph) -> None:
    pipeline = parse(str(DEFAULT_PIPELINE))
    answer = pipeline(films, "For the newsletter on Norwegian films: which films are from 2006?")
    assert set(answer.texts) == {"Great, Said the Fox", "Red Orchard"}
    told = "not part of the question: «For the newsletter on Norwegian films:»"
    assert told in answer.trace.events
    assert answer.confidence == 0.5  # «Norwegian» is a value, and may be meant as a condition
    assert pipeline(films, "For the newsletter: which films are from 2006?").confidence == 0.95
    assert set(pipeline(films, "For a talk about Ida Falk: which films are from 2006?").texts) <= {"Red Orchard"}
