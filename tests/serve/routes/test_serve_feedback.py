"""Marking answers over REST: the file that `graphbrick learn` reads, and who may write it."""

from __future__ import annotations

import json
import shutil

import pytest
from served import serving

from graphbrick import Graph
from graphbrick.learn.feedback import feedback_place, read_feedback
from graphbrick.serve.routes import feedback as routes
from graphbrick.testing import tiny_graph

RANKED = "ShortestPaths() >> Rerank(BM25(), n=32) >> PathAnswer()"
CAPITAL = {"question": "What is the capital of Kenya?", "pipeline": RANKED}


@pytest.fixture
def place(tmp_path):
    shutil.copytree(tiny_graph().path, tmp_path / "tiny.graph")
    return tmp_path / "tiny.graph"


@pytest.mark.whole
def test_marks_are_in_the_file_that_learn_reads(place):
    with serving(graphs={"tiny": str(place)}, write=True) as client:
        right = client.post("/v1/feedback", json=CAPITAL | {"right": True})
        assert right.status_code == 200
        assert right.json() == {
            "question": CAPITAL["question"], "seeds": ["Kenya"], "answers": ["Nairobi"], "right": True, "correct": [],
            "learned": True,
        }  # fmt: skip
        wrong = {"question": "Which countries border Kenya?", "recipe": "paths", "right": False}
        assert not client.post("/v1/feedback", json=wrong).json()["learned"]
        better = client.post("/v1/feedback", json=wrong | {"answers": ["Uganda"], "seeds": ["Kenya"]}).json()
        assert (better["correct"], better["learned"]) == (["Uganda"], True)
    marked = read_feedback(Graph.open(place))
    assert [(one.question, one.right, one.gold) for one in marked] == [
        (CAPITAL["question"], True, ("Nairobi",)),
        ("Which countries border Kenya?", False, ("Uganda",)),
    ]
    assert marked[0].pipeline == RANKED
    assert len(feedback_place(Graph.open(place)).read_text(encoding="utf-8").splitlines()) == 3


@pytest.mark.whole
@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"answers": ["Atlantis"]}, 422, "no_entity"),
        ({"pipeline": "Passages() >> Quote(BM25())"}, 400, "refused"),
        ({"right": "perhaps"}, 422, "invalid_request"),
        ({"stream": True}, 422, "invalid_request"),
        ({"answers": ["Kenya"] * 1_001}, 422, "invalid_request"),
        ({"question": "x" * 10_001}, 422, "invalid_request"),
        ({"answers": ["Nairobi"], "budget": {"seconds": 1e-9}}, 504, "stopped"),
        ({"pipeline": "PathAnswer("}, 400, "recipe_syntax"),
    ],
)
def test_what_is_no_mark_is_refused_and_not_written(place, change, status, code):
    with serving(graphs={"tiny": str(place)}, write=True) as client:
        reply = client.post("/v1/feedback", json=CAPITAL | {"right": False} | change)
        assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert not feedback_place(Graph.open(place)).exists()


@pytest.mark.whole
def test_only_who_may_write_marks(place, monkeypatch):
    with serving(graphs={"tiny": str(place)}) as client:
        reply = client.post("/v1/feedback", json=CAPITAL | {"right": True})
        assert (reply.status_code, reply.json()["error"]["code"]) == (403, "read_only")
    with serving(graphs={"tiny": str(place)}, write=True, token="a-secret-of-length") as client:
        assert client.post("/v1/feedback", json=CAPITAL | {"right": True}).status_code == 401
    assert not feedback_place(Graph.open(place)).exists()
    feedback_place(Graph.open(place)).write_text(json.dumps({}) + "\n", encoding="utf-8")
    monkeypatch.setattr(routes, "_MOST_BYTES", 1)
    with serving(graphs={"tiny": str(place)}, write=True) as client:
        reply = client.post("/v1/feedback", json=CAPITAL | {"right": True})
        assert (reply.status_code, reply.json()["error"]["code"]) == (507, "feedback_full")


@pytest.mark.whole
def test_half_a_character_is_written_as_its_number(place):
    body = b'{"question": "What is the c\\ud800apital of Kenya?", "right": false, "recipe": "paths"}'
    with serving(graphs={"tiny": str(place)}, write=True) as client:
        reply = client.post("/v1/feedback", content=body, headers={"content-type": "application/json"})
    assert (reply.status_code, reply.json()["question"]) == (200, r"What is the c\ud800apital of Kenya?")
