"""Amounts that stand at triples between things and quantities, asked for as if each quantity were a column."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables

from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline
from graphbrick.patterns.properties.measured import quantities_of, said_in

FOODS = (
    "Apples, raw",
    "Spinach, raw",
    "Butter, salted",
    "Butter, whipped",
    "Oranges, raw, navels",
    "Tea, brewed, green",
)
NUTRIENTS = {
    "n1": ("Vitamin C, total ascorbic acid", "mg", (4.6, 28.1, 0.0, 0.0, 59.1, 0.3)),
    "n2": ("Iron, Fe", "mg", (0.12, 2.71, 0.02, 0.05, 0.13, 0.02)),
    "n3": ("Total lipid (fat)", "g", (0.17, 0.39, 81.11, 78.3, 0.15, None)),
}
MAKERS = {"m1": "Dairyland, Inc.", "m2": "Dairyland Board of Trade"}


def _tables() -> dict[str, str]:
    amounts = [
        f"f{food},{nutrient},HAS_PER_100G,{amount},calculated"
        for nutrient, (_, _, values) in NUTRIENTS.items()
        for food, amount in enumerate(values)
        if amount is not None
    ]
    return {
        "nodes_food": "id,label,name\n" + "".join(f'f{at},Food,"{name}"\n' for at, name in enumerate(FOODS)),
        "nodes_nutrient": "id,label,name,units\n"
        + "".join(f'{key},Nutrient,"{name}",{unit}\n' for key, (name, unit, _) in NUTRIENTS.items()),
        "nodes_maker": "id,label,name\n" + "".join(f'{key},Maker,"{name}"\n' for key, name in MAKERS.items()),
        "edges_has": "start,end,type,nutrient_value,source\n" + "\n".join(amounts) + "\n",
        "edges_made": "start,end,type\nf2,m1,MADE_BY\nf3,m1,MADE_BY\n",
    }


@pytest.fixture(scope="module")
def foods(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("foods"), _tables())


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        # The quantity by the beginning of its name, by all of it, and by what stands in brackets.
        ("How much vitamin C is in raw spinach?", {"28.1"}),
        ('How much "Vitamin C, total ascorbic acid" is in "Spinach, raw"?', {"28.1"}),
        ("how much fat does salted butter have?", {"81.11"}),
        ("How much iron is there in 100 g of raw apples?", {"0.12"}),
        # Compared, in its unit and in another of the kind; of several, of a maker.
        ("Which foods have more than 20 mg of vitamin C?", {"Spinach, raw", "Oranges, raw, navels"}),
        ("which foods have over 0.05 g vitamin C?", {"Oranges, raw, navels"}),
        ("foods with less than 0.1 mg of iron", {"Butter, salted", "Butter, whipped", "Tea, brewed, green"}),
        ("Which food has the most iron?", {"Spinach, raw"}),
        ("which food is richest in vitamin C", {"Oranges, raw, navels"}),
        ("What is the average fat of foods made by Dairyland?", {"79.7 g"}),
        ("On average, how much iron do foods have, in mg?", {"0.51 mg"}),
        # Two things compared; names that are turned round in the graph.
        ("Which has more iron, raw apples or raw spinach?", {"Spinach, raw"}),
        ("raw apples or raw navel oranges - which is richer in vitamin C?", {"Oranges, raw, navels"}),
        ("Does salted butter have more iron than raw apples?", {"no"}),
        ("raw apples: iron and fat", {"Iron, Fe: 0.12", "Total lipid (fat): 0.17"}),
        ("the fat in salted butter", {"81.11"}),
        # Zero is none; without a number, the quantity is an entity like others.
        ("Does salted butter have vitamin C?", {"no"}),
        ("Which foods have no vitamin C?", {"Butter, salted", "Butter, whipped"}),
    ],
)
def test_questions_for_amounts(foods: Graph, question: str, answers: set[str]) -> None:
    assert set(default_pipeline(foods)(foods, question).texts) == answers


@pytest.mark.whole
@pytest.mark.parametrize("basis", ["50 g", "100 ml", "100 oz"])
def test_amounts_of_another_basis_are_refused(foods: Graph, basis: str) -> None:
    assert not default_pipeline(foods)(foods, f"How much iron is there in {basis} of raw apples?").texts


@pytest.mark.parametrize("question", ['Tell me about "Iron, Fe"', "What is iron?"])
def test_a_quantity_alone_is_an_entity(foods: Graph, question: str) -> None:
    (card,) = default_pipeline(foods)(foods, question).texts
    assert "units: mg" in card


def test_what_several_quantities_share_is_not_guessed(foods: Graph) -> None:
    assert not default_pipeline(foods)(foods, "Which foods have the most vitamins?").texts


def test_names_of_quantities(foods: Graph) -> None:
    found = {one.label: one.names for one in quantities_of(foods)}
    assert found["Total lipid (fat)"] == ("total lipid", "total lipid fat", "fat")
    said = said_in(foods, "iron, fats and vitamin-c, total ascorbic acid")
    assert [one.label for _, _, one in said] == ["Iron, Fe", "Total lipid (fat)", "Vitamin C, total ascorbic acid"]


def test_short_names_of_quantities(tmp_path_factory: pytest.TempPathFactory) -> None:
    values = [f"l{lake},{what},MEASURED,{lake + at}" for lake in range(4) for at, what in enumerate(("p", "o"))]
    tables = {
        "nodes_lake": "id,label,name\n"
        + "".join(f"l{at},Lake,{name}\n" for at, name in enumerate(("Ada", "Bo", "Cy", "Di"))),
        "nodes_what": "id,label,name\np,Parameter,pH\no,Parameter,Oxygen\n",
        "edges": "start,end,type,value\n" + "\n".join(values) + "\n",
    }
    lakes = built_from_tables(tmp_path_factory.mktemp("lakes"), tables)
    assert default_pipeline(lakes)(lakes, "Which lake has the highest pH?").texts == ("Di",)


@pytest.mark.parametrize(
    ("column", "rows"),
    [
        ("version", [(f"a{a}", f"b{b}") for a in range(6) for b in range(3)]),  # no amount, and no units
        ("quantity", [(f"a{a}", f"b{a % 3}") for a in range(6)]),  # lines of orders: few of the pairs
        ("value", [(f"a{a}", f"b{b}") for a in range(6) for b in range(3)] * 2),  # several of a pair, as of years
    ],
)
def test_other_numbers_at_triples_are_no_quantities(
    tmp_path_factory: pytest.TempPathFactory, column: str, rows: list[tuple[str, str]]
) -> None:
    lines = [f"{a},{b},HAS,{at}" for at, (a, b) in enumerate(rows)]
    tables = {
        "nodes_a": "id,label,name\n" + "".join(f"a{a},Thing,Thing {a}\n" for a in range(6)),
        "nodes_b": "id,label,name\n" + "".join(f"b{b},Other,Other {'xyz'[b]}\n" for b in range(3)),
        "edges": f"start,end,type,{column}\n" + "\n".join(lines) + "\n",
    }
    assert not quantities_of(built_from_tables(tmp_path_factory.mktemp("other"), tables))
