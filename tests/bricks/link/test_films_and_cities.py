"""Names as people write them, and which of several entities a question means: a graph of films, people and cities."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails

from graphbrick import (
    EntityRecord,
    GraphBuilder,
    LinkLabels,
    Mention,
    NGram,
    PathAnswer,
    Patterns,
    Query,
    RankEnds,
    ShortestPaths,
    build,
    parse,
)
from graphbrick.bricks.retrieve.operators.question import question_of
from graphbrick.core import PathPattern, Subgraph
from graphbrick.core.errors import LinkError
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.graph import Graph

# key, label, types
ENTITIES = (
    ("matrix", "The Matrix", ("film",)),
    ("heat95", "Heat", ("film",)),
    ("heat86", "Heat", ("film",)),
    ("city-film", "City", ("film",)),
    ("capital-film", "Capital", ("film",)),
    ("director-film", "The Director", ("film",)),
    ("ring", "The Fellowship of the Ring", ("film",)),
    ("spider", "Spider-Man", ("film",)),
    ("jerry", "Tom and Jerry", ("film",)),
    ("sleepless", "Sleepless in Seattle", ("film",)),
    ("hanks", "Tom Hanks", ("actor",)),
    ("ryan", "Meg Ryan", ("actor",)),
    ("michael-actor", "Michael Mann", ("actor",)),
    ("michael", "Michael Mann", ("director",)),
    ("tolkien", "J. R. R. Tolkien", ("author",)),
    ("jfk", "JFK", ("film",)),
    ("smith", "Will Smith", ("actor",)),
    ("johnson", "Johnson & Sons", ("company",)),
    ("elodie", "Élodie Yung", ("actor",)),
    ("kenya", "Kenya", ("country",)),
    ("nairobi", "Nairobi", ("city",)),
    ("panama", "Panama", ("country",)),
    ("panama-city", "Panama City", ("city",)),
    ("panama-city-fl", "Panama City", ("city",)),
    ("florida", "Florida", ("state",)),
    ("1995", "1995", ()),
    ("1986", "1986", ()),
    ("paris", "Paris", ("city",)),
    ("hilton", "Paris Hilton", ("actor",)),
    ("jones", "Jones", ("family",)),
)
TRIPLES = (
    ("heat95", "directed by", "michael"),
    ("heat95", "released in", "1995"),
    ("heat86", "released in", "1986"),
    ("heat86", "starred actors", "ryan"),
    ("heat86", "starred actors", "hanks"),  # the 1986 film has more triples
    ("sleepless", "starred actors", "hanks"),
    ("sleepless", "starred actors", "ryan"),
    ("kenya", "capital", "nairobi"),
    ("panama", "capital", "panama-city"),
    ("panama-city-fl", "located in", "florida"),
    ("panama-city-fl", "twinned with", "paris"),  # better connected than the capital
    ("matrix", "released in", "1995"),
    ("jfk", "starred actors", "michael-actor"),
    ("jfk", "written by", "tolkien"),
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    with GraphBuilder(tmp_path_factory.mktemp("films") / "films.graph", source="test") as builder:
        for key, label, types in ENTITIES:
            builder.add(EntityRecord(key, label=label, types=types))
        for triple in TRIPLES:
            builder.add(triple)
        return builder.finish()


def link(graph: Graph, text: str, **parameters: float) -> tuple[list[str], list[Any], tuple[Mention, ...]]:
    """Return the keys of the first readings, the events and the mentions."""
    with record(Trace(), "LinkLabels()", "link") as entry:
        query = LinkLabels(**parameters).link(graph, Query(text))
    first = dict.fromkeys(mention.entity for mention in query.mentions)
    return [graph.key(entity) for entity in first], entry.events, query.mentions


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        # Typing errors beside exact names, in every place of a question
        ("Which films did Tom Henks and Meg Ryan make?", ["hanks", "ryan"]),
        ("Which films did Meg Ryan and Tom Hnaks make?", ["ryan", "hanks"]),
        ("Which films did Meg Ryan make with TomHanks?", ["ryan", "hanks"]),
        ("Did Meg Ryan act in The Felowship of the Rng?", ["ryan", "ring"]),
        ("Did Meg Ryan ever meet Paris Hiltan?", ["ryan", "hilton"]),  # not Paris
        ("which films did tom henks and meg ryan make?", ["hanks", "ryan"]),
        ("which films did tom henks make", ["hanks"]),
        ("Is Kneya near Nairobi?", ["kenya", "nairobi"]),
        # Lower case, capitals, accents
        ("who directed the matrix", ["matrix"]),
        ("who directed matrix", ["matrix"]),
        ("WHO DIRECTED THE MATRIX", ["matrix"]),
        ("WHICH FILMS DID TOM HANKS MAKE IN THE CITY OF NAIROBI", ["hanks"]),
        ("Where was Elodie Yung born?", ["elodie"]),
        # Quotes
        ('Who directed "Heat"?', ["heat95"]),
        ('who directed "the director"?', ["director-film"]),
        ("who directed \u2018matrix\u2019?", ["matrix"]),
        ("Who directed \u201cTom & Jerry\u201d?", ["jerry"]),
        # Possessives and plurals
        ("What is Kenya's capital?", ["kenya"]),
        ("How many Kenyas are there beside Nairobi?", ["kenya", "nairobi"]),
        ("Where is the Joneses' house in Nairobi?", ["jones", "nairobi"]),
        # Titles, initials, conjunctions, articles, hyphens
        ("What did JRR Tolkien write?", ["tolkien"]),
        ("What did J.R.R. Tolkien write?", ["tolkien"]),
        ("Who starred in J.F.K.?", ["jfk"]),
        ("Which films has Mr. Smith made?", ["smith"]),
        ("Who owns Johnson and Sons?", ["johnson"]),
        ("Who directed Tom & Jerry?", ["jerry"]),
        ("Who directed Matrix?", ["matrix"]),
        ("Who directed Spiderman?", ["spider"]),
        ("who directed spider man", ["spider"]),
        # A year that tells which one is meant is no seed; else it is one
        ("Who directed Heat (1995)?", ["heat95"]),
        ("Who acted in Heat (1986)?", ["heat86"]),
        ("Who directed Sleepless in Seattle (1995)?", ["sleepless", "1995"]),
        # Parts of names
        ("What did Tolkien write?", ["tolkien"]),
        ("what did tolkien write?", ["tolkien"]),
        ("Did Tolkien live in Nairobi?", ["tolkien", "nairobi"]),
    ],
)
def test_names_as_people_write_them(graph: Graph, text: str, keys: list[str]) -> None:
    assert link(graph, text)[0] == keys


def test_a_year_in_brackets_leaves_one_reading(graph: Graph) -> None:
    query = LinkLabels(readings=2).link(graph, Query("Who acted in Heat (1986)?"))
    assert [graph.key(seed) for seed in query.seeds] == ["heat86"]
    both = LinkLabels().link(graph, Query("Who directed Heat (1995) and Heat (1986)?"))
    assert [graph.key(seed) for seed in both.seeds] == ["heat95", "heat86"]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Which city is the capital of Kenya?", ["kenya"]),
        ("which city is the capital of kenya?", ["kenya"]),
        ("Capital of Kenya?", ["kenya"]),
        ("Who is the director of the films that Tom Hanks starred in?", ["hanks"]),
        ("who is the director of sleepless in seattle", ["sleepless"]),
        ("WHICH CITY IS THE CAPITAL OF KENYA", ["kenya"]),
        # Capitals and quotes say that a name is meant
        ("Who directed City?", ["city-film"]),
        ("Which films are like Capital and The Director?", ["capital-film", "director-film"]),
        # A last resort
        ("what is a city", ["city-film"]),
    ],
)
def test_words_of_types_and_relations_are_no_names(graph: Graph, text: str, keys: list[str]) -> None:
    assert link(graph, text)[0] == keys


def test_what_was_left_out_and_why_is_told(graph: Graph) -> None:
    assert link(graph, "Which city is the capital of Kenya?")[1] == [
        "left out as words of types and relations: city, capital"
    ]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Where is Panama City?", ["panama-city-fl"]),  # nothing tells: the better connected
        ("Which country is Panama City the capital of?", ["panama-city"]),  # by a relation
        ("How large is Panama City in Panama?", ["panama-city", "panama"]),  # by a neighbour
        ("How large is Panama City in Florida?", ["panama-city-fl", "florida"]),
        ("How old is the actor Michael Mann?", ["michael-actor"]),  # by a type
        ("How old is the director Michael Mann?", ["michael"]),
        ("How old is Michael Mann, the director?", ["michael"]),
        ("Which films did Michael Mann direct?", ["michael"]),  # forms of one word
        ("Which films was Michael Mann starring in?", ["michael-actor"]),
        ("Did Michael Mann direct Heat?", ["michael", "heat95"]),  # two that are neighbours
        ("Did Meg Ryan act in Heat?", ["ryan", "heat86"]),
    ],
)
def test_the_question_says_which_entity_is_meant(graph: Graph, text: str, keys: list[str]) -> None:
    assert link(graph, text)[0] == keys


def test_other_entities_of_the_name_are_kept_and_told(graph: Graph) -> None:
    _, events, (mention,) = link(graph, "Which country is Panama City the capital of?")
    told = events[-1]
    assert [graph.key(other) for other in mention.others] == ["panama-city-fl"]
    assert told.startswith("'Panama City' names 2 entities; took Panama City [panama-city], city, others: ")
    assert told.code == "link.several_entities"
    assert told.values == {"name": "Panama City", "n": 2, "by": "", "taken": "panama-city"}


def test_how_a_name_was_read_is_told(graph: Graph) -> None:
    for question, code, name, taken in (
        ("Who directed Matrix?", "link.other_spelling", "Matrix", "The Matrix"),
        ("Which films did Tom Henks and Meg Ryan make?", "link.near_miss", "Tom Henks", "Tom Hanks"),
        ("Did Tolkien live in Nairobi?", "link.part_of_one", "Tolkien", "J. R. R. Tolkien"),
    ):
        (told,) = link(graph, question)[1]
        assert (told.code, told.values["name"], told.values["taken"]) == (code, name, taken)


@pytest.mark.parametrize("text", ["Did Meg Ryan ever see Puru?", "Did Meg Ryan like Jone?", "did meg ryan like kenia?"])
def test_short_names_must_be_spelled_right_and_single_words_in_lower_case_too(graph: Graph, text: str) -> None:
    assert link(graph, text)[0] == ["ryan"]


def test_a_higher_min_score_refuses_typing_errors(graph: Graph) -> None:
    assert link(graph, "Which films did Tom Henks and Meg Ryan make?", min_score=0.9)[0] == ["ryan"]


def test_a_part_of_several_names_is_asked_for(graph: Graph) -> None:
    with fails("link.part_of_several", LinkError, name="Michael", n=2, names=["Michael Mann"] * 2):
        link(graph, "Who is Michael?")
    with fails("link.part_of_several", LinkError, name="michael", n=2):
        link(graph, "who is michael?")


class TestReadings:
    """Several readings of one mention go through the pipeline, and the best path decides."""

    def test_the_first_readings_come_first_then_the_others(self, graph: Graph) -> None:
        for readings, keys in ((1, ["heat86", "nairobi"]), (2, ["heat86", "nairobi", "heat95"])):
            query = LinkLabels(readings=readings).link(graph, Query("Is Heat set in Nairobi?"))
            assert [graph.key(seed) for seed in query.seeds] == keys
        first, nairobi, second = query.seeds
        assert query.alternatives(first) == {second}
        assert query.alternatives(second) == {first}
        assert query.alternatives(nairobi) == frozenset()

    def test_an_entity_that_another_mention_names_is_no_alternative(self, graph: Graph) -> None:
        a, b = graph.entity("heat95"), graph.entity("heat86")
        query = Query("?", (a, b), mentions=(Mention("Heat", a, others=(b,)), Mention("Heat of 1986", b)))
        assert query.alternatives(a) == frozenset()

    @pytest.mark.parametrize(
        "pipeline",
        [
            "Patterns(NGram(), max_hops=1)",
            "ShortestPaths(max_hops=1) >> Rerank(NGram())",
            "Patterns(NGram(), max_hops=1, each=1) >> RankEnds()",
        ],
    )
    def test_the_answer_is_about_the_reading_of_the_best_path(self, graph: Graph, pipeline: str) -> None:
        # Only the film of 1995 was directed by somebody in this graph.
        first, second = graph.entity("heat86"), graph.entity("heat95")
        query = Query("Who was Heat director?", (first, second), mentions=(Mention("Heat", first, others=(second,)),))
        run = parse(f"{pipeline} >> PathAnswer()").run(graph, query)
        assert run.answer is not None
        assert [graph.key(entity) for entity in run.answer.entities] == ["michael"]
        assert run.trace.events[-1] == (
            "the answer is about Heat [heat95], film; 'Heat' may also mean Heat [heat86], film"
        )

    @pytest.mark.parametrize(
        "pipeline",
        [
            "Patterns(NGram(), max_hops=1) >> PathAnswer()",
            "Patterns(NGram(), max_hops=1, each=1) >> RankEnds() >> PathAnswer(ends='listed')",
        ],
    )
    def test_readings_share_no_answers(self, graph: Graph, pipeline: str) -> None:
        run = parse(f"LinkLabels(readings=2) >> {pipeline}").run(graph, "released in: Heat")
        assert run.answer is not None
        assert run.answer.texts == ("1986",)  # not also 1995, the year of the other film

    def test_ends_are_ranked_for_one_reading(self, graph: Graph) -> None:
        query = LinkLabels(readings=2).link(graph, Query("released in: Heat"))
        evidence = Patterns(NGram(), max_hops=1, each=1).retrieve(query, Subgraph(graph))
        assert len({path.start for path in evidence.paths}) == 2
        assert len({path.start for path in RankEnds().rerank(query, evidence).paths}) == 1

    def test_a_name_that_occurs_twice_has_one_reading_in_a_plan(self, graph: Graph) -> None:
        query = LinkLabels(readings=2).link(graph, Query("Is Heat older than Heat?"))
        assert len(query.seeds) == 2
        assert question_of(graph, query, lambda word: True).entities == query.seeds[:1]

    def test_a_path_to_another_reading_is_no_path_between_seeds(self, graph: Graph) -> None:
        a, b, year = (graph.entity(key) for key in ("panama-city", "panama-city-fl", "panama"))
        query = Query("?", (a, b), mentions=(Mention("Panama City", a, others=(b,)),))
        paths = ShortestPaths(max_hops=1).retrieve(query, Subgraph(graph))
        answer = PathAnswer().generate(query, paths)
        assert year in answer.entities


def test_a_misspelt_name_is_masked_for_patterns(graph: Graph) -> None:
    class Starts(NGram):
        """Collects the names of starts."""

        seen: ClassVar[set[str]] = set()

        def rate_items(self, query: str, items: Sequence[PathPattern], **options: bool) -> npt.NDArray[np.float64]:
            self.seen.update(item.start_label for item in items)
            return super().rate_items(query, items, **options)

    query = LinkLabels().link(graph, Query("Which films did Tom Henks and Meg Ryan make?"))
    evidence = Patterns(Starts(), max_hops=1).retrieve(query, Subgraph(graph))
    assert Starts.seen == {"Tom Henks", "Meg Ryan"}
    assert {path.start_label for path in evidence.paths} <= {"Tom Hanks", "Meg Ryan"}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("What is the largest city in Mexico?", "mexico"),  # a city is in the country
        ("Which cities are there in Mexico?", "mexico"),
        ("How large is the city of Mexico?", "mexico-ph"),
        ("How large is Mexico?", "mexico-ph"),  # nothing tells: the better connected
    ],
)
def test_what_is_in_a_place_does_not_say_what_the_place_is(tmp_path: Path, text: str, key: str) -> None:
    records = [
        EntityRecord("mexico", label="Mexico", types=("country",)),
        EntityRecord("mexico-ph", label="Mexico", types=("city",)),
        ("mexico", "capital", "mexico-city"),
        ("mexico-ph", "country", "philippines"),
        ("mexico-ph", "time zone", "manila"),
    ]
    assert link(build(records, tmp_path / "mexico.graph"), text)[0] == [key]
