"""Questions about models that companies offer, campaigns and creatures: wishes before them, verbs, units, dates."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from graphbrick import EdgeRecord, EntityRecord
from graphbrick.core.answer import Answer
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import DEFAULT_PIPELINE
from graphbrick.pipeline.parsing import parse

Ask = Callable[[str], Answer]
MODELS = {  # maker, release, end of knowledge, calls tools, accepts, produces
    "Lark One": ("Northlight", "2024-02-01", "2023-10", True, "text image", "text"),
    "Lark Two": ("Northlight", "2025-03-01", "2024-06", False, "text", "text image"),
    "Wren One": ("Brookside", "2025-03", "2024-12-31", True, "text", "text"),
    "Wren Two": ("Brookside", "2025-03-29", "2025-01", True, "text image", "text"),
}
OFFERS = {  # input and output price
    ("Northlight", "Lark One"): (1.5, 6.0),
    ("Hillcrest", "Lark One"): (2.0, 7.0),
    ("Hillcrest", "Lark Two"): (3.0, 9.0),
    ("Brookside", "Wren One"): (0.5, 1.0),
}
CAMPAIGNS = {"Dark Lantern": ("2017-12-01", "2019-12-01"), "Cold Ember": ("2015-05-01", "2016-03-01")}
CREATURES = {  # height, type, category, what it drops
    "Troll": (3.5, "mob", "Hostile mobs", "Bone"),
    "Cow": (1.4, "animal", "Passive mobs", "Hide"),
    "Camel": (2.4, "animal", "Passive mobs", "Hide"),
    "Ogre": (1.9, "giant", "Hostile mobs", "Bone"),
    "Sheep": (1.2, "animal", "Passive mobs", "Wool"),
    "Cart": (0.7, "other", "Vehicles", "Plank"),
}
DEFENCES = {"Training": "Baiting", "Filtering": "Baiting", "Backups": "Locking"}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    nodes, edges = list[EntityRecord](), list[EdgeRecord]()
    for kind, names in (
        ("Modality", ("text", "image")),
        ("Thing", ("Bone", "Hide", "Plank", "Wool")),
        ("Block", ("Granite", "Chalk")),
        ("Mitigation", tuple(DEFENCES)),
        ("Technique", ("Baiting", "Locking", "Probing")),
    ):
        nodes += [EntityRecord(name, types=(kind,)) for name in names]
    for name in ("Northlight", "Brookside", "Hillcrest"):
        nodes.append(EntityRecord(name, types=("Provider",), properties={"accepts_webhooks": name == "Hillcrest"}))
    for name, (maker, released, known, tools, accepts, produces) in MODELS.items():
        properties = {"release_date": released, "knowledge": known, "tool_call": tools}
        nodes.append(EntityRecord(name, types=("Model",), properties=properties))
        edges.append(EdgeRecord(name, "DEVELOPED_BY", maker))
        edges += [EdgeRecord(name, "ACCEPTS", one) for one in accepts.split()]
        edges += [EdgeRecord(name, "PRODUCES", one) for one in produces.split()]
    for (provider, model), (low, high) in OFFERS.items():
        edges.append(EdgeRecord(provider, "OFFERS", model, {"cost_input": low, "cost_output": high}))
    for name, (first, last) in CAMPAIGNS.items():
        nodes.append(EntityRecord(name, types=("Campaign",), properties={"first_seen": first, "last_seen": last}))
        edges.append(EdgeRecord(name, "USED", "Baiting"))
    for name, (height, kind, category, drop) in CREATURES.items():
        properties = {"height": height, "type": kind, "category": category}
        nodes.append(EntityRecord(name, types=("Creature",), properties=properties))
        edges.append(EdgeRecord(name, "DROPS", drop))
        edges.append(EdgeRecord(name, "STANDS_ON", "Granite"))
    edges += [EdgeRecord(defence, "MITIGATES", technique) for defence, technique in DEFENCES.items()]
    return build([*nodes, *edges], tmp_path_factory.mktemp("models") / "models.graph")


@pytest.fixture(scope="module")
def ask(graph: Graph) -> Ask:
    pipeline = parse(DEFAULT_PIPELINE)
    return lambda question: pipeline(graph, question)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("I'm building a farm and need to know how tall a troll is, please.", {"3.5"}),
        ("Quick one - which models does Hillcrest offer?", {"Lark One", "Lark Two"}),
        ("hi, I'm new here - which models does Hillcrest offer?", {"Lark One", "Lark Two"}),
        ("Could you work out the mean height of the vehicles?", {"0.7"}),
        ("Can I get all models that Brookside makes?", {"Wren One", "Wren Two"}),
        ("I'm after models that produce images", {"Lark Two"}),
        ("Are there techniques without a mitigation? Which ones?", {"Probing"}),
        ("Are there any models that Hillcrest offers, and if so, which?", {"Lark One", "Lark Two"}),
        ("Do any techniques have no mitigation? Which?", {"Probing"}),
        ("Which techniques do we have no mitigation for?", {"Probing"}),
        ("Apart from Northlight itself, who offers Lark One?", {"Hillcrest"}),
        ("What can we do against Baiting?", {"Training", "Filtering"}),
        ("mitigations against Baiting", {"Training", "Filtering"}),
        ("Which technique is known as Baiting?", {"Baiting"}),
        ("Which technique do we have Baiting under?", {"Baiting"}),
    ],
)
def test_wishes_second_questions_and_turns_around_a_question(ask: Ask, question: str, answers: set[str]) -> None:
    assert set(ask(question).texts) == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which models make images?", {"Lark Two"}),
        ("Which Northlight models make images?", {"Lark Two"}),
        ("Which models take images as input?", {"Lark One", "Wren Two"}),
        ("Which models accept and produce images?", set()),
        ("Which models accept or produce images?", {"Lark One", "Lark Two", "Wren Two"}),
        ("Which models accept but do not produce images?", {"Lark One", "Wren Two"}),
        ("Who made Wren One?", {"Brookside"}),
        ("Who is the maker of Lark One?", {"Northlight"}),
        ("Which models can call tools?", {"Lark One", "Wren One", "Wren Two"}),
        ("Northlight models that cannot call tools", {"Lark Two"}),
        ("Which models are able to call tools?", {"Lark One", "Wren One", "Wren Two"}),
        ("Which provider carries the most models?", {"Hillcrest"}),
        ("Which providers accept web hooks?", {"Hillcrest"}),
        ("Which providers do not accept webhooks?", {"Northlight", "Brookside"}),
        ("input price of Lark One at Hillcrest", {"2"}),
        ("output price of Lark One from Northlight", {"6"}),
    ],
)
def test_verbs_are_read_by_the_relations_near_them(ask: Ask, question: str, answers: set[str]) -> None:
    assert set(ask(question).texts) == answers


@pytest.mark.whole
def test_an_agent_is_not_what_is_done(ask: Ask) -> None:
    assert ask("Who is the producer of Lark Two?").texts == ()  # text and images are what it produces
    assert set(ask("Which producers of images are there?").texts) == {"Lark Two"}


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("When was Dark Lantern last seen?", {"2019-12-01"}),
        ("When was Dark Lantern first seen?", {"2017-12-01"}),
        ("models with knowledge after 2024-10", {"Wren One", "Wren Two"}),
        ("models whose knowledge stops somewhere in 2024", {"Lark Two", "Wren One"}),
        ("everything released before 2025", {"Lark One"}),
        ("number of models per release year", {"2024: 1", "2025: 3"}),
        ("how many models for each year of release", {"2024: 1", "2025: 3"}),
        ("How many days were there between Lark Two and Wren Two?", {"28"}),
        ("How many weeks lie between the releases of Lark Two and Wren Two?", {"4"}),
        ("How many months passed between the releases of Lark One and Lark Two?", {"13"}),
    ],
)
def test_times_are_those_of_the_date_that_is_named(ask: Ask, question: str, answers: set[str]) -> None:
    assert set(ask(question).texts) == answers


def test_one_of_two_dates_is_an_assumption(ask: Ask) -> None:
    answer = ask("When was Dark Lantern seen?")
    assert answer.texts == ("2017-12-01",)
    assert answer.confidence == 0.5
    assert "first_seen is taken; there is last_seen too" in answer.trace.events


@pytest.mark.parametrize(
    "question",
    [
        "How many days were there between Lark One and Wren One?",  # known to the month
        "How many days were there between Dark Lantern and Cold Ember?",  # two dates each
        "How many days were there between Bone and Hide?",
    ],
)
def test_days_between_need_two_days(ask: Ask, question: str) -> None:
    assert ask(question).texts == ()


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Please count the creatures by category", {"Passive mobs: 3", "Hostile mobs: 2", "Vehicles: 1"}),
        ("For every category, how many creatures have it?", {"Passive mobs: 3", "Hostile mobs: 2", "Vehicles: 1"}),
        ("Which creatures are taller than 2 blocks?", {"Troll", "Camel"}),
        ("Which creatures are more than 2 blocks tall?", {"Troll", "Camel"}),
        ("Which creatures are more than 2 tall?", {"Troll", "Camel"}),
        ("Looking at the hostile mobs: what is the mean height?", {"2.7"}),
    ],
)
def test_groups_and_units_that_are_nouns(ask: Ask, question: str, answers: set[str]) -> None:
    assert set(ask(question).texts) == answers


def test_a_unit_that_is_a_class_is_an_assumption(ask: Ask) -> None:
    answer = ask("Which creatures are taller than 2 blocks?")
    assert answer.confidence == 0.5
    assert "'blocks' is taken for the unit of height" in answer.trace.events
    assert ask("Which creatures are taller than 2?").confidence == 0.95


def test_a_kind_with_the_name_of_others_is_an_assumption_so_that_nothing_is_no_answer(ask: Ask) -> None:
    told = "'mobs' is taken for type mob; there is category Hostile mobs, Passive mobs too"
    answer = ask("Which mobs drop hide?")
    assert answer.texts == ()
    assert told in answer.trace.events
    assert not any(getattr(event, "code", "") == "operators.nothing_fits" for event in answer.trace.events)
    assert ask("How many mobs are there?").confidence == 0.5
    assert set(ask("Which passive mobs drop hide?").texts) == {"Cow", "Camel"}
    assert ask("Which passive mobs drop hide?").confidence == 0.95


@pytest.mark.whole
def test_a_verb_between_two_classes_may_be_their_only_relation(ask: Ask) -> None:
    answer = ask("Which thing bundles the most creatures?")
    assert set(answer.texts) == {"Bone", "Hide"}
    assert answer.confidence == 0.5
    assert set(ask("Which two things bundle the most creatures?").texts) == {"Bone", "Hide"}
    assert ask("Which provider hates the most models?").texts == ()  # it makes some, and offers others


def test_a_sentence_that_tells_of_which_things_is_asked_is_no_introduction(ask: Ask) -> None:
    assert ask("I'm looking at campaigns - which is the tallest?").texts == ()
    assert set(ask("I'm looking for something - which creature is the tallest?").texts) == {"Troll"}
