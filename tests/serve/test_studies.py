"""Studies that are served: figures, comparisons, and single questions."""

from __future__ import annotations

import pytest
from made_study import Madeup, write_study
from served import serving


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    write_study(folder / "films.sqlite", [Madeup("good", right=0.9), Madeup("bad", right=0.3)], 12)
    (folder / "broken.sqlite").write_text("no study")
    (folder / "notes.txt").write_text("something else")
    with serving(studies=(str(folder),)) as client:
        yield client


def test_studies_of_a_folder_are_listed(studies):
    listed = {one["name"]: one for one in studies.get("/v1/studies").json()["studies"]}
    assert list(listed) == ["broken", "films"]
    assert [run["name"] for run in listed["films"]["runs"]] == ["good", "bad"]
    assert listed["broken"]["problem"]


def test_the_figures_are_those_of_the_command_line(studies):
    found = studies.get("/v1/studies/films").json()
    assert [run["name"] for run in found["runs"]] == ["good", "bad"]
    assert found["study"] == "films"
    compared = studies.get("/v1/studies/films/comparison").json()
    assert len(compared["comparisons"]) == 1
    assert studies.get("/v1/studies/films", params={"metric": "none"}).status_code == 400
    assert studies.get("/v1/studies/none").json()["error"]["code"] == "no_study"


def test_questions_come_in_pages_with_the_results_of_every_run(studies):
    first = studies.get("/v1/studies/films/questions", params={"n": 8}).json()
    rest = studies.get("/v1/studies/films/questions", params={"n": 8, "offset": first["next"]}).json()
    assert (first["count"], len(first["questions"]), len(rest["questions"]), rest["next"]) == (12, 8, 4, None)
    assert set(first["questions"][0]["results"]) == {"1", "2"}
    lost = [one["results"]["2"]["lost_at"] for one in first["questions"] + rest["questions"]]
    place = next(filter(None, lost))
    only = studies.get("/v1/studies/films/questions", params={"run": 2, "lost_at": place}).json()
    assert only["count"] == lost.count(place)


def test_one_question_has_the_paths_of_every_run(studies):
    number = studies.get("/v1/studies/films/questions").json()["questions"][0]["question"]
    found = studies.get(f"/v1/studies/films/questions/{number}").json()
    assert set(found["runs"]) == {"1", "2"}
    assert {"answers", "paths", "stages"} <= set(found["runs"]["1"])
    assert studies.get("/v1/studies/films/questions/999").status_code == 404


def test_studies_of_one_name_are_all_listed(tmp_path):
    files = [tmp_path / name / "runs.sqlite" for name in ("old", "new")]
    for file in files:
        file.parent.mkdir()
        write_study(file, [Madeup(file.parent.name, right=0.9)], 2)
    with serving(studies=tuple(map(str, files))) as client:
        listed = {one["name"]: one["runs"][0]["name"] for one in client.get("/v1/studies").json()["studies"]}
        assert listed == {"runs": "old", "runs-2": "new"}
        assert client.get("/v1/studies/runs-2").json()["runs"][0]["name"] == "new"


def test_a_run_that_no_study_can_have_is_refused(studies):
    assert studies.get("/v1/studies/films/questions", params={"run": 10**30}).status_code == 422


def test_without_studies_the_list_is_empty(client):
    assert client.get("/v1/studies").json() == {"studies": []}
