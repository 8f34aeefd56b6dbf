"""With a language model, a question that the rules refuse is answered by a query that the model writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from built_graphs import built_from_tables

import graphbrick
from graphbrick.graphs.databases.errors import TooSlowError
from graphbrick.graphs.databases.graph import DatabaseGraph
from graphbrick.graphs.export.formats import export
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.graphs.graph import Graph
from graphbrick.learn import default
from graphbrick.pipeline.run import Run
from graphbrick.testing import ScriptedLLM

pytest.importorskip("ladybug")

TABLES = {
    "nodes_system": "id,label,name,eol_date,family\ns1,System,Acme Server 2019,2029-01-09,server\n"
    "s2,System,Acme Desk 10,2025-10-14,desktop\ns3,System,Acme Desk 11,2031-10-14,desktop\n",
    "nodes_maker": "id,label,name\nm1,Maker,Acme\n",
    "edges_made": "start,end,type\ns1,m1,MADE_BY\ns2,m1,MADE_BY\ns3,m1,MADE_BY\n",
}
WHOLE = pytest.mark.whole
SUPPORT = "When does the 2019 server run out of support?"
BY_NAME = "MATCH (s:System) WHERE lower(s.label) CONTAINS 'server 2019' RETURN s.eol_date"


@pytest.fixture(scope="module")
def systems(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("systems"), TABLES)


def asked(graph: Any, question: str, replies: Sequence[str], **options: float) -> tuple[Run, list[str]]:
    """Return the run of a question with a model that gives these replies, and the prompts that it got."""
    with ScriptedLLM(replies or ["never"]) as server:
        pipeline = default.default_pipeline(graph, f"LLM('m', base_url='{server.base_url}', retries=0)")
        if options:
            withheld = default.withholding(pipeline, options["min_confidence"])
            assert withheld is not None
            pipeline = withheld
        run = pipeline.run(graph, question)
        return run, [request.prompt for request in server.requests]


def texts(run: Run) -> tuple[str, ...]:
    assert run.answer is not None
    return run.answer.texts


def test_what_the_rules_refuse_is_asked_of_the_model(systems: Graph) -> None:
    assert texts(default.default_pipeline(systems).run(systems, SUPPORT)) == ()
    run, prompts = asked(systems, SUPPORT, [BY_NAME])
    assert run.answer is not None
    assert (texts(run), run.answer.confidence, len(prompts)) == (("2029-01-09",), None, 1)
    assert "eol_date" in prompts[0]
    assert SUPPORT in prompts[0]
    assert run.answer.evidence.items[0].citations[0].query.startswith(BY_NAME)
    assert "from_rows.by_model" in run.trace.event_codes


def test_what_the_rules_answer_costs_no_call(systems: Graph) -> None:
    run, prompts = asked(systems, "How many systems are there?", [])
    assert (texts(run), prompts) == (("3",), [])


def test_a_row_of_several_values_is_one_answer(systems: Graph) -> None:
    question = "How is the landscape split, family-wise?"
    run, _ = asked(systems, question, ["MATCH (s:System) RETURN s.family, count(*) ORDER BY s.family"])
    assert texts(run) == ("desktop: 2", "server: 1")


@pytest.mark.parametrize(("condition", "answer"), [("> 1", "yes"), ("> 5", "no")])
def test_yes_or_no(systems: Graph, condition: str, answer: str) -> None:
    query = f"MATCH (s:System {{family: 'desktop'}}) RETURN count(*) {condition}"
    assert texts(asked(systems, "Would two of our desk boxes survive the audit?", [query])[0]) == (answer,)


@pytest.mark.parametrize(("where", "answers"), [("s.family = 'desktop'", ()), ("true", ("2029-01-09",))])
def test_rows_without_a_value_are_counted(tmp_path: Path, where: str, answers: tuple[str, ...]) -> None:
    tables = TABLES | {"nodes_system": TABLES["nodes_system"].replace("2025-10-14", "").replace("2031-10-14", "")}
    graph = built_from_tables(tmp_path, tables)
    run, _ = asked(graph, SUPPORT, [f"MATCH (s:System) WHERE {where} RETURN s.eol_date"])
    assert texts(run) == answers
    assert "from_rows.no_value" in run.trace.event_codes


@pytest.mark.parametrize("reply", ["NONE", "`NONE`.", "none"])
def test_the_model_may_say_that_the_graph_has_no_such_thing(systems: Graph, reply: str) -> None:
    run, prompts = asked(systems, "What did the moon landing cost?", [reply])
    assert (texts(run), len(prompts)) == ((), 1)
    assert "text_to_query.declined" in run.trace.event_codes


@pytest.mark.parametrize("second", ["the same", "NONE"])
def test_a_query_that_the_model_stands_by_finds_nothing(systems: Graph, second: str) -> None:
    nothing = "MATCH (s:System) WHERE s.eol_date < date('2000-01-01') RETURN s.label"
    run, prompts = asked(
        systems, "Whose support died before Y2K?", [nothing, nothing if second == "the same" else second]
    )
    assert (texts(run), len(prompts)) == ((), 2)
    assert "text_to_query.nothing_fits" in run.trace.event_codes


def test_an_answer_that_is_not_sure_enough_is_asked_too(systems: Graph) -> None:
    question = "Which systems are made by Acme?"
    names = "MATCH (s:System)-[:MADE_BY]->(:Maker {label: 'Acme'}) RETURN s.label"
    run, prompts = asked(systems, question, [names], min_confidence=1.0)
    assert (len(texts(run)), len(prompts)) == (3, 1)


def test_without_the_database_library_the_model_plans_and_reads(
    systems: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(default, "find_spec", lambda name: None)
    recipe = repr(default.default_pipeline(systems, "LLM('m')"))
    assert "TextToQuery" not in recipe
    assert "Operators(Patterns(WordAlignment(MiniLM()), n=32), llm=LLM(model='m'))" in recipe


@pytest.mark.parametrize(
    "reply",
    [
        "RETURN '2029-01-09' AS day",
        "MATCH (s:System) RETURN '2029-01-09' AS s LIMIT 1",
        "MATCH (s:System) RETURN DISTINCT date('2029-01-09')",
        "CALL show_tables() RETURN *",
    ],
)
def test_a_model_cannot_answer_by_a_value_of_its_own(systems: Graph, reply: str) -> None:
    run, prompts = asked(systems, SUPPORT, [reply])
    assert texts(run) == ()
    assert "return what MATCH finds" in prompts[1]


def test_a_large_graph_is_not_copied_unasked(systems: Graph, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(default, "_COPIED", 2)
    large = built_from_tables(tmp_path, TABLES)
    assert "RETURN 1" in default.lacks_queries(large)
    assert "TextToQuery" not in repr(default.default_pipeline(large, "LLM('m')"))
    large.query("RETURN 1", {}, 1)
    assert default.lacks_queries(large) == ""
    assert "TextToQuery" in repr(default.default_pipeline(large, "LLM('m')"))


def test_a_copy_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    graph = built_from_tables(tmp_path, TABLES)
    (graph.place.parent / f"{graph.place.name}.ladybug").write_text("in the way", encoding="utf-8")
    run, prompts = asked(graph, SUPPORT, [BY_NAME])
    assert (texts(run), prompts) == ((), [])
    assert "from_rows.not_queried" in run.trace.event_codes


def test_a_name_that_means_several_does_not_end_the_question(systems: Graph, tmp_path: Path) -> None:
    run, prompts = asked(systems, "Is Desk supported?", ["MATCH (s:System) RETURN s.label"])
    assert (len(texts(run)), len(prompts)) == (3, 1)


@pytest.fixture(scope="module", params=["ladybug", "oxigraph"])
def database(request: pytest.FixtureRequest, systems: Graph, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a database with the same systems."""
    folder = tmp_path_factory.mktemp("database")
    if request.param == "ladybug":
        to_ladybug(systems, folder / "systems.lbdb")
        return f"ladybug:{folder / 'systems.lbdb'}"
    export(systems, folder / "systems.nt", "nt")
    store = pyoxigraph.Store(str(folder / "store"))
    store.load(path=str(folder / "systems.nt"), format=pyoxigraph.RdfFormat.N_TRIPLES)
    store.flush()
    return f"oxigraph:{folder / 'store'}"


@pytest.mark.parametrize("option", ["", "?whole=0"])
@pytest.mark.parametrize("question", [SUPPORT, pytest.param("When do boxes like Acme Server 2019 die?", marks=WHOLE)])
def test_a_database_is_queried_itself(database: str, option: str, question: str) -> None:
    graph = graphbrick.open(database + option)
    assert isinstance(graph, DatabaseGraph)
    if graph.language == "Cypher":
        query = BY_NAME
    else:
        names = {part.name for one in graph.schema().classes for part in one.properties}
        (relation,) = (name for name in names if "eol_date" in name)
        query = f"SELECT ?day {{ ?s {relation} ?day . ?s ?name ?label FILTER(CONTAINS(?label, 'Server 2019')) }}"
    own = "RETURN '2030-01-01'" if graph.language == "Cypher" else "SELECT ('2030-01-01' AS ?day) { ?s ?p ?o }"
    run, prompts = asked(graph, question, [own, query])
    assert (texts(run), len(prompts)) == (("2029-01-09",), 2)
    assert "value of its own" in prompts[1]
    assert {"from_rows.by_model", "text_to_query.query"} <= {*run.trace.event_codes}


def test_a_database_that_names_nothing_and_has_no_such_thing(database: str) -> None:
    run, prompts = asked(graphbrick.open(f"{database}?whole=0"), "What did the moon landing cost?", ["NONE"])
    assert (texts(run), len(prompts)) == ((), 1)
    assert {"local.nothing_named", "text_to_query.declined"} <= {*run.trace.event_codes}


def test_a_database_too_slow_for_its_schema_is_told(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = graphbrick.open(database)
    assert isinstance(graph, DatabaseGraph)

    def slow(self: DatabaseGraph) -> None:
        raise TooSlowError("no answer within 30 s", code="database.too_slow")

    monkeypatch.setattr(type(graph), "schema", slow)
    run, prompts = asked(graph, SUPPORT, [])
    assert (texts(run), prompts) == ((), [])
    assert "from_rows.not_queried" in run.trace.event_codes
