"""Descriptions by a language model in the place of those of many passages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import Run, refused
from documents import write_documents

from graphbrick import LLM, Describe, ExtractGraph, index
from graphbrick.core.errors import ModelError
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.models.llm.conversations import ask_about
from graphbrick.testing import ScriptedLLM, check_brick
from graphbrick.testing.llm_server import Reply, Request
from graphbrick.text.documents.store import TextStore
from graphbrick.text.indexing.describe import Described


def script(request: Request) -> str:
    """A model that finds Nairobi in each passage, and describes it by the numbers of its descriptions."""
    if "several passages" not in request.prompt:
        number = re.findall(r"number (\d+)", request.prompt)[-1]
        rows = [{"name": "Nairobi", "type": "place", "description": f"Fact {number}."}]
        relation = {"source": "Nairobi", "relation": "is near", "target": "Thika", "description": f"Near {number}."}
        return json.dumps({"entities": rows, "relations": [relation]})
    return "All of " + ", ".join(sorted(re.findall(r"\d+", request.prompt.partition("<passage>\n")[2])))


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write_documents(
        tmp_path / "docs", {f"{i}.txt": f"Nairobi is near Thika, says number {i}." for i in range(4)}
    )


@pytest.mark.whole
def test_only_what_changed_is_paid_for(tmp_path: Path, docs: Path) -> None:
    place = tmp_path / "g.graph"
    with ScriptedLLM(script) as server:
        llm = LLM(base_url=server.base_url)
        extractor, describe = ExtractGraph(llm, gleanings=0), Describe(llm, least=3)
        graph = index([docs], place, extractor=extractor, describe=describe).graph
        assert len(server.requests) == 4 + 2
        nairobi = graph.entity("nairobi")
        assert graph.description(nairobi) == "All of 0, 1, 2, 3."
        assert {graph.triple_description(int(i)) for i in graph.triple_ids()} == {"All of 0, 1, 2, 3."}
        (docs / "4.txt").write_text("Nothing to see for number 4 but Nairobi, Thika and number 3.")
        index([docs], place)
        assert len(server.requests) == 7  # the same description again
        (docs / "5.txt").write_text("Nairobi is near Thika, says number 5.")
        assert index([docs], place).graph.description(nairobi) == "All of 0, 1, 2, 3, 5."
        assert len(server.requests) == 10
        for i in (0, 1, 5):
            (docs / f"{i}.txt").unlink()
        few = index([docs], place).graph
        assert few.description(nairobi) == "Fact 3. Fact 2."
        assert len(server.requests) == 10
        with TextStore(text_folder(place)) as store:
            assert store._db.execute("SELECT count(*) FROM descriptions").fetchone() == (0,)  # nothing of deleted words
        assert index([docs], place, describe=False).is_new


def test_much_is_described_in_parts(tmp_path: Path) -> None:
    with ScriptedLLM(script) as server:
        brick = Describe(LLM(base_url=server.base_url, context=2000))
        texts = tuple(f"Fact {i} {'word ' * 150}" for i in range(20))
        ((_, text),) = ask_about(brick, [(b"key", Described("Nairobi", texts))])
        assert re.findall(r"\d+", text) == sorted(map(str, range(20)))
        assert 3 < len(server.requests) < 12
    check_brick(brick)


def test_few_descriptions_are_joined() -> None:
    brick = Describe(LLM())
    assert not brick.needs({"a": 9})
    assert not brick.needs({str(i): 1 for i in range(7)})
    assert brick.needs({str(i): 1 for i in range(8)})
    assert brick.needs({"a" * 600: 1, "b" * 600: 1})
    assert not brick.needs({"a" * 1200: 1})


def test_a_model_that_says_nothing_leaves_them_joined(tmp_path: Path, docs: Path) -> None:
    def silent(request: Request) -> str:
        return "" if "several passages" in request.prompt else script(request)

    with ScriptedLLM(silent) as server:
        llm = LLM(base_url=server.base_url)
        describe = Describe(llm, least=2)
        graph = index([docs], tmp_path / "g.graph", extractor=ExtractGraph(llm, gleanings=0), describe=describe).graph
    assert graph.description(graph.entity("nairobi")) == "Fact 0. Fact 1. Fact 2. Fact 3."


def test_what_was_described_is_kept_when_the_server_goes_away(tmp_path: Path, docs: Path) -> None:
    down = [True]

    def goes(request: Request) -> str | Reply:
        is_second = "several passages" in request.prompt and "is near" in request.prompt
        return Reply("down", status=500) if down[0] and is_second else script(request)

    with ScriptedLLM(goes) as server:
        llm = LLM(base_url=server.base_url, retries=0, parallel=1)
        extractor, describe = ExtractGraph(llm, gleanings=0), Describe(llm, least=2)
        with pytest.raises(ModelError, match="status 500"):
            index([docs], tmp_path / "g.graph", extractor=extractor, describe=describe)
        assert len(server.requests) == 6
        down[0] = False
        assert index([docs], tmp_path / "g.graph").is_new
        assert len(server.requests) == 7


def test_the_option(run: Run, tmp_path: Path, docs: Path) -> None:
    place = str(tmp_path / "g.graph")
    with ScriptedLLM(script) as server:
        llm = f"LLM(base_url={server.base_url!r})"
        extract = ["--extract", f"ExtractGraph({llm}, gleanings=0)"]
        run("index", str(docs), place, *extract, "--describe", f"Describe({llm}, least=2)")
        assert len(server.requests) == 6
        run("index", str(docs), place, "--describe", "none")
        assert len(server.requests) == 6
    refused(run("index", str(docs), place, "--describe", "BM25()"), "--describe takes Describe(LLM())")


def test_a_dry_run_prices_what_is_known_to_be_described(run: Run, tmp_path: Path, docs: Path) -> None:
    place = str(tmp_path / "g.graph")
    with ScriptedLLM(script) as server:
        llm = f"LLM('gpt-4.1-mini', base_url={server.base_url!r})"
        options = ["--extract", f"ExtractGraph({llm}, gleanings=0)", "--describe", f"Describe({llm}, least=3)"]
        first = run("index", str(docs), place, *options, "--dry-run").out
        assert "0 calls to describe 0 entities and triples" in first
        assert "; more after 4 passages to extract, which is not known before" in first
        run("index", str(docs), place, *options[:2])
        before = len(server.requests)
        planned = json.loads(run("index", str(docs), place, *options, "--dry-run", "--json").out)["describe"]
        assert (planned["things"], planned["calls"]) == (2, 2)
        assert len(server.requests) == before
        done = json.loads(run("index", str(docs), place, *options, "--json").out)["usage"]
        assert (done["calls"], done["tokens_in"]) == (2, pytest.approx(planned["tokens_in"], rel=0.5))
        assert 0 < done["cost"] <= planned["usd"]
        again = run("index", str(docs), place, "--dry-run").out
        assert "0 calls to describe 0 entities and triples, about 0 tokens read" in again


def test_a_model_without_space_is_not_asked_for_ever() -> None:
    with ScriptedLLM(["A reply of some words."]) as server:
        brick = Describe(LLM(base_url=server.base_url, context=600, max_tokens=500))
        thing = Described("Nairobi", tuple(f"It is fact {i}." for i in range(9)))
        assert dict(ask_about(brick, [(b"", thing)])) == {b"": ""}
        assert server.requests == []


@pytest.mark.whole
def test_an_empty_description_is_told(tmp_path: Path, docs: Path) -> None:
    def silent(request: Request) -> str:
        return "" if "several passages" in request.prompt else script(request)

    with ScriptedLLM(silent) as server:
        llm = LLM(base_url=server.base_url)
        done = index([docs], tmp_path / "g.graph", extractor=ExtractGraph(llm, gleanings=0), describe=Describe(llm, 3))
    assert done.extraction.usage.events["the model gave no description, so that those of the passages were joined"] == 2
    assert done.graph.description(done.graph.entity("nairobi")).startswith("Fact ")
