"""The results of searches for pipelines over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_search import BEST, write_search
from served import serving


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a search, another one with the same name elsewhere, and a broken one."""
    folder = tmp_path_factory.mktemp("searches")
    for name in ("many/first", "many/second", "single/first"):
        write_search(folder / name)
    (folder / "many" / "broken").mkdir()
    (folder / "many" / "broken" / "tuned.json").write_text("{}")
    (folder / "many" / "other").mkdir()
    return folder


@pytest.fixture(scope="module")
def client(folder):
    with serving(tuned=(str(folder / "many"), str(folder / "single" / "first"))) as client:
        yield client


def test_searches_are_listed_by_the_names_of_their_folders(client):
    listed = {one["name"]: one for one in client.get("/v1/tunings").json()["tunings"]}
    assert list(listed) == ["broken", "first", "second", "first-2"]
    assert "is not a result of graphbrick tune" in listed["broken"]["problem"]
    assert [one["aim"] for one in listed["first"]["recommended"]] == ["quality", "latency<1ms"]
    assert client.get("/v1/graphs").json()["tuned"] is True


def test_a_search_has_figures_and_words(client):
    found = client.get("/v1/tunings/first-2").json()
    assert found["measured"][0]["quality"]["mean"] == 0.8
    assert found["effects"][0]["words"].startswith("without Rerank: costs 12.0 points")
    assert client.get("/v1/tunings/broken").status_code == 400
    missing = client.get("/v1/tunings/..%2f..%2fetc")
    assert missing.status_code == 404
    assert client.get("/v1/tunings/none").json()["error"]["code"] == "no_search"


def test_clients_may_run_what_a_search_found(client, folder):
    text = BEST.replace("k=50", "k=20000")  # more than a client may ask for

    def refusal() -> str | None:
        return client.post("/v1/check", json={"pipeline": text}).json()["reason"]

    assert "at most" in refusal()
    file = folder / "single" / "first" / "tuned.json"
    file.write_text(file.read_text("utf-8").replace(BEST, text))
    assert not refusal()


def test_clients_are_answered_while_a_search_has_no_result_yet(tmp_path):
    with serving(tuned=(str(tmp_path / "later"), str(tmp_path))) as client:
        assert client.post("/v1/check", json={"pipeline": "ShortestPaths() >> PathAnswer()"}).json()["reason"] is None


@pytest.mark.whole
def test_a_server_without_searches_says_so(tmp_path):
    with serving(tuned=(str(tmp_path),)) as client:
        assert client.get("/v1/tunings").json()["tunings"][0]["problem"].endswith("name a folder of graphbrick tune")
    with serving() as client:
        assert client.get("/v1/tunings").json() == {"tunings": []}
        assert client.get("/v1/graphs").json()["tuned"] is False
