"""Graphs whose triples a language model extracts: nothing is paid twice, and changes equal a fresh start."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from commands import Run, refused
from documents import write_documents
from faults import fails
from forks import run_until_killed
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick import LLM, ExtractGraph, OpenIE, Phrases, index
from graphbrick.core.errors import InputError, ModelError
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.pipeline.budget import Budget, StoppedError, spending
from graphbrick.testing import ScriptedLLM
from graphbrick.testing.llm_server import Reply, Request
from graphbrick.text.documents.store import TextStore

TOWNS = {"Nairobi": "Kenya", "Kampala": "Uganda", "Lima": "Peru", "Quito": "Ecuador", "Oslo": "Norway"}


def sentence(town: str) -> str:
    return f"{town} is the capital of {TOWNS[town]}."


def passage_of(request: Request) -> str:
    """Return the passage that a request is about."""
    return str(re.findall(r"<passage>\n(.*?)\n</passage>", request.prompt, re.DOTALL)[-1])


def model(request: Request) -> str:
    """A model that finds all capitals of a passage, for `OpenIE` and `ExtractGraph`."""
    towns = [town for town in TOWNS if sentence(town) in passage_of(request)]
    if '"relations"' not in request.prompt:
        return json.dumps({"entities": towns, "triples": [[town, "is capital of", TOWNS[town]] for town in towns]})
    if "may be missing" in request.prompt:
        towns = towns[:1]
    relations = [
        {"source": town, "relation": "is capital of", "target": TOWNS[town], "description": f"{town} rules.",
         "keywords": ["capitals"], "strength": 5}
        for town in towns
    ]  # fmt: skip
    entities = [{"name": town, "type": "place", "description": f"The town {town}."} for town in towns]
    return json.dumps({"entities": entities, "relations": relations})


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write_documents(tmp_path / "docs", {f"{town}.txt": sentence(town) for town in TOWNS})


def facts(graph: TextGraph) -> object:
    """Everything that a graph holds of its triples, by key."""
    assert graph.weights is not None
    assert graph.support is not None
    begin, passages = graph.support
    rows = [
        (
            *triple,
            float(graph.weights[i]),
            graph.triple_description(i),
            graph.triple_keywords(i),
            [graph.passage(int(one)).text for one in passages[begin[i] : begin[i + 1]]],
        )
        for i, triple in enumerate(graph.key_triples())
    ]
    return sorted(rows), {graph.key(i): (graph.description(i), graph.types(i)) for i in range(graph.n_entities)}


@pytest.mark.whole
def test_a_graph_by_a_model(tmp_path: Path, docs: Path) -> None:
    with ScriptedLLM(model) as server:
        done = index([docs], tmp_path / "g.graph", extractor=ExtractGraph(LLM(base_url=server.base_url)))
        graph = done.graph
        assert len(server.requests) == 10
        assert (done.extracted, done.extraction.usage.calls) == (5, 10)
        assert done.extraction.usage.tokens_in > done.extraction.usage.tokens_out > 0
        nairobi = graph.entity("nairobi")
        assert (graph.description(nairobi), graph.types(nairobi)) == ("The town Nairobi.", ["place"])
        texts = {graph.triple_text(int(i)) for i in graph.triple_ids()}
        assert "Nairobi -> is capital of -> Kenya" in texts
        assert not any("occurs with" in text for text in texts)
        (docs / "Oslo.txt").write_text(f"{sentence('Oslo')} It is cold.")
        assert index([docs], tmp_path / "g.graph").extracted == 1
        assert len(server.requests) == 12


def test_another_extractor_beside_it_costs_nothing_more(tmp_path: Path, docs: Path) -> None:
    with ScriptedLLM(model) as server:
        extractor = OpenIE(LLM(base_url=server.base_url))
        index([docs], tmp_path / "g.graph", extractor=extractor)
        graph = index([docs], tmp_path / "g.graph", extractor=Phrases() | extractor).graph
        assert len(server.requests) == 5
    texts = {graph.triple_text(int(i)) for i in graph.triple_ids()}
    assert {"Nairobi -> is capital of -> Kenya", "Kenya -> occurs with -> Nairobi"} <= texts


@pytest.mark.whole
@settings(max_examples=4, deadline=None)
@given(
    versions=st.lists(
        st.dictionaries(st.sampled_from("abc"), st.lists(st.sampled_from(list(TOWNS)), min_size=1, max_size=3)),
        min_size=2,
        max_size=3,
    ).filter(lambda versions: bool(versions[-1]))
)
def test_any_changes_give_the_graph_of_a_fresh_start(versions: list[dict[str, list[str]]]) -> None:
    with TemporaryDirectory() as place, ScriptedLLM(model) as server:
        docs, extractor = Path(place, "docs"), ExtractGraph(LLM(base_url=server.base_url))
        docs.mkdir()
        texts = set()
        for version in versions:
            for name in "abc":
                (docs / f"{name}.txt").unlink(missing_ok=True)
                if name in version:
                    (docs / f"{name}.txt").write_text(" ".join(map(sentence, version[name])))
                    texts.add((name, *version[name]))
            if version:
                changed = index([docs], Path(place, "1.graph"), extractor=extractor).graph
        assert len(server.requests) <= 2 * len(texts) * len(versions)
        assert facts(changed) == facts(index([docs], Path(place, "2.graph"), extractor=extractor).graph)


KILLED = """
from graphbrick import LLM, ExtractGraph, index
docs, place, url = arguments
def progress(step, done, total):
    if step == "extracting" and done == 3:
        die()
index([docs], place, extractor=ExtractGraph(LLM(base_url=url, parallel=1)), progress=progress)
"""


@pytest.mark.whole
@pytest.mark.posix
def test_nothing_is_paid_twice_after_a_kill(tmp_path: Path, docs: Path) -> None:
    place = tmp_path / "g.graph"
    with ScriptedLLM(model) as server:
        run_until_killed(KILLED, docs, place, server.base_url)
        assert len(server.requests) == 6  # two about each of three passages
        extractor = ExtractGraph(LLM(base_url=server.base_url, parallel=1))
        done = index([docs], place, extractor=extractor)
        assert (done.extracted, len(server.requests)) == (2, 10)
        fresh = index([docs], tmp_path / "fresh.graph", extractor=extractor)
        assert facts(done.graph) == facts(fresh.graph)


@pytest.mark.whole
def test_a_reply_in_the_middle_of_a_conversation_is_kept(tmp_path: Path, docs: Path) -> None:
    down = [True]

    def script(request: Request) -> str | Reply:
        return Reply("down", status=500) if down[0] and "may be missing" in request.prompt else model(request)

    with ScriptedLLM(script) as server:
        extractor = ExtractGraph(LLM(base_url=server.base_url, parallel=1, retries=0))
        failed = index([docs], tmp_path / "g.graph", extractor=extractor).extraction.problems
        assert ["status 500" in one.reason for one in failed] == [True] * 5
        assert len(server.requests) == 10
        down[0] = False
        assert index([docs], tmp_path / "g.graph", extractor=extractor).extraction.problems == []
        assert len(server.requests) == 10 + 5  # not again the first of each passage
    with TextStore(text_folder(tmp_path / "g.graph")) as store:
        assert store.draft(store.missing("")[0], extractor.identity, 0) is None
        assert store.usage(extractor.identity)[0] == 5


def test_a_budget_keeps_what_was_paid(tmp_path: Path, docs: Path) -> None:
    with ScriptedLLM(model) as server:
        extractor = OpenIE(LLM(base_url=server.base_url, parallel=1))
        with spending(Budget(tokens=1900)), pytest.raises(StoppedError):
            index([docs], tmp_path / "g.graph", extractor=extractor)
        calls = len(server.requests)
        assert 0 < calls < 5
        assert index([docs], tmp_path / "g.graph", extractor=extractor).extracted == 5 - calls
        assert len(server.requests) == 5


def test_passages_without_a_result_are_listed_and_asked_about_again(run: Run, tmp_path: Path, docs: Path) -> None:
    bad = ["Lima"]

    def script(request: Request) -> str:
        return "No." if any(sentence(town) in request.prompt for town in bad) else model(request)

    place = str(tmp_path / "g.graph")
    with ScriptedLLM(script) as server:
        extract = f"OpenIE(LLM(base_url={server.base_url!r}))"
        first = run("index", str(docs), place, "--extract", extract)
        assert "note: 1 passage without a result: " in first.err
        assert "Lima.txt (characters 0-28): the reply of gpt-4.1-mini cannot be read: it is not" in first.err
        assert "note: 6 calls of language models: " in first.err
        assert "it is not JSON: 'No.'" in run("documents", place).out.partition("no result: ")[2]
        assert json.loads(run("documents", place, "--json").out)["problems"][0]["start"] == 0
        assert json.loads(run("index", place, "--json").out)["problems"][0]["is_empty"] is True
        assert len(server.requests) == 6
        bad.clear()
        assert "no result" not in run("index", place, "--retry").err
        assert len(server.requests) == 7
        assert json.loads(run("index", place, "--json").out)["problems"] == []


def test_many_passages_without_a_result_are_an_error(tmp_path: Path, docs: Path) -> None:
    for i in range(30):
        (docs / f"{i}.txt").write_text(f"Number {i} is here.")
    with ScriptedLLM(["I cannot do that."]) as server:
        extractor = OpenIE(LLM(base_url=server.base_url, parallel=1))
        with fails("extract.few_results", InputError, n=10, total=10):
            index([docs], tmp_path / "g.graph", extractor=extractor)
        assert len(server.requests) == 20  # each twice, and not about the other passages


@pytest.mark.whole
def test_replies_can_be_recorded(run: Run, tmp_path: Path, docs: Path) -> None:
    options = ["--cache", "record", "--cache-file", str(tmp_path / "replies.sqlite")]
    with ScriptedLLM(model) as server:
        extract = ["--extract", f"OpenIE(LLM(base_url={server.base_url!r}))"]
        run("index", str(docs), str(tmp_path / "1.graph"), *extract, *options)
        run("index", str(docs), str(tmp_path / "2.graph"), *extract, *options)
        assert len(server.requests) == 5
        stopped = run("index", str(docs), str(tmp_path / "3.graph"), *extract, "--budget", "tokens=10")
        assert stopped.code == 3
        refused(run("index", str(docs), str(tmp_path / "3.graph"), "--budget", "x"), "x")


@pytest.mark.whole
def test_a_dry_run_says_what_it_costs_and_changes_nothing(run: Run, tmp_path: Path, docs: Path) -> None:
    place = tmp_path / "g.graph"
    with ScriptedLLM(model) as server:
        extract = ["--extract", f"ExtractGraph(LLM('gpt-4.1-mini', base_url={server.base_url!r}))"]
        planned = run("index", str(docs), str(place), *extract, "--dry-run")
        assert (
            "would have 5 documents (5 new, 0 changed, 0 deleted) and 5 passages; to extract by Extract" in planned.out
        )
        assert "gpt-4.1-mini: 10 calls for 5 passages, about " in planned.out
        assert " by a rule of thumb (at most " in planned.out
        (row,) = json.loads(run("index", str(docs), str(place), *extract, "--dry-run", "--json").out)["models"]
        assert 0 < row["cost"] < row["most_cost"]
        assert not server.requests
        assert sorted(path.name for path in tmp_path.iterdir()) == ["docs"]
        done = json.loads(run("index", str(docs), str(place), *extract, "--json").out)["usage"]
        assert done["calls"] == row["calls"]
        assert done["tokens_in"] + done["tokens_out"] < row["most_tokens"]
        for i in range(7):
            (docs / f"{i}.txt").write_text(f"{sentence('Lima')} {i}")
        (docs / "Oslo.txt").unlink()
        index([docs], place)
        (docs / "8.txt").write_text(f"{sentence('Lima')} 8")
        before = len(server.requests)
        again = json.loads(run("index", str(docs), str(place), "--dry-run", "--json").out)
        assert (again["added"], again["extract"], again["models"][0]["measured_passages"]) == (1, 1, 12)
        assert len(server.requests) == before
        assert "1 new" in run("index", str(docs), str(place)).out
    assert (
        "no language model is asked" in run("index", str(docs), str(place), "--extract", "Phrases()", "--dry-run").out
    )
    refused(run("index", str(docs), str(place), "--extract", "Phrases()", "--llm", "x"), "so leave out --llm x")


def test_ctrl_c_gives_up_the_calls_in_flight_and_keeps_the_rest(tmp_path: Path, docs: Path) -> None:
    def slow(request: Request) -> Reply:
        return Reply(model(request), delay=0 if "Kampala" in passage_of(request) else 60)

    def pressed(step: str, done: float, total: float | None) -> None:
        if step == "extracting":
            raise KeyboardInterrupt

    with ScriptedLLM(slow) as server:
        extractor = OpenIE(LLM(base_url=server.base_url, parallel=2))
        with pytest.raises(KeyboardInterrupt):
            index([docs], tmp_path / "g.graph", extractor=extractor, progress=pressed)
    with TextStore(text_folder(tmp_path / "g.graph")) as store:
        assert len(store.missing(extractor.identity)) == 4


@pytest.mark.whole
def test_what_is_found_when_asking_again_reaches_the_graph(tmp_path: Path, docs: Path) -> None:
    bad = [sentence("Lima")]

    def script(request: Request) -> str:
        return "No." if passage_of(request).split("\n")[-1] in bad else model(request)

    with ScriptedLLM(script) as server:
        extractor = OpenIE(LLM(base_url=server.base_url))
        assert index([docs], tmp_path / "g.graph", extractor=extractor).graph.n_triples == 4
        bad.clear()
        done = index([docs], tmp_path / "g.graph", retry=True)
        assert (done.extracted, done.is_new, done.graph.n_triples) == (1, True, 5)
        assert facts(done.graph) == facts(index([docs], tmp_path / "fresh.graph", extractor=extractor).graph)
        assert not index([docs], tmp_path / "g.graph").is_new


def test_asking_again_loses_nothing_that_was_there(tmp_path: Path, docs: Path) -> None:
    replies = ['{"entities": ["Lima"], "triples": [["Lima", "is capital of", "Peru"], ["Li']

    def script(request: Request) -> str | Reply:
        if replies[0] == "down":
            return Reply("down", status=500)
        return replies[0] if "Lima" in passage_of(request) else model(request)

    with ScriptedLLM(script) as server:
        extractor = OpenIE(LLM(base_url=server.base_url, retries=0, parallel=1))
        before = facts(index([docs], tmp_path / "g.graph", extractor=extractor).graph)
        replies[0] = "down"
        with pytest.raises(ModelError):
            index([docs], tmp_path / "g.graph", retry=True)
        assert index([docs], tmp_path / "g.graph").extracted == 0
        replies[0] = "No."
        done = index([docs], tmp_path / "g.graph", retry=True)
        assert facts(done.graph) == before
        assert [one.is_empty for one in done.extraction.problems] == [False]


@pytest.mark.whole
def test_passages_that_fail_again_are_no_error(tmp_path: Path, docs: Path) -> None:
    for i in range(50):
        (docs / f"{i}.txt").write_text(f"{sentence('Lima')} {i}")

    def script(request: Request) -> str:
        return "No." if re.search(r"[34]\d$", passage_of(request)) else model(request)

    with ScriptedLLM(script) as server:
        extractor = OpenIE(LLM(base_url=server.base_url))
        assert len(index([docs], tmp_path / "g.graph", extractor=extractor).extraction.problems) == 20
        assert index([docs], tmp_path / "g.graph", retry=True).extracted == 20
