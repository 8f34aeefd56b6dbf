"""Names that differ in signs only, and names of signs only."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from faults import told

from graphbrick import LLM, Graph, LinkLabels, Query, build
from graphbrick.bricks.link.labels import resolve_seeds
from graphbrick.bricks.link.link_with_llm import LinkWithLLM
from graphbrick.core.trace import Trace, record
from graphbrick.patterns.text import masked
from graphbrick.testing import ScriptedLLM

# Names of one group fold to the same words.
GROUPS = (
    ("C", "C++", "C#"),
    ("A+", "A-"),
    ("O+", "O-"),
    ("F#", "F*"),
    ("Yahoo!", "Yahoo"),
    ("Na+", "Na-", "Na"),
    ("Grade 3+", "Grade 3-", "Grade 3"),
    ("$100", "€100", "100"),
    (".NET", "NET"),
    ("Canal+", "Canal"),
    ("*NSYNC", "NSYNC"),
    ("Ca2+", "Ca2"),
    ("≤5", "≥5", "<5", ">5", "-5", "+5", "5"),
    ("5%", "5°", "5"),
    ("#1", "@1", "№1", "1"),
    ("Panic! at the Disco", "Panic at the Disco"),
    ("P*Q", "P+Q", "P Q"),
    ("Mother!", "Mother"),
    ("µ-", "µ+"),
    ("A~", "A^"),
)
TEMPLATES = (
    "Who made {}?",
    "Is it known who made {}, and when?",
    "Tell me who made {}.",
    "Who is {}'s maker?",
    "Who is {}\u2019s maker?",
    'Who made "{}"?',
    "Who made “{}”?",
    "Who made '{}' then?",
    "Who made ({})?",
    "Is {} older than the wheel?",
    "{} was made by whom?",
)


def graph_of(folder: Path, names: list[str]) -> Graph:
    """Return a graph of entities with these names; the later ones have more triples, so that the first loses ties."""
    triples = [(name, f"made by {i}", "Zoltan Quill") for at, name in enumerate(names) for i in range(at + 1)]
    return build(triples, folder / "names.graph")


def named(graph: Graph, text: str) -> list[str]:
    """Return the labels of the seeds of a question."""
    return [graph.label(seed) for seed in LinkLabels().link(graph, Query(text)).seeds]


@pytest.mark.parametrize("names", GROUPS, ids=" ".join)
def test_the_name_whose_signs_stand_in_the_question_is_meant(tmp_path: Path, names: tuple[str, ...]) -> None:
    graph = graph_of(tmp_path, list(names))
    wrong = [
        (text, named(graph, text))
        for name in names
        for template in TEMPLATES
        for text in {template.format(name), template.format(name).lower()}
        if named(graph, text) != [name]
    ]
    assert wrong == []


@pytest.mark.whole
def test_random_signs(tmp_path: Path) -> None:
    rng, signs = random.Random(5), ["", "", *"+-#*!$€%&@~^<>=°§", "++", "--", "+#", "#-"]
    names = {f"{rng.choice(signs)}{word}{rng.choice(signs)}" for word in ("Cen", "Blood 9", "X2") for _ in range(9)}
    graph = graph_of(tmp_path, sorted(names))
    texts = [(name, template.format(name)) for name in names for template in TEMPLATES]
    assert [(text, named(graph, text)) for name, text in texts if named(graph, text) != [name]] == []


def test_signs_that_are_often_left_out_leave_other_readings(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, ["Spider-Man", "Spider Man", "St. Louis", "St Louis"])
    for text, first, other in (
        ("Who made Spider Man?", "Spider Man", "Spider-Man"),
        ("Who made Spider-Man?", "Spider-Man", "Spider Man"),
        ("Who made St Louis?", "St Louis", "St. Louis"),
        ("Who made St. Louis?", "St. Louis", "St Louis"),
    ):
        (mention,) = LinkLabels().link(graph, Query(text)).mentions
        assert [graph.label(entity) for entity in (mention.entity, *mention.others)] == [first, other]


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    names = ["C", "C++", "C#", "A+", "A-", "O+", "O-", "ASP", "NET", ".NET", "Acme Inc", "Acme Inc.", "Doc", "Doc?"]
    return graph_of(tmp_path_factory.mktemp("signs"), names)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Can O+ donate to O-, or A- to A+?", ["O+", "O-", "A-", "A+"]),
        ("Which is older: C, C++ or C#?", ["C", "C++", "C#"]),
        ("Which is older, C++/C#?", ["C++", "C#"]),
        ("Who made C/C++?", ["C", "C++"]),
        ("who made c++-like tools", ["C++"]),
        ("Is A-B a type?", []),  # a hyphen
        ("Was ASP.NET made by whom?", ["ASP", "NET"]),  # a point inside of a name
        ("Who made O\u2212?", ["O-"]),  # minus
        ("Who made O\u2013, and when?", ["O-"]),  # dash
        ("Who made \uff23\uff0b\uff0b?", ["C++"]),  # full width
        ("Who made C\u266f?", ["C#"]),
        ("Who made O⁺?", ["O+"]),
        ("Who made Acme Inc. in 1990?", ["Acme Inc."]),
        ("Who made Acme Inc in 1990?", ["Acme Inc"]),
        ("Who directed Doc?", ["Doc"]),  # the mark of the question
        ('Who directed "Doc?"?', ["Doc?"]),
    ],
)
def test_signs_of_names_and_of_sentences(letters: Graph, text: str, names: list[str]) -> None:
    if not names:
        query = LinkLabels().link(letters, Query(f"{text} And C++?"))
        assert [letters.label(seed) for seed in query.seeds] == ["C++"]
        return
    assert named(letters, text) == names


def test_the_mention_has_the_signs_of_its_name(letters: Graph) -> None:
    query = LinkLabels().link(letters, Query("Is c++'s maker that of O+?"))
    assert [(mention.text, mention.score, mention.others) for mention in query.mentions] == [
        ("c++", 1, ()),
        ("O+", 1, ()),
    ]


def test_another_name_in_place_of_one_with_signs_is_told(tmp_path: Path) -> None:
    graph = build([("C", "made by", "Dennis Row"), ("Yahoo!", "made by", "Jerry Fen")], tmp_path / "c.graph")
    with record(Trace(), "LinkLabels()", "link") as entry:
        (mention,) = LinkLabels().link(graph, Query("Who made C++?")).mentions
    assert (mention.text, graph.label(mention.entity), mention.score) == ("C++", "C", 0.95)
    assert told(entry.events) == [("link.other_spelling", {"name": "C++", "taken": "C"})]
    assert named(graph, "Who made Yahoo?") == [
        "Yahoo!"
    ]  # where only one name has these words, its signs may be left out


@pytest.mark.parametrize("seed", ["C++", "c++", "C\uff0b\uff0b", " C++ "])
def test_seeds(letters: Graph, seed: str) -> None:
    assert letters.label(resolve_seeds(letters, Query("?"), [seed]).seeds[0]) == "C++"
    assert resolve_seeds(letters, Query("?"), [seed]).mentions[0].others == ()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Who sings in !!!?", ["!!!"]),
        ("Does !!! play with Beck?", ["!!!", "Beck"]),
        ("Is !!!'s drummer known?", ["!!!"]),
        ("Which operator is + ?", ["+"]),
        ('Which operator is "-"?', ["-"]),
        ("Which operator is '-'?", ["-"]),
        ("Which operator is \uff0b ?", ["+"]),
        ("Who likes ★ best?", ["★"]),
        ("Who likes ❤\ufe0f?", ["❤"]),
        ("Who likes 😀", ["😀"]),
        ("Where is Beck - at home?", ["Beck"]),  # a dash
        ("Où est Beck ?", ["Beck"]),
        ("Où est Beck !", ["Beck"]),
        ("Who is 1 + 1 ?", ["1 + 1"]),
        ("Who was with Beck & Sons?", ["Beck"]),
    ],
)
def test_names_of_signs_only(tmp_path: Path, text: str, names: list[str]) -> None:
    own = ["!!!", "Beck", "+", "-", "★", "❤", "😀", "?", "!", "&", "1 + 1", "..."]
    graph = graph_of(tmp_path, own)
    assert named(graph, text) == names
    for name in own:
        assert resolve_seeds(graph, Query("?"), [name]).seeds == (graph.entity(name),)


@pytest.mark.parametrize(
    ("text", "reply", "label", "mention"),
    [
        ("Who made C++?", '{"names": ["C++"]}', "C++", "C++"),
        ("who made c#, and when", '{"names": ["c#"]}', "C#", "c#"),
        ("Who made C++?", '{"names": ["C"]}', "C++", "C"),  # the model cut the signs off
        ("Who made it?", '{"names": ["O-"]}', "O-", "O-"),
    ],
)
def test_signs_of_names_that_a_model_finds(letters: Graph, text: str, reply: str, label: str, mention: str) -> None:
    with ScriptedLLM([reply]) as server:
        query = LinkWithLLM(LLM("some-model", base_url=server.base_url)).link(letters, Query(text))
    assert [(letters.label(one.entity), one.text, one.others) for one in query.mentions] == [(label, mention, ())]


def test_a_question_in_lower_case_is_masked_with_the_signs() -> None:
    assert masked("who made c++'s library and o-?", "C++") == "who made X's library and o-?"
    assert masked("who made c++'s library and o-?", "O-") == "who made c++'s library and X?"
