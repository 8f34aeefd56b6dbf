"""Labelling answers over REST: what is shown, and that every label is in the file at once."""

from __future__ import annotations

import csv

import pytest
from made_study import Madeup, write_study
from served import options, serving

from graphbrick.core.errors import InputError
from graphbrick.judge.cases import cases_of
from graphbrick.judge.labels.files import write_cases
from graphbrick.judge.verdicts import Label
from graphbrick.serve.app import create_app
from graphbrick.study.store.reader import Study

LABELS = [Label.CONTEXT_RELEVANCE, Label.ANSWER_RELEVANCE]


@pytest.fixture
def table(tmp_path):
    path = write_study(tmp_path / "runs.sqlite", [Madeup("one")], 3)
    with Study.open(path) as study:
        write_cases(cases_of(study), LABELS, tmp_path / "labels.csv")
    return tmp_path / "labels.csv"


def cells(path, label):
    with path.open(newline="", encoding="utf-8") as file:
        return [row[label] for row in csv.DictReader(file)]


@pytest.mark.whole
def test_labels_are_written_into_the_file_at_once(table):
    with serving(labels=str(table)) as client:
        assert client.get("/v1/graphs").json()["labels"]
        info = client.get("/v1/labels").json()
        assert [one["name"] for one in info["labels"]] == LABELS
        assert info["values"] == [""] * 6
        case = client.get("/v1/labels/case", params={"row": 1}).json()
        assert "system" not in case
        given = {"id": case["id"], "label": "answer_relevance", "value": "0"}
        assert client.put("/v1/labels", json=given).json() == given
        assert cells(table, "answer_relevance") == ["", "0", ""]
        assert client.get("/v1/labels").json()["values"] == ["", "", "", "0", "", ""]
        assert client.put("/v1/labels", json=given | {"value": ""}).status_code == 200
        assert cells(table, "answer_relevance") == ["", "", ""]


@pytest.mark.whole
@pytest.mark.parametrize(
    ("change", "status"), [({"value": "maybe"}, 422), ({"label": "beauty"}, 400), ({"id": "none"}, 400)]
)
def test_what_is_no_label_is_refused(table, change, status):
    with serving(labels=str(table)) as client:
        case = client.get("/v1/labels/case", params={"row": 0}).json()
        given = {"id": case["id"], "label": "answer_relevance", "value": "1"} | change
        assert client.put("/v1/labels", json=given).status_code == status
        assert client.get("/v1/labels/case", params={"row": 9}).status_code == 400
    assert cells(table, "answer_relevance") == ["", "", ""]


@pytest.mark.whole
def test_one_server_labels_a_file_and_others_have_none(table, client):
    found = client.get("/v1/labels")
    assert (found.status_code, found.json()["error"]["code"]) == (404, "no_labels")
    with serving(labels=str(table)), pytest.raises(InputError, match="another process labels this file"):
        create_app(options(labels=str(table)))
    with serving(labels=str(table)) as again:
        assert again.get("/v1/labels").status_code == 200
