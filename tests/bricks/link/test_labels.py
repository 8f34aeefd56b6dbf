from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults import fails, told

from graphbrick import EntityRecord, GraphBuilder, LinkLabels, Mention, Query, ShortestPaths, build, change
from graphbrick.bricks.link.labels import resolve_seeds
from graphbrick.bricks.link.question import Question
from graphbrick.core.errors import InputError, LinkError
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.graph import Graph
from graphbrick.testing import tiny_graph

# key, label, aliases, number of triples: a name, and how well connected the entity is.
ENTITIES: tuple[tuple[str, str, tuple[str, ...], int], ...] = (
    ("york", "York", (), 3),
    ("ny", "New York", (), 5),
    ("nyc", "New York City", ("NYC", "The Big Apple"), 4),
    ("london", "London", (), 6),
    ("london-on", "London", (), 2),
    ("london-ky", "London", (), 4),
    ("jack", "Jack London", (), 1),
    ("paris", "Paris", (), 2),
    ("hilton", "Paris Hilton", ("Paris",), 7),
    ("polish-lower", "polish", (), 9),
    ("polish", "Polish", (), 1),
    ("tome", "São Tomé", (), 1),
    ("street", "Straße der Freiheit", (), 1),
    ("nairobi", "Nairobi", ("内罗毕",), 2),
    ("kenya", "Kenya", ("肯尼亚",), 2),
    ("obrien", "O'Brien & Sons, Inc.", (), 1),
    ("bank", "bank", (), 8),
    ("it", "It", (), 2),
    ("who", "Who", (), 2),
    ("of", "Of", (), 2),
    ("music", "The Sound of Music", (), 1),
    ("usa", "U.S.A.", (), 1),
    ("year", "1984", (), 1),
    ("mars", "Mars", (), 1),
    ("mars-god", "Mars", (), 1),
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    with GraphBuilder(tmp_path_factory.mktemp("link") / "names.graph", source="test") as builder:
        for key, label, aliases, degree in ENTITIES:
            builder.add(EntityRecord(key, label=label, aliases=aliases, description=f"the {key} one"))
            for i in range(degree):
                builder.add((key, f"r{i}", "hub"))
        builder.add(EntityRecord("hub", label="§"))
        return builder.finish()


def link(graph: Graph, question: str, **parameters: float) -> tuple[list[str], list[Any], tuple[Mention, ...]]:
    """Return the keys of the first readings, the events, and the mentions."""
    with record(Trace(), "LinkLabels()", "link") as entry:
        query = LinkLabels(**parameters).link(graph, Query(question, id="q"))
    assert (query.text, query.id) == (question, "q")
    first = tuple(dict.fromkeys(mention.entity for mention in query.mentions))
    assert query.seeds[: len(first)] == first
    assert all(query.alternatives(seed) for seed in query.seeds[len(first) :])
    return [graph.key(seed) for seed in first], entry.events, query.mentions


@pytest.mark.parametrize(
    ("question", "keys", "mentions"),
    [
        # The longest match comes first, wherever it begins
        ("Is New York City large?", ["nyc"], ["New York City"]),
        ("Is New York large?", ["ny"], ["New York"]),
        ("Is York old?", ["york"], ["York"]),
        ("Is York in New York or in New York City?", ["york", "ny", "nyc"], ["York", "New York", "New York City"]),
        ("New York New York City", ["ny", "nyc"], ["New York", "New York City"]),
        ("What did Jack London write?", ["jack"], ["Jack London"]),
        ("Who sang in The Sound of Music?", ["music"], ["The Sound of Music"]),
        ("Where is Kenya, and where Nairobi? Kenya!", ["kenya", "nairobi"], ["Kenya", "Nairobi", "Kenya"]),
        # Case, accents, punctuation
        ("WHERE IS NAIROBI", ["nairobi"], ["NAIROBI"]),
        ("where is new york city", ["nyc"], ["new york city"]),
        ("Where is Sao Tome?", ["tome"], ["Sao Tome"]),
        ("Where is SÃO-TOMÉ?", ["tome"], ["SÃO-TOMÉ"]),
        (unicodedata.normalize("NFD", "Where is São Tomé?"), ["tome"], ["São Tomé"]),
        ("Where is Strasse der Freiheit?", ["street"], ["Strasse der Freiheit"]),
        ("Where is 'New  York,\n City'?", ["nyc"], ["New  York,\n City"]),
        ("Who owns OBrien & sons inc?", None, None),
        ("Who owns o’brien sons INC?", ["obrien"], ["o’brien sons INC"]),
        ("What is the U. S. A.?", ["usa"], ["U. S. A"]),
        # Possessive
        ("What is Kenya's capital?", ["kenya"], ["Kenya"]),
        ("What is Kenya’s capital?", ["kenya"], ["Kenya"]),
        ("What is KENYA'S capital?", ["kenya"], ["KENYA"]),
        # Aliases
        ("Where is NYC?", ["nyc"], ["NYC"]),
        ("Who lives in the big apple?", ["nyc"], ["the big apple"]),
        # Numbers
        ("Who wrote 1984?", ["year"], ["1984"]),
        # Scripts without spaces between words
        ("内罗毕是哪个国家的首都？", ["nairobi"], ["内罗毕"]),
        ("请问肯尼亚的首都是内罗毕吗", ["kenya", "nairobi"], ["肯尼亚", "内罗毕"]),
        ("Kenya的首都", ["kenya"], ["Kenya"]),
    ],
)
def test_exact(graph: Graph, question: str, keys: list[str] | None, mentions: list[str] | None) -> None:
    if keys is None:
        with pytest.raises(LinkError):
            link(graph, question, min_score=0.99)
        return
    linked_keys, _, linked = link(graph, question)
    assert linked_keys == keys
    assert [mention.text for mention in linked] == mentions
    assert all(mention.score == 1 for mention in linked)


class TestHomonyms:
    def test_the_best_connected_is_taken_and_the_others_are_told(self, graph: Graph) -> None:
        keys, events, (mention,) = link(graph, "Where is London?")
        assert keys == ["london"]
        assert [graph.key(other) for other in mention.others] == ["london-ky", "london-on"]
        assert events == [
            "'London' names 3 entities; took London [london], the london one, others: "
            "London [london-ky], the london-ky one; London [london-on], the london-on one"
        ]
        assert events[0].values == {"name": "London", "n": 3, "by": "", "taken": "london"}

    def test_a_label_goes_before_an_alias(self, graph: Graph) -> None:
        keys, events, (mention,) = link(graph, "Where is Paris?")
        assert keys == ["paris"]
        assert [graph.key(other) for other in mention.others] == ["hilton"]
        assert (events[0].code, events[0].values["n"]) == ("link.several_entities", 2)

    @pytest.mark.parametrize(
        ("question", "key", "other"),
        [
            ("Who speaks Polish?", "polish", "polish-lower"),
            ("Who speaks POLISH?", "polish-lower", "polish"),  # neither is written so: the better connected
            ("polish", "polish-lower", "polish"),
        ],
    )
    def test_exact_spelling_is_preferred(self, graph: Graph, question: str, key: str, other: str) -> None:
        keys, _, (mention,) = link(graph, question)
        assert keys == [key]
        assert [graph.key(entity) for entity in mention.others] == [other]

    def test_equals_go_by_id(self, graph: Graph) -> None:
        assert link(graph, "Where is Mars?")[0] == ["mars"]


class TestCommonWords:
    def test_lower_case_words_are_left_out_beside_a_name(self, graph: Graph) -> None:
        keys, events, _ = link(graph, "Which bank is the oldest bank of Kenya?")
        assert keys == ["kenya"]
        assert told(events) == [("link.left_out", {"reason": "common words", "words": "bank"})]

    def test_they_are_taken_where_there_is_no_name(self, graph: Graph) -> None:
        keys, events, _ = link(graph, "what does a bank do?")
        assert keys == ["bank"]
        assert events == []

    def test_a_lower_case_word_inside_a_longer_name_is_not_told(self, graph: Graph) -> None:
        assert link(graph, "where is new york city")[1] == []

    @pytest.mark.parametrize(
        ("question", "keys"),
        [
            ("Who lives in Nairobi?", ["nairobi"]),  # the first word is a capital anyway
            ("Is it a city of Kenya?", ["kenya"]),
            ("Who acted in It?", ["it"]),
            ("WHO IS IN IT OF KENYA", ["kenya"]),  # not written as the names are
        ],
    )
    def test_stop_words(self, graph: Graph, question: str, keys: list[str]) -> None:
        assert link(graph, question)[0] == keys

    @pytest.mark.parametrize("question", ["Who is it?", "of", "who who who"])
    def test_stop_words_alone_name_nothing(self, graph: Graph, question: str) -> None:
        with fails("link.no_entity", LinkError, nearest=[]):
            link(graph, question)


class TestNearMisses:
    def test_taken_with_its_score_as_an_event(self, graph: Graph) -> None:
        keys, events, (mention,) = link(graph, "In which country is Nairobbi?")
        assert keys == ["nairobi"]
        assert mention.text == "Nairobbi"
        assert mention.score == pytest.approx(14 / 15)  # 7 of 7 and of 8 letters are common: 2 * 7 / (7 + 8)
        values = {"name": "Nairobbi", "taken": "Nairobi", "score": mention.score}
        assert told(events) == [("link.near_miss", values)]

    def test_also_beside_an_exact_name(self, graph: Graph) -> None:
        keys, events, _ = link(graph, "Is Nairobbi in Kenya?")
        assert keys == ["nairobi", "kenya"]
        assert [code for code, _ in told(events)] == ["link.near_miss"]

    def test_of_several_words(self, graph: Graph) -> None:
        keys, _, (mention,) = link(graph, "who lives in new yrok city")
        assert keys == ["nyc"]
        assert mention.text == "new yrok city"

    def test_below_min_score_is_refused_and_shown(self, graph: Graph) -> None:
        question = "In which country is Nairobbi?"
        with fails("link.no_entity", LinkError, question=question, nearest=["Nairobi"]) as caught:
            link(graph, question, min_score=0.95)
        assert (
            str(caught.value)
            == "I do not know the words 'country' and 'Nairobbi' in this graph; names that are near: Nairobi"
        )

    def test_nothing_is_near(self, graph: Graph) -> None:
        with fails("link.no_entity", LinkError, question="Zzyzx?", nearest=[]):
            link(graph, "Zzyzx?")

    @pytest.mark.parametrize("question", [" \t\n ", "?!", "😀 …", "«\n»\n?"])
    def test_no_word_at_all(self, graph: Graph, question: str) -> None:
        with fails("link.no_entity", LinkError, nearest=[]) as caught:
            link(graph, question)
        assert "\n" not in str(caught.value)

    def test_a_long_question_is_shortened_in_the_message(self, graph: Graph) -> None:
        with pytest.raises(LinkError) as caught:
            link(graph, "zzyzx " * 1000)
        assert len(str(caught.value)) < 200


class TestLongQuestions:
    def test_names_are_found_to_the_end(self, graph: Graph) -> None:
        question = "blah " * 20_000 + "London and NYC"
        keys, events, _ = link(graph, question)
        assert keys == ["london", "nyc"]
        assert len(events) == 1

    @pytest.mark.whole
    def test_a_name_again_and_again(self, graph: Graph) -> None:
        keys, _, mentions = link(graph, "Kenya Nairobi " * 7_000)
        assert keys == ["kenya", "nairobi"]
        assert len(mentions) == 14_000

    @pytest.mark.whole
    def test_a_homonym_again_and_again_is_one_event(self, graph: Graph) -> None:
        keys, events, _ = link(graph, "London " * 15_000)
        assert keys == ["london"]
        assert len(events) == 1

    @pytest.mark.whole
    def test_without_any_name(self, graph: Graph) -> None:
        with record(Trace(), "LinkLabels()", "link") as entry, pytest.raises(LinkError):
            LinkLabels().link(graph, Query("zzyzx " * 17_000))
        assert told(entry.events) == [("link.long_question", {"read": 64, "words": 17_000})]

    @pytest.mark.whole
    def test_one_word_of_100_kb(self, graph: Graph) -> None:
        with fails("link.no_entity", LinkError, nearest=[]):
            link(graph, "Nairobi" * 15_000)

    @pytest.mark.whole
    def test_no_space_in_100_kb(self, graph: Graph) -> None:
        assert link(graph, "首都" * 17_000 + "内罗毕")[0] == ["nairobi"]


class TestGivenSeeds:
    @pytest.mark.parametrize(
        ("seeds", "keys"),
        [
            (["london-on"], ["london-on"]),  # a key
            (["London"], ["london"]),  # a label
            (["the big apple!"], ["nyc"]),  # an alias, folded
            ([" Kenya "], ["kenya"]),
            (["it"], ["it"]),
            (["Nairobi", "nairobi", 14], ["nairobi"]),
            ([np.int32(15)], ["kenya"]),  # 1 is the hub, the others follow in order
        ],
    )
    def test_by_key_label_alias_or_id(self, graph: Graph, seeds: list[str | int], keys: list[str]) -> None:
        query = resolve_seeds(graph, Query("?"), seeds)
        assert [graph.key(seed) for seed in query.seeds] == keys
        assert len(query.mentions) == len(seeds)

    def test_homonyms_are_told(self, graph: Graph) -> None:
        run = ShortestPaths().run(graph, "Where is it?", seeds=["London"])
        assert run.trace.event_codes == ["link.several_entities"]
        assert [graph.key(entity) for entity in run.query.mentions[0].others] == ["london-ky", "london-on"]
        assert ShortestPaths().run(graph, "Where is it?", seeds=["london-on"]).trace.events == []

    def test_unknown_shows_the_nearest(self, graph: Graph) -> None:
        nearest = ["Nairobi [nairobi], the nairobi one"]
        with fails("link.unknown_seed", LinkError, name="Nairobbi", nearest=nearest):
            resolve_seeds(graph, Query("?"), ["Nairobbi"])

    @pytest.mark.parametrize("name", ["", "  ", "Zzyzx", "!!"])
    def test_unknown_and_nothing_near(self, graph: Graph, name: str) -> None:
        with fails("link.unknown_seed", LinkError, name=name, nearest=[]):
            resolve_seeds(graph, Query("?"), [name])

    def test_a_long_name_is_shortened_in_the_message(self, graph: Graph) -> None:
        with pytest.raises(LinkError) as caught:
            resolve_seeds(graph, Query("?"), ["z" * 100_000])
        assert len(str(caught.value)) < 250


def test_the_event_names_keys_only_where_they_differ() -> None:
    graph = tiny_graph()
    with fails("link.unknown_seed", nearest=["Nairobi"]):
        resolve_seeds(graph, Query("?"), ["Nairobbi"])


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    triples = [
        ("Ben Okoro", "reports to", "Ada Marsh"),
        ("Ada Marsh", "reports to", "Carla Diaz"),
        ("Ada Quist", "reports to", "Carla Diaz"),
        ("Ben Okoro", "works in", "Platform Team"),
    ]
    return build(triples, tmp_path_factory.mktemp("people") / "people.graph")


@pytest.mark.parametrize("text", ["Who is Ben's boss?", "Who does Okoro report to?", "Is Ben in?"])
def test_part_of_name_a_part_that_only_one_entity_has(people: Graph, text: str) -> None:
    with record(Trace(), "LinkLabels()", "link") as entry:
        query = LinkLabels().link(people, Query(text))
    assert [people.label(seed) for seed in query.seeds] == ["Ben Okoro"]
    code, values = told(entry.events)[0]
    assert (code, values["taken"]) == ("link.part_of_one", "Ben Okoro")


def test_part_of_name_a_part_of_several_names_is_asked_for(people: Graph) -> None:
    with fails("link.part_of_several", LinkError, name="Ada", names=["Ada Marsh", "Ada Quist"]):
        LinkLabels().link(people, Query("Who is Ada's boss?"))


def test_part_of_name_beside_a_whole_name(people: Graph) -> None:
    query = LinkLabels().link(people, Query("Does Ben know Ada Quist?"))
    assert [people.label(seed) for seed in query.seeds] == ["Ben Okoro", "Ada Quist"]
    query = LinkLabels().link(people, Query("Does Ada know Ben Okoro?"))  # «Ada» alone may be either of two
    assert [people.label(seed) for seed in query.seeds] == ["Ben Okoro"]


def test_part_of_name_parts_of_words_do_not_count(people: Graph) -> None:
    assert people.names.containing("oko") == []
    assert people.names.containing("ada") == sorted([people.entity("Ada Marsh"), people.entity("Ada Quist")])


def test_part_of_name_a_changed_graph(people: Graph, tmp_path: Path) -> None:
    build([("Ben Okoro", "reports to", "Ada Marsh")], tmp_path / "changed.graph")
    change(tmp_path / "changed.graph", add=[("Ben Zahn", "reports to", "Ada Marsh")])
    graph = Graph.open(tmp_path / "changed.graph")
    assert graph.names.containing("ben") == sorted([graph.entity("Ben Okoro"), graph.entity("Ben Zahn")])
    assert graph.names.containing("okoro") == [graph.entity("Ben Okoro")]


def test_an_entity_that_is_spelled_otherwise_is_no_reading(graph: Graph) -> None:
    assert [graph.key(seed) for seed in LinkLabels().link(graph, Query("Who speaks Polish?")).seeds] == ["polish"]
    seeds = LinkLabels(readings=3).link(graph, Query("Where is London?")).seeds
    assert [graph.key(seed) for seed in seeds] == ["london", "london-ky", "london-on"]


@pytest.mark.parametrize("words", ["no such.patterns", "~nobody_at_all/films.patterns", "films\0.patterns"])
def test_a_folder_of_words_that_is_not_there_is_an_error(graph: Graph, words: str) -> None:
    with pytest.raises(InputError, match="name the folder that graphbrick learn made"):
        LinkLabels(words=words).link(graph, Query("which country has the most neighbours"))


@pytest.mark.parametrize(
    "text", ["what is “the “Kenya” like", "what is „the „Kenya“ like", "what is «the «Kenya» like"]
)
def test_a_quotation_begins_at_the_last_mark_before_it(text: str) -> None:
    question = Question.read(text)
    assert [question.surface(span) for span in question.quoted] == ["Kenya"]
