"""Questions whose answer is a known class: paths over several relations, never, names that several have, refusals."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import told
from staff import Indifferent

from graphbrick import PathAnswer, Patterns
from graphbrick.bricks.retrieve.operators.schema.class_graph import class_graph_of
from graphbrick.bricks.retrieve.operators.stage import ASSUMED, EXPLAINED, Operators
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord, Record, RelationRecord

PIPELINE = Operators(Patterns(Indifferent())) >> PathAnswer()

ENTITIES = {
    "Author": "a1 Ada Marsh, a2 Ben Okoro, a3 Cleo Diaz",
    "Book": "b1 Tides, b2 Embers, b3 Winter, b4 Winter, b5 Harbour, b6 Ada Marsh",
    "Genre": "g1 Poetry, g2 Drama, g3 Travel",
    "Loan": "l1 Loan 1, l2 Loan 2, l3 Loan 3, l4 Loan 4",
    "Member": "m1 Ines Moreau, m2 Tom Hale, m3 Ugo Silva, m4 Tom Hale",
    "Branch": "r1 North Library, r2 South Library",
    "Librarian": "s1 Eva Roth, s2 Lena Fuchs, s3 Mia Berg",
    "System": "y1 catalogue-db, y2 web-shop, y3 mail-relay",
}
EDGES = """
written_by: b1 a1, b2 a1, b3 a2, b4 a3, b5 a2, b6 a3
has_genre: b1 g1, b2 g2, b3 g1, b4 g2, b5 g3, b6 g2
lent: l1 b1, l2 b3, l3 b2, l4 b4
loan_of: l1 m1, l2 m1, l3 m2, l4 m4
registered_at: m1 r1, m2 r1, m3 r2, m4 r2
MEMBER_OF: s1 r1, s2 r1, s3 r2
LED_BY: r1 s1, r2 s3
REPORTS_TO: s2 s1, s3 s1
depends_on: y2 y1, y3 y2
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return library_graph(tmp_path_factory.mktemp("library"))


def library_graph(folder: Path) -> Graph:
    records: list[Record] = []
    for kind, names in ENTITIES.items():
        for entry in names.split(", "):
            key, _, name = entry.partition(" ")
            records.append(EntityRecord(key, name, (), (kind,), None, {"shelf": len(records)}))
    for line in EDGES.strip().splitlines():
        relation, _, pairs = line.partition(": ")
        records.append(RelationRecord(relation, relation))
        records += [(pair.split()[0], relation, pair.split()[1]) for pair in pairs.split(", ")]
    return build(records, folder / "library.graph")


CHAINS = [
    (
        "Which genres do the books of Ada Marsh belong to?",
        ["Drama", "Poetry"],
    ),  # not the book
    ("Which members have ever borrowed something by Ada Marsh?", ["Ines Moreau", "Tom Hale"]),
    ("Which authors has Ines Moreau borrowed books by?", ["Ada Marsh", "Ben Okoro"]),
    ("At which branches are members registered who borrowed books by Ada Marsh?", ["North Library"]),
    ("Which books of Ada Marsh do we have?", ["Embers", "Tides"]),
    ("How many books by Ben Okoro are there in the shop?", ["2"]),
    ("Who borrowed Tides?", ["Ines Moreau"]),
    ("Who is in the North Library?", ["Eva Roth", "Lena Fuchs"]),  # not who leads it
    ("Which members have borrowed books by both Ada Marsh and Ben Okoro?", ["Ines Moreau"]),
]
SETS = [
    ("Which genres were never lent?", ["Travel"]),
    ("Which genres has Ines Moreau never borrowed?", ["Drama", "Travel"]),
    ("which authors has Ines Moreau never borrowed books by", ["Cleo Diaz"]),
    ("Which members have never borrowed anything?", ["Ugo Silva"]),
    ("Who has never borrowed anything by Ada Marsh?", ["Tom Hale", "Ugo Silva"]),
    ("Which members of the North Library have never borrowed anything by Ben Okoro?", ["Tom Hale"]),
    ("authors whose books were never lent", []),
    ("all genres except Ines Moreau's", ["Drama", "Travel"]),
    ("all members except the ones who borrowed Tides", ["Tom Hale", "Tom Hale", "Ugo Silva"]),
    (
        "Which books were not borrowed by Tom Hale?",
        ["Ada Marsh", "Harbour", "Tides", "Winter"],
    ),  # either of them
    ("Which members have borrowed a book called Winter?", ["Ines Moreau", "Tom Hale"]),
    ("On which loans is a book named Winter?", ["Loan 2", "Loan 4"]),
    ("Which genres have books by Ada Marsh but not by Ben Okoro?", ["Drama"]),
]
YES_NO = [
    ("Has Ines Moreau ever borrowed anything by Ben Okoro?", "yes"),
    ("did Ugo Silva ever borrow anything by Ben Okoro", "no"),
    ("Has Ugo Silva ever borrowed anything?", "no"),
    ("Has Ugo Silva never borrowed anything?", "yes"),
    ("Did Ines Moreau borrow any books?", "yes"),
    ("Has anyone at the South Library borrowed Embers?", "no"),
    ("Has any member of the North Library borrowed Embers?", "yes"),
]
PLACES = [
    ("Which systems would break if catalogue-db goes down?", ["web-shop"]),
    ("What is affected if web-shop fails?", ["mail-relay"]),
    ("Who is Lena Fuchs's boss?", ["Eva Roth"]),
    ("Who does Eva Roth manage?", ["Lena Fuchs", "Mia Berg"]),
]
REFUSED = [
    "Which books of Cleo Smyth do you sell?",
    "Which authors is Lena Fuchs married to?",  # no author is at the end of the best path
    "Which genres did Ada Marsh write in 2011?",
    "Which books have a member called Ada Marsh?",
    "Which members have never painted anything?",
    "Which members borrowed every book?",
    "Which gardeners planted Embers?",
]


@pytest.mark.parametrize(("question", "texts"), [*CHAINS, *SETS, *PLACES])
def test_answers_by_paths_between_classes(library: Graph, question: str, texts: list[str]) -> None:
    assert sorted(PIPELINE(library, question).texts) == texts


@pytest.mark.parametrize(("question", "text"), YES_NO)
def test_yes_or_no_by_paths_between_classes(library: Graph, question: str, text: str) -> None:
    assert PIPELINE(library, question).texts == (text,)


@pytest.mark.parametrize("question", REFUSED)
def test_an_unknown_name_number_verb_or_class_is_refused(library: Graph, question: str) -> None:
    assert PIPELINE(library, question).texts == ()


def test_two_paths_of_one_length_are_refused_with_both_named(library: Graph) -> None:
    answer = PIPELINE(library, "Which librarians registered Ines Moreau?")
    assert answer.texts == ()
    reasons = [values for code, values in told(answer.trace.events) if code == "operators.not_answered"]
    assert reasons[0]["reason"] == "schema.ambiguous"
    assert len(reasons[0]["ways"]) == 2


def test_a_way_that_no_word_says_is_an_assumption(library: Graph) -> None:
    said = PIPELINE(library, "Which genres were lent on loans of members registered at the North Library?")
    unsaid = PIPELINE(library, "Which genres are at the North Library?")
    assert said.texts == unsaid.texts
    assert (said.confidence, unsaid.confidence) == (EXPLAINED, ASSUMED)


def test_the_classes_of_a_graph_and_what_joins_them(library: Graph) -> None:
    joins = class_graph_of(library).joins
    label = library.relation_label
    assert {(label(join.relation), join.forward, join.end) for join in joins["Book"]} == {
        ("written_by", True, "Author"),
        ("has_genre", True, "Genre"),
        ("lent", False, "Loan"),
    }


def test_a_graph_without_types_has_no_classes(tmp_path: Path) -> None:
    graph = build([("Oslo", "in", "Norway")], tmp_path / "plain.graph")
    assert not class_graph_of(graph)


def test_neighbours_of_one_class_are_reached_either_way(tmp_path: Path) -> None:
    """A symmetric relation joins a class to itself, and countries border territories too."""
    capitals = {"Kenya": "Nairobi", "Uganda": "Kampala", "Sudan": "Khartoum", "Puntland": "Garowe"}
    of_type = {name: "territory" if name == "Puntland" else "country" for name in capitals}
    borders = [("Kenya", "Uganda"), ("Kenya", "Sudan"), ("Kenya", "Puntland"), ("Uganda", "Sudan")]
    rows: list[Record] = [EntityRecord(name, types=(of_type[name],)) for name in capitals]
    rows += [EntityRecord(name, types=("city",)) for name in capitals.values()]
    rows += [(one, "capital", city) for one, city in capitals.items()]
    rows += [triple for one, other in borders for triple in ((one, "borders", other), (other, "borders", one))]
    graph = build(rows, tmp_path / "countries.graph")
    answer = PIPELINE(graph, "Which countries border the country whose capital is Nairobi?")
    assert set(answer.texts) == {"Uganda", "Sudan"}
    answer = PIPELINE(graph, "What are the capitals of the neighbours of Kenya?")
    assert set(answer.texts) == {"Kampala", "Khartoum", "Garowe"}
