"""Nouns that are cut short, in the question («apps») or in the names of the tables (`dept`)."""

from __future__ import annotations

import pytest
from built_graphs import built_from_tables

from graphbrick.core.errors import LinkError
from graphbrick.graphs.graph import Graph
from graphbrick.learn.default import default_pipeline

TABLES = {
    "application.csv": "id,name,owner_id,repository_id,env\na1,Zephyr,p1,r1,production\na2,Quill,p2,r2,staging\n"
    "a3,Marlin,p1,r3,production\n",
    "repository.csv": "id,name,language\nr1,zeph-core,Rust\nr2,quill-ui,TypeScript\nr3,marlin-api,Go\n",
    "person.csv": "id,name,dept_id\np1,Ines Roy,d1\np2,Oto Lang,d2\n",
    "dept.csv": "id,name\nd1,Platform\nd2,Design\n",
    "arch.csv": "id,name\nx1,aarch64\nx2,riscv64\n",
    "runs_on.csv": "application_id,arch_id\na1,x1\na1,x2\na2,x1\n",
}


@pytest.fixture(scope="module")
def apps(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return built_from_tables(tmp_path_factory.mktemp("apps"), TABLES)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("List all apps", ["Marlin", "Quill", "Zephyr"]),
        ("How many apps are there?", ["3"]),
        ("apps in staging", ["Quill"]),
        ("Which repos are in Rust?", ["zeph-core"]),
        ("Which architectures does Zephyr run on?", ["aarch64", "riscv64"]),
        ("Which app has the most architectures?", ["Zephyr"]),
        ("Which department is Oto Lang in?", ["Design"]),
        ("How many departments are there?", ["2"]),
        ("List the depts", ["Design", "Platform"]),
    ],
)
def test_nouns_that_are_cut_short(apps: Graph, question: str, answers: list[str]) -> None:
    assert sorted(default_pipeline(apps)(apps, question).texts) == answers


def test_a_word_that_only_begins_as_a_class_does_is_none_of_it(apps: Graph) -> None:
    """An apartment is no app, and an archive is no arch."""
    with pytest.raises(LinkError, match="'apartments'"):
        default_pipeline(apps)(apps, "How many apartments are there?")
    assert default_pipeline(apps)(apps, "Which archives does Zephyr have?").texts == ()
