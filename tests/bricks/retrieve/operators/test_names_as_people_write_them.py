"""Names of classes and properties as people write them, properties that things have at all, words that are not read."""

from __future__ import annotations

import pytest

from graphbrick import Graph, Query
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.records.records import EntityRecord, RelationRecord
from graphbrick.learn.default import DEFAULT_PIPELINE
from graphbrick.pipeline.parsing import parse

MACHINES = {
    "Kestrel": {"category": "Copter", "level": 3, "night_vision": True, "climb_speed_kmh": 40},
    "Heron": {"category": "Copter", "level": 2, "night_vision": False, "climb_speed_kmh": 25},
    "Plover": {"category": "Copter", "level": 3, "night_vision": True},
    "Badger": {"category": "Digger", "level": 3, "night_vision": False, "burrow_speed_kmh": 1, "climb_speed_kmh": 0},
}
FUELS = ("Diesel", "Kerosene", "Hydrogen")
BURNS = {"Kestrel": "Kerosene", "Heron": "Kerosene", "Plover": "Diesel", "Badger": "Diesel"}


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    records: list[object] = [EntityRecord(name, name, (), ("FuelType",)) for name in FUELS]
    records += [EntityRecord(name, name, (), ("Machine",), None, values) for name, values in MACHINES.items()]
    records += [RelationRecord("BURNS", "BURNS"), *((name, "BURNS", fuel) for name, fuel in BURNS.items())]
    return build(records, tmp_path_factory.mktemp("machines") / "machines.graph")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("whats the level of a kestrel?", {"3"}),
        ("What types of fuel does the Kestrel burn?", {"Kerosene"}),
        ("Which kind of fuel does the Badger burn?", {"Diesel"}),
        ("which machines burn diesel fuel?", {"Plover", "Badger"}),
        ("night-vision copters", {"Kestrel", "Plover"}),
        ("night-vision copters that burn kerosene fuel", {"Kestrel"}),
        ("Which level 3 machines burn diesel fuel?", {"Plover", "Badger"}),
        ("which copters do not burn kerosene?", {"Plover"}),
        ("which level 3 machines never burn diesel?", {"Kestrel"}),
        ("how many machines support night vision?", {"2"}),
        ("which machines can climb?", {"Kestrel", "Heron"}),
        ("which machines are unable to climb?", {"Plover", "Badger"}),
        ("machines with a burrow speed", {"Badger"}),
        ("which copters have no climb speed?", {"Plover"}),
        ("how many machines can climb?", {"2"}),
    ],
)
def test_classes_and_properties_are_read_as_they_are_written(machines: Graph, question: str, answers: set[str]) -> None:
    assert set(parse(str(DEFAULT_PIPELINE))(machines, question).texts) == answers


@pytest.mark.parametrize("word", ["rusty", "three-winged"])
def test_an_adjective_that_is_not_read_beside_a_value_is_named(machines: Graph, word: str) -> None:
    answer = parse(str(DEFAULT_PIPELINE))(machines, f"{word} copters that burn kerosene fuel")
    assert answer.confidence is None or answer.confidence < 0.5
    assert any(word in str(event) for event in answer.trace.events)


def test_what_no_thing_does_is_not_answered_by_what_one_does(machines: Graph) -> None:
    answer = parse(str(DEFAULT_PIPELINE))(machines, "which fuel types does no machine burn?")
    assert set(answer.texts) <= {"Hydrogen"}


@pytest.mark.parametrize("text", ["Which fuel does the Kestrel burn?", "which fuel is burnt by the kestrel"])
def test_a_given_seed_stands_for_the_only_other_name(machines: Graph, text: str) -> None:
    query = Query(text, (machines.entity("Badger"),))
    answer = parse(str(DEFAULT_PIPELINE))(machines, query)
    assert answer.texts == ("Diesel",)
    assert "operators.given_seed" in answer.trace.event_codes
    same = parse(str(DEFAULT_PIPELINE))(machines, Query(query.text, (machines.entity("Kestrel"),)))
    assert same.texts == ("Kerosene",)
    assert "operators.given_seed" not in same.trace.event_codes


HOSTS = {
    "alder": {"homepage": "https://alder.example", "hostname": "alder-1", "time_zone": "UTC"},
    "birch": {"homepage": "https://birch.example", "hostname": "birch-7", "time_zone": "CET"},
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    records: list[object] = [EntityRecord(name, name, (), ("Program",), None, values) for name, values in HOSTS.items()]
    records += [EntityRecord(name, name, (), ("Program",)) for name in ("cedar", "elm")]
    records += [("birch", "DEPENDS_ON", "alder"), ("cedar", "DEPENDS_ON", "alder"), ("alder", "DEPENDS_ON", "elm")]
    records += [("cedar", "SUGGESTS", "birch"), ("alder", "KEPT_IN", "Vault"), ("birch", "KEPT_IN", "Vault")]
    return build(records, tmp_path_factory.mktemp("programs") / "programs.graph")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("What's the homepage of alder?", {"https://alder.example"}),
        ("homepages of alder and birch", {"alder: https://alder.example", "birch: https://birch.example"}),
        ("What is the home page of birch?", {"https://birch.example"}),
        ("what host name does birch have", {"birch-7"}),
        ("the timezone of birch", {"CET"}),
        ("Does anything depend on cedar?", {"no"}),
        ("does anything depend on alder", {"yes"}),
        ("Does something suggest birch?", {"yes"}),
        ("does anything suggest alder?", {"no"}),
    ],
)
def test_names_are_divided_as_people_like(programs: Graph, question: str, answers: set[str]) -> None:
    assert set(parse(str(DEFAULT_PIPELINE))(programs, question).texts) == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("what needs alder", {"birch", "cedar"}),
        ("Which programs require alder?", {"birch", "cedar"}),
        ("what does alder need?", {"elm"}),
        ("Does anything rely on cedar?", {"no"}),
    ],
)
def test_needs_are_what_things_depend_on(programs: Graph, question: str, answers: set[str]) -> None:
    answer = parse(str(DEFAULT_PIPELINE))(programs, question)
    assert set(answer.texts) == answers
    assert answer.confidence == 0.5
    assert any("is read as 'depend" in str(event) for event in answer.trace.events)


CAST = {
    "characters": ("Ana Bell", "Bo Finn"),
    "filmmakers": ("Kit Moss", "Lou Hart"),
    "films": ("The Long Night", "Second Dawn"),
    "planets": ("Zor", "Quill"),
    "starships": ("Falcon", "Heron Shuttle"),
    "manufacturers": ("Acme Yards", "Norden Works"),
}
FILMED = """
Ana Bell: APPEARS_IN The Long Night, APPEARS_IN Second Dawn, HOMEWORLD Zor, PILOTS Falcon
Bo Finn: APPEARS_IN Second Dawn, PILOTS Heron Shuttle
The Long Night: DIRECTED_BY Kit Moss, PRODUCED_BY Lou Hart, SHOWS_PLANET Zor
Second Dawn: DIRECTED_BY Lou Hart, PRODUCED_BY Kit Moss, SHOWS_PLANET Zor, SHOWS_PLANET Quill
Falcon: MANUFACTURED_BY Acme Yards, APPEARS_IN The Long Night
Heron Shuttle: MANUFACTURED_BY Acme Yards, APPEARS_IN Second Dawn
"""


@pytest.fixture(scope="module")
def saga(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    records: list[object] = [EntityRecord(one, one, (), (kind,)) for kind, names in CAST.items() for one in names]
    for line in FILMED.strip().splitlines():
        name, _, facts = line.partition(": ")
        records += [(name, *fact.split(" ", 1)) for fact in facts.split(", ")]
    return build(records, tmp_path_factory.mktemp("saga") / "saga.graph")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("who directed the long night", {"Kit Moss"}),
        ("In how many films does Ana Bell show up?", {"2"}),
        ("In which movies do we see Bo Finn?", {"Second Dawn"}),
        ("which company makes the Falcon?", {"Acme Yards"}),
        ("what ships does Ana Bell fly", {"Falcon"}),
        ("Did Ana Bell fly the Falcon?", {"yes"}),
        ("Did Bo Finn fly the Falcon?", {"no"}),
        ("I'd like to see everything that Acme Yards builds.", {"Falcon", "Heron Shuttle"}),
        ("Which robots does Ana Bell fly?", set()),
    ],
)
def test_words_of_the_same_meaning_name_classes_and_relations(saga: Graph, question: str, answers: set[str]) -> None:
    assert set(parse(str(DEFAULT_PIPELINE))(saga, question).texts) == answers


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    values = {"alpha": (2_000, 150), "beta": (90_000, 215), "gamma": (250_000, 90)}
    records: list[object] = [
        EntityRecord(name, name, (), ("Package",), None, {"installed_size_kb": size, "height_cm": height})
        for name, (size, height) in values.items()
    ]
    records += [("beta", "NEEDS", "alpha")]
    return build(records, tmp_path_factory.mktemp("packages") / "packages.graph")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which packages are bigger than 50 MB", {"beta", "gamma"}),
        ("packages with an installed size over 0.2 GB", {"gamma"}),
        ("how many packages are smaller than 3000 kb?", {"1"}),
        ("which packages are taller than 2 metres", {"beta"}),
        ("packages between 1 and 2 metres tall", {"alpha"}),
        ("which packages are over 7 feet tall", {"beta"}),
    ],
)
def test_amounts_in_another_unit_are_converted(packages: Graph, question: str, answers: set[str]) -> None:
    assert set(parse(str(DEFAULT_PIPELINE))(packages, question).texts) == answers
