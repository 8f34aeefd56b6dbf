"""Queries of strangers that pass a limit: a true line, another process for the next one, and other clients unharmed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from commands import Run, refused
from faults import fails
from served import serving

import graphbrick
from graphbrick import Session, build
from graphbrick.core.compute import limited_by
from graphbrick.core.session import current_session
from graphbrick.graphs.databases.errors import TooMuchError
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.pipeline.budget import StoppedError
from graphbrick.testing import tiny_graph

pytestmark = pytest.mark.whole

pytest.importorskip("ladybug")

ENDLESS = "MATCH (a), (b), (c) UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN sum(x * y)"
LONG_TEXT = "RETURN repeat('a', 2000000)"
HUGE = {
    "ladybug": ["UNWIND range(1,1000000000) AS x RETURN count(x)", "RETURN range(1,2000000000)"],
    "oxigraph": ["SELECT ?a ?d ?g ?j ?m { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o } ORDER BY ?c ?f ?i ?l"],
}
GOOD = {"ladybug": ("RETURN 1", 1), "oxigraph": ("ASK { ?s ?p ?o }", True)}


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    with Session() as session:
        yield session


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("limits")
    store = pyoxigraph.Store(str(folder / "store"))
    lines = "\n".join(f"<http://e/{i}> <http://e/p> <http://e/{i + 1}> ." for i in range(100))
    store.load(lines.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    store.flush()
    return {
        "ladybug": f"ladybug:{to_ladybug(tiny_graph(), folder / 'tiny.ladybug')}",
        "oxigraph": f"oxigraph:{folder / 'store'}",
    }


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in HUGE.items() for text in texts])
def test_a_query_that_takes_too_much_memory_is_ended(places: dict[str, str], kind: str, text: str) -> None:
    graph: Any = graphbrick.open(f"{places[kind]}?memory=64&timeout=600")
    with fails("database.too_much_memory", TooMuchError, megabytes=64):
        graph.query(text, {}, 1)
    good, value = GOOD[kind]
    assert graph.query(good, {}, 1).rows == [(value,)]


@pytest.mark.parametrize("text", [LONG_TEXT, "RETURN range(1, 100000)", "UNWIND range(1, 100000) AS x RETURN x"])
def test_a_result_has_a_longest_length(places: dict[str, str], text: str) -> None:
    graph: Any = graphbrick.open(f"{places['ladybug']}?characters=1000000")
    with fails("database.too_long", TooMuchError, characters=1_000_000):
        graph.query(text, {}, 1_000_000)
    assert graph.query("RETURN repeat('a', 900000)", {}, 1).rows == [("a" * 900_000,)]


def test_what_the_library_itself_reads_may_be_longer(places: dict[str, str]) -> None:
    graph: Any = graphbrick.open(f"{places['ladybug']}?characters=10")
    assert len(graph.nodes_after(None, 10)) > 1


def test_a_query_that_kills_its_process_is_told(places: dict[str, str]) -> None:
    graph: Any = graphbrick.open(places["oxigraph"])
    with fails("database.process_ended"):
        graph.query(f"SELECT * {{ FILTER({'!' * 20_000}true) }}", {}, 1)
    assert graph.query("ASK { ?s ?p ?o }", {}, 1).rows == [(True,)]


def test_a_deep_value_is_told() -> None:
    with Session():
        graph: Any = graphbrick.open("ladybug:none")
        graph.run = lambda *_: _deep(10_000)
        with fails("database.refused_query", reason="a value of the result is nested too deeply"):
            graph.query("RETURN 1", {}, 1)


def _deep(n: int) -> int:
    return 1 + _deep(n - 1) if n else 0


def test_a_folder_without_an_address_is_not_told_of_options(tmp_path: Path) -> None:
    graph: Any = build([("a", "r", "b")], tmp_path / "g.graph")
    assert graph.query("RETURN 1", {}, 1).rows == [(1,)]
    with fails("database.too_long") as error:
        graph.query("RETURN range(1, 2000000)", {}, 1)
    assert str(error.value).endswith("ask for less")


def test_a_budget_ends_a_query_and_its_process(places: dict[str, str]) -> None:
    graph: Any = graphbrick.open(f"{places['ladybug']}?timeout=600")
    graph.query("RETURN 1", {}, 1)
    (pool,) = current_session().opened("database processes")
    (process,) = pool.processes()

    def over() -> None:
        raise StoppedError("over", code="budget.time_over")

    with limited_by(over), pytest.raises(StoppedError):
        graph.query(ENDLESS, {}, 1)
    assert pool.processes() == []
    assert graph.query("RETURN 1", {}, 1).rows == [(1,)]
    assert pool.processes() != [process]


def test_a_command_says_the_limit_in_one_line(places: dict[str, str], run: Run) -> None:
    refused(
        run("query", f"{places['ladybug']}?memory=64", HUGE["ladybug"][0]),
        "the query takes more than 64 MB of memory; ask for less, or raise ?memory=",
    )
    refused(
        run("query", f"{places['ladybug']}?timeout=0.3", ENDLESS),
        "no answer within 0.3 s; ask for less, or raise ?timeout=",
    )


def test_a_server_answers_the_next_query(places: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(graphs={"tiny": f"{places['ladybug']}?memory=64"}) as client:

        def reply(text: str) -> tuple[int, str]:
            answer = client.post("/v1/query", json={"query": text})
            body = answer.json()
            return answer.status_code, str(body["rows"]) if "rows" in body else body["error"]["message"]

        assert reply("RETURN 1") == (200, "[[1]]")
        assert "more than 64 MB of memory" in reply(HUGE["ladybug"][0])[1]
        assert reply("RETURN 1, 'é', null") == (200, "[[1, 'é', None]]")

        def over(*_: object) -> None:
            raise StoppedError("the budget is used up", code="budget.time_over")

        monkeypatch.setattr("graphbrick.graphs.databases.cypher.ladybug.LadybugGraph.fetch", over)
        assert reply("RETURN 1") == (504, "the budget is used up; ask for less")
