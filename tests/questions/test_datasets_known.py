"""The table of published data sets."""

from __future__ import annotations

import re

import pytest
from faults import fails

from graphbrick.core.errors import InputError
from graphbrick.questions.loading import FORMS
from graphbrick.questions.table import known, published


@pytest.mark.parametrize("name", [*known()])
def test_every_data_set_says_what_is_needed(name: str) -> None:
    found = published(name)
    assert found.name == name
    assert found.form in FORMS
    assert all((found.title, found.graph, found.licence, found.paper))
    assert found.page.startswith("https://")
    assert found.files or found.note, "what cannot be fetched says how to get it"
    for file in found.files:
        assert re.match(r"https?://", file.url)
        assert file.sha256 is None or re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert {split for split, _ in file.members} <= {"train", "dev", "test"}
        assert file.members


def test_the_data_sets_that_the_papers_use() -> None:
    assert {"metaqa", "webqsp", "cwq", "grailqa", "webquestions", "hetionet"} <= {*known()}
    assert published(" WebQSP").files[0].members[1] == ("test", "WebQSP/data/WebQSP.test.json")


def test_a_name_that_is_none() -> None:
    with fails("datasets.unknown", InputError, name="webqps", example="webqsp"):
        published("webqps")
