"""Questions about creatures: booleans and numbers of triples, relations within a class, classes in one word, types."""

from __future__ import annotations

from pathlib import Path

import pytest
from overlap import Overlap
from staff import Indifferent

from graphbrick import LinkLabels, PathAnswer, Patterns, WordAlignment
from graphbrick.bricks.retrieve.operators.stage import Operators
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, Record

PIPELINE = Operators(Patterns(Indifferent())) >> PathAnswer()
CREATURES = [
    # name, hp, weight, legendary, types, region, group, abilities with whether they are hidden
    ("Mossling", 40, 6.5, False, "Leaf", "Vale", "Meadow", (("Bloom", False), ("Thicket", True))),
    ("Mosshorn", 80, 90.0, False, "Leaf Bog", "Vale", "Meadow", (("Bloom", False),)),
    ("Emberkit", 35, 8.5, False, "Ember", "Crag", "Meadow", (("Kindle", False),)),
    ("Cinderox", 95, 300.0, True, "Ember Bog", "Crag", "Wyrm", (("Kindle", True),)),
    ("Gloomfen", 70, 40.0, False, "Bog", "Vale", "Wyrm", (("Mire", False),)),
]
MOVES = [("Spark", 40, 100), ("Flood", 160, 70), ("Creep", 155, 90)]
DEPTHS = {"Gloomfen": 3.5, "Mosshorn": 1.0}
LEARNS = [("Mossling", "Spark", 1), ("Mossling", "Creep", 9), ("Mossling", "Flood", 30), ("Emberkit", "Spark", 5)]


def _properties(name: str, hp: int, kg: float, legend: bool) -> dict[str, float | bool]:
    return {"hp": hp, "weight_kg": kg, "legendary": legend} | ({"depth_m": DEPTHS[name]} if name in DEPTHS else {})


def _records() -> list[Record]:
    records: list[Record] = [
        EntityRecord(name, types=("Creature",), properties=_properties(name, hp, kg, legend))
        for name, hp, kg, legend, *_ in CREATURES
    ]
    for name, _, _, _, types, region, group, abilities in CREATURES:
        records += [(name, "HAS_TYPE", one) for one in types.split()]
        records += [(name, "NATIVE_TO", region), (name, "IN_BREEDING_GROUP", group)]
        records += [EdgeRecord(name, "HAS_ABILITY", one, properties={"hidden": hidden}) for one, hidden in abilities]
    records += [EdgeRecord(one, "LEARNS", move, properties={"level": level}) for one, move, level in LEARNS]
    records += [EdgeRecord("Mossling", "EVOLVES_INTO", "Mosshorn", properties={"level": 16})]
    records += [EdgeRecord("Emberkit", "EVOLVES_INTO", "Cinderox", properties={"level": 36})]
    records += [("Ember", "SUPER_EFFECTIVE_AGAINST", "Leaf"), ("Leaf", "SUPER_EFFECTIVE_AGAINST", "Bog")]
    records += [
        EntityRecord(name, types=("Move",), properties={"power": power, "accuracy": accuracy})
        for name, power, accuracy in MOVES
    ]
    records += [EntityRecord(name, types=("Type",)) for name in ("Leaf", "Ember", "Bog")]
    records += [EntityRecord(name, types=("Region",)) for name in ("Vale", "Crag")]
    records += [EntityRecord(name, types=("BreedingGroup",)) for name in ("Meadow", "Wyrm")]
    return [*records, *(EntityRecord(name, types=("Ability",)) for name in ("Bloom", "Thicket", "Kindle", "Mire"))]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(_records(), tmp_path_factory.mktemp("creatures") / "creatures.graph")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("What's the hidden ability of Mossling?", {"Thicket"}),
        ("At what level does Mossling evolve?", {"16"}),
        ("At which level does Emberkit learn Spark?", {"5"}),
        ("which moves does Mossling learn at level 1", {"Spark"}),
        ("which moves does Mossling learn before level 10?", {"Spark", "Creep"}),
        ("What does Mossling evolve into?", {"Mosshorn"}),
        ("What does Mosshorn evolve from?", {"Mossling"}),
        ("What are the evolutions of Emberkit?", {"Cinderox"}),
        ("If I add up the HP of all of Emberkit's evolutions, what do I get?", {"95"}),
        ("Which bog type is the heaviest?", {"Cinderox"}),
        ("bog types from Vale that are not legendary", {"Mosshorn", "Gloomfen"}),
        ("Which types are never super effective against anything?", {"Bog"}),
        ("what types are super effective against Mossling", {"Ember"}),
        ("Which creatures are in the Wyrm breeding group?", {"Cinderox", "Gloomfen"}),
        ("number of legendary creatures?", {"1"}),
        ("list all the moves with a power over 150 pls", {"Flood", "Creep"}),
        ("what's more powerful, Flood or Creep?", {"Flood"}),
        ("how accurate is the move Creep", {"90"}),
        ("tell me the base hp of Gloomfen", {"70"}),
        ("avg hp of bog creatures", {"81.67"}),
        ("What are the 2 creatures with the highest HP?", {"Cinderox", "Mosshorn"}),
        ("who's got the ability Mire", {"Gloomfen"}),
        ("What type is Glomfen?", {"Bog"}),
    ],
)
def test_everyday_questions_are_read(graph: Graph, question: str, answers: set[str]) -> None:
    assert set(PIPELINE(graph, question).texts) == answers


def test_the_way_in_which_something_is_done_is_refused(graph: Graph) -> None:
    answer = PIPELINE(graph, "How does Mossling evolve?")
    assert not answer.texts
    assert "operators.not_answered" in answer.trace.event_codes


def test_info_on_something_is_its_card(graph: Graph) -> None:
    (card,) = PIPELINE(graph, "give me some info on Gloomfen please").texts
    assert card.startswith("Gloomfen (Creature)")


def test_a_path_that_leaves_out_a_name_is_hardly_trusted(graph: Graph) -> None:
    pipeline = Operators(Patterns(WordAlignment(Overlap()))) >> PathAnswer()
    answer = pipeline(graph, "What does Mossling evolve into with Kindle?")
    assert answer.confidence is not None
    assert answer.confidence <= 0.2
    unread = next(event for event in answer.trace.events if getattr(event, "code", "") == "operators.words_not_read")
    assert "Kindle" in unread.values["words"]


def test_a_name_that_is_taken_for_most_of_what_it_joins_is_told(graph: Graph) -> None:
    answer = PIPELINE(graph, "Which bog type is the heaviest?")
    told = next(one for one in answer.trace.events if getattr(one, "code", "") == "operators.stands_for")
    assert (told.values["noun"], told.values["n"], told.values["of"]) == ("Creature", 3, 4)


@pytest.mark.parametrize(
    ("question", "texts", "missing"),
    [("Which creature is the deepest?", ("Gloomfen",), 3), ("Which creatures have a depth over 2?", ("Gloomfen",), 3)],
)
def test_things_without_a_value_are_counted(graph: Graph, question: str, texts: tuple[str, ...], missing: int) -> None:
    answer = PIPELINE(graph, question)
    (told,) = (one for one in answer.trace.events if getattr(one, "code", "") == "operators.without_value")
    assert (answer.texts, told.values) == (texts, {"name": "depth_m", "missing": missing, "of": 5})


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which giants cannot swim", {"Hill Lord"}),
        ("how many giants are there", {"2"}),
        ("which creatures speak Giant", {"Hill Lord", "Sea Lord", "Pike"}),
        ("list all fish", {"Pike"}),
    ],
)
def test_a_plural_is_a_kind_before_it_is_a_thing_of_that_name(tmp_path: Path, question: str, answers: set[str]) -> None:
    """Giant is also a language."""
    creatures = [("Hill Lord", "giant", 0), ("Sea Lord", "giant", 40), ("Pike", "fish", 60)]
    records: list[Record] = [
        EntityRecord(name, types=("Creature",), properties={"kind": kind, "swim_speed": speed})
        for name, kind, speed in creatures
    ]
    records += [EntityRecord("Giant", types=("Language",)), *((name, "SPEAKS", "Giant") for name, *_ in creatures)]
    graph = build(records, tmp_path / "lords.graph")
    assert set((LinkLabels() >> PIPELINE)(graph, question).texts) == answers
