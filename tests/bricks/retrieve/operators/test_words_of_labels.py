"""Questions over a graph that was not learned: nouns and verbs of labels, unknown words, sets that are left out."""

from __future__ import annotations

import pytest
from staff import Indifferent

from graphbrick import Graph, PathAnswer, Patterns, build
from graphbrick.bricks.retrieve.operators.stage import ASSUMED, MISSPELT, Operators
from graphbrick.bricks.retrieve.operators.wording import english
from graphbrick.patterns.lexicon import lexicon_of
from graphbrick.patterns.unknown_words import WordReader

PIPELINE = Operators(Patterns(Indifferent())) >> PathAnswer()
NATIONS = {"Ada Moss": "Finnish", "Ben Rey": "French", "Cleo Tan": "Finnish", "Dan Ito": "Dutch"}
TEAMS = {
    "Ada Moss": ["Orca Works", "Puma Works"],
    "Ben Rey": ["Orca Works"],
    "Cleo Tan": ["Puma Works", "Zebra Works"],
    "Dan Ito": ["Zebra Works"],
}
WON = ["Ada Moss", "Ada Moss", "Ben Rey", "Cleo Tan", "Ada Moss", "Ben Rey"]
RACING = [
    *[(driver, "nationality", nation) for driver, nation in NATIONS.items()],
    *[(driver, "DROVE_FOR", team) for driver, teams in TEAMS.items() for team in teams],
    *[(f"{2001 + i} Island Rally", "winner", driver) for i, driver in enumerate(WON)],
    *[(f"{2001 + i} Island Rally", "winningTeam", TEAMS[driver][0]) for i, driver in enumerate(WON)],
    *[(f"{2001 + i} Island Rally", "circuit", ("Long Bay", "Mill Road")[i % 2]) for i in range(len(WON))],
    *[(circuit, "country", "Malta") for circuit in ("Long Bay", "Mill Road")],
    ("Orca Works", "based in", "Valletta"),
]


@pytest.fixture(scope="module")
def racing(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(RACING, tmp_path_factory.mktemp("racing") / "racing.graph")


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("How many teams are there?", ["3"]),
        ("How many circuits are in Malta?", ["2"]),
        ("How many drivers are there?", ["4"]),
        ("How many Finnish drivers are there?", ["2"]),
        ("How many rallies did Ada Moss win?", ["3"]),
        ("Which drivers drove for both Orca Works and Puma Works?", ["Ada Moss"]),
        ("Which drivers have driven for both Puma Works and Zebra Works?", ["Cleo Tan"]),
        ("Which Finnish drivers never drove for Orca Works?", ["Cleo Tan"]),
        ("Which drivers of Puma Works never drove for Zebra Works?", ["Ada Moss"]),
        ("Which drivers drove for Puma Works but not for Orca Works?", ["Cleo Tan"]),
        ("Which drivers drove for Zebra Works but not Orca Works or Puma Works?", ["Dan Ito"]),
        ("Which drivers drove for neither Orca Works nor Puma Works?", ["Dan Ito"]),
        ("Which drivers neither drove for Orca Works nor for Puma Works?", ["Dan Ito"]),
        ("Which drivers of Orca Works except Ben Rey are there?", ["Ada Moss"]),
        ("Except Ben Rey, who drove for Orca Works?", ["Ada Moss"]),
        ("Which drivers of Orca Works other than those who drove for Puma Works are there?", ["Ben Rey"]),
        ("Which drivers drove for Orca Works or won the 2004 Island Rally?", ["Ada Moss", "Ben Rey", "Cleo Tan"]),
        ("Which drivers drove for Orca Works or Zebra Works?", ["Ada Moss", "Ben Rey", "Cleo Tan", "Dan Ito"]),
        ("Which drivers are not Finnish?", ["Ben Rey", "Dan Ito"]),
    ],
)
def test_a_new_graph(racing: Graph, question: str, texts: list[str]) -> None:
    assert sorted(PIPELINE(racing, question).texts) == texts


@pytest.mark.parametrize(
    ("question", "texts", "code", "words", "confidence"),
    [
        ("How many drivrs are there?", ["4"], "operators.misspelt", ("drivrs", "drivers"), MISSPELT),
        ("How many circits are in Malta?", ["2"], "operators.misspelt", ("circits", "circuits"), MISSPELT),
        (
            "Which drivers drovve for both Orca Works and Puma Works?",
            ["Ada Moss"],
            "operators.misspelt",
            ("drovve", "drove"),
            MISSPELT,
        ),
        ("How many racers are there?", ["4"], "operators.assumption", (), ASSUMED),
        ("Which clubs are there?", ["Orca Works", "Puma Works", "Zebra Works"], "operators.assumption", (), ASSUMED),
        (
            "Which drivers raced for both Orca Works and Puma Works?",
            ["Ada Moss"],
            "operators.assumption",
            (),
            ASSUMED,
        ),
    ],
)
def test_words_that_the_graph_does_not_know(
    racing: Graph, question: str, texts: list[str], code: str, words: tuple[str, ...], confidence: float
) -> None:
    answer = PIPELINE(racing, question)
    assert (sorted(answer.texts), answer.confidence) == (texts, confidence)
    assert answer.trace is not None
    (note, *_) = [event for event in answer.trace.events if event.code == code]  # type: ignore[attr-defined]
    assert tuple(note.values.values()) == words


@pytest.mark.parametrize(
    ("words", "misspelt", "near"),
    [
        (["drivers", "teams", "winner", "won", "driven"], [], []),  # known
        (["drives", "steam", "term", "tram"], [], []),  # English, though one letter from words of the graph
        (["winers", "drving"], ["winners"], []),
        (["racer", "clubs", "raced"], [], ["driver", "teams", "drove"]),
        (["dog", "xyzzy", "abc"], [], []),
    ],
)
def test_only_unknown_words_are_read_as_others(
    racing: Graph, words: list[str], misspelt: list[str], near: list[str]
) -> None:
    reader = WordReader(lexicon_of(racing), english().all_words)
    assert [one.read_as for one in reader.misspelt(words)] == misspelt
    assert [one.read_as for one in reader.near(words)] == near
