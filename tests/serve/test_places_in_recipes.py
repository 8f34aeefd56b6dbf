"""Recipes of a server name files and folders; clients see and send their names alone."""

from __future__ import annotations

import shutil

import pytest
from served import QUESTION, serving

from graphbrick import parse
from graphbrick.serve.trust import PlaceNames
from graphbrick.testing import tiny_graph

ENDING = " >> Operators(Patterns(BM25(), n=32, max_hops=1)) >> PathAnswer()"


@pytest.fixture
def served(tmp_path):
    """A server whose default recipe names a folder of words."""
    shutil.copytree(tiny_graph().path, tmp_path / "tiny.graph")
    words = tmp_path / "tiny.graph.words"
    words.mkdir()
    (words / "words.jsonl").write_text("")
    recipes = {"own": f"LinkLabels(words='{words}'){ENDING}"}
    with serving(graphs={"tiny": str(tmp_path / "tiny.graph")}, recipes=recipes) as client:
        yield client, tmp_path


@pytest.mark.whole
def test_no_reply_tells_the_folders_of_recipes(served):
    client, folder = served
    recipes = client.get("/v1/recipes").json()["recipes"]
    own = next(one for one in recipes if one["name"] == "own")
    assert own["pipeline"] == f"LinkLabels(words='tiny.graph.words'){ENDING}"
    ask = {"question": QUESTION, "pipeline": own["pipeline"]}
    replies = [
        client.post("/v1/ask", json=ask),
        client.post("/v1/ask", json=ask | {"stream": True}),
        client.post("/v1/check", json={"pipeline": own["pipeline"]}),
        client.post("/v1/check", json={"blocks": own["blocks"]}),
        client.get("/v1/graphs/tiny"),
        client.get("/v1/recipes"),
        client.post("/v1/chat/completions", json={"model": "own", "messages": [{"role": "user", "content": QUESTION}]}),
    ]
    for reply in replies:
        assert reply.status_code == 200, reply.text
        assert str(folder) not in reply.text
    for checked in replies[2:4]:
        assert (checked.json()["allowed"], checked.json()["pipeline"]) == (True, own["pipeline"])
    by_path = f"LinkLabels(words='{folder / 'tiny.graph.words'}'){ENDING}"  # of a link of an earlier version
    assert client.post("/v1/ask", json=ask | {"pipeline": by_path}).status_code == 200


def test_other_files_stay_refused(served):
    client, folder = served
    for words in ("other.words", str(folder), "../tiny.graph.words"):
        ask = {"question": QUESTION, "pipeline": f"LinkLabels(words='{words}'){ENDING}"}
        assert client.post("/v1/ask", json=ask).json()["error"]["code"] == "recipe_not_allowed"


def test_errors_tell_the_place_in_the_text_that_was_sent(served):
    client, _ = served
    ask = {"question": QUESTION, "pipeline": "LinkLabels(words='tiny.graph.words') >> Nope()"}
    error = client.post("/v1/ask", json=ask).json()["error"]
    assert (error["code"], error["column"]) == ("recipe_syntax", 41)


def test_names_are_unique():
    texts = [f"LinkLabels(words='/{one}/words')" for one in ("a", "b", "a")]
    names = PlaceNames(map(parse, texts))
    shown = [names.shown(text) for text in texts]
    assert shown == ["LinkLabels(words='words')", "LinkLabels(words='2-words')", "LinkLabels(words='words')"]
    assert [names.meant(text.replace("'", '"')) for text in shown] == texts
