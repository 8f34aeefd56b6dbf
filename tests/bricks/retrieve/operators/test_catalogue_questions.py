"""Questions over a catalogue: compound nouns, names that differ in capitals only, numbers that few things have."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables
from faults import told

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

MODELS = {  # developer, family, open
    "Alpha 1": ("p1", "f1", True),
    "Alpha 2": ("p1", "f1", False),
    "Beta": ("p1", "f2", False),
    "Gamma": ("p2", "f3", True),
    "Delta": ("p2", "f3", True),
}
KEYS = {name: f"m{at}" for at, name in enumerate(MODELS, 1)}
NODES = {
    "model": "id,label,name,open_weights\n"
    + "".join(f"{KEYS[name]},Model,{name},{is_open}\n" for name, (_, _, is_open) in MODELS.items()),
    "provider": "id,label,name,doc\np1,Provider,Mistral,https://m.test\np2,Provider,Cassis,https://c.test\n",
    "family": "id,label,name\nf1,Family,alpha\nf2,Family,mistral\nf3,Family,gamma\n"
    + "".join(f"f{at},Family,other-{at}\n" for at in range(4, 31)),
    "thing": "id,label,name,foodPoints,weight\nt1,Thing,Bread,5,1\nt2,Thing,Stew,10,2\nt3,Thing,Apple,4,1\n"
    + "".join(f"t{at},Thing,Brick {at},,3\n" for at in range(4, 21)),
}
EDGES = "start,end,type\n" + "".join(
    f"{KEYS[name]},{provider},DEVELOPED_BY\n{KEYS[name]},{family},OF_FAMILY\n"
    for name, (provider, family, _) in MODELS.items()
)
OFFERS = "start,end,type,status\n" + "".join(
    f"{provider},{KEYS[name]},OFFERS,{'deprecated' if name == 'Alpha 1' else ''}\n"
    for name, (provider, _, _) in MODELS.items()
)
MADE = "start,end,type\n" + "".join(f"t{at},t{at % 3 + 1},MADE_FROM\n" for at in range(4, 21))


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    tables = {f"nodes_{name}": text for name, text in NODES.items()} | {
        "edges": EDGES,
        "edges_offers": OFFERS,
        "edges_made": MADE,
    }
    return built_from_tables(tmp_path_factory.mktemp("catalogue"), tables)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # The last of several class names side by side is asked for.
        ("what model families can I get from Cassis", {"gamma"}),
        ("which model families does Mistral have?", {"alpha", "mistral"}),
        # A family is called «mistral», and the one who is asked about is called «Mistral».
        ("Which Mistral models do not have open weights?", {"Alpha 2", "Beta"}),
        ("How many Mistral models are there?", {"3"}),
        # Groups of a part of a class; many without any are counted, and not listed.
        ("number of Mistral models by family", {"alpha: 2", "mistral: 1"}),
        ("all Mistral models broken down by family, just the counts", {"alpha: 2", "mistral: 1"}),
        # Few things have a number with this noun in its name.
        ("Which foods have at least 5 food points?", {"Bread", "Stew"}),
        ("which foods give over 5 food points?", {"Stew"}),
        ("what's the food with the most food points", {"Stew"}),
        ("average food points of all foods", {"6.33"}),
        ("On average, how many food points does a food have?", {"6.33"}),
        # Wordings.
        ("which models are marked as deprecated?", {"Alpha 1"}),
        ("can we get Gamma through Cassis?", {"yes"}),
    ],
)
def test_answers(catalogue: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(catalogue)(catalogue, question).texts) == answers


def test_groups_without_any_are_counted(catalogue: Graph) -> None:
    answer = default_pipeline(catalogue)(catalogue, "number of Mistral models by family")
    assert dict(told(answer.trace.events))["operators.empty_groups"]["n"] == 28


def test_what_is_of_somebody_is_not_taken_for_them(catalogue: Graph) -> None:
    question = "I set up a project with Cassis and can't find their documentation. Where is it?"
    assert default_pipeline(catalogue)(catalogue, question).texts == ()
