"""Operator questions that name no class or entity, dates, unknown words, and the confidence of plans."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import told
from staff import Indifferent, plan_of, staff_graph

from graphbrick import EntityRecord, PathAnswer, Patterns
from graphbrick.bricks.retrieve.operators.stage import ASSUMED, EXPLAINED, Operators
from graphbrick.bricks.retrieve.operators.wording import english
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.patterns.lexicon import lexicon_of

OPERATORS = Operators(Patterns(Indifferent()))
PIPELINE = OPERATORS >> PathAnswer()
CLINIC = [
    ("Ward 3", "number of beds", "24"),
    ("Ward 7", "number of beds", "16"),
    ("Rosa Klein", "liesOn", "Ward 3"),
    ("Emil Sand", "liesOn", "Ward 3"),
    ("Hugo March", "liesOn", "Ward 7"),
    ("Rosa Klein", "takes", "metoprolol"),
    ("Emil Sand", "takes", "metoprolol"),
    ("Emil Sand", "takes", "aspirin"),
    ("Emil Sand", "onAlbum", "Ward Songs"),
]


FARM = [
    ("Bella", "weight", "610.5 kg"),
    ("Rusty", "weight", "480 kg"),
    ("Bella", "animal", "cow"),
    ("Rusty", "animal", "horse"),
    ("Greenmoor", "owned_by", "Lord Ashby"),
]
CLUB = [
    ("Tess Arden", "playsFor", "Redhill Rovers"),
    ("Milo Stern", "playsFor", "Redhill Rovers"),
    ("Yara Pohl", "playsFor", "Quarry United"),
    ("Redhill Rovers", "playsAt", "Mill Lane"),
    ("Quarry United", "playsAt", "Old Pit"),
    ("Tess Arden", "goals", "14"),
    ("Milo Stern", "goals", "9"),
    ("Yara Pohl", "goals", "21"),
]


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(CLUB, tmp_path_factory.mktemp("club") / "club.graph")


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return staff_graph(tmp_path_factory.mktemp("staff"))


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(CLINIC, tmp_path_factory.mktemp("clinic") / "clinic.graph")


RIVERS = [("Nile", "6000 km"), ("Amazon", "6000 km"), ("Rhine", "1000 km")]


@pytest.mark.parametrize(
    ("question", "text", "plan"),
    [
        ("What is the largest length?", "6000 km", "length of: largest length among: everything with length"),
        ("How long is the longest river?", "6000 km", "length of: largest length among: every river"),
        ("What is the average length?", "4,333.33 km", "mean of length of: everything with length"),
    ],
)
def test_the_largest_value_of_several_is_not_their_sum(question: str, text: str, plan: str, tmp_path: Path) -> None:
    answer = PIPELINE(_rivers(tmp_path), question)
    assert (answer.texts, plan_of(answer)) == ((text,), plan)


def test_nothing_is_compared_with_the_sum_of_several(tmp_path: Path) -> None:
    run = PIPELINE.run(_rivers(tmp_path), "Which rivers are longer than the rivers in Africa?")
    assert run.answer is not None
    assert not run.answer.texts
    ((code, values),) = told(run.trace.stages[-2].events)
    assert (code, values["reason"], values["n"]) == ("operators.not_answered", "operators.not_one_entity", 2)


@pytest.mark.parametrize(
    "question",
    [
        "Which are the longest ² rivers?",
        "Which rivers were found in february 0000?",
        "Which rivers were found after ٢٠٢٤-٠٢?",
    ],
)
def test_odd_numbers_and_dates_are_not_answered(question: str, tmp_path: Path) -> None:
    assert not PIPELINE(_rivers(tmp_path), question).texts


def _rivers(folder: Path) -> Graph:
    nodes = [EntityRecord(name, name, types=("river",)) for name, _ in RIVERS]
    lengths = [(name, "length", length) for name, length in RIVERS]
    places = [("Nile", "flows in", "Africa"), ("Rhine", "flows in", "Africa"), ("Amazon", "flows in", "Peru")]
    return build([*nodes, *lengths, *places], folder / "rivers.graph")


@pytest.mark.parametrize(
    ("question", "texts", "plan"),
    [
        ("Who earns the most?", ["Carla Diaz"], "largest salary among: everything with salary"),
        ("Who has the lowest salary?", ["Ben Okoro"], "smallest salary among: everything with salary"),
        ("Who gets the fattest paycheck?", ["Carla Diaz"], "largest salary among: everything with salary"),
        ("What is the highest salary?", ["$72,250"], "salary of: largest salary among: everything with salary"),
        ("What is the average salary?", ["63,916.67 $"], "mean of salary of: everything with salary"),
        ("Who was born first?", ["Carla Diaz"], "smallest birth date among: everything with birth date"),
        ("Who earns more than 60000?", ["Ada Marsh", "Carla Diaz"], "salary over 60,000 among: everything with salary"),
        ("Who was born after 2 May 1984?", ["Ben Okoro"], ""),
        ("Who was born before May 1984?", ["Carla Diaz"], ""),
        ("Who was born since May 1984?", ["Ada Marsh", "Ben Okoro"], ""),
        ("Who was born after May 1984?", ["Ben Okoro"], ""),
        ("Who was born in January 1979?", ["Carla Diaz"], "birth date in 1979-01 among: everything with birth date"),
        ("Who was born on November 30, 1990?", ["Ben Okoro"], ""),
        ("Who was born between 1979 and 1984?", ["Ada Marsh", "Carla Diaz"], ""),
        ("Who was born until 1984?", ["Ada Marsh", "Carla Diaz"], ""),
        ("Who does not work in Platform Team?", ["Carla Diaz"], ""),
        ("Who does not work in the oldest team?", ["Ada Marsh", "Ben Okoro"], ""),
        ("Which team was founded first?", ["Billing Team"], "smallest founded among: every team"),
        ("Is Auth Service owned by Platform Team?", ["yes"], ""),
        ("Is Platform Team owned by Auth Service?", ["no"], ""),
        ("Does Auth Service own Platform Team?", ["no"], ""),
        ("Does Platform Team own Auth Service?", ["yes"], ""),
        ("Does Ada Marsh report to Ben Okoro?", ["no"], ""),
        ("Is Engineering part of Platform Team?", ["no"], ""),
        ("Is Platform Team part of Engineering?", ["yes"], ""),
        ("Does Oslo live in Ada Marsh?", ["no"], ""),
    ],
)  # fmt: skip
def test_without_a_class_all_that_have_the_number_are_compared(
    staff: Graph, question: str, texts: list[str], plan: str
) -> None:
    answer = PIPELINE(staff, question)
    assert sorted(answer.texts) == texts
    assert answer.confidence == EXPLAINED
    if plan:
        assert plan_of(answer) == plan


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Who does not earn more than 60000?", ["Ben Okoro"]),
        ("Who was not born before 1984?", ["Ada Marsh", "Ben Okoro"]),
        ("Is Ada Marsh not older than Ben Okoro?", ["no"]),
        ("Does Ada Marsh not earn more than 60000?", ["no"]),
        ("Which teams that are not part of Finance own more than 2 services?", ["Platform Team"]),
        ("Which teams do not own exactly 3 services?", []),
        ("Who earns between 65000 and 60000?", ["Ada Marsh"]),
        ("Who was born between 1984 and 1979?", ["Ada Marsh", "Carla Diaz"]),
        ("What is the second highest salary?", ["$61,000"]),
        ("What are the two highest salaries?", []),
    ],
)
def test_comparisons_negated_or_backwards_and_ranked_values(staff: Graph, question: str, texts: list[str]) -> None:
    assert sorted(PIPELINE(staff, question).texts) == texts


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("How many more services does Platform Team own than Billing Team?", ("2",)),
        ("How many more services does Platform Team own than Billing Team owns?", ("2",)),
        ("How many fewer services does Billing Team own than Platform Team?", ("2",)),
        ("How many more services are owned by Platform Team than by Billing Team?", ("2",)),
        ("How many more services does Platform Team have than Billing Team?", ("2",)),
        ("How many more people work in Platform Team than in Billing Team?", ()),
    ],
)
def test_a_difference_of_what_two_do_is_counted(staff: Graph, question: str, texts: tuple[str, ...]) -> None:
    assert PIPELINE(staff, question).texts == texts


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("How many beds does Ward 3 have?", ["24"]),
        ("What is the total number of beds?", ["40"]),
        ("Which ward has the most beds?", ["Ward 3"]),
        ("Which wards have more than 20 beds?", ["Ward 3"]),
        ("Who takes both metoprolol and aspirin?", ["Emil Sand"]),
    ],
)
def test_numbers_and_classes_of_labels(clinic: Graph, question: str, texts: list[str]) -> None:
    assert list(PIPELINE(clinic, question).texts) == texts


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Who does not play for Redhill Rovers?", ["Yara Pohl"]),
        ("Do Tess Arden and Milo Stern play for the same club?", ["yes"]),
        ("Do Tess Arden and Yara Pohl play for the same club?", ["no"]),
        ("Who scored the most goals?", ["Yara Pohl"]),
        ("How many goals did Yara Pohl score?", ["21"]),
        ("How many goals were scored in total?", ["44"]),
        ("What is the average number of goals?", ["14.67"]),
    ],
)
def test_prepositions_tell_relations_apart_and_verbs_may_repeat_the_number(
    club: Graph, question: str, texts: list[str]
) -> None:
    assert list(PIPELINE(club, question).texts) == texts


def test_numbers_are_not_counted_and_direction_holds_for_entities_of_no_class(tmp_path: Path) -> None:
    farm = build(FARM, tmp_path / "farm.graph")
    answer = PIPELINE(farm, "Which animals weigh more than 500 kg?")
    assert answer.texts == ()
    assert answer.trace is not None
    assert "operators.not_answered" in answer.trace.event_codes, answer.trace.events
    assert PIPELINE(farm, "What is the total weight?").texts == ("1,090.5 kg",)
    assert PIPELINE(farm, "Does Greenmoor own Lord Ashby?").texts == ("no",)
    assert PIPELINE(farm, "Does Lord Ashby own Greenmoor?").texts == ("yes",)


def test_labels_in_camel_case_have_words_and_numbered_labels_a_class(clinic: Graph) -> None:
    lexicon = lexicon_of(clinic)
    assert "album" in lexicon.words
    assert [clinic.label(entity) for entity in lexicon.classes["ward"].tolist()] == ["Ward 3", "Ward 7"]


@pytest.mark.parametrize(
    ("question", "reason", "words"),
    [
        ("Which team has the juiciest salary?", "unknown_adjective", "'juiciest'"),
        ("What does Platform Team not?", "unread_word", "'not'"),
        ("Which team was not founded first?", "unread_word", "'not'"),
        ("Which team does not own the most services?", "unread_word", "'not'"),
        ("Who does not earn the most?", "unread_word", "'not'"),
        ("Who is the tallest?", "no_measure", "'tallest' (height, elevation)"),
        (
            "Which outfits were founded before 2010?",
            "unknown_noun",
            "I do not know the word 'outfits' in this graph; if everything with founded is, learn",
        ),
        ("Who earns more than 5 May 2020?", "not_a_date", "2020-05-05"),
    ],
)
def test_what_is_not_understood_is_said_in_the_words_of_the_question(
    staff: Graph, question: str, reason: str, words: str
) -> None:
    answer = PIPELINE(staff, question)
    assert answer.texts == ()
    assert answer.trace is not None
    event = next(event for event in answer.trace.events if words in event)
    ((code, values),) = told([event])
    assert (code, values["reason"]) == ("operators.not_answered", f"operators.{reason}")


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Which engineers were born before 1980?", ["Carla Diaz"]),
        ("Which engineers were born in 1990?", ["Ben Okoro"]),
        ("Which engineer was born first?", ["Carla Diaz"]),
        ("Who is the oldest engineer?", ["Carla Diaz"]),
        ("Which engineers earn more than 60000?", ["Ada Marsh", "Carla Diaz"]),
    ],
)
def test_an_unknown_noun_may_name_all_that_have_the_number(staff: Graph, question: str, texts: list[str]) -> None:
    answer = PIPELINE(staff, question)
    assert sorted(answer.texts) == texts
    assert answer.confidence == ASSUMED
    assert answer.trace is not None
    assert "operators.assumption" in answer.trace.event_codes


def test_words_that_look_like_placeholders_are_words(staff: Graph) -> None:
    answer = PIPELINE(staff, "How many e85 services does Platform Team own?")
    assert answer.texts == ()
    assert answer.trace is not None
    assert "operators.not_answered" in answer.trace.event_codes


def test_an_unknown_noun_is_not_taken_for_what_other_entities_have(tmp_path: Path) -> None:
    triples = [("Marlin", "operated_by", "Skagen Lines"), ("Gannet", "operated_by", "Skagen Lines")]
    graph = build([*triples, ("Petrel", "operated_by", "Azur Shipping")], tmp_path / "fleet.graph")
    assert PIPELINE(graph, "How many ships does Skagen Lines operate?").texts == ("2",)


def test_an_unknown_noun_is_an_assumption_of_low_confidence(staff: Graph) -> None:
    question = "How many products does Platform Team own?"
    answer = PIPELINE(staff, question)
    assert (answer.texts, answer.confidence) == (("3",), ASSUMED)
    assert answer.trace is not None
    assert "'products' is not a word of this graph; taken for Platform Team → owns → *" in answer.trace.events
    withheld = (OPERATORS >> PathAnswer(min_confidence=0.6))(staff, question)
    assert (withheld.texts, withheld.withheld) == ((), "count of: Platform Team → owns → *")
    assert (OPERATORS >> PathAnswer(min_confidence=0.6))(staff, "How many services does Platform Team own?").texts == (
        "3",
    )
    assert PIPELINE(staff, "How many customers does Platform Team have?").texts == ()
    assert PIPELINE(staff, "How many critical services does Platform Team own?").texts == ()


def test_patterns_are_compiled_when_used_and_all_of_them_compile() -> None:
    english.cache_clear()
    patterns = english().patterns
    english().cues_in("where does e0 live")
    assert len(patterns) < 5
    assert all(patterns[name] for name in patterns.texts)  # type: ignore[attr-defined]
