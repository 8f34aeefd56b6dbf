"""The labelling page: what it shows, what it writes at once, and whom it does not answer."""

from __future__ import annotations

import json
import threading
from http.client import HTTPConnection
from pathlib import Path
from unittest.mock import Mock

import pytest
from faults import fails
from made_study import Madeup, write_study

from graphbrick.core.errors import InputError
from graphbrick.judge.cases import cases_of
from graphbrick.judge.labels.files import open_labels, read_labels, write_cases
from graphbrick.judge.labels.labelling import LabellingServer, labelling_page
from graphbrick.judge.labels.sampling import draw
from graphbrick.judge.verdicts import Label
from graphbrick.study.store.reader import Study

BOTH = [Label.CONTEXT_RELEVANCE, Label.CORRECTNESS]


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    path = write_study(
        tmp_path_factory.mktemp("study") / "runs.sqlite", [Madeup("one")], 9, label=lambda i: f"</script><b>{i}"
    )
    with Study.open(path) as study:
        return cases_of(study)


@pytest.fixture
def server(tmp_path, cases):
    path = tmp_path / "labels.csv"
    write_cases(draw(cases, BOTH, 4), BOTH, path)
    with labelling_page(path) as made:
        thread = threading.Thread(target=lambda: made.serve_forever(poll_interval=0.01))
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def ask(
    server: LabellingServer, name: str, body: object = None, *, token: str | None = None, **headers: str
) -> tuple[int, dict, str]:
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    path = f"/{server.token if token is None else token}/{name}"
    if body is None:
        connection.request("GET", path, headers=headers)
    else:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", path, sent, {"Content-Type": "application/json", **headers})
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, dict(reply.headers), text


def given(server: LabellingServer) -> list[list[str]]:
    file = open_labels(server.labelling.path)
    return [[row[label] for label in BOTH] for row in file.rows]


def test_labels_are_written_at_once_and_can_be_read_back(server, cases):
    info = json.loads(ask(server, "info")[2])
    assert [label["name"] for label in info["labels"]] == BOTH
    assert info["values"] == [""] * 8
    case = json.loads(ask(server, "case?row=1")[2])
    assert case["question"].startswith("which </script><b>")
    assert "system" not in case
    assert len(case["evidence"]) == 5
    for number, (label, value) in enumerate([(BOTH[0], "1"), (BOTH[1], "0"), (BOTH[0], "skip"), (BOTH[0], "")], 1):
        assert ask(server, "label", {"id": case["id"], "label": label, "value": value})[0] == 200
        assert number
    assert given(server)[1] == ["", "0"]
    assert ask(server, "label", {"id": case["id"], "label": BOTH[0], "value": "1"})[0] == 200
    labels = read_labels(server.labelling.path, cases)
    assert [list(labels.values[label].values()) for label in BOTH] == [[1.0], [0.0]]
    assert json.loads(ask(server, "info")[2])["values"][2:4] == ["1", "0"]


def test_the_page_shows_no_text_as_markup_and_needs_no_network(server):
    status, headers, text = ask(server, "")
    assert status == 200
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "http" not in text.replace('charset="utf-8"', "")
    assert "innerHTML" not in text
    nonce = headers["Content-Security-Policy"].split("'nonce-")[1].split("'")[0]
    assert text.count(f'nonce="{nonce}"') == 2
    assert ask(server, "")[1]["Content-Security-Policy"] != headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("token", "headers"),
    [
        ("wrong", {}),
        ("", {}),
        (None, {"Host": "evil.example"}),
        (None, {"Host": "127.0.0.1"}),
        (None, {"Origin": "http://evil.example"}),
        (None, {"Origin": "null"}),
    ],
)
def test_nobody_else_is_answered(server, token, headers):
    row = open_labels(server.labelling.path).rows[0]["id"]
    assert ask(server, "info", token=token, **headers)[0] == 403
    assert ask(server, "label", {"id": row, "label": BOTH[0], "value": "1"}, token=token, **headers)[0] == 403
    assert given(server)[0] == ["", ""]


def test_requests_that_make_no_sense(server):
    row = open_labels(server.labelling.path).rows[0]["id"]
    assert ask(server, "label", b"{")[0] == 400
    assert ask(server, "label", b"[]")[0] == 400
    assert ask(server, "label", b"x" * 20_000)[0] == 400
    assert ask(server, "label", {"id": row, "label": BOTH[0], "value": "1"}, **{"Content-Type": "text/plain"})[0] == 400
    for body in (
        {"id": "r1"},
        {"id": row, "label": "truth", "value": "1"},
        {"id": row, "label": BOTH[0], "value": "2"},
    ):
        assert ask(server, "label", body)[0] == 409
    assert ask(server, "case?row=99")[0] == 409
    assert ask(server, "case?row=x")[0] == 409
    assert ask(server, "../etc")[0] == 404
    assert ask(server, "nothing", {})[0] == 404
    assert given(server)[0] == ["", ""]


def test_a_file_that_another_program_changes(server):
    file = open_labels(server.labelling.path)
    file.rows[2][BOTH[0]] = "yes"
    file.save()
    assert ask(server, "label", {"id": file.rows[0]["id"], "label": BOTH[1], "value": "0"})[0] == 200
    assert given(server) == [["", "0"], ["", ""], ["yes", ""], ["", ""]]
    file.rows[2][BOTH[0]] = "maybe"
    file.save()
    status, _, text = ask(server, "info")
    assert (status, "is 'maybe'" in json.loads(text)["error"]) == (409, True)
    server.labelling.path.unlink()
    assert "cannot be read" in json.loads(ask(server, "info")[2])["error"]


def test_a_label_that_cannot_be_written_is_not_shown_as_given(server, monkeypatch):
    case = json.loads(ask(server, "case?row=0")[2])["id"]
    assert ask(server, "label", {"id": case, "label": BOTH[0], "value": "1"})[0] == 200
    with monkeypatch.context() as full:
        full.setattr("graphbrick.judge.labels.files.replacing", Mock(side_effect=OSError("the disk is full")))
        status, _, text = ask(server, "label", {"id": case, "label": BOTH[0], "value": "0"})
    assert (status, json.loads(text)) == (409, {"error": "the disk is full"})
    assert json.loads(ask(server, "info")[2])["values"][0] == "1"
    assert given(server)[0][0] == "1"


def test_one_process_labels_a_file(server, tmp_path):
    with fails("labelling.locked", InputError), labelling_page(server.labelling.path):
        raise AssertionError
    with fails("labelling.no_file", InputError), labelling_page(Path(tmp_path / "none.csv")):
        raise AssertionError
    for folder in (".", "/", ""):
        with fails("labelling.folder", InputError), labelling_page(Path(folder)):
            raise AssertionError
    other = tmp_path / "other.csv"
    other.write_text("id,correctness\nr1-q1-00000000,\n")
    with (
        fails("labelling.port_taken", InputError, port=server.server_port),
        labelling_page(other, port=server.server_port),
    ):
        raise AssertionError
    other.write_text("id,correctness\n")
    with fails("labelling.no_rows", InputError), labelling_page(other):
        raise AssertionError
    assert not list(tmp_path.glob(".other*"))


def test_the_button_ends_the_server(tmp_path, cases):
    path = tmp_path / "labels.csv"
    write_cases(draw(cases, BOTH, 4), BOTH, path)
    with labelling_page(path) as made:
        thread = threading.Thread(target=lambda: made.serve_forever(poll_interval=0.01))
        thread.start()
        assert ask(made, "stop", {})[0] == 200
        thread.join(60)
        assert not thread.is_alive()
