"""Words of relations, names of classes, and the file that users correct."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from faults import fails

from graphbrick import EntityRecord, Graph, build
from graphbrick.core.errors import InputError
from graphbrick.learn.writing.writer import Writer
from graphbrick.patterns.english.labels import read_label
from graphbrick.patterns.lexicon import lexicon_of
from graphbrick.patterns.words.classes import inferred_classes, members
from graphbrick.patterns.words.phrasebook import Phrasebook
from graphbrick.patterns.words_file import EntityClass

FILMS = [
    triple
    for number in range(8)
    for triple in (
        (f"film {number}", "directed_by", f"person {number % 3}"),
        (f"film {number}", "written_by", f"person {number % 4}"),
        (f"film {number}", "release_year", f"{1990 + number % 5}"),
    )
]


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(FILMS, tmp_path_factory.mktemp("films") / "films.graph")


def test_slots_of_entities(films: Graph) -> None:
    entity, slot = members(films)
    expected = set()
    for triple in films.triple_ids().tolist():
        head, relation, tail = films.triple(triple)
        expected |= {(head, 2 * relation), (tail, 2 * relation + 1)}
    assert list(zip(entity.tolist(), slot.tolist(), strict=True)) == sorted(expected)


def test_classes_are_inferred_from_shared_entities(films: Graph) -> None:
    labels = [films.relation_label(number) for number in range(films.n_relations)]
    ends = ("head", "tail")
    named = [{(labels[slot // 2], ends[slot % 2]) for slot in group} for group in inferred_classes(films)]
    assert {("directed_by", "head"), ("written_by", "head"), ("release_year", "head")} in named
    assert {("directed_by", "tail"), ("written_by", "tail")} in named
    assert {("release_year", "tail")} in named


def test_people_and_films_are_known_by_their_relations(films: Graph) -> None:
    book = Phrasebook.of(films)
    assert book.names("directed_by", head=False) == ["person"]
    assert book.is_person("directed_by", head=False)
    assert book.names("directed_by", head=True) == ["film", "movie"]
    book.call("directed_by", ["Motion picture", " movie"])
    assert book.names("release_year", head=True) == ["motion picture", "movie", "film"]


COMPANY = [
    *[(f"Person {i}", "works_in", f"Team {i % 2}") for i in range(4)],
    *[(f"Person {i}", "reports_to", "Person 0") for i in range(1, 4)],
    *[(f"Team {i}", "owns", f"Service {i}{j}") for i in range(2) for j in range(3)],
    *[(f"Team {i}", "part_of", f"Department {i}") for i in range(2)],
    *[(f"Department {i}", "led_by", f"Person {i}") for i in range(2)],
    *[(f"Service {i}1", "depends_on", f"Service {i}0") for i in range(2)],
]
FLEET = [
    *[(f"Ship {i}", relation, f"{relation} {i % 3}") for i in range(6) for relation in ("captained_by", "sails_under")],
    *[(f"Ship {i}", "operated_by", f"Company {i % 3}") for i in range(6)],
    *[(f"Company {i}", "has_headquarters_in", f"City {i}") for i in range(3)],
    *[(f"Song {i}", "onAlbum", f"Album {i % 2}") for i in range(4)],
    *[(f"Album {i}", "releaseYear", f"{2000 + i}") for i in range(2)],
]


RACES = [
    *[(f"Race {i}", relation, f"Driver {i % 3}") for i in range(6) for relation in ("winner", "second place")],
    *[(f"Race {i}", "winning team", f"Team {i % 3}") for i in range(6)],
    *[(f"Race {i}", "circuit", f"Circuit {i % 2}") for i in range(6)],
    *[(f"Driver {i}", "drove for", f"Team {j}") for i in range(3) for j in range(4) if i != j],
    *[(f"Team {i}", "based in", f"City {i}") for i in range(4)],
    *[(f"Circuit {i}", "country", f"Country {i}") for i in range(2)],
]


@pytest.mark.parametrize(
    ("triples", "slot", "names"),
    [
        (RACES, ("winner", "tail"), ["person"]),
        (RACES, ("drove for", "head"), ["person"]),
        (RACES, ("drove for", "tail"), ["team"]),  # named by «winning team», with teams that never won
        (RACES, ("circuit", "tail"), ["circuit"]),  # with a relation of its own; the label names all of them
        (RACES, ("country", "tail"), ["country"]),
        (COMPANY, ("reports_to", "head"), ["person"]),
        (COMPANY, ("owns", "head"), []),  # an owner may be anything
        (COMPANY, ("owns", "tail"), []),  # a dependent is a person, but what is owned is not
        (COMPANY, ("led_by", "head"), []),  # a parent is a person, or a whole
        (COMPANY, ("led_by", "tail"), ["person"]),
        (FLEET, ("sails_under", "head"), []),  # a sailor is a person, but what is operated is not
        (FLEET, ("captained_by", "tail"), ["person"]),
        (FLEET, ("operated_by", "tail"), []),
        (FLEET, ("has_headquarters_in", "tail"), ["headquarters"]),
        (FLEET, ("onAlbum", "tail"), ["album"]),  # with a relation of its own, named by the label that leads to it
    ],
)
def test_only_people_are_called_people(
    tmp_path: Path, triples: list[tuple[str, str, str]], slot: tuple[str, str], names: list[str]
) -> None:
    book = Phrasebook.of(build(triples, tmp_path / "small.graph"))
    assert book.names(slot[0], head=slot[1] == "head") == names
    assert book.is_person(slot[0], head=slot[1] == "head") == (names == ["person"])


@pytest.mark.parametrize(
    ("relations", "names"),
    [
        (("author", "publisher", "number of pages"), ["book"]),
        (("author", "journal", "publication year", "citation"), ["paper", "article"]),
        (("capital", "currency", "borders"), ["country"]),
        (("ingredient", "cuisine"), ["dish", "recipe"]),
        (("symptom", "treated by", "risk factor"), ["disease"]),
        (("birth date", "employer"), ["person"]),
        (("weight", "colour"), []),
        (("capital",), []),
    ],
)
def test_what_entities_with_such_relations_are_called(
    relations: tuple[str, ...], names: list[str], tmp_path: Path
) -> None:
    graph = build(
        [(f"a{i}", relation, f"{relation} {i}") for i in range(5) for relation in relations], tmp_path / "g.graph"
    )
    assert Phrasebook.of(graph).names(relations[0], head=True) == names


def test_an_employer_is_no_person(tmp_path: Path) -> None:
    graph = build([(f"a{i}", "employer", f"b{i % 2}") for i in range(5)], tmp_path / "g.graph")
    assert not Phrasebook.of(graph).is_person("employer", head=False)


def test_types_of_the_graph_name_classes(tmp_path: Path) -> None:
    records = [EntityRecord("Kenya", types=("country",)), EntityRecord("Nairobi", types=("city",))]
    graph = build([*records, ("Kenya", "capital", "Nairobi")], tmp_path / "typed.graph")
    book = Phrasebook.of(graph)
    assert book.names("capital", head=True) == ["country"]
    assert book.names("capital", head=False) == ["city"]


def test_the_file_gives_the_book_back(films: Graph, tmp_path: Path) -> None:
    book = Phrasebook.of(films)
    book.call("directed_by", ["film «A»"])
    file = tmp_path / "words.toml"
    file.write_text(book.to_toml(), encoding="utf-8")
    assert Phrasebook.read(file) == book


def test_corrections_stay_when_relations_come_and_go(films: Graph) -> None:
    corrected = Phrasebook.of(films)
    corrected.relations["directed_by"].tail = ["maker"]
    gone = corrected.relations.pop("release_year")
    merged = corrected.merged(Phrasebook.of(films))
    assert merged.relations["directed_by"].tail == ["maker"]
    assert merged.relations["release_year"] == gone
    assert len(merged.classes) == len(corrected.classes)


LATER = [(f"film {number}", "filmed in", f"city {number % 3}") for number in range(8)]
LATER += [(f"city {number}", "located in", "Norway") for number in range(3)]


def test_what_nobody_changed_is_as_if_learned_for_the_first_time(tmp_path: Path) -> None:
    before = build(FILMS[:2], tmp_path / "before.graph")  # too few triples to see who is a film
    after = Phrasebook.of(build(FILMS + LATER, tmp_path / "after.graph"))
    assert Phrasebook.of(before).merged(after) == after


def test_new_relations_join_the_class_that_a_user_named(films: Graph, tmp_path: Path) -> None:
    mine = Phrasebook.of(films)
    mine.call("directed_by", ["flick"])
    merged = mine.merged(Phrasebook.of(build(FILMS + LATER, tmp_path / "after.graph")))
    assert merged.names("filmed in", head=True) == merged.names("directed_by", head=True) == ["flick", "film", "movie"]
    assert len([one for one in merged.classes if "directed_by" in one.heads]) == 1
    assert merged.names("directed_by", head=False) == ["person"]
    assert any("filmed in" in one.tails and "located in" in one.heads for one in merged.classes)
    assert "filmed in" not in mine.classes[0].heads  # the book that was merged is as before


def test_new_types_and_new_relations_of_types(tmp_path: Path) -> None:
    records = [EntityRecord("Kenya", types=("country",)), EntityRecord("Nairobi", types=("city",))]
    mine = Phrasebook.of(build([*records, ("Kenya", "capital", "Nairobi")], tmp_path / "typed.graph"))
    mine.classes[1].names = ["town"]
    records += [EntityRecord("shilling", types=("money",))]
    triples = [("Kenya", "capital", "Nairobi"), ("Kenya", "currency", "shilling")]
    after = build([*records, *triples], tmp_path / "later.graph")
    merged = mine.merged(Phrasebook.of(after))
    assert [(one.names, one.heads, one.tails) for one in merged.classes] == [
        (["country"], ["capital", "currency"], []),
        (["town"], [], ["capital"]),
        (["money"], [], ["currency"]),
    ]


def test_words_are_read_as_questions_are(tmp_path: Path) -> None:
    file = tmp_path / "words.toml"
    file.write_text(
        '[relation.Leads]\ntail = [" Line  Manager"]\nverb = "Lead"\n[[class]]\nnames = ["Film"]\nheads = ["Leads"]'
    )
    book = Phrasebook.read(file)
    assert (book.relations["Leads"].tail, book.relations["Leads"].verb) == (["line manager"], "lead")
    assert (book.classes[0].names, book.classes[0].heads) == (["film"], ["Leads"])


def test_a_label_may_hold_any_character(tmp_path: Path) -> None:
    labels = ['a "b" \\ c', "\x7f", "\x01", "\u2028 «é»"]
    book = Phrasebook({label: read_label(label) for label in labels}, [EntityClass(["x"], labels)])
    file = tmp_path / "words.toml"
    file.write_text(book.to_toml(), encoding="utf-8")
    assert Phrasebook.read(file) == book


@pytest.mark.parametrize(
    ("text", "code", "name"),
    [
        ("[[class]", "words_file.not_readable", None),
        ("class = 3", "words_file.bad_tables", None),
        ('[[class]]\nnames = "film"', "words_file.bad_field", "names"),
        ("[[class]]\ncolour = 1", "words_file.unknown_field", "colour"),
        ('[relation.x]\nsubject = "middle"', "words_file.bad_subject", None),
        ('[relation.x]\ntail_questions = ["who leads it"]', "words_file.bad_question", None),
        ("[relation]\nx = 3", "words_file.not_a_table", None),
        ('[class]\nnames = ["film"]', "words_file.bad_tables", None),
        ('relation = "x"', "words_file.bad_tables", None),
        ('[[class]]\ntails = [["a"]]', "words_file.bad_field", "tails"),
        ('[[class]]\nheads = "directed_by"', "words_file.bad_field", "heads"),
        ('[relation.x]\ntail = [" "]', "words_file.empty_text", "tail"),
    ],
)
def test_a_damaged_file_is_named(films: Graph, text: str, code: str, name: str | None, tmp_path: Path) -> None:
    file = tmp_path / "words.toml"
    file.write_text(text, encoding="utf-8")
    for read in (lambda: Phrasebook.read(file), lambda: lexicon_of(films, str(tmp_path))):
        with fails(code, InputError, name=name) as caught:
            read()
        assert str(file) in str(caught.value)


def test_questions_of_the_file_are_written(films: Graph) -> None:
    book = Phrasebook.of(films)
    book.relations["directed_by"].tail_questions = ["whose work is @"]
    book.relations["directed_by"].head_questions = ["what did @ shoot"]
    rng = random.Random(0)
    texts = {
        forward: {
            Writer(book).write((("directed_by", forward),), rng).text("Heat").removesuffix(" ?") for _ in range(60)
        }
        for forward in (True, False)
    }
    assert "whose work is Heat" in texts[True] - texts[False]
    assert "what did Heat shoot" in texts[False] - texts[True]


def test_an_unknown_relation_cannot_name_a_class(films: Graph) -> None:
    with fails("phrasebook.no_relation", InputError, label="directs"):
        Phrasebook.of(films).call("directs", ["film"])


def test_a_single_text_is_not_taken_for_names_of_one_letter(films: Graph) -> None:
    with fails("phrasebook.not_a_list", InputError):
        Phrasebook.of(films).call("directed_by", "film")


def test_a_type_of_people_is_a_person_and_another_is_not(tmp_path: Path) -> None:
    ada, core = EntityRecord("Ada", types=("Person",)), EntityRecord("core", types=("Repository",))
    book = Phrasebook.of(build([ada, core, ("Ada", "owns", "core")], tmp_path / "g.graph"))
    assert {one.names[0]: one.person for one in book.classes} == {"person": True, "repository": False}


def test_dotted_relation_names_give_the_classes_of_their_ends(tmp_path: Path) -> None:
    triples = [
        *((f"film {i}", "film.film.starring..film.performance.actor", f"actor {i % 5}") for i in range(10)),
        *((f"actor {i}", "film.actor.agent", f"agent {i}") for i in range(5)),
        *(
            (f"{kind} {i}", "people.person.citizen_of", f"land {i % 2}")
            for kind in ("actor", "agent")
            for i in range(5)
        ),
        *((f"land {i}", "sports.competing_country.games", f"games {i}") for i in range(2)),
    ]
    book = Phrasebook.of(build(triples, tmp_path / "dotted.graph"))
    assert book.names("film.film.starring..film.performance.actor", head=False) == ["actor", "person"]
    assert book.names("film.film.starring..film.performance.actor", head=True) == ["film"]
    assert book.names("people.person.citizen_of", head=False) == ["country", "competing country"]
    assert book.is_person("film.actor.agent", head=True)
    assert not book.is_person("people.person.citizen_of", head=False)
    assert book.names("sports.competing_country.games", head=False) == []
